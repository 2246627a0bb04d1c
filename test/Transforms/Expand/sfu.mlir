// RUN: poly-opt %s --poly-expand | FileCheck %s

gpu.module @m {
  // Special function unit instructions keep their exact PTX spelling.
  // CHECK-LABEL: gpu.func @sfu
  gpu.func @sfu(%x: f32) -> f32 {
    // CHECK: llvm.inline_asm asm_dialect = att "ex2.approx.f32 $0, $1;", "=f,f"
    // CHECK: llvm.inline_asm asm_dialect = att "rcp.approx.ftz.f32 $0, $1;", "=f,f"
    %0 = poly.apply <"silu-sfu-f32"> %x : f32 to f32
    gpu.return %0 : f32
  }
}
