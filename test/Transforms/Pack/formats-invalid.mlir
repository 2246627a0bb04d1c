// RUN: poly-opt %s --poly-pack --split-input-file --verify-diagnostics

gpu.module @m {
  gpu.func @f32_argument(%x: f32) -> bf16 {
    // expected-error @+1 {{program 'silu-half3-bf16x2' takes bf16 and gives bf16, but here the values are f32 and every use takes bf16; let poly-plan choose}}
    %y = poly.silu %x program <"silu-half3-bf16x2"> : f32
    %r = arith.truncf %y : f32 to bf16
    gpu.return %r : bf16
  }
}

// -----

gpu.module @m {
  gpu.func @f32_result(%x: bf16) -> f32 {
    %f = arith.extf %x : bf16 to f32
    // expected-error @+1 {{but here the values are bf16 and every use takes f32}}
    %y = poly.silu %f program <"silu-half3-bf16x2"> : f32
    gpu.return %y : f32
  }
}

// -----

gpu.module @m {
  gpu.func @other_format(%x: vector<2xf16>) -> vector<2xf16> {
    // expected-error @+1 {{takes bf16 and gives bf16, but here the values are f16 and every use takes f16}}
    %y = poly.silu %x program <"silu-half3-bf16x2"> : vector<2xf16>
    gpu.return %y : vector<2xf16>
  }
}

// -----

// An f32 program may serve a 16-bit-valued argument: widening is exact.
gpu.module @m {
  gpu.func @widened(%x: bf16) -> f32 {
    %f = arith.extf %x : bf16 to f32
    %y = poly.silu %f program <"silu-sfu-f32"> : f32
    gpu.return %y : f32
  }
}
