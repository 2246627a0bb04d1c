// RUN: poly-opt %s --poly-pack --split-input-file | FileCheck %s

gpu.module @m {
  // Pairs of a vector, the odd lane by the scalar form, no lane invented.
  // CHECK-LABEL: gpu.func @odd
  // CHECK-SAME: (%[[X:.*]]: vector<5xbf16>)
  gpu.func @odd(%x: vector<5xbf16>) -> vector<5xbf16> {
    // CHECK: %[[P0:.*]] = vector.extract_strided_slice %[[X]] {offsets = [0], sizes = [2]
    // CHECK: %[[R0:.*]] = poly.apply <"silu-half3-bf16x2"> %[[P0]] : vector<2xbf16> to vector<2xbf16>
    // CHECK: %[[A:.*]] = vector.insert_strided_slice %[[R0]], %{{.*}} {offsets = [0]
    // CHECK: %[[P1:.*]] = vector.extract_strided_slice %[[X]] {offsets = [2], sizes = [2]
    // CHECK: %[[R1:.*]] = poly.apply <"silu-half3-bf16x2"> %[[P1]]
    // CHECK: %[[B:.*]] = vector.insert_strided_slice %[[R1]], %[[A]] {offsets = [2]
    // CHECK: %[[E:.*]] = vector.extract %[[X]][4]
    // CHECK: %[[L:.*]] = poly.apply <"silu-half3-bf16x2"> %[[E]] : bf16 to bf16
    // CHECK: %[[C:.*]] = vector.insert %[[L]], %[[B]] [4]
    // CHECK: gpu.return %[[C]]
    %y = poly.silu %x program <"silu-half3-bf16x2"> : vector<5xbf16>
    gpu.return %y : vector<5xbf16>
  }
}

// -----

gpu.module @m {
  // The truncation disappears into the program, the extension with it.
  // CHECK-LABEL: gpu.func @through_casts
  // CHECK-SAME: (%[[X:.*]]: vector<2xbf16>)
  gpu.func @through_casts(%x: vector<2xbf16>) -> vector<2xbf16> {
    // CHECK-NEXT: %[[Y:.*]] = poly.apply <"silu-half3-bf16x2"> %[[X]]
    // CHECK-NEXT: gpu.return %[[Y]]
    %f = arith.extf %x : vector<2xbf16> to vector<2xf32>
    %y = poly.silu %f program <"silu-half3-bf16x2"> : vector<2xf32>
    %r = arith.truncf %y : vector<2xf32> to vector<2xbf16>
    gpu.return %r : vector<2xbf16>
  }
}

// -----

gpu.module @m {
  // Rank 2 and rank 0 are flattened; the order of elements stays.
  // CHECK-LABEL: gpu.func @ranks
  gpu.func @ranks(%x: vector<2x1xf16>, %z: vector<f32>) -> (vector<2x1xf16>, vector<f32>) {
    // CHECK: %[[F:.*]] = vector.shape_cast %{{.*}} : vector<2x1xf16> to vector<2xf16>
    // CHECK: %[[R:.*]] = poly.apply <"tanh-half3-f16x2"> %[[F]]
    // CHECK: vector.shape_cast %[[R]] : vector<2xf16> to vector<2x1xf16>
    %y = poly.tanh %x program <"tanh-half3-f16x2"> : vector<2x1xf16>
    // CHECK: vector.shape_cast %{{.*}} : vector<f32> to vector<1xf32>
    // CHECK: poly.apply <"tanh-sfu-f32"> %{{.*}} : f32 to f32
    %w = poly.tanh %z program <"tanh-sfu-f32"> : vector<f32>
    gpu.return %y, %w : vector<2x1xf16>, vector<f32>
  }
}

// -----

gpu.module @m {
  // Scalars of one block share an evaluation; lane k goes back to element k.
  // CHECK-LABEL: gpu.func @pair
  // CHECK-SAME: (%[[A:.*]]: bf16, %[[B:.*]]: bf16, %[[C:.*]]: bf16)
  gpu.func @pair(%a: bf16, %b: bf16, %c: bf16) -> (bf16, bf16, bf16) {
    // CHECK: %[[P:.*]] = vector.from_elements %[[A]], %[[B]]
    // CHECK: %[[R:.*]] = poly.apply <"sigmoid-half3-bf16x2"> %[[P]]
    // CHECK: %[[RA:.*]] = vector.extract %[[R]][0]
    // CHECK: %[[RB:.*]] = vector.extract %[[R]][1]
    // CHECK: %[[RC:.*]] = poly.apply <"sigmoid-half3-bf16x2"> %[[C]] : bf16 to bf16
    // CHECK: gpu.return %[[RA]], %[[RB]], %[[RC]]
    %0 = poly.sigmoid %a program <"sigmoid-half3-bf16x2"> : bf16
    %1 = poly.sigmoid %b program <"sigmoid-half3-bf16x2"> : bf16
    %2 = poly.sigmoid %c program <"sigmoid-half3-bf16x2"> : bf16
    gpu.return %0, %1, %2 : bf16, bf16, bf16
  }
}

// -----

gpu.module @m {
  // One program each: silu and tanh are not paired.
  // CHECK-LABEL: gpu.func @mixed
  // CHECK-SAME: (%[[A:.*]]: bf16, %[[B:.*]]: bf16)
  gpu.func @mixed(%a: bf16, %b: bf16) -> (bf16, bf16) {
    // CHECK: poly.apply <"silu-half3-bf16x2"> %[[A]] : bf16 to bf16
    // CHECK: poly.apply <"tanh-half3-bf16x2"> %[[B]] : bf16 to bf16
    %0 = poly.silu %a program <"silu-half3-bf16x2"> : bf16
    %1 = poly.tanh %b program <"tanh-half3-bf16x2"> : bf16
    gpu.return %0, %1 : bf16, bf16
  }
}

// -----

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

// -----

gpu.module @m {
  // A scalarised vector: the truncation of the rebuilt vector moves to its
  // elements, the extraction of an extension to the narrow vector.
  // CHECK-LABEL: gpu.func @scalarised
  // CHECK-SAME: (%[[V:.*]]: vector<2xbf16>)
  gpu.func @scalarised(%v: vector<2xbf16>) -> vector<2xbf16> {
    // CHECK: %[[A:.*]] = vector.extract %[[V]][0] : bf16
    // CHECK: %[[B:.*]] = vector.extract %[[V]][1] : bf16
    // CHECK: %[[P:.*]] = vector.from_elements %[[A]], %[[B]]
    // CHECK: %[[R:.*]] = poly.apply <"silu-half3-bf16x2"> %[[P]]
    // CHECK: %[[C:.*]] = vector.extract %[[R]][0]
    // CHECK: %[[D:.*]] = vector.extract %[[R]][1]
    // CHECK: %[[W:.*]] = vector.from_elements %[[C]], %[[D]]
    // CHECK: gpu.return %[[W]]
    %f = arith.extf %v : vector<2xbf16> to vector<2xf32>
    %a = vector.extract %f[0] : f32 from vector<2xf32>
    %b = vector.extract %f[1] : f32 from vector<2xf32>
    %0 = poly.silu %a program <"silu-half3-bf16x2"> : f32
    %1 = poly.silu %b program <"silu-half3-bf16x2"> : f32
    %w = vector.from_elements %0, %1 : vector<2xf32>
    %r = arith.truncf %w : vector<2xf32> to vector<2xbf16>
    gpu.return %r : vector<2xbf16>
  }
}

// -----

gpu.module @m {
  // Nothing planned, nothing done.
  // CHECK-LABEL: gpu.func @unplanned
  gpu.func @unplanned(%a: f32, %was: f32) -> f32 {
    // CHECK-NEXT: %[[S:.*]] = poly.sigmoid %{{.*}} replaces %{{.*}} : f32
    // CHECK-NEXT: gpu.return %[[S]]
    %0 = poly.sigmoid %a replaces %was : f32
    gpu.return %0 : f32
  }
}
