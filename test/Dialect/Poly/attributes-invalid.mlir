// RUN: poly-opt %s --split-input-file --verify-diagnostics

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
// expected-error @+1 {{unknown attribute 'poly.opt_in'; known are poly.optin, poly.round_inputs, poly.round_offsets, poly.keep and poly.accuracy}}
func.func @misspelt() attributes {poly.opt_in} { return }

// -----

func.func @kind(%x: f32) -> f32 {
  // expected-error @+1 {{attribute 'poly.kind' must be a string}}
  %y = poly.tanh %x {poly.kind = 1} : f32
  return %y : f32
}

// -----

func.func @pair(%x: f32) -> f32 {
  // expected-error @+1 {{attribute 'poly.pair' must be an integer}}
  %y = poly.tanh %x {poly.pair = "a"} : f32
  return %y : f32
}

// -----

// expected-error @+1 {{attribute 'poly.kind' belongs on a poly function op}}
func.func @elsewhere() attributes {poly.kind = "softcap"} { return }
