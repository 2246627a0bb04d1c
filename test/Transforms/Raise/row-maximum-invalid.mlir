// RUN: poly-opt %s --poly-raise | FileCheck %s --implicit-check-not=softmax_exp --implicit-check-not=bound
// RUN: poly-opt %s --poly-raise --remarks-filter=poly-raise --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// What looks like a softmax weight, but has arguments above zero.

gpu.module @fakes {
  // Nothing is subtracted.
  // CHECK-LABEL: func.func @naive
  // CHECK:         poly.exp
  func.func @naive(%x: vector<8xf32>) -> vector<8xf32> {
    %e = math.exp %x : vector<8xf32>
    return %e : vector<8xf32>
  }

  // CHECK-LABEL: func.func @first_element
  // CHECK:         poly.exp
  // REMARK:        no row maximum: what is subtracted is not known to be the maximum of the row
  func.func @first_element(%x: vector<8xf32>) -> vector<8xf32> {
    %f = vector.extract %x[0] : f32 from vector<8xf32>
    %b = vector.broadcast %f : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // CHECK-LABEL: func.func @half_the_maximum
  // CHECK:         poly.exp
  func.func @half_the_maximum(%x: vector<8xf32>) -> vector<8xf32> {
    %h = arith.constant 0.5 : f32
    %m = vector.reduction <maximumf>, %x : vector<8xf32> into f32
    %k = arith.mulf %m, %h : f32
    %b = vector.broadcast %k : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // CHECK-LABEL: func.func @another_maximum
  // CHECK:         poly.exp
  func.func @another_maximum(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
    %m = vector.reduction <maximumf>, %y : vector<8xf32> into f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // CHECK-LABEL: func.func @minimum
  // CHECK:         poly.exp
  func.func @minimum(%x: vector<8xf32>) -> vector<8xf32> {
    %m = vector.reduction <minimumf>, %x : vector<8xf32> into f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // A negative scale turns the maximum into a minimum.
  // CHECK-LABEL: func.func @runtime_scale
  // CHECK:         poly.exp2
  // REMARK:        no row maximum: the scale is a run-time value that may be negative
  func.func @runtime_scale(%x: f32, %y: f32, %s: f32) -> f32 {
    %m = arith.maximumf %x, %y : f32
    %ms = arith.mulf %m, %s : f32
    %n = arith.negf %ms : f32
    %d = math.fma %x, %s, %n : f32
    %e = math.exp2 %d : f32
    return %e : f32
  }

  // CHECK-LABEL: func.func @negative_scale
  // CHECK:         poly.exp2
  func.func @negative_scale(%x: vector<8xf32>) -> vector<8xf32> {
    %s = arith.constant dense<-0.125> : vector<8xf32>
    %m = vector.reduction <maximumf>, %x : vector<8xf32> into f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %p = arith.mulf %d, %s : vector<8xf32>
    %e = math.exp2 %p : vector<8xf32>
    return %e : vector<8xf32>
  }

  // The two literals differ in the last bit.
  // CHECK-LABEL: func.func @scales_differ
  // CHECK:         poly.exp2
  func.func @scales_differ(%x: f32, %y: f32) -> f32 {
    %s = arith.constant 0.180336878 : f32
    %t = arith.constant 0.180336863 : f32
    %m = arith.maximumf %x, %y : f32
    %ms = arith.mulf %m, %t : f32
    %xs = arith.mulf %x, %s : f32
    %d = arith.subf %xs, %ms : f32
    %e = math.exp2 %d : f32
    return %e : f32
  }

  // The maximum was rounded, the scores were not.
  // CHECK-LABEL: func.func @rounded_maximum
  // CHECK:         poly.exp
  func.func @rounded_maximum(%x: vector<8xf32>) -> vector<8xf32> {
    %r = arith.truncf %x : vector<8xf32> to vector<8xbf16>
    %m = vector.reduction <maximumf>, %r : vector<8xbf16> into bf16
    %w = arith.extf %m : bf16 to f32
    %b = vector.broadcast %w : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // Masked for the maximum, but not for the exponential.
  // CHECK-LABEL: func.func @masked_maximum
  // CHECK:         poly.exp
  func.func @masked_maximum(%x: vector<8xf32>, %mask: vector<8xi1>) -> vector<8xf32> {
    %ninf = arith.constant dense<0xFF800000> : vector<8xf32>
    %s = arith.select %mask, %x, %ninf : vector<8xi1>, vector<8xf32>
    %m = vector.reduction <maximumf>, %s : vector<8xf32> into f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // One lane was forgotten.
  // CHECK-LABEL: func.func @missing_lane
  // CHECK:         poly.exp
  func.func @missing_lane(%x: vector<4xf32>) -> vector<4xf32> {
    %x0 = vector.extract %x[0] : f32 from vector<4xf32>
    %x1 = vector.extract %x[1] : f32 from vector<4xf32>
    %x3 = vector.extract %x[3] : f32 from vector<4xf32>
    %m0 = arith.maxnumf %x0, %x1 : f32
    %m = arith.maxnumf %m0, %x3 : f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %x, %b : vector<4xf32>
    %e = math.exp %d : vector<4xf32>
    return %e : vector<4xf32>
  }

  // The guard replaces a maximum that is alive.
  // CHECK-LABEL: func.func @wrong_guard
  // CHECK:         poly.exp
  func.func @wrong_guard(%x: vector<8xf32>) -> vector<8xf32> {
    %c5 = arith.constant 5.0 : f32
    %c0 = arith.constant 0.0 : f32
    %m = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %small = arith.cmpf olt, %m, %c5 : f32
    %g = arith.select %small, %c0, %m : f32
    %b = vector.broadcast %g : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // The NaN test is of the other operand, or the order is another pair's.
  // CHECK-LABEL: func.func @nan_of_another
  // CHECK-COUNT-2: poly.exp
  func.func @nan_of_another(%x: f32, %y: f32, %z: f32) -> (f32, f32) {
    %larger = arith.cmpf ogt, %x, %y : f32
    %nan = arith.cmpf uno, %y, %y : f32
    %either = arith.ori %larger, %nan : i1
    %m = arith.select %either, %x, %y : f32
    %d = arith.subf %y, %m : f32
    %e = math.exp %d : f32
    %other = arith.cmpf ogt, %x, %z : f32
    %nan_x = arith.cmpf uno, %x, %x : f32
    %either2 = arith.ori %other, %nan_x : i1
    %n = arith.select %either2, %x, %y : f32
    %c = arith.subf %y, %n : f32
    %f = math.exp %c : f32
    return %e, %f : f32, f32
  }

  // A negative multiple of minus infinity is above everything.
  // CHECK-LABEL: func.func @guarded_negative
  // CHECK:         poly.exp2
  func.func @guarded_negative(%x: vector<8xf32>) -> vector<8xf32> {
    %ninf = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0.0 : f32
    %k = arith.constant -0.125 : f32
    %ks = arith.constant dense<-0.125> : vector<8xf32>
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

  // A NaN makes the maximum NaN, the guard makes that 0, and the other elements
  // are numbers still.
  // CHECK-LABEL: func.func @guard_hides_nan
  // CHECK:         poly.exp
  func.func @guard_hides_nan(%x: vector<8xf32>) -> vector<8xf32> {
    %ninf = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0.0 : f32
    %m = vector.reduction <maximumf>, %x : vector<8xf32> into f32
    %live = arith.cmpf ogt, %m, %ninf : f32
    %g = arith.select %live, %m, %c0 : f32
    %b = vector.broadcast %g : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // Another value of the same memory.
  // CHECK-LABEL: func.func @reloaded
  // CHECK:         poly.exp
  func.func @reloaded(%p: memref<8xf32>) -> vector<8xf32> {
    %c0 = arith.constant 0 : index
    %x = vector.load %p[%c0] : memref<8xf32>, vector<8xf32>
    %m = vector.reduction <maximumf>, %x : vector<8xf32> into f32
    %y = vector.load %p[%c0] : memref<8xf32>, vector<8xf32>
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %y, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  // A probability from a stored log-sum-exp, and the decoding of scales.
  // CHECK-LABEL: func.func @other_roles
  // CHECK:         poly.exp2 {{.*}}role = #poly.exp_role<lse>
  // CHECK:         poly.exp2 {{.*}}role = #poly.exp_role<scale>
  // CHECK:         poly.exp2 {{.*}}role = #poly.exp_role<scale>
  func.func @other_roles(%s: vector<8xf32>, %lse: memref<?xf32>, %i: index, %b: i32, %a: f32) -> (vector<8xf32>, f32, f32) {
    %k = arith.constant dense<0.125> : vector<8xf32>
    %c127 = arith.constant 127.0 : f32
    %l = memref.load %lse[%i] : memref<?xf32>
    %n = arith.negf %l : f32
    %nb = vector.broadcast %n : f32 to vector<8xf32>
    %d = math.fma %s, %k, %nb : vector<8xf32>
    %p = math.exp2 %d : vector<8xf32>
    %f = arith.sitofp %b : i32 to f32
    %u = arith.subf %f, %c127 : f32
    %x = math.exp2 %u : f32
    %g = math.log2 %a : f32
    %c = math.ceil %g : f32
    %y = math.exp2 %c : f32
    return %p, %x, %y : vector<8xf32>, f32, f32
  }

  // The maximum goes through memory that the threads of a block share. That is
  // a weight, but nothing is proved.
  // CHECK-LABEL: llvm.func @shared_memory
  // CHECK:         poly.exp2 {{.*}}role = #poly.exp_role<weight>
  llvm.mlir.global internal @scratch() {addr_space = 3 : i32} : !llvm.array<4 x f32>
  llvm.func @shared_memory(%x: f32, %y: f32, %i: i32) -> f32 {
    %p = llvm.mlir.addressof @scratch : !llvm.ptr<3>
    %m = llvm.intr.maxnum(%x, %y) : (f32, f32) -> f32
    %q = llvm.getelementptr %p[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %m, %q : f32, !llvm.ptr<3>
    nvvm.barrier0
    %r = llvm.load %p : !llvm.ptr<3> -> f32
    %d = llvm.fsub %x, %r : f32
    %e = llvm.intr.exp2(%d) : (f32) -> f32
    llvm.return %e : f32
  }

  // The maximum of column j is subtracted in row j.
  // CHECK-LABEL: func.func @of_columns
  // CHECK:         poly.exp
  func.func @of_columns(%x: vector<4x4xf32>, %low: vector<4xf32>) -> vector<4x4xf32> {
    %m = vector.multi_reduction <maxnumf>, %x, %low [0] : vector<4x4xf32> to vector<4xf32>
    %c = vector.shape_cast %m : vector<4xf32> to vector<4x1xf32>
    %b = vector.broadcast %c : vector<4x1xf32> to vector<4x4xf32>
    %d = arith.subf %x, %b : vector<4x4xf32>
    %e = math.exp %d : vector<4x4xf32>
    return %e : vector<4x4xf32>
  }

  // The maximum of row i is subtracted in column i.
  // CHECK-LABEL: func.func @not_transposed
  // CHECK:         poly.exp
  func.func @not_transposed(%x: vector<4x4xf32>, %low: vector<4xf32>) -> vector<4x4xf32> {
    %m = vector.multi_reduction <maxnumf>, %x, %low [1] : vector<4x4xf32> to vector<4xf32>
    %b = vector.broadcast %m : vector<4xf32> to vector<4x4xf32>
    %d = arith.subf %x, %b : vector<4x4xf32>
    %e = math.exp %d : vector<4x4xf32>
    return %e : vector<4x4xf32>
  }

  // Half an ulp of the product is 1 and more beyond 256.
  // CHECK-LABEL: func.func @fused_bf16
  // CHECK:         poly.exp2
  func.func @fused_bf16(%x: vector<8xbf16>) -> vector<8xbf16> {
    %s = arith.constant 0.1806640625 : bf16
    %sv = arith.constant dense<0.1806640625> : vector<8xbf16>
    %m = vector.reduction <maxnumf>, %x : vector<8xbf16> into bf16
    %ms = arith.mulf %m, %s : bf16
    %n = arith.negf %ms : bf16
    %b = vector.broadcast %n : bf16 to vector<8xbf16>
    %d = math.fma %x, %sv, %b : vector<8xbf16>
    %e = math.exp2 %d : vector<8xbf16>
    return %e : vector<8xbf16>
  }
  // Each lane has a scale of its own, and the maximum is scaled by lane 1's.
  // CHECK-LABEL: func.func @scales_of_lanes
  // CHECK:         poly.exp2
  func.func @scales_of_lanes(%x: vector<2xf32>, %v: vector<2xf32>) -> vector<2xf32> {
    %s = math.absf %v : vector<2xf32>
    %m = vector.reduction <maximumf>, %x : vector<2xf32> into f32
    %mb = vector.broadcast %m : f32 to vector<2xf32>
    %k = arith.mulf %mb, %s : vector<2xf32>
    %k1 = vector.extract %k[1] : f32 from vector<2xf32>
    %n = arith.negf %k1 : f32
    %nb = vector.broadcast %n : f32 to vector<2xf32>
    %d = math.fma %x, %s, %nb : vector<2xf32>
    %e = math.exp2 %d : vector<2xf32>
    return %e : vector<2xf32>
  }

  // A row of minus infinities has differences that are NaN, of which minnum
  // makes y.
  // CHECK-LABEL: func.func @bounded_unless_nan
  // CHECK:         poly.exp
  func.func @bounded_unless_nan(%x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xf32> {
    %m = vector.reduction <maximumf>, %x : vector<2xf32> into f32
    %b = vector.broadcast %m : f32 to vector<2xf32>
    %d = arith.subf %x, %b : vector<2xf32>
    %k = arith.minnumf %d, %y : vector<2xf32>
    %e = math.exp %k : vector<2xf32>
    return %e : vector<2xf32>
  }

  // With x a NaN it is y - z.
  // CHECK-LABEL: func.func @minimum_unless_nan
  // CHECK:         poly.exp
  func.func @minimum_unless_nan(%x: f32, %y: f32, %z: f32) -> f32 {
    %a = arith.minnumf %x, %y : f32
    %m = arith.maxnumf %x, %z : f32
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    return %e : f32
  }

  // With y a NaN the scale is z, which may be negative.
  // CHECK-LABEL: func.func @scale_unless_nan
  // CHECK:         poly.exp
  func.func @scale_unless_nan(%x: vector<2xf32>, %y: f32, %z: f32) -> vector<2xf32> {
    %m = vector.reduction <maximumf>, %x : vector<2xf32> into f32
    %ya = math.absf %y : f32
    %s = arith.maxnumf %ya, %z : f32
    %sb = vector.broadcast %s : f32 to vector<2xf32>
    %b = vector.broadcast %m : f32 to vector<2xf32>
    %d = arith.subf %x, %b : vector<2xf32>
    %k = arith.mulf %d, %sb : vector<2xf32>
    %e = math.exp %k : vector<2xf32>
    return %e : vector<2xf32>
  }
}
