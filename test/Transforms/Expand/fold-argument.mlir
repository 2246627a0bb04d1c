// RUN: poly-opt %s --poly-expand --canonicalize --cse | FileCheck %s

// What scales a score becomes part of the exponential's own fma. Constants that
// others read stay as they are.

gpu.module @m {
  // s * 0.5, then fma(x, 128, magic): one fma by 64.
  // CHECK-LABEL: gpu.func @scaled
  // CHECK-SAME: (%[[S:.*]]: f32)
  gpu.func @scaled(%s: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %x = arith.mulf %s, %half fastmath<contract> : f32
    // CHECK-DAG: %[[K:.*]] = llvm.mlir.constant(6.400000e+01 : f32)
    // CHECK-DAG: %[[M:.*]] = llvm.mlir.constant(0x4B403F80 : f32)
    // CHECK: llvm.intr.fma(%[[S]], %[[K]], %[[M]])
    // CHECK-NOT: arith.mulf
    %v = vector.from_elements %x, %x : vector<2xf32>
    %w = poly.apply <"exp2-lattice7bare-f32-bf16x2"> %v : vector<2xf32> to vector<2xbf16>
    %first = vector.extract %w[0] : bf16 from vector<2xbf16>
    %r = arith.extf %first : bf16 to f32
    gpu.return %r : f32
  }

  // One tile holds the whole row, or the rescale uses the rounded maximum: then
  // the row's addend may be rounded to the lattice.
  // CHECK-LABEL: gpu.func @rounded
  // CHECK-SAME: (%[[S:.*]]: f32, %[[C:.*]]: f32, %[[B:.*]]: f32)
  gpu.func @rounded(%s: f32, %c: f32, %b: f32) -> bf16 attributes {poly.round_offsets} {
    %x = math.fma %s, %c, %b fastmath<contract> : f32
    // CHECK: %[[BS:.*]] = llvm.intr.fma(%[[B]],
    // CHECK: %[[CS:.*]] = llvm.fmul %[[C]],
    // CHECK: llvm.intr.fma(%[[S]], %[[CS]], %[[BS]])
    // CHECK-NOT: math.fma
    %w = poly.apply <"exp2-lattice7bare-f32-bf16x2"> %x : f32 to bf16
    gpu.return %w : bf16
  }

  // fma(s, c, b) into fma.sat: the row's addend is scaled once for all lanes, and
  // c and b themselves are untouched for the correction that reads them.
  // CHECK-LABEL: gpu.func @row
  // CHECK-SAME: (%[[S0:.*]]: f32, %[[S1:.*]]: f32, %[[C:.*]]: f32, %[[B:.*]]: f32)
  gpu.func @row(%s0: f32, %s1: f32, %c: f32, %b: f32) -> (vector<2xbf16>, f32) {
    %x0 = math.fma %s0, %c, %b fastmath<contract> : f32
    %x1 = math.fma %s1, %c, %b fastmath<contract> : f32
    // CHECK: %[[BS:.*]] = llvm.intr.fma(%[[B]],
    // CHECK: %[[CS:.*]] = llvm.fmul %[[C]],
    // CHECK: "llvm.nvvm.fma.rn.sat.f"(%[[S0]], %[[CS]], %[[BS]])
    // CHECK: "llvm.nvvm.fma.rn.sat.f"(%[[S1]], %[[CS]], %[[BS]])
    // CHECK-NOT: math.fma
    %v = vector.from_elements %x0, %x1 : vector<2xf32>
    %w = poly.apply <"exp2-lattice7sat-f32-bf16x2"> %v : vector<2xf32> to vector<2xbf16>
    // CHECK: arith.mulf %[[C]], %[[B]]
    %correction = arith.mulf %c, %b : f32
    gpu.return %w, %correction : vector<2xbf16>, f32
  }
}
