// RUN: poly-opt %s --poly-raise | FileCheck %s

// Exponentials whose argument is proved not to exceed zero (or a stated slack),
// because the maximum of their own row is subtracted.

gpu.module @rows {
  // CHECK-LABEL: func.func @reduced
  // CHECK:         poly.exp {{.*}} {bound = 0.000000e+00 : f64, poly.kind = "softmax_exp", role = #poly.exp_role<weight>}
  func.func @reduced(%x: vector<8xf32>) -> vector<8xf32> {
    %m = vector.reduction <maximumf>, %x : vector<8xf32> into f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // Both are scaled by the same positive literal and rounded.
  // CHECK-LABEL: func.func @scaled_alike
  // CHECK:         poly.exp2 {{.*}} {bound = 0.000000e+00 : f64, {{.*}}role = #poly.exp_role<weight>}
  func.func @scaled_alike(%x: vector<8xf32>) -> vector<8xf32> {
    %s = arith.constant 0.180336878 : f32
    %sv = arith.constant dense<0.180336878> : vector<8xf32>
    %m = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %ms = arith.mulf %m, %s : f32
    %b = vector.broadcast %ms : f32 to vector<8xf32>
    %xs = arith.mulf %x, %sv : vector<8xf32>
    %d = arith.subf %xs, %b : vector<8xf32>
    %e = math.exp2 %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // Only the maximum's product is rounded, so there is a slack.
  // CHECK-LABEL: func.func @fused
  // CHECK:         poly.exp2 {{.*}} {bound = 5.000000e-01 : f64, {{.*}}role = #poly.exp_role<weight>}
  func.func @fused(%x: vector<8xf32>) -> vector<8xf32> {
    %s = arith.constant -0.180336878 : f32
    %sv = arith.constant dense<0.180336878> : vector<8xf32>
    %m = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %ms = arith.mulf %m, %s : f32
    %b = vector.broadcast %ms : f32 to vector<8xf32>
    %d = math.fma %x, %sv, %b : vector<8xf32>
    %e = math.exp2 %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // A run-time scale that cannot be negative.
  // CHECK-LABEL: func.func @scaled_by_magnitude
  // CHECK:         poly.exp2 {{.*}}bound = 0.0
  func.func @scaled_by_magnitude(%x: f32, %y: f32, %s: f32) -> f32 {
    %a = math.absf %s : f32
    %m = arith.maximumf %x, %y : f32
    %d = arith.subf %x, %m : f32
    %p = arith.mulf %d, %a : f32
    %e = math.exp2 %p : f32
    return %e : f32
  }

  // A row without a live element has minus infinity as its maximum.
  // CHECK-LABEL: func.func @guarded
  // CHECK:         poly.exp2 {{.*}}bound = 0.0{{.*}}weight
  func.func @guarded(%x: vector<8xf32>) -> vector<8xf32> {
    %ninf = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0.0 : f32
    %m = vector.reduction <maxnumf>, %x, %ninf : vector<8xf32> into f32
    %live = arith.cmpf ogt, %m, %ninf : f32
    %g = arith.select %live, %m, %c0 : f32
    %b = vector.broadcast %g : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp2 %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // The guard replaces the scaled maximum: of a score that is minus infinity the
  // product is, too.
  // CHECK-LABEL: func.func @guarded_product
  // CHECK:         poly.exp2 {{.*}}bound = 0.0{{.*}}weight
  func.func @guarded_product(%x: vector<8xf32>) -> vector<8xf32> {
    %ninf = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0.0 : f32
    %k = arith.constant 0.125 : f32
    %ks = arith.constant dense<0.125> : vector<8xf32>
    %m = vector.reduction <maxnumf>, %x, %ninf : vector<8xf32> into f32
    %p = arith.mulf %m, %k : f32
    %dead = arith.cmpf oeq, %m, %ninf : f32
    %g = arith.select %dead, %c0, %p : f32
    %b = vector.broadcast %g : f32 to vector<8xf32>
    %s = arith.mulf %x, %ks : vector<8xf32>
    %d = arith.subf %s, %b : vector<8xf32>
    %e = math.exp2 %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // The larger, or the one that is NaN: a maximum that keeps NaN.
  // CHECK-LABEL: func.func @minding_nan
  // CHECK-COUNT-2: poly.exp {{.*}}bound = 0.0
  func.func @minding_nan(%x: f32, %y: f32) -> (f32, f32) {
    %larger = arith.cmpf ogt, %x, %y : f32
    %nan = arith.cmpf une, %x, %x : f32
    %either = arith.ori %larger, %nan : i1
    %m = arith.select %either, %x, %y : f32
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %c = arith.subf %y, %m : f32
    %f = math.exp %c : f32
    return %e, %f : f32, f32
  }

  // Collected lane by lane.
  // CHECK-LABEL: func.func @collected
  // CHECK:         poly.exp {{.*}}bound = 0.0{{.*}}weight
  func.func @collected(%x: vector<4xf32>) -> vector<4xf32> {
    %x0 = vector.extract %x[0] : f32 from vector<4xf32>
    %x1 = vector.extract %x[1] : f32 from vector<4xf32>
    %x2 = vector.extract %x[2] : f32 from vector<4xf32>
    %x3 = vector.extract %x[3] : f32 from vector<4xf32>
    %m0 = arith.maxnumf %x0, %x1 : f32
    %m1 = arith.maxnumf %x2, %x3 : f32
    %m = arith.maxnumf %m0, %m1 : f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %x, %b : vector<4xf32>
    %e = math.exp %d : vector<4xf32>
    return %e : vector<4xf32>
  }

  // A butterfly over the threads of a warp, and both high-level reductions.
  // CHECK-LABEL: func.func @threads
  // CHECK:         poly.exp {{.*}}bound = 0.0{{.*}}weight
  // CHECK:         poly.exp {{.*}}bound = 0.0{{.*}}weight
  // CHECK:         poly.exp {{.*}}bound = 0.0{{.*}}weight
  func.func @threads(%x: f32) -> (f32, f32, f32) {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c32 = arith.constant 32 : i32
    %s1, %v1 = gpu.shuffle xor %x, %c1, %c32 : f32
    %m1 = arith.maximumf %x, %s1 : f32
    %s2, %v2 = gpu.shuffle xor %m1, %c2, %c32 : f32
    %m2 = arith.maximumf %m1, %s2 : f32
    %d = arith.subf %x, %m2 : f32
    %e = math.exp %d : f32
    %n = gpu.subgroup_reduce maximumf %x : (f32) -> f32
    %f = arith.subf %x, %n : f32
    %g = math.exp %f : f32
    %a = gpu.all_reduce maxnumf %x uniform {} : (f32) -> f32
    %h = arith.subf %x, %a : f32
    %i = math.exp %h : f32
    return %e, %g, %i : f32, f32, f32
  }

  // The online softmax: weights, and the factor that corrects older sums.
  // CHECK-LABEL: func.func @online
  // CHECK:         poly.exp2 {{.*}}bound = 0.0{{.*}}role = #poly.exp_role<weight>
  // CHECK:         poly.exp2 {{.*}}bound = 0.0{{.*}}role = #poly.exp_role<correction>
  func.func @online(%x: memref<?xf32>, %n: index) -> (f32, f32) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %m, %l = scf.for %j = %c0 to %n step %c8 iter_args(%mo = %ninf, %lo = %zero) -> (f32, f32) {
      %s = vector.load %x[%j] : memref<?xf32>, vector<8xf32>
      %r = vector.reduction <maxnumf>, %s : vector<8xf32> into f32
      %mn = arith.maxnumf %mo, %r : f32
      %dead = arith.cmpf oeq, %mn, %ninf : f32
      %mg = arith.select %dead, %zero, %mn : f32
      %b = vector.broadcast %mg : f32 to vector<8xf32>
      %d = arith.subf %s, %b : vector<8xf32>
      %p = math.exp2 %d : vector<8xf32>
      %dm = arith.subf %mo, %mg : f32
      %cor = math.exp2 %dm : f32
      %ps = vector.reduction <add>, %p : vector<8xf32> into f32
      %ln = math.fma %lo, %cor, %ps : f32
      scf.yield %mn, %ln : f32, f32
    }
    return %m, %l : f32, f32
  }

  // The maximum is replaced only when it has grown by more than 8, so arguments
  // reach 8.
  // CHECK-LABEL: func.func @lazy
  // CHECK:         poly.exp2 {{.*}}bound = 8.000000e+00{{.*}}role = #poly.exp_role<weight>
  func.func @lazy(%x: vector<8xf32>, %old: f32) -> vector<8xf32> {
    %c8 = arith.constant 8.0 : f32
    %m = vector.reduction <maxnumf>, %x, %old : vector<8xf32> into f32
    %grown = arith.subf %m, %old : f32
    %much = arith.cmpf ogt, %grown, %c8 : f32
    %used = arith.select %much, %m, %old : f32
    %b = vector.broadcast %used : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp2 %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // CHECK-LABEL: llvm.func @lowered
  // CHECK:         poly.exp2 {{.*}}bound = 5.0{{.*}}role = #poly.exp_role<weight>
  llvm.func @lowered(%x: vector<4xf32>) -> f32 {
    %k = llvm.mlir.constant(0.125 : f32) : f32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %x0 = llvm.extractelement %x[%c0 : i32] : vector<4xf32>
    %x1 = llvm.extractelement %x[%c1 : i32] : vector<4xf32>
    %m = llvm.intr.maxnum(%x0, %x1) : (f32, f32) -> f32
    %bits = llvm.bitcast %m : f32 to i32
    %other = llvm.bitcast %bits : i32 to f32
    %n = llvm.intr.maxnum(%m, %other) : (f32, f32) -> f32
    %s = llvm.fmul %n, %k : f32
    %g = llvm.fneg %s : f32
    %a = llvm.intr.fma(%x1, %k, %g) : (f32, f32, f32) -> f32
    %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%a) : (f32) -> f32
    llvm.return %e : f32
  }

  // Bounds that have nothing to do with rows.
  // CHECK-LABEL: func.func @other_bounds
  // CHECK:         poly.exp {{.*}} {bound = 0.000000e+00 : f64} : f32
  // CHECK:         poly.exp {{.*}} {bound = 1.000000e+01 : f64} : f32
  func.func @other_bounds(%x: f32) -> (f32, f32) {
    %c10 = arith.constant 10.0 : f32
    %a = math.absf %x : f32
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    %m = arith.minimumf %x, %c10 : f32
    %f = math.exp %m : f32
    return %e, %f : f32, f32
  }

  // As many elements as a thread holds.
  // CHECK-LABEL: func.func @long_chain
  // CHECK:         poly.exp {{.*}}bound = 0.0{{.*}}weight
  func.func @long_chain(%x: vector<20xf32>) -> f32 {
    %x0 = vector.extract %x[0] : f32 from vector<20xf32>
    %x1 = vector.extract %x[1] : f32 from vector<20xf32>
    %x2 = vector.extract %x[2] : f32 from vector<20xf32>
    %x3 = vector.extract %x[3] : f32 from vector<20xf32>
    %x4 = vector.extract %x[4] : f32 from vector<20xf32>
    %x5 = vector.extract %x[5] : f32 from vector<20xf32>
    %x6 = vector.extract %x[6] : f32 from vector<20xf32>
    %x7 = vector.extract %x[7] : f32 from vector<20xf32>
    %x8 = vector.extract %x[8] : f32 from vector<20xf32>
    %x9 = vector.extract %x[9] : f32 from vector<20xf32>
    %x10 = vector.extract %x[10] : f32 from vector<20xf32>
    %x11 = vector.extract %x[11] : f32 from vector<20xf32>
    %x12 = vector.extract %x[12] : f32 from vector<20xf32>
    %x13 = vector.extract %x[13] : f32 from vector<20xf32>
    %x14 = vector.extract %x[14] : f32 from vector<20xf32>
    %x15 = vector.extract %x[15] : f32 from vector<20xf32>
    %x16 = vector.extract %x[16] : f32 from vector<20xf32>
    %x17 = vector.extract %x[17] : f32 from vector<20xf32>
    %x18 = vector.extract %x[18] : f32 from vector<20xf32>
    %x19 = vector.extract %x[19] : f32 from vector<20xf32>
    %m1 = arith.maxnumf %x0, %x1 : f32
    %m2 = arith.maxnumf %m1, %x2 : f32
    %m3 = arith.maxnumf %m2, %x3 : f32
    %m4 = arith.maxnumf %m3, %x4 : f32
    %m5 = arith.maxnumf %m4, %x5 : f32
    %m6 = arith.maxnumf %m5, %x6 : f32
    %m7 = arith.maxnumf %m6, %x7 : f32
    %m8 = arith.maxnumf %m7, %x8 : f32
    %m9 = arith.maxnumf %m8, %x9 : f32
    %m10 = arith.maxnumf %m9, %x10 : f32
    %m11 = arith.maxnumf %m10, %x11 : f32
    %m12 = arith.maxnumf %m11, %x12 : f32
    %m13 = arith.maxnumf %m12, %x13 : f32
    %m14 = arith.maxnumf %m13, %x14 : f32
    %m15 = arith.maxnumf %m14, %x15 : f32
    %m16 = arith.maxnumf %m15, %x16 : f32
    %m17 = arith.maxnumf %m16, %x17 : f32
    %m18 = arith.maxnumf %m17, %x18 : f32
    %m19 = arith.maxnumf %m18, %x19 : f32
    %d = arith.subf %x0, %m19 : f32
    %e = math.exp %d : f32
    return %e : f32
  }

  // The backend may make an fma of it, which rounds one product only.
  // CHECK-LABEL: func.func @contracted
  // CHECK:         poly.exp2 {{.*}}bound = 5.0{{.*}}weight
  func.func @contracted(%x: f32, %y: f32) -> f32 {
    %s = arith.constant 0.180336878 : f32
    %m = arith.maximumf %x, %y : f32
    %ms = arith.mulf %m, %s fastmath<contract> : f32
    %xs = arith.mulf %x, %s fastmath<contract> : f32
    %d = arith.subf %xs, %ms fastmath<contract> : f32
    %e = math.exp2 %d : f32
    return %e : f32
  }

  // The rows of a tile, broadcast back along themselves.
  // CHECK-LABEL: func.func @rows_of_a_tile
  // CHECK:         poly.exp {{.*}} {bound = 0.000000e+00 : f64, poly.kind = "softmax_exp", role = #poly.exp_role<weight>}
  func.func @rows_of_a_tile(%x: vector<4x8xf32>, %low: vector<4xf32>) -> vector<4x8xf32> {
    %m = vector.multi_reduction <maxnumf>, %x, %low [1] : vector<4x8xf32> to vector<4xf32>
    %c = vector.shape_cast %m : vector<4xf32> to vector<4x1xf32>
    %b = vector.broadcast %c : vector<4x1xf32> to vector<4x8xf32>
    %d = arith.subf %x, %b : vector<4x8xf32>
    %e = math.exp %d : vector<4x8xf32>
    return %e : vector<4x8xf32>
  }

  // CHECK-LABEL: func.func @transposed_back
  // CHECK:         poly.exp {{.*}} {bound = 0.000000e+00 : f64, poly.kind = "softmax_exp", role = #poly.exp_role<weight>}
  func.func @transposed_back(%x: vector<4x8xf32>, %low: vector<4xf32>) -> vector<4x8xf32> {
    %m = vector.multi_reduction <maximumf>, %x, %low [1] : vector<4x8xf32> to vector<4xf32>
    %w = vector.broadcast %m : vector<4xf32> to vector<8x4xf32>
    %b = vector.transpose %w, [1, 0] : vector<8x4xf32> to vector<4x8xf32>
    %d = arith.subf %x, %b : vector<4x8xf32>
    %e = math.exp %d : vector<4x8xf32>
    return %e : vector<4x8xf32>
  }
}
