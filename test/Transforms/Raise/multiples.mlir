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
}
