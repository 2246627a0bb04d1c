// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "LLVM dialect, libdevice and NVVM"} {
gpu.module @corpus {
  llvm.func @__nv_coshf(f32) -> f32
  llvm.func @__nv_erfcf(f32) -> f32
  llvm.func @__nv_erff(f32) -> f32
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @__nv_exp10f(f32) -> f32
  llvm.func @__nv_expm1f(f32) -> f32
  llvm.func @__nv_fast_expf(f32) -> f32
  llvm.func @__nv_fast_fdividef(f32, f32) -> f32
  llvm.func @__nv_normcdff(f32) -> f32
  llvm.func @__nv_powf(f32, f32) -> f32
  llvm.func @__nv_sinf(f32) -> f32
  llvm.func @__nv_sinhf(f32) -> f32
  llvm.func @__nv_tanhf(f32) -> f32
  llvm.func @sigmoid_intrinsic(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "llvm.exp and fdiv"} {
    %v1 = llvm.fneg %x {fastmathFlags = #llvm.fastmath<afn>} : f32
    %v2 = llvm.intr.exp(%v1) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    %c3 = llvm.mlir.constant(1.0 : f32) : f32
    %v4 = llvm.fadd %c3, %v2 {fastmathFlags = #llvm.fastmath<afn>} : f32
    %v5 = llvm.fdiv %c3, %v4 {fastmathFlags = #llvm.fastmath<afn>} : f32
    llvm.return %v5 : f32
  }

  llvm.func @sigmoid_vector(%x: vector<2xf16>) -> vector<2xf16>
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "the same on a vector"} {
    %v1 = llvm.fpext %x : vector<2xf16> to vector<2xf32>
    %v2 = llvm.fneg %v1 {fastmathFlags = #llvm.fastmath<afn>} : vector<2xf32>
    %v3 = llvm.intr.exp(%v2) {fastmathFlags = #llvm.fastmath<afn>} : (vector<2xf32>) -> vector<2xf32>
    %c4 = llvm.mlir.constant(dense<1.0> : vector<2xf32>) : vector<2xf32>
    %v5 = llvm.fadd %c4, %v3 {fastmathFlags = #llvm.fastmath<afn>} : vector<2xf32>
    %v6 = llvm.fdiv %c4, %v5 {fastmathFlags = #llvm.fastmath<afn>} : vector<2xf32>
    %v7 = llvm.fptrunc %v6 : vector<2xf32> to vector<2xf16>
    llvm.return %v7 : vector<2xf16>
  }

  llvm.func @sigmoid_libdevice(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "__nv_expf"} {
    %v1 = llvm.fneg %x : f32
    %v2 = llvm.call @__nv_expf(%v1) : (f32) -> f32
    %c3 = llvm.mlir.constant(1.0 : f32) : f32
    %v4 = llvm.fadd %c3, %v2 : f32
    %v5 = llvm.fdiv %c3, %v4 : f32
    llvm.return %v5 : f32
  }

  llvm.func @sigmoid_ex2(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "ex2.approx and rcp.approx"} {
    %c1 = llvm.mlir.constant(-1.442695 : f32) : f32
    %v2 = llvm.fmul %x, %c1 : f32
    %v3 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%v2) : (f32) -> f32
    %c4 = llvm.mlir.constant(1.0 : f32) : f32
    %v5 = llvm.fadd %c4, %v3 : f32
    %v6 = nvvm.rcp.approx.ftz.f %v5 : f32
    llvm.return %v6 : f32
  }

  llvm.func @sigmoid_div_full(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "ex2.approx and div.full"} {
    %c1 = llvm.mlir.constant(0.0 : f32) : f32
    %v2 = llvm.fsub %c1, %x : f32
    %c3 = llvm.mlir.constant(1.442695 : f32) : f32
    %v4 = llvm.fmul %v2, %c3 : f32
    %v5 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%v4) : (f32) -> f32
    %c6 = llvm.mlir.constant(1.0 : f32) : f32
    %v7 = llvm.fadd %c6, %v5 : f32
    %v8 = llvm.call_intrinsic "llvm.nvvm.div.full"(%c6, %v7) : (f32, f32) -> f32
    llvm.return %v8 : f32
  }

  llvm.func @silu_fast(%x: bf16) -> bf16
      attributes {corpus.expect = "silu:1",
                  corpus.what = "__nv_fast_expf and __nv_fast_fdividef"} {
    %v1 = llvm.fpext %x : bf16 to f32
    %v2 = llvm.fneg %v1 : f32
    %v3 = llvm.call @__nv_fast_expf(%v2) : (f32) -> f32
    %c4 = llvm.mlir.constant(1.0 : f32) : f32
    %v5 = llvm.fadd %c4, %v3 : f32
    %v6 = llvm.call @__nv_fast_fdividef(%v1, %v5) : (f32, f32) -> f32
    %v7 = llvm.fptrunc %v6 : f32 to bf16
    llvm.return %v7 : bf16
  }

  llvm.func @silu_tanh_approx(%x: f32) -> f32
      attributes {corpus.expect = "silu:1",
                  corpus.what = "h tanh.approx(h) + h"} {
    %c1 = llvm.mlir.constant(0.5 : f32) : f32
    %v2 = llvm.fmul %x, %c1 : f32
    %v3 = llvm.call_intrinsic "llvm.nvvm.tanh.approx.f"(%v2) : (f32) -> f32
    %v4 = llvm.intr.fma(%v2, %v3, %v2) : (f32, f32, f32) -> f32
    llvm.return %v4 : f32
  }

  llvm.func @tanh_libdevice(%x: f16) -> f16
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "__nv_tanhf"} {
    %v1 = llvm.fpext %x : f16 to f32
    %v2 = llvm.call @__nv_tanhf(%v1) : (f32) -> f32
    %v3 = llvm.fptrunc %v2 : f32 to f16
    llvm.return %v3 : f16
  }

  llvm.func @tanh_copysign(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "copysign of a ratio"} {
    %v1 = llvm.intr.fabs(%x) : (f32) -> f32
    %c2 = llvm.mlir.constant(-2.0 : f32) : f32
    %v3 = llvm.fmul %v1, %c2 : f32
    %v4 = llvm.intr.exp(%v3) : (f32) -> f32
    %c5 = llvm.mlir.constant(1.0 : f32) : f32
    %v6 = llvm.fsub %c5, %v4 : f32
    %v7 = llvm.fadd %c5, %v4 : f32
    %v8 = llvm.fdiv %v6, %v7 : f32
    %v9 = llvm.intr.copysign(%v8, %x) : (f32, f32) -> f32
    llvm.return %v9 : f32
  }

  llvm.func @tanh_expm1(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "__nv_expm1f"} {
    %v1 = llvm.fadd %x, %x : f32
    %v2 = llvm.call @__nv_expm1f(%v1) : (f32) -> f32
    %c3 = llvm.mlir.constant(2.0 : f32) : f32
    %v4 = llvm.fadd %v2, %c3 : f32
    %v5 = llvm.fdiv %v2, %v4 : f32
    llvm.return %v5 : f32
  }

  llvm.func @gelu_libdevice(%x: f32) -> f32
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "__nv_erff"} {
    %c1 = llvm.mlir.constant(0.5 : f32) : f32
    %v2 = llvm.fmul %x, %c1 : f32
    %c3 = llvm.mlir.constant(0.70710677 : f32) : f32
    %v4 = llvm.fmul %x, %c3 : f32
    %v5 = llvm.call @__nv_erff(%v4) : (f32) -> f32
    %c6 = llvm.mlir.constant(1.0 : f32) : f32
    %v7 = llvm.fadd %v5, %c6 : f32
    %v8 = llvm.fmul %v2, %v7 : f32
    llvm.return %v8 : f32
  }

  llvm.func @gelu_erfc(%x: f32) -> f32
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "__nv_erfcf"} {
    %c1 = llvm.mlir.constant(0.5 : f32) : f32
    %v2 = llvm.fmul %x, %c1 : f32
    %c3 = llvm.mlir.constant(-0.70710677 : f32) : f32
    %v4 = llvm.fmul %x, %c3 : f32
    %v5 = llvm.call @__nv_erfcf(%v4) : (f32) -> f32
    %v6 = llvm.fmul %v2, %v5 : f32
    llvm.return %v6 : f32
  }

  llvm.func @gelu_tanh_libdevice(%x: bf16) -> bf16
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "__nv_tanhf of a polynomial"} {
    %v1 = llvm.fpext %x : bf16 to f32
    %c2 = llvm.mlir.constant(0.5 : f32) : f32
    %v3 = llvm.fmul %v1, %c2 : f32
    %v4 = llvm.fmul %v1, %v1 : f32
    %v5 = llvm.fmul %v1, %v4 : f32
    %c6 = llvm.mlir.constant(0.044715 : f32) : f32
    %v7 = llvm.fmul %c6, %v5 : f32
    %v8 = llvm.fadd %v1, %v7 : f32
    %c9 = llvm.mlir.constant(0.7978846 : f32) : f32
    %v10 = llvm.fmul %c9, %v8 : f32
    %v11 = llvm.call @__nv_tanhf(%v10) : (f32) -> f32
    %c12 = llvm.mlir.constant(1.0 : f32) : f32
    %v13 = llvm.fadd %c12, %v11 : f32
    %v14 = llvm.fmul %v3, %v13 : f32
    %v15 = llvm.fptrunc %v14 : f32 to bf16
    llvm.return %v15 : bf16
  }

  llvm.func @gelu_tanh_powf(%x: f32) -> f32
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "the cube by __nv_powf"} {
    %c1 = llvm.mlir.constant(0.5 : f32) : f32
    %v2 = llvm.fmul %x, %c1 : f32
    %c4 = llvm.mlir.constant(3.0 : f32) : f32
    %v3 = llvm.call @__nv_powf(%x, %c4) : (f32, f32) -> f32
    %c5 = llvm.mlir.constant(0.044715 : f32) : f32
    %v6 = llvm.fmul %c5, %v3 : f32
    %v7 = llvm.fadd %x, %v6 : f32
    %c8 = llvm.mlir.constant(0.7978846 : f32) : f32
    %v9 = llvm.fmul %c8, %v7 : f32
    %v10 = llvm.call @__nv_tanhf(%v9) : (f32) -> f32
    %c11 = llvm.mlir.constant(1.0 : f32) : f32
    %v12 = llvm.fadd %c11, %v10 : f32
    %v13 = llvm.fmul %v2, %v12 : f32
    llvm.return %v13 : f32
  }

  llvm.func @softcap_libdevice(%x: f32) -> f32
      attributes {corpus.expect = "softcap:1",
                  corpus.what = "30 __nv_tanhf(x / 30)"} {
    %c1 = llvm.mlir.constant(3.0e+01 : f32) : f32
    %v2 = llvm.fdiv %x, %c1 : f32
    %v3 = llvm.call @__nv_tanhf(%v2) : (f32) -> f32
    %v4 = llvm.fmul %v3, %c1 : f32
    llvm.return %v4 : f32
  }

  llvm.func @quick_gelu(%x: f32) -> f32
      attributes {corpus.expect = "quick_gelu:1",
                  corpus.what = "x / (1 + __nv_expf(-1.702 x))"} {
    %c1 = llvm.mlir.constant(-1.702 : f32) : f32
    %v2 = llvm.fmul %x, %c1 : f32
    %v3 = llvm.call @__nv_expf(%v2) : (f32) -> f32
    %c4 = llvm.mlir.constant(1.0 : f32) : f32
    %v5 = llvm.fadd %c4, %v3 : f32
    %v6 = llvm.fdiv %x, %v5 : f32
    llvm.return %v6 : f32
  }

  llvm.func @two_way_softmax(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.what = "ex2.approx of a difference from a maximum"} {
    %v1 = llvm.intr.maxnum(%x, %y) : (f32, f32) -> f32
    %c2 = llvm.mlir.constant(0.125 : f32) : f32
    %v3 = llvm.fmul %v1, %c2 : f32
    %v4 = llvm.fneg %v3 : f32
    %v5 = llvm.intr.fma(%x, %c2, %v4) : (f32, f32, f32) -> f32
    %v6 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%v5) : (f32) -> f32
    llvm.return %v6 : f32
  }

  llvm.func @derivative(%x: f32) -> f32
      attributes {corpus.expect = "dsigmoid:1",
                  corpus.what = "s (1 - s)"} {
    %v1 = llvm.fneg %x {fastmathFlags = #llvm.fastmath<afn>} : f32
    %v2 = llvm.intr.exp(%v1) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    %c3 = llvm.mlir.constant(1.0 : f32) : f32
    %v4 = llvm.fadd %c3, %v2 {fastmathFlags = #llvm.fastmath<afn>} : f32
    %v5 = llvm.fdiv %c3, %v4 {fastmathFlags = #llvm.fastmath<afn>} : f32
    %v6 = llvm.fsub %c3, %v5 {fastmathFlags = #llvm.fastmath<afn>} : f32
    %v7 = llvm.fmul %v5, %v6 {fastmathFlags = #llvm.fastmath<afn>} : f32
    llvm.return %v7 : f32
  }

  llvm.func @near_miss(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "1 / (1.001 + exp(-x))"} {
    %v1 = llvm.fneg %x : f32
    %v2 = llvm.intr.exp(%v1) : (f32) -> f32
    %c3 = llvm.mlir.constant(1.001 : f32) : f32
    %v4 = llvm.fadd %c3, %v2 : f32
    %c5 = llvm.mlir.constant(1.0 : f32) : f32
    %v6 = llvm.fdiv %c5, %v4 : f32
    llvm.return %v6 : f32
  }

  llvm.func @other_function(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "sin"} {
    %v2 = llvm.call @__nv_sinf(%x) : (f32) -> f32
    llvm.return %v2 : f32
  }

  llvm.func @gelu_normcdf(%x: f32) -> f32
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "x __nv_normcdff(x)"} {
    %c = llvm.call @__nv_normcdff(%x) : (f32) -> f32
    %r = llvm.fmul %x, %c : f32
    llvm.return %r : f32
  }

  llvm.func @other_normcdf(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "y __nv_normcdff(x)"} {
    %c = llvm.call @__nv_normcdff(%x) : (f32) -> f32
    %r = llvm.fmul %y, %c : f32
    llvm.return %r : f32
  }

  llvm.func @tanh_sinh_cosh(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "__nv_sinhf(x) / __nv_coshf(x)"} {
    %a = llvm.call @__nv_sinhf(%x) : (f32) -> f32
    %b = llvm.call @__nv_coshf(%x) : (f32) -> f32
    %r = llvm.fdiv %a, %b : f32
    llvm.return %r : f32
  }

  llvm.func @sigmoid_exp10(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + 10^(-x log10(e)))"} {
    %k = llvm.mlir.constant(-0.434294492 : f32) : f32
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %z = llvm.fmul %x, %k : f32
    %e = llvm.call @__nv_exp10f(%z) : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %r = llvm.fdiv %c1, %d : f32
    llvm.return %r : f32
  }

  llvm.func @power_of_ten(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "10^x"} {
    %e = llvm.intr.exp10(%x) : (f32) -> f32
    llvm.return %e : f32
  }

  llvm.func @gelu_root(%x: f32) -> f32
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "0.5 x (1 + erf(x / sqrt.approx(2)))"} {
    %two = llvm.mlir.constant(2.0 : f32) : f32
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %h = llvm.mlir.constant(0.5 : f32) : f32
    %s = llvm.call_intrinsic "llvm.nvvm.sqrt.approx.f"(%two) : (f32) -> f32
    %q = llvm.fdiv %x, %s : f32
    %e = llvm.call @__nv_erff(%q) : (f32) -> f32
    %a = llvm.fadd %e, %c1 : f32
    %p = llvm.fmul %x, %h : f32
    %r = llvm.fmul %p, %a : f32
    llvm.return %r : f32
  }

  llvm.func @swiglu_quotient(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "__nv_fast_fdividef(x y, 1 + __nv_fast_expf(-x))"} {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %n = llvm.fneg %x : f32
    %e = llvm.call @__nv_fast_expf(%n) : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %p = llvm.fmul %x, %y : f32
    %r = llvm.call @__nv_fast_fdividef(%p, %d) : (f32, f32) -> f32
    llvm.return %r : f32
  }
}
}
