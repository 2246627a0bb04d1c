// RUN: poly-compile %s -o %t.ptx --chip=sm_90 --budget=atol=6e-2 --report=%t.json
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// RUN: poly-compile %s --budget=atol=6e-2 --table 2>&1 >/dev/null | FileCheck %s --check-prefix=TABLE
// RUN: poly-compile %s -o %t.mlir --budget=atol=6e-2 && FileCheck %s --input-file=%t.mlir --check-prefix=MLIR

// Six packed instructions a pair, 16 bytes an access.
// CHECK: .target sm_90
// CHECK: .visible .entry silu
// CHECK: ld.global.v4.b32
// CHECK-NOT: cvt.f32.bf16
// CHECK-COUNT-4: fma.rn.relu.bf16x2
// CHECK-NOT: {{ex2|rcp|tanh}}
// CHECK: st.global.v4.b32

// JSON: "function": "silu"
// JSON: "decision": "applied"
// TABLE: silu{{ +}}silu{{ +}}applied{{ +}}silu-{{.*}}-bf16x2
// MLIR: gpu.func @silu
// MLIR: llvm.nvvm.fma.rn.relu.bf16x2
gpu.module @m {
  gpu.func @silu(%x: memref<?xbf16>, %o: memref<?xbf16>) kernel {
    %t = gpu.global_id x
    %c8 = arith.constant 8 : index
    %i = arith.muli %t, %c8 : index
    %v = vector.load %x[%i] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
    %f = arith.extf %v : vector<8xbf16> to vector<8xf32>
    %n = arith.negf %f fastmath<afn> : vector<8xf32>
    %e = math.exp %n fastmath<afn> : vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %d = arith.addf %one, %e fastmath<afn> : vector<8xf32>
    %s = arith.divf %f, %d fastmath<afn> : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    vector.store %r, %o[%i] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
    gpu.return
  }
}
