// RUN: poly-opt %s --poly-raise | FileCheck %s

// The same functions after lowering: LLVM ops, libdevice, NVVM intrinsics.

gpu.module @llvm {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @__nv_fast_expf(f32) -> f32
  llvm.func @__nv_exp2f(f32) -> f32
  llvm.func @__nv_tanhf(f32) -> f32
  llvm.func @__nv_fast_tanhf(f32) -> f32
  llvm.func @__nv_frcp_rn(f32) -> f32
  llvm.func @__nv_fast_fdividef(f32, f32) -> f32
  llvm.func @__nv_fmaf_rn(f32, f32, f32) -> f32
  llvm.func @__nv_fmaf_rz(f32, f32, f32) -> f32
  llvm.func @__nv_fabsf(f32) -> f32
  llvm.func @__nv_copysignf(f32, f32) -> f32
  llvm.func @__nv_sinf(f32) -> f32
  func.func private @__nv_fast_log2f(f32) -> f32
  func.func private @__nv_fast_log10f(f32) -> f32

  // CHECK-LABEL: llvm.func @intrinsic
  // CHECK:         %[[Q:.*]] = llvm.fdiv
  // CHECK-NEXT:    poly.sigmoid %arg0 replaces %[[Q]] fastmath<contract,afn> consent : f32
  llvm.func @intrinsic(%x: f32) -> f32 {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %n = llvm.fneg %x {fastmathFlags = #llvm.fastmath<contract, afn>} : f32
    %e = llvm.intr.exp(%n) {fastmathFlags = #llvm.fastmath<fast>} : (f32) -> f32
    %d = llvm.fadd %e, %c1 {fastmathFlags = #llvm.fastmath<contract, afn>} : f32
    %q = llvm.fdiv %c1, %d {fastmathFlags = #llvm.fastmath<contract, afn, arcp>} : f32
    llvm.return %q : f32
  }

  // CHECK-LABEL: llvm.func @intrinsic_vector
  // CHECK:         %[[F:.*]] = llvm.fpext %arg0
  // CHECK:         poly.silu %[[F]] replaces %{{.*}} : vector<2xf32>
  llvm.func @intrinsic_vector(%x: vector<2xf16>) -> vector<2xf32> {
    %half = llvm.mlir.constant(dense<0.5> : vector<2xf32>) : vector<2xf32>
    %f = llvm.fpext %x : vector<2xf16> to vector<2xf32>
    %h = llvm.fmul %f, %half : vector<2xf32>
    %t = llvm.intr.tanh(%h) : (vector<2xf32>) -> vector<2xf32>
    %y = llvm.intr.fmuladd(%t, %h, %h) : (vector<2xf32>, vector<2xf32>, vector<2xf32>) -> vector<2xf32>
    llvm.return %y : vector<2xf32>
  }

  // CHECK-LABEL: llvm.func @intrinsic_sign
  // CHECK:         poly.tanh %arg0 replaces
  // CHECK-NOT:     poly.
  llvm.func @intrinsic_sign(%x: f32) -> f32 {
    %c0 = llvm.mlir.zero : f32
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %k = llvm.mlir.constant(-2.88539004 : f32) : f32
    %abs = llvm.intr.fabs(%x) : (f32) -> f32
    %a = llvm.fmul %abs, %k : f32
    %e = llvm.intr.exp2(%a) : (f32) -> f32
    %num = llvm.fsub %c1, %e : f32
    %den = llvm.fadd %c1, %e : f32
    %q = llvm.fdiv %num, %den : f32
    %neg = llvm.fcmp "olt" %x, %c0 : f32
    %m = llvm.fneg %q : f32
    %t = llvm.select %neg, %m, %q : i1, f32
    llvm.return %t : f32
  }

  // Accurate library functions are no consent.
  // CHECK-LABEL: llvm.func @accurate_calls
  // CHECK:         poly.sigmoid %arg0 replaces %{{[0-9]+}} : f32
  llvm.func @accurate_calls(%x: f32) -> f32 {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %n = llvm.fneg %x : f32
    %e = llvm.call @__nv_expf(%n) : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %q = llvm.call @__nv_frcp_rn(%d) : (f32) -> f32
    llvm.return %q : f32
  }

  // Fast ones are, whatever the additions between them carry.
  // CHECK-LABEL: llvm.func @fast_calls
  // CHECK:         poly.silu %arg0 replaces %{{[0-9]+}} consent : f32
  llvm.func @fast_calls(%x: f32) -> f32 {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %n = llvm.fneg %x : f32
    %e = llvm.call @__nv_fast_expf(%n) : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %y = llvm.call @__nv_fast_fdividef(%x, %d) : (f32, f32) -> f32
    llvm.return %y : f32
  }

  // A fast exponential with an accurate division is not.
  // CHECK-LABEL: llvm.func @half_fast
  // CHECK:         poly.silu %arg0 replaces %{{[0-9]+}} : f32
  llvm.func @half_fast(%x: f32) -> f32 {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %n = llvm.fneg %x : f32
    %e = llvm.call @__nv_fast_expf(%n) : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %y = llvm.fdiv %x, %d : f32
    llvm.return %y : f32
  }

  // CHECK-LABEL: llvm.func @calls_with_flags
  // CHECK:         poly.tanh %arg0 replaces %{{[0-9]+}} fastmath<afn> consent : f32
  llvm.func @calls_with_flags(%x: f32) -> f32 {
    %t = llvm.call @__nv_tanhf(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    llvm.return %t : f32
  }

  // CHECK-LABEL: llvm.func @fast_tanh_fma
  // CHECK:         poly.sigmoid %arg0 replaces %{{[0-9]+}} consent : f32
  llvm.func @fast_tanh_fma(%x: f32) -> f32 {
    %half = llvm.mlir.constant(0.5 : f32) : f32
    %a = llvm.fmul %x, %half : f32
    %t = llvm.call @__nv_fast_tanhf(%a) : (f32) -> f32
    %s = llvm.call @__nv_fmaf_rn(%t, %half, %half) : (f32, f32, f32) -> f32
    llvm.return %s : f32
  }

  // CHECK-LABEL: llvm.func @copysign_call
  // CHECK:         poly.tanh %arg0 replaces
  llvm.func @copysign_call(%x: f32) -> f32 {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %cm2 = llvm.mlir.constant(-2.0 : f32) : f32
    %abs = llvm.call @__nv_fabsf(%x) : (f32) -> f32
    %a = llvm.fmul %abs, %cm2 : f32
    %e = llvm.call @__nv_expf(%a) : (f32) -> f32
    %num = llvm.fsub %c1, %e : f32
    %den = llvm.fadd %c1, %e : f32
    %q = llvm.fdiv %num, %den : f32
    %t = llvm.call @__nv_copysignf(%q, %x) : (f32, f32) -> f32
    llvm.return %t : f32
  }

  // What a compiler's own sigmoid becomes: ex2 and div.full, here with the
  // negation before the scaling.
  // CHECK-LABEL: llvm.func @approximate_instructions
  // CHECK:         poly.silu %arg0 replaces %{{[0-9]+}} consent : f32
  llvm.func @approximate_instructions(%x: f32) -> f32 {
    %c0 = llvm.mlir.constant(0.0 : f32) : f32
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %k = llvm.mlir.constant(1.44269502 : f32) : f32
    %n = llvm.fsub %c0, %x : f32
    %a = llvm.fmul %n, %k : f32
    %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%a) : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %s = llvm.call_intrinsic "llvm.nvvm.div.full"(%c1, %d) : (f32, f32) -> f32
    %y = llvm.fmul %s, %x : f32
    llvm.return %y : f32
  }

  // CHECK-LABEL: llvm.func @reciprocal_instruction
  // CHECK:         poly.sigmoid %arg0 replaces %{{[0-9]+}} consent : f32
  llvm.func @reciprocal_instruction(%x: f32) -> f32 {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %k = llvm.mlir.constant(-1.44269502 : f32) : f32
    %a = llvm.fmul %x, %k : f32
    %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%a) : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %s = nvvm.rcp.approx.ftz.f %d : f32
    llvm.return %s : f32
  }

  // Ops that the argument needs are of the same level.
  // CHECK-LABEL: llvm.func @made_argument
  // CHECK:         %[[F:.*]] = llvm.fpext
  // CHECK:         %[[N:.*]] = llvm.fneg %[[F]]
  // CHECK-NEXT:    poly.sigmoid %[[N]] replaces
  // CHECK-NOT:     arith.
  llvm.func @made_argument(%x: bf16) -> f32 {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %f = llvm.fpext %x : bf16 to f32
    %e = llvm.call @__nv_expf(%f) : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %s = llvm.fdiv %c1, %d : f32
    llvm.return %s : f32
  }

  // CHECK-LABEL: llvm.func @other_functions
  // CHECK-NOT:     poly.
  llvm.func @other_functions(%x: f32) -> f32 {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %n = llvm.fneg %x : f32
    %e = llvm.call @__nv_sinf(%n) : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %s = llvm.fdiv %c1, %d : f32
    %l = func.call @__nv_fast_log2f(%s) : (f32) -> f32
    %p = func.call @__nv_fast_log10f(%n) : (f32) -> f32
    %q = llvm.fadd %p, %c1 : f32
    %r = llvm.fdiv %l, %q : f32
    llvm.return %r : f32
  }

  // Rounding toward zero is another function.
  // CHECK-LABEL: llvm.func @other_rounding
  // CHECK:         poly.tanh
  // CHECK-NOT:     poly.sigmoid
  llvm.func @other_rounding(%x: f32) -> f32 {
    %half = llvm.mlir.constant(0.5 : f32) : f32
    %a = llvm.fmul %x, %half : f32
    %t = llvm.call @__nv_tanhf(%a) : (f32) -> f32
    %s = llvm.call @__nv_fmaf_rz(%t, %half, %half) : (f32, f32, f32) -> f32
    llvm.return %s : f32
  }

  // Assembly of single instructions.
  // CHECK-LABEL: llvm.func @assembly_sigmoid
  // CHECK:         poly.sigmoid %arg0 replaces %{{[0-9]+}} consent : f32
  llvm.func @assembly_sigmoid(%x: f32) -> f32 {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %k = llvm.mlir.constant(-1.44269502 : f32) : f32
    %a = llvm.fmul %x, %k : f32
    %e = llvm.inline_asm "ex2.approx.ftz.f32 $0, $1;", "=f,f" %a : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %s = llvm.inline_asm "rcp.approx.ftz.f32 $0, $1;", "=f,f" %d : (f32) -> f32
    llvm.return %s : f32
  }

  // CHECK-LABEL: llvm.func @assembly_silu
  // CHECK:         poly.silu %arg0 replaces %{{[0-9]+}} consent : f32
  llvm.func @assembly_silu(%x: f32) -> f32 {
    %half = llvm.mlir.constant(0.5 : f32) : f32
    %h = llvm.fmul %x, %half : f32
    %t = llvm.inline_asm "tanh.approx.f32 $0, $1;", "=f,f" %h : (f32) -> f32
    %s = llvm.intr.fma(%h, %t, %h) : (f32, f32, f32) -> f32
    llvm.return %s : f32
  }

  // A clamp to [0, 1] that stays.
  // CHECK-LABEL: llvm.func @saturated
  // CHECK:         %[[S:.*]] = poly.sigmoid %arg0 replaces %{{[0-9]+}} consent : f32
  // CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.saturate.f"(%[[S]])
  llvm.func @saturated(%x: f32) -> f32 {
    %half = llvm.mlir.constant(0.5 : f32) : f32
    %h = llvm.fmul %x, %half : f32
    %t = llvm.call_intrinsic "llvm.nvvm.tanh.approx.f"(%h) : (f32) -> f32
    %r = llvm.intr.fma(%half, %t, %half) : (f32, f32, f32) -> f32
    %s = llvm.call_intrinsic "llvm.nvvm.saturate.f"(%r) : (f32) -> f32
    llvm.return %s : f32
  }

  // Two lanes in a register already, and an approximation already.
  // CHECK-LABEL: llvm.func @packed
  // CHECK-NOT:     poly.
  llvm.func @packed(%x: i32) -> i32 {
    %t = llvm.inline_asm "tanh.approx.bf16x2 $0, $1;", "=r,r" %x : (i32) -> i32
    %e = llvm.inline_asm "ex2.approx.ftz.bf16x2 $0, $1;", "=r,r" %t : (i32) -> i32
    %v = llvm.bitcast %e : i32 to vector<2xf16>
    %f = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f16x2"(%v) : (vector<2xf16>) -> vector<2xf16>
    %r = llvm.bitcast %f : vector<2xf16> to i32
    llvm.return %r : i32
  }

  // CHECK-LABEL: llvm.func @approximated
  // CHECK-NOT:     poly.
  llvm.func @approximated(%x: f32) -> f32 {
    %c3 = llvm.mlir.constant(0.0779 : f32) : f32
    %c2 = llvm.mlir.constant(0.22669 : f32) : f32
    %c1 = llvm.mlir.constant(0.695583 : f32) : f32
    %c0 = llvm.mlir.constant(1.0 : f32) : f32
    %shift = llvm.mlir.constant(23 : i32) : i32
    %whole = llvm.intr.floor(%x) : (f32) -> f32
    %r = llvm.fsub %x, %whole : f32
    %p = llvm.intr.fma(%r, %c3, %c2) : (f32, f32, f32) -> f32
    %q = llvm.intr.fma(%r, %p, %c1) : (f32, f32, f32) -> f32
    %s = llvm.intr.fma(%r, %q, %c0) : (f32, f32, f32) -> f32
    %i = llvm.fptosi %whole : f32 to i32
    %j = llvm.shl %i, %shift : i32
    %b = llvm.bitcast %s : f32 to i32
    %k = llvm.add %b, %j : i32
    %y = llvm.bitcast %k : i32 to f32
    llvm.return %y : f32
  }

  // CHECK-LABEL: llvm.func @inline_asm
  // CHECK-NOT:     poly.
  llvm.func @inline_asm(%x: f32) -> f32 {
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %k = llvm.mlir.constant(-1.44269502 : f32) : f32
    %a = llvm.fmul %x, %k : f32
    %e = llvm.inline_asm has_side_effects "ex2.approx.f32 $0, $1;", "=f,f" %a : (f32) -> f32
    %d = llvm.fadd %e, %c1 : f32
    %s = llvm.fdiv %c1, %d : f32
    llvm.return %s : f32
  }
}
