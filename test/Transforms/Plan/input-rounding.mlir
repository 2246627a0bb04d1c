// RUN: poly-opt %s --poly-plan | FileCheck %s

gpu.module @m {
  // A GEMM epilogue's f32 accumulator is not bf16-valued.
  // CHECK-LABEL: gpu.func @epilogue
  // CHECK-NOT: poly.
  // CHECK: gpu.return
  gpu.func @epilogue(%acc: vector<8xf32>) -> vector<8xbf16> {
    %was = math.exp %acc fastmath<afn> : vector<8xf32>
    %s = poly.silu %acc replaces %was fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }

  // The user allows the rounding; the accurate form still takes f32.
  // CHECK-LABEL: gpu.func @epilogue_allowed
  // CHECK: poly.silu {{.*}} program <"silu-{{.*}}-f32-bf16x2">
  gpu.func @epilogue_allowed(%acc: vector<8xf32>) -> vector<8xbf16> attributes {poly.round_inputs} {
    %was = math.exp %acc fastmath<afn> : vector<8xf32>
    %d = arith.divf %acc, %was fastmath<afn> : vector<8xf32>
    %s = poly.silu %acc replaces %d fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}
