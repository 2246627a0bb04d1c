; A maximum that crosses warps through shared memory by predicated assembly, as
; Triton writes it: volatile assembly passes through the import, and the proof
; still reads it.
; RUN: poly-compile %s -o %t.ll --chip=sm_90 --policy=opt-in --table 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@dynamic = external addrspace(3) global [0 x i8], align 16

; CHECK: warps {{ *}}softmax_exp
; CHECK-NOT: fenced {{ *}}softmax_exp
; CHECK: minding_nan {{ *}}softmax_exp
; CHECK: of_the_smaller {{ *}}exp2
define ptx_kernel void @warps(float %x, ptr addrspace(1) %out) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr addrspace(3) @dynamic, i32 %tid
  %v = bitcast float %x to <1 x i32>
  call void asm sideeffect "@$2 st.shared.b32 [ $0 + 0 ], $1;", "r,r,b"(ptr addrspace(3) %at, <1 x i32> %v, i1 true)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = xor i32 %tid, 1
  %there = getelementptr float, ptr addrspace(3) @dynamic, i32 %other
  %l = call i32 asm sideeffect "@$2 ld.shared.b32 $0, [ $1 + 0 ];", "=r,r,b"(ptr addrspace(3) %there, i1 true)
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %l, i32 1, i32 31)
  %bf = bitcast i32 %b to float
  %lf = bitcast i32 %l to float
  %m = call float @llvm.maxnum.f32(float %lf, float %bf)
  %d = fsub float %x, %m
  %k = fmul float %d, 0x3FF7154760000000
  %e = call float @llvm.nvvm.ex2.approx.f32(float %k)
  store float %e, ptr addrspace(1) %out
  ret void
}

; Assembly that may store anything, between the store and the load.
define ptx_kernel void @fenced(float %x, ptr addrspace(1) %out) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr addrspace(3) @dynamic, i32 %tid
  %v = bitcast float %x to <1 x i32>
  call void asm sideeffect "@$2 st.shared.b32 [ $0 + 0 ], $1;", "r,r,b"(ptr addrspace(3) %at, <1 x i32> %v, i1 true)
  call void asm sideeffect "st.async.b32 [$0], $1; // ld.shared.b32", "r,r"(ptr addrspace(3) %at, i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = xor i32 %tid, 1
  %there = getelementptr float, ptr addrspace(3) @dynamic, i32 %other
  %l = call i32 asm sideeffect "@$2 ld.shared.b32 $0, [ $1 + 0 ];", "=r,r,b"(ptr addrspace(3) %there, i1 true)
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %l, i32 1, i32 31)
  %bf = bitcast i32 %b to float
  %lf = bitcast i32 %l to float
  %m = call float @llvm.maxnum.f32(float %lf, float %bf)
  %d = fsub float %x, %m
  %k = fmul float %d, 0x3FF7154760000000
  %e = call float @llvm.nvvm.ex2.approx.f32(float %k)
  store float %e, ptr addrspace(1) %out
  ret void
}

; Maxima as comparisons that mind NaN, the selection made on bits, which are
; stored as a vector of one.
define ptx_kernel void @minding_nan(float %x, ptr addrspace(1) %out) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr addrspace(3) @dynamic, i32 %tid
  %x.bits = bitcast float %x to i32
  %y.bits = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x.bits, i32 2, i32 31)
  %y = bitcast i32 %y.bits to float
  %order = fcmp ogt float %x, %y
  %nan = fcmp uno float %x, 0.000000e+00
  %either = or i1 %order, %nan
  %m.bits = select i1 %either, i32 %x.bits, i32 %y.bits
  %word = insertelement <1 x i32> poison, i32 %m.bits, i64 0
  store <1 x i32> %word, ptr addrspace(3) %at, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = xor i32 %tid, 1
  %there = getelementptr float, ptr addrspace(3) @dynamic, i32 %other
  %l = load i32, ptr addrspace(3) %there, align 4
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %l, i32 1, i32 31)
  %lf = bitcast i32 %l to float
  %bf = bitcast i32 %b to float
  %order2 = fcmp ogt float %lf, %bf
  %nan2 = fcmp uno float %lf, 0.000000e+00
  %either2 = or i1 %nan2, %order2
  %m = select i1 %either2, float %lf, float %bf
  %d = fsub float %x, %m
  %k = fmul float %d, 0x3FF7154760000000
  %e = call float @llvm.nvvm.ex2.approx.f32(float %k)
  store float %e, ptr addrspace(1) %out
  ret void
}

; The smaller of two scores is stored.
define ptx_kernel void @of_the_smaller(float %x, ptr addrspace(1) %out) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr addrspace(3) @dynamic, i32 %tid
  %x.bits = bitcast float %x to i32
  %y.bits = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x.bits, i32 2, i32 31)
  %y = bitcast i32 %y.bits to float
  %order = fcmp olt float %x, %y
  %nan = fcmp uno float %x, 0.000000e+00
  %either = or i1 %order, %nan
  %m.bits = select i1 %either, i32 %x.bits, i32 %y.bits
  %word = insertelement <1 x i32> poison, i32 %m.bits, i64 0
  store <1 x i32> %word, ptr addrspace(3) %at, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = xor i32 %tid, 1
  %there = getelementptr float, ptr addrspace(3) @dynamic, i32 %other
  %l = load i32, ptr addrspace(3) %there, align 4
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %l, i32 1, i32 31)
  %lf = bitcast i32 %l to float
  %bf = bitcast i32 %b to float
  %order2 = fcmp ogt float %lf, %bf
  %nan2 = fcmp uno float %lf, 0.000000e+00
  %either2 = or i1 %nan2, %order2
  %m = select i1 %either2, float %lf, float %bf
  %d = fsub float %x, %m
  %k = fmul float %d, 0x3FF7154760000000
  %e = call float @llvm.nvvm.ex2.approx.f32(float %k)
  store float %e, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "nvvm.reqntid"="64" }

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.nvvm.ex2.approx.f32(float)
