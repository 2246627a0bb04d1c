// RUN: poly-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @known
// CHECK: poly.inlined "tanh" %arg0 is %arg1 : f32
// CHECK: poly.inlined "erf" %arg0 is %arg1 proved : f32
func.func @known(%x: f32, %y: f32) -> (f32, f32) {
  %t = poly.inlined "tanh" %x is %y : f32
  %e = poly.inlined "erf" %x is %y proved : f32
  return %t, %e : f32, f32
}

// -----

func.func @unknown(%x: f32, %y: f32) -> f32 {
  // expected-error @+1 {{function 'sin' is not known; known functions are exp, exp10, expm1, sinh, cosh, tanh, erf, erfc, normcdf, cbrt, rcbrt, square, cube}}
  %t = poly.inlined "sin" %x is %y : f32
  return %t : f32
}
