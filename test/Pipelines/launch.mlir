// RUN: poly-opt %s --poly-substitute=budget=atol=6e-2 | FileCheck %s

// The body of gpu.launch is device code, the function around it is not.

// CHECK-LABEL: func.func @host
func.func @host(%x: memref<?xbf16>, %v: vector<2xbf16>) -> vector<2xbf16> {
  %c1 = arith.constant 1 : index
  // CHECK: gpu.launch
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // CHECK: llvm.intr.fma
    // CHECK-NOT: math.tanh
    // CHECK: gpu.terminator
    %a = vector.load %x[%tx] : memref<?xbf16>, vector<2xbf16>
    %f = arith.extf %a : vector<2xbf16> to vector<2xf32>
    %t = math.tanh %f fastmath<afn> : vector<2xf32>
    %r = arith.truncf %t : vector<2xf32> to vector<2xbf16>
    vector.store %r, %x[%tx] : memref<?xbf16>, vector<2xbf16>
    gpu.terminator
  }
  // CHECK: math.tanh
  %f = arith.extf %v : vector<2xbf16> to vector<2xf32>
  %t = math.tanh %f fastmath<afn> : vector<2xf32>
  %r = arith.truncf %t : vector<2xf32> to vector<2xbf16>
  return %r : vector<2xbf16>
}
