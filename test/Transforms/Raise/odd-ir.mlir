// RUN: poly-opt %s --poly-raise --split-input-file | FileCheck %s
// RUN: poly-opt %s --poly-raise --split-input-file --mlir-disable-threading | FileCheck %s

// Valid but unusual IR.

gpu.module @odd {
  // Ops of unreachable blocks may use their own results.
  // CHECK-LABEL: func.func @unreachable
  // CHECK:         return
  func.func @unreachable(%x: f32) -> f32 {
    return %x : f32
  ^bb1:
    %c1 = arith.constant 1.0 : f32
    %a = arith.addf %b, %x : f32
    %b = math.exp %a : f32
    %c = arith.addf %c, %b : f32
    %d = arith.divf %c1, %c : f32
    %e = math.tanh %e : f32
    %n = arith.negf %n : f32
    %f = math.exp %n : f32
    %g = arith.addf %f, %c1 : f32
    %h = arith.divf %d, %g : f32
    cf.br ^bb2(%h : f32)
  ^bb2(%i: f32):
    return %i : f32
  }

  // The text shows the use before the definition.
  // CHECK-LABEL: func.func @out_of_order
  // CHECK:         %[[S:.*]] = poly.sigmoid %arg0 replaces
  // CHECK-NEXT:    return %[[S]]
  func.func @out_of_order(%x: f32) -> f32 {
    cf.br ^first
  ^second:
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    return %s : f32
  ^first:
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    cf.br ^second
  }

  // CHECK-LABEL: func.func @loop_of_blocks
  // CHECK:       ^bb1(%[[V:.*]]: f32):
  // CHECK:         poly.silu %[[V]] replaces
  func.func @loop_of_blocks(%x: f32, %c: i1) -> f32 {
    %c1 = arith.constant 1.0 : f32
    cf.br ^bb1(%x : f32)
  ^bb1(%v: f32):
    %n = arith.negf %v : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %y = arith.divf %v, %d : f32
    cf.cond_br %c, ^bb1(%y : f32), ^bb2
  ^bb2:
    return %y : f32
  }

  // CHECK-LABEL: func.func @no_dimensions
  // CHECK:         poly.silu %arg0 replaces %{{[0-9]+}} : vector<f32>
  func.func @no_dimensions(%x: vector<f32>) -> vector<f32> {
    %c1 = arith.constant dense<1.0> : vector<f32>
    %n = arith.negf %x : vector<f32>
    %e = math.exp %n : vector<f32>
    %d = arith.addf %c1, %e : vector<f32>
    %y = arith.divf %x, %d : vector<f32>
    return %y : vector<f32>
  }

  // CHECK-LABEL: func.func @one_lane
  // CHECK:         poly.tanh %arg0 replaces %{{[0-9]+}} : vector<1xbf16>
  func.func @one_lane(%x: vector<1xbf16>) -> vector<1xbf16> {
    %t = math.tanh %x : vector<1xbf16>
    return %t : vector<1xbf16>
  }

  // Numbers that no arithmetic survives. An exponential alone is one whatever
  // its argument is.
  // CHECK-LABEL: func.func @extreme_literals
  // CHECK-NOT:     poly.{{sigmoid|tanh|silu}}
  func.func @extreme_literals(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %inf = arith.constant 0x7F800000 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %tiny = arith.constant 1.0e-45 : f32
    %huge = arith.constant 3.0e+38 : f32
    %a = arith.mulf %x, %inf : f32
    %ea = math.exp %a : f32
    %b = arith.mulf %x, %nan : f32
    %eb = math.exp %b : f32
    %c = arith.divf %x, %c0 : f32
    %ec = math.exp %c : f32
    %d = arith.mulf %x, %c0 : f32
    %ed = math.exp2 %d : f32
    %f = arith.mulf %x, %huge : f32
    %ef = math.exp %f : f32
    %g = arith.divf %x, %tiny : f32
    %eg = math.exp %g : f32
    %s0 = arith.addf %ea, %eb : f32
    %s1 = arith.addf %ec, %ed : f32
    %s2 = arith.addf %ef, %eg : f32
    %s3 = arith.addf %s0, %s1 : f32
    %s4 = arith.addf %s2, %s3 : f32
    %s = arith.divf %c1, %s4 : f32
    return %s : f32
  }

  // Of a literal: folding's business.
  // CHECK-LABEL: func.func @of_a_literal
  // CHECK-NOT:     poly.
  func.func @of_a_literal() -> f32 {
    %c1 = arith.constant 1.0 : f32
    %t = math.tanh %c1 : f32
    return %t : f32
  }

  // The same value everywhere.
  // CHECK-LABEL: func.func @self
  // CHECK:         poly.tanh
  func.func @self(%x: f32) -> f32 {
    %t = math.tanh %x : f32
    %m = math.fma %t, %t, %t : f32
    %d = arith.divf %m, %m : f32
    %s = arith.subf %d, %d : f32
    %r = arith.divf %m, %s : f32
    return %r : f32
  }

  // Powers and products leave the algebra quietly.
  // CHECK-LABEL: func.func @powers
  // CHECK:         poly.tanh
  func.func @powers(%x: f32) -> f32 {
    %t = math.tanh %x : f32
    %a = arith.mulf %t, %x : f32
    %b = arith.mulf %a, %a : f32
    %c = arith.mulf %b, %b : f32
    %d = arith.mulf %c, %c : f32
    %e = arith.mulf %d, %d : f32
    %f = arith.divf %x, %e : f32
    %g = arith.addf %f, %e : f32
    return %g : f32
  }

  // An op with several results is not arithmetic.
  // CHECK-LABEL: func.func @several_results
  // CHECK:         poly.tanh
  func.func @several_results(%x: f32, %o: memref<f32>) {
    %m, %e = math.sincos %x : f32
    %t = math.tanh %m : f32
    %u = arith.mulf %t, %e : f32
    memref.store %u, %o[] : memref<f32>
    return
  }

  // CHECK-LABEL: func.func @empty
  func.func @empty() {
    return
  }
  func.func private @declared(f32) -> f32
}

// -----

// CHECK-LABEL: gpu.module @nothing
gpu.module @nothing {
}
