// RUN: poly-opt %s --poly-raise | FileCheck %s

// Maxima through shared memory as compilers of CUDA and Triton write it.

module attributes {llvm.target_triple = "nvptx64-nvidia-cuda"} {
  llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @fixed() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2 x f32>

  // Stores and loads under a predicate, in assembly.
  // CHECK-LABEL: llvm.func ptx_kernelcc @predicated
  // CHECK:         poly.exp {{.*}} {bound = 0.000000e+00 : f64, poly.kind = "softmax_exp", role = #poly.exp_role<weight>}
  llvm.func ptx_kernelcc @predicated(%x: f32, %out: !llvm.ptr<1>) attributes {passthrough = ["convergent", ["nvvm.reqntid", "64"]]} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %mem = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %at = llvm.getelementptr %mem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %yes = llvm.mlir.constant(true) : i1
    %v = llvm.bitcast %x : f32 to vector<1xi32>
    %s = llvm.inline_asm has_side_effects "@$2 st.shared.b32 [ $0 + 0 ], $1;", "r,r,b" %at, %v, %yes : (!llvm.ptr<3>, vector<1xi32>, i1) -> !llvm.void
    llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%c0) : (i32) -> ()
    %other = llvm.xor %tid, %c1 : i32
    %there = llvm.getelementptr %mem[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %l = llvm.inline_asm has_side_effects "@$2 ld.shared.b32 $0, [ $1 + 0 ];", "=r,r,b" %there, %yes : (!llvm.ptr<3>, i1) -> i32
    %b = llvm.call_intrinsic "llvm.nvvm.shfl.sync.bfly.i32"(%all, %l, %c1, %c31) : (i32, i32, i32, i32) -> i32
    %bf = llvm.bitcast %b : i32 to f32
    %lf = llvm.bitcast %l : i32 to f32
    %max = llvm.intr.maxnum(%lf, %bf) : (f32, f32) -> f32
    %d = llvm.fsub %x, %max : f32
    %e = llvm.intr.exp(%d) : (f32) -> f32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %e, %to : f32, !llvm.ptr<1>
    llvm.return
  }

  // The same without the shuffle: a thread reads its neighbour's score only.
  // CHECK-LABEL: llvm.func ptx_kernelcc @of_the_neighbour
  // CHECK-NOT:     bound
  // CHECK:         poly.exp {{.*}}role = #poly.exp_role<weight>}
  llvm.func ptx_kernelcc @of_the_neighbour(%x: f32, %out: !llvm.ptr<1>) attributes {passthrough = [["nvvm.reqntid", "64"]]} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %mem = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %at = llvm.getelementptr %mem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %x, %at : f32, !llvm.ptr<3>
    nvvm.barrier0
    %other = llvm.xor %tid, %c1 : i32
    %there = llvm.getelementptr %mem[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %max = llvm.load %there : !llvm.ptr<3> -> f32
    %d = llvm.fsub %x, %max : f32
    %e = llvm.intr.exp(%d) : (f32) -> f32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %e, %to : f32, !llvm.ptr<1>
    llvm.return
  }

  // One lane stores in a block of its own, after a loop.
  // CHECK-LABEL: llvm.func ptx_kernelcc @branches
  // CHECK:         poly.exp {{.*}} {bound = 0.000000e+00 : f64, poly.kind = "softmax_exp", role = #poly.exp_role<weight>}
  llvm.func ptx_kernelcc @branches(%x: f32, %n: i32, %out: !llvm.ptr<1>) attributes {nvvm.reqntid = array<i32: 2>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %mem = llvm.mlir.addressof @fixed : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %next = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %next, %n : i32
    llvm.cond_br %more, ^loop(%next : i32), ^after
  ^after:
    %s = nvvm.shfl.sync bfly %all, %x, %c1, %c31 : f32 -> f32
    %m = llvm.intr.maxnum(%x, %s) : (f32, f32) -> f32
    %isFirst = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %isFirst, ^store, ^wait
  ^store:
    llvm.store %m, %mem : f32, !llvm.ptr<3>
    llvm.br ^wait
  ^wait:
    nvvm.barrier0
    %max = llvm.load %mem : !llvm.ptr<3> -> f32
    %d = llvm.fsub %x, %max : f32
    %e = llvm.intr.exp(%d) : (f32) -> f32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %e, %to : f32, !llvm.ptr<1>
    llvm.return
  }
}
