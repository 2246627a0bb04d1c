// Which evidence there is, and where it is not made: host code, and under poly.keep.
// RUN: poly-opt %s --poly-identify | FileCheck %s
// The remark says which evidence there is.
// RUN: poly-opt %s --poly-identify --remarks-filter=poly-identify --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: exp: proved on every value that the argument can have

// CHECK-LABEL: llvm.func @device
// CHECK: poly.inlined "exp" %{{.*}} is %{{.*}} proved : f32
// CHECK-LABEL: llvm.func @kept
// CHECK-NOT: poly.inlined
gpu.module @m {
  llvm.func @device(%f: f16) -> f32 {
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %one = llvm.mlir.constant(1.0 : f32) : f32
    %x = llvm.fpext %f : f16 to f32
    %n = llvm.fneg %x : f32
    %e = llvm.intr.exp(%x) : (f32) -> f32
    %m = llvm.intr.exp(%n) : (f32) -> f32
    %q = llvm.fdiv %one, %m : f32
    %c = llvm.fcmp "olt" %x, %zero : f32
    %r = llvm.select %c, %q, %e : i1, f32
    llvm.return %r : f32
  }
  llvm.func @kept(%f: f16) -> f32 attributes {poly.keep} {
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %one = llvm.mlir.constant(1.0 : f32) : f32
    %x = llvm.fpext %f : f16 to f32
    %n = llvm.fneg %x : f32
    %e = llvm.intr.exp(%x) : (f32) -> f32
    %m = llvm.intr.exp(%n) : (f32) -> f32
    %q = llvm.fdiv %one, %m : f32
    %c = llvm.fcmp "olt" %x, %zero : f32
    %r = llvm.select %c, %q, %e : i1, f32
    llvm.return %r : f32
  }
}
// CHECK-LABEL: llvm.func @host
// CHECK-NOT: poly.inlined
llvm.func @host(%f: f16) -> f32 {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %one = llvm.mlir.constant(1.0 : f32) : f32
  %x = llvm.fpext %f : f16 to f32
  %n = llvm.fneg %x : f32
  %e = llvm.intr.exp(%x) : (f32) -> f32
  %m = llvm.intr.exp(%n) : (f32) -> f32
  %q = llvm.fdiv %one, %m : f32
  %c = llvm.fcmp "olt" %x, %zero : f32
  %r = llvm.select %c, %q, %e : i1, f32
  llvm.return %r : f32
}
