// RUN: poly-opt %s --poly-pack | FileCheck %s

// An evaluation stands where the function does. What is made of it stands where
// the source rounded, if an op with effects is in between.

gpu.module @m {
  // CHECK-LABEL: gpu.func @vector
  gpu.func @vector(%x: vector<4xf32>) -> vector<4xbf16> {
    %t = math.tanh %x fastmath<afn> : vector<4xf32>
    // CHECK: %[[A:.*]] = poly.apply
    // CHECK: %[[B:.*]] = poly.apply
    // CHECK-NOT: vector.from_elements
    // CHECK: gpu.barrier
    // CHECK: vector.extract %[[A]][0]
    // CHECK: vector.extract %[[B]][1]
    // CHECK: %[[R:.*]] = vector.from_elements
    // CHECK: gpu.return %[[R]]
    %p = poly.tanh %x replaces %t fastmath<afn> consent program <"tanh-tanh32-f32-bf16x2"> : vector<4xf32>
    gpu.barrier
    %r = arith.truncf %p : vector<4xf32> to vector<4xbf16>
    gpu.return %r : vector<4xbf16>
  }

  // One of two truncations is behind the barrier.
  // CHECK-LABEL: gpu.func @both
  gpu.func @both(%x: vector<4xf32>) -> (vector<4xbf16>, vector<4xbf16>) {
    %t = math.tanh %x fastmath<afn> : vector<4xf32>
    // CHECK-COUNT-2: poly.apply
    // CHECK: %[[R:.*]] = vector.from_elements
    // CHECK: gpu.barrier
    // CHECK: %[[S:.*]] = vector.from_elements
    // CHECK: gpu.return %[[R]], %[[S]]
    %p = poly.tanh %x replaces %t fastmath<afn> consent program <"tanh-tanh32-f32-bf16x2"> : vector<4xf32>
    %r = arith.truncf %p : vector<4xf32> to vector<4xbf16>
    gpu.barrier
    %s = arith.truncf %p : vector<4xf32> to vector<4xbf16>
    gpu.return %r, %s : vector<4xbf16>, vector<4xbf16>
  }

  // CHECK-LABEL: gpu.func @scalars
  gpu.func @scalars(%x: f32, %y: f32) -> (bf16, bf16) {
    %t = math.tanh %x fastmath<afn> : f32
    %u = math.tanh %y fastmath<afn> : f32
    // CHECK: %[[A:.*]] = poly.apply
    // CHECK-NOT: vector.extract
    // CHECK: gpu.barrier
    // CHECK: vector.extract %[[A]][0]
    // CHECK: vector.extract %[[A]][1]
    %p = poly.tanh %x replaces %t fastmath<afn> consent program <"tanh-tanh32-f32-bf16x2"> : f32
    %q = poly.tanh %y replaces %u fastmath<afn> consent program <"tanh-tanh32-f32-bf16x2"> : f32
    gpu.barrier
    %r = arith.truncf %p : f32 to bf16
    %s = arith.truncf %q : f32 to bf16
    gpu.return %r, %s : bf16, bf16
  }

  // Arithmetic in between has no effects; the compiler is free to move it.
  // CHECK-LABEL: gpu.func @pure
  gpu.func @pure(%x: vector<4xf32>, %y: f32) -> (vector<4xbf16>, f32) {
    %t = math.tanh %x fastmath<afn> : vector<4xf32>
    // CHECK: vector.from_elements
    // CHECK: arith.addf
    %p = poly.tanh %x replaces %t fastmath<afn> consent program <"tanh-tanh32-f32-bf16x2"> : vector<4xf32>
    %z = arith.addf %y, %y : f32
    %r = arith.truncf %p : vector<4xf32> to vector<4xbf16>
    gpu.return %r, %z : vector<4xbf16>, f32
  }
}
