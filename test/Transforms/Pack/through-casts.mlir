// RUN: poly-opt %s --poly-pack | FileCheck %s

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
