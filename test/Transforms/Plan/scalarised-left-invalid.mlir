// RUN: poly-opt %s --poly-plan | FileCheck %s

gpu.module @m {
  // Scalars rebuilt into a vector and then rounded are left exactly as they
  // were when they are left.
  // CHECK-LABEL: gpu.func @scalarised_left
  gpu.func @scalarised_left(%a: f32, %b: f32) -> vector<2xbf16> {
    // CHECK: %[[V:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
    // CHECK: arith.truncf %[[V]] : vector<2xf32> to vector<2xbf16>
    %ea = math.exp %a : f32
    %eb = math.exp %b : f32
    %0 = poly.silu %a replaces %ea : f32
    %1 = poly.silu %b replaces %eb : f32
    %w = vector.from_elements %0, %1 : vector<2xf32>
    %r = arith.truncf %w : vector<2xf32> to vector<2xbf16>
    gpu.return %r : vector<2xbf16>
  }
}
