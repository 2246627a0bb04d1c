// RUN: poly-opt %s --poly-pack | FileCheck %s

gpu.module @m {
  // Scalars of one block share an evaluation; lane k goes back to element k.
  // CHECK-LABEL: gpu.func @pair
  // CHECK-SAME: (%[[A:.*]]: bf16, %[[B:.*]]: bf16, %[[C:.*]]: bf16)
  gpu.func @pair(%a: bf16, %b: bf16, %c: bf16) -> (bf16, bf16, bf16) {
    // CHECK: %[[P:.*]] = vector.from_elements %[[A]], %[[B]]
    // CHECK: %[[R:.*]] = poly.apply <"sigmoid-half3-bf16x2"> %[[P]]
    // CHECK: %[[RA:.*]] = vector.extract %[[R]][0]
    // CHECK: %[[RB:.*]] = vector.extract %[[R]][1]
    // CHECK: %[[RC:.*]] = poly.apply <"sigmoid-half3-bf16x2"> %[[C]] : bf16 to bf16
    // CHECK: gpu.return %[[RA]], %[[RB]], %[[RC]]
    %0 = poly.sigmoid %a program <"sigmoid-half3-bf16x2"> : bf16
    %1 = poly.sigmoid %b program <"sigmoid-half3-bf16x2"> : bf16
    %2 = poly.sigmoid %c program <"sigmoid-half3-bf16x2"> : bf16
    gpu.return %0, %1, %2 : bf16, bf16, bf16
  }
}
