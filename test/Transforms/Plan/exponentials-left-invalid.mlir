// RUN: poly-opt %s --poly-plan="table programs=exp2-h15-f32-bf16x2 policy=opt-in" 2>%t.table | FileCheck %s
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t.table
// RUN: poly-opt %s --poly-plan="budget=rtol=3e-1" 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

// Whatever is asked for, these stay as they are; the table says why.

gpu.module @m {
  // CHECK-NOT: poly.exp2
  // TABLE: correction {{.*}} missed {{.*}} the correction factor of an online softmax stays exact
  gpu.func @correction(%x: vector<2xf32>) -> vector<2xbf16> attributes {poly.optin} {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<2xf32>
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<correction>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  // TABLE: lse {{.*}} missed {{.*}} log-sum-exp stays exact
  gpu.func @lse(%x: vector<2xf32>) -> vector<2xbf16> attributes {poly.optin} {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<2xf32>
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<lse>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  // TABLE: scale {{.*}} missed {{.*}} the decoding of a power-of-two scale stays exact
  gpu.func @scale(%x: vector<2xf32>) -> vector<2xbf16> attributes {poly.optin} {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<2xf32>
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<scale>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  // Without a bound only a saturating program may be named.
  // TABLE: no_bound {{.*}} missed {{.*}} exp2-h15-f32-bf16x2 needs an argument that is proved not to be above 127.50, and nothing is proved
  gpu.func @no_bound(%x: vector<2xf32>) -> vector<2xbf16> {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<2xf32>
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {role = #poly.exp_role<weight>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  // TABLE: high_bound {{.*}} missed {{.*}} and only 200.00 is proved
  gpu.func @high_bound(%x: vector<2xf32>) -> vector<2xbf16> {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<2xf32>
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 200.0 : f64, role = #poly.exp_role<weight>} : vector<2xf32>
    %w = arith.truncf %p : vector<2xf32> to vector<2xbf16>
    gpu.return %w : vector<2xbf16>
  }
  // CHECK: gpu.return
}
// With a budget instead of a name, the unproved sites get nothing for weights.
// NONE-NOT: lattice
// NONE-NOT: h15
// NONE-NOT: weight
