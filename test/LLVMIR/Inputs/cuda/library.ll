; ModuleID = 'library.cu'
source_filename = "library.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__nv_bfloat16 = type { i16 }

; Function Attrs: noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @gelu_erfc(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %71

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = fmul contract float %13, 5.000000e-01
  %15 = fmul contract float %13, 0xBFE6A09E60000000
  %16 = tail call float @llvm.nvvm.fabs.f32(float %15)
  %17 = fadd float %16, -4.000000e+00
  %18 = fadd float %16, 4.000000e+00
  %19 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %18) #7, !srcloc !13
  %20 = tail call float @llvm.nvvm.mul.rn.f(float %17, float %19) #8
  %21 = fadd float %20, 1.000000e+00
  %22 = tail call float @llvm.fma.f32(float %21, float -4.000000e+00, float %16)
  %23 = fneg float %20
  %24 = tail call float @llvm.fma.f32(float %23, float %16, float %22)
  %25 = tail call float @llvm.fma.f32(float %19, float %24, float %20)
  %26 = tail call float @llvm.fma.f32(float %25, float 0x3F4D341220000000, float 0x3F7CDC0B60000000)
  %27 = tail call float @llvm.fma.f32(float %26, float %25, float 0xBF903F6960000000)
  %28 = tail call float @llvm.fma.f32(float %27, float %25, float 0x3FA2A6E760000000)
  %29 = tail call float @llvm.fma.f32(float %28, float %25, float 0xBFB10F8B40000000)
  %30 = tail call float @llvm.fma.f32(float %29, float %25, float 0x3FB8043AA0000000)
  %31 = tail call float @llvm.fma.f32(float %30, float %25, float 0xBFB9DA8480000000)
  %32 = tail call float @llvm.fma.f32(float %31, float %25, float 0x3FB16E9BC0000000)
  %33 = tail call float @llvm.fma.f32(float %32, float %25, float 0x3F8F7E2E00000000)
  %34 = tail call float @llvm.fma.f32(float %33, float %25, float 0xBFC1DF1A80000000)
  %35 = tail call float @llvm.fma.f32(float %34, float %25, float 0x3FF3BA5920000000)
  %36 = tail call float @llvm.fma.f32(float %16, float 2.000000e+00, float 1.000000e+00)
  %37 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %36) #7, !srcloc !13
  %38 = tail call float @llvm.nvvm.mul.rn.f(float %35, float %37) #8
  %39 = fmul float %38, -2.000000e+00
  %40 = tail call float @llvm.fma.f32(float %16, float %39, float %35)
  %41 = fsub float %40, %38
  %42 = tail call float @llvm.fma.f32(float %41, float %37, float %38)
  %43 = fneg float %16
  %44 = fmul float %16, %43
  %45 = tail call float @llvm.nvvm.mul.rn.f(float %44, float 0x3FF7154760000000) #8
  %46 = tail call float @llvm.trunc.f32(float %45)
  %47 = tail call float @llvm.nvvm.fabs.f32(float %46)
  %48 = fcmp ogt float %47, 1.260000e+02
  %49 = tail call float @llvm.copysign.f32(float 1.260000e+02, float %46) #8
  %50 = select i1 %48, float %49, float %46
  %51 = tail call float @llvm.fma.f32(float %50, float 0xBFE62E4300000000, float %44)
  %52 = tail call float @llvm.fma.f32(float %50, float 0x3E205C6100000000, float %51)
  %53 = fmul float %52, 0x3FF7154760000000
  %54 = fadd float %50, 0x4168000FE0000000
  %55 = bitcast float %54 to i32
  %56 = shl i32 %55, 23
  %57 = bitcast i32 %56 to float
  %58 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %53)
  %59 = fmul float %58, %57
  %60 = fneg float %44
  %61 = tail call float @llvm.fma.f32(float %43, float %16, float %60)
  %62 = tail call float @llvm.fma.f32(float %59, float %61, float %59)
  %63 = fmul float %62, %42
  %64 = fcmp ogt float %16, 0x40241C2900000000
  %65 = select i1 %64, float 0.000000e+00, float %63
  %66 = fcmp olt float %15, 0.000000e+00
  %67 = fsub float 2.000000e+00, %65
  %68 = select i1 %66, float %67, float %65
  %69 = fmul contract float %14, %68
  %70 = getelementptr inbounds float, ptr %1, i64 %11
  store float %69, ptr %70, align 4, !tbaa !11
  br label %71

71:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @gelu_erfc_bf16(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #1 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %73

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds %struct.__nv_bfloat16, ptr %0, i64 %11
  %13 = load i16, ptr %12, align 2, !tbaa !14
  %14 = tail call contract noundef float asm "{ cvt.f32.bf16 $0, $1;}\0A", "=f,h"(i16 %13) #9, !srcloc !16
  %15 = fmul contract float %14, 5.000000e-01
  %16 = fmul contract float %14, 0xBFE6A09E60000000
  %17 = tail call float @llvm.nvvm.fabs.f32(float %16)
  %18 = fadd float %17, -4.000000e+00
  %19 = fadd float %17, 4.000000e+00
  %20 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %19) #7, !srcloc !13
  %21 = tail call float @llvm.nvvm.mul.rn.f(float %18, float %20) #8
  %22 = fadd float %21, 1.000000e+00
  %23 = tail call float @llvm.fma.f32(float %22, float -4.000000e+00, float %17)
  %24 = fneg float %21
  %25 = tail call float @llvm.fma.f32(float %24, float %17, float %23)
  %26 = tail call float @llvm.fma.f32(float %20, float %25, float %21)
  %27 = tail call float @llvm.fma.f32(float %26, float 0x3F4D341220000000, float 0x3F7CDC0B60000000)
  %28 = tail call float @llvm.fma.f32(float %27, float %26, float 0xBF903F6960000000)
  %29 = tail call float @llvm.fma.f32(float %28, float %26, float 0x3FA2A6E760000000)
  %30 = tail call float @llvm.fma.f32(float %29, float %26, float 0xBFB10F8B40000000)
  %31 = tail call float @llvm.fma.f32(float %30, float %26, float 0x3FB8043AA0000000)
  %32 = tail call float @llvm.fma.f32(float %31, float %26, float 0xBFB9DA8480000000)
  %33 = tail call float @llvm.fma.f32(float %32, float %26, float 0x3FB16E9BC0000000)
  %34 = tail call float @llvm.fma.f32(float %33, float %26, float 0x3F8F7E2E00000000)
  %35 = tail call float @llvm.fma.f32(float %34, float %26, float 0xBFC1DF1A80000000)
  %36 = tail call float @llvm.fma.f32(float %35, float %26, float 0x3FF3BA5920000000)
  %37 = tail call float @llvm.fma.f32(float %17, float 2.000000e+00, float 1.000000e+00)
  %38 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %37) #7, !srcloc !13
  %39 = tail call float @llvm.nvvm.mul.rn.f(float %36, float %38) #8
  %40 = fmul float %39, -2.000000e+00
  %41 = tail call float @llvm.fma.f32(float %17, float %40, float %36)
  %42 = fsub float %41, %39
  %43 = tail call float @llvm.fma.f32(float %42, float %38, float %39)
  %44 = fneg float %17
  %45 = fmul float %17, %44
  %46 = tail call float @llvm.nvvm.mul.rn.f(float %45, float 0x3FF7154760000000) #8
  %47 = tail call float @llvm.trunc.f32(float %46)
  %48 = tail call float @llvm.nvvm.fabs.f32(float %47)
  %49 = fcmp ogt float %48, 1.260000e+02
  %50 = tail call float @llvm.copysign.f32(float 1.260000e+02, float %47) #8
  %51 = select i1 %49, float %50, float %47
  %52 = tail call float @llvm.fma.f32(float %51, float 0xBFE62E4300000000, float %45)
  %53 = tail call float @llvm.fma.f32(float %51, float 0x3E205C6100000000, float %52)
  %54 = fmul float %53, 0x3FF7154760000000
  %55 = fadd float %51, 0x4168000FE0000000
  %56 = bitcast float %55 to i32
  %57 = shl i32 %56, 23
  %58 = bitcast i32 %57 to float
  %59 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %54)
  %60 = fmul float %59, %58
  %61 = fneg float %45
  %62 = tail call float @llvm.fma.f32(float %44, float %17, float %61)
  %63 = tail call float @llvm.fma.f32(float %60, float %62, float %60)
  %64 = fmul float %63, %43
  %65 = fcmp ogt float %17, 0x40241C2900000000
  %66 = select i1 %65, float 0.000000e+00, float %64
  %67 = fcmp olt float %16, 0.000000e+00
  %68 = fsub float 2.000000e+00, %66
  %69 = select i1 %67, float %68, float %66
  %70 = fmul contract float %15, %69
  %71 = tail call i16 asm "{  cvt.rn.bf16.f32 $0, $1;}\0A", "=h,f"(float %70) #9, !srcloc !17
  %72 = getelementptr inbounds %struct.__nv_bfloat16, ptr %1, i64 %11
  store i16 %71, ptr %72, align 2, !tbaa !14
  br label %73

73:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @gelu_normcdf(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %86

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = tail call float @llvm.nvvm.fabs.f32(float %13)
  %15 = fcmp ogt float %14, 1.450000e+01
  %16 = tail call float @llvm.copysign.f32(float 1.450000e+01, float %13) #8
  %17 = select i1 %15, float %16, float %13
  %18 = tail call float @llvm.nvvm.mul.rn.f(float %17, float 0xBFE6A09E60000000) #8
  %19 = fneg float %18
  %20 = tail call float @llvm.fma.f32(float %17, float 0xBFE6A09E60000000, float %19)
  %21 = tail call float @llvm.fma.f32(float %17, float 0xBE49FCEF40000000, float %20)
  %22 = tail call float @llvm.nvvm.add.rn.f(float %18, float %21) #8
  %23 = tail call float @llvm.nvvm.fabs.f32(float %22)
  %24 = fadd float %23, -4.000000e+00
  %25 = fadd float %23, 4.000000e+00
  %26 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %25) #7, !srcloc !13
  %27 = tail call float @llvm.nvvm.mul.rn.f(float %24, float %26) #8
  %28 = fadd float %27, 1.000000e+00
  %29 = tail call float @llvm.fma.f32(float %28, float -4.000000e+00, float %23)
  %30 = fneg float %27
  %31 = tail call float @llvm.fma.f32(float %30, float %23, float %29)
  %32 = tail call float @llvm.fma.f32(float %26, float %31, float %27)
  %33 = tail call float @llvm.fma.f32(float %32, float 0x3F4D341220000000, float 0x3F7CDC0B60000000)
  %34 = tail call float @llvm.fma.f32(float %33, float %32, float 0xBF903F6960000000)
  %35 = tail call float @llvm.fma.f32(float %34, float %32, float 0x3FA2A6E760000000)
  %36 = tail call float @llvm.fma.f32(float %35, float %32, float 0xBFB10F8B40000000)
  %37 = tail call float @llvm.fma.f32(float %36, float %32, float 0x3FB8043AA0000000)
  %38 = tail call float @llvm.fma.f32(float %37, float %32, float 0xBFB9DA8480000000)
  %39 = tail call float @llvm.fma.f32(float %38, float %32, float 0x3FB16E9BC0000000)
  %40 = tail call float @llvm.fma.f32(float %39, float %32, float 0x3F8F7E2E00000000)
  %41 = tail call float @llvm.fma.f32(float %40, float %32, float 0xBFC1DF1A80000000)
  %42 = tail call float @llvm.fma.f32(float %41, float %32, float 0x3FF3BA5920000000)
  %43 = tail call float @llvm.fma.f32(float %23, float 2.000000e+00, float 1.000000e+00)
  %44 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %43) #7, !srcloc !13
  %45 = tail call float @llvm.nvvm.mul.rn.f(float %42, float %44) #8
  %46 = fmul float %45, -2.000000e+00
  %47 = tail call float @llvm.fma.f32(float %23, float %46, float %42)
  %48 = fsub float %47, %45
  %49 = tail call float @llvm.fma.f32(float %48, float %44, float %45)
  %50 = fneg float %23
  %51 = fmul float %23, %50
  %52 = tail call float @llvm.nvvm.mul.rn.f(float %51, float 0x3FF7154760000000) #8
  %53 = tail call float @llvm.trunc.f32(float %52)
  %54 = tail call float @llvm.nvvm.fabs.f32(float %53)
  %55 = fcmp ogt float %54, 1.260000e+02
  %56 = tail call float @llvm.copysign.f32(float 1.260000e+02, float %53) #8
  %57 = select i1 %55, float %56, float %53
  %58 = tail call float @llvm.fma.f32(float %57, float 0xBFE62E4300000000, float %51)
  %59 = tail call float @llvm.fma.f32(float %57, float 0x3E205C6100000000, float %58)
  %60 = fmul float %59, 0x3FF7154760000000
  %61 = fadd float %57, 0x4168000FE0000000
  %62 = bitcast float %61 to i32
  %63 = shl i32 %62, 23
  %64 = bitcast i32 %63 to float
  %65 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %60)
  %66 = fmul float %65, %64
  %67 = fneg float %51
  %68 = tail call float @llvm.fma.f32(float %50, float %23, float %67)
  %69 = tail call float @llvm.fma.f32(float %66, float %68, float %66)
  %70 = fmul float %69, %49
  %71 = fcmp ogt float %23, 0x40241C2900000000
  %72 = select i1 %71, float 0.000000e+00, float %70
  %73 = fcmp olt float %22, 0.000000e+00
  %74 = fsub float 2.000000e+00, %72
  %75 = select i1 %73, float %74, float %72
  %76 = fcmp olt float %17, -1.000000e+00
  %77 = fsub float %18, %22
  %78 = tail call float @llvm.nvvm.add.rn.f(float %77, float %21) #8
  %79 = fmul float %22, -2.000000e+00
  %80 = fmul float %79, %75
  %81 = tail call float @llvm.fma.f32(float %80, float %78, float %75)
  %82 = select i1 %76, float %81, float %75
  %83 = fmul float %82, 5.000000e-01
  %84 = fmul contract float %13, %83
  %85 = getelementptr inbounds float, ptr %1, i64 %11
  store float %84, ptr %85, align 4, !tbaa !11
  br label %86

86:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @gelu_root(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #2 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %46

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = fmul contract float %13, 5.000000e-01
  %15 = tail call noundef float @llvm.nvvm.sqrt.approx.f(float 2.000000e+00) #8
  %16 = fdiv contract float %13, %15
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
  %40 = tail call float @llvm.copysign.f32(float %39, float %16) #8
  br label %41

41:                                               ; preds = %10, %37
  %42 = phi float [ %40, %37 ], [ %36, %10 ]
  %43 = fadd contract float %42, 1.000000e+00
  %44 = fmul contract float %14, %43
  %45 = getelementptr inbounds float, ptr %1, i64 %11
  store float %44, ptr %45, align 4, !tbaa !11
  br label %46

46:                                               ; preds = %3, %41
  ret void
}

; Function Attrs: noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @gelu_powf(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %123

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = fmul contract float %13, 5.000000e-01
  %15 = tail call float @llvm.nvvm.fabs.f32(float %13)
  %16 = fcmp olt float %15, 0x3810000000000000
  %17 = fmul float %15, 0x4170000000000000
  %18 = select i1 %16, float %17, float %15
  %19 = select i1 %16, float -2.400000e+01, float 0.000000e+00
  %20 = bitcast float %18 to i32
  %21 = add i32 %20, -1060439283
  %22 = and i32 %21, -8388608
  %23 = sub i32 %20, %22
  %24 = bitcast i32 %23 to float
  %25 = sitofp i32 %22 to float
  %26 = tail call float @llvm.fma.f32(float %25, float 0x3E80000000000000, float %19)
  %27 = fadd float %24, -1.000000e+00
  %28 = fadd float %24, 1.000000e+00
  %29 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %28) #7, !srcloc !13
  %30 = fmul float %27, 2.000000e+00
  %31 = fmul float %29, %30
  %32 = fmul float %31, %31
  %33 = fsub float %27, %31
  %34 = fmul float %33, 2.000000e+00
  %35 = fneg float %31
  %36 = tail call float @llvm.fma.f32(float %35, float %27, float %34)
  %37 = tail call float @llvm.nvvm.mul.rn.f(float %29, float %36) #8
  %38 = tail call float @llvm.fma.f32(float %32, float 0x3F45865C80000000, float 0x3F6A5CFB60000000)
  %39 = tail call float @llvm.fma.f32(float %38, float %32, float 0x3F92776E60000000)
  %40 = tail call float @llvm.fma.f32(float %39, float %32, float 0x3FBEC709E0000000)
  %41 = tail call float @llvm.nvvm.mul.rn.f(float %40, float %32) #8
  %42 = tail call float @llvm.fma.f32(float %31, float 0x3FF7154760000000, float %26)
  %43 = fsub float %26, %42
  %44 = tail call float @llvm.fma.f32(float %31, float 0x3FF7154760000000, float %43)
  %45 = tail call float @llvm.fma.f32(float %37, float 0x3FF7154760000000, float %44)
  %46 = tail call float @llvm.fma.f32(float %31, float 0x3E54ABC680000000, float %45)
  %47 = fmul float %41, 3.000000e+00
  %48 = tail call float @llvm.fma.f32(float %47, float %37, float %46)
  %49 = tail call float @llvm.fma.f32(float %41, float %31, float %48)
  %50 = tail call float @llvm.nvvm.add.rn.f(float %42, float %49) #8
  %51 = fneg float %42
  %52 = tail call float @llvm.nvvm.add.rn.f(float %50, float %51) #8
  %53 = fneg float %52
  %54 = tail call float @llvm.nvvm.add.rn.f(float %49, float %53) #8
  %55 = tail call float @llvm.nvvm.mul.rn.f(float %50, float 3.000000e+00) #8
  %56 = fneg float %55
  %57 = tail call float @llvm.fma.f32(float %50, float 3.000000e+00, float %56)
  %58 = tail call float @llvm.fma.f32(float %54, float 3.000000e+00, float %57)
  %59 = tail call float @llvm.nvvm.round.f(float %55) #8
  %60 = fsub float %55, %59
  %61 = fadd float %60, %58
  %62 = tail call float @llvm.fma.f32(float %61, float 0x3F23F971C0000000, float 0x3F55F0BDA0000000)
  %63 = tail call float @llvm.fma.f32(float %62, float %61, float 0x3F83B30AC0000000)
  %64 = tail call float @llvm.fma.f32(float %63, float %61, float 0x3FAC6AF760000000)
  %65 = tail call float @llvm.fma.f32(float %64, float %61, float 0x3FCEBFBD80000000)
  %66 = tail call float @llvm.fma.f32(float %65, float %61, float 0x3FE62E4300000000)
  %67 = tail call float @llvm.fma.f32(float %66, float %61, float 1.000000e+00)
  %68 = fptosi float %59 to i32
  %69 = fcmp ogt float %59, 0.000000e+00
  %70 = select i1 %69, i32 0, i32 -2097152000
  %71 = add nsw i32 %70, 2130706432
  %72 = bitcast i32 %71 to float
  %73 = fmul float %67, %72
  %74 = shl i32 %68, 23
  %75 = sub i32 %74, %70
  %76 = bitcast i32 %75 to float
  %77 = fmul float %73, %76
  %78 = tail call float @llvm.nvvm.fabs.f32(float %55)
  %79 = fcmp ogt float %78, 1.520000e+02
  %80 = fcmp olt float %55, 0.000000e+00
  %81 = select i1 %80, float 0.000000e+00, float 0x7FF0000000000000
  %82 = select i1 %79, float %81, float %77
  %83 = fcmp oeq float %13, 1.000000e+00
  br i1 %83, label %98, label %84

84:                                               ; preds = %10
  %85 = fcmp uno float %15, 0.000000e+00
  br i1 %85, label %86, label %88

86:                                               ; preds = %84
  %87 = tail call float @llvm.nvvm.add.rn.f(float %13, float 3.000000e+00) #8
  br label %98

88:                                               ; preds = %84
  %89 = fcmp oeq float %13, 0.000000e+00
  %90 = fcmp oeq float %15, 0x7FF0000000000000
  %91 = select i1 %89, i1 true, i1 %90
  br i1 %91, label %92, label %94

92:                                               ; preds = %88
  %93 = fadd float %13, %13
  br label %98

94:                                               ; preds = %88
  %95 = fcmp olt float %13, 0.000000e+00
  br i1 %95, label %96, label %98

96:                                               ; preds = %94
  %97 = fneg float %82
  br label %98

98:                                               ; preds = %10, %86, %92, %94, %96
  %99 = phi float [ 1.000000e+00, %10 ], [ %87, %86 ], [ %93, %92 ], [ %82, %94 ], [ %97, %96 ]
  %100 = fmul contract float %99, 0x3FA6E4E260000000
  %101 = fadd contract float %13, %100
  %102 = fmul contract float %101, 0x3FE9884540000000
  %103 = tail call float @llvm.nvvm.fabs.f32(float %102)
  %104 = fmul float %103, 0x4007154760000000
  %105 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %104)
  %106 = fadd float %105, 1.000000e+00
  %107 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %106) #7, !srcloc !13
  %108 = tail call float @llvm.fma.f32(float %107, float -2.000000e+00, float 1.000000e+00)
  %109 = fcmp oge float %103, 0x4022059680000000
  %110 = select i1 %109, float 1.000000e+00, float %108
  %111 = tail call float @llvm.copysign.f32(float %110, float %102) #8
  %112 = fmul float %102, %102
  %113 = tail call float @llvm.fma.f32(float %112, float 0x3F901E1040000000, float 0xBFAAC795C0000000)
  %114 = tail call float @llvm.fma.f32(float %113, float %112, float 0x3FC10B2820000000)
  %115 = tail call float @llvm.fma.f32(float %114, float %112, float 0xBFD5553DA0000000)
  %116 = tail call float @llvm.fma.f32(float %115, float %112, float 0.000000e+00)
  %117 = tail call float @llvm.fma.f32(float %116, float %102, float %102)
  %118 = fcmp oge float %103, 0x3FE3333340000000
  %119 = select i1 %118, float %111, float %117
  %120 = fadd contract float %119, 1.000000e+00
  %121 = fmul contract float %14, %120
  %122 = getelementptr inbounds float, ptr %1, i64 %11
  store float %121, ptr %122, align 4, !tbaa !11
  br label %123

123:                                              ; preds = %3, %98
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @tanh_expm1(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #2 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %46

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = fmul contract float %13, 2.000000e+00
  %15 = fmul float %14, 0x3FF7154760000000
  %16 = tail call float @llvm.nvvm.round.f(float %15) #8
  %17 = tail call float @llvm.nvvm.fabs.f32(float %14)
  %18 = fcmp olt float %17, 0x3FDA3D70A0000000
  %19 = select i1 %18, float 0.000000e+00, float %16
  %20 = fneg float %19
  %21 = tail call float @llvm.fma.f32(float %20, float 0x3FE62E4000000000, float %14)
  %22 = tail call float @llvm.fma.f32(float %20, float 0x3EB7F7D1C0000000, float %21)
  %23 = fcmp oeq float %19, 1.280000e+02
  %24 = select i1 %23, float 1.270000e+02, float %19
  %25 = tail call float @llvm.fma.f32(float %22, float 0x3F56BD7CC0000000, float 0x3F812ACC60000000)
  %26 = tail call float @llvm.fma.f32(float %25, float %22, float 0x3FA5557C60000000)
  %27 = tail call float @llvm.fma.f32(float %26, float %22, float 0x3FC5553EC0000000)
  %28 = tail call float @llvm.fma.f32(float %27, float %22, float 0x3FDFFFFFC0000000)
  %29 = fmul float %22, %28
  %30 = tail call float @llvm.fma.f32(float %29, float %22, float %22)
  %31 = tail call float @llvm.nvvm.ex2.approx.f32(float %24)
  %32 = fadd float %31, -1.000000e+00
  %33 = tail call float @llvm.fma.f32(float %30, float %31, float %32)
  %34 = fadd float %33, %33
  %35 = select i1 %23, float %34, float %33
  %36 = fcmp ogt float %24, 1.280000e+02
  %37 = select i1 %36, float 0x7FF0000000000000, float %35
  %38 = fcmp olt float %24, -2.500000e+01
  %39 = select i1 %38, float -1.000000e+00, float %37
  %40 = fcmp oeq float %14, 0.000000e+00
  %41 = fadd float %14, %14
  %42 = select i1 %40, float %41, float %39
  %43 = fadd contract float %42, 2.000000e+00
  %44 = fdiv contract float %42, %43
  %45 = getelementptr inbounds float, ptr %1, i64 %11
  store float %44, ptr %45, align 4, !tbaa !11
  br label %46

46:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @tanh_sinh_cosh(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #2 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %45

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = tail call float @llvm.nvvm.fabs.f32(float %13)
  %15 = tail call float @llvm.nvvm.mul.rn.f(float %14, float 0x3FF7154760000000) #8
  %16 = tail call float @llvm.trunc.f32(float %15)
  %17 = tail call float @llvm.nvvm.fabs.f32(float %16)
  %18 = fcmp ogt float %17, 1.260000e+02
  %19 = tail call float @llvm.copysign.f32(float 1.260000e+02, float %16) #8
  %20 = select i1 %18, float %19, float %16
  %21 = tail call float @llvm.fma.f32(float %20, float 0xBFE62E4300000000, float %14)
  %22 = tail call float @llvm.fma.f32(float %20, float 0x3E205C6100000000, float %21)
  %23 = fmul float %22, 0x3FF7154760000000
  %24 = fadd float %20, 0x4168000FA0000000
  %25 = bitcast float %24 to i32
  %26 = shl i32 %25, 23
  %27 = bitcast i32 %26 to float
  %28 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %23)
  %29 = fmul float %28, %27
  %30 = tail call float @llvm.nvvm.div.approx.ftz.f(float -1.250000e-01, float %29)
  %31 = tail call float @llvm.fma.f32(float %29, float 2.000000e+00, float %30)
  %32 = fmul float %13, %13
  %33 = tail call float @llvm.fma.f32(float %32, float 0x3EC7A15B40000000, float 0x3F29FFE920000000)
  %34 = tail call float @llvm.fma.f32(float %33, float %32, float 0x3F81111340000000)
  %35 = tail call float @llvm.fma.f32(float %34, float %32, float 0x3FC5555560000000)
  %36 = fmul float %32, %35
  %37 = tail call float @llvm.fma.f32(float %36, float %13, float %13)
  %38 = fcmp oge float %14, 1.000000e+00
  %39 = tail call float @llvm.copysign.f32(float %31, float %13) #8
  %40 = select i1 %38, float %39, float %37
  %41 = tail call float @llvm.nvvm.div.approx.ftz.f(float 1.250000e-01, float %29)
  %42 = tail call noundef float @llvm.fma.f32(float %29, float 2.000000e+00, float %41)
  %43 = fdiv contract float %40, %42
  %44 = getelementptr inbounds float, ptr %1, i64 %11
  store float %43, ptr %44, align 4, !tbaa !11
  br label %45

45:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @sigmoid_stable(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #2 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %48

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = fcmp contract ult float %13, 0.000000e+00
  br i1 %14, label %29, label %15

15:                                               ; preds = %10
  %16 = fneg contract float %13
  %17 = tail call float @llvm.fma.f32(float %16, float 0x3F777313A0000000, float 5.000000e-01)
  %18 = tail call float @llvm.nvvm.saturate.f(float %17) #8
  %19 = tail call float @llvm.nvvm.fma.rm.f(float %18, float 2.520000e+02, float 0x4168000020000000) #8
  %20 = fadd float %19, 0xC168000FE0000000
  %21 = fneg float %20
  %22 = tail call float @llvm.fma.f32(float %16, float 0x3FF7154760000000, float %21)
  %23 = tail call float @llvm.fma.f32(float %16, float 0x3E54AE0C00000000, float %22)
  %24 = bitcast float %19 to i32
  %25 = shl i32 %24, 23
  %26 = bitcast i32 %25 to float
  %27 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %23)
  %28 = fmul float %27, %26
  br label %42

29:                                               ; preds = %10
  %30 = tail call float @llvm.fma.f32(float %13, float 0x3F777313A0000000, float 5.000000e-01)
  %31 = tail call float @llvm.nvvm.saturate.f(float %30) #8
  %32 = tail call float @llvm.nvvm.fma.rm.f(float %31, float 2.520000e+02, float 0x4168000020000000) #8
  %33 = fadd float %32, 0xC168000FE0000000
  %34 = fneg float %33
  %35 = tail call float @llvm.fma.f32(float %13, float 0x3FF7154760000000, float %34)
  %36 = tail call float @llvm.fma.f32(float %13, float 0x3E54AE0C00000000, float %35)
  %37 = bitcast float %32 to i32
  %38 = shl i32 %37, 23
  %39 = bitcast i32 %38 to float
  %40 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %36)
  %41 = fmul float %40, %39
  br label %42

42:                                               ; preds = %15, %29
  %43 = phi float [ %41, %29 ], [ %28, %15 ]
  %44 = phi float [ %41, %29 ], [ 1.000000e+00, %15 ]
  %45 = fadd contract float %43, 1.000000e+00
  %46 = fdiv contract float %44, %45
  %47 = getelementptr inbounds float, ptr %1, i64 %11
  store float %46, ptr %47, align 4, !tbaa !11
  br label %48

48:                                               ; preds = %3, %42
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @sigmoid_exp10(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #2 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %30

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = fmul contract float %13, 0xBFDBCB7B20000000
  %15 = tail call float @llvm.fma.f32(float %14, float 0x3F8AFF4C40000000, float 5.000000e-01)
  %16 = tail call float @llvm.nvvm.saturate.f(float %15) #8
  %17 = tail call float @llvm.nvvm.fma.rm.f(float %16, float 2.520000e+02, float 0x4168000020000000) #8
  %18 = fadd float %17, 0xC168000FE0000000
  %19 = fneg float %18
  %20 = tail call float @llvm.fma.f32(float %14, float 0x400A934F00000000, float %19)
  %21 = tail call float @llvm.fma.f32(float %14, float 0x3E72F346E0000000, float %20)
  %22 = bitcast float %17 to i32
  %23 = shl i32 %22, 23
  %24 = bitcast i32 %23 to float
  %25 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %21)
  %26 = fmul float %25, %24
  %27 = fadd contract float %26, 1.000000e+00
  %28 = fdiv contract float 1.000000e+00, %27
  %29 = getelementptr inbounds float, ptr %1, i64 %11
  store float %28, ptr %29, align 4, !tbaa !11
  br label %30

30:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @elu(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #2 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %47

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = fcmp contract ogt float %13, 0.000000e+00
  br i1 %14, label %44, label %15

15:                                               ; preds = %10
  %16 = fmul float %13, 0x3FF7154760000000
  %17 = tail call float @llvm.nvvm.round.f(float %16) #8
  %18 = tail call float @llvm.nvvm.fabs.f32(float %13)
  %19 = fcmp olt float %18, 0x3FDA3D70A0000000
  %20 = select i1 %19, float 0.000000e+00, float %17
  %21 = fneg float %20
  %22 = tail call float @llvm.fma.f32(float %21, float 0x3FE62E4000000000, float %13)
  %23 = tail call float @llvm.fma.f32(float %21, float 0x3EB7F7D1C0000000, float %22)
  %24 = fcmp oeq float %20, 1.280000e+02
  %25 = select i1 %24, float 1.270000e+02, float %20
  %26 = tail call float @llvm.fma.f32(float %23, float 0x3F56BD7CC0000000, float 0x3F812ACC60000000)
  %27 = tail call float @llvm.fma.f32(float %26, float %23, float 0x3FA5557C60000000)
  %28 = tail call float @llvm.fma.f32(float %27, float %23, float 0x3FC5553EC0000000)
  %29 = tail call float @llvm.fma.f32(float %28, float %23, float 0x3FDFFFFFC0000000)
  %30 = fmul float %23, %29
  %31 = tail call float @llvm.fma.f32(float %30, float %23, float %23)
  %32 = tail call float @llvm.nvvm.ex2.approx.f32(float %25)
  %33 = fadd float %32, -1.000000e+00
  %34 = tail call float @llvm.fma.f32(float %31, float %32, float %33)
  %35 = fadd float %34, %34
  %36 = select i1 %24, float %35, float %34
  %37 = fcmp ogt float %25, 1.280000e+02
  %38 = select i1 %37, float 0x7FF0000000000000, float %36
  %39 = fcmp olt float %25, -2.500000e+01
  %40 = select i1 %39, float -1.000000e+00, float %38
  %41 = fcmp oeq float %13, 0.000000e+00
  %42 = fadd float %13, %13
  %43 = select i1 %41, float %42, float %40
  br label %44

44:                                               ; preds = %10, %15
  %45 = phi contract float [ %43, %15 ], [ %13, %10 ]
  %46 = getelementptr inbounds float, ptr %1, i64 %11
  store float %45, ptr %46, align 4, !tbaa !11
  br label %47

47:                                               ; preds = %3, %44
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @cube_root(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #2 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %31

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = tail call float @llvm.nvvm.fabs.f32(float %13)
  %15 = tail call float @llvm.nvvm.lg2.approx.f(float %14) #8
  %16 = fmul float %15, 0xBFE5555560000000
  %17 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %16)
  %18 = fmul float %14, %17
  %19 = fneg float %18
  %20 = fmul float %17, %19
  %21 = tail call float @llvm.fma.f32(float %18, float %20, float 1.000000e+00)
  %22 = fmul float %21, 0x3FD5555560000000
  %23 = tail call float @llvm.fma.f32(float %18, float %22, float %18)
  %24 = fcmp olt float %13, 0.000000e+00
  %25 = fneg float %23
  %26 = select i1 %24, float %25, float %23
  %27 = fadd float %13, %13
  %28 = fcmp oeq float %27, %13
  %29 = select i1 %28, float %27, float %26
  %30 = getelementptr inbounds float, ptr %1, i64 %11
  store float %29, ptr %30, align 4, !tbaa !11
  br label %31

31:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @inverse_cube_root(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #2 {
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
  %14 = tail call float @llvm.nvvm.fabs.f32(float %13)
  %15 = tail call float @llvm.nvvm.lg2.approx.f(float %14) #8
  %16 = fmul float %15, 0xBFD5555560000000
  %17 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %16)
  %18 = fmul float %17, %17
  %19 = fneg float %14
  %20 = fmul float %17, %19
  %21 = tail call float @llvm.fma.f32(float %18, float %20, float 1.000000e+00)
  %22 = fmul float %17, 0x3FD5555560000000
  %23 = tail call float @llvm.fma.f32(float %21, float %22, float %17)
  %24 = fcmp olt float %13, 0.000000e+00
  %25 = fneg float %23
  %26 = select i1 %24, float %25, float %23
  %27 = fadd float %13, %13
  %28 = fcmp oeq float %27, %13
  %29 = bitcast float %27 to i32
  %30 = xor i32 %29, 2139095040
  %31 = bitcast i32 %30 to float
  %32 = select i1 %28, float %31, float %26
  %33 = getelementptr inbounds float, ptr %1, i64 %11
  store float %32, ptr %33, align 4, !tbaa !11
  br label %34

34:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @power_of_ten(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #2 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %27

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = tail call float @llvm.fma.f32(float %13, float 0x3F8AFF4C40000000, float 5.000000e-01)
  %15 = tail call float @llvm.nvvm.saturate.f(float %14) #8
  %16 = tail call float @llvm.nvvm.fma.rm.f(float %15, float 2.520000e+02, float 0x4168000020000000) #8
  %17 = fadd float %16, 0xC168000FE0000000
  %18 = fneg float %17
  %19 = tail call float @llvm.fma.f32(float %13, float 0x400A934F00000000, float %18)
  %20 = tail call float @llvm.fma.f32(float %13, float 0x3E72F346E0000000, float %19)
  %21 = bitcast float %16 to i32
  %22 = shl i32 %21, 23
  %23 = bitcast i32 %22 to float
  %24 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %20)
  %25 = fmul float %24, %23
  %26 = getelementptr inbounds float, ptr %1, i64 %11
  store float %25, ptr %26, align 4, !tbaa !11
  br label %27

27:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: noinline norecurse nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @upper_tail(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %68

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = tail call float @llvm.nvvm.fabs.f32(float %13)
  %15 = fadd float %14, -4.000000e+00
  %16 = fadd float %14, 4.000000e+00
  %17 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %16) #7, !srcloc !13
  %18 = tail call float @llvm.nvvm.mul.rn.f(float %15, float %17) #8
  %19 = fadd float %18, 1.000000e+00
  %20 = tail call float @llvm.fma.f32(float %19, float -4.000000e+00, float %14)
  %21 = fneg float %18
  %22 = tail call float @llvm.fma.f32(float %21, float %14, float %20)
  %23 = tail call float @llvm.fma.f32(float %17, float %22, float %18)
  %24 = tail call float @llvm.fma.f32(float %23, float 0x3F4D341220000000, float 0x3F7CDC0B60000000)
  %25 = tail call float @llvm.fma.f32(float %24, float %23, float 0xBF903F6960000000)
  %26 = tail call float @llvm.fma.f32(float %25, float %23, float 0x3FA2A6E760000000)
  %27 = tail call float @llvm.fma.f32(float %26, float %23, float 0xBFB10F8B40000000)
  %28 = tail call float @llvm.fma.f32(float %27, float %23, float 0x3FB8043AA0000000)
  %29 = tail call float @llvm.fma.f32(float %28, float %23, float 0xBFB9DA8480000000)
  %30 = tail call float @llvm.fma.f32(float %29, float %23, float 0x3FB16E9BC0000000)
  %31 = tail call float @llvm.fma.f32(float %30, float %23, float 0x3F8F7E2E00000000)
  %32 = tail call float @llvm.fma.f32(float %31, float %23, float 0xBFC1DF1A80000000)
  %33 = tail call float @llvm.fma.f32(float %32, float %23, float 0x3FF3BA5920000000)
  %34 = tail call float @llvm.fma.f32(float %14, float 2.000000e+00, float 1.000000e+00)
  %35 = tail call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %34) #7, !srcloc !13
  %36 = tail call float @llvm.nvvm.mul.rn.f(float %33, float %35) #8
  %37 = fmul float %36, -2.000000e+00
  %38 = tail call float @llvm.fma.f32(float %14, float %37, float %33)
  %39 = fsub float %38, %36
  %40 = tail call float @llvm.fma.f32(float %39, float %35, float %36)
  %41 = fneg float %14
  %42 = fmul float %14, %41
  %43 = tail call float @llvm.nvvm.mul.rn.f(float %42, float 0x3FF7154760000000) #8
  %44 = tail call float @llvm.trunc.f32(float %43)
  %45 = tail call float @llvm.nvvm.fabs.f32(float %44)
  %46 = fcmp ogt float %45, 1.260000e+02
  %47 = tail call float @llvm.copysign.f32(float 1.260000e+02, float %44) #8
  %48 = select i1 %46, float %47, float %44
  %49 = tail call float @llvm.fma.f32(float %48, float 0xBFE62E4300000000, float %42)
  %50 = tail call float @llvm.fma.f32(float %48, float 0x3E205C6100000000, float %49)
  %51 = fmul float %50, 0x3FF7154760000000
  %52 = fadd float %48, 0x4168000FE0000000
  %53 = bitcast float %52 to i32
  %54 = shl i32 %53, 23
  %55 = bitcast i32 %54 to float
  %56 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %51)
  %57 = fmul float %56, %55
  %58 = fneg float %42
  %59 = tail call float @llvm.fma.f32(float %41, float %14, float %58)
  %60 = tail call float @llvm.fma.f32(float %57, float %59, float %57)
  %61 = fmul float %60, %40
  %62 = fcmp ogt float %14, 0x40241C2900000000
  %63 = select i1 %62, float 0.000000e+00, float %61
  %64 = fcmp olt float %13, 0.000000e+00
  %65 = fsub float 2.000000e+00, %63
  %66 = select i1 %64, float %65, float %63
  %67 = getelementptr inbounds float, ptr %1, i64 %11
  store float %66, ptr %67, align 4, !tbaa !11
  br label %68

68:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @hyperbolic_sine(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #2 {
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %42

10:                                               ; preds = %3
  %11 = sext i32 %8 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !11
  %14 = tail call float @llvm.nvvm.fabs.f32(float %13)
  %15 = tail call float @llvm.nvvm.mul.rn.f(float %14, float 0x3FF7154760000000) #8
  %16 = tail call float @llvm.trunc.f32(float %15)
  %17 = tail call float @llvm.nvvm.fabs.f32(float %16)
  %18 = fcmp ogt float %17, 1.260000e+02
  %19 = tail call float @llvm.copysign.f32(float 1.260000e+02, float %16) #8
  %20 = select i1 %18, float %19, float %16
  %21 = tail call float @llvm.fma.f32(float %20, float 0xBFE62E4300000000, float %14)
  %22 = tail call float @llvm.fma.f32(float %20, float 0x3E205C6100000000, float %21)
  %23 = fmul float %22, 0x3FF7154760000000
  %24 = fadd float %20, 0x4168000FA0000000
  %25 = bitcast float %24 to i32
  %26 = shl i32 %25, 23
  %27 = bitcast i32 %26 to float
  %28 = tail call float @llvm.nvvm.ex2.approx.ftz.f32(float %23)
  %29 = fmul float %28, %27
  %30 = tail call float @llvm.nvvm.div.approx.ftz.f(float -1.250000e-01, float %29)
  %31 = tail call float @llvm.fma.f32(float %29, float 2.000000e+00, float %30)
  %32 = fmul float %13, %13
  %33 = tail call float @llvm.fma.f32(float %32, float 0x3EC7A15B40000000, float 0x3F29FFE920000000)
  %34 = tail call float @llvm.fma.f32(float %33, float %32, float 0x3F81111340000000)
  %35 = tail call float @llvm.fma.f32(float %34, float %32, float 0x3FC5555560000000)
  %36 = fmul float %32, %35
  %37 = tail call float @llvm.fma.f32(float %36, float %13, float %13)
  %38 = fcmp oge float %14, 1.000000e+00
  %39 = tail call float @llvm.copysign.f32(float %31, float %13) #8
  %40 = select i1 %38, float %39, float %37
  %41 = getelementptr inbounds float, ptr %1, i64 %11
  store float %40, ptr %41, align 4, !tbaa !11
  br label %42

42:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.approx.f(float) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.f32(float) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.copysign.f32(float, float) #5

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.saturate.f(float) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fma.rm.f(float, float, float) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.mul.rn.f(float, float) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.div.approx.ftz.f(float, float) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.round.f(float) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f32(float) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.lg2.approx.f(float) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.add.rn.f(float, float) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.trunc.f32(float) #6

attributes #0 = { noinline norecurse nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "nvvm.maxntid"="256" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { convergent noinline norecurse nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "nvvm.maxntid"="256" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #2 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "nvvm.maxntid"="256" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #5 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #7 = { nounwind memory(none) }
attributes #8 = { nounwind }
attributes #9 = { convergent nounwind memory(none) }

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
!14 = !{!15, !15, i64 0}
!15 = !{!"short", !8, i64 0}
!16 = !{i64 2158472636}
!17 = !{i64 2158411346}
