// RUN: poly-opt %s --poly-raise | FileCheck %s

// What the user put around a function stays around it.

gpu.module @guards {
  // CHECK-LABEL: func.func @nan_guard
  // CHECK:         %[[S:.*]] = poly.sigmoid %arg0 replaces
  // CHECK:         %[[C:.*]] = arith.cmpf uno, %arg0, %arg0
  // CHECK-NEXT:    arith.select %[[C]], %{{.*}}, %[[S]]
  func.func @nan_guard(%x: f32) -> f32 {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %isnan = arith.cmpf uno, %x, %x : f32
    %y = arith.select %isnan, %c0, %s : f32
    return %y : f32
  }

  // The clamped value is the argument.
  // CHECK-LABEL: func.func @clamped
  // CHECK:         %[[L:.*]] = arith.minimumf
  // CHECK:         %[[Y:.*]] = poly.silu %[[L]] replaces
  // CHECK-NEXT:    arith.maximumf %[[Y]]
  func.func @clamped(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %limit = arith.constant 7.0 : f32
    %low = arith.constant -0.25 : f32
    %g = arith.minimumf %x, %limit : f32
    %n = arith.negf %g : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %y = arith.divf %g, %d : f32
    %z = arith.maximumf %y, %low : f32
    return %z : f32
  }

  // A clamp of the exponent changes the function.
  // CHECK-LABEL: func.func @clamped_exponent
  // CHECK:         %[[M:.*]] = arith.minimumf
  // CHECK:         %[[N:.*]] = arith.negf %[[M]]
  // CHECK:         poly.sigmoid %[[N]] replaces
  // CHECK-NOT:     poly.silu
  func.func @clamped_exponent(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %limit = arith.constant 80.0 : f32
    %n = arith.negf %x : f32
    %m = arith.minimumf %n, %limit : f32
    %e = math.exp %m : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %y = arith.mulf %x, %s : f32
    return %y : f32
  }

  // A threshold other than zero is a guard too.
  // CHECK-LABEL: func.func @threshold
  // CHECK:         %[[T:.*]] = poly.tanh %arg0 replaces
  // CHECK:         arith.select %{{.*}}, %{{.*}}, %[[T]]
  func.func @threshold(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %big = arith.constant 9.0 : f32
    %t = math.tanh %x : f32
    %far = arith.cmpf ogt, %x, %big : f32
    %y = arith.select %far, %c1, %t : f32
    return %y : f32
  }

  // A mask chooses between the function and something else.
  // CHECK-LABEL: func.func @masked
  // CHECK:         %[[T:.*]] = poly.tanh %arg0 replaces
  // CHECK-NEXT:    arith.select %arg1, %[[T]]
  func.func @masked(%x: vector<4xf32>, %m: vector<4xi1>) -> vector<4xf32> {
    %c0 = arith.constant dense<0.0> : vector<4xf32>
    %t = math.tanh %x : vector<4xf32>
    %y = arith.select %m, %t, %c0 : vector<4xi1>, vector<4xf32>
    return %y : vector<4xf32>
  }
}
