// RUN: poly-opt %s --poly-convert-float8=chip=sm_90 | FileCheck %s
// RUN: poly-opt %s --poly-convert-float8=chip=sm_90 --poly-convert-float8=chip=sm_90 | FileCheck %s

// Two elements a conversion; the stock lowering takes what remains.

gpu.module @m {
  // CHECK-LABEL: gpu.func @from_f16
  gpu.func @from_f16(%x: vector<4xf16>) -> vector<4xf8E4M3FN> {
    // CHECK: %[[A:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [2]
    // CHECK: %[[LOW:.*]] = nvvm.convert.f16x2.to.f8x2 %[[A]] : vector<2xf16> -> i16(f8E4M3FN)
    // CHECK: %[[B:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [2], sizes = [2]
    // CHECK: %[[HIGH:.*]] = nvvm.convert.f16x2.to.f8x2 %[[B]] : vector<2xf16> -> i16(f8E4M3FN)
    // CHECK: %[[ALL:.*]] = vector.from_elements %[[LOW]], %[[HIGH]] : vector<2xi16>
    // CHECK: vector.bitcast %[[ALL]] : vector<2xi16> to vector<4xf8E4M3FN>
    // CHECK-NOT: arith.truncf
    %y = arith.truncf %x : vector<4xf16> to vector<4xf8E4M3FN>
    gpu.return %y : vector<4xf8E4M3FN>
  }
  // PTX names the upper element first.
  // CHECK-LABEL: gpu.func @from_f32
  gpu.func @from_f32(%x: vector<2xf32>) -> vector<2xf8E5M2> {
    // CHECK: %[[LOW:.*]] = vector.extract %{{.*}}[0]
    // CHECK: %[[HIGH:.*]] = vector.extract %{{.*}}[1]
    // CHECK: nvvm.convert.f32x2.to.f8x2 %[[HIGH]], %[[LOW]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16(f8E5M2)
    %y = arith.truncf %x : vector<2xf32> to vector<2xf8E5M2>
    gpu.return %y : vector<2xf8E5M2>
  }
  // CHECK-LABEL: gpu.func @lone
  gpu.func @lone(%x: bf16) -> f8E4M3FN {
    // CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : bf16
    // CHECK: vector.from_elements %{{.*}}, %[[ZERO]] : vector<2xbf16>
    // CHECK: nvvm.convert.f32x2.to.f8x2
    // CHECK: vector.extract %{{.*}}[0] : f8E4M3FN from vector<2xf8E4M3FN>
    %y = arith.truncf %x : bf16 to f8E4M3FN
    gpu.return %y : f8E4M3FN
  }
  // CHECK-LABEL: gpu.func @shaped
  gpu.func @shaped(%x: vector<3x3xf16>) -> vector<3x3xf8E4M3FN> {
    // CHECK: vector.shape_cast %{{.*}} : vector<3x3xf16> to vector<9xf16>
    // CHECK-COUNT-5: nvvm.convert.f16x2.to.f8x2
    // CHECK: vector.shape_cast %{{.*}} : vector<9xf8E4M3FN> to vector<3x3xf8E4M3FN>
    %y = arith.truncf %x : vector<3x3xf16> to vector<3x3xf8E4M3FN>
    gpu.return %y : vector<3x3xf8E4M3FN>
  }
  // CHECK-LABEL: gpu.func @widen
  gpu.func @widen(%x: vector<2xf8E4M3FN>) -> (vector<2xf32>, vector<2xbf16>, vector<2xf16>) {
    // CHECK-COUNT-3: nvvm.convert.f8x2.to.f16x2 %{{.*}} : vector<2xi8>{{ ?}}(f8E4M3FN) -> vector<2xf16>
    // CHECK-NOT: arith.extf {{.*}}f8E4M3FN
    %a = arith.extf %x : vector<2xf8E4M3FN> to vector<2xf32>
    %b = arith.extf %x : vector<2xf8E4M3FN> to vector<2xbf16>
    %c = arith.extf %x : vector<2xf8E4M3FN> to vector<2xf16>
    gpu.return %a, %b, %c : vector<2xf32>, vector<2xbf16>, vector<2xf16>
  }
  // Other formats are not the pass's.
  // CHECK-LABEL: gpu.func @other
  gpu.func @other(%x: f32, %y: vector<2xf32>) -> (f8E4M3FNUZ, vector<2xbf16>) {
    // CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FNUZ
    // CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
    %a = arith.truncf %x : f32 to f8E4M3FNUZ
    %b = arith.truncf %y : vector<2xf32> to vector<2xbf16>
    gpu.return %a, %b : f8E4M3FNUZ, vector<2xbf16>
  }
}

// Host code stays.
// CHECK-LABEL: func.func @host
func.func @host(%x: f32) -> f8E4M3FN {
  // CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FN
  %y = arith.truncf %x : f32 to f8E4M3FN
  return %y : f8E4M3FN
}
