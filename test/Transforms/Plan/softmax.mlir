// RUN: poly-opt %s --poly-raise --poly-plan="programs=exp2-lattice7-f32-bf16x2,exp2-lattice7-f32,exp2-h15-f32" | FileCheck %s
// RUN: poly-opt %S/../Raise/row-maximum-invalid.mlir --poly-raise --poly-plan="policy=opt-in programs=exp-h15-f32,exp2-h15-f32" | FileCheck %s --check-prefix=FAKE --implicit-check-not="program <"

// From plain ops to programs: the weight gets the lattice and the row sum takes
// the same values; the factor that corrects older sums stays as it is.

gpu.module @rows {
  // CHECK-LABEL: func.func @online
  // CHECK: %[[P:.*]] = poly.exp2 {{.*}} program <"exp2-lattice7-f32-bf16x2"> {bound = 0.0{{.*}}role = #poly.exp_role<weight>}
  // CHECK: %[[C:.*]] = math.exp2
  // CHECK: %[[W:.*]] = arith.truncf %[[P]]
  // CHECK: %[[E:.*]] = arith.extf %[[W]]
  // CHECK: vector.reduction <add>, %[[E]]
  // CHECK: math.fma %{{.*}}, %[[C]]
  // CHECK-NOT: poly.exp2
  func.func @online(%x: memref<?xf32>, %w: memref<?xbf16>, %n: index) -> (f32, f32) {
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
      %p = math.exp2 %d fastmath<afn> : vector<8xf32>
      %dm = arith.subf %mo, %mg : f32
      %cor = math.exp2 %dm fastmath<afn> : f32
      %t = arith.truncf %p : vector<8xf32> to vector<8xbf16>
      vector.store %t, %w[%j] : memref<?xbf16>, vector<8xbf16>
      %q = arith.extf %t : vector<8xbf16> to vector<8xf32>
      %ps = vector.reduction <add>, %q : vector<8xf32> into f32
      %ln = math.fma %lo, %cor, %ps : f32
      scf.yield %mn, %ln : f32, f32
    }
    return %m, %l : f32, f32
  }

  // The sum takes the f32 weight: then the weight is an f32 of the same lattice.
  // CHECK-LABEL: func.func @sum_in_f32
  // CHECK: poly.exp2 {{.*}} program <"exp2-{{lattice7|h15}}-f32">
  func.func @sum_in_f32(%x: vector<8xf32>) -> (vector<8xbf16>, f32) {
    %m = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp2 %d fastmath<afn> : vector<8xf32>
    %w = arith.truncf %e : vector<8xf32> to vector<8xbf16>
    %s = vector.reduction <add>, %e : vector<8xf32> into f32
    return %w, %s : vector<8xbf16>, f32
  }
}

// Every fake row maximum keeps its exact exponential, though the programs are
// named and everything opts in.
// FAKE: math.exp
