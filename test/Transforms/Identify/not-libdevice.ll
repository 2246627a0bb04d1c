; Code that is nearly a library function, or cannot be shown to be one.
; RUN: mlir-translate --import-llvm %s 2>/dev/null | poly-opt --poly-identify -o %t.mlir
; RUN: FileCheck %s --input-file=%t.mlir
; CHECK-LABEL: llvm.func @exp_wrong_low_part
; CHECK-NOT: poly.inlined
target triple = "nvptx64-nvidia-cuda"

; The low part of log2(e) has the wrong sign: off by 60 ulps at the ends.
define float @exp_wrong_low_part(float %x) {
  %a = call float @llvm.fma.f32(float %x, float 0x3F777313A0000000, float 5.000000e-01)
  %b = call float @llvm.nvvm.saturate.f(float %a)
  %c = call float @llvm.nvvm.fma.rm.f(float %b, float 2.520000e+02, float 0x4168000020000000)
  %d = fadd float %c, 0xC168000FE0000000
  %n = fneg float %d
  %f = call float @llvm.fma.f32(float %x, float 0x3FF7154760000000, float %n)
  %low = fmul float %x, 0x3E54AE0C00000000
  %g = fsub float %f, %low
  %bits = bitcast float %c to i32
  %power = shl i32 %bits, 23
  %scale = bitcast i32 %power to float
  %e = call float @llvm.nvvm.ex2.approx.ftz.f(float %g)
  %r = fmul float %e, %scale
  ret float %r
}

; The clamp lets arguments below -87 through, so the tail is garbage.
define float @exp_no_clamp(float %x) {
  %a = call float @llvm.fma.f32(float %x, float 0x3F777313A0000000, float 5.000000e-01)
  %c = call float @llvm.nvvm.fma.rm.f(float %a, float 2.520000e+02, float 0x4168000020000000)
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

; Two arguments.
define float @exp_of_two(float %x, float %y) {
  %a = call float @llvm.fma.f32(float %x, float 0x3F777313A0000000, float 5.000000e-01)
  %b = call float @llvm.nvvm.saturate.f(float %a)
  %c = call float @llvm.nvvm.fma.rm.f(float %b, float 2.520000e+02, float 0x4168000020000000)
  %d = fadd float %c, 0xC168000FE0000000
  %n = fneg float %d
  %f = call float @llvm.fma.f32(float %y, float 0x3FF7154760000000, float %n)
  %g = call float @llvm.fma.f32(float %y, float 0x3E54AE0C00000000, float %f)
  %bits = bitcast float %c to i32
  %power = shl i32 %bits, 23
  %scale = bitcast i32 %power to float
  %e = call float @llvm.nvvm.ex2.approx.ftz.f(float %g)
  %r = fmul float %e, %scale
  ret float %r
}

; The function, but neither libdevice's constants nor a 16-bit argument: a dense
; set alone proves nothing.
define float @exp_of_f32(float %x) {
  %n = fneg float %x
  %e = call float @llvm.exp.f32(float %x)
  %m = call float @llvm.exp.f32(float %n)
  %q = fdiv float 1.000000e+00, %m
  %c = fcmp olt float %x, 0.000000e+00
  %r = select i1 %c, float %q, float %e
  ret float %r
}

; Half the difference of two exponentials cancels where x is small: not sinh.
define float @sinh_cancelling(bfloat %y) {
  %x = fpext bfloat %y to float
  %a = call float @llvm.fabs.f32(float %x)
  %b = fneg float %a
  %e = call float @llvm.exp.f32(float %a)
  %m = call float @llvm.exp.f32(float %b)
  %d = fsub float %e, %m
  %h = fmul float %d, 5.000000e-01
  %n = fneg float %h
  %c = fcmp olt float %x, 0.000000e+00
  %r = select i1 %c, float %n, float %h
  ret float %r
}

; Infinite at 89, where cosh is not.
define float @cosh_overflowing(bfloat %y) {
  %x = fpext bfloat %y to float
  %a = call float @llvm.fabs.f32(float %x)
  %b = fneg float %a
  %e = call float @llvm.exp.f32(float %a)
  %m = call float @llvm.exp.f32(float %b)
  %d = fadd float %e, %m
  %h = fmul float %d, 5.000000e-01
  %c = fcmp oeq float %x, 0.000000e+00
  %r = select i1 %c, float 1.000000e+00, float %h
  ret float %r
}

; libdevice's expm1f with the low part of ln(2) added instead of subtracted.
define float @expm1_wrong_low_part(float %x) {
  %s = fmul float %x, 0x3FF7154760000000
  %k = call float @llvm.nvvm.round.f(float %s)
  %n = fneg float %k
  %h = call float @llvm.fma.f32(float %n, float 0x3FE62E4000000000, float %x)
  %l = call float @llvm.fma.f32(float %k, float 0x3EB7F7D1C0000000, float %h)
  %p0 = call float @llvm.fma.f32(float %l, float 0x3F56BD7CC0000000, float 0x3F812ACC60000000)
  %p1 = call float @llvm.fma.f32(float %p0, float %l, float 0x3FA5557C60000000)
  %p2 = call float @llvm.fma.f32(float %p1, float %l, float 0x3FC5553EC0000000)
  %p3 = call float @llvm.fma.f32(float %p2, float %l, float 0x3FDFFFFFC0000000)
  %t = fmul float %l, %p3
  %q = call float @llvm.fma.f32(float %t, float %l, float %l)
  %e = call float @llvm.nvvm.ex2.approx.f(float %k)
  %d = fadd float %e, -1.000000e+00
  %r = call float @llvm.fma.f32(float %q, float %e, float %d)
  ret float %r
}

; Wrong for one bf16 value only.
define float @exp_but_for_three(bfloat %y) {
  %x = fpext bfloat %y to float
  %e = call float @llvm.exp.f32(float %x)
  %c = fcmp oeq float %x, 3.000000e+00
  %r = select i1 %c, float 2.000000e+01, float %e
  ret float %r
}

; Carried around a loop.
define float @looped(bfloat %y, i32 %n) {
  %x = fpext bfloat %y to float
  %start = call float @llvm.exp.f32(float %x)
  br label %loop

loop:
  %v = phi float [ %start, %0 ], [ %next, %loop ]
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %next = fadd float %v, 0.000000e+00
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done

done:
  ret float %next
}

; A path that never reaches the merge.
define float @leaves(bfloat %y, ptr %p) {
  %x = fpext bfloat %y to float
  %small = fcmp olt float %x, 0.000000e+00
  br i1 %small, label %left, label %right

left:
  %n = fneg float %x
  %m = call float @llvm.exp.f32(float %n)
  %q = fdiv float 1.000000e+00, %m
  %tiny = fcmp olt float %x, -8.000000e+00
  br i1 %tiny, label %out, label %done

right:
  %e = call float @llvm.exp.f32(float %x)
  br label %done

out:
  ret float 0.000000e+00

done:
  %r = phi float [ %q, %left ], [ %e, %right ]
  ret float %r
}

; Depends on memory.
define float @loaded(bfloat %y, ptr %p) {
  %x = fpext bfloat %y to float
  %e = call float @llvm.exp.f32(float %x)
  %v = load float, ptr %p
  %c = fcmp olt float %x, %v
  %r = select i1 %c, float %e, float %e
  %s = select i1 %c, float %r, float %v
  ret float %s
}

declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare float @llvm.nvvm.round.f(float)
declare float @llvm.nvvm.fma.rm.f(float, float, float)
declare float @llvm.nvvm.saturate.f(float)
