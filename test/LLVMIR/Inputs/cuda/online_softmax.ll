; ModuleID = 'online_softmax.cu'
source_filename = "online_softmax.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @online_softmax(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = mul i32 %6, %7
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = add i32 %8, %9
  %11 = icmp slt i32 %10, %3
  br i1 %11, label %12, label %100

12:                                               ; preds = %5
  %13 = icmp sgt i32 %4, 0
  br i1 %13, label %14, label %50

14:                                               ; preds = %12
  %15 = mul nsw i32 %4, %10
  %16 = and i32 %4, 1
  %17 = icmp eq i32 %4, 1
  br i1 %17, label %22, label %18

18:                                               ; preds = %14
  %19 = and i32 %4, 2147483646
  br label %54

20:                                               ; preds = %54
  %21 = icmp eq i32 %16, 0
  br i1 %21, label %46, label %22

22:                                               ; preds = %20, %14
  %23 = phi float [ 0xFFF0000000000000, %14 ], [ %83, %20 ]
  %24 = phi float [ 0.000000e+00, %14 ], [ %91, %20 ]
  %25 = phi float [ 0.000000e+00, %14 ], [ %96, %20 ]
  %26 = phi i32 [ 0, %14 ], [ %97, %20 ]
  %27 = icmp ne i32 %16, 0
  tail call void @llvm.assume(i1 %27)
  %28 = add nsw i32 %26, %15
  %29 = sext i32 %28 to i64
  %30 = getelementptr inbounds float, ptr %0, i64 %29
  %31 = load float, ptr %30, align 4, !tbaa !11
  %32 = tail call noundef float @llvm.maxnum.f32(float %23, float %31)
  %33 = fsub contract float %23, %32
  %34 = fmul contract float %33, 0x3FF7154760000000
  %35 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %34)
  %36 = fsub contract float %31, %32
  %37 = fmul contract float %36, 0x3FF7154760000000
  %38 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %37)
  %39 = fmul contract float %24, %35
  %40 = fadd contract float %39, %38
  %41 = fmul contract float %25, %35
  %42 = getelementptr inbounds float, ptr %1, i64 %29
  %43 = load float, ptr %42, align 4, !tbaa !11
  %44 = fmul contract float %38, %43
  %45 = fadd contract float %41, %44
  br label %46

46:                                               ; preds = %20, %22
  %47 = phi float [ %91, %20 ], [ %40, %22 ]
  %48 = phi float [ %96, %20 ], [ %45, %22 ]
  %49 = fdiv contract float %48, %47
  br label %50

50:                                               ; preds = %46, %12
  %51 = phi float [ 0x7FF8000000000000, %12 ], [ %49, %46 ]
  %52 = sext i32 %10 to i64
  %53 = getelementptr inbounds float, ptr %2, i64 %52
  store float %51, ptr %53, align 4, !tbaa !11
  br label %100

54:                                               ; preds = %54, %18
  %55 = phi float [ 0xFFF0000000000000, %18 ], [ %83, %54 ]
  %56 = phi float [ 0.000000e+00, %18 ], [ %91, %54 ]
  %57 = phi float [ 0.000000e+00, %18 ], [ %96, %54 ]
  %58 = phi i32 [ 0, %18 ], [ %97, %54 ]
  %59 = phi i32 [ 0, %18 ], [ %98, %54 ]
  %60 = add nsw i32 %58, %15
  %61 = sext i32 %60 to i64
  %62 = getelementptr inbounds float, ptr %0, i64 %61
  %63 = load float, ptr %62, align 4, !tbaa !11
  %64 = tail call noundef float @llvm.maxnum.f32(float %55, float %63)
  %65 = fsub contract float %55, %64
  %66 = fmul contract float %65, 0x3FF7154760000000
  %67 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %66)
  %68 = fsub contract float %63, %64
  %69 = fmul contract float %68, 0x3FF7154760000000
  %70 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %69)
  %71 = fmul contract float %56, %67
  %72 = fadd contract float %71, %70
  %73 = fmul contract float %57, %67
  %74 = getelementptr inbounds float, ptr %1, i64 %61
  %75 = load float, ptr %74, align 4, !tbaa !11
  %76 = fmul contract float %70, %75
  %77 = fadd contract float %73, %76
  %78 = or disjoint i32 %58, 1
  %79 = add nsw i32 %78, %15
  %80 = sext i32 %79 to i64
  %81 = getelementptr inbounds float, ptr %0, i64 %80
  %82 = load float, ptr %81, align 4, !tbaa !11
  %83 = tail call noundef float @llvm.maxnum.f32(float %64, float %82)
  %84 = fsub contract float %64, %83
  %85 = fmul contract float %84, 0x3FF7154760000000
  %86 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %85)
  %87 = fsub contract float %82, %83
  %88 = fmul contract float %87, 0x3FF7154760000000
  %89 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %88)
  %90 = fmul contract float %72, %86
  %91 = fadd contract float %90, %89
  %92 = fmul contract float %77, %86
  %93 = getelementptr inbounds float, ptr %1, i64 %80
  %94 = load float, ptr %93, align 4, !tbaa !11
  %95 = fmul contract float %89, %94
  %96 = fadd contract float %92, %95
  %97 = add nuw nsw i32 %58, 2
  %98 = add i32 %59, 2
  %99 = icmp eq i32 %98, %19
  br i1 %99, label %20, label %54, !llvm.loop !13

100:                                              ; preds = %5, %50
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f32(float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #4

attributes #0 = { nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "nvvm.maxntid"="128" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }

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
!13 = distinct !{!13, !14}
!14 = !{!"llvm.loop.mustprogress"}
