; Every mistake: a message that says what to do, a non-zero exit, no output.
; RUN: rm -rf %t && split-file %s %t
; RUN: not poly-compile %t/host.ll -o %t/o.ll 2>&1 | FileCheck %s --check-prefix=HOST
; RUN: not poly-compile %t/unknown.ll -o %t/o.ll 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; RUN: not poly-compile %t/syntax.ll -o %t/o.ll 2>&1 | FileCheck %s --check-prefix=SYNTAX
; RUN: not poly-compile %t/chip.ll -o %t/o.ll --chip=sm_90 2>&1 | FileCheck %s --check-prefix=CHIP
; RUN: not poly-compile %t/odd-chip.ll -o %t/o.ll 2>&1 | FileCheck %s --check-prefix=ODD
; RUN: not poly-compile %t/budget.ll -o %t/o.ll --budget=atol=1e-30 2>&1 | FileCheck %s --check-prefix=BUDGET
; RUN: not poly-compile %t/module.mlir -o %t/o.ll 2>&1 | FileCheck %s --check-prefix=MLIR
; RUN: echo 'BC' > %t/broken.bc
; RUN: not poly-compile %t/broken.bc -o %t/o.ll 2>&1 | FileCheck %s --check-prefix=BROKEN
; RUN: not poly-compile %t/none.ll -o %t/o.ll 2>&1 | FileCheck %s --check-prefix=NONE
; RUN: not ls %t/o.ll
; The chip is taken from the functions.
; RUN: poly-compile %t/chip.ll -o - | FileCheck %s --check-prefix=SM80

; HOST: error: {{.*}}host.ll: its target is x86_64-unknown-linux-gnu, but poly works on GPU code; compile it for nvptx64-nvidia-cuda
; UNKNOWN: error: {{.*}}unknown.ll: it has neither a target triple nor a ptx_kernel function
; SYNTAX: error: {{.*}}syntax.ll:3:{{[0-9]+}}: error: expected
; CHIP: error: the input was compiled for sm_80, not for sm_90; compile it for sm_90, or drop --chip
; ODD: error: the input was compiled for the unknown chip 'sm_1'; known chips are sm_70
; BUDGET: k.cu:3:4: error: no program for sigmoid {{.*}} meets the required accuracy
; MLIR: error: LLVM IR is written for LLVM IR that was read
; BROKEN: error: {{.*}}broken.bc:1:1: error: expected top-level entity
; NONE: error: cannot open input file
; SM80: .target sm_80

;--- host.ll
target triple = "x86_64-unknown-linux-gnu"
define void @f() {
  ret void
}
;--- unknown.ll
define void @f() {
  ret void
}
;--- syntax.ll
target triple = "nvptx64-nvidia-cuda"
define void @f( {
  ret void
}
;--- chip.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @f() #0 {
  ret void
}
attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx72,+sm_80" }
;--- odd-chip.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @f() #0 {
  ret void
}
attributes #0 = { "target-cpu"="sm_1" }
;--- budget.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @f(ptr addrspace(1) %p) !dbg !4 {
  %x = load float, ptr addrspace(1) %p
  %s = fmul float %x, 0xBFF7154760000000
  %e = call float @llvm.nvvm.ex2.approx.f(float %s)
  %d = fadd float %e, 1.000000e+00
  %r = call float @llvm.nvvm.div.full(float 1.000000e+00, float %d), !dbg !6
  store float %r, ptr addrspace(1) %p
  ret void
}
declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.div.full(float, float)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "p", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cu", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !5, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !3)
!6 = !DILocation(line: 3, column: 4, scope: !4)
;--- module.mlir
gpu.module @m {
}
