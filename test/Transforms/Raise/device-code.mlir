// RUN: poly-opt %s --poly-raise --split-input-file | FileCheck %s
// RUN: poly-opt %s --poly-raise --split-input-file --mlir-disable-threading | FileCheck %s

// Host code stays; what a gpu.module, a launch or an nvptx module holds is
// device code.

module attributes {gpu.container_module} {
  // CHECK-LABEL: func.func @host
  // CHECK-NOT:     poly.
  func.func @host(%x: f32) -> f32 {
    %t = math.tanh %x : f32
    return %t : f32
  }
  // CHECK-LABEL: gpu.module @device
  gpu.module @device {
    // CHECK:       gpu.func @kernel
    // CHECK:         poly.tanh
    gpu.func @kernel(%x: f32, %o: memref<f32>) kernel {
      %t = math.tanh %x : f32
      memref.store %t, %o[] : memref<f32>
      gpu.return
    }
    // CHECK:       llvm.func @helper
    // CHECK:         poly.tanh
    llvm.func @helper(%x: f32) -> f32 {
      %t = llvm.intr.tanh(%x) : (f32) -> f32
      llvm.return %t : f32
    }
  }
}

// -----

// Two launches in one host function, which capture the same values.
// CHECK-LABEL: func.func @launches
func.func @launches(%x: f32, %m: memref<4xf32>, %i: index) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  // CHECK:         math.tanh
  // CHECK-NOT:     poly.
  %h = math.tanh %x : f32
  // CHECK:         gpu.launch
  // CHECK:           poly.sigmoid %arg0 replaces
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1)
             threads(%g, %j, %k) in (%l = %c1, %n = %c1, %o = %c1) {
    %minus = arith.negf %x : f32
    %p = math.exp %minus : f32
    %q = arith.addf %p, %one : f32
    %r = arith.divf %one, %q : f32
    memref.store %r, %m[%i] : memref<4xf32>
    gpu.terminator
  }
  // CHECK:         gpu.launch
  // CHECK:           poly.silu %arg0 replaces
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1)
             threads(%g, %j, %k) in (%l = %c1, %n = %c1, %o = %c1) {
    %minus = arith.negf %x : f32
    %p = math.exp %minus : f32
    %q = arith.addf %p, %one : f32
    %r = arith.divf %x, %q : f32
    memref.store %r, %m[%i] : memref<4xf32>
    gpu.terminator
  }
  memref.store %h, %m[%i] : memref<4xf32>
  return
}

// -----

// The exponential is the host's, so there is no idiom on the device.
// CHECK-LABEL: func.func @half_on_host
// CHECK-NOT:     poly.
func.func @half_on_host(%x: f32, %m: memref<f32>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %minus = arith.negf %x : f32
  %p = math.exp %minus : f32
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1)
             threads(%g, %j, %k) in (%l = %c1, %n = %c1, %o = %c1) {
    %q = arith.addf %p, %one : f32
    %r = arith.divf %one, %q : f32
    memref.store %r, %m[] : memref<f32>
    gpu.terminator
  }
  return
}

// -----

module attributes {llvm.target_triple = "nvptx64-nvidia-cuda"} {
  // CHECK-LABEL: llvm.func @imported
  // CHECK:         poly.tanh
  llvm.func @imported(%x: f32) -> f32 {
    %t = llvm.intr.tanh(%x) : (f32) -> f32
    llvm.return %t : f32
  }
  llvm.func @declared(f32) -> f32
}

// -----

module attributes {llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  // CHECK-LABEL: llvm.func @other_target
  // CHECK-NOT:     poly.
  llvm.func @other_target(%x: f32) -> f32 {
    %t = llvm.intr.tanh(%x) : (f32) -> f32
    llvm.return %t : f32
  }
}

// -----

// A kernel says so itself where the module's triple was lost.
module {
  // CHECK-LABEL: llvm.func ptx_kernelcc @kernel
  // CHECK:         poly.tanh
  llvm.func ptx_kernelcc @kernel(%x: f32, %o: !llvm.ptr<1>) {
    %t = llvm.intr.tanh(%x) : (f32) -> f32
    llvm.store %t, %o : f32, !llvm.ptr<1>
    llvm.return
  }
  // CHECK-LABEL: llvm.func @no_kernel
  // CHECK-NOT:     poly.
  llvm.func @no_kernel(%x: f32, %o: !llvm.ptr<1>) {
    %t = llvm.intr.tanh(%x) : (f32) -> f32
    llvm.store %t, %o : f32, !llvm.ptr<1>
    llvm.return
  }
}
