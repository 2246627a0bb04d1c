// RUN: poly-opt %s | poly-opt | FileCheck %s

// CHECK-LABEL: func.func @exponentials
func.func @exponentials(%x: f32, %was: f32) -> (f32, f32) {
  // CHECK: poly.exp2 %{{.*}} replaces %{{.*}} consent {bound = 0.000000e+00 : f64, role = #poly.exp_role<weight>} : f32
  %0 = poly.exp2 %x replaces %was consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : f32
  // A plain exponential without a bound is the default.
  // CHECK: poly.exp %{{.*}} : f32
  %1 = poly.exp %x : f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func.func @more
func.func @more(%x: vector<4xbf16>) {
  // CHECK: poly.gelu_erf %{{.*}} : vector<4xbf16>
  %0 = poly.gelu_erf %x : vector<4xbf16>
  // CHECK: poly.gelu_tanh
  %1 = poly.gelu_tanh %x : vector<4xbf16>
  // CHECK: poly.dsigmoid
  %2 = poly.dsigmoid %x : vector<4xbf16>
  // CHECK: poly.dtanh
  %3 = poly.dtanh %x : vector<4xbf16>
  // CHECK: poly.dsilu
  %4 = poly.dsilu %x : vector<4xbf16>
  // CHECK: poly.dgelu_erf
  %5 = poly.dgelu_erf %x : vector<4xbf16>
  // CHECK: poly.dgelu_tanh
  %6 = poly.dgelu_tanh %x : vector<4xbf16>
  return
}
