// RUN: poly-opt %s --poly-to-nvptx="budget=atol=6e-2 chip=sm_90" | FileCheck %s

// Everything is in the LLVM dialect and the target is attached.

// CHECK: gpu.module @m [#nvvm.target<{{.*}}chip = "sm_90", features = "+ptx{{[0-9]+}}"
// CHECK: llvm.func @tanh
// CHECK-NOT: {{(arith|vector|memref|gpu|scf|poly)\.[a-z_]+ }}
// CHECK: llvm.intr.fma
// CHECK-NOT: __nv_tanhf
// CHECK: llvm.return
gpu.module @m {
  gpu.func @tanh(%x: memref<?xbf16>, %n: index) kernel {
    %i = gpu.global_id x
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {
      %v = vector.load %x[%i] {alignment = 8} : memref<?xbf16>, vector<4xbf16>
      %f = arith.extf %v : vector<4xbf16> to vector<4xf32>
      %t = math.tanh %f fastmath<afn> : vector<4xf32>
      %r = arith.truncf %t : vector<4xf32> to vector<4xbf16>
      vector.store %r, %x[%i] {alignment = 8} : memref<?xbf16>, vector<4xbf16>
    }
    gpu.return
  }
}
