; ModuleID = 'softmax_row.cu'
source_filename = "softmax_row.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__nv_bfloat16 = type { i16 }

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @softmax_row(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = lshr i32 %8, 5
  %10 = icmp slt i32 %9, %2
  br i1 %10, label %11, label %154

11:                                               ; preds = %3
  %12 = shl nsw i32 %9, 8
  %13 = and i32 %7, 31
  %14 = or disjoint i32 %12, %13
  %15 = zext nneg i32 %14 to i64
  %16 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %0, i64 %15
  %17 = load i16, ptr %16, align 2, !tbaa !11
  %18 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %17) #5, !srcloc !13
  %19 = tail call noundef float @llvm.maxnum.f32(float %18, float 0xFFF0000000000000)
  %20 = or disjoint i32 %14, 32
  %21 = zext nneg i32 %20 to i64
  %22 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %0, i64 %21
  %23 = load i16, ptr %22, align 2, !tbaa !11
  %24 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %23) #5, !srcloc !13
  %25 = tail call noundef float @llvm.maxnum.f32(float %19, float %24)
  %26 = or disjoint i32 %14, 64
  %27 = zext nneg i32 %26 to i64
  %28 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %0, i64 %27
  %29 = load i16, ptr %28, align 2, !tbaa !11
  %30 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %29) #5, !srcloc !13
  %31 = tail call noundef float @llvm.maxnum.f32(float %25, float %30)
  %32 = or disjoint i32 %14, 96
  %33 = zext nneg i32 %32 to i64
  %34 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %0, i64 %33
  %35 = load i16, ptr %34, align 2, !tbaa !11
  %36 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %35) #5, !srcloc !13
  %37 = tail call noundef float @llvm.maxnum.f32(float %31, float %36)
  %38 = or disjoint i32 %14, 128
  %39 = zext nneg i32 %38 to i64
  %40 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %0, i64 %39
  %41 = load i16, ptr %40, align 2, !tbaa !11
  %42 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %41) #5, !srcloc !13
  %43 = tail call noundef float @llvm.maxnum.f32(float %37, float %42)
  %44 = or disjoint i32 %14, 160
  %45 = zext nneg i32 %44 to i64
  %46 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %0, i64 %45
  %47 = load i16, ptr %46, align 2, !tbaa !11
  %48 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %47) #5, !srcloc !13
  %49 = tail call noundef float @llvm.maxnum.f32(float %43, float %48)
  %50 = or disjoint i32 %14, 192
  %51 = zext nneg i32 %50 to i64
  %52 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %0, i64 %51
  %53 = load i16, ptr %52, align 2, !tbaa !11
  %54 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %53) #5, !srcloc !13
  %55 = tail call noundef float @llvm.maxnum.f32(float %49, float %54)
  %56 = or disjoint i32 %14, 224
  %57 = zext nneg i32 %56 to i64
  %58 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %0, i64 %57
  %59 = load i16, ptr %58, align 2, !tbaa !11
  %60 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %59) #5, !srcloc !13
  %61 = tail call noundef float @llvm.maxnum.f32(float %55, float %60)
  %62 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %61, i32 16, i32 31)
  %63 = tail call noundef float @llvm.maxnum.f32(float %61, float %62)
  %64 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %63, i32 8, i32 31)
  %65 = tail call noundef float @llvm.maxnum.f32(float %63, float %64)
  %66 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %65, i32 4, i32 31)
  %67 = tail call noundef float @llvm.maxnum.f32(float %65, float %66)
  %68 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %67, i32 2, i32 31)
  %69 = tail call noundef float @llvm.maxnum.f32(float %67, float %68)
  %70 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %69, i32 1, i32 31)
  %71 = tail call noundef float @llvm.maxnum.f32(float %69, float %70)
  %72 = fsub contract float %18, %71
  %73 = fmul contract float %72, 0x3FF7154760000000
  %74 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %73)
  %75 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %74) #5, !srcloc !14
  %76 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %75) #5, !srcloc !13
  %77 = fadd contract float %76, 0.000000e+00
  %78 = fsub contract float %24, %71
  %79 = fmul contract float %78, 0x3FF7154760000000
  %80 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %79)
  %81 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %80) #5, !srcloc !14
  %82 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %81) #5, !srcloc !13
  %83 = fadd contract float %77, %82
  %84 = fsub contract float %30, %71
  %85 = fmul contract float %84, 0x3FF7154760000000
  %86 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %85)
  %87 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %86) #5, !srcloc !14
  %88 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %87) #5, !srcloc !13
  %89 = fadd contract float %83, %88
  %90 = fsub contract float %36, %71
  %91 = fmul contract float %90, 0x3FF7154760000000
  %92 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %91)
  %93 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %92) #5, !srcloc !14
  %94 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %93) #5, !srcloc !13
  %95 = fadd contract float %89, %94
  %96 = fsub contract float %42, %71
  %97 = fmul contract float %96, 0x3FF7154760000000
  %98 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %97)
  %99 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %98) #5, !srcloc !14
  %100 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %99) #5, !srcloc !13
  %101 = fadd contract float %95, %100
  %102 = fsub contract float %48, %71
  %103 = fmul contract float %102, 0x3FF7154760000000
  %104 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %103)
  %105 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %104) #5, !srcloc !14
  %106 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %105) #5, !srcloc !13
  %107 = fadd contract float %101, %106
  %108 = fsub contract float %54, %71
  %109 = fmul contract float %108, 0x3FF7154760000000
  %110 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %109)
  %111 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %110) #5, !srcloc !14
  %112 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %111) #5, !srcloc !13
  %113 = fadd contract float %107, %112
  %114 = fsub contract float %60, %71
  %115 = fmul contract float %114, 0x3FF7154760000000
  %116 = tail call noundef float @llvm.nvvm.ex2.approx.f32(float %115)
  %117 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %116) #5, !srcloc !14
  %118 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %117) #5, !srcloc !13
  %119 = fadd contract float %113, %118
  %120 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %119, i32 16, i32 31)
  %121 = fadd contract float %119, %120
  %122 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %121, i32 8, i32 31)
  %123 = fadd contract float %121, %122
  %124 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %123, i32 4, i32 31)
  %125 = fadd contract float %123, %124
  %126 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %125, i32 2, i32 31)
  %127 = fadd contract float %125, %126
  %128 = tail call contract noundef float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %127, i32 1, i32 31)
  %129 = fadd contract float %127, %128
  %130 = fdiv contract float %76, %129
  %131 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %130) #5, !srcloc !14
  %132 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %1, i64 %15
  store i16 %131, ptr %132, align 2, !tbaa !11
  %133 = fdiv contract float %82, %129
  %134 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %133) #5, !srcloc !14
  %135 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %1, i64 %21
  store i16 %134, ptr %135, align 2, !tbaa !11
  %136 = fdiv contract float %88, %129
  %137 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %136) #5, !srcloc !14
  %138 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %1, i64 %27
  store i16 %137, ptr %138, align 2, !tbaa !11
  %139 = fdiv contract float %94, %129
  %140 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %139) #5, !srcloc !14
  %141 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %1, i64 %33
  store i16 %140, ptr %141, align 2, !tbaa !11
  %142 = fdiv contract float %100, %129
  %143 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %142) #5, !srcloc !14
  %144 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %1, i64 %39
  store i16 %143, ptr %144, align 2, !tbaa !11
  %145 = fdiv contract float %106, %129
  %146 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %145) #5, !srcloc !14
  %147 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %1, i64 %45
  store i16 %146, ptr %147, align 2, !tbaa !11
  %148 = fdiv contract float %112, %129
  %149 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %148) #5, !srcloc !14
  %150 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %1, i64 %51
  store i16 %149, ptr %150, align 2, !tbaa !11
  %151 = fdiv contract float %118, %129
  %152 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %151) #5, !srcloc !14
  %153 = getelementptr inbounds nuw %struct.__nv_bfloat16, ptr %1, i64 %57
  store i16 %152, ptr %153, align 2, !tbaa !11
  br label %154

154:                                              ; preds = %3, %11
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f32(float) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #4

attributes #0 = { convergent noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "nvvm.maxntid"="128" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { convergent nounwind memory(none) }

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
!13 = !{i64 2158471846}
!14 = !{i64 2158410556}
