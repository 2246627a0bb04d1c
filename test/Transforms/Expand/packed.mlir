// RUN: poly-opt %s --poly-expand | FileCheck %s

gpu.module @m {
  // One op per instruction, constants once at the top of the kernel.
  // CHECK-LABEL: gpu.func @packed
  // CHECK-SAME: (%[[X:.*]]: vector<2xbf16>, %[[Y:.*]]: vector<2xbf16>)
  gpu.func @packed(%x: vector<2xbf16>, %y: vector<2xbf16>) -> (vector<2xbf16>, vector<2xbf16>) {
    // CHECK: %[[C:.*]] = llvm.call_intrinsic "llvm.nvvm.fmin.nan.xorsign.abs.bf16x2"(%[[X]], %{{.*}})
    // CHECK: %[[T:.*]] = llvm.call_intrinsic "llvm.fabs"(%[[C]])
    // CHECK: %[[Q:.*]] = llvm.intr.fma(%{{.*}}) : (vector<2xbf16>, vector<2xbf16>, vector<2xbf16>) -> vector<2xbf16>
    // CHECK: %[[Q2:.*]] = llvm.intr.fma(%{{.*}})
    // CHECK: llvm.call_intrinsic "llvm.nvvm.fma.rn.relu.bf16x2"
    // CHECK-NOT: llvm.mlir.constant
    // CHECK: llvm.call_intrinsic "llvm.nvvm.fma.rn.relu.bf16x2"
    // CHECK-NOT: {{poly|llvm.mlir.constant}}
    %0 = poly.apply <"sigmoid-half3-bf16x2"> %x : vector<2xbf16> to vector<2xbf16>
    %1 = poly.apply <"sigmoid-half3-bf16x2"> %y : vector<2xbf16> to vector<2xbf16>
    gpu.return %0, %1 : vector<2xbf16>, vector<2xbf16>
  }
}
