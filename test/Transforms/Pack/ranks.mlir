// RUN: poly-opt %s --poly-pack | FileCheck %s

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
