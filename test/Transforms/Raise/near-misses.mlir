// RUN: poly-opt %s --poly-raise | FileCheck %s --implicit-check-not=poly.

// Nothing here is the function that it looks like. Where a tanh is inside, that
// alone is raised; an exponential alone is not where a constant is nearly that of
// a known function.

gpu.module @misses {
  // CHECK-LABEL: func.func @one_and_a_bit
  func.func @one_and_a_bit(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %c = arith.constant 1.00001 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c, %e : f32
    %q = arith.divf %c1, %d : f32
    return %q : f32
  }

  // CHECK-LABEL: func.func @numerator_off
  func.func @numerator_off(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %c = arith.constant 0.9999 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %c, %d : f32
    return %q : f32
  }

  // A small addend is no rounding of 1.
  // CHECK-LABEL: func.func @epsilon
  func.func @epsilon(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %eps = arith.constant 1.0e-6 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %de = arith.addf %d, %eps : f32
    %q = arith.divf %c1, %de : f32
    return %q : f32
  }

  // Nor does an addend vanish because 1 stands beside it.
  // CHECK-LABEL: func.func @tiny_epsilon
  func.func @tiny_epsilon(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %c2 = arith.constant 2.0 : f32
    %eps = arith.constant 1.0e-8 : f32
    %a = arith.mulf %x, %c2 : f32
    %e = math.exp %a : f32
    %n = arith.subf %e, %c1 : f32
    %ne = arith.addf %n, %eps : f32
    %d = arith.addf %e, %c1 : f32
    %q = arith.divf %ne, %d : f32
    return %q : f32
  }

  // log2(e) to four digits.
  // CHECK-LABEL: func.func @short_log2e
  func.func @short_log2e(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant -1.4427 : f32
    %a = arith.mulf %x, %k : f32
    %e = math.exp2 %a : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %c1, %d : f32
    return %q : f32
  }

  // bf16's log2(e) is far off in f32.
  // CHECK-LABEL: func.func @wide_narrow_log2e
  func.func @wide_narrow_log2e(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant -1.4453125 : f32
    %a = arith.mulf %x, %k : f32
    %e = math.exp2 %a : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %c1, %d : f32
    return %q : f32
  }

  // The bf16 number next to log2(e).
  // CHECK-LABEL: func.func @next_narrow_log2e
  func.func @next_narrow_log2e(%x: bf16) -> bf16 {
    %c1 = arith.constant 1.0 : bf16
    %k = arith.constant -1.4375 : bf16
    %a = arith.mulf %x, %k : bf16
    %e = math.exp2 %a : bf16
    %d = arith.addf %c1, %e : bf16
    %q = arith.divf %c1, %d : bf16
    return %q : bf16
  }

  // exp where exp2 belongs, and exp2 where exp belongs, are the function of
  // another argument.
  // CHECK-LABEL: func.func @wrong_base
  // CHECK:         %[[A:.*]] = arith.mulf %arg0
  // CHECK:         %[[N:.*]] = arith.negf %[[A]]
  // CHECK-NEXT:    poly.sigmoid %[[N]] replaces
  // CHECK:         %[[LN2:.*]] = arith.constant 0.693147182
  // CHECK-NEXT:    %[[B:.*]] = arith.mulf %arg0, %[[LN2]]
  // CHECK-NEXT:    poly.sigmoid %[[B]] replaces
  func.func @wrong_base(%x: f32) -> (f32, f32) {
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant -1.44269504 : f32
    %a = arith.mulf %x, %k : f32
    %e = math.exp %a : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %c1, %d : f32
    %n = arith.negf %x : f32
    %f = math.exp2 %n : f32
    %g = arith.addf %c1, %f : f32
    %r = arith.divf %c1, %g : f32
    return %q, %r : f32, f32
  }

  // sinh/cosh of x in base two is tanh(ln(2) x).
  // CHECK-LABEL: func.func @base_two_ratio
  // CHECK:         %[[LN2:.*]] = arith.constant 0.693147182
  // CHECK-NEXT:    %[[B:.*]] = arith.mulf %arg0, %[[LN2]]
  // CHECK-NEXT:    poly.tanh %[[B]] replaces
  func.func @base_two_ratio(%x: f32) -> f32 {
    %n = arith.negf %x : f32
    %p = math.exp2 %x : f32
    %m = math.exp2 %n : f32
    %s = arith.subf %p, %m : f32
    %c = arith.addf %p, %m : f32
    %q = arith.divf %s, %c : f32
    return %q : f32
  }

  // 1.5 x may be infinite where x is not: not SiLU of it.
  // CHECK-LABEL: func.func @steep_swish
  // CHECK:         {poly.rescaled}
  // CHECK:         poly.sigmoid {{.*}}poly.kind = "swish"
  // CHECK:         {poly.rescaled}
  func.func @steep_swish(%x: f32) -> f32 {
    %k = arith.constant -1.5 : f32
    %c1 = arith.constant 1.0 : f32
    %n = arith.mulf %x, %k : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %x, %d : f32
    return %q : f32
  }

  // 1 - exp: a pole where the function has none.
  // CHECK-LABEL: func.func @difference
  // CHECK:         poly.exp {{.*}} : f32
  func.func @difference(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.subf %c1, %e : f32
    %q = arith.divf %c1, %d : f32
    return %q : f32
  }

  // CHECK-LABEL: func.func @half_is_0_4999
  // CHECK:         poly.tanh
  func.func @half_is_0_4999(%x: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %h = arith.constant 0.4999 : f32
    %a = arith.mulf %x, %half : f32
    %t = math.tanh %a : f32
    %s = math.fma %t, %h, %half : f32
    return %s : f32
  }

  // The sigmoid of half the argument.
  // CHECK-LABEL: func.func @quarter_argument
  // CHECK:         %[[T:.*]] = math.fma
  // CHECK-NEXT:    %[[H:.*]] = arith.constant 5.0
  // CHECK-NEXT:    %[[A:.*]] = arith.mulf %arg0, %[[H]]
  // CHECK-NEXT:    poly.sigmoid %[[A]] replaces
  func.func @quarter_argument(%x: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %quarter = arith.constant 0.25 : f32
    %a = arith.mulf %x, %quarter : f32
    %t = math.tanh %a : f32
    %s = math.fma %t, %half, %half : f32
    return %s : f32
  }

  // One lane of a literal is off.
  // CHECK-LABEL: func.func @odd_lane
  func.func @odd_lane(%x: vector<4xf32>) -> vector<4xf32> {
    %c1 = arith.constant dense<1.0> : vector<4xf32>
    %c = arith.constant dense<[1.0, 1.0, 1.0, 2.0]> : vector<4xf32>
    %n = arith.negf %x : vector<4xf32>
    %e = math.exp %n : vector<4xf32>
    %d = arith.addf %c, %e : vector<4xf32>
    %q = arith.divf %c1, %d : vector<4xf32>
    return %q : vector<4xf32>
  }

  // CHECK-LABEL: func.func @double_precision
  func.func @double_precision(%x: f64, %y: f32) -> (f64, f64, f32) {
    %c1 = arith.constant 1.0 : f64
    %n = arith.negf %x : f64
    %e = math.exp %n : f64
    %d = arith.addf %c1, %e : f64
    %q = arith.divf %c1, %d : f64
    %t = math.tanh %x : f64
    %yd = arith.extf %y : f32 to f64
    %ny = arith.negf %yd : f64
    %ey = math.exp %ny : f64
    %dy = arith.addf %c1, %ey : f64
    %qy = arith.divf %c1, %dy : f64
    %r = arith.truncf %qy : f64 to f32
    return %q, %t, %r : f64, f64, f32
  }

  // The exponential in f64 between f32 ops.
  // CHECK-LABEL: func.func @double_inside
  func.func @double_inside(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %w = arith.extf %n : f32 to f64
    %e = math.exp %w : f64
    %t = arith.truncf %e : f64 to f32
    %d = arith.addf %c1, %t : f32
    %q = arith.divf %c1, %d : f32
    return %q : f32
  }

  // CHECK-LABEL: func.func @scalable
  func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
    %t = math.tanh %x : vector<[4]xf32>
    return %t : vector<[4]xf32>
  }

  // CHECK-LABEL: func.func @tensors
  func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
    %t = math.tanh %x : tensor<4xf32>
    return %t : tensor<4xf32>
  }

  // A value loaded again is another value.
  // CHECK-LABEL: func.func @reloaded
  // CHECK:         {poly.rescaled}
  // CHECK:         poly.sigmoid {{.*}} : f32
  // CHECK:         {poly.rescaled}
  func.func @reloaded(%m: memref<4xf32>, %i: index) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %x = memref.load %m[%i] : memref<4xf32>
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %z = memref.load %m[%i] : memref<4xf32>
    %q = arith.divf %z, %d : f32
    return %q : f32
  }

  // Numerator and denominator of two arguments.
  // CHECK-LABEL: func.func @two_arguments
  // CHECK:         poly.exp {{.*}} : f32
  // CHECK:         poly.exp {{.*}} : f32
  func.func @two_arguments(%x: f32, %z: f32) -> (f32, f32) {
    %c1 = arith.constant 1.0 : f32
    %ex = math.exp %x : f32
    %ez = math.exp %z : f32
    %d = arith.addf %c1, %ez : f32
    %q = arith.divf %ex, %d : f32
    %num = arith.subf %ex, %ez : f32
    %den = arith.addf %ex, %ez : f32
    %r = arith.divf %num, %den : f32
    return %q, %r : f32, f32
  }

  // A denominator that one of two blocks made.
  // CHECK-LABEL: func.func @two_blocks
  // CHECK:         poly.exp {{.*}} : f32
  func.func @two_blocks(%x: f32, %z: f32, %c: i1) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    cf.cond_br %c, ^bb1(%d : f32), ^bb1(%z : f32)
  ^bb1(%den: f32):
    %q = arith.divf %c1, %den : f32
    return %q : f32
  }

  // CHECK-LABEL: func.func @softmax
  // CHECK:         poly.exp {{.*}}poly.kind = "softmax_exp", role = #poly.exp_role<weight>
  func.func @softmax(%x: vector<8xf32>) -> vector<8xf32> {
    %m = vector.reduction <maximumf>, %x : vector<8xf32> into f32
    %mb = vector.broadcast %m : f32 to vector<8xf32>
    %a = arith.subf %x, %mb : vector<8xf32>
    %e = math.exp %a : vector<8xf32>
    %s = vector.reduction <add>, %e : vector<8xf32> into f32
    %sb = vector.broadcast %s : f32 to vector<8xf32>
    %y = arith.divf %e, %sb : vector<8xf32>
    return %y : vector<8xf32>
  }

  // The two-way softmax is, but its arguments are two.
  // CHECK-LABEL: func.func @two_way_softmax
  // CHECK:         poly.exp {{.*}}poly.kind = "softmax_exp", role = #poly.exp_role<weight>
  // CHECK:         poly.exp {{.*}}poly.kind = "softmax_exp", role = #poly.exp_role<weight>
  func.func @two_way_softmax(%a: f32, %b: f32) -> f32 {
    %m = arith.maximumf %a, %b : f32
    %am = arith.subf %a, %m : f32
    %bm = arith.subf %b, %m : f32
    %ea = math.exp %am : f32
    %eb = math.exp %bm : f32
    %s = arith.addf %ea, %eb : f32
    %q = arith.divf %ea, %s : f32
    return %q : f32
  }

  // The halves of the line exchanged.
  // CHECK-LABEL: func.func @wrong_halves
  // CHECK:         poly.sigmoid %{{.*}} replaces
  func.func @wrong_halves(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %abs = math.absf %x : f32
    %minus = arith.negf %abs : f32
    %e = math.exp %minus : f32
    %sum = arith.addf %e, %c1 : f32
    %y = arith.divf %e, %sum : f32
    %rest = arith.subf %c1, %y : f32
    %isneg = arith.cmpf ogt, %x, %c0 : f32
    %s = arith.select %isneg, %y, %rest : f32
    return %s : f32
  }

  // CHECK-LABEL: func.func @infinite_addend
  // CHECK:         poly.exp {{.*}} : f32
  func.func @infinite_addend(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %inf = arith.constant 0x7F800000 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %i = arith.addf %e, %inf : f32
    %d = arith.addf %c1, %i : f32
    %q = arith.divf %c1, %d : f32
    return %q : f32
  }

  // One half for NaN, because both exponentials are 1 then.
  // CHECK-LABEL: func.func @nan_swallowed
  // CHECK:         poly.exp {{.*}} : f32
  // CHECK:         poly.exp {{.*}} : f32
  func.func @nan_swallowed(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %low = arith.minnumf %x, %c0 : f32
    %high = arith.maxnumf %x, %c0 : f32
    %minus = arith.negf %high : f32
    %num = math.exp %low : f32
    %e = math.exp %minus : f32
    %p = arith.mulf %num, %e : f32
    %d = arith.addf %c1, %p : f32
    %q = arith.divf %num, %d : f32
    return %q : f32
  }

  // |x| as the sum of its halves, which is 0 for NaN.
  // CHECK-LABEL: func.func @nan_magnitude
  // CHECK:         poly.tanh %{{.*}} replaces
  func.func @nan_magnitude(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %n = arith.negf %x : f32
    %high = arith.maxnumf %x, %c0 : f32
    %low = arith.maxnumf %n, %c0 : f32
    %abs = arith.addf %high, %low : f32
    %t = math.tanh %abs : f32
    %y = math.copysign %t, %x : f32
    return %y : f32
  }

  // Integer look-alikes have no floats to view.
  // CHECK-LABEL: func.func @integers
  func.func @integers(%x: vector<4xindex>, %y: i32) -> (vector<4xindex>, i32) {
    %c1 = arith.constant 1 : i32
    %s = arith.addi %x, %x : vector<4xindex>
    %d = arith.addi %c1, %y : i32
    %q = arith.divsi %c1, %d : i32
    return %s, %q : vector<4xindex>, i32
  }

  // Neither a power of e nor of two.
  // CHECK-LABEL: func.func @other_functions
  // CHECK:         poly.exp {{.*}} : f32
  func.func @other_functions(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %l = math.log1p %e : f32
    %f = math.erf %x : f32
    %s = arith.addf %l, %f : f32
    return %s : f32
  }

  // CHECK-LABEL: func.func @dead
  func.func @dead(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %t = math.tanh %x : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %c1, %d : f32
    %y = arith.mulf %q, %x : f32
    return %x : f32
  }
}
