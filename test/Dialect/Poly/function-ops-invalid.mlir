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
