; Two inlined tanhf whose guards a vectoriser paired: each lane is one.
; RUN: poly-compile %s -o %t.ll --chip=sm_90 --policy=opt-in --budget=atol=1e-2 --table 2>&1 | FileCheck %s --check-prefix=TABLE
; RUN: FileCheck %s --input-file=%t.ll
target triple = "nvptx64-nvidia-cuda"

@.str = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00"

; TABLE-COUNT-2: tanh_derivative {{ *}}dtanh {{ *}}applied
; TABLE-NOT: elsewhere {{ *}}dtanh

; CHECK-LABEL: define ptx_kernel void @tanh_derivative
; CHECK-NOT: {{rcp.approx|fcmp}}
; CHECK: ret void
define ptx_kernel void @tanh_derivative(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %word = load i32, ptr addrspace(1) %in, align 4
  %pair = bitcast i32 %word to <2 x bfloat>
  %x = fpext <2 x bfloat> %pair to <2 x float>
  %x0 = extractelement <2 x float> %x, i64 0
  %abs0 = call float @llvm.nvvm.fabs.f32(float %x0)
  %scaled0 = fmul float %abs0, 0x4007154760000000
  %e0 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %scaled0)
  %d0 = fadd float %e0, 1.000000e+00
  %r0 = call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %d0)
  %big0 = call float @llvm.fma.f32(float %r0, float -2.000000e+00, float 1.000000e+00)
  %flushed0 = call float @llvm.nvvm.fma.rn.ftz.f(float %r0, float -2.000000e+00, float 1.000000e+00)
  %s0 = fmul float %x0, %x0
  %p0 = call float @llvm.fma.f32(float 0x3F901E1040000000, float %s0, float 0xBFAAC795C0000000)
  %q0 = call float @llvm.fma.f32(float %p0, float %s0, float 0x3FC10B2820000000)
  %t0 = call float @llvm.fma.f32(float %q0, float %s0, float 0xBFD5553DA0000000)
  %u0 = call float @llvm.fma.f32(float %t0, float %s0, float 0.000000e+00)
  %small0 = call float @llvm.fma.f32(float %u0, float %x0, float %x0)
  %asked0 = call i32 @__nvvm_reflect(ptr @.str)
  %x1 = extractelement <2 x float> %x, i64 1
  %abs1 = call float @llvm.nvvm.fabs.f32(float %x1)
  %scaled1 = fmul float %abs1, 0x4007154760000000
  %e1 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %scaled1)
  %d1 = fadd float %e1, 1.000000e+00
  %r1 = call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %d1)
  %big1 = call float @llvm.fma.f32(float %r1, float -2.000000e+00, float 1.000000e+00)
  %flushed1 = call float @llvm.nvvm.fma.rn.ftz.f(float %r1, float -2.000000e+00, float 1.000000e+00)
  %s1 = fmul float %x1, %x1
  %p1 = call float @llvm.fma.f32(float 0x3F901E1040000000, float %s1, float 0xBFAAC795C0000000)
  %q1 = call float @llvm.fma.f32(float %p1, float %s1, float 0x3FC10B2820000000)
  %t1 = call float @llvm.fma.f32(float %q1, float %s1, float 0xBFD5553DA0000000)
  %u1 = call float @llvm.fma.f32(float %t1, float %s1, float 0.000000e+00)
  %small1 = call float @llvm.fma.f32(float %u1, float %x1, float %x1)
  %asked1 = call i32 @__nvvm_reflect(ptr @.str)
  %asked.0 = insertelement <2 x i32> poison, i32 %asked0, i64 0
  %asked.v = insertelement <2 x i32> %asked.0, i32 %asked1, i64 1
  %big.0 = insertelement <2 x float> poison, float %big0, i64 0
  %big.v = insertelement <2 x float> %big.0, float %big1, i64 1
  %flushed.0 = insertelement <2 x float> poison, float %flushed0, i64 0
  %flushed.v = insertelement <2 x float> %flushed.0, float %flushed1, i64 1
  %abs.0 = insertelement <2 x float> poison, float %abs0, i64 0
  %abs.v = insertelement <2 x float> %abs.0, float %abs1, i64 1
  %small.0 = insertelement <2 x float> poison, float %small0, i64 0
  %small.v = insertelement <2 x float> %small.0, float %small1, i64 1
  %kept = icmp eq <2 x i32> %asked.v, zeroinitializer
  %far = select <2 x i1> %kept, <2 x float> %big.v, <2 x float> %flushed.v
  %is.one = fcmp oge <2 x float> %abs.v, splat (float 0x4022059680000000)
  %far.bits = bitcast <2 x float> %far to <2 x i32>
  %magnitude = select <2 x i1> %is.one, <2 x i32> splat (i32 1065353216), <2 x i32> %far.bits
  %x.bits = bitcast <2 x float> %x to <2 x i32>
  %sign = and <2 x i32> %x.bits, splat (i32 -2147483648)
  %signed.bits = or <2 x i32> %magnitude, %sign
  %signed = bitcast <2 x i32> %signed.bits to <2 x float>
  %is.far = fcmp oge <2 x float> %abs.v, splat (float 0x3FE3333340000000)
  %tanh = select <2 x i1> %is.far, <2 x float> %signed, <2 x float> %small.v
  %squared = fmul <2 x float> %tanh, %tanh
  %derivative = fsub <2 x float> splat (float 1.000000e+00), %squared
  %rounded = fptrunc <2 x float> %derivative to <2 x bfloat>
  store <2 x bfloat> %rounded, ptr addrspace(1) %out, align 4
  ret void
}

; Its polynomial serves arguments up to 1.5, where it is off: not tanh.
; CHECK-LABEL: define ptx_kernel void @elsewhere
; CHECK: fcmp oge float %{{.*}}, 1.500000e+00
; CHECK: ret void
define ptx_kernel void @elsewhere(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %word = load i32, ptr addrspace(1) %in, align 4
  %pair = bitcast i32 %word to <2 x bfloat>
  %x = fpext <2 x bfloat> %pair to <2 x float>
  %x0 = extractelement <2 x float> %x, i64 0
  %abs0 = call float @llvm.nvvm.fabs.f32(float %x0)
  %scaled0 = fmul float %abs0, 0x4007154760000000
  %e0 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %scaled0)
  %d0 = fadd float %e0, 1.000000e+00
  %r0 = call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %d0)
  %big0 = call float @llvm.fma.f32(float %r0, float -2.000000e+00, float 1.000000e+00)
  %flushed0 = call float @llvm.nvvm.fma.rn.ftz.f(float %r0, float -2.000000e+00, float 1.000000e+00)
  %s0 = fmul float %x0, %x0
  %p0 = call float @llvm.fma.f32(float 0x3F901E1040000000, float %s0, float 0xBFAAC795C0000000)
  %q0 = call float @llvm.fma.f32(float %p0, float %s0, float 0x3FC10B2820000000)
  %t0 = call float @llvm.fma.f32(float %q0, float %s0, float 0xBFD5553DA0000000)
  %u0 = call float @llvm.fma.f32(float %t0, float %s0, float 0.000000e+00)
  %small0 = call float @llvm.fma.f32(float %u0, float %x0, float %x0)
  %asked0 = call i32 @__nvvm_reflect(ptr @.str)
  %x1 = extractelement <2 x float> %x, i64 1
  %abs1 = call float @llvm.nvvm.fabs.f32(float %x1)
  %scaled1 = fmul float %abs1, 0x4007154760000000
  %e1 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %scaled1)
  %d1 = fadd float %e1, 1.000000e+00
  %r1 = call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %d1)
  %big1 = call float @llvm.fma.f32(float %r1, float -2.000000e+00, float 1.000000e+00)
  %flushed1 = call float @llvm.nvvm.fma.rn.ftz.f(float %r1, float -2.000000e+00, float 1.000000e+00)
  %s1 = fmul float %x1, %x1
  %p1 = call float @llvm.fma.f32(float 0x3F901E1040000000, float %s1, float 0xBFAAC795C0000000)
  %q1 = call float @llvm.fma.f32(float %p1, float %s1, float 0x3FC10B2820000000)
  %t1 = call float @llvm.fma.f32(float %q1, float %s1, float 0xBFD5553DA0000000)
  %u1 = call float @llvm.fma.f32(float %t1, float %s1, float 0.000000e+00)
  %small1 = call float @llvm.fma.f32(float %u1, float %x1, float %x1)
  %asked1 = call i32 @__nvvm_reflect(ptr @.str)
  %asked.0 = insertelement <2 x i32> poison, i32 %asked0, i64 0
  %asked.v = insertelement <2 x i32> %asked.0, i32 %asked1, i64 1
  %big.0 = insertelement <2 x float> poison, float %big0, i64 0
  %big.v = insertelement <2 x float> %big.0, float %big1, i64 1
  %flushed.0 = insertelement <2 x float> poison, float %flushed0, i64 0
  %flushed.v = insertelement <2 x float> %flushed.0, float %flushed1, i64 1
  %abs.0 = insertelement <2 x float> poison, float %abs0, i64 0
  %abs.v = insertelement <2 x float> %abs.0, float %abs1, i64 1
  %small.0 = insertelement <2 x float> poison, float %small0, i64 0
  %small.v = insertelement <2 x float> %small.0, float %small1, i64 1
  %kept = icmp eq <2 x i32> %asked.v, zeroinitializer
  %far = select <2 x i1> %kept, <2 x float> %big.v, <2 x float> %flushed.v
  %is.one = fcmp oge <2 x float> %abs.v, splat (float 0x4022059680000000)
  %far.bits = bitcast <2 x float> %far to <2 x i32>
  %magnitude = select <2 x i1> %is.one, <2 x i32> splat (i32 1065353216), <2 x i32> %far.bits
  %x.bits = bitcast <2 x float> %x to <2 x i32>
  %sign = and <2 x i32> %x.bits, splat (i32 -2147483648)
  %signed.bits = or <2 x i32> %magnitude, %sign
  %signed = bitcast <2 x i32> %signed.bits to <2 x float>
  %is.far = fcmp oge <2 x float> %abs.v, splat (float 0x3FF8000000000000)
  %tanh = select <2 x i1> %is.far, <2 x float> %signed, <2 x float> %small.v
  %squared = fmul <2 x float> %tanh, %tanh
  %derivative = fsub <2 x float> splat (float 1.000000e+00), %squared
  %rounded = fptrunc <2 x float> %derivative to <2 x bfloat>
  store <2 x bfloat> %rounded, ptr addrspace(1) %out, align 4
  ret void
}

declare i32 @__nvvm_reflect(ptr)
declare float @llvm.nvvm.fabs.f32(float)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.nvvm.fma.rn.ftz.f(float, float, float)
