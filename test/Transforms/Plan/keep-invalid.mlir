// RUN: poly-opt %s --poly-plan | FileCheck %s
// RUN: poly-opt %s --poly-plan=policy=opt-in | FileCheck %s --check-prefix=OPTIN

gpu.module @m attributes {poly.keep} {
  // CHECK-LABEL: gpu.func @kept
  // CHECK-NOT: poly.sigmoid
  // CHECK: gpu.return
  // OPTIN-LABEL: gpu.func @kept
  // OPTIN-NOT: poly.sigmoid
  // OPTIN: gpu.return
  gpu.func @kept(%x: vector<8xbf16>) -> vector<8xbf16> {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f fastmath<afn> : vector<8xf32>
    %d = arith.divf %was, %was fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %d fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}
