// RUN: poly-opt %s --poly-expand --split-input-file | FileCheck %s

gpu.module @m {
  // One op per instruction, constants once at the top of the kernel.
  // CHECK-LABEL: gpu.func @packed
  // CHECK-SAME: (%[[X:.*]]: vector<2xbf16>, %[[Y:.*]]: vector<2xbf16>)
  gpu.func @packed(%x: vector<2xbf16>, %y: vector<2xbf16>) -> (vector<2xbf16>, vector<2xbf16>) {
    // CHECK: %[[C:.*]] = llvm.call_intrinsic "llvm.nvvm.fmin.nan.xorsign.abs.bf16x2"(%[[X]], %{{.*}})
    // CHECK: %[[T:.*]] = llvm.call_intrinsic "llvm.fabs"(%[[C]])
    // CHECK: %[[Q:.*]] = llvm.intr.fma(%{{.*}}) : (vector<2xbf16>, vector<2xbf16>, vector<2xbf16>) -> vector<2xbf16>
    // CHECK: %[[Q2:.*]] = llvm.intr.fma(%{{.*}})
    // CHECK: llvm.call_intrinsic "llvm.nvvm.fma.rn.relu.bf16x2"
    // CHECK-NOT: llvm.mlir.constant
    // CHECK: llvm.call_intrinsic "llvm.nvvm.fma.rn.relu.bf16x2"
    // CHECK-NOT: {{poly|llvm.mlir.constant}}
    %0 = poly.apply <"sigmoid-half3-bf16x2"> %x : vector<2xbf16> to vector<2xbf16>
    %1 = poly.apply <"sigmoid-half3-bf16x2"> %y : vector<2xbf16> to vector<2xbf16>
    gpu.return %0, %1 : vector<2xbf16>, vector<2xbf16>
  }
}

// -----

gpu.module @m {
  // f32 lanes are packed by one conversion, lane 1 in the upper half.
  // CHECK-LABEL: gpu.func @from_f32
  // CHECK-SAME: (%[[X:.*]]: vector<2xf32>)
  gpu.func @from_f32(%x: vector<2xf32>) -> vector<2xbf16> {
    // CHECK: %[[LO:.*]] = vector.extract %[[X]][0]
    // CHECK: %[[HI:.*]] = vector.extract %[[X]][1]
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[HI]], %[[LO]])
    %0 = poly.apply <"tanh-half3-f32-bf16x2"> %x : vector<2xf32> to vector<2xbf16>
    gpu.return %0 : vector<2xbf16>
  }
}

// -----

gpu.module @m {
  // A lone element: half the special function work, the same instructions for
  // the lane, and a zero beside it.
  // CHECK-LABEL: gpu.func @lone
  // CHECK-SAME: (%[[X:.*]]: bf16, %[[F:.*]]: f32)
  gpu.func @lone(%x: bf16, %f: f32) -> (bf16, bf16) {
    // CHECK-COUNT-1: ex2.approx
    // CHECK-NOT: ex2.approx
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[Z:[^,]*]], %{{.*}})
    // CHECK: %[[A:.*]] = vector.extract %{{.*}}[0] : bf16
    %0 = poly.apply <"silu-ex2poly-bf16x2"> %x : bf16 to bf16
    // CHECK-COUNT-1: ex2.approx
    // CHECK-NOT: ex2.approx
    // CHECK: %[[B:.*]] = vector.extract %{{.*}}[0] : bf16
    // CHECK: gpu.return %[[A]], %[[B]]
    %1 = poly.apply <"silu-ex2poly-f32-bf16x2"> %f : f32 to bf16
    gpu.return %0, %1 : bf16, bf16
  }
}

// -----

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

// -----

gpu.module @m {
  // Function ops that no planner saw: the replaced value, else the plain
  // spelling under the same flags.
  // CHECK-LABEL: gpu.func @unplanned
  // CHECK-SAME: (%[[X:.*]]: f32, %[[WAS:.*]]: f32)
  gpu.func @unplanned(%x: f32, %was: f32) -> (f32, f32, f32) {
    %0 = poly.sigmoid %x replaces %was : f32
    // CHECK: %[[N:.*]] = arith.negf %[[X]] fastmath<contract> : f32
    // CHECK: %[[E:.*]] = math.exp %[[N]] fastmath<contract> : f32
    // CHECK: %[[D:.*]] = arith.addf %{{.*}}, %[[E]] fastmath<contract> : f32
    // CHECK: %[[S:.*]] = arith.divf %[[X]], %[[D]] fastmath<contract> : f32
    %1 = poly.silu %x fastmath<contract> : f32
    // CHECK: %[[T:.*]] = math.tanh %[[X]] : f32
    %2 = poly.tanh %x : f32
    // CHECK: gpu.return %[[WAS]], %[[S]], %[[T]]
    gpu.return %0, %1, %2 : f32, f32, f32
  }
}

// -----

// Host code has no programs; hand-written ops get their plain spelling.
// CHECK-LABEL: func.func @host
func.func @host(%x: vector<4xf32>) -> vector<4xf32> {
  // CHECK: math.exp
  // CHECK: arith.divf
  // CHECK-NOT: poly.
  %0 = poly.sigmoid %x : vector<4xf32>
  return %0 : vector<4xf32>
}
