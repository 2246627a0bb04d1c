// RUN: poly-opt %s --poly-raise | FileCheck %s

// Sines and cosines of phases in turns, in every spelling.

gpu.module @turns {
  // A Q0.32 phase, sine and cosine: one phase, one pair.
  // CHECK-LABEL: func.func @fixed_point
  // CHECK:         %[[F:.*]] = arith.sitofp
  // CHECK:         %[[X:.*]] = arith.mulf %[[F]], %{{.*}} fastmath<afn>
  // CHECK:         %[[S:.*]] = math.sin
  // CHECK-NEXT:    poly.sin_turn %[[X]] replaces %[[S]] fastmath<afn> consent {poly.pair = 0 : i64} : vector<8xf32>
  // CHECK:         %[[C:.*]] = math.cos
  // CHECK-NEXT:    poly.cos_turn %[[X]] replaces %[[C]] fastmath<afn> consent {poly.pair = 0 : i64} : vector<8xf32>
  func.func @fixed_point(%p: vector<8xi32>, %f: vector<8xi32>)
      -> (vector<8xf32>, vector<8xf32>) {
    %ulp = arith.constant dense<2.3283064365386963e-10> : vector<8xf32>
    %tau = arith.constant dense<6.283185307179586> : vector<8xf32>
    %t = arith.muli %p, %f : vector<8xi32>
    %i = arith.sitofp %t : vector<8xi32> to vector<8xf32>
    %x = arith.mulf %i, %ulp fastmath<afn> : vector<8xf32>
    %a = arith.mulf %x, %tau fastmath<afn> : vector<8xf32>
    %s = math.sin %a fastmath<afn> : vector<8xf32>
    %c = math.cos %a fastmath<afn> : vector<8xf32>
    return %s, %c : vector<8xf32>, vector<8xf32>
  }

  // One constant 2 pi 2^-32; the phase is made.
  // CHECK-LABEL: func.func @folded
  // CHECK:         %[[F:.*]] = arith.sitofp %arg0
  // CHECK:         %[[K:.*]] = arith.constant 2.32830644E-10
  // CHECK:         %[[X:.*]] = arith.mulf %{{.*}}, %[[K]] : f32
  // CHECK:         poly.sin_turn %[[X]]
  func.func @folded(%t: i32) -> f32 {
    %k = arith.constant 1.46291808e-9 : f32
    %i = arith.sitofp %t : i32 to f32
    %a = arith.mulf %k, %i fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    return %s : f32
  }

  // An unsigned phase goes from 0 to 1: read as signed it is a turn less.
  // CHECK-LABEL: func.func @unsigned
  // CHECK-DAG:     %[[F:.*]] = arith.sitofp %arg0 : i32 to f32
  // CHECK-DAG:     %[[X:.*]] = arith.mulf %[[F]], %{{.*}} : f32
  // CHECK:         poly.cos_turn %[[X]]
  func.func @unsigned(%t: i32) -> f32 {
    %ulp = arith.constant 2.3283064365386963e-10 : f32
    %tau = arith.constant 6.2831855 : f32
    %i = arith.uitofp %t : i32 to f32
    %x = arith.mulf %i, %ulp fastmath<afn> : f32
    %a = arith.mulf %x, %tau fastmath<afn> : f32
    %c = math.cos %a fastmath<afn> : f32
    return %c : f32
  }

  // Sixteen bits of a phase, once signed and once through a wider integer.
  // CHECK-LABEL: func.func @upper_half
  // CHECK:         poly.sin_turn
  // CHECK:         %[[N:.*]] = arith.trunci
  // CHECK-NEXT:    %[[F:.*]] = arith.sitofp %[[N]] : i16 to f32
  // CHECK:         poly.sin_turn
  func.func @upper_half(%t: i32) -> (f32, f32) {
    %c16 = arith.constant 16 : i32
    %k = arith.constant 9.5873799e-05 : f32
    %h = arith.shrsi %t, %c16 : i32
    %i = arith.sitofp %h : i32 to f32
    %a = arith.mulf %i, %k fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    %n = arith.trunci %t : i32 to i16
    %w = arith.extui %n : i16 to i32
    %j = arith.sitofp %w : i32 to f32
    %b = arith.mulf %j, %k fastmath<afn> : f32
    %r = math.sin %b fastmath<afn> : f32
    return %s, %r : f32, f32
  }

  // Reduced in floating point.
  // CHECK-LABEL: func.func @nearest
  // CHECK:         %[[X:.*]] = arith.subf
  // CHECK:         poly.sin_turn %[[X]]
  func.func @nearest(%t: f32) -> f32 {
    %tau = arith.constant 6.2831855 : f32
    %n = math.roundeven %t : f32
    %x = arith.subf %t, %n fastmath<afn> : f32
    %a = arith.mulf %x, %tau fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    return %s : f32
  }

  // CHECK-LABEL: func.func @sincos
  // CHECK:         %[[S:.*]], %[[C:.*]] = math.sincos
  // CHECK-DAG:     poly.sin_turn %{{.*}} replaces %[[S]] fastmath<afn> consent {poly.pair = 0 : i64}
  // CHECK-DAG:     poly.cos_turn %{{.*}} replaces %[[C]] fastmath<afn> consent {poly.pair = 0 : i64}
  func.func @sincos(%t: i32) -> (f32, f32) {
    %k = arith.constant 1.46291808e-9 : f32
    %i = arith.sitofp %t : i32 to f32
    %a = arith.mulf %i, %k fastmath<afn> : f32
    %s, %c = math.sincos %a fastmath<afn> : f32
    return %s, %c : f32, f32
  }

  // libdevice's functions of half turns, and of radians; the fast ones consent.
  // CHECK-LABEL: llvm.func @libdevice
  // CHECK:         llvm.call @__nv_sinpif
  // CHECK-NEXT:    poly.sin_turn %{{.*}} : f32
  // CHECK:         llvm.call @__nv_fast_cosf
  // CHECK-NEXT:    poly.cos_turn %{{.*}} consent
  llvm.func @__nv_sinpif(f32) -> f32
  llvm.func @__nv_fast_cosf(f32) -> f32
  llvm.func @libdevice(%t: i32) -> !llvm.struct<(f32, f32)> {
    %half = llvm.mlir.constant(4.6566128730773926e-10 : f32) : f32
    %tau = llvm.mlir.constant(1.46291808e-9 : f32) : f32
    %i = llvm.sitofp %t : i32 to f32
    %y = llvm.fmul %i, %half : f32
    %s = llvm.call @__nv_sinpif(%y) : (f32) -> f32
    %a = llvm.fmul %i, %tau : f32
    %c = llvm.call @__nv_fast_cosf(%a) : (f32) -> f32
    %u = llvm.mlir.undef : !llvm.struct<(f32, f32)>
    %v = llvm.insertvalue %s, %u[0] : !llvm.struct<(f32, f32)>
    %w = llvm.insertvalue %c, %v[1] : !llvm.struct<(f32, f32)>
    llvm.return %w : !llvm.struct<(f32, f32)>
  }

  // Inline PTX and the intrinsics.
  // CHECK-LABEL: llvm.func @instructions
  // CHECK:         llvm.inline_asm
  // CHECK-NEXT:    %[[S:.*]] = poly.sin_turn %{{.*}} consent
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.cos.approx.f"
  // CHECK-NEXT:    %[[C:.*]] = poly.cos_turn %{{.*}} consent
  llvm.func @instructions(%t: i32) -> f32 {
    %tau = llvm.mlir.constant(1.46291808e-9 : f32) : f32
    %i = llvm.sitofp %t : i32 to f32
    %a = llvm.fmul %i, %tau : f32
    %s = llvm.inline_asm "sin.approx.f32 $0, $1;", "=f,f" %a : (f32) -> f32
    %c = llvm.call_intrinsic "llvm.nvvm.cos.approx.f"(%a) : (f32) -> f32
    %r = llvm.fadd %s, %c : f32
    llvm.return %r : f32
  }
}
