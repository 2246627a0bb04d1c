// RUN: poly-opt %s --split-input-file --canonicalize | FileCheck %s

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
