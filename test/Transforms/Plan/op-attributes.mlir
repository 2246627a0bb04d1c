// RUN: poly-opt %s --poly-raise --poly-plan --split-input-file --verify-diagnostics | FileCheck %s

// What the user writes on an op of the source steers its own site only.

gpu.module @m {
  // CHECK-LABEL: gpu.func @optin
  gpu.func @optin(%x: bf16, %y: bf16) -> (bf16, bf16) {
    // CHECK: poly.tanh {{.*}} program
    // CHECK-NOT: poly.tanh
    %f = arith.extf %x : bf16 to f32
    %t = math.tanh %f {poly.optin} : f32
    %r = arith.truncf %t : f32 to bf16
    %g = arith.extf %y : bf16 to f32
    %u = math.tanh %g : f32
    %s = arith.truncf %u : f32 to bf16
    gpu.return %r, %s : bf16, bf16
  }
}

// -----

gpu.module @m {
  // Permission to round one input is none for its neighbour.
  // CHECK-LABEL: gpu.func @round_one
  gpu.func @round_one(%x: f32, %y: f32) -> (bf16, bf16) {
    // CHECK: poly.tanh {{.*}} program
    // CHECK-NOT: poly.tanh
    %t = math.tanh %x fastmath<afn> {poly.round_inputs} : f32
    %r = arith.truncf %t : f32 to bf16
    %u = math.tanh %y fastmath<afn> : f32
    %s = arith.truncf %u : f32 to bf16
    gpu.return %r, %s : bf16, bf16
  }
}

// -----

gpu.module @m {
  gpu.func @impossible(%x: bf16) -> bf16 {
    %f = arith.extf %x : bf16 to f32
    // expected-error @+1 {{no program for tanh bf16 -> bf16 on sm_90 meets the required accuracy atol=1e-09}}
    %t = math.tanh %f fastmath<afn> {poly.accuracy = #poly.accuracy<atol = 1.0e-9>} : f32
    %r = arith.truncf %t : f32 to bf16
    gpu.return %r : bf16
  }
}
