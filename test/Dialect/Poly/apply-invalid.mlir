// RUN: poly-opt %s --split-input-file --verify-diagnostics

func.func @apply_unknown(%a: f32) {
  // expected-error @+1 {{unknown program 'nothing'}}
  %0 = poly.apply <"nothing"> %a : f32 to f32
  return
}

// -----

func.func @apply_lanes(%a: vector<4xbf16>) {
  // expected-error @+1 {{operand must be bf16 or vector<2xbf16> for program 'silu-half3-bf16x2', got 'vector<4xbf16>'}}
  %0 = poly.apply <"silu-half3-bf16x2"> %a : vector<4xbf16> to vector<4xbf16>
  return
}

// -----

func.func @apply_format(%a: vector<2xf16>) {
  // expected-error @+1 {{operand must be bf16 or vector<2xbf16>}}
  %0 = poly.apply <"silu-half3-bf16x2"> %a : vector<2xf16> to vector<2xbf16>
  return
}

// -----

func.func @apply_result(%a: vector<2xbf16>) {
  // expected-error @+1 {{result must be bf16 or vector<2xbf16>}}
  %0 = poly.apply <"silu-half3-bf16x2"> %a : vector<2xbf16> to vector<2xf32>
  return
}

// -----

func.func @apply_shapes(%a: bf16) {
  // expected-error @+1 {{operand and result must have the same shape}}
  %0 = poly.apply <"silu-half3-bf16x2"> %a : bf16 to vector<2xbf16>
  return
}

// -----

func.func @apply_scalar(%a: vector<1xf32>) {
  // expected-error @+1 {{operand must be f32 for program 'silu-sfu-f32'}}
  %0 = poly.apply <"silu-sfu-f32"> %a : vector<1xf32> to f32
  return
}
