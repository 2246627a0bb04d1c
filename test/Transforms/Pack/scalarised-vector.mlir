// RUN: poly-opt %s --poly-pack | FileCheck %s

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
