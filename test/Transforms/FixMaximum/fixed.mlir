// RUN: poly-opt --poly-fix-maximum --canonicalize --split-input-file %s 2>%t.remarks | FileCheck %s --implicit-check-not="<maxnumf>" --implicit-check-not=maximumf --implicit-check-not=shuffle
// RUN: FileCheck %s --check-prefix=SAY --input-file=%t.remarks
// The maximum of capped scores becomes a number.

// One tile. 14 octaves either way fit in f32 below one.
// CHECK-LABEL: @row
// CHECK: %[[C:.*]] = arith.constant dense<1.487500e+01> : vector<4xf32>
// CHECK: %[[S:.*]] = arith.mulf
// CHECK: arith.subf %[[S]], %[[C]]
// SAY: :[[# @LINE + 10]]:{{[0-9]+}}: remark: the maximum of the rows is replaced by 14.8750: weights are between 2^-30 and 2^0
gpu.module @m {
  func.func @row(%s: vector<4xf32>) -> vector<4xf32> {
    %scale = arith.constant dense<14.0> : vector<4xf32>
    %t = math.tanh %s : vector<4xf32>
    %c = arith.mulf %t, %scale : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>

    %w = math.exp2 %d : vector<4xf32>
    %sum = vector.reduction <add>, %w : vector<4xf32> into f32
    %all = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %w, %all : vector<4xf32>
    return %r : vector<4xf32>
  }
}

// -----

// Over a loop, with natural exponentials, a mask, an exchange between the lanes
// of a row, a guard for rows without a live element, a value accumulated and
// the logarithm of the sum. The correction is one; a cap of 50 leaves weights
// above one.
// SAY: remark: the maximum of the rows is replaced by 33.8{{[0-9]+}}: weights are between 2^-126 and 2^28
// CHECK-LABEL: @online
// CHECK-NOT: maxnumf
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}}) -> (f32, f32)
// CHECK: %[[W:.*]] = math.exp
// CHECK: %[[TILE:.*]] = vector.reduction <add>, %[[W]]
// CHECK: arith.addf %[[SUM]], %[[TILE]]
// CHECK: arith.addf %[[ACC]],
// CHECK-NOT: {{math.exp|maxnumf}}
// CHECK: math.log
gpu.module @m {
  func.func @online(%s: memref<?x8xf32>, %v: memref<?x8xf32>, %mask: vector<8xi1>, %n: index) -> (f32, f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %none = arith.constant dense<0xFF800000> : vector<8xf32>
    %cap = arith.constant dense<50.0> : vector<8xf32>
    %one32 = arith.constant 1 : i32
    %two32 = arith.constant 2 : i32
    %width = arith.constant 32 : i32
    %res:3 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %inf, %l = %zero, %o = %zero) -> (f32, f32, f32) {
      %x = vector.load %s[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      %t = math.tanh %x : vector<8xf32>
      %c = arith.mulf %t, %cap : vector<8xf32>
      %live = arith.select %mask, %c, %none : vector<8xi1>, vector<8xf32>
      %m0 = vector.reduction <maxnumf>, %live : vector<8xf32> into f32
      %m1 = arith.maxnumf %m0, %m : f32
      %x1, %p1 = gpu.shuffle xor %m1, %one32, %width : f32
      %m2 = arith.maxnumf %m1, %x1 : f32
      %x2, %p2 = gpu.shuffle xor %m2, %two32, %width : f32
      %new = arith.maxnumf %m2, %x2 : f32
      %isNone = arith.cmpf oeq, %new, %inf : f32
      %safe = arith.select %isNone, %zero, %new : f32
      %b = vector.broadcast %safe : f32 to vector<8xf32>
      %d = arith.subf %live, %b : vector<8xf32>
      %w = math.exp %d : vector<8xf32>
      %growth = arith.subf %m, %safe : f32
      %correction = math.exp %growth : f32
      %tile = vector.reduction <add>, %w : vector<8xf32> into f32
      %l1 = math.fma %l, %correction, %tile : f32
      %y = vector.load %v[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      %wy = arith.mulf %w, %y : vector<8xf32>
      %part = vector.reduction <add>, %wy : vector<8xf32> into f32
      %o0 = arith.mulf %o, %correction : f32
      %o1 = arith.addf %o0, %part : f32
      scf.yield %new, %l1, %o1 : f32, f32, f32
    }
    %r = arith.divf %res#2, %res#1 : f32
    %log = math.log %res#1 : f32
    %lse = arith.addf %res#0, %log : f32
    return %r, %lse : f32, f32
  }
}

// -----

// Clamped scores.
// SAY: remark: the maximum of the rows is replaced by 20.0000: weights are between 2^-50 and 2^0
// CHECK-LABEL: @clamped
// CHECK: arith.subf %{{.*}}, %{{.*}} : vector<4xf32>
gpu.module @m {
  func.func @clamped(%s: vector<4xf32>) -> vector<4xf32> {
    %most = arith.constant dense<20.0> : vector<4xf32>
    %least = arith.constant dense<-30.0> : vector<4xf32>
    %t = arith.minnumf %s, %most : vector<4xf32>
    %c = arith.maxnumf %t, %least : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>
    %w = math.exp2 %d : vector<4xf32>
    %sum = vector.reduction <add>, %w : vector<4xf32> into f32
    %all = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %w, %all : vector<4xf32>
    return %r : vector<4xf32>
  }
}

// -----

// Assembly that is there for the order, and says so, takes any number.
// CHECK-LABEL: @ordered
// CHECK: %[[M:.*]] = arith.constant 1.062500e+00 : f32
// CHECK: llvm.inline_asm {poly.order_only} "or.b32 $0, $1, 1;", "=r,f" %[[M]]
// SAY: remark: the maximum of the rows is replaced by 1.0625: weights are between 2^-3 and 2^0
gpu.module @m {
  func.func @ordered(%s: vector<4xf32>) -> (vector<4xf32>, i32) {
    %c = math.tanh %s : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    %any = llvm.inline_asm {poly.order_only} "or.b32 $0, $1, 1;", "=r,f" %m : (f32) -> i32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>
    %w = math.exp2 %d : vector<4xf32>
    %sum = vector.reduction <add>, %w : vector<4xf32> into f32
    %all = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %w, %all : vector<4xf32>
    return %r, %any : vector<4xf32>, i32
  }
}
