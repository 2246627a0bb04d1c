// RUN: poly-opt %s --poly-raise | FileCheck %s
// A second run finds nothing new.
// RUN: poly-opt %s --poly-raise -o %t.once
// RUN: poly-opt %t.once --poly-raise -o %t.twice
// RUN: diff %t.once %t.twice

// The outermost function is raised, and nothing inside it.

gpu.module @nesting {
  // The sigmoid and the exponential have other uses, which keep the source's
  // values.
  // CHECK-LABEL: func.func @all_used
  // CHECK:         %[[E:.*]] = math.exp
  // CHECK:         %[[S:.*]] = arith.divf
  // CHECK:         %[[Y:.*]] = poly.silu %arg0 replaces
  // CHECK-NEXT:    return %[[E]], %[[S]], %[[Y]]
  // CHECK-NOT:     poly.sigmoid
  func.func @all_used(%x: f32) -> (f32, f32, f32) {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %y = arith.mulf %x, %s : f32
    return %e, %s, %y : f32, f32, f32
  }

  // CHECK-LABEL: func.func @derivative
  // CHECK:         %[[Y:.*]] = arith.mulf
  // CHECK-NEXT:    poly.dsigmoid %arg0 replaces %[[Y]]
  // CHECK-NOT:     poly.
  func.func @derivative(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %r = arith.subf %c1, %s : f32
    %y = arith.mulf %s, %r : f32
    return %y : f32
  }

  // 1 - s is sigmoid(-x), but s is nearer.
  // CHECK-LABEL: func.func @complement
  // CHECK:         %[[S:.*]] = poly.sigmoid %arg0 replaces
  // CHECK-NEXT:    arith.subf %{{.*}}, %[[S]]
  // CHECK-NOT:     poly.
  func.func @complement(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %r = arith.subf %c1, %s : f32
    return %r : f32
  }

  // CHECK-LABEL: func.func @tanh_derivative
  // CHECK:         %[[Y:.*]] = math.fma
  // CHECK-NEXT:    poly.dtanh %arg0 replaces %[[Y]]
  // CHECK-NOT:     poly.
  func.func @tanh_derivative(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %t = math.tanh %x : f32
    %m = arith.negf %t : f32
    %y = math.fma %t, %m, %c1 : f32
    return %y : f32
  }

  // Two functions that share a denominator but not a value.
  // CHECK-LABEL: func.func @siblings
  // CHECK-DAG:     poly.sigmoid %arg0 replaces
  // CHECK-DAG:     poly.silu %arg0 replaces
  func.func @siblings(%x: f32) -> (f32, f32) {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %y = arith.divf %x, %d : f32
    return %s, %y : f32, f32
  }

  // A function of a function.
  // CHECK-LABEL: func.func @composed
  // CHECK:         %[[A:.*]] = poly.tanh %arg0 replaces
  // CHECK-NEXT:    %[[T:.*]] = math.tanh %[[A]]
  // CHECK-NEXT:    %[[B:.*]] = poly.tanh %[[A]] replaces %[[T]]
  // CHECK-NEXT:    %[[N:.*]] = arith.negf %[[B]]
  // CHECK:         poly.sigmoid %[[B]] replaces
  func.func @composed(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %a = math.tanh %x : f32
    %b = math.tanh %a : f32
    %n = arith.negf %b : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    return %s : f32
  }

  // Scaling by one and adding zero do not make it another function.
  // CHECK-LABEL: func.func @nothing_added
  // CHECK:         %[[S:.*]] = poly.silu %arg0 replaces
  // CHECK-NEXT:    arith.mulf %[[S]]
  // CHECK-NOT:     poly.
  func.func @nothing_added(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %y = arith.divf %x, %d : f32
    %y1 = arith.mulf %y, %c1 : f32
    %y0 = arith.addf %y1, %c0 : f32
    return %y0 : f32
  }

  // Across blocks and loops, where dominance holds.
  // CHECK-LABEL: func.func @across_blocks
  // CHECK:         scf.for
  // CHECK:           %[[Q:.*]] = arith.divf
  // CHECK-NEXT:      %[[S:.*]] = poly.sigmoid %arg0 replaces %[[Q]]
  // CHECK-NEXT:      memref.store %[[S]]
  func.func @across_blocks(%x: f32, %m: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 1 : index
    %c1 = arith.constant 1.0 : f32
    %minus = arith.negf %x : f32
    %e = math.exp %minus : f32
    cf.br ^bb1
  ^bb1:
    %d = arith.addf %c1, %e : f32
    scf.for %i = %c0 to %n step %step {
      %q = arith.divf %c1, %d : f32
      memref.store %q, %m[%i] : memref<?xf32>
    }
    return
  }

  // A value carried by a loop is a variable of its own.
  // CHECK-LABEL: func.func @carried
  // CHECK:         scf.for {{.*}} iter_args(%[[V:.*]] = %arg0)
  // CHECK:           %[[Y:.*]] = poly.silu %[[V]] replaces
  // CHECK-NEXT:      scf.yield %[[Y]]
  func.func @carried(%x: f32, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %step = arith.constant 1 : index
    %c1 = arith.constant 1.0 : f32
    %r = scf.for %i = %c0 to %n step %step iter_args(%v = %x) -> (f32) {
      %minus = arith.negf %v : f32
      %e = math.exp %minus : f32
      %d = arith.addf %c1, %e : f32
      %y = arith.divf %v, %d : f32
      scf.yield %y : f32
    }
    return %r : f32
  }
}
