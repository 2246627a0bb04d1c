// RUN: poly-opt %s --poly-raise | FileCheck %s

// A value that a function op stands for already is not raised again, and what
// is inside it still belongs to it.

gpu.module @raised {
  // CHECK-LABEL: func.func @raised
  // CHECK:         %[[S:.*]] = arith.divf
  // CHECK-NEXT:    %[[Y:.*]] = arith.mulf %[[S]], %arg0
  // CHECK-NEXT:    %[[R:.*]] = poly.silu %arg0 replaces %[[Y]]
  // CHECK-NEXT:    return %[[S]], %[[R]]
  // CHECK-NOT:     poly.
  func.func @raised(%x: f32) -> (f32, f32) {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %y = arith.mulf %s, %x : f32
    %r = poly.silu %x replaces %y : f32
    return %s, %r : f32, f32
  }

  // A function op that replaces nothing is like any other op.
  // CHECK-LABEL: func.func @argument
  // CHECK:         %[[T:.*]] = poly.tanh %arg0 : f32
  // CHECK-NEXT:    %[[M:.*]] = math.tanh %[[T]]
  // CHECK-NEXT:    poly.tanh %[[T]] replaces %[[M]]
  func.func @argument(%x: f32) -> f32 {
    %t = poly.tanh %x : f32
    %u = math.tanh %t : f32
    return %u : f32
  }
}
