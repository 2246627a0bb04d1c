// RUN: poly-opt %s --poly-plan | FileCheck %s
// RUN: poly-opt %s --poly-plan=policy=off | FileCheck %s --check-prefix=OFF

gpu.module @m {
  // Opted in on the function.
  // CHECK-LABEL: gpu.func @function_optin
  // CHECK: poly.sigmoid {{.*}} program
  // OFF-LABEL: gpu.func @function_optin
  // OFF-NOT: poly.sigmoid
  gpu.func @function_optin(%x: vector<8xbf16>) -> vector<8xbf16> attributes {poly.optin} {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f : vector<8xf32>
    %d = arith.divf %was, %was : vector<8xf32>
    %s = poly.sigmoid %f replaces %d : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}
