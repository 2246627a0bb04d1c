// RUN: poly-compile %s -o %t.ptx --budget=atol=1e-1 && FileCheck %s --input-file=%t.ptx
// RUN: poly-compile %s -o %t.rel.ptx --budget=rtol=2e-2 --table 2>&1 | FileCheck %s --check-prefix=RTOL

// Vectors of several dimensions, of none, of one element, and long ones reach
// PTX. A relative budget does not fail for results below the normal numbers.

// CHECK-DAG: .entry rank2
// CHECK-DAG: .entry rank0
// CHECK-DAG: .entry one
// CHECK-DAG: .entry long
// RTOL-COUNT-4: applied
gpu.module @m {
  gpu.func @rank2(%x: memref<?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %l = vector.load %x[%c0] : memref<?xbf16>, vector<21xbf16>
    %v = vector.shape_cast %l : vector<21xbf16> to vector<3x7xbf16>
    %f = arith.extf %v : vector<3x7xbf16> to vector<3x7xf32>
    %t = math.tanh %f fastmath<afn> : vector<3x7xf32>
    %r = arith.truncf %t : vector<3x7xf32> to vector<3x7xbf16>
    %s = vector.shape_cast %r : vector<3x7xbf16> to vector<21xbf16>
    vector.store %s, %x[%c0] : memref<?xbf16>, vector<21xbf16>
    gpu.return
  }
  gpu.func @rank0(%x: memref<bf16>) kernel {
    %v = vector.load %x[] : memref<bf16>, vector<bf16>
    %f = arith.extf %v : vector<bf16> to vector<f32>
    %t = math.tanh %f fastmath<afn> : vector<f32>
    %r = arith.truncf %t : vector<f32> to vector<bf16>
    vector.store %r, %x[] : memref<bf16>, vector<bf16>
    gpu.return
  }
  gpu.func @one(%x: memref<?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : memref<?xbf16>, vector<1xbf16>
    %f = arith.extf %v : vector<1xbf16> to vector<1xf32>
    %t = math.tanh %f fastmath<afn> : vector<1xf32>
    %r = arith.truncf %t : vector<1xf32> to vector<1xbf16>
    vector.store %r, %x[%c0] : memref<?xbf16>, vector<1xbf16>
    gpu.return
  }
  gpu.func @long(%x: memref<?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] {alignment = 16} : memref<?xbf16>, vector<257xbf16>
    %f = arith.extf %v : vector<257xbf16> to vector<257xf32>
    %t = math.tanh %f fastmath<afn> : vector<257xf32>
    %r = arith.truncf %t : vector<257xf32> to vector<257xbf16>
    vector.store %r, %x[%c0] {alignment = 16} : memref<?xbf16>, vector<257xbf16>
    gpu.return
  }
}
