// Lanes that are none, vectors that are too wide, questions about several groups
// of lanes and code that is never reached stay as they are.
// RUN: poly-opt %s --poly-normalize | FileCheck %s
// RUN: poly-opt %s --poly-normalize --poly-identify --poly-raise -o /dev/null
// RUN: poly-opt %s --poly-raise -o /dev/null

gpu.module @m {
  // CHECK-LABEL: func.func @poison_lane
  // CHECK: vector.extract %{{.*}}[-1]
  func.func @poison_lane(%x: f32, %y: f32) -> f32 {
    %v = vector.from_elements %x, %y : vector<2xf32>
    %w = arith.addf %v, %v : vector<2xf32>
    %q = vector.extract %w[-1] : f32 from vector<2xf32>
    %e = math.exp %q : f32
    return %e : f32
  }

  // CHECK-LABEL: llvm.func @wide_source
  // CHECK: llvm.extractelement %arg0
  llvm.func @wide_source(%w: vector<128xf32>) -> f32 {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %c = llvm.mlir.constant(dense<[1.0, 2.0]> : vector<2xf32>) : vector<2xf32>
    %s = llvm.shufflevector %w, %w [3, 99] : vector<128xf32>
    %a = llvm.fadd %s, %c : vector<2xf32>
    %x = llvm.extractelement %a[%zero : i64] : vector<2xf32>
    %e = llvm.intr.exp(%x) : (f32) -> f32
    llvm.return %e : f32
  }

  // One answer for each pair of lanes.
  // CHECK-LABEL: llvm.func @any_of_pairs
  // CHECK: llvm.icmp "eq" %{{.*}}, %{{.*}} : vector<2xi2>
  llvm.func @any_of_pairs(%v: vector<4xf32>) -> f32 {
    %i0 = llvm.mlir.constant(0 : i64) : i64
    %zeros = llvm.mlir.constant(dense<0> : vector<2xi2>) : vector<2xi2>
    %none = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %c = llvm.fcmp "olt" %v, %none : vector<4xf32>
    %b = llvm.bitcast %c : vector<4xi1> to vector<2xi2>
    %z = llvm.icmp "eq" %b, %zeros : vector<2xi2>
    %z0 = llvm.extractelement %z[%i0 : i64] : vector<2xi1>
    %x = llvm.extractelement %v[%i0 : i64] : vector<4xf32>
    %e = llvm.intr.exp(%x) : (f32) -> f32
    %r = llvm.select %z0, %e, %zero : i1, f32
    llvm.return %r : f32
  }

  // What is computed from itself is never reached, and goes away.
  // CHECK-LABEL: llvm.func @never_reached
  // CHECK-NOT: llvm.fadd
  // CHECK: llvm.return
  llvm.func @never_reached(%x: f32) -> f32 {
    %c0 = llvm.mlir.constant(0 : i64) : i64
    %c1 = llvm.mlir.constant(1 : i64) : i64
    llvm.return %x : f32
  ^bb1:
    %a = llvm.insertelement %x, %a[%c0 : i64] : vector<2xf32>
    %b = llvm.fadd %a, %a : vector<2xf32>
    %y = llvm.extractelement %b[%c1 : i64] : vector<2xf32>
    %e = llvm.intr.exp(%y) : (f32) -> f32
    llvm.br ^bb1
  }

  // The proof of a bound ends there, too, where nothing removes it.
  llvm.func @negates_itself(%w: f32) -> f32 {
    llvm.return %w : f32
  ^bb1:
    %z = llvm.fneg %z : f32
    %d = llvm.fmul %z, %w : f32
    %e = llvm.intr.exp(%d) : (f32) -> f32
    llvm.br ^bb1
  }
}
