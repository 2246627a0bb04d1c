// RUN: poly-opt %s --poly-raise | FileCheck %s
// RUN: poly-opt %s --poly-raise --poly-raise | FileCheck %s
// RUN: poly-opt %s --poly-raise --poly-plan='chip=sm_90 policy=strict' | FileCheck %s --check-prefix=RESTORED
// RUN: poly-opt %s --poly-raise --poly-expand | FileCheck %s --check-prefix=RESTORED
// RUN: poly-opt %s --poly-raise --poly-plan='chip=sm_90 policy=opt-in budget=atol=1e-2' | FileCheck %s --check-prefix=PLANNED

// A multiple of a function, which the source does not compute by itself. If no
// program takes its place, the source's own value comes back, not a product.

// RESTORED-NOT: poly.
// RESTORED-NOT: rescaled

gpu.module @multiples {
  // CHECK-LABEL: func.func @twice_sigmoid
  // CHECK:         %[[Q:.*]] = arith.divf
  // CHECK:         %[[HALF:.*]] = arith.mulf %[[Q]], %{{.*}} {poly.rescaled} : f32
  // CHECK:         %[[S:.*]] = poly.sigmoid %arg0 replaces %[[HALF]] : f32
  // CHECK:         %[[Y:.*]] = arith.mulf %[[S]], %{{.*}} {poly.rescaled} : f32
  // CHECK:         return %[[Y]]
  // RESTORED-LABEL: func.func @twice_sigmoid
  // RESTORED:         %[[Q:.*]] = arith.divf
  // RESTORED:         return %[[Q]]
  // PLANNED-LABEL: func.func @twice_sigmoid
  // PLANNED:         poly.sigmoid {{.*}} program
  func.func @twice_sigmoid(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %c2 = arith.constant 2.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %c2, %d : f32
    return %q : f32
  }

  // silu(0.75 x) / 0.75.
  // CHECK-LABEL: func.func @swish
  // CHECK:         %[[Q:.*]] = arith.divf %arg0
  // CHECK:         %[[A:.*]] = arith.mulf %arg0, %{{.*}} : f32
  // CHECK:         %[[T:.*]] = arith.mulf %[[Q]], %{{.*}} {poly.rescaled} : f32
  // CHECK:         %[[S:.*]] = poly.silu %[[A]] replaces %[[T]] {poly.kind = "swish"} : f32
  // CHECK:         %[[Y:.*]] = arith.mulf %[[S]], %{{.*}} {poly.rescaled} : f32
  // CHECK:         return %[[Y]]
  // RESTORED-LABEL: func.func @swish
  // RESTORED:         %[[Q:.*]] = arith.divf
  // RESTORED:         return %[[Q]]
  func.func @swish(%x: f32) -> f32 {
    %k = arith.constant -0.75 : f32
    %c1 = arith.constant 1.0 : f32
    %n = arith.mulf %x, %k : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %x, %d : f32
    return %q : f32
  }

  // The sigmoid is there: it is the site.
  // CHECK-LABEL: func.func @product
  // CHECK-NOT:     rescaled
  // CHECK:         poly.sigmoid
  // CHECK-NOT:     rescaled
  // RESTORED-LABEL: func.func @product
  func.func @product(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %c2 = arith.constant 2.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %y = arith.mulf %c2, %s : f32
    return %y : f32
  }

  // 2 sigmoid(2x) - 1 stays tanh.
  // CHECK-LABEL: func.func @tanh
  // CHECK-NOT:     rescaled
  // CHECK:         poly.tanh %arg0
  // RESTORED-LABEL: func.func @tanh
  func.func @tanh(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %c2 = arith.constant 2.0 : f32
    %k = arith.constant -2.0 : f32
    %n = arith.mulf %x, %k : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %c2, %d : f32
    %y = arith.subf %q, %c1 : f32
    return %y : f32
  }

  // y / (1 + exp(-x)): the sigmoid of x is y's factor.
  // CHECK-LABEL: func.func @quotient
  // CHECK:         %[[Q:.*]] = arith.divf %arg1, %{{.*}} : f32
  // CHECK-NEXT:    %[[T:.*]] = arith.divf %[[Q]], %arg1 {poly.rescaled} : f32
  // CHECK-NEXT:    %[[S:.*]] = poly.sigmoid %arg0 replaces %[[T]] : f32
  // CHECK-NEXT:    %[[Y:.*]] = arith.mulf %[[S]], %arg1 {poly.rescaled} : f32
  // CHECK-NEXT:    return %[[Y]]
  // RESTORED-LABEL: func.func @quotient
  // RESTORED:         %[[Q:.*]] = arith.divf
  // RESTORED-NEXT:    return %[[Q]]
  // PLANNED-LABEL: func.func @quotient
  // PLANNED:         poly.sigmoid {{.*}} program
  func.func @quotient(%x: f32, %y: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %y, %d : f32
    return %q : f32
  }

  // A slope above 1: 2.5 x may be infinite where x is not.
  // CHECK-LABEL: func.func @steep
  // CHECK:         %[[Q:.*]] = arith.divf %arg0
  // CHECK:         %[[T:.*]] = arith.divf %[[Q]], %arg0 {poly.rescaled} : f32
  // CHECK:         %[[S:.*]] = poly.sigmoid %{{.*}} replaces %[[T]] {poly.kind = "swish"} : f32
  // CHECK:         arith.mulf %[[S]], %arg0 {poly.rescaled} : f32
  // RESTORED-LABEL: func.func @steep
  // RESTORED:         %[[Q:.*]] = arith.divf
  // RESTORED:         return %[[Q]]
  func.func @steep(%x: f32) -> f32 {
    %k = arith.constant -2.5 : f32
    %c1 = arith.constant 1.0 : f32
    %n = arith.mulf %x, %k : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %x, %d : f32
    return %q : f32
  }

  // The numerator is a site as well: what takes its place is multiplied.
  // CHECK-LABEL: func.func @gated
  // CHECK:         %[[TANH:.*]] = poly.tanh %arg1
  // CHECK:         %[[S:.*]] = poly.sigmoid %arg0
  // CHECK:         arith.mulf %[[S]], %[[TANH]] {poly.rescaled} : f32
  // RESTORED-LABEL: func.func @gated
  // RESTORED:         %[[T:.*]] = math.tanh
  // RESTORED:         arith.divf %[[T]]
  // RESTORED-NEXT:    return
  func.func @gated(%x: f32, %y: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %t = math.tanh %y : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %t, %d : f32
    return %q : f32
  }
}
