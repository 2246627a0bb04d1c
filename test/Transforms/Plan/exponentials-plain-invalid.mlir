// RUN: poly-opt %s --poly-plan="table budget=rtol=3e-1:atol=1e-30" 2>%t.table | FileCheck %s
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t.table
// RUN: poly-opt %s --poly-plan="programs=exp2-h15sat-f32-bf16x2 policy=opt-in" | FileCheck %s --check-prefix=OPTIN

// Exponentials that are no softmax weights, or may be NaN, get no program that
// is for weights, unless it is named and the code opts in.

gpu.module @m {
  // CHECK-LABEL: gpu.func @plain
  // CHECK-NOT: {{h15|lattice|weight|packed}}
  // OPTIN-LABEL: gpu.func @plain
  // OPTIN: program <"exp2-h15sat-f32-bf16x2">
  gpu.func @plain(%x: vector<2xf32>) -> vector<2xbf16> attributes {poly.optin} {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<2xf32>
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  // The lattices turn NaN into 0, and these ops do not exclude NaN.
  // CHECK-LABEL: gpu.func @may_be_nan
  // CHECK-NOT: {{h15|lattice}}
  gpu.func @may_be_nan(%x: vector<2xf32>) -> vector<2xbf16> {
    %e = math.exp2 %x fastmath<afn> : vector<2xf32>
    %p = poly.exp2 %x replaces %e fastmath<afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  // No consent.
  // CHECK-LABEL: gpu.func @no_consent
  // CHECK-NOT: poly.exp2
  // TABLE: no_consent {{.*}} missed {{.*}} no consent
  gpu.func @no_consent(%x: vector<2xf32>) -> vector<2xbf16> {
    %e = math.exp2 %x : vector<2xf32>
    %p = poly.exp2 %x replaces %e {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
}
