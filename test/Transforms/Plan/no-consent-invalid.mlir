// RUN: poly-opt %s --poly-plan | FileCheck %s
// RUN: poly-opt %s --poly-plan=policy=opt-in | FileCheck %s --check-prefix=OPTIN

gpu.module @m {
  // No consent: the source's value comes back and no poly op stays.
  // CHECK-LABEL: gpu.func @strict
  // CHECK-SAME: (%[[X:.*]]: vector<8xbf16>)
  // OPTIN-LABEL: gpu.func @strict
  gpu.func @strict(%x: vector<8xbf16>) -> vector<8xbf16> {
    // CHECK-NEXT: %[[F:.*]] = arith.extf %[[X]]
    // CHECK-NEXT: %[[E:.*]] = math.exp %[[F]]
    // CHECK-NEXT: %[[D:.*]] = arith.divf %[[E]], %[[E]]
    // CHECK-NEXT: %[[R:.*]] = arith.truncf %[[D]]
    // CHECK-NEXT: gpu.return %[[R]]
    // OPTIN: poly.sigmoid {{.*}} program
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f : vector<8xf32>
    %d = arith.divf %was, %was : vector<8xf32>
    %s = poly.sigmoid %f replaces %d : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}
