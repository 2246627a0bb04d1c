// RUN: poly-opt %s --poly-plan="budget=rtol=7e-2 policy=opt-in" | FileCheck %s --implicit-check-not=lattice7bare
// RUN: not poly-opt %s --poly-plan="budget=rtol=7e-2 policy=opt-in programs=exp2-lattice7bare-f32-bf16x2" 2>&1 | FileCheck %s --check-prefix=NAMED

// A program without a clamp serves where the author of the exponential promises
// that no argument is below what it can take.

gpu.module @m {
  // CHECK-LABEL: gpu.func @promised
  // CHECK: poly.exp2 {{.*}} program <"exp2-lattice7bare-f32-bf16x2">
  gpu.func @promised(%x: vector<2xf32>) -> vector<2xbf16> {
    %e = math.exp2 %x {poly.lower_bound = -127.0 : f64} : vector<2xf32>
    %p = poly.exp2 %x replaces %e {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  // NAMED: [[@LINE+3]]:10: error: exp2-lattice7bare-f32-bf16x2 has no clamp and needs an argument that is proved not to be below -127
  gpu.func @too_low(%x: vector<2xf32>) -> vector<2xbf16> {
    %e = math.exp2 %x {poly.lower_bound = -127.5 : f64} : vector<2xf32>
    %p = poly.exp2 %x replaces %e {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  gpu.func @silent(%x: vector<2xf32>) -> vector<2xbf16> {
    %e = math.exp2 %x : vector<2xf32>
    %p = poly.exp2 %x replaces %e {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  // The promise is of x in octaves, and the function's argument is another.
  gpu.func @other_argument(%x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xbf16> {
    %e = math.exp2 %x {poly.lower_bound = -100.0 : f64} : vector<2xf32>
    %p = poly.exp2 %y replaces %e {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
}
