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

// In f16, two elements at a time: max(fma(fma(h, c, b), 8, 56), 0) is one fma.
// CHECK-LABEL: gpu.module @half
gpu.module @half {
  // CHECK-LABEL: gpu.func @slices
  // CHECK-SAME: (%[[H:.*]]: vector<8xf16>, %[[C:.*]]: f16, %[[B:.*]]: f16)
  gpu.func @slices(%h: vector<8xf16>, %c: f16, %b: f16) -> vector<4xf8E4M3FN> {
    %cs = vector.broadcast %c : f16 to vector<8xf16>
    %bs = vector.broadcast %b : f16 to vector<8xf16>
    %x = math.fma %h, %cs, %bs fastmath<contract> : vector<8xf16>
    %four = vector.extract_strided_slice %x {offsets = [4], sizes = [4], strides = [1]} : vector<8xf16> to vector<4xf16>
    // CHECK-DAG: %[[EIGHT:.*]] = llvm.mlir.constant(dense<8.000000e+00> : vector<2xf16>)
    // CHECK-DAG: %[[BIAS:.*]] = llvm.mlir.constant(dense<5.600000e+01> : vector<2xf16>)
    // CHECK-DAG: %[[C2:.*]] = vector.broadcast %[[C]] : f16 to vector<2xf16>
    // CHECK-DAG: %[[B2:.*]] = vector.broadcast %[[B]] : f16 to vector<2xf16>
    // CHECK-DAG: %[[ADDEND:.*]] = llvm.intr.fma(%[[B2]], %[[EIGHT]], %[[BIAS]])
    // CHECK-DAG: %[[FACTOR:.*]] = llvm.fmul %[[C2]], %[[EIGHT]]
    // CHECK-DAG: %[[LOW:.*]] = vector.extract_strided_slice %[[H]] {offsets = [4], sizes = [2]
    // CHECK-DAG: %[[HIGH:.*]] = vector.extract_strided_slice %[[H]] {offsets = [6], sizes = [2]
    // CHECK-DAG: llvm.call_intrinsic "llvm.nvvm.fma.rn.relu.f16x2"(%[[LOW]], %[[FACTOR]], %[[ADDEND]])
    // CHECK-DAG: llvm.call_intrinsic "llvm.nvvm.fma.rn.relu.f16x2"(%[[HIGH]], %[[FACTOR]], %[[ADDEND]])
    // CHECK-NOT: math.fma
    %w = poly.apply <"exp2-lattice3-f16-e4m3x4"> %four : vector<4xf16> to vector<4xf8E4M3FN>
    gpu.return %w : vector<4xf8E4M3FN>
  }
  // Without leave to contract, the source's rounding stays.
  // CHECK-LABEL: gpu.func @strict
  gpu.func @strict(%h: vector<4xf16>, %c: vector<4xf16>, %b: vector<4xf16>) -> vector<4xf8E4M3FN> {
    // CHECK: math.fma %{{.*}} : vector<4xf16>
    %x = math.fma %h, %c, %b : vector<4xf16>
    %w = poly.apply <"exp2-lattice3-f16-e4m3x4"> %x : vector<4xf16> to vector<4xf8E4M3FN>
    gpu.return %w : vector<4xf8E4M3FN>
  }
  // 56 + 8 * 0.01 is no f16: such a sum would be rounded a second time.
  // CHECK-LABEL: gpu.func @inexact
  gpu.func @inexact(%h: vector<4xf16>) -> vector<4xf8E4M3FN> {
    // CHECK: arith.addf
    %k = arith.constant dense<0.01> : vector<4xf16>
    %x = arith.addf %h, %k fastmath<afn> : vector<4xf16>
    %w = poly.apply <"exp2-lattice3-f16-e4m3x4"> %x : vector<4xf16> to vector<4xf8E4M3FN>
    gpu.return %w : vector<4xf8E4M3FN>
  }

  // A sigmoid's one half goes into a scale and a bias that are fixed for all
  // scores: exact, so the program's certificate still holds.
  // CHECK-LABEL: gpu.func @sigmoid
  // CHECK-SAME: (%[[C:.*]]: f32, %[[B:.*]]: f32, %[[N:.*]]: index
  gpu.func @sigmoid(%c: f32, %b: f32, %n: index, %in: memref<?xf32>, %out: memref<?xf32>) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %i = %zero to %n step %one {
      // CHECK: %[[S:.*]] = memref.load
      %s = memref.load %in[%i] : memref<?xf32>
      // CHECK-NOT: math.fma
      // CHECK-DAG: %[[HB:.*]] = llvm.fmul %[[B]], %[[HALF:[^ ]*]] :
      // CHECK-DAG: %[[HC:.*]] = llvm.fmul %[[C]], %[[HALF]]
      // CHECK: %[[H:.*]] = llvm.intr.fma(%[[S]], %[[HC]], %[[HB]])
      // CHECK-NEXT: %[[T:.*]] = {{.*}}tanh.approx{{.*}}%[[H]]
      %x = math.fma %s, %c, %b fastmath<contract> : f32
      %y = poly.apply <"sigmoid-tanh32-f32"> %x : f32 to f32
      memref.store %y, %out[%i] : memref<?xf32>
    }
    gpu.return
  }
}
