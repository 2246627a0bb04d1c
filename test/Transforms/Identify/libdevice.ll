; Bodies of libdevice as compilers inline them, found by what they compute.
; RUN: mlir-translate --import-llvm %s 2>/dev/null | poly-opt --poly-identify | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@ftz = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00"

; Branches, and both variants of a step chosen by nvvm-reflect.
; CHECK-LABEL: llvm.func @tanh_branches(%arg0: f32)
; CHECK: ^bb3(%[[T:.*]]: f32):
; CHECK-NEXT: %[[I:.*]] = poly.inlined "tanh" %arg0 is %[[T]] : f32
; CHECK-NEXT: llvm.return %[[I]]
define float @tanh_branches(float %x) {
  %reflect = call i32 @__nvvm_reflect(ptr @ftz)
  %noftz = icmp eq i32 %reflect, 0
  %absftz = call float @llvm.nvvm.fabs.ftz.f32(float %x)
  %absieee = call float @llvm.nvvm.fabs.f32(float %x)
  %abs = select i1 %noftz, float %absieee, float %absftz
  %small = fcmp ult float %abs, 0x3FE3333340000000
  br i1 %small, label %poly, label %big

big:
  %scaled = fmul float %abs, 0x4007154760000000
  %e = call float @llvm.nvvm.ex2.approx.ftz.f(float %scaled)
  %d = fadd float %e, 1.000000e+00
  %r = call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %d)
  %q = call float @llvm.nvvm.fma.rn.f(float %r, float -2.000000e+00, float 1.000000e+00)
  %huge = fcmp oge float %abs, 0x4022059680000000
  %s = select i1 %huge, float 1.000000e+00, float %q
  %sbits = bitcast float %s to i32
  %xbits = bitcast float %x to i32
  %sign = and i32 %xbits, -2147483648
  %signed = or i32 %sign, %sbits
  %tbig = bitcast i32 %signed to float
  br label %done

poly:
  %x2 = fmul float %x, %x
  %pftz = call float @llvm.nvvm.fma.rn.ftz.f(float 0x3F901E1040000000, float %x2, float 0xBFAAC795C0000000)
  %pieee = call float @llvm.nvvm.fma.rn.f(float 0x3F901E1040000000, float %x2, float 0xBFAAC795C0000000)
  %p0 = select i1 %noftz, float %pieee, float %pftz
  %p1 = call float @llvm.nvvm.fma.rn.f(float %p0, float %x2, float 0x3FC10B2820000000)
  %p2 = call float @llvm.nvvm.fma.rn.f(float %p1, float %x2, float 0xBFD5553DA0000000)
  %p3 = call float @llvm.nvvm.fma.rn.f(float %p2, float %x2, float 0.000000e+00)
  %tsmall = call float @llvm.nvvm.fma.rn.f(float %p3, float %x, float %x)
  br label %done

done:
  %t = phi float [ %tbig, %big ], [ %tsmall, %poly ]
  ret float %t
}

; A merge in the middle, whose values the next merge continues.
; CHECK-LABEL: llvm.func @erf_branches
; CHECK: %[[X:.*]] = llvm.fmul %arg0
; CHECK: poly.inlined "erf" %[[X]] is %{{.*}} : f32
define float @erf_branches(float %y) {
  %x = fmul float %y, 0x3FE6A09E60000000
  %abs = call float @llvm.nvvm.fabs.f32(float %x)
  %big = fcmp oge float %abs, 0x3FF00C1FC0000000
  br i1 %big, label %middle, label %square

square:
  %x2 = fmul float %x, %x
  br label %middle

middle:
  %c0 = phi float [ 0x3FE41B0840000000, %0 ], [ 0x3FC06EBA60000000, %square ]
  %c1 = phi float [ 0x3FED526FC0000000, %0 ], [ 0xBFD8127580000000, %square ]
  %c2 = phi float [ 0x3FC39F20C0000000, %0 ], [ 0x3FBCE315E0000000, %square ]
  %c3 = phi float [ 0xBFA1902C40000000, %0 ], [ 0xBF9B837CE0000000, %square ]
  %c4 = phi float [ 0x3F75908160000000, %0 ], [ 0x3F755ABD40000000, %square ]
  %c5 = phi float [ 0xBF3EAC1720000000, %0 ], [ 0xBF4AE9A400000000, %square ]
  %c6 = phi float [ 0x3EF1394780000000, %0 ], [ 0x3F163D2D40000000, %square ]
  %z = phi float [ %abs, %0 ], [ %x2, %square ]
  %p5 = call float @llvm.fma.f32(float %c6, float %z, float %c5)
  %p4 = call float @llvm.fma.f32(float %p5, float %z, float %c4)
  %p3 = call float @llvm.fma.f32(float %p4, float %z, float %c3)
  %p2 = call float @llvm.fma.f32(float %p3, float %z, float %c2)
  %p1 = call float @llvm.fma.f32(float %p2, float %z, float %c1)
  %p0 = call float @llvm.fma.f32(float %p1, float %z, float %c0)
  %nz = fneg float %z
  %w = select i1 %big, float %nz, float %x
  %r = call float @llvm.fma.f32(float %p0, float %w, float %w)
  br i1 %big, label %tail, label %done

tail:
  %e = call float @llvm.nvvm.ex2.approx.ftz.f(float %r)
  %f = fsub float 1.000000e+00, %e
  %s = call float @llvm.copysign.f32(float %f, float %x)
  br label %done

done:
  %erf = phi float [ %s, %tail ], [ %r, %middle ]
  ret float %erf
}

; Straight-line code; the product is the function, not its factors.
; CHECK-LABEL: llvm.func @exp_straight
; CHECK: %[[V:.*]] = llvm.fmul %{{.*}}, %{{.*}} : f32
; CHECK-NEXT: %[[I:.*]] = poly.inlined "exp" %arg0 is %[[V]] : f32
; CHECK-NEXT: llvm.return %[[I]]
define float @exp_straight(float %x) {
  %a = call float @llvm.fma.f32(float %x, float 0x3F777313A0000000, float 5.000000e-01)
  %b = call float @llvm.nvvm.saturate.f(float %a)
  %c = call float @llvm.nvvm.fma.rm.f(float %b, float 2.520000e+02, float 0x4168000020000000)
  %d = fadd float %c, 0xC168000FE0000000
  %n = fneg float %d
  %f = call float @llvm.fma.f32(float %x, float 0x3FF7154760000000, float %n)
  %g = call float @llvm.fma.f32(float %x, float 0x3E54AE0C00000000, float %f)
  %bits = bitcast float %c to i32
  %power = shl i32 %bits, 23
  %scale = bitcast i32 %power to float
  %e = call float @llvm.nvvm.ex2.approx.ftz.f(float %g)
  %r = fmul float %e, %scale
  ret float %r
}

; All 65,536 arguments are compared when there are no more.
; CHECK-LABEL: llvm.func @exp_of_bf16
; CHECK: poly.inlined "exp" %{{.*}} is %{{.*}} proved : f32
define float @exp_of_bf16(bfloat %y) {
  %x = fpext bfloat %y to float
  %n = fneg float %x
  %e = call float @llvm.exp.f32(float %x)
  %m = call float @llvm.exp.f32(float %n)
  %q = fdiv float 1.000000e+00, %m
  %c = fcmp olt float %x, 0.000000e+00
  %r = select i1 %c, float %q, float %e
  ret float %r
}

declare i32 @__nvvm_reflect(ptr)
declare float @llvm.nvvm.fabs.ftz.f32(float)
declare float @llvm.nvvm.fabs.f32(float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare float @llvm.nvvm.fma.rn.ftz.f(float, float, float)
declare float @llvm.nvvm.fma.rn.f(float, float, float)
declare float @llvm.nvvm.fma.rm.f(float, float, float)
declare float @llvm.nvvm.saturate.f(float)

; Not only the functions of a site: what is proved here may be part of one.
; CHECK-LABEL: llvm.func @exp10_bf16
; CHECK: poly.inlined "exp10" %{{.*}} is %{{.*}} proved : f32
define float @exp10_bf16(bfloat %y) {
  %x = fpext bfloat %y to float
  %n = fneg float %x
  %e = call float @llvm.exp10.f32(float %x)
  %m = call float @llvm.exp10.f32(float %n)
  %q = fdiv float 1.0, %m
  %c = fcmp olt float %x, 0.0
  %r = select i1 %c, float %q, float %e
  ret float %r
}

; CHECK-LABEL: llvm.func @cube_f16
; CHECK: poly.inlined "cube" %{{.*}} is %{{.*}} proved : f32
define float @cube_f16(half %y) {
  %x = fpext half %y to float
  %a = call float @llvm.fabs.f32(float %x)
  %s = fmul float %a, %a
  %p = fmul float %s, %a
  %n = fneg float %p
  %c = fcmp olt float %x, 0.0
  %r = select i1 %c, float %n, float %p
  ret float %r
}
