// RUN: poly-opt %s --poly-plan | FileCheck %s

gpu.module @m {
  // The exponential stays alive for another use: nothing would be saved.
  // CHECK-LABEL: gpu.func @does_not_pay
  // CHECK-NOT: poly.
  // CHECK: gpu.return
  gpu.func @does_not_pay(%x: vector<8xbf16>) -> (vector<8xbf16>, vector<8xf32>) {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %e = math.exp %f fastmath<afn> : vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %was = arith.addf %e, %one fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %was fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r, %e : vector<8xbf16>, vector<8xf32>
  }
}
