// RUN: poly-opt %s --poly-raise | FileCheck %s

gpu.module @silu {
  // CHECK-LABEL: func.func @quotient
  // CHECK:         %[[Q:.*]] = arith.divf %arg0
  // CHECK-NEXT:    %[[Y:.*]] = poly.silu %arg0 replaces %[[Q]] fastmath<fast> consent : f32
  // CHECK-NEXT:    return %[[Y]]
  func.func @quotient(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x fastmath<fast> : f32
    %e = math.exp %n fastmath<fast> : f32
    %d = arith.addf %c1, %e fastmath<fast> : f32
    %y = arith.divf %x, %d fastmath<fast> : f32
    return %y : f32
  }

  // CHECK-LABEL: func.func @product
  // CHECK:         poly.silu %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @product(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %y = arith.mulf %s, %x : f32
    return %y : f32
  }

  // CHECK-LABEL: func.func @half_argument
  // CHECK:         poly.silu %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @half_argument(%x: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %x, %half : f32
    %t = math.tanh %h : f32
    %ht = arith.mulf %t, %h : f32
    %y = arith.addf %h, %ht : f32
    return %y : f32
  }

  // CHECK-LABEL: func.func @half_argument_factored
  // CHECK:         poly.silu %arg0 replaces
  func.func @half_argument_factored(%x: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %c1 = arith.constant 1.0 : f32
    %h = arith.mulf %x, %half : f32
    %t = math.tanh %h : f32
    %t1 = arith.addf %t, %c1 : f32
    %y = arith.mulf %h, %t1 : f32
    return %y : f32
  }

  // CHECK-LABEL: func.func @half_argument_fma
  // CHECK:         poly.silu %arg0 replaces
  func.func @half_argument_fma(%x: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %x, %half : f32
    %t = math.tanh %h : f32
    %y = math.fma %h, %t, %h : f32
    return %y : f32
  }

  // x * e / (1 + e).
  // CHECK-LABEL: func.func @numerator
  // CHECK:         poly.silu %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @numerator(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant 1.44269504 : f32
    %a = arith.mulf %x, %k : f32
    %e = math.exp2 %a : f32
    %d = arith.addf %c1, %e : f32
    %xe = arith.mulf %x, %e : f32
    %y = arith.divf %xe, %d : f32
    return %y : f32
  }

  // The numerator is chosen by the sign of x, so that nothing overflows.
  // CHECK-LABEL: func.func @guard_free
  // CHECK:         poly.silu %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @guard_free(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %abs = math.absf %x : f32
    %n = arith.negf %abs : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %r = arith.divf %c1, %d : f32
    %isneg = arith.cmpf olt, %x, %c0 : f32
    %w = arith.select %isneg, %e, %c1 : f32
    %wr = arith.mulf %w, %r : f32
    %y = arith.mulf %x, %wr : f32
    return %y : f32
  }

  // -x / (1 + exp(x)) is the function of -x.
  // CHECK-LABEL: func.func @of_minus_x
  // CHECK:         %[[N:.*]] = arith.negf %arg0
  // CHECK:         poly.silu %[[N]] replaces
  func.func @of_minus_x(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %x : f32
    %d = arith.addf %c1, %e : f32
    %y = arith.divf %n, %d : f32
    return %y : f32
  }

  // GLU: the product with another value is not part of the function.
  // CHECK-LABEL: func.func @glu
  // CHECK:         %[[S:.*]] = poly.sigmoid %arg0 replaces
  // CHECK-NEXT:    arith.mulf %[[S]], %arg1
  // CHECK-NOT:     poly.silu
  func.func @glu(%x: f32, %g: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %y = arith.mulf %s, %g : f32
    return %y : f32
  }

  // SwiGLU: one function, then the product.
  // CHECK-LABEL: func.func @swiglu
  // CHECK:         %[[Y:.*]] = poly.silu %arg0 replaces
  // CHECK-NEXT:    arith.mulf %arg1, %[[Y]]
  func.func @swiglu(%x: f32, %up: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %y = arith.divf %x, %d : f32
    %z = arith.mulf %up, %y : f32
    return %z : f32
  }

  // x times the function of another multiple of x is only a sigmoid.
  // CHECK-LABEL: func.func @swish
  // CHECK:         %[[A:.*]] = arith.mulf %{{.*}}, %arg0
  // CHECK:         poly.sigmoid %[[A]] replaces
  // CHECK-NOT:     poly.silu
  func.func @swish(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %slope = arith.constant 1.25 : f32
    %a = arith.mulf %slope, %x : f32
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %y = arith.mulf %s, %x : f32
    return %y : f32
  }

  // Gate and up projection in turn, taken apart.
  // CHECK-LABEL: func.func @interleaved
  // CHECK:         %[[G:.*]], %[[U:.*]] = vector.deinterleave
  // CHECK:         %[[X:.*]] = arith.extf %[[G]]
  // CHECK:         poly.silu %[[X]] replaces
  // CHECK-NOT:     poly.
  func.func @interleaved(%v: vector<8xbf16>) -> vector<4xbf16> {
    %c1 = arith.constant dense<1.0> : vector<4xf32>
    %g, %u = vector.deinterleave %v : vector<8xbf16> -> vector<4xbf16>
    %x = arith.extf %g : vector<4xbf16> to vector<4xf32>
    %y = arith.extf %u : vector<4xbf16> to vector<4xf32>
    %n = arith.negf %x fastmath<afn> : vector<4xf32>
    %e = math.exp %n fastmath<afn> : vector<4xf32>
    %d = arith.addf %e, %c1 fastmath<afn> : vector<4xf32>
    %s = arith.divf %x, %d fastmath<afn> : vector<4xf32>
    %p = arith.mulf %s, %y : vector<4xf32>
    %r = arith.truncf %p : vector<4xf32> to vector<4xbf16>
    return %r : vector<4xbf16>
  }
}
