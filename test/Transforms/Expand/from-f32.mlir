// RUN: poly-opt %s --poly-expand | FileCheck %s

gpu.module @m {
  // f32 lanes are packed by one conversion, lane 1 in the upper half.
  // CHECK-LABEL: gpu.func @from_f32
  // CHECK-SAME: (%[[X:.*]]: vector<2xf32>)
  gpu.func @from_f32(%x: vector<2xf32>) -> vector<2xbf16> {
    // CHECK: %[[LO:.*]] = vector.extract %[[X]][0]
    // CHECK: %[[HI:.*]] = vector.extract %[[X]][1]
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[HI]], %[[LO]])
    %0 = poly.apply <"tanh-half3-f32-bf16x2"> %x : vector<2xf32> to vector<2xbf16>
    gpu.return %0 : vector<2xbf16>
  }
}
