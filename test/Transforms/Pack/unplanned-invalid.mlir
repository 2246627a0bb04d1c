// RUN: poly-opt %s --poly-pack | FileCheck %s

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
