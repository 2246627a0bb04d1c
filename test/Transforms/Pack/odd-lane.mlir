// RUN: poly-opt %s --poly-pack | FileCheck %s

gpu.module @m {
  // Pairs of a vector, the odd lane by the scalar form, no lane invented; each
  // result goes back to its own place.
  // CHECK-LABEL: gpu.func @odd
  // CHECK-SAME: (%[[X:.*]]: vector<5xbf16>)
  gpu.func @odd(%x: vector<5xbf16>) -> vector<5xbf16> {
    // CHECK: %[[P0:.*]] = vector.extract_strided_slice %[[X]] {offsets = [0], sizes = [2]
    // CHECK: %[[R0:.*]] = poly.apply <"silu-half3-bf16x2"> %[[P0]] : vector<2xbf16> to vector<2xbf16>
    // CHECK: %[[P1:.*]] = vector.extract_strided_slice %[[X]] {offsets = [2], sizes = [2]
    // CHECK: %[[R1:.*]] = poly.apply <"silu-half3-bf16x2"> %[[P1]]
    // CHECK: %[[L:.*]] = vector.extract %[[X]][4]
    // CHECK: %[[E:.*]] = poly.apply <"silu-half3-bf16x2"> %[[L]] : bf16 to bf16
    // CHECK: %[[A:.*]] = vector.extract %[[R0]][0]
    // CHECK: %[[B:.*]] = vector.extract %[[R0]][1]
    // CHECK: %[[C:.*]] = vector.extract %[[R1]][0]
    // CHECK: %[[D:.*]] = vector.extract %[[R1]][1]
    // CHECK: %[[Y:.*]] = vector.from_elements %[[A]], %[[B]], %[[C]], %[[D]], %[[E]] : vector<5xbf16>
    // CHECK: gpu.return %[[Y]]
    %y = poly.silu %x program <"silu-half3-bf16x2"> : vector<5xbf16>
    gpu.return %y : vector<5xbf16>
  }
}
