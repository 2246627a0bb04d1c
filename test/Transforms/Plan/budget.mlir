// RUN: poly-opt %s --poly-plan=budget=atol=6e-2 | FileCheck %s --check-prefixes=CHECK,LOOSE
// RUN: poly-opt %s --poly-plan=budget=ulps=1 | FileCheck %s --check-prefixes=CHECK,TIGHT
// RUN: poly-opt %s --poly-plan="budget=atol=6e-2 chip=sm_80" | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: poly-opt %s --poly-plan="programs=silu-half4-bf16x2" | FileCheck %s --check-prefixes=CHECK,NAMED
// RUN: not poly-opt %s --poly-plan=budget=ulps=0.2 2>&1 | FileCheck %s --check-prefix=IMPOSSIBLE

// A loose budget takes the cheapest polynomial of the target, a tight one an
// exact-tail form. A named program is taken without the default budget.

gpu.module @m {
  // CHECK-LABEL: gpu.func @silu
  gpu.func @silu(%x: vector<8xbf16>) -> vector<8xbf16> {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %e = math.exp %f fastmath<afn> : vector<8xf32>
    %d = arith.divf %f, %e fastmath<afn> : vector<8xf32>
    // LOOSE: program <"silu-{{half3|odd5}}-bf16x2">
    // TIGHT: program <"silu-{{ex2poly|sfu}}-bf16x2">
    // SM80: program <"silu-{{.*}}-bf16x2-sm80">
    // NAMED: program <"silu-half4-bf16x2">
    // IMPOSSIBLE: budget.mlir:[[#@LINE+1]]:10: error: no program for silu bf16 -> bf16 on sm_90 meets the required accuracy ulps=0.2; the most accurate, silu-{{.*}}, has a max error of {{.*}}; relax the budget, or mark the code poly.keep to leave it
    %y = poly.silu %f replaces %d fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %y : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}
