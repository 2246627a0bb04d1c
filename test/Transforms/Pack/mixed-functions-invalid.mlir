// RUN: poly-opt %s --poly-pack | FileCheck %s

gpu.module @m {
  // One program each: silu and tanh are not paired.
  // CHECK-LABEL: gpu.func @mixed
  // CHECK-SAME: (%[[A:.*]]: bf16, %[[B:.*]]: bf16)
  gpu.func @mixed(%a: bf16, %b: bf16) -> (bf16, bf16) {
    // CHECK: poly.apply <"silu-half3-bf16x2"> %[[A]] : bf16 to bf16
    // CHECK: poly.apply <"tanh-half3-bf16x2"> %[[B]] : bf16 to bf16
    %0 = poly.silu %a program <"silu-half3-bf16x2"> : bf16
    %1 = poly.tanh %b program <"tanh-half3-bf16x2"> : bf16
    gpu.return %0, %1 : bf16, bf16
  }
}
