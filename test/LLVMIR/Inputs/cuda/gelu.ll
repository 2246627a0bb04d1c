; ModuleID = 'gelu.cu'
source_filename = "gelu.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__nv_bfloat16 = type { i16 }

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @gelu_erf(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %47

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds %struct.__nv_bfloat16, ptr %0, i64 %11
  %13 = load i16, ptr %12, align 2, !tbaa !11
  %14 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %13) #5, !srcloc !13
  %15 = fmul contract float %14, 5.000000e-01
  %16 = fmul contract float %14, 0x3FE6A09E60000000
  %17 = tail call float @llvm.nvvm.fabs.f32(float %16)
  %18 = fcmp oge float %17, 0x3FF00C1FC0000000
  %19 = fmul float %16, %16
  %20 = select i1 %18, float %17, float %19
  %21 = select i1 %18, float 0x3F1D698740000000, float 0x3F163D2D40000000
  %22 = select i1 %18, float 0xBF55C00B60000000, float 0xBF4AE9A400000000
  %23 = tail call float @llvm.fma.f32(float %21, float %20, float %22)
  %24 = select i1 %18, float 0x3F813233E0000000, float 0x3F755ABD40000000
  %25 = tail call float @llvm.fma.f32(float %23, float %20, float %24)
  %26 = select i1 %18, float 0xBFA49B3340000000, float 0xBF9B837CE0000000
  %27 = tail call float @llvm.fma.f32(float %25, float %20, float %26)
  %28 = select i1 %18, float 0x3FC46AA320000000, float 0x3FBCE315E0000000
  %29 = tail call float @llvm.fma.f32(float %27, float %20, float %28)
  %30 = select i1 %18, float 0x3FED369F20000000, float 0xBFD8127580000000
  %31 = tail call float @llvm.fma.f32(float %29, float %20, float %30)
  %32 = select i1 %18, float 0x3FE4214280000000, float 0x3FC06EBA60000000
  %33 = tail call float @llvm.fma.f32(float %31, float %20, float %32)
  %34 = fneg float %20
  %35 = select i1 %18, float %34, float %16
  %36 = tail call float @llvm.fma.f32(float %33, float %35, float %35)
  br i1 %18, label %37, label %41

37:                                               ; preds = %10
  %38 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %36)
  %39 = fsub float 1.000000e+00, %38
  %40 = tail call float @llvm.copysign.f32(float %39, float %16) #6
  br label %41

41:                                               ; preds = %10, %37
  %42 = phi float [ %40, %37 ], [ %36, %10 ]
  %43 = fadd contract float %42, 1.000000e+00
  %44 = fmul contract float %15, %43
  %45 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %44) #5, !srcloc !14
  %46 = getelementptr inbounds %struct.__nv_bfloat16, ptr %1, i64 %11
  store i16 %45, ptr %46, align 2, !tbaa !11
  br label %47

47:                                               ; preds = %3, %41
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @gelu_tanh(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %42

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds %struct.__nv_bfloat16, ptr %0, i64 %11
  %13 = load i16, ptr %12, align 2, !tbaa !11
  %14 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %13) #5, !srcloc !13
  %15 = fmul contract float %14, 0x3FA6E4E260000000
  %16 = fmul contract float %14, %15
  %17 = fmul contract float %14, %16
  %18 = fadd contract float %14, %17
  %19 = fmul contract float %18, 0x3FE9884540000000
  %20 = fmul contract float %14, 5.000000e-01
  %21 = tail call float @llvm.nvvm.fabs.f32(float %19)
  %22 = fmul float %21, 0x4007154760000000
  %23 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %22)
  %24 = fadd float %23, 1.000000e+00
  %25 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %24) #7, !srcloc !15
  %26 = tail call float @llvm.fma.f32(float %25, float -2.000000e+00, float 1.000000e+00)
  %27 = fcmp oge float %21, 0x4022059680000000
  %28 = select i1 %27, float 1.000000e+00, float %26
  %29 = tail call float @llvm.copysign.f32(float %28, float %19) #6
  %30 = fmul float %19, %19
  %31 = tail call float @llvm.fma.f32(float %30, float 0x3F901E1040000000, float 0xBFAAC795C0000000)
  %32 = tail call float @llvm.fma.f32(float %31, float %30, float 0x3FC10B2820000000)
  %33 = tail call float @llvm.fma.f32(float %32, float %30, float 0xBFD5553DA0000000)
  %34 = tail call float @llvm.fma.f32(float %33, float %30, float 0.000000e+00)
  %35 = tail call float @llvm.fma.f32(float %34, float %19, float %19)
  %36 = fcmp oge float %21, 0x3FE3333340000000
  %37 = select i1 %36, float %29, float %35
  %38 = fadd contract float %37, 1.000000e+00
  %39 = fmul contract float %20, %38
  %40 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %39) #5, !srcloc !14
  %41 = getelementptr inbounds %struct.__nv_bfloat16, ptr %1, i64 %11
  store i16 %40, ptr %41, align 2, !tbaa !11
  br label %42

42:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.f32(float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.copysign.f32(float, float) #3

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
!13 = !{i64 2158471457}
!14 = !{i64 2158410167}
!15 = !{i32 21352}
