// RUN: poly-opt %s | poly-opt | FileCheck %s
// RUN: poly-opt %s --mlir-print-op-generic | poly-opt | FileCheck %s

// CHECK-LABEL: func.func @scalars
func.func @scalars(%a: f32, %b: bf16, %c: f16) -> (f32, bf16, f16) {
  // CHECK: poly.sigmoid %{{.*}} : f32
  %0 = poly.sigmoid %a : f32
  // CHECK: poly.tanh %{{.*}} fastmath<afn> : bf16
  %1 = poly.tanh %b fastmath<afn> : bf16
  // CHECK: poly.silu %{{.*}} fastmath<contract,afn> consent : f16
  %2 = poly.silu %c fastmath<afn, contract> consent : f16
  return %0, %1, %2 : f32, bf16, f16
}

// CHECK-LABEL: func.func @replaces
func.func @replaces(%a: vector<3x5xf32>, %was: vector<3x5xf32>) -> vector<3x5xf32> {
  // CHECK: poly.silu %{{.*}} replaces %{{.*}} consent program <"silu-half3-bf16x2"> : vector<3x5xf32>
  %0 = poly.silu %a replaces %was consent program <"silu-half3-bf16x2"> : vector<3x5xf32>
  return %0 : vector<3x5xf32>
}

// CHECK-LABEL: func.func @apply
func.func @apply(%p: vector<2xbf16>, %q: vector<2xf32>, %s: f32) {
  // CHECK: poly.apply <"sigmoid-half3-bf16x2"> %{{.*}} : vector<2xbf16> to vector<2xbf16>
  %0 = poly.apply <"sigmoid-half3-bf16x2"> %p : vector<2xbf16> to vector<2xbf16>
  // CHECK: poly.apply <"sigmoid-half3-f32-bf16x2"> %{{.*}} : vector<2xf32> to vector<2xbf16>
  %1 = poly.apply <"sigmoid-half3-f32-bf16x2"> %q : vector<2xf32> to vector<2xbf16>
  // CHECK: poly.apply <"sigmoid-sfu-f32"> %{{.*}} : f32 to f32
  %2 = poly.apply <"sigmoid-sfu-f32"> %s : f32 to f32
  return
}

// The steering attributes.
// CHECK-LABEL: func.func @steered
// CHECK-SAME: poly.accuracy = #poly.accuracy<atol = 1.000000e-02, ulps = 2.000000e+00>
// CHECK-SAME: poly.keep, poly.optin, poly.round_inputs
func.func @steered() attributes {poly.optin, poly.keep, poly.round_inputs,
    poly.accuracy = #poly.accuracy<ulps = 2.0, atol = 1.0e-2>} {
  return
}
