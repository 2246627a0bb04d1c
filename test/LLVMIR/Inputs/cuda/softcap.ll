; ModuleID = 'softcap.cu'
source_filename = "softcap.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @softcap(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, float noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul i32 %5, %6
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add i32 %7, %8
  %10 = icmp slt i32 %9, %3
  br i1 %10, label %11, label %35

11:                                               ; preds = %4
  %12 = sext i32 %9 to i64
  %13 = getelementptr inbounds float, ptr %0, i64 %12
  %14 = load float, ptr %13, align 4, !tbaa !11
  %15 = fdiv contract float %14, %2
  %16 = tail call float @llvm.nvvm.fabs.f32(float %15)
  %17 = fmul float %16, 0x4007154760000000
  %18 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %17)
  %19 = fadd float %18, 1.000000e+00
  %20 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %19) #5, !srcloc !13
  %21 = tail call float @llvm.fma.f32(float %20, float -2.000000e+00, float 1.000000e+00)
  %22 = fcmp oge float %16, 0x4022059680000000
  %23 = select i1 %22, float 1.000000e+00, float %21
  %24 = tail call float @llvm.copysign.f32(float %23, float %15) #6
  %25 = fmul float %15, %15
  %26 = tail call float @llvm.fma.f32(float %25, float 0x3F901E1040000000, float 0xBFAAC795C0000000)
  %27 = tail call float @llvm.fma.f32(float %26, float %25, float 0x3FC10B2820000000)
  %28 = tail call float @llvm.fma.f32(float %27, float %25, float 0xBFD5553DA0000000)
  %29 = tail call float @llvm.fma.f32(float %28, float %25, float 0.000000e+00)
  %30 = tail call float @llvm.fma.f32(float %29, float %15, float %15)
  %31 = fcmp oge float %16, 0x3FE3333340000000
  %32 = select i1 %31, float %24, float %30
  %33 = fmul contract float %2, %32
  %34 = getelementptr inbounds float, ptr %1, i64 %12
  store float %33, ptr %34, align 4, !tbaa !11
  br label %35

35:                                               ; preds = %11, %4
  ret void
}

; Function Attrs: noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @softcap50(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %34

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = fmul contract float %13, 0x3F947AE140000000
  %15 = tail call float @llvm.nvvm.fabs.f32(float %14)
  %16 = fmul float %15, 0x4007154760000000
  %17 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %16)
  %18 = fadd float %17, 1.000000e+00
  %19 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %18) #5, !srcloc !13
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
  %32 = fmul contract float %31, 5.000000e+01
  %33 = getelementptr inbounds float, ptr %1, i64 %11
  store float %32, ptr %33, align 4, !tbaa !11
  br label %34

34:                                               ; preds = %10, %3
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

attributes #0 = { noinline norecurse nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "nvvm.maxntid"="256" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nounwind memory(none) }
attributes #6 = { nounwind }

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
!12 = !{!"float", !8, i64 0}
!13 = !{i32 21352}
