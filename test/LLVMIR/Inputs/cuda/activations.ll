; ModuleID = 'activations.cu'
source_filename = "activations.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__nv_bfloat16 = type { i16 }
%struct.__nv_bfloat162 = type { %struct.__nv_bfloat16, %struct.__nv_bfloat16 }
%struct.__half = type { i16 }

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @silu_bf16(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %32

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds %struct.__nv_bfloat16, ptr %0, i64 %11
  %13 = load i16, ptr %12, align 2, !tbaa !11
  %14 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %13) #5, !srcloc !13
  %15 = fneg contract float %14
  %16 = tail call float @llvm.fma.f32(float %15, float 0x3F777313A0000000, float 5.000000e-01)
  %17 = tail call float @llvm.nvvm.saturate.f(float %16) #6
  %18 = tail call float @llvm.nvvm.fma.rm.f(float %17, float 2.520000e+02, float 0x4168000020000000) #6
  %19 = fadd float %18, 0xC168000FE0000000
  %20 = fneg float %19
  %21 = tail call float @llvm.fma.f32(float %15, float 0x3FF7154760000000, float %20)
  %22 = tail call float @llvm.fma.f32(float %15, float 0x3E54AE0C00000000, float %21)
  %23 = bitcast float %18 to i32
  %24 = shl i32 %23, 23
  %25 = bitcast i32 %24 to float
  %26 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %22)
  %27 = fmul float %26, %25
  %28 = fadd contract float %27, 1.000000e+00
  %29 = fdiv contract float %14, %28
  %30 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %29) #5, !srcloc !14
  %31 = getelementptr inbounds %struct.__nv_bfloat16, ptr %1, i64 %11
  store i16 %30, ptr %31, align 2, !tbaa !11
  br label %32

32:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @silu_bf16x2(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %29

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds %struct.__nv_bfloat162, ptr %0, i64 %11
  %13 = load i32, ptr %12, align 4, !tbaa !6
  %14 = trunc i32 %13 to i16
  %15 = lshr i32 %13, 16
  %16 = trunc nuw i32 %15 to i16
  %17 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %14) #5, !srcloc !13
  %18 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %16) #5, !srcloc !13
  %19 = fmul float %17, 0xBFF7154760000000
  %20 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %19)
  %21 = fadd contract float %20, 1.000000e+00
  %22 = tail call noundef float @llvm.nvvm.div.approx.f(float %17, float %21)
  %23 = fmul float %18, 0xBFF7154760000000
  %24 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %23)
  %25 = fadd contract float %24, 1.000000e+00
  %26 = tail call noundef float @llvm.nvvm.div.approx.f(float %18, float %25)
  %27 = tail call i32 asm "{ cvt.rn.bf16x2.f32 $0, $2, $1;}\0A", "=r,f,f"(float %22, float %26) #5, !srcloc !15
  %28 = getelementptr inbounds %struct.__nv_bfloat162, ptr %1, i64 %11
  store i32 %27, ptr %28, align 4, !tbaa !6
  br label %29

29:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @tanh_f16(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %34

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds %struct.__half, ptr %0, i64 %11
  %13 = load i16, ptr %12, align 2, !tbaa !11
  %14 = tail call contract noundef float asm "{  cvt.f32.f16 $0, $1;}\0A", "=f,h"(i16 %13) #5, !srcloc !16
  %15 = tail call float @llvm.nvvm.fabs.f32(float %14)
  %16 = fmul float %15, 0x4007154760000000
  %17 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %16)
  %18 = fadd float %17, 1.000000e+00
  %19 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %18) #7, !srcloc !17
  %20 = tail call float @llvm.fma.f32(float %19, float -2.000000e+00, float 1.000000e+00)
  %21 = fcmp oge float %15, 0x4022059680000000
  %22 = select i1 %21, float 1.000000e+00, float %20
  %23 = tail call float @llvm.copysign.f32(float %22, float %14) #6
  %24 = fmul float %14, %14
  %25 = tail call float @llvm.fma.f32(float %24, float 0x3F901E1040000000, float 0xBFAAC795C0000000)
  %26 = tail call float @llvm.fma.f32(float %25, float %24, float 0x3FC10B2820000000)
  %27 = tail call float @llvm.fma.f32(float %26, float %24, float 0xBFD5553DA0000000)
  %28 = tail call float @llvm.fma.f32(float %27, float %24, float 0.000000e+00)
  %29 = tail call float @llvm.fma.f32(float %28, float %14, float %14)
  %30 = fcmp oge float %15, 0x3FE3333340000000
  %31 = select i1 %30, float %23, float %29
  %32 = tail call i16 asm "{  cvt.rn.f16.f32 $0, $1;}\0A", "=h,f"(float %31) #5, !srcloc !18
  %33 = getelementptr inbounds %struct.__half, ptr %1, i64 %11
  store i16 %32, ptr %33, align 2, !tbaa !11
  br label %34

34:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.div.approx.f(float, float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f32(float) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.f32(float) #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.copysign.f32(float, float) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.saturate.f(float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rm.f(float, float, float) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #4

attributes #0 = { convergent noinline norecurse nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "nvvm.maxntid"="256" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { convergent nounwind memory(none) }
attributes #6 = { nounwind }
attributes #7 = { nounwind memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4, !5}
!llvm.errno.tbaa = !{!6}
!nvvmir.version = !{!10}

!0 = !{i32 2, !"SDK Version", [2 x i32] [i32 12, i32 9]}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!5 = !{!"clang version 3.8.0 (tags/RELEASE_380/final)"}
!6 = !{!7, !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = !{i32 2, i32 0}
!11 = !{!12, !12, i64 0}
!12 = !{!"short", !8, i64 0}
!13 = !{i64 2158471735}
!14 = !{i64 2158410445}
!15 = !{i64 2158466856}
!16 = !{i64 2156392084}
!17 = !{i32 21352}
!18 = !{i64 2156327344}
