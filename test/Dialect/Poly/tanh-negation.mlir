// RUN: poly-opt %s --split-input-file --canonicalize | FileCheck %s

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
