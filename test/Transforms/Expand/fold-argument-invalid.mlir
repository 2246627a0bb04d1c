// RUN: poly-opt %s --poly-expand --canonicalize --cse | FileCheck %s

gpu.module @m {
  // No permission to contract: the product keeps its rounding.
  // CHECK-LABEL: gpu.func @strict
  gpu.func @strict(%s: f32) -> f32 {
    %half = arith.constant 0.3 : f32
    // CHECK: arith.mulf
    %x = arith.mulf %s, %half : f32
    %r = poly.apply <"exp2-h15-f32"> %x : f32 to f32
    gpu.return %r : f32
  }
  // A row's addend would be rounded to the lattice with the magic number.
  // CHECK-LABEL: gpu.func @row_offset
  gpu.func @row_offset(%s: vector<2xf32>, %c: vector<2xf32>, %b: vector<2xf32>) -> vector<2xbf16> {
    // CHECK: math.fma
    %x = math.fma %s, %c, %b fastmath<contract> : vector<2xf32>
    %w = poly.apply <"exp2-lattice7bare-f32-bf16x2"> %x : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  // A clamp comes first: nothing to fold into.
  // CHECK-LABEL: gpu.func @clamped
  gpu.func @clamped(%s: f32, %c: f32) -> f32 {
    // CHECK: arith.mulf
    %x = arith.mulf %s, %c fastmath<contract> : f32
    %r = poly.apply <"exp2-h15-f32"> %x : f32 to f32
    gpu.return %r : f32
  }

  // Where scale and bias belong to the element, two operations would take the
  // place of one.
  // CHECK-LABEL: gpu.func @per_element
  gpu.func @per_element(%s: f32, %u: f32, %v: f32) -> f32 {
    %c = arith.addf %u, %v : f32
    %b = arith.subf %u, %v : f32
    // CHECK: %[[X:.*]] = math.fma
    // CHECK: llvm.fmul %[[X]]
    %x = math.fma %s, %c, %b fastmath<contract> : f32
    %y = poly.apply <"sigmoid-tanh32-f32"> %x : f32 to f32
    gpu.return %y : f32
  }
  // The factor of this SiLU's exponent, log2 e, would round the scale: its certificate
  // is of the argument as it was.
  // CHECK-LABEL: gpu.func @no_power
  gpu.func @no_power(%s: f32) -> f32 {
    %c = arith.constant 3.0 : f32
    // CHECK: %[[X:.*]] = arith.mulf
    // CHECK: llvm.fmul %[[X]]
    %x = arith.mulf %s, %c fastmath<contract> : f32
    %y = poly.apply <"silu-sfu-f32"> %x : f32 to f32
    gpu.return %y : f32
  }
  // No permission to contract.
  // CHECK-LABEL: gpu.func @strict_sigmoid
  gpu.func @strict_sigmoid(%s: f32) -> f32 {
    %c = arith.constant 3.0 : f32
    // CHECK: %[[X:.*]] = arith.mulf
    // CHECK: llvm.fmul %[[X]]
    %x = arith.mulf %s, %c : f32
    %y = poly.apply <"sigmoid-tanh32-f32"> %x : f32 to f32
    gpu.return %y : f32
  }
}
