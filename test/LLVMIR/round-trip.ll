; What the passes rewrite is grafted into the module that was read; the rest of
; it never takes the detour.
; RUN: poly-compile %s -o %t.ll --budget=atol=1e-3 --report=%t.json
; RUN: FileCheck %s --input-file=%t.ll
; RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
; RUN: poly-compile %s -o %t.bc --budget=atol=1e-3
; RUN: llvm-dis %t.bc -o - | FileCheck %s
; RUN: poly-compile %s -o %t.ptx --budget=atol=1e-3 --metadata=%t-meta.json
; RUN: FileCheck %s --input-file=%t-meta.json --check-prefix=META
; RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
; RUN: poly-compile %s -o %t.mlir --budget=atol=1e-3
; RUN: FileCheck %s --input-file=%t.mlir --check-prefix=MLIR

; Without permission, the output is the input.
; RUN: poly-compile %s -o %t-new.ll --policy=off
; RUN: FileCheck %s --input-file=%t-new.ll --check-prefix=INTRINSIC
; RUN: opt -S %t-new.ll -o %t-off.ll
; RUN: opt -S %s -o %t-in.ll
; RUN: grep -v ModuleID %t-in.ll > %t-in.txt
; RUN: grep -v ModuleID %t-off.ll > %t-off.txt
; RUN: diff %t-in.txt %t-off.txt

; Attributes of intrinsics are left to whoever reads them.
; INTRINSIC: declare i32 @llvm.nvvm.read.ptx.sreg.tid.x(){{$}}
; INTRINSIC: declare float @llvm.nvvm.ex2.approx.f(float){{$}}

; META: "kernels": [
; META: "name": "sigmoids"
; META-COUNT-2: "type": "ptr"
; META: "type": "f32"
; META: "info": {}
; META: "sites": [
; META: "function": "sigmoids"

; JSON: "function": "sigmoids"
; JSON: "decision": "applied"

; CHECK: target datalayout = "e-p3:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
; CHECK-NOT: target triple
; CHECK: @tile = external addrspace(3) global [0 x i8], align 16
; CHECK: define ptx_kernel void @sigmoids(ptr addrspace(1) readonly align 16 captures(none) %in, ptr addrspace(1) %out, float %unused)
; CHECK-SAME: #[[KERNEL:[0-9]+]] !dbg ![[PROGRAM:[0-9]+]]
; CHECK: asm sideeffect "bar.sync 1, 64;", ""() #[[BARRIER:[0-9]+]], !srcloc
; CHECK: load float, ptr addrspace(1) %{{.*}} !dbg ![[LOAD:[0-9]+]]
; CHECK-NOT: ex2.approx
; CHECK: asm "tanh.approx.f32 $0, $1;", "=f,f"(float %{{.*}}) #{{[0-9]+}}, !dbg
; CHECK-NOT: ex2.approx
; CHECK: ret void, !dbg
; CHECK: define internal float @untouched(float %x) #[[INLINE:[0-9]+]]
; CHECK-NEXT: %a = fadd contract float %x, 1.000000e+00, !range_like
; CHECK: attributes #[[KERNEL]] = { nounwind "nvvm.maxntid"="256" "nvvm.minctasm"="2" "nvvm.reqntid"="128" }
; CHECK: attributes #[[BARRIER]] = { convergent nounwind }
; CHECK: !named = !{![[NAMED:[0-9]+]]}
; CHECK: ![[PROGRAM]] = distinct !DISubprogram(name: "sigmoids"
; CHECK: ![[LOAD]] = !DILocation(line: 12, column: 7, scope: ![[PROGRAM]])

; ptxas would not optimise for a target with `debug`.
; PTX: .target sm_90{{$}}
; PTX: .extern .shared .align 16 .b8 tile[];
; PTX: .visible .entry sigmoids(
; PTX: .reqntid 128
; PTX: .minnctapersm 2
; PTX: bar.sync 1, 64;
; PTX: tanh.approx.f32
; PTX-NOT: ex2.approx

; MLIR: llvm.func ptx_kernelcc @sigmoids
; MLIR: tanh.approx.f32
target datalayout = "e-p3:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

%pair = type { i32, i32 }

@tile = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @sigmoids(ptr addrspace(1) readonly align 16 captures(none) %in, ptr addrspace(1) %out, float %unused) #0 !dbg !5 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !8
  call void asm sideeffect "bar.sync 1, 64;", ""() #1, !srcloc !10
  %where = getelementptr %pair, ptr addrspace(1) %in, i32 %tid, i32 1
  %x = load float, ptr addrspace(1) %where, align 4, !dbg !9
  %n = fsub float 0.000000e+00, %x, !dbg !8
  %s = fmul float %n, 0x3FF7154760000000, !dbg !8
  %e = call float @llvm.nvvm.ex2.approx.f(float %s), !dbg !8
  %d = fadd float %e, 1.000000e+00, !dbg !8
  %r = call float @llvm.nvvm.div.full(float 1.000000e+00, float %d), !dbg !8
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %r, ptr addrspace(1) %to, align 4, !dbg !8
  %y = call float @untouched(float %x), !dbg !8
  store float %y, ptr addrspace(3) @tile, align 4, !dbg !8
  ret void, !dbg !8
}

define internal float @untouched(float %x) #2 {
  %a = fadd contract float %x, 1.000000e+00, !range_like !10
  ret float %a
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.div.full(float, float)

attributes #0 = { nounwind "nvvm.maxntid"="256" "nvvm.reqntid"="128" "nvvm.minctasm"="2" }
attributes #1 = { convergent nounwind }
attributes #2 = { noinline }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!named = !{!10}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "p", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.py", directory: "d")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "sigmoids", linkageName: "sigmoids", scope: !1, file: !1, line: 7, type: !6, scopeLine: 7, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!6 = !DISubroutineType(cc: DW_CC_normal, types: !7)
!7 = !{}
!8 = !DILocation(line: 8, column: 20, scope: !5)
!9 = !DILocation(line: 12, column: 7, scope: !5)
!10 = !{i32 77}
