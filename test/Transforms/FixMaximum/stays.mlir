// RUN: poly-opt --poly-fix-maximum --split-input-file --verify-diagnostics %s | FileCheck %s
// Each of these functions keeps its maximum.
// CHECK-COUNT-13: vector.reduction <maxnumf>

// Scores of which nothing is known.
gpu.module @m {
  func.func @unbounded(%c: vector<4xf32>) -> vector<4xf32> {
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>
    // expected-remark @+1 {{the maximum of the rows stays: its scores have no bound that is known}}
    %w = math.exp2 %d : vector<4xf32>
    %sum = vector.reduction <add>, %w : vector<4xf32> into f32
    %all = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %w, %all : vector<4xf32>
    return %r : vector<4xf32>
  }
}

// -----

// A clamp on one side.
gpu.module @m {
  func.func @half(%s: vector<4xf32>) -> vector<4xf32> {
    %most = arith.constant dense<20.0> : vector<4xf32>
    %c = arith.minnumf %s, %most : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>
    // expected-remark @+1 {{the maximum of the rows stays: its scores have no bound that is known}}
    %w = math.exp2 %d : vector<4xf32>
    %sum = vector.reduction <add>, %w : vector<4xf32> into f32
    %all = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %w, %all : vector<4xf32>
    return %r : vector<4xf32>
  }
}

// -----

// Nothing divides by the sum.
gpu.module @m {
  func.func @weights(%s: vector<4xf32>) -> vector<4xf32> {
    %c = math.tanh %s : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>
    %w = math.exp2 %d : vector<4xf32>
    // expected-remark @+1 {{the maximum of the rows stays: uses what a maximum scales}}
    return %w : vector<4xf32>
  }
}

// -----

// The maximum leaves the function.
gpu.module @m {
  func.func @maximum(%s: vector<4xf32>) -> (vector<4xf32>, f32) {
    %c = math.tanh %s : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>
    %w = math.exp2 %d : vector<4xf32>
    %sum = vector.reduction <add>, %w : vector<4xf32> into f32
    %all = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %w, %all : vector<4xf32>
    // expected-remark @+1 {{the maximum of the rows stays: uses what a maximum scales}}
    return %r, %m : vector<4xf32>, f32
  }
}

// -----

// 2^-150 is not a normal number.
gpu.module @m {
  func.func @wide(%s: vector<4xf32>) -> vector<4xf32> {
    %cap = arith.constant dense<150.0> : vector<4xf32>
    %t = math.tanh %s : vector<4xf32>
    %c = arith.mulf %t, %cap : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>
    // expected-remark @+1 {{its weights span 319 octaves, more than}}
    %w = math.exp2 %d : vector<4xf32>
    %sum = vector.reduction <add>, %w : vector<4xf32> into f32
    %all = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %w, %all : vector<4xf32>
    return %r : vector<4xf32>
  }
}

// -----

// The sum of before is not corrected when the maximum grows.
gpu.module @m {
  func.func @uncorrected(%s: memref<?x8xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %res:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %inf, %l = %zero) -> (f32, f32) {
      %x = vector.load %s[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      %c = math.tanh %x : vector<8xf32>
      %new = vector.reduction <maxnumf>, %c, %m : vector<8xf32> into f32
      %b = vector.broadcast %new : f32 to vector<8xf32>
      %d = arith.subf %c, %b : vector<8xf32>
      %w = math.exp2 %d : vector<8xf32>
      %tile = vector.reduction <add>, %w : vector<8xf32> into f32
      // expected-remark @+1 {{the maximum of the rows stays: joins values that different maxima scale}}
      %l1 = arith.addf %l, %tile : f32
      scf.yield %new, %l1 : f32, f32
    }
    %log = math.log2 %res#1 : f32
    %lse = arith.addf %res#0, %log : f32
    return %lse : f32
  }
}

// -----

// The sum is exchanged with lanes that have another maximum.
gpu.module @m {
  func.func @lanes(%s: vector<4xf32>) -> vector<4xf32> {
    %one32 = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %c = math.tanh %s : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>
    %w = math.exp2 %d : vector<4xf32>
    %own = vector.reduction <add>, %w : vector<4xf32> into f32
    // expected-remark @+1 {{the maximum of the rows stays: exchanges values that different maxima scale}}
    %other, %p = gpu.shuffle xor %own, %one32, %width : f32
    %sum = arith.addf %own, %other : f32
    %all = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %w, %all : vector<4xf32>
    return %r : vector<4xf32>
  }
}

// -----

// The weights of one row are divided by the sum of the other.
gpu.module @m {
  func.func @rows(%s: vector<4xf32>, %s2: vector<4xf32>) -> vector<4xf32> {
    %c = math.tanh %s : vector<4xf32>
    %c2 = math.tanh %s2 : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    %m2 = vector.reduction <maxnumf>, %c2 : vector<4xf32> into f32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %b2 = vector.broadcast %m2 : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>
    %d2 = arith.subf %c2, %b2 : vector<4xf32>
    %w = math.exp2 %d : vector<4xf32>
    %w2 = math.exp2 %d2 : vector<4xf32>
    %sum = vector.reduction <add>, %w2 : vector<4xf32> into f32
    %all = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %w, %all : vector<4xf32>
    // expected-remark @+1 {{the maximum of the rows stays: uses what a maximum scales}}
    return %r : vector<4xf32>
  }
}

// -----

// A count that starts at zero is added to a sum of weights.
gpu.module @m {
  func.func @count(%s: memref<?x8xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %x = vector.load %s[%c0, %c0] : memref<?x8xf32>, vector<8xf32>
    %c = math.tanh %x : vector<8xf32>
    %m = vector.reduction <maxnumf>, %c : vector<8xf32> into f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %c, %b : vector<8xf32>
    %w = math.exp2 %d : vector<8xf32>
    %tile = vector.reduction <add>, %w : vector<8xf32> into f32
    %res:2 = scf.for %i = %c0 to %n step %c1 iter_args(%count = %zero, %l = %zero) -> (f32, f32) {
      // expected-remark @+1 {{the maximum of the rows stays: joins values that different maxima scale}}
      %l1 = arith.addf %count, %tile : f32
      %next = arith.addf %count, %one : f32
      scf.yield %next, %l1 : f32, f32
    }
    %r = arith.divf %res#1, %tile : f32
    return %r : f32
  }
}

// -----

// Control flow in blocks.
gpu.module @m {
  // expected-remark @+1 {{maxima of rows stay: its control flow is not structured}}
  func.func @blocks(%s: vector<4xf32>, %flag: i1) -> f32 {
    cf.cond_br %flag, ^one, ^two
  ^one:
    %c = math.tanh %s : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    return %m : f32
  ^two:
    %zero = arith.constant 0.0 : f32
    return %zero : f32
  }
}

// -----

// Nothing is subtracted, or what is no f32: one remark, at the first exponential.
gpu.module @m {
  func.func @none(%s: vector<4xf32>, %h: vector<4xf16>) -> (vector<4xf32>, vector<4xf16>) {
    // expected-remark @+1 {{no maximum of rows to fix: this exponential subtracts none that is computed on f32 scalars}}
    %w = math.exp2 %s : vector<4xf32>
    %c = math.tanh %h : vector<4xf16>
    %m = vector.reduction <maxnumf>, %c : vector<4xf16> into f16
    %b = vector.broadcast %m : f16 to vector<4xf16>
    %d = arith.subf %c, %b : vector<4xf16>
    %v = math.exp2 %d : vector<4xf16>
    return %w, %v : vector<4xf32>, vector<4xf16>
  }
  func.func @no_exponential(%s: vector<4xf32>) -> f32 {
    %m = vector.reduction <maxnumf>, %s : vector<4xf32> into f32
    return %m : f32
  }
}

// -----

// Its own wish.
gpu.module @m {
  func.func @keep(%s: vector<4xf32>) -> vector<4xf32> attributes {poly.keep} {
    %c = math.tanh %s : vector<4xf32>
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

// Assembly that may look at the maximum.
gpu.module @m {
  func.func @assembly(%s: vector<4xf32>) -> (vector<4xf32>, i32) {
    %c = math.tanh %s : vector<4xf32>
    %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
    // expected-remark @+1 {{the maximum of the rows stays: is assembly that is not understood}}
    %seen = llvm.inline_asm "mov.b32 $0, $1;", "=r,f" %m : (f32) -> i32
    %b = vector.broadcast %m : f32 to vector<4xf32>
    %d = arith.subf %c, %b : vector<4xf32>
    %w = math.exp2 %d : vector<4xf32>
    %sum = vector.reduction <add>, %w : vector<4xf32> into f32
    %all = vector.broadcast %sum : f32 to vector<4xf32>
    %r = arith.divf %w, %all : vector<4xf32>
    return %r, %seen : vector<4xf32>, i32
  }
}
