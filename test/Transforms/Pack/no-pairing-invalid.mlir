// RUN: poly-opt %s --poly-pack | FileCheck %s

gpu.module @m {
  // The second site depends on the first: pairing them would be a cycle.
  // CHECK-LABEL: gpu.func @chained
  gpu.func @chained(%a: bf16) -> bf16 {
    // CHECK-COUNT-2: poly.apply
    // CHECK-NOT: poly.apply
    %0 = poly.sigmoid %a program <"sigmoid-half3-bf16x2"> : bf16
    %1 = poly.sigmoid %0 program <"sigmoid-half3-bf16x2"> : bf16
    gpu.return %1 : bf16
  }

  // The second argument is loaded after the first result is stored, perhaps
  // through an alias: the load must not move up, the store must not move down.
  // CHECK-LABEL: gpu.func @store_between
  gpu.func @store_between(%m: memref<?xbf16>, %i: index, %j: index) {
    // CHECK: memref.load
    // CHECK: poly.apply
    // CHECK: memref.store
    // CHECK: memref.load
    // CHECK: poly.apply
    // CHECK: memref.store
    %a = memref.load %m[%i] : memref<?xbf16>
    %0 = poly.sigmoid %a program <"sigmoid-half3-bf16x2"> : bf16
    memref.store %0, %m[%i] : memref<?xbf16>
    %b = memref.load %m[%j] : memref<?xbf16>
    %1 = poly.sigmoid %b program <"sigmoid-half3-bf16x2"> : bf16
    memref.store %1, %m[%j] : memref<?xbf16>
    gpu.return
  }

  // Sites of different blocks stay apart.
  // CHECK-LABEL: gpu.func @blocks
  gpu.func @blocks(%a: bf16, %b: bf16, %c: i1) -> bf16 {
    // CHECK: poly.apply
    // CHECK: scf.if
    // CHECK: poly.apply
    %0 = poly.sigmoid %a program <"sigmoid-half3-bf16x2"> : bf16
    %r = scf.if %c -> bf16 {
      %1 = poly.sigmoid %b program <"sigmoid-half3-bf16x2"> : bf16
      scf.yield %1 : bf16
    } else {
      scf.yield %0 : bf16
    }
    gpu.return %r : bf16
  }
}
