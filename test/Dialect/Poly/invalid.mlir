// RUN: poly-opt %s --split-input-file --verify-diagnostics

func.func @f64(%a: f64) {
  // expected-error @+1 {{'poly.sigmoid' op operand #0 must be f32, bf16 or f16}}
  %0 = "poly.sigmoid"(%a) : (f64) -> f64
  return
}

// -----

func.func @scalable(%a: vector<[4]xf32>) {
  // expected-error @+1 {{must be f32, bf16 or f16, or a fixed-length vector of one of them}}
  %0 = "poly.tanh"(%a) : (vector<[4]xf32>) -> vector<[4]xf32>
  return
}

// -----

func.func @types(%a: f32) {
  // expected-error @+1 {{failed to verify that all of {operand, result} have same type}}
  %0 = "poly.silu"(%a) : (f32) -> bf16
  return
}

// -----

func.func @original(%a: f32, %b: bf16) {
  // expected-error @+1 {{original has the type of the result}}
  %0 = "poly.silu"(%a, %b) : (f32, bf16) -> f32
  return
}

// -----

func.func @unknown(%a: f32) {
  // expected-error @+1 {{unknown program 'silu-magic'}}
  %0 = poly.silu %a program <"silu-magic"> : f32
  return
}

// -----

func.func @other_function(%a: f32) {
  // expected-error @+1 {{program 'tanh-sfu-f32' evaluates tanh}}
  %0 = poly.silu %a program <"tanh-sfu-f32"> : f32
  return
}

// -----

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

// -----

// expected-error @+1 {{accuracy needs a positive atol, rtol or ulps}}
func.func @zero() attributes {poly.accuracy = #poly.accuracy<atol = 0.0>} { return }

// -----

// expected-error @+1 {{accuracy parts must be finite and not negative}}
func.func @negative() attributes {poly.accuracy = #poly.accuracy<ulps = -1.0>} { return }

// -----

// expected-error @+1 {{'atol' given twice}}
func.func @twice() attributes {poly.accuracy = #poly.accuracy<atol = 1.0, atol = 2.0>} { return }

// -----

// expected-error @+1 {{expected atol, rtol or ulps}}
func.func @key() attributes {poly.accuracy = #poly.accuracy<eps = 1.0>} { return }

// -----

// expected-error @+1 {{attribute 'poly.keep' must be a unit attribute}}
func.func @keep() attributes {poly.keep = true} { return }

// -----

// expected-error @+1 {{must be a #poly.accuracy}}
func.func @accuracy() attributes {poly.accuracy = 1.0 : f32} { return }

// -----

// A misspelt switch must not silently do nothing.
// expected-error @+1 {{unknown attribute 'poly.opt_in'; known are poly.optin, poly.round_inputs, poly.keep and poly.accuracy}}
func.func @misspelt() attributes {poly.opt_in} { return }
