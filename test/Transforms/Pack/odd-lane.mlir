// RUN: poly-opt %s --poly-pack | FileCheck %s

gpu.module @m {
  // Pairs of a vector, the odd lane by the scalar form, no lane invented.
  // CHECK-LABEL: gpu.func @odd
  // CHECK-SAME: (%[[X:.*]]: vector<5xbf16>)
  gpu.func @odd(%x: vector<5xbf16>) -> vector<5xbf16> {
    // CHECK: %[[P0:.*]] = vector.extract_strided_slice %[[X]] {offsets = [0], sizes = [2]
    // CHECK: %[[R0:.*]] = poly.apply <"silu-half3-bf16x2"> %[[P0]] : vector<2xbf16> to vector<2xbf16>
    // CHECK: %[[A:.*]] = vector.insert_strided_slice %[[R0]], %{{.*}} {offsets = [0]
    // CHECK: %[[P1:.*]] = vector.extract_strided_slice %[[X]] {offsets = [2], sizes = [2]
    // CHECK: %[[R1:.*]] = poly.apply <"silu-half3-bf16x2"> %[[P1]]
    // CHECK: %[[B:.*]] = vector.insert_strided_slice %[[R1]], %[[A]] {offsets = [2]
    // CHECK: %[[E:.*]] = vector.extract %[[X]][4]
    // CHECK: %[[L:.*]] = poly.apply <"silu-half3-bf16x2"> %[[E]] : bf16 to bf16
    // CHECK: %[[C:.*]] = vector.insert %[[L]], %[[B]] [4]
    // CHECK: gpu.return %[[C]]
    %y = poly.silu %x program <"silu-half3-bf16x2"> : vector<5xbf16>
    gpu.return %y : vector<5xbf16>
  }
}
