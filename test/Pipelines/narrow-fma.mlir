// RUN: poly-compile %s --chip=sm_90a -o - | FileCheck %s

// What the stock lowering has no good form of: an fma of 16 bits stays one, for
// two elements, and conversions to 8 bits are those of the hardware.

gpu.module @m {
  // CHECK-LABEL: .entry half(
  gpu.func @half(%p: !llvm.ptr<1>, %a: vector<2xf16>, %b: vector<2xf16>) kernel {
    // CHECK: fma.rn.f16x2
    // CHECK-NOT: cvt.f32
    %y = math.fma %a, %b, %a : vector<2xf16>
    llvm.store %y, %p : vector<2xf16>, !llvm.ptr<1>
    gpu.return
  }
  // CHECK-LABEL: .entry brain(
  gpu.func @brain(%p: !llvm.ptr<1>, %a: vector<2xbf16>, %b: vector<2xbf16>) kernel {
    // CHECK: fma.rn.bf16x2
    %y = math.fma %a, %b, %a : vector<2xbf16>
    llvm.store %y, %p : vector<2xbf16>, !llvm.ptr<1>
    gpu.return
  }
  // CHECK-LABEL: .entry bytes(
  gpu.func @bytes(%p: !llvm.ptr<1>, %a: vector<4xf16>) kernel {
    // CHECK-COUNT-2: cvt.rn.satfinite.e4m3x2.f16x2
    // CHECK: st.global{{(\.v2)?}}.b
    %y = arith.truncf %a : vector<4xf16> to vector<4xf8E4M3FN>
    %bits = vector.bitcast %y : vector<4xf8E4M3FN> to vector<1xi32>
    %word = vector.extract %bits[0] : i32 from vector<1xi32>
    llvm.store %word, %p : i32, !llvm.ptr<1>
    gpu.return
  }
}
