// RUN: poly-opt %s --poly-expand | FileCheck %s

// The instruction that gives a result stands where that is used, the rest where
// the evaluation is, if an op with effects is in between: what the op waits for
// may still read the result's register.

gpu.module @m {
  // CHECK-LABEL: gpu.func @conversion
  gpu.func @conversion(%x: vector<2xf32>) -> bf16 {
    // CHECK: %[[A:.*]] = llvm.inline_asm {{.*}}tanh.approx.f32
    // CHECK: %[[B:.*]] = llvm.inline_asm {{.*}}tanh.approx.f32
    // CHECK-NOT: ff2bf16x2
    // CHECK: gpu.barrier
    // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[B]], %[[A]])
    // CHECK: vector.extract %[[R]][0]
    %0 = poly.apply <"tanh-tanh32-f32-bf16x2"> %x : vector<2xf32> to vector<2xbf16>
    gpu.barrier
    %r = vector.extract %0[0] : bf16 from vector<2xbf16>
    gpu.return %r : bf16
  }

  // A lattice's last instruction is an integer one; the cast to lanes is none.
  // CHECK-LABEL: gpu.func @integers
  gpu.func @integers(%x: vector<2xf32>) -> bf16 {
    // CHECK: llvm.intr.fma
    // CHECK: gpu.barrier
    // CHECK-NEXT: %[[W:.*]] = llvm.{{shl|add}}
    // CHECK-NEXT: %[[R:.*]] = llvm.bitcast %[[W]] : i32 to vector<2xbf16>
    // CHECK-NEXT: vector.extract %[[R]][0]
    %0 = poly.apply <"exp2-h15bare-f32-bf16x2"> %x : vector<2xf32> to vector<2xbf16>
    gpu.barrier
    %r = vector.extract %0[0] : bf16 from vector<2xbf16>
    gpu.return %r : bf16
  }

  // CHECK-LABEL: gpu.func @lone
  gpu.func @lone(%x: f32) -> bf16 {
    // CHECK: tanh.approx.f32
    // CHECK-NOT: ff2bf16x2
    // CHECK: gpu.barrier
    // CHECK: ff2bf16x2
    %0 = poly.apply <"tanh-tanh32-f32-bf16x2"> %x : f32 to bf16
    gpu.barrier
    %r = arith.negf %0 : bf16
    gpu.return %r : bf16
  }

  // Each block that uses it has its own.
  // CHECK-LABEL: gpu.func @blocks
  gpu.func @blocks(%x: vector<2xf32>, %c: i1) -> vector<2xbf16> {
    // CHECK-COUNT-2: tanh.approx.f32
    // CHECK-NOT: ff2bf16x2
    // CHECK: scf.if
    // CHECK: ff2bf16x2
    // CHECK: else
    // CHECK: ff2bf16x2
    %0 = poly.apply <"tanh-tanh32-f32-bf16x2"> %x : vector<2xf32> to vector<2xbf16>
    %r = scf.if %c -> vector<2xbf16> {
      %a = arith.negf %0 : vector<2xbf16>
      scf.yield %a : vector<2xbf16>
    } else {
      scf.yield %0 : vector<2xbf16>
    }
    gpu.return %r : vector<2xbf16>
  }

  // Arithmetic in between fixes nothing.
  // CHECK-LABEL: gpu.func @pure
  gpu.func @pure(%x: vector<2xf32>, %y: f32) -> (vector<2xbf16>, f32) {
    // CHECK: ff2bf16x2
    // CHECK: arith.addf
    %0 = poly.apply <"tanh-tanh32-f32-bf16x2"> %x : vector<2xf32> to vector<2xbf16>
    %z = arith.addf %y, %y : f32
    gpu.return %0, %z : vector<2xbf16>, f32
  }
}
