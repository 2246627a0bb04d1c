// RUN: poly-opt %s --poly-expand | FileCheck %s

gpu.module @m {
  // A lone element: half the special function work, the same instructions for
  // the lane, and a zero beside it.
  // CHECK-LABEL: gpu.func @lone
  // CHECK-SAME: (%[[X:.*]]: bf16, %[[F:.*]]: f32)
  gpu.func @lone(%x: bf16, %f: f32) -> (bf16, bf16) {
    // CHECK-COUNT-1: ex2.approx
    // CHECK-NOT: ex2.approx
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[Z:[^,]*]], %{{.*}})
    // CHECK: %[[A:.*]] = vector.extract %{{.*}}[0] : bf16
    %0 = poly.apply <"silu-ex2poly-bf16x2"> %x : bf16 to bf16
    // CHECK-COUNT-1: ex2.approx
    // CHECK-NOT: ex2.approx
    // CHECK: %[[B:.*]] = vector.extract %{{.*}}[0] : bf16
    // CHECK: gpu.return %[[A]], %[[B]]
    %1 = poly.apply <"silu-ex2poly-f32-bf16x2"> %f : f32 to bf16
    gpu.return %0, %1 : bf16, bf16
  }
}
