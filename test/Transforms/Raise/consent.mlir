// RUN: poly-opt %s --poly-raise | FileCheck %s

// Consent needs afn on every op whose result is rounded; contract is none.

gpu.module @consent {
  // CHECK-LABEL: func.func @division_is_exact
  // CHECK:         poly.sigmoid %arg0 replaces %{{[0-9]+}} : f32
  func.func @division_is_exact(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x fastmath<afn> : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %s = arith.divf %c1, %d : f32
    return %s : f32
  }

  // CHECK-LABEL: func.func @addition_is_exact
  // CHECK:         poly.sigmoid %arg0 replaces %{{[0-9]+}} : f32
  func.func @addition_is_exact(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x fastmath<afn> : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d fastmath<afn> : f32
    return %s : f32
  }

  // CHECK-LABEL: func.func @contract
  // CHECK:         poly.tanh %arg0 replaces %{{[0-9]+}} fastmath<reassoc,nnan,ninf,nsz,arcp,contract> : f32
  func.func @contract(%x: f32) -> f32 {
    %t = math.tanh %x fastmath<reassoc,nnan,ninf,nsz,arcp,contract> : f32
    return %t : f32
  }

  // Exact ops need no flags. Those that can carry some still count for the
  // flags that the new op may have.
  // CHECK-LABEL: func.func @plain_negation
  // CHECK:         poly.sigmoid %{{.*}} replaces %{{[0-9]+}} consent : f32
  func.func @plain_negation(%x: bf16) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %f = arith.extf %x : bf16 to f32
    %n = arith.negf %f : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %s = arith.divf %c1, %d fastmath<afn> : f32
    return %s : f32
  }

  // The flags of what lies outside the function are of no interest: the
  // scaling of the argument here.
  // CHECK-LABEL: func.func @plain_scaling_outside
  // CHECK:         poly.tanh %{{.*}} replaces %{{[0-9]+}} fastmath<fast> consent : f32
  func.func @plain_scaling_outside(%x: f32) -> f32 {
    %k = arith.constant 3.0 : f32
    %a = arith.mulf %x, %k : f32
    %t = math.tanh %a fastmath<fast> : f32
    return %t : f32
  }

  // And here it lies inside.
  // CHECK-LABEL: func.func @plain_scaling_inside
  // CHECK:         poly.sigmoid %arg0 replaces %{{[0-9]+}} : f32
  func.func @plain_scaling_inside(%x: f32) -> f32 {
    %half = arith.constant 0.5 : f32
    %a = arith.mulf %x, %half : f32
    %t = math.tanh %a fastmath<fast> : f32
    %s = math.fma %t, %half, %half fastmath<fast> : f32
    return %s : f32
  }
}
