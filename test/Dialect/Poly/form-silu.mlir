// RUN: poly-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @silu_from_product
func.func @silu_from_product(%x: f32) -> f32 {
  // CHECK: poly.silu %{{.*}} fastmath<afn> consent : f32
  // CHECK-NOT: arith.mulf
  %s = poly.sigmoid %x fastmath<afn> consent : f32
  %y = arith.mulf %x, %s fastmath<afn> : f32
  return %y : f32
}
