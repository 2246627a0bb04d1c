// RUN: poly-opt %s --poly-expand | FileCheck %s

// Constants stay inside the launch, whose values become kernel arguments
// otherwise, and one copy serves a whole function.

// CHECK-LABEL: func.func @host
func.func @host(%x: memref<?xf16>) {
  %c1 = arith.constant 1 : index
  // CHECK-NOT: llvm.mlir.constant
  // CHECK: gpu.launch
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // CHECK: llvm.mlir.constant
    %a = memref.load %x[%tx] : memref<?xf16>
    %b = poly.apply <"tanh-half3-f16x2"> %a : f16 to f16
    memref.store %b, %x[%tx] : memref<?xf16>
    gpu.terminator
  }
  return
}

gpu.module @m {
  // CHECK-LABEL: gpu.func @loop
  gpu.func @loop(%x: vector<2xf16>, %n: index) -> vector<2xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: llvm.mlir.constant
    // CHECK: scf.for
    // CHECK-NOT: llvm.mlir.constant
    // CHECK: gpu.return
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> vector<2xf16> {
      %z = poly.apply <"tanh-half3-f16x2"> %y : vector<2xf16> to vector<2xf16>
      scf.yield %z : vector<2xf16>
    }
    gpu.return %r : vector<2xf16>
  }
}
