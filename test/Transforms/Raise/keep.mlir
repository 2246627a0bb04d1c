// RUN: poly-opt %s --poly-raise --split-input-file | FileCheck %s

gpu.module @ops {
  // On the root.
  // CHECK-LABEL: func.func @root
  // CHECK-NOT:     poly.{{sigmoid|tanh|silu}}
  func.func @root(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d {poly.keep} : f32
    return %s : f32
  }

  // Inside.
  // CHECK-LABEL: func.func @inside
  // CHECK-NOT:     poly.{{sigmoid|tanh|silu}}
  func.func @inside(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n {poly.keep} : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    return %s : f32
  }

  // The product is to be kept, its sigmoid is not.
  // CHECK-LABEL: func.func @outer_only
  // CHECK:         poly.sigmoid
  // CHECK-NOT:     poly.silu
  func.func @outer_only(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %y = arith.mulf %x, %s {poly.keep} : f32
    return %y : f32
  }

  // On a region.
  // CHECK-LABEL: func.func @region
  // CHECK-NOT:     poly.{{sigmoid|tanh|silu}}
  func.func @region(%x: f32, %c: i1, %o: memref<f32>) {
    scf.if %c {
      %t = math.tanh %x : f32
      memref.store %t, %o[] : memref<f32>
    } {poly.keep}
    return
  }

  // CHECK-LABEL: func.func @function
  // CHECK-NOT:     poly.{{sigmoid|tanh|silu}}
  func.func @function(%x: f32) -> f32 attributes {poly.keep} {
    %t = math.tanh %x : f32
    return %t : f32
  }

  // CHECK-LABEL: func.func @other_function
  // CHECK:         poly.tanh
  func.func @other_function(%x: f32) -> f32 {
    %t = math.tanh %x : f32
    return %t : f32
  }
}

// -----

// CHECK-LABEL: gpu.module @module
// CHECK-NOT:     poly.{{sigmoid|tanh|silu}}
gpu.module @module attributes {poly.keep} {
  func.func @function(%x: f32) -> f32 {
    %t = math.tanh %x : f32
    return %t : f32
  }
}
