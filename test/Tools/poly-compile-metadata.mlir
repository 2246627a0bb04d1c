// RUN: poly-compile %s -o %t.ptx --metadata=%t.json --chip=sm_90 --budget=atol=6e-2
// RUN: FileCheck %s --input-file=%t.json
// RUN: %python -m json.tool %t.json > /dev/null
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX

// Parameters are what the driver copies; PTX says the same.
// CHECK: "version": 1
// CHECK-NEXT: "chip": "sm_90"
// CHECK-NEXT: "image": "poly-compile-metadata.mlir.tmp.ptx"
// CHECK-NEXT: "policy": "strict"
// CHECK-NEXT: "budget": "atol=6e-2"
// CHECK-NEXT: "programs": []
// CHECK-NEXT: "kernels": [
// CHECK:      "name": "all"
// CHECK-NEXT: "parameters": [
// CHECK:      "type": "ptr",
// CHECK-NEXT: "bytes": 8,
// CHECK-NEXT: "align": 8
// CHECK:      "type": "i64",
// CHECK-NEXT: "bytes": 8,
// CHECK-NEXT: "align": 8
// CHECK:      "type": "i32",
// CHECK-NEXT: "bytes": 4,
// CHECK-NEXT: "align": 4
// CHECK:      "type": "f32",
// CHECK-NEXT: "bytes": 4,
// CHECK-NEXT: "align": 4
// CHECK:      "type": "bf16",
// CHECK-NEXT: "bytes": 2,
// CHECK-NEXT: "align": 2
// CHECK:      "blockSize": [
// CHECK-NEXT:   256,
// CHECK-NEXT:   2,
// CHECK-NEXT:   1
// CHECK:      "clusterSize": [
// CHECK-NEXT:   2,
// CHECK-NEXT:   1,
// CHECK-NEXT:   1
// CHECK:      "dynamicSharedBytes": 49152,
// CHECK-NEXT: "info": {
// CHECK-DAG:    "family": "test"
// CHECK-DAG:    "dynamicSharedBytes": 49152
// CHECK-DAG:    "exact": true
// CHECK-DAG:    "scale": 0.5
// CHECK-DAG:    "marked": true
// CHECK-DAG:    "negative": -3
// CHECK:      "name": "tensor_map"
// CHECK:      "type": "bytes",
// CHECK-NEXT: "bytes": 128,
// CHECK-NEXT: "align": 64
// CHECK:      "blockSize": [
// CHECK-NEXT:   384,
// CHECK:      "name": "tanh"
// A memref<?xbf16> is five parameters.
// CHECK-COUNT-2: "type": "ptr"
// CHECK-COUNT-3: "type": "i64"
// CHECK-NOT: blockSize
// CHECK:      "dynamicSharedBytes": 0,
// CHECK-NEXT: "info": {}
// CHECK:      "sites": [
// CHECK:        "function": "tanh"
// CHECK:        "decision": "applied"
// CHECK:        "maxAbs": 0.0

// PTX: .param .align 64 .b8 tensor_map_param_0[128]

// Metadata elsewhere names the image by its whole path; - is standard error.
// RUN: mkdir -p %t.dir && poly-compile %s -o %t.ptx --metadata=%t.dir/x.json && FileCheck %s --input-file=%t.dir/x.json --check-prefix=PATH
// PATH: "image": "/{{.*}}poly-compile-metadata.mlir.tmp.ptx"
// RUN: poly-compile %s --metadata=- --policy=off --programs=tanh-half3-bf16x2 2>&1 >/dev/null | FileCheck %s --check-prefix=DASH
// DASH: "image": ""
// DASH: "policy": "off"
// DASH: "programs": [
// DASH-NEXT: "tanh-half3-bf16x2"
// DASH: "decision": "missed"
gpu.module @m {
  gpu.func @all(%a: !llvm.ptr<1>, %n: i64, %s: i32, %f: f32, %h: bf16) kernel
      attributes {known_block_size = array<i32: 256, 2, 1>, known_cluster_size = array<i32: 2, 1, 1>,
                  poly.kernel = {family = "test", dynamicSharedBytes = 49152 : i64, exact = true, scale = 0.5 : f64, marked, negative = -3 : i32,
                                 nested = {list = [1, "two", [3.0 : f32]]}}} {
    gpu.return
  }
  llvm.func @tensor_map(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant})
      attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 384>} {
    llvm.return
  }
  gpu.func @tanh(%x: memref<?xbf16>) kernel {
    %i = gpu.global_id x
    %v = vector.load %x[%i] {alignment = 4} : memref<?xbf16>, vector<2xbf16>
    %f = arith.extf %v : vector<2xbf16> to vector<2xf32>
    %t = math.tanh %f fastmath<afn> : vector<2xf32>
    %r = arith.truncf %t : vector<2xf32> to vector<2xbf16>
    vector.store %r, %x[%i] {alignment = 4} : memref<?xbf16>, vector<2xbf16>
    gpu.return
  }
}
