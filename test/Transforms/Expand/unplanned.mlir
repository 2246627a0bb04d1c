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
}
