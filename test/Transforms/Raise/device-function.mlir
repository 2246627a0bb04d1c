// RUN: poly-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(poly-raise)),func.func(poly-raise))' | FileCheck %s

// The pass works on any op: here on functions, which know where they are.

// CHECK-LABEL: func.func @host
// CHECK-NOT:     poly.
func.func @host(%x: f32) -> f32 {
  %t = math.tanh %x : f32
  return %t : f32
}
gpu.module @device {
  // CHECK-LABEL: gpu.func @kernel
  // CHECK:         poly.tanh
  gpu.func @kernel(%x: f32, %o: memref<f32>) kernel {
    %t = math.tanh %x : f32
    memref.store %t, %o[] : memref<f32>
    gpu.return
  }
}
