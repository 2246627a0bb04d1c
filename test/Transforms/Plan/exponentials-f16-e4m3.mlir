// RUN: poly-opt %s --poly-plan=budget=ulps=1 --poly-pack | FileCheck %s --check-prefix=ULP
// RUN: poly-opt %s --poly-plan=budget=ulps=5 --poly-pack | FileCheck %s --check-prefix=COARSE
// RUN: poly-opt %s --poly-plan=programs=exp2-h15-f32 --poly-pack | FileCheck %s --check-prefix=NAMED

gpu.module @half {
  // Exponentials of f16 that are rounded to 8 bits: a program with an f16 result
  // leaves the conversion, and its error counts in ulps of what it is rounded to.
  // ULP-LABEL: gpu.func @f16_weights
  // COARSE-LABEL: gpu.func @f16_weights
  gpu.func @f16_weights(%h: vector<4xf16>) -> vector<4xf8E4M3FN> {
    %e = math.exp2 %h fastmath<afn> : vector<4xf16>
    %p = poly.exp2 %h replaces %e fastmath<afn> consent {bound = 8.5 : f64, role = #poly.exp_role<weight>} : vector<4xf16>
    // ULP-COUNT-2: poly.apply <"exp2-ex2packed-f16x2"> %{{.*}} : vector<2xf16> to vector<2xf16>
    // ULP: arith.truncf %{{.*}} : vector<4xf16> to vector<4xf8E4M3FN>
    // COARSE: poly.apply <"exp2-lattice3-f16-e4m3x4"> %{{.*}} : vector<4xf16> to vector<4xf8E4M3FN>
    // COARSE-NOT: arith.truncf
    %w = arith.truncf %p : vector<4xf16> to vector<4xf8E4M3FN>
    gpu.return %w : vector<4xf8E4M3FN>
  }
  // Above 8.5 the lattice's bytes would not be numbers any more.
  // COARSE-LABEL: gpu.func @too_great
  gpu.func @too_great(%h: vector<4xf16>) -> vector<4xf8E4M3FN> {
    %e = math.exp2 %h fastmath<afn> : vector<4xf16>
    %p = poly.exp2 %h replaces %e fastmath<afn> consent {bound = 9.0 : f64, role = #poly.exp_role<weight>} : vector<4xf16>
    // COARSE-NOT: lattice3
    // COARSE: arith.truncf
    %w = arith.truncf %p : vector<4xf16> to vector<4xf8E4M3FN>
    gpu.return %w : vector<4xf8E4M3FN>
  }
  // The half-octave lattice in f32, and then the conversion.
  // NAMED-LABEL: gpu.func @f32_weights
  gpu.func @f32_weights(%x: vector<4xf32>) -> vector<4xf8E4M3FN> {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<4xf32>
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 8.5 : f64, role = #poly.exp_role<weight>} : vector<4xf32>
    // NAMED-COUNT-4: poly.apply <"exp2-h15-f32"> %{{.*}} : f32 to f32
    // NAMED: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf8E4M3FN>
    %w = arith.truncf %p : vector<4xf32> to vector<4xf8E4M3FN>
    gpu.return %w : vector<4xf8E4M3FN>
  }
}
