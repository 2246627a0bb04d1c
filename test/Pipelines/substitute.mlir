// RUN: poly-opt %s --poly-substitute=budget=atol=6e-2 | FileCheck %s
// RUN: poly-opt %s --poly-substitute=policy=off -o %t.off && poly-opt %s -o %t.in && diff %t.in %t.off
// RUN: poly-opt %s --poly-substitute=budget=atol=6e-2 -o %t.mt
// RUN: poly-opt %s --poly-substitute=budget=atol=6e-2 --mlir-disable-threading -o %t.st && diff %t.mt %t.st
// RUN: poly-opt %t.mt --poly-substitute=budget=atol=6e-2 -o %t.again && diff %t.mt %t.again

// The whole front half: the source's spelling is gone, unknown attributes and
// host code stay, and a second run finds nothing.

module attributes {gpu.container_module, my.tag = "outer"} {
  // CHECK-LABEL: func.func @host
  func.func @host(%v: f32) -> f32 {
    // CHECK: math.exp
    %one = arith.constant 1.0 : f32
    %n = arith.negf %v fastmath<fast> : f32
    %e = math.exp %n fastmath<fast> : f32
    %d = arith.addf %e, %one fastmath<fast> : f32
    %s = arith.divf %one, %d fastmath<fast> : f32
    return %s : f32
  }
  gpu.module @dev attributes {my.version = 3 : i64} {
    // CHECK: gpu.func @silu({{.*}} {my.arg = "x"}, {{.*}}) kernel attributes {my.entry}
    gpu.func @silu(%x: memref<?xbf16> {my.arg = "x"}, %o: memref<?xbf16>, %i: index) kernel attributes {my.entry} {
      // CHECK: %[[V:.*]] = vector.load {{.*}} {my.keep}
      // CHECK-NOT: math.
      // CHECK-NOT: arith.extf
      // CHECK-COUNT-2: llvm.nvvm.fma.rn.relu.bf16x2
      // CHECK-NOT: arith.truncf
      // CHECK: vector.store
      %v = vector.load %x[%i] {my.keep} : memref<?xbf16>, vector<4xbf16>
      %f = arith.extf %v : vector<4xbf16> to vector<4xf32>
      %n = arith.negf %f fastmath<fast> : vector<4xf32>
      %e = math.exp %n fastmath<fast> : vector<4xf32>
      %one = arith.constant dense<1.0> : vector<4xf32>
      %d = arith.addf %e, %one fastmath<fast> : vector<4xf32>
      %s = arith.divf %f, %d fastmath<fast> : vector<4xf32>
      %r = arith.truncf %s : vector<4xf32> to vector<4xbf16>
      vector.store %r, %o[%i] : memref<?xbf16>, vector<4xbf16>
      gpu.return
    }
  }
}
