// RUN: poly-opt %s --canonicalize --split-input-file | FileCheck %s

// Constants fold to the correctly rounded value. sigmoid(1) = 0.731058578...,
// tanh(0.5) = 0.462117157..., silu(-2) = -0.238405844...
// CHECK-LABEL: func.func @constants
func.func @constants() -> (f32, f32, f32) {
  // CHECK-DAG: %[[S:.*]] = arith.constant 0.731058597 : f32
  // CHECK-DAG: %[[T:.*]] = arith.constant 0.462117165 : f32
  // CHECK-DAG: %[[U:.*]] = arith.constant -0.238405839 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %m2 = arith.constant -2.0 : f32
  %s = poly.sigmoid %one : f32
  %t = poly.tanh %half : f32
  %u = poly.silu %m2 : f32
  // CHECK: return %[[S]], %[[T]], %[[U]]
  return %s, %t, %u : f32, f32, f32
}

// -----

// bf16(sigmoid(1)) = 0.730468750; the sign of zero and infinities are exact.
// CHECK-LABEL: func.func @splats
func.func @splats() -> (vector<2xbf16>, f16, f16) {
  // CHECK-DAG: arith.constant dense<7.304680e-01> : vector<2xbf16>
  // CHECK-DAG: arith.constant -0.000000e+00 : f16
  // CHECK-DAG: arith.constant 1.000000e+00 : f16
  %one = arith.constant dense<1.0> : vector<2xbf16>
  %nz = arith.constant -0.0 : f16
  %inf = arith.constant 0x7C00 : f16
  %s = poly.sigmoid %one : vector<2xbf16>
  %t = poly.tanh %nz : f16
  %u = poly.sigmoid %inf : f16
  return %s, %t, %u : vector<2xbf16>, f16, f16
}

// -----

// NaN stays for the program to treat; a planned or replacing op stands for an
// exact value and must not fold.
// CHECK-LABEL: func.func @no_fold
func.func @no_fold(%was: f32) -> (f32, f32, f32) {
  %nan = arith.constant 0x7FC00000 : f32
  %one = arith.constant 1.0 : f32
  // CHECK: poly.sigmoid
  %0 = poly.sigmoid %nan : f32
  // CHECK: poly.sigmoid {{.*}} replaces
  %1 = poly.sigmoid %one replaces %was : f32
  // CHECK: poly.sigmoid {{.*}} program
  %2 = poly.sigmoid %one program <"sigmoid-sfu-f32"> : f32
  return %0, %1, %2 : f32, f32, f32
}

// -----

// CHECK-LABEL: func.func @tanh_is_odd
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @tanh_is_odd(%x: f32) -> f32 {
  // CHECK: %[[T:.*]] = poly.tanh %[[X]] : f32
  // CHECK: arith.negf %[[T]] : f32
  %n = arith.negf %x : f32
  %t = poly.tanh %n : f32
  return %t : f32
}

// -----

// CHECK-LABEL: func.func @sigmoid_is_not_odd
func.func @sigmoid_is_not_odd(%x: f32) -> f32 {
  // CHECK: %[[N:.*]] = arith.negf
  // CHECK: poly.sigmoid %[[N]]
  %n = arith.negf %x : f32
  %s = poly.sigmoid %n : f32
  return %s : f32
}

// -----

// CHECK-LABEL: func.func @silu_from_product
func.func @silu_from_product(%x: f32) -> f32 {
  // CHECK: poly.silu %{{.*}} fastmath<afn> consent : f32
  // CHECK-NOT: arith.mulf
  %s = poly.sigmoid %x fastmath<afn> consent : f32
  %y = arith.mulf %x, %s fastmath<afn> : f32
  return %y : f32
}

// -----

// Without permission on both ops the two roundings stay; another factor is a
// gate, not a SiLU; a second use keeps the sigmoid.
// CHECK-LABEL: func.func @not_silu
func.func @not_silu(%x: f32, %g: f32) -> (f32, f32, f32, f32) {
  // CHECK-COUNT-3: poly.sigmoid
  // CHECK-NOT: poly.silu
  %s = poly.sigmoid %x : f32
  %y = arith.mulf %x, %s fastmath<afn> : f32
  %s2 = poly.sigmoid %x fastmath<afn> consent : f32
  %y2 = arith.mulf %g, %s2 fastmath<afn> : f32
  %s3 = poly.sigmoid %g fastmath<afn> consent : f32
  %y3 = arith.mulf %g, %s3 fastmath<afn> : f32
  return %y, %y2, %y3, %s3 : f32, f32, f32, f32
}
