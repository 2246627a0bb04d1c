// RUN: poly-opt %s --poly-plan | FileCheck %s

gpu.module @m {
  // An f32 use beside the rounded one: 16-bit programs may not serve it.
  // CHECK-LABEL: gpu.func @f32_use
  // CHECK-NOT: bf16x2
  // CHECK: gpu.return
  gpu.func @f32_use(%x: vector<8xbf16>) -> (vector<8xbf16>, vector<8xf32>) {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %was fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r, %s : vector<8xbf16>, vector<8xf32>
  }

  // Rounded to two formats: neither may replace the other.
  // CHECK-LABEL: gpu.func @two_formats
  // CHECK-NOT: x2">
  // CHECK: gpu.return
  gpu.func @two_formats(%x: vector<8xbf16>) -> (vector<8xbf16>, vector<8xf16>) {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %was fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    %q = arith.truncf %s : vector<8xf32> to vector<8xf16>
    gpu.return %r, %q : vector<8xbf16>, vector<8xf16>
  }

  // A rounding mode the source chose is not a plain rounding to nearest.
  // CHECK-LABEL: gpu.func @rounding_mode
  // CHECK-NOT: x2">
  // CHECK: gpu.return
  gpu.func @rounding_mode(%x: vector<8xbf16>) -> vector<8xbf16> {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %was fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s toward_zero : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}
