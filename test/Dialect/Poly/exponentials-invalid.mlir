// RUN: poly-opt %s --split-input-file --verify-diagnostics

func.func @role(%x: f32) {
  // expected-error @below {{failed to parse Poly_ExpRoleAttr}}
  // expected-error @below {{expected ::mlir::poly::ExpRole to be one of: plain, weight, correction, lse, scale}}
  %0 = poly.exp2 %x {role = #poly.exp_role<numerator>} : f32
  return
}

// -----

func.func @bound(%x: f32) {
  // expected-error @below {{attribute 'bound' failed to satisfy constraint: 64-bit float attribute}}
  %0 = poly.exp2 %x {bound = 0.0 : f32} : f32
  return
}
