// RUN: poly-opt %s --canonicalize | FileCheck %s

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
