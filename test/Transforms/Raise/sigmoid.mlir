// RUN: poly-opt %s --poly-raise | FileCheck %s

// Every spelling of the logistic function becomes one op of the same argument.

gpu.module @sigmoid {
  // CHECK-LABEL: func.func @reciprocal
  // CHECK-SAME:    %[[X:.*]]: f32
  // CHECK:         %[[Q:.*]] = arith.divf
  // CHECK-NEXT:    %[[S:.*]] = poly.sigmoid %[[X]] replaces %[[Q]] : f32
  // CHECK-NEXT:    return %[[S]]
  func.func @reciprocal(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %minus = arith.negf %x : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %c1 : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // The other order, minus as a subtraction from zero, and the flags that all
  // ops share.
  // CHECK-LABEL: func.func @minus_from_zero
  // CHECK-SAME:    %[[X:.*]]: f32
  // CHECK:         %[[Q:.*]] = arith.divf
  // CHECK-NEXT:    poly.sigmoid %[[X]] replaces %[[Q]] fastmath<arcp,afn> consent : f32
  func.func @minus_from_zero(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %minus = arith.subf %c0, %x fastmath<arcp,afn> : f32
    %e = math.exp %minus fastmath<fast> : f32
    %sum = arith.addf %c1, %e fastmath<nnan,arcp,afn> : f32
    %q = arith.divf %c1, %sum fastmath<ninf,arcp,afn> : f32
    return %q : f32
  }

  // CHECK-LABEL: func.func @minus_one_times
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @minus_one_times(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %cm1 = arith.constant -1.0 : f32
    %minus = arith.mulf %x, %cm1 : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %c1 : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // 1 - (-exp(-x)) is a sum as well.
  // CHECK-LABEL: func.func @subtract_negated
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @subtract_negated(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %minus = arith.negf %x : f32
    %e = math.exp %minus : f32
    %me = arith.negf %e : f32
    %sum = arith.subf %c1, %me : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // CHECK-LABEL: func.func @base_two
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @base_two(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant -1.44269504 : f32
    %a = arith.mulf %k, %x : f32
    %e = math.exp2 %a : f32
    %sum = arith.addf %c1, %e : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // Division by ln(2) is multiplication by log2(e).
  // CHECK-LABEL: func.func @base_two_by_division
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @base_two_by_division(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %ln2 = arith.constant 0.693147182 : f32
    %a = arith.divf %x, %ln2 : f32
    %minus = arith.negf %a : f32
    %e = math.exp2 %minus : f32
    %sum = arith.addf %c1, %e : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // fma(x, -log2(e), 0): what a contracted multiplication by a scale leaves.
  // CHECK-LABEL: func.func @base_two_fma
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @base_two_fma(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant -1.44269504 : f32
    %a = math.fma %x, %k, %c0 : f32
    %e = math.exp2 %a : f32
    %sum = arith.addf %c1, %e : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // CHECK-LABEL: func.func @quotient_of_exponentials
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @quotient_of_exponentials(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %e = math.exp %x : f32
    %sum = arith.addf %c1, %e : f32
    %q = arith.divf %e, %sum : f32
    return %q : f32
  }

  // The same with the exponential computed twice: still one op.
  // CHECK-LABEL: func.func @computed_twice
  // CHECK:         poly.sigmoid %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @computed_twice(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %e = math.exp %x : f32
    %f = math.exp %x : f32
    %sum = arith.addf %c1, %e : f32
    %q = arith.divf %f, %sum : f32
    return %q : f32
  }

  // CHECK-LABEL: func.func @through_tanh
  // CHECK:         poly.sigmoid %arg0 replaces
  // CHECK-NOT:     poly.tanh
  func.func @through_tanh(%x: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %a = arith.mulf %half, %x : f32
    %t = math.tanh %a : f32
    %ht = arith.mulf %t, %half : f32
    %s = arith.addf %half, %ht : f32
    return %s : f32
  }

  // CHECK-LABEL: func.func @through_tanh_divided
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @through_tanh_divided(%x: f32) -> f32 {
    %two = arith.constant 2.0 : f32
    %c1 = arith.constant 1.0 : f32
    %a = arith.divf %x, %two : f32
    %t = math.tanh %a : f32
    %sum = arith.addf %t, %c1 : f32
    %s = arith.divf %sum, %two : f32
    return %s : f32
  }

  // CHECK-LABEL: func.func @through_tanh_fma
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @through_tanh_fma(%x: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %a = arith.mulf %x, %half : f32
    %t = math.tanh %a : f32
    %s = math.fma %t, %half, %half : f32
    return %s : f32
  }

  // e^(x/2) / (e^(x/2) + e^(-x/2)).
  // CHECK-LABEL: func.func @symmetric
  // CHECK:         poly.sigmoid %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @symmetric(%x: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %a = arith.mulf %x, %half : f32
    %p = math.exp %a : f32
    %b = arith.negf %a : f32
    %m = math.exp %b : f32
    %sum = arith.addf %p, %m : f32
    %s = arith.divf %p, %sum : f32
    return %s : f32
  }

  // Guarded against overflow: y = e/(1+e) with e = exp(-|x|), then y or 1-y.
  // CHECK-LABEL: func.func @split_on_sign
  // CHECK:         %[[S:.*]] = arith.select
  // CHECK-NEXT:    poly.sigmoid %arg0 replaces %[[S]]
  // CHECK-NOT:     poly.
  func.func @split_on_sign(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %abs = math.absf %x : f32
    %minus = arith.negf %abs : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %c1 : f32
    %y = arith.divf %e, %sum : f32
    %rest = arith.subf %c1, %y : f32
    %isneg = arith.cmpf olt, %x, %c0 : f32
    %s = arith.select %isneg, %y, %rest : f32
    return %s : f32
  }

  // Two spellings joined by a select are one function.
  // CHECK-LABEL: func.func @two_branches
  // CHECK:         %[[S:.*]] = arith.select
  // CHECK-NEXT:    poly.sigmoid %arg0 replaces %[[S]]
  // CHECK-NOT:     poly.
  func.func @two_branches(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %minus = arith.negf %x : f32
    %em = math.exp %minus : f32
    %sm = arith.addf %c1, %em : f32
    %right = arith.divf %c1, %sm : f32
    %ep = math.exp %x : f32
    %sp = arith.addf %c1, %ep : f32
    %left = arith.divf %ep, %sp : f32
    %ispos = arith.cmpf oge, %x, %c0 : f32
    %s = arith.select %ispos, %right, %left : f32
    return %s : f32
  }

  // max(x, -x) is |x|, and 0 > x is x < 0.
  // CHECK-LABEL: func.func @split_with_max
  // CHECK:         poly.sigmoid %arg0 replaces
  // CHECK-NOT:     poly.
  func.func @split_with_max(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %nx = arith.negf %x : f32
    %abs = arith.maximumf %x, %nx : f32
    %minus = arith.negf %abs : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %c1 : f32
    %isneg = arith.cmpf ugt, %c0, %x : f32
    %num = arith.select %isneg, %e, %c1 : f32
    %s = arith.divf %num, %sum : f32
    return %s : f32
  }

  // exp(min(x, 0)) / (1 + exp(-|x|)).
  // CHECK-LABEL: func.func @split_with_min
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @split_with_min(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %low = arith.minnumf %x, %c0 : f32
    %num = math.exp %low : f32
    %abs = math.absf %x : f32
    %minus = arith.negf %abs : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %c1 : f32
    %s = arith.divf %num, %sum : f32
    return %s : f32
  }

  // 1/(1+exp(x)) is the function of -x.
  // CHECK-LABEL: func.func @of_minus_x
  // CHECK:         %[[Q:.*]] = arith.divf
  // CHECK-NEXT:    %[[N:.*]] = arith.negf %arg0 : f32
  // CHECK-NEXT:    poly.sigmoid %[[N]] replaces %[[Q]]
  func.func @of_minus_x(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %e = math.exp %x : f32
    %sum = arith.addf %c1, %e : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // A negation that the source has is used again.
  // CHECK-LABEL: func.func @of_minus_x_again
  // CHECK:         %[[N:.*]] = arith.negf %arg0 : f32
  // CHECK-NOT:     arith.negf
  // CHECK:         poly.sigmoid %[[N]] replaces
  func.func @of_minus_x_again(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %sum = arith.addf %c1, %e : f32
    %q = arith.divf %e, %sum : f32
    return %q : f32
  }

  // The argument is a sum: the function of the sum.
  // CHECK-LABEL: func.func @of_a_sum
  // CHECK:         %[[B:.*]] = arith.addf %arg0, %arg1
  // CHECK:         poly.sigmoid %[[B]] replaces
  func.func @of_a_sum(%x: f32, %bias: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %b = arith.addf %x, %bias : f32
    %minus = arith.negf %b : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %c1 : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // exp(b - x): the negation is inside the subtraction, so the argument is the
  // negated difference.
  // CHECK-LABEL: func.func @of_a_difference
  // CHECK:         %[[B:.*]] = arith.subf %arg1, %arg0
  // CHECK:         %[[N:.*]] = arith.negf %[[B]]
  // CHECK-NEXT:    poly.sigmoid %[[N]] replaces
  func.func @of_a_difference(%x: f32, %b: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %d = arith.subf %b, %x : f32
    %e = math.exp %d : f32
    %sum = arith.addf %e, %c1 : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // A slope stays outside.
  // CHECK-LABEL: func.func @with_a_slope
  // CHECK:         %[[A:.*]] = arith.mulf
  // CHECK:         poly.sigmoid %[[A]] replaces
  func.func @with_a_slope(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %slope = arith.constant 1.702 : f32
    %a = arith.mulf %x, %slope : f32
    %minus = arith.negf %a : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %c1 : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // exp(-x) = expm1(-x) + 1.
  // CHECK-LABEL: func.func @through_expm1
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @through_expm1(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %c2 = arith.constant 2.0 : f32
    %n = arith.negf %x : f32
    %e = math.expm1 %n : f32
    %sum = arith.addf %e, %c2 : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // The literal 1 comes from an integer; the other from a negation.
  // CHECK-LABEL: func.func @converted_literals
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @converted_literals(%x: f32) -> f32 {
    %i = arith.constant 1 : i32
    %one = arith.sitofp %i : i32 to f32
    %cm1 = arith.constant -1.0 : f32
    %c1 = arith.negf %cm1 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %sum = arith.addf %e, %one : f32
    %q = arith.divf %c1, %sum : f32
    return %q : f32
  }

  // The halves exchanged, chosen by a comparison that NaN makes true.
  // CHECK-LABEL: func.func @split_unordered
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @split_unordered(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %neg = arith.cmpf ult, %x, %c0 : f32
    %n = arith.negf %x : f32
    %minus = arith.select %neg, %x, %n : f32
    %e = math.exp %minus : f32
    %d = arith.addf %c1, %e : f32
    %num = arith.select %neg, %e, %c1 : f32
    %q = arith.divf %num, %d : f32
    return %q : f32
  }
}
