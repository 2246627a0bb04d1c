// RUN: poly-opt %s --split-input-file --verify-diagnostics

func.func @alone(%x: f32) -> f32 {
  // expected-error @below {{a split needs program, rest and share}}
  %0 = poly.exp2 %x {share = 4 : i32} : f32
  return %0 : f32
}

// -----

func.func @shapes(%x: vector<2xf32>) -> vector<2xf32> {
  // expected-error @below {{programs 'exp2-h15-f32' and 'exp2-sfuweight-f32-bf16x2' of a split must have the same function, formats and lanes}}
  %0 = poly.exp2 %x program <"exp2-h15-f32"> {rest = #poly.program<"exp2-sfuweight-f32-bf16x2">, share = 4 : i32} : vector<2xf32>
  return %0 : vector<2xf32>
}

// -----

func.func @share(%x: f32) -> f32 {
  // expected-error @below {{attribute 'share' failed to satisfy constraint}}
  %0 = poly.exp2 %x program <"exp2-h15-f32"> {rest = #poly.program<"exp2-h15-f32">, share = 17 : i32} : f32
  return %0 : f32
}
