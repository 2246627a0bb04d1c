// RUN: poly-opt %s --poly-expand | FileCheck %s

gpu.module @m {
  // Function ops that no planner saw: the replaced value, else the plain
  // spelling under the same flags.
  // CHECK-LABEL: gpu.func @unplanned
  // CHECK-SAME: (%[[X:.*]]: f32, %[[WAS:.*]]: f32)
  gpu.func @unplanned(%x: f32, %was: f32) -> (f32, f32, f32) {
    %0 = poly.sigmoid %x replaces %was : f32
    // CHECK: %[[N:.*]] = arith.negf %[[X]] fastmath<contract> : f32
    // CHECK: %[[E:.*]] = math.exp %[[N]] fastmath<contract> : f32
    // CHECK: %[[D:.*]] = arith.addf %{{.*}}, %[[E]] fastmath<contract> : f32
    // CHECK: %[[S:.*]] = arith.divf %[[X]], %[[D]] fastmath<contract> : f32
    %1 = poly.silu %x fastmath<contract> : f32
    // CHECK: %[[T:.*]] = math.tanh %[[X]] : f32
    %2 = poly.tanh %x : f32
    // CHECK: gpu.return %[[WAS]], %[[S]], %[[T]]
    gpu.return %0, %1, %2 : f32, f32, f32
  }

  // CHECK-LABEL: gpu.func @gelu_erf
  // CHECK-SAME: (%[[X:.*]]: bf16)
  gpu.func @gelu_erf(%x: bf16) -> bf16 {
    // CHECK: %[[R:.*]] = arith.constant 7.070{{.*}}e-01 : bf16
    // CHECK: %[[M:.*]] = arith.mulf %[[X]], %[[R]] : bf16
    // CHECK: %[[E:.*]] = math.erf %[[M]] : bf16
    // CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : bf16
    // CHECK: %[[S:.*]] = arith.addf %[[ONE]], %[[E]] : bf16
    // CHECK: %[[H:.*]] = arith.constant 5.000000e-01 : bf16
    // CHECK: %[[P:.*]] = arith.mulf %[[H]], %[[S]] : bf16
    // CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[P]] : bf16
    // CHECK: gpu.return %[[Y]]
    %0 = poly.gelu_erf %x : bf16
    gpu.return %0 : bf16
  }

  // CHECK-LABEL: gpu.func @exponentials
  gpu.func @exponentials(%x: vector<3xf32>) -> (vector<3xf32>, vector<3xf32>) {
    // CHECK: math.exp %{{.*}} fastmath<afn> : vector<3xf32>
    %0 = poly.exp %x fastmath<afn> : vector<3xf32>
    // CHECK: math.exp2 %{{.*}} : vector<3xf32>
    %1 = poly.exp2 %x : vector<3xf32>
    gpu.return %0, %1 : vector<3xf32>, vector<3xf32>
  }
}
