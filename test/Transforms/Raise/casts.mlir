// RUN: poly-opt %s --poly-raise | FileCheck %s

// Exact widenings and negations are looked through; roundings are not.

gpu.module @casts {
  // The widened argument exists and is used.
  // CHECK-LABEL: func.func @widened
  // CHECK:         %[[F:.*]] = arith.extf %arg0
  // CHECK:         %[[S:.*]] = poly.sigmoid %[[F]] replaces
  // CHECK-NEXT:    arith.truncf %[[S]] : vector<6xf32> to vector<6xbf16>
  func.func @widened(%x: vector<6xbf16>) -> vector<6xbf16> {
    %c1 = arith.constant dense<1.0> : vector<6xf32>
    %f = arith.extf %x : vector<6xbf16> to vector<6xf32>
    %n = arith.negf %f : vector<6xf32>
    %e = math.exp %n : vector<6xf32>
    %d = arith.addf %e, %c1 : vector<6xf32>
    %s = arith.divf %c1, %d : vector<6xf32>
    %r = arith.truncf %s : vector<6xf32> to vector<6xbf16>
    return %r : vector<6xbf16>
  }

  // Only the negation was widened: the op's argument is made.
  // CHECK-LABEL: func.func @negated_first
  // CHECK:         %[[Q:.*]] = arith.divf
  // CHECK-NEXT:    %[[N:.*]] = arith.negf %[[NF:.*]] : f32
  // CHECK-NEXT:    poly.sigmoid %[[N]] replaces %[[Q]]
  func.func @negated_first(%x: f16) -> f16 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f16
    %nf = arith.extf %n : f16 to f32
    %e = math.exp %nf : f32
    %d = arith.addf %e, %c1 : f32
    %s = arith.divf %c1, %d : f32
    %r = arith.truncf %s : f32 to f16
    return %r : f16
  }

  // Two widenings of one value.
  // CHECK-LABEL: func.func @widened_twice
  // CHECK:         %[[F:.*]] = arith.extf %arg0
  // CHECK:         poly.silu %[[F]] replaces
  func.func @widened_twice(%x: bf16) -> bf16 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : bf16
    %nf = arith.extf %n : bf16 to f32
    %e = math.exp %nf : f32
    %d = arith.addf %e, %c1 : f32
    %f = arith.extf %x : bf16 to f32
    %y = arith.divf %f, %d : f32
    %r = arith.truncf %y : f32 to bf16
    return %r : bf16
  }

  // CHECK-LABEL: func.func @narrow
  // CHECK:         poly.silu %arg0 replaces %{{.*}} fastmath<afn> consent : vector<3x2xf16>
  func.func @narrow(%x: vector<3x2xf16>) -> vector<3x2xf16> {
    %c1 = arith.constant dense<1.0> : vector<3x2xf16>
    %n = arith.negf %x fastmath<afn> : vector<3x2xf16>
    %e = math.exp %n fastmath<afn> : vector<3x2xf16>
    %d = arith.addf %e, %c1 fastmath<afn> : vector<3x2xf16>
    %s = arith.divf %c1, %d fastmath<afn> : vector<3x2xf16>
    %y = arith.mulf %x, %s fastmath<afn> : vector<3x2xf16>
    return %y : vector<3x2xf16>
  }

  // log2(e) rounded to bf16, in bf16 arithmetic.
  // CHECK-LABEL: func.func @narrow_literal
  // CHECK:         poly.sigmoid %arg0 replaces %{{.*}} : bf16
  func.func @narrow_literal(%x: bf16) -> bf16 {
    %k = arith.constant -1.4453125 : bf16
    %c1 = arith.constant 1.0 : bf16
    %a = arith.mulf %x, %k : bf16
    %e = math.exp2 %a : bf16
    %d = arith.addf %c1, %e : bf16
    %s = arith.divf %c1, %d : bf16
    return %s : bf16
  }

  // Half in the narrow type, the rest in f32.
  // CHECK-LABEL: func.func @mixed
  // CHECK:         %[[F:.*]] = arith.extf %arg0
  // CHECK:         poly.silu %[[F]] replaces
  func.func @mixed(%x: f16) -> f16 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f16
    %e = math.exp %n : f16
    %ef = arith.extf %e : f16 to f32
    %d = arith.addf %ef, %c1 : f32
    %f = arith.extf %x : f16 to f32
    %y = arith.divf %f, %d : f32
    %r = arith.truncf %y : f32 to f16
    return %r : f16
  }

  // A literal that is broadcast, and one that is rounded on its way.
  // CHECK-LABEL: func.func @broadcast_literals
  // CHECK:         poly.sigmoid %arg0 replaces
  func.func @broadcast_literals(%x: vector<4xf32>) -> vector<4xf32> {
    %c = arith.constant 1.0 : f32
    %c1 = vector.broadcast %c : f32 to vector<4xf32>
    %h = arith.truncf %c : f32 to bf16
    %hv = vector.broadcast %h : bf16 to vector<1xbf16>
    %hw = vector.broadcast %hv : vector<1xbf16> to vector<4xbf16>
    %c2 = arith.extf %hw : vector<4xbf16> to vector<4xf32>
    %n = arith.negf %x : vector<4xf32>
    %e = math.exp %n : vector<4xf32>
    %d = arith.addf %e, %c1 : vector<4xf32>
    %s = arith.divf %c2, %d : vector<4xf32>
    return %s : vector<4xf32>
  }

  // CHECK-LABEL: func.func @vector_fma
  // CHECK:         poly.silu %arg0 replaces
  func.func @vector_fma(%x: vector<4xf32>) -> vector<4xf32> {
    %half = arith.constant dense<0.5> : vector<4xf32>
    %h = arith.mulf %x, %half : vector<4xf32>
    %t = math.tanh %h : vector<4xf32>
    %y = vector.fma %h, %t, %h : vector<4xf32>
    return %y : vector<4xf32>
  }

  // A rounding between the sigmoid and the product is a rounding of the source:
  // there is no SiLU here.
  // CHECK-LABEL: func.func @rounded_between
  // CHECK:         poly.sigmoid
  // CHECK-NOT:     poly.silu
  func.func @rounded_between(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %c1 : f32
    %s = arith.divf %c1, %d : f32
    %r = arith.truncf %s : f32 to bf16
    %w = arith.extf %r : bf16 to f32
    %y = arith.mulf %x, %w : f32
    return %y : f32
  }

  // The denominator saw a rounded argument, the numerator did not.
  // CHECK-LABEL: func.func @rounded_argument
  // CHECK:         arith.divf {{.*}} {poly.rescaled}
  // CHECK:         poly.sigmoid
  // CHECK:         arith.mulf {{.*}} {poly.rescaled}
  // CHECK-NOT:     poly.
  func.func @rounded_argument(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %r = arith.truncf %x : f32 to bf16
    %w = arith.extf %r : bf16 to f32
    %n = arith.negf %w : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %c1 : f32
    %y = arith.divf %x, %d : f32
    return %y : f32
  }

  // CHECK-LABEL: func.func @rounded_exponential
  // CHECK:         poly.exp
  // CHECK-NOT:     poly.
  func.func @rounded_exponential(%x: f32) -> bf16 {
    %c1 = arith.constant 1.0 : bf16
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %b = arith.truncf %e to_nearest_even : f32 to bf16
    %d = arith.addf %b, %c1 : bf16
    %s = arith.divf %c1, %d : bf16
    return %s : bf16
  }
}
