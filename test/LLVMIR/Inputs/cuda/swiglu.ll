; ModuleID = 'swiglu.cu'
source_filename = "swiglu.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__nv_bfloat162 = type { %struct.__nv_bfloat16, %struct.__nv_bfloat16 }
%struct.__nv_bfloat16 = type { i16 }

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @swiglu(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul i32 %5, %6
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add i32 %7, %8
  %10 = icmp slt i32 %9, %3
  br i1 %10, label %11, label %61

11:                                               ; preds = %4
  %12 = sext i32 %9 to i64
  %13 = getelementptr inbounds %struct.__nv_bfloat162, ptr %0, i64 %12
  %14 = load i32, ptr %13, align 4, !tbaa !6
  %15 = trunc i32 %14 to i16
  %16 = lshr i32 %14, 16
  %17 = trunc nuw i32 %16 to i16
  %18 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %15) #4, !srcloc !11
  %19 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %17) #4, !srcloc !11
  %20 = getelementptr inbounds %struct.__nv_bfloat162, ptr %1, i64 %12
  %21 = load i32, ptr %20, align 4, !tbaa !6
  %22 = trunc i32 %21 to i16
  %23 = lshr i32 %21, 16
  %24 = trunc nuw i32 %23 to i16
  %25 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %22) #4, !srcloc !11
  %26 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %24) #4, !srcloc !11
  %27 = fneg contract float %18
  %28 = tail call float @llvm.fma.f32(float %27, float 0x3F777313A0000000, float 5.000000e-01)
  %29 = tail call float @llvm.nvvm.saturate.f(float %28) #5
  %30 = tail call float @llvm.nvvm.fma.rm.f(float %29, float 2.520000e+02, float 0x4168000020000000) #5
  %31 = fadd float %30, 0xC168000FE0000000
  %32 = fneg float %31
  %33 = tail call float @llvm.fma.f32(float %27, float 0x3FF7154760000000, float %32)
  %34 = tail call float @llvm.fma.f32(float %27, float 0x3E54AE0C00000000, float %33)
  %35 = bitcast float %30 to i32
  %36 = shl i32 %35, 23
  %37 = bitcast i32 %36 to float
  %38 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %34)
  %39 = fmul float %38, %37
  %40 = fadd contract float %39, 1.000000e+00
  %41 = fdiv contract float %18, %40
  %42 = fmul contract float %25, %41
  %43 = fneg contract float %19
  %44 = tail call float @llvm.fma.f32(float %43, float 0x3F777313A0000000, float 5.000000e-01)
  %45 = tail call float @llvm.nvvm.saturate.f(float %44) #5
  %46 = tail call float @llvm.nvvm.fma.rm.f(float %45, float 2.520000e+02, float 0x4168000020000000) #5
  %47 = fadd float %46, 0xC168000FE0000000
  %48 = fneg float %47
  %49 = tail call float @llvm.fma.f32(float %43, float 0x3FF7154760000000, float %48)
  %50 = tail call float @llvm.fma.f32(float %43, float 0x3E54AE0C00000000, float %49)
  %51 = bitcast float %46 to i32
  %52 = shl i32 %51, 23
  %53 = bitcast i32 %52 to float
  %54 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %50)
  %55 = fmul float %54, %53
  %56 = fadd contract float %55, 1.000000e+00
  %57 = fdiv contract float %19, %56
  %58 = fmul contract float %26, %57
  %59 = tail call i32 asm "{ cvt.rn.bf16x2.f32 $0, $2, $1;}\0A", "=r,f,f"(float %42, float %58) #4, !srcloc !12
  %60 = getelementptr inbounds %struct.__nv_bfloat162, ptr %2, i64 %12
  store i32 %59, ptr %60, align 4, !tbaa !6
  br label %61

61:                                               ; preds = %4, %11
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.saturate.f(float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rm.f(float, float, float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #3

attributes #0 = { convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "nvvm.maxntid"="256" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { convergent nounwind memory(none) }
attributes #5 = { nounwind }

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
!11 = !{i64 2158471179}
!12 = !{i64 2158466300}
