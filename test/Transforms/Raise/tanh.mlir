// RUN: poly-opt %s --poly-raise | FileCheck %s

gpu.module @tanh {
  // CHECK-LABEL: func.func @itself
  // CHECK:         %[[T:.*]] = math.tanh %arg0
  // CHECK-NEXT:    poly.tanh %arg0 replaces %[[T]] fastmath<nnan,afn> consent : f32
  func.func @itself(%x: f32) -> f32 {
    %t = math.tanh %x fastmath<nnan,afn> : f32
    return %t : f32
  }

  // The argument is whatever it is.
  // CHECK-LABEL: func.func @of_a_multiple
  // CHECK:         %[[A:.*]] = arith.mulf
  // CHECK:         %[[T:.*]] = poly.tanh %[[A]] replaces
  // CHECK-NEXT:    arith.mulf %[[T]]
  func.func @of_a_multiple(%x: f32) -> f32 {
    %k = arith.constant 0.05 : f32
    %cap = arith.constant 15.0 : f32
    %a = arith.mulf %x, %k : f32
    %t = math.tanh %a : f32
    %y = arith.mulf %t, %cap : f32
    return %y : f32
  }

  // CHECK-LABEL: func.func @of_minus_x
  // CHECK:         %[[N:.*]] = arith.negf %arg0
  // CHECK:         poly.tanh %[[N]] replaces
  func.func @of_minus_x(%x: f32) -> f32 {
    %n = arith.negf %x : f32
    %t = math.tanh %n : f32
    return %t : f32
  }

  // CHECK-LABEL: func.func @of_any_cubic
  // CHECK:         %[[U:.*]] = math.fma
  // CHECK:         poly.tanh %[[U]] replaces
  // CHECK-NOT:     poly.
  func.func @of_any_cubic(%x: f32) -> f32 {
    %a = arith.constant 0.8 : f32
    %b = arith.constant 0.04 : f32
    %half = arith.constant 0.5 : f32
    %xx = arith.mulf %x, %x : f32
    %xxx = arith.mulf %xx, %x : f32
    %bx = arith.mulf %b, %xxx : f32
    %u = math.fma %a, %x, %bx : f32
    %t = math.tanh %u : f32
    %s = math.fma %half, %t, %half : f32
    %y = arith.mulf %x, %s : f32
    return %y : f32
  }

  // CHECK-LABEL: func.func @ratio_minus_plus
  // CHECK:         poly.tanh %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @ratio_minus_plus(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %c2 = arith.constant 2.0 : f32
    %a = arith.mulf %x, %c2 : f32
    %e = math.exp %a : f32
    %num = arith.subf %e, %c1 : f32
    %den = arith.addf %c1, %e : f32
    %t = arith.divf %num, %den : f32
    return %t : f32
  }

  // x + x, and expm1.
  // CHECK-LABEL: func.func @ratio_expm1
  // CHECK:         poly.tanh %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @ratio_expm1(%x: f32) -> f32 {
    %c2 = arith.constant 2.0 : f32
    %a = arith.addf %x, %x : f32
    %m = math.expm1 %a : f32
    %den = arith.addf %m, %c2 : f32
    %t = arith.divf %m, %den : f32
    return %t : f32
  }

  // sinh / cosh, from two exponentials.
  // CHECK-LABEL: func.func @sinh_over_cosh
  // CHECK:         poly.tanh %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @sinh_over_cosh(%x: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %n = arith.negf %x : f32
    %p = math.exp %x : f32
    %m = math.exp %n : f32
    %s0 = arith.subf %p, %m : f32
    %c0 = arith.addf %p, %m : f32
    %sinh = arith.mulf %s0, %half : f32
    %cosh = arith.mulf %c0, %half : f32
    %t = arith.divf %sinh, %cosh : f32
    return %t : f32
  }

  // The reciprocal of the exponential instead of a second one.
  // CHECK-LABEL: func.func @one_exponential
  // CHECK:         poly.tanh %arg0 replaces
  func.func @one_exponential(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %p = math.exp %x : f32
    %m = arith.divf %c1, %p : f32
    %num = arith.subf %p, %m : f32
    %den = arith.addf %p, %m : f32
    %t = arith.divf %num, %den : f32
    return %t : f32
  }

  // CHECK-LABEL: func.func @one_minus_fraction
  // CHECK:         poly.tanh %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @one_minus_fraction(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %c2 = arith.constant 2.0 : f32
    %a = arith.mulf %x, %c2 : f32
    %e = math.exp %a : f32
    %den = arith.addf %c1, %e : f32
    %q = arith.divf %c2, %den : f32
    %t = arith.subf %c1, %q : f32
    return %t : f32
  }

  // 2 sigmoid(2x) - 1, the sigmoid spelled out; 2 log2(e) in one literal.
  // CHECK-LABEL: func.func @through_sigmoid
  // CHECK:         poly.tanh %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @through_sigmoid(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %cm1 = arith.constant -1.0 : f32
    %c2 = arith.constant 2.0 : f32
    %k = arith.constant -2.88539004 : f32
    %a = arith.mulf %x, %k : f32
    %e = math.exp2 %a : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %t = math.fma %s, %c2, %cm1 : f32
    return %t : f32
  }

  // Here the doubled argument is a value, so its sigmoid would match as well;
  // the outer function wins.
  // CHECK-LABEL: func.func @through_sigmoid_of_2x
  // CHECK:         poly.tanh %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @through_sigmoid_of_2x(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %c2 = arith.constant 2.0 : f32
    %a = arith.addf %x, %x : f32
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %s2 = arith.mulf %s, %c2 : f32
    %t = arith.subf %s2, %c1 : f32
    return %t : f32
  }

  // CHECK-LABEL: func.func @copied_sign
  // CHECK:         %[[T:.*]] = math.copysign
  // CHECK-NEXT:    poly.tanh %arg0 replaces %[[T]]
  // CHECK-NOT:     poly.
  func.func @copied_sign(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %cm2 = arith.constant -2.0 : f32
    %abs = math.absf %x : f32
    %a = arith.mulf %abs, %cm2 : f32
    %e = math.exp %a : f32
    %num = arith.subf %c1, %e : f32
    %den = arith.addf %c1, %e : f32
    %q = arith.divf %num, %den : f32
    %t = math.copysign %q, %x : f32
    return %t : f32
  }

  // CHECK-LABEL: func.func @multiplied_sign
  // CHECK:         poly.tanh %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @multiplied_sign(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %cm1 = arith.constant -1.0 : f32
    %cm2 = arith.constant -2.0 : f32
    %pos = arith.cmpf ogt, %x, %c0 : f32
    %sign = arith.select %pos, %c1, %cm1 : f32
    %abs = arith.mulf %sign, %x : f32
    %a = arith.mulf %abs, %cm2 : f32
    %e = math.exp %a : f32
    %num = arith.subf %c1, %e : f32
    %den = arith.addf %c1, %e : f32
    %q = arith.divf %num, %den : f32
    %t = arith.mulf %sign, %q : f32
    return %t : f32
  }

  // tanh(|x|) alone is a function of |x|.
  // CHECK-LABEL: func.func @of_abs
  // CHECK:         %[[A:.*]] = math.absf %arg0
  // CHECK:         poly.tanh %[[A]] replaces
  func.func @of_abs(%x: f32) -> f32 {
    %abs = math.absf %x : f32
    %t = math.tanh %abs : f32
    return %t : f32
  }
}
