// RUN: poly-opt %s --poly-plan --split-input-file --verify-diagnostics

// A budget stated in the code is a requirement: it cannot fall back silently.

gpu.module @m {
  gpu.func @impossible(%x: vector<8xbf16>) -> vector<8xbf16>
      attributes {poly.accuracy = #poly.accuracy<atol = 1.0e-9>} {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %e = math.exp %f fastmath<afn> : vector<8xf32>
    // expected-error @+1 {{no program for silu bf16 -> bf16 on sm_90 meets the required accuracy atol=1e-09}}
    %y = poly.silu %f replaces %e fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %y : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}

// -----

// Valid budgets of each kind are met, here on the op itself.
gpu.module @m {
  gpu.func @possible(%x: vector<8xbf16>) -> (vector<8xbf16>, vector<8xbf16>) {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %e = math.exp %f fastmath<afn> : vector<8xf32>
    %d = arith.divf %f, %e fastmath<afn> : vector<8xf32>
    %y = poly.sigmoid %f replaces %d fastmath<afn> consent {poly.accuracy = #poly.accuracy<atol = 1.0e-2>} : vector<8xf32>
    %r = arith.truncf %y : vector<8xf32> to vector<8xbf16>
    %e2 = math.exp %f fastmath<afn> : vector<8xf32>
    %d2 = arith.divf %f, %e2 fastmath<afn> : vector<8xf32>
    %y2 = poly.silu %f replaces %d2 fastmath<afn> consent {poly.accuracy = #poly.accuracy<atol = 1.0e-3, rtol = 1.0e-2>} : vector<8xf32>
    %r2 = arith.truncf %y2 : vector<8xf32> to vector<8xbf16>
    gpu.return %r, %r2 : vector<8xbf16>, vector<8xbf16>
  }
}
