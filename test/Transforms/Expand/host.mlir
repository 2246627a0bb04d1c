// RUN: poly-opt %s --poly-expand | FileCheck %s

// Host code has no programs; hand-written ops get their plain spelling.
// CHECK-LABEL: func.func @host
func.func @host(%x: vector<4xf32>) -> vector<4xf32> {
  // CHECK: math.exp
  // CHECK: arith.divf
  // CHECK-NOT: poly.
  %0 = poly.sigmoid %x : vector<4xf32>
  return %0 : vector<4xf32>
}
