// An idiom whose first half is scalar and whose second half is vector code.
// RUN: poly-opt %s --poly-normalize | FileCheck %s
// RUN: poly-opt %s --poly-normalize --poly-raise | FileCheck %s --check-prefix=RAISED

gpu.module @m {
  // CHECK-LABEL: llvm.func @swiglu
  // CHECK: %[[G:.*]] = llvm.fpext %arg0
  // CHECK-DAG: %[[G0:.*]] = llvm.extractelement %[[G]][%{{.*}}]
  // CHECK-DAG: %[[G1:.*]] = llvm.extractelement %[[G]][%{{.*}}]
  // CHECK-NOT: llvm.fmul {{.*}} vector<2xf32>
  // CHECK: %[[V:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
  // CHECK: llvm.fptrunc %[[V]] : vector<2xf32> to vector<2xbf16>
  // RAISED-LABEL: llvm.func @swiglu
  // RAISED-COUNT-2: poly.silu
  // RAISED-NOT: poly.
  // RAISED-LABEL: llvm.func @plain
  llvm.func @swiglu(%gate: vector<2xbf16>, %up: vector<2xbf16>) -> vector<2xbf16> {
    %c0 = llvm.mlir.constant(0 : i64) : i64
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %one = llvm.mlir.constant(1.0 : f32) : f32
    %log2e = llvm.mlir.constant(1.44269502 : f32) : f32
    %poison = llvm.mlir.poison : vector<2xf32>
    %g = llvm.fpext %gate : vector<2xbf16> to vector<2xf32>
    %u = llvm.fpext %up : vector<2xbf16> to vector<2xf32>
    %g0 = llvm.extractelement %g[%c0 : i64] : vector<2xf32>
    %n0 = llvm.fsub %zero, %g0 : f32
    %g1 = llvm.extractelement %g[%c1 : i64] : vector<2xf32>
    %n1 = llvm.fsub %zero, %g1 : f32
    %m0 = llvm.fmul %n0, %log2e : f32
    %e0 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%m0) : (f32) -> f32
    %m1 = llvm.fmul %n1, %log2e : f32
    %e1 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%m1) : (f32) -> f32
    %d0 = llvm.fadd %e0, %one : f32
    %d1 = llvm.fadd %e1, %one : f32
    %s0 = llvm.call_intrinsic "llvm.nvvm.div.full"(%one, %d0) : (f32, f32) -> f32
    %s1 = llvm.call_intrinsic "llvm.nvvm.div.full"(%one, %d1) : (f32, f32) -> f32
    %v0 = llvm.insertelement %s0, %poison[%c0 : i64] : vector<2xf32>
    %v1 = llvm.insertelement %s1, %v0[%c1 : i64] : vector<2xf32>
    %p = llvm.fmul %v1, %g : vector<2xf32>
    %q = llvm.fmul %p, %u : vector<2xf32>
    %r = llvm.fptrunc %q : vector<2xf32> to vector<2xbf16>
    llvm.return %r : vector<2xbf16>
  }

  // Vector code throughout stays vector code.
  // CHECK-LABEL: llvm.func @plain
  // CHECK: llvm.fmul %{{.*}}, %{{.*}} : vector<2xf32>
  llvm.func @plain(%x: vector<2xf32>) -> vector<2xf32> {
    %e = llvm.intr.exp(%x) : (vector<2xf32>) -> vector<2xf32>
    %r = llvm.fmul %e, %x : vector<2xf32>
    llvm.return %r : vector<2xf32>
  }

  // A lane that nothing was inserted into keeps the vector whole.
  // CHECK-LABEL: llvm.func @partial
  // CHECK: llvm.fmul %{{.*}}, %{{.*}} : vector<2xf32>
  llvm.func @partial(%x: vector<2xf32>, %s: f32) -> vector<2xf32> {
    %c0 = llvm.mlir.constant(0 : i64) : i64
    %e = llvm.intr.exp(%s) : (f32) -> f32
    %v = llvm.insertelement %e, %x[%c0 : i64] : vector<2xf32>
    %r = llvm.fmul %v, %x : vector<2xf32>
    llvm.return %r : vector<2xf32>
  }

  // Lanes that become operands of scalar functions, of a splat's scalar.
  // CHECK-LABEL: llvm.func @taken_apart
  // CHECK-DAG: llvm.fsub %{{.*}}, %arg1 : f32
  // CHECK-DAG: llvm.fsub %{{.*}}, %arg1 : f32
  // CHECK-NOT: llvm.fmul {{.*}} vector<2xf32>
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"
  llvm.func @taken_apart(%x: vector<2xf32>, %m: f32) -> f32 {
    %c0 = llvm.mlir.constant(0 : i64) : i64
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %k = llvm.mlir.constant(dense<1.44269502> : vector<2xf32>) : vector<2xf32>
    %poison = llvm.mlir.poison : vector<2xf32>
    %v = llvm.insertelement %m, %poison[%c0 : i64] : vector<2xf32>
    %s = llvm.shufflevector %v, %poison [0, 0] : vector<2xf32>
    %d = llvm.fsub %x, %s : vector<2xf32>
    %a = llvm.fmul %d, %k : vector<2xf32>
    %a0 = llvm.extractelement %a[%c0 : i64] : vector<2xf32>
    %a1 = llvm.extractelement %a[%c1 : i64] : vector<2xf32>
    %e0 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%a0) : (f32) -> f32
    %e1 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%a1) : (f32) -> f32
    %r = llvm.fadd %e0, %e1 : f32
    llvm.return %r : f32
  }

  // Guards: a comparison of the narrow type, a selection, and the question
  // whether any lane is true.
  // CHECK-LABEL: llvm.func @guards
  // CHECK-COUNT-2: llvm.fcmp "ogt" %{{.*}}, %{{.*}} : bf16
  // CHECK-NOT: llvm.select {{.*}} vector
  // CHECK: %[[ANY:.*]] = llvm.or %{{.*}}, %{{.*}} : i1
  // CHECK: llvm.select %[[ANY]], %{{.*}}, %arg1 : i1, f32
  llvm.func @guards(%x: vector<2xbf16>, %y: f32) -> f32 {
    %c0 = llvm.mlir.constant(0 : i64) : i64
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %none = llvm.mlir.constant(0 : i2) : i2
    %one = llvm.mlir.constant(dense<1.0> : vector<2xbf16>) : vector<2xbf16>
    %poison = llvm.mlir.poison : vector<2xf32>
    %f = llvm.fpext %x : vector<2xbf16> to vector<2xf32>
    %f0 = llvm.extractelement %f[%c0 : i64] : vector<2xf32>
    %f1 = llvm.extractelement %f[%c1 : i64] : vector<2xf32>
    %e0 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%f0) : (f32) -> f32
    %e1 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%f1) : (f32) -> f32
    %v0 = llvm.insertelement %e0, %poison[%c0 : i64] : vector<2xf32>
    %v1 = llvm.insertelement %e1, %v0[%c1 : i64] : vector<2xf32>
    %big = llvm.fcmp "ogt" %x, %one : vector<2xbf16>
    %s = llvm.select %big, %f, %v1 : vector<2xi1>, vector<2xf32>
    %s0 = llvm.extractelement %s[%c0 : i64] : vector<2xf32>
    %s1 = llvm.extractelement %s[%c1 : i64] : vector<2xf32>
    %sum = llvm.fadd %s0, %s1 : f32
    %bits = llvm.bitcast %big : vector<2xi1> to i2
    %is_none = llvm.icmp "eq" %bits, %none : i2
    %r = llvm.select %is_none, %y, %sum : i1, f32
    llvm.return %r : f32
  }

  // Above the LLVM dialect, comparisons and selections stay in vectors.
  // CHECK-LABEL: func.func @masks
  // CHECK: arith.cmpf ogt, %{{.*}} : vector<2xf32>
  // CHECK: arith.select %{{.*}} : vector<2xi1>, vector<2xf32>
  func.func @masks(%x: f32, %y: f32, %m: vector<2xf32>) -> vector<2xf32> {
    %t = math.tanh %x : f32
    %v = vector.from_elements %t, %y : vector<2xf32>
    %c = arith.cmpf ogt, %v, %m : vector<2xf32>
    %r = arith.select %c, %v, %m : vector<2xi1>, vector<2xf32>
    return %r : vector<2xf32>
  }

  // The same at the level of arith and vector.
  // CHECK-LABEL: func.func @arith
  // CHECK: %[[X0:.*]] = vector.extract %arg0[0]
  // CHECK: arith.mulf %{{.*}}, %[[X0]] fastmath<afn> : f32
  func.func @arith(%x: vector<2xf32>) -> vector<2xf32> {
    %x0 = vector.extract %x[0] : f32 from vector<2xf32>
    %x1 = vector.extract %x[1] : f32 from vector<2xf32>
    %t0 = math.tanh %x0 : f32
    %t1 = math.tanh %x1 : f32
    %v = vector.from_elements %t0, %t1 : vector<2xf32>
    %r = arith.mulf %v, %x fastmath<afn> : vector<2xf32>
    return %r : vector<2xf32>
  }
}
