// RUN: poly-opt %s --canonicalize | FileCheck %s

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
