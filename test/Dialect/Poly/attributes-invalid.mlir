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
// expected-error @+1 {{unknown attribute 'poly.opt_in'; known are poly.optin, poly.round_inputs, poly.round_offsets, poly.lower_bound, poly.order_only, poly.keep, poly.accuracy and poly.kernel}}
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

// -----

// expected-error @+1 {{attribute 'poly.kernel' must be a dictionary on a function}}
func.func @kernel_type() attributes {poly.kernel = "silu"} { return }

// -----

func.func @kernel_op(%x: f32) -> f32 {
  // expected-error @+1 {{attribute 'poly.kernel' must be a dictionary on a function}}
  %0 = poly.tanh %x {poly.kernel = {}} : f32
  return %0 : f32
}

// -----

// expected-error @+1 {{attribute 'poly.kernel' cannot hold 0x7F800000 : f32; it takes strings}}
func.func @kernel_value() attributes {poly.kernel = {list = [1, 0x7F800000 : f32]}} { return }

// -----

// expected-error @+1 {{dynamicSharedBytes of 'poly.kernel' must be an integer and not negative}}
func.func @kernel_shared() attributes {poly.kernel = {dynamicSharedBytes = -1 : i64}} { return }

// -----

func.func @kernel_good() attributes {poly.kernel = {family = "silu", of = {x = [true, 1.0, unit]}, dynamicSharedBytes = 0 : i32}} { return }

// -----

func.func @bound(%x: f32) -> f32 {
  // expected-error @+1 {{attribute 'poly.lower_bound' must be a finite f64, e.g. -126.0 : f64}}
  %y = math.exp2 %x {poly.lower_bound = -126 : i32} : f32
  return %y : f32
}

// -----

func.func @infinite(%x: f32) -> f32 {
  // expected-error @+1 {{attribute 'poly.lower_bound' must be a finite f64}}
  %y = math.exp2 %x {poly.lower_bound = 0xFFF0000000000000 : f64} : f32
  return %y : f32
}

// -----

func.func @order(%x: f32) -> i32 {
  // expected-error @+1 {{attribute 'poly.order_only' must be a unit attribute}}
  %y = llvm.inline_asm {poly.order_only = true} "mov.b32 $0, $1;", "=r,f" %x : (f32) -> i32
  return %y : i32
}
