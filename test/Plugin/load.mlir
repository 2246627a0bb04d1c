// UNSUPPORTED: sanitizer
// Every pass and pipeline of the plugin runs in stock mlir-opt.
// RUN: %mlir_opt --load-pass-plugin=%poly_plugin --load-dialect-plugin=%poly_plugin \
// RUN:   --pass-pipeline='builtin.module(poly-raise)' %s | FileCheck %s --check-prefix=RAISE
// RUN: %mlir_opt --load-pass-plugin=%poly_plugin --load-dialect-plugin=%poly_plugin \
// RUN:   --pass-pipeline='builtin.module(poly-raise,poly-plan{chip=sm_90})' %s | FileCheck %s --check-prefix=PLAN
// RUN: %mlir_opt --load-pass-plugin=%poly_plugin --load-dialect-plugin=%poly_plugin \
// RUN:   --pass-pipeline='builtin.module(poly-raise,poly-plan{chip=sm_90},poly-pack)' %s | FileCheck %s --check-prefix=PACK
// RUN: %mlir_opt --load-pass-plugin=%poly_plugin --load-dialect-plugin=%poly_plugin \
// RUN:   --pass-pipeline='builtin.module(poly-raise,poly-plan{chip=sm_90},poly-pack,poly-expand)' %s | FileCheck %s --check-prefix=EXPAND
// RUN: %mlir_opt --load-pass-plugin=%poly_plugin --load-dialect-plugin=%poly_plugin \
// RUN:   --pass-pipeline='builtin.module(poly-substitute)' %s | FileCheck %s --check-prefix=EXPAND
// RUN: %mlir_opt --load-pass-plugin=%poly_plugin --load-dialect-plugin=%poly_plugin \
// RUN:   --pass-pipeline='builtin.module(poly-to-nvptx)' %s | FileCheck %s --check-prefix=NVPTX

// RUN: %mlir_opt --load-pass-plugin=%poly_plugin --load-dialect-plugin=%poly_plugin \
// RUN:   --pass-pipeline='builtin.module(poly-check-access)' %s 2>&1 | FileCheck %s --check-prefix=ACCESS

// RAISE: poly.silu
// PLAN: poly.silu {{.*}} program <
// PACK: poly.apply
// EXPAND-NOT: poly.
// EXPAND: llvm.call_intrinsic
// ACCESS-NOT: warning
// ACCESS: math.exp
// NVPTX: gpu.module @kernels [#nvvm.target<{{.*}}chip = "sm_90"
// NVPTX: llvm.func @silu
gpu.module @kernels {
  gpu.func @silu(%in: memref<?xbf16>, %i: index) kernel {
    %x = vector.load %in[%i] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %n = arith.negf %f fastmath<afn> : vector<8xf32>
    %e = math.exp %n fastmath<afn> : vector<8xf32>
    %d = arith.addf %e, %one fastmath<afn> : vector<8xf32>
    %s = arith.divf %f, %d fastmath<afn> : vector<8xf32>
    %y = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    vector.store %y, %in[%i] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
    gpu.return
  }
}
