// Conversions spelled over integers become typed ops.
// RUN: poly-opt %s --poly-normalize | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: llvm.func @scalars
  // CHECK-SAME: (%[[X:.*]]: i16, %[[Y:.*]]: i16)
  // CHECK-DAG: %[[B:.*]] = llvm.bitcast %[[X]] : i16 to bf16
  // CHECK-DAG: %[[F:.*]] = llvm.fpext %[[B]] : bf16 to f32
  // CHECK-DAG: %[[H:.*]] = llvm.bitcast %[[Y]] : i16 to f16
  // CHECK-DAG: %[[G:.*]] = llvm.fpext %[[H]] : f16 to f32
  // CHECK: math.exp %[[F]]
  // CHECK: llvm.fptrunc %{{.*}} : f32 to bf16
  // CHECK: llvm.bitcast %{{.*}} : bf16 to i16
  // CHECK: llvm.fptrunc %[[G]] : f32 to f16
  // CHECK: llvm.bitcast %{{.*}} : f16 to i16
  // CHECK-NOT: inline_asm
  llvm.func @scalars(%x: i16, %y: i16) -> !llvm.struct<(i16, i16)> {
    %f = llvm.inline_asm asm_dialect = att "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h" %x : (i16) -> f32
    %g = llvm.inline_asm asm_dialect = att "{  cvt.f32.f16 $0, $1;}\0A", "=f,h" %y : (i16) -> f32
    %e = math.exp %f : f32
    %r = llvm.inline_asm asm_dialect = att "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f" %e : (f32) -> i16
    %s = llvm.inline_asm asm_dialect = att "cvt.rn.f16.f32 $0, $1;", "=h,f" %g : (f32) -> i16
    %p = llvm.mlir.poison : !llvm.struct<(i16, i16)>
    %p0 = llvm.insertvalue %r, %p[0] : !llvm.struct<(i16, i16)>
    %p1 = llvm.insertvalue %s, %p0[1] : !llvm.struct<(i16, i16)>
    llvm.return %p1 : !llvm.struct<(i16, i16)>
  }

  // The instruction's first source is the upper half.
  // CHECK-LABEL: llvm.func @pair
  // CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32)
  // CHECK: %[[EA:.*]] = math.exp %[[A]]
  // CHECK: %[[V:.*]] = vector.from_elements %[[EA]], %[[B]] : vector<2xf32>
  // CHECK: %[[T:.*]] = llvm.fptrunc %[[V]] : vector<2xf32> to vector<2xbf16>
  // CHECK: llvm.bitcast %[[T]] : vector<2xbf16> to i32
  llvm.func @pair(%a: f32, %b: f32) -> i32 {
    %e = math.exp %a : f32
    %r = llvm.inline_asm asm_dialect = att "{ cvt.rn.bf16x2.f32 $0, $2, $1;}", "=r,f,f" %e, %b : (f32, f32) -> i32
    llvm.return %r : i32
  }

  // CHECK-LABEL: llvm.func @bits
  // CHECK-SAME: (%[[X:.*]]: i16, %[[W:.*]]: i32)
  // CHECK-DAG: %[[B:.*]] = llvm.bitcast %[[X]] : i16 to bf16
  // CHECK-DAG: %[[P:.*]] = llvm.bitcast %[[W]] : i32 to vector<2xbf16>
  // CHECK-NOT: llvm.bitcast
  // CHECK: llvm.fpext %[[B]] : bf16 to f32
  // CHECK: llvm.extractelement %[[P]]
  // CHECK: llvm.fpext
  // CHECK: llvm.extractelement %[[P]]
  // CHECK: llvm.fpext
  llvm.func @bits(%x: i16, %w: i32) -> f32 {
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %mask = llvm.mlir.constant(-65536 : i32) : i32
    %z = llvm.zext %x : i16 to i32
    %s = llvm.shl %z, %c16 : i32
    %f = llvm.bitcast %s : i32 to f32
    %l = llvm.shl %w, %c16 : i32
    %g = llvm.bitcast %l : i32 to f32
    %m = llvm.and %w, %mask : i32
    %h = llvm.bitcast %m : i32 to f32
    %e = math.exp %f : f32
    %t = llvm.fadd %e, %g : f32
    %u = llvm.fadd %t, %h : f32
    llvm.return %u : f32
  }

  // Rounding by adding half a unit to the bits, NaN apart.
  // CHECK-LABEL: llvm.func @rounded_by_bits
  // CHECK: %[[E:.*]] = math.exp
  // CHECK: %[[T:.*]] = llvm.fptrunc %[[E]] : f32 to bf16
  // CHECK: %[[R:.*]] = llvm.bitcast %[[T]] : bf16 to i16
  // CHECK: llvm.return %[[R]]
  llvm.func @rounded_by_bits(%x: f32) -> i16 {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %half = llvm.mlir.constant(32767 : i32) : i32
    %nan = llvm.mlir.constant(32704 : i16) : i16
    %e = math.exp %x : f32
    %b = llvm.bitcast %e : f32 to i32
    %u = llvm.lshr %b, %c16 : i32
    %o = llvm.and %u, %c1 : i32
    %p = llvm.add %o, %half : i32
    %q = llvm.add %p, %b : i32
    %s = llvm.lshr %q, %c16 : i32
    %t = llvm.trunc %s : i32 to i16
    %c = llvm.fcmp "uno" %e, %e : f32
    %r = llvm.select %c, %nan, %t : i1, i16
    llvm.return %r : i16
  }

  // Without the guard a NaN may become a number; half a unit too much rounds
  // ties away.
  // CHECK-LABEL: llvm.func @not_rounded_by_bits
  // CHECK-NOT: fptrunc
  // CHECK: llvm.return
  llvm.func @not_rounded_by_bits(%x: f32) -> !llvm.struct<(i16, i16)> {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %half = llvm.mlir.constant(32767 : i32) : i32
    %more = llvm.mlir.constant(32768 : i32) : i32
    %nan = llvm.mlir.constant(32704 : i16) : i16
    %e = math.exp %x : f32
    %b = llvm.bitcast %e : f32 to i32
    %u = llvm.lshr %b, %c16 : i32
    %o = llvm.and %u, %c1 : i32
    %p = llvm.add %o, %half : i32
    %q = llvm.add %p, %b : i32
    %s = llvm.lshr %q, %c16 : i32
    %t = llvm.trunc %s : i32 to i16
    %p2 = llvm.add %o, %more : i32
    %q2 = llvm.add %p2, %b : i32
    %s2 = llvm.lshr %q2, %c16 : i32
    %t2 = llvm.trunc %s2 : i32 to i16
    %c = llvm.fcmp "uno" %e, %e : f32
    %r2 = llvm.select %c, %nan, %t2 : i1, i16
    %z = llvm.mlir.poison : !llvm.struct<(i16, i16)>
    %z0 = llvm.insertvalue %t, %z[0] : !llvm.struct<(i16, i16)>
    %z1 = llvm.insertvalue %r2, %z0[1] : !llvm.struct<(i16, i16)>
    llvm.return %z1 : !llvm.struct<(i16, i16)>
  }

  // Volatile, of several instructions, rounding another way, or of other bits.
  // CHECK-LABEL: llvm.func @others
  // CHECK-COUNT-5: llvm.inline_asm
  // CHECK-NOT: fpext
  llvm.func @others(%x: i16, %f: f32, %w: i32) -> f32 {
    %a = llvm.inline_asm has_side_effects asm_dialect = att "cvt.f32.bf16 $0, $1;", "=f,h" %x : (i16) -> f32
    %b = llvm.inline_asm asm_dialect = att "{ .reg .b16 t; mov.b16 t, $1; cvt.f32.bf16 $0, t;}", "=f,h" %x : (i16) -> f32
    %c = llvm.inline_asm asm_dialect = att "cvt.rz.bf16.f32 $0, $1;", "=h,f" %f : (f32) -> i16
    %d = llvm.inline_asm asm_dialect = att "cvt.rn.relu.bf16x2.f32 $0, $2, $1;", "=r,f,f" %f, %f : (f32, f32) -> i32
    %k = llvm.inline_asm asm_dialect = att "@p cvt.f32.bf16 $0, $1;", "=f,h" %x : (i16) -> f32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %s = llvm.shl %w, %c8 : i32
    %h = llvm.bitcast %s : i32 to f32
    %e = math.exp %h : f32
    llvm.return %e : f32
  }

  // Arithmetic in 16 bits, as CUDA's headers spell it. What names no rounding may
  // be contracted.
  // CHECK-LABEL: llvm.func @arithmetic
  // CHECK-SAME: (%[[X:.*]]: i16, %[[W:.*]]: i32, %{{.*}}: f32)
  // CHECK-DAG: %[[H:.*]] = llvm.bitcast %[[X]] : i16 to f16
  // CHECK-DAG: %[[B:.*]] = llvm.bitcast %[[X]] : i16 to bf16
  // CHECK-DAG: %[[HH:.*]] = llvm.bitcast %[[W]] : i32 to vector<2xf16>
  // CHECK-DAG: %[[BB:.*]] = llvm.bitcast %[[W]] : i32 to vector<2xbf16>
  // CHECK: llvm.fneg %[[H]] : f16
  // CHECK: %[[M:.*]] = llvm.fmul %[[B]], %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : bf16
  // CHECK: llvm.fadd %[[HH]], %[[HH]] : vector<2xf16>
  // CHECK: %[[F:.*]] = llvm.intr.fma(%[[BB]], %{{.*}}, %[[BB]]) : (vector<2xbf16>, vector<2xbf16>, vector<2xbf16>)
  // CHECK: llvm.intr.maxnum(%[[F]], %[[BB]]) : (vector<2xbf16>, vector<2xbf16>)
  // CHECK: llvm.intr.maximum(%[[B]], %[[M]]) : (bf16, bf16)
  // CHECK-NOT: inline_asm
  llvm.func @arithmetic(%x: i16, %w: i32, %f: f32) -> !llvm.struct<(i16, i16, i32, i16, f32)> {
    %a = llvm.inline_asm asm_dialect = att "{neg.f16 $0,$1;\0A}", "=h,h" %x : (i16) -> i16
    %b = llvm.inline_asm asm_dialect = att "{ mul.bf16 $0,$1,$2; }\0A", "=h,h,h" %x, %a : (i16, i16) -> i16
    %c = llvm.inline_asm asm_dialect = att "{add.rn.f16x2 $0,$1,$2;\0A}", "=r,r,r" %w, %w : (i32, i32) -> i32
    %d = llvm.inline_asm asm_dialect = att "{fma.rn.bf16x2 $0,$1,$2,$3;\0A}", "=r,r,r,r" %w, %c, %w : (i32, i32, i32) -> i32
    %g = llvm.inline_asm asm_dialect = att "{ max.bf16x2 $0,$1,$2;\0A}", "=r,r,r" %d, %w : (i32, i32) -> i32
    %h = llvm.inline_asm asm_dialect = att "{ max.NaN.bf16 $0,$1,$2;\0A}", "=h,h,h" %x, %b : (i16, i16) -> i16
    %e = math.exp %f : f32
    %z = llvm.mlir.poison : !llvm.struct<(i16, i16, i32, i16, f32)>
    %z0 = llvm.insertvalue %a, %z[0] : !llvm.struct<(i16, i16, i32, i16, f32)>
    %z1 = llvm.insertvalue %b, %z0[1] : !llvm.struct<(i16, i16, i32, i16, f32)>
    %z2 = llvm.insertvalue %g, %z1[2] : !llvm.struct<(i16, i16, i32, i16, f32)>
    %z3 = llvm.insertvalue %h, %z2[3] : !llvm.struct<(i16, i16, i32, i16, f32)>
    %z4 = llvm.insertvalue %e, %z3[4] : !llvm.struct<(i16, i16, i32, i16, f32)>
    llvm.return %z4 : !llvm.struct<(i16, i16, i32, i16, f32)>
  }

  // The halves of a pair, by assembly that names them.
  // CHECK-LABEL: llvm.func @halves
  // CHECK-DAG: %[[P:.*]] = llvm.bitcast %arg0 : i32 to vector<2xf16>
  // CHECK-DAG: %[[Q:.*]] = llvm.bitcast %arg0 : i32 to vector<2xi16>
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
  // CHECK: %[[H:.*]] = llvm.extractelement %[[P]][%[[ONE]] : i64]
  // CHECK: llvm.fpext %[[H]] : f16 to f32
  // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
  // CHECK: llvm.extractelement %[[Q]][%[[ZERO]] : i64]
  // CHECK-NOT: inline_asm
  llvm.func @halves(%w: i32) -> !llvm.struct<(f32, i16)> {
    %a = llvm.inline_asm asm_dialect = att "{.reg .f16 low,high;\0A  mov.b32 {low,high},$1;\0A  cvt.f32.f16 $0, high;}\0A", "=f,r" %w : (i32) -> f32
    %b = llvm.inline_asm asm_dialect = att "{.reg .b16 low,high;\0A mov.b32 {low,high}, $1;\0A mov.b16 $0, low;}", "=h,r" %w : (i32) -> i16
    %e = math.exp %a : f32
    %z = llvm.mlir.poison : !llvm.struct<(f32, i16)>
    %z0 = llvm.insertvalue %e, %z[0] : !llvm.struct<(f32, i16)>
    %z1 = llvm.insertvalue %b, %z0[1] : !llvm.struct<(f32, i16)>
    llvm.return %z1 : !llvm.struct<(f32, i16)>
  }

  // A bf16 as the upper half of a word; not the lower half, nor with a one below.
  // CHECK-LABEL: llvm.func @upper_half
  // CHECK: %[[B:.*]] = llvm.bitcast %arg0 : i16 to bf16
  // CHECK: %[[F:.*]] = llvm.fpext %[[B]] : bf16 to f32
  // CHECK: llvm.inline_asm
  // CHECK-SAME: {$1,0}
  // CHECK: llvm.inline_asm
  // CHECK-SAME: {1,$1}
  // CHECK: math.exp %[[F]]
  llvm.func @upper_half(%x: i16) -> f32 {
    %a = llvm.inline_asm asm_dialect = att "{ mov.b32 $0, {0,$1};}\0A", "=f,h" %x : (i16) -> f32
    %b = llvm.inline_asm asm_dialect = att "{ mov.b32 $0, {$1,0};}\0A", "=f,h" %x : (i16) -> f32
    %c = llvm.inline_asm asm_dialect = att "{ mov.b32 $0, {1,$1};}\0A", "=f,h" %x : (i16) -> f32
    %e = math.exp %a : f32
    %s = llvm.fadd %b, %c : f32
    %r = llvm.fadd %e, %s : f32
    llvm.return %r : f32
  }

  // Saturating, clamping, flushing, volatile, of another width or a pair of
  // unequal halves: other instructions.
  // CHECK-LABEL: llvm.func @other_arithmetic
  // CHECK-COUNT-7: llvm.inline_asm
  // CHECK-NOT: bitcast
  llvm.func @other_arithmetic(%x: i16, %w: i32, %f: f32) -> f32 {
    %a = llvm.inline_asm asm_dialect = att "{add.sat.f16 $0,$1,$2;\0A}", "=h,h,h" %x, %x : (i16, i16) -> i16
    %b = llvm.inline_asm asm_dialect = att "{fma.rn.relu.bf16x2 $0,$1,$2,$3;\0A}", "=r,r,r,r" %w, %w, %w : (i32, i32, i32) -> i32
    %c = llvm.inline_asm asm_dialect = att "{mul.ftz.f16 $0,$1,$2;\0A}", "=h,h,h" %x, %x : (i16, i16) -> i16
    %d = llvm.inline_asm has_side_effects asm_dialect = att "{neg.f16 $0,$1;\0A}", "=h,h" %x : (i16) -> i16
    %g = llvm.inline_asm asm_dialect = att "{neg.f16x2 $0,$1;\0A}", "=h,h" %x : (i16) -> i16
    %h = llvm.inline_asm asm_dialect = att "{fma.f16 $0,$1,$2;\0A}", "=h,h,h" %x, %x : (i16, i16) -> i16
    %i = llvm.inline_asm asm_dialect = att "{.reg .f16 low,high;\0A mov.b32 {high,low}, $1;\0A mov.b16 $0, low;}", "=h,r" %w : (i32) -> i16
    %e = math.exp %f : f32
    llvm.return %e : f32
  }

  // Nothing to find later: left alone.
  // CHECK-LABEL: llvm.func @plain
  // CHECK: llvm.inline_asm
  llvm.func @plain(%x: i16) -> f32 {
    %f = llvm.inline_asm asm_dialect = att "cvt.f32.bf16 $0, $1;", "=f,h" %x : (i16) -> f32
    llvm.return %f : f32
  }

  // CHECK-LABEL: llvm.func @kept
  // CHECK: llvm.inline_asm
  llvm.func @kept(%x: i16) -> f32 attributes {poly.keep} {
    %f = llvm.inline_asm asm_dialect = att "cvt.f32.bf16 $0, $1;", "=f,h" %x : (i16) -> f32
    %e = math.exp %f : f32
    llvm.return %e : f32
  }
}
