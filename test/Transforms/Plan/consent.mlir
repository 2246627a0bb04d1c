// RUN: poly-opt %s --poly-plan | FileCheck %s
// RUN: poly-opt %s --poly-plan=policy=off | FileCheck %s --check-prefix=OFF

// Consent, then grade. The default accuracy is one ulp of the result.

gpu.module @m {
  // 16 bits in, 16 bits out, consent: planned.
  // CHECK-LABEL: gpu.func @fast
  // OFF-LABEL: gpu.func @fast
  // OFF-NOT: poly.sigmoid
  gpu.func @fast(%x: vector<8xbf16>) -> vector<8xbf16> {
    // CHECK: poly.sigmoid {{.*}} program <"sigmoid-{{.*}}bf16x2">
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f fastmath<afn> : vector<8xf32>
    %d = arith.divf %was, %was fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %d fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}
