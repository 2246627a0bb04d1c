; An inlined tanhf in a kernel: with permission, one instruction takes the place
; of both its branches; without it, nothing changes.
; RUN: poly-compile %s -o %t.ll --policy=opt-in --budget=atol=1e-3
; RUN: FileCheck %s --input-file=%t.ll
; RUN: poly-compile %s -o %t-strict.ll
; RUN: FileCheck %s --input-file=%t-strict.ll --check-prefix=STRICT
; RUN: poly-compile %s -o %t.ptx --policy=opt-in --budget=atol=1e-3
; RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX

; CHECK-LABEL: define ptx_kernel void @softcap
; CHECK-NOT: br
; CHECK: asm "tanh.approx.f32 $0, $1;"
; CHECK-NOT: {{br |ex2.approx|rcp.approx}}
; CHECK: ret void

; STRICT-NOT: tanh.approx
; STRICT: br i1 %small, label %poly, label %big

; PTX: .entry softcap
; PTX-NOT: bra
; PTX: tanh.approx.f32
; PTX-NOT: {{bra|ex2|rcp}}
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @softcap(ptr addrspace(1) %p) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr addrspace(1) %p, i32 %i
  %score = load float, ptr addrspace(1) %at
  %x = fmul float %score, 0x3FA99999A0000000
  %abs = call float @llvm.nvvm.fabs.f32(float %x)
  %small = fcmp ult float %abs, 0x3FE3333340000000
  br i1 %small, label %poly, label %big

big:
  %scaled = fmul float %abs, 0x4007154760000000
  %e = call float @llvm.nvvm.ex2.approx.ftz.f(float %scaled)
  %d = fadd float %e, 1.000000e+00
  %r = call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %d)
  %q = call float @llvm.fma.f32(float %r, float -2.000000e+00, float 1.000000e+00)
  %huge = fcmp oge float %abs, 0x4022059680000000
  %s = select i1 %huge, float 1.000000e+00, float %q
  %tbig = call float @llvm.copysign.f32(float %s, float %x)
  br label %done

poly:
  %x2 = fmul float %x, %x
  %p0 = call float @llvm.fma.f32(float 0x3F901E1040000000, float %x2, float 0xBFAAC795C0000000)
  %p1 = call float @llvm.fma.f32(float %p0, float %x2, float 0x3FC10B2820000000)
  %p2 = call float @llvm.fma.f32(float %p1, float %x2, float 0xBFD5553DA0000000)
  %p3 = call float @llvm.fma.f32(float %p2, float %x2, float 0.000000e+00)
  %tsmall = call float @llvm.fma.f32(float %p3, float %x, float %x)
  br label %done

done:
  %t = phi float [ %tbig, %big ], [ %tsmall, %poly ]
  %y = fmul float %t, 2.000000e+01
  store float %y, ptr addrspace(1) %at
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.fabs.f32(float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
