; LLVM's vectorizer puts parts of two scalars' work into lanes, and libdevice
; asks whether subnormals are flushed: both are settled before anything is looked
; for, in functions in which something is replaced.
; RUN: poly-compile %s -o %t.ll --chip=sm_90 --policy=opt-in --budget=atol=1e-3 --table 2>&1 | FileCheck %s --check-prefix=TABLE
; RUN: FileCheck %s --input-file=%t.ll
; RUN: poly-compile %s -o %t-off.ll --chip=sm_90 --policy=off
; RUN: FileCheck %s --input-file=%t-off.ll --check-prefix=OFF
target triple = "nvptx64-nvidia-cuda"

@.str = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00"
@.other = private unnamed_addr constant [12 x i8] c"__CUDA_ARCH\00"

declare i32 @__nvvm_reflect(ptr)
declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)

; TABLE-COUNT-2: lanes {{ *}}sigmoid {{ *}}applied
; TABLE: asked {{ *}}silu {{ *}}applied
; TABLE-NOT: other

; CHECK-LABEL: define ptx_kernel void @lanes
; CHECK-NOT: fdiv
; CHECK: ret void
; OFF-LABEL: define ptx_kernel void @lanes
; OFF: fdiv <2 x float>
define ptx_kernel void @lanes(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load <2 x float>, ptr addrspace(1) %in, align 8
  %x0 = extractelement <2 x float> %x, i64 0
  %x1 = extractelement <2 x float> %x, i64 1
  %n0 = fmul float %x0, 0xBFF7154760000000
  %n1 = fmul float %x1, 0xBFF7154760000000
  %e0 = call float @llvm.nvvm.ex2.approx.f(float %n0)
  %e1 = call float @llvm.nvvm.ex2.approx.f(float %n1)
  %v0 = insertelement <2 x float> poison, float %e0, i64 0
  %v1 = insertelement <2 x float> %v0, float %e1, i64 1
  %d = fadd <2 x float> %v1, splat (float 1.0)
  %s = fdiv <2 x float> splat (float 1.0), %d
  store <2 x float> %s, ptr addrspace(1) %out, align 8
  ret void
}

; CHECK-LABEL: define ptx_kernel void @asked
; CHECK-NOT: reflect
; CHECK: ret void
; OFF-LABEL: define ptx_kernel void @asked
; OFF: @__nvvm_reflect
define ptx_kernel void @asked(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load float, ptr addrspace(1) %in
  %n = fmul float %x, 0xBFF7154760000000
  %flush = call i32 @__nvvm_reflect(ptr @.str)
  %no = icmp eq i32 %flush, 0
  br i1 %no, label %ieee, label %ftz

ftz:
  %a = call float @llvm.nvvm.ex2.approx.ftz.f(float %n)
  br label %done

ieee:
  %b = call float @llvm.nvvm.ex2.approx.f(float %n)
  br label %done

done:
  %e = phi float [ %a, %ftz ], [ %b, %ieee ]
  %d = fadd float %e, 1.0
  %s = fdiv float %x, %d
  store float %s, ptr addrspace(1) %out
  ret void
}

; Nothing is replaced: it keeps its lanes and its question. Other questions are
; not answered.
; CHECK-LABEL: define ptx_kernel void @other
; CHECK: call i32 @__nvvm_reflect(ptr @.other)
; CHECK: call i32 @__nvvm_reflect(ptr @.str)
; CHECK: fadd <2 x float>
define ptx_kernel void @other(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load <2 x float>, ptr addrspace(1) %in, align 8
  %arch = call i32 @__nvvm_reflect(ptr @.other)
  %flush = call i32 @__nvvm_reflect(ptr @.str)
  %sum = add i32 %arch, %flush
  %f = sitofp i32 %sum to float
  %v0 = insertelement <2 x float> poison, float %f, i64 0
  %v1 = insertelement <2 x float> %v0, float 1.0, i64 1
  %d = fadd <2 x float> %v1, %x
  store <2 x float> %d, ptr addrspace(1) %out, align 8
  ret void
}
