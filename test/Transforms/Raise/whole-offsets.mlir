// RUN: poly-opt %s --poly-raise | FileCheck %s

// Softmax weights of 8-bit floats: exponents in f16, a whole number for each
// row. 8 - m * c, rounded down, is added to h * c; half an octave is the slack
// of the products.

gpu.module @m {
  // CHECK-LABEL: gpu.func @weights
  gpu.func @weights(%s: vector<8xf32>, %scale: f32, %old: f32) -> (vector<8xf16>, f32) {
    %least = arith.constant 1.0e-30 : f32
    %positive = arith.maxnumf %scale, %least : f32
    %c = arith.truncf %positive : f32 to f16
    %wide = arith.extf %c : f16 to f32
    %h = arith.truncf %s : vector<8xf32> to vector<8xf16>
    %top = vector.reduction <maxnumf>, %h : vector<8xf16> into f16
    %topWide = arith.extf %top : f16 to f32
    %m = arith.maxnumf %topWide, %old : f32
    %mc = arith.mulf %m, %wide fastmath<contract,afn> : f32
    %n = arith.negf %mc fastmath<contract,afn> : f32
    %eight = arith.constant 8.0 : f32
    %sum = arith.addf %n, %eight fastmath<contract,afn> : f32
    %whole = math.floor %sum : f32
    %b = arith.truncf %whole : f32 to f16
    %cs = vector.broadcast %c : f16 to vector<8xf16>
    %bs = vector.broadcast %b : f16 to vector<8xf16>
    %x = math.fma %h, %cs, %bs fastmath<contract,afn> : vector<8xf16>
    // CHECK: poly.exp2 {{.*}} {bound = 8.500000e+00 : f64, {{.*}}role = #poly.exp_role<weight>
    %w = math.exp2 %x fastmath<afn> : vector<8xf16>
    %oldC = arith.mulf %old, %wide fastmath<contract,afn> : f32
    %oldN = arith.negf %oldC fastmath<contract,afn> : f32
    %oldSum = arith.addf %oldN, %eight fastmath<contract,afn> : f32
    %oldWhole = math.floor %oldSum : f32
    %growth = arith.subf %whole, %oldWhole fastmath<contract,afn> : f32
    // The factor between two whole offsets is exact, and stays so.
    // CHECK: poly.exp2 {{.*}}role = #poly.exp_role<scale>
    %factor = math.exp2 %growth fastmath<afn> : f32
    gpu.return %w, %factor : vector<8xf16>, f32
  }

  // In f32 no rounding of the offset is needed.
  // CHECK-LABEL: gpu.func @wide
  gpu.func @wide(%s: vector<8xf32>, %scale: f32) -> vector<8xf32> {
    %least = arith.constant 1.0e-30 : f32
    %c = arith.maxnumf %scale, %least : f32
    %m = vector.reduction <maxnumf>, %s : vector<8xf32> into f32
    %mc = arith.mulf %m, %c fastmath<contract,afn> : f32
    %n = arith.negf %mc fastmath<contract,afn> : f32
    %eight = arith.constant 8.0 : f32
    %b = arith.addf %n, %eight fastmath<contract,afn> : f32
    %cs = vector.broadcast %c : f32 to vector<8xf32>
    %bs = vector.broadcast %b : f32 to vector<8xf32>
    %x = math.fma %s, %cs, %bs fastmath<contract,afn> : vector<8xf32>
    // CHECK: poly.exp2 {{.*}} {bound = 8.500000e+00 : f64, {{.*}}role = #poly.exp_role<weight>
    %w = math.exp2 %x fastmath<afn> : vector<8xf32>
    gpu.return %w : vector<8xf32>
  }

  // The sum of maximum and literal is rounded, too.
  // CHECK-LABEL: gpu.func @scaled_before
  gpu.func @scaled_before(%s: vector<8xf32>) -> vector<8xf32> {
    %m = vector.reduction <maxnumf>, %s : vector<8xf32> into f32
    %n = arith.negf %m : f32
    %eight = arith.constant 8.25 : f32
    %b = arith.addf %n, %eight : f32
    %bs = vector.broadcast %b : f32 to vector<8xf32>
    %x = arith.addf %s, %bs : vector<8xf32>
    // CHECK: poly.exp2 {{.*}} {bound = 8.750000e+00 : f64, {{.*}}role = #poly.exp_role<weight>
    %w = math.exp2 %x fastmath<afn> : vector<8xf32>
    gpu.return %w : vector<8xf32>
  }

  // In f16, 8.297 - 1000.5 is -992: that is 0.2 above it.
  // CHECK-LABEL: gpu.func @narrow_sum
  gpu.func @narrow_sum(%s: vector<8xf16>) -> vector<8xf16> {
    %m = vector.reduction <maxnumf>, %s : vector<8xf16> into f16
    %n = arith.negf %m : f16
    %eight = arith.constant 8.297 : f16
    %b = arith.addf %n, %eight : f16
    %bs = vector.broadcast %b : f16 to vector<8xf16>
    %x = arith.addf %s, %bs : vector<8xf16>
    // CHECK-NOT: bound
    // CHECK: poly.exp2
    // CHECK-NOT: bound
    %w = math.exp2 %x fastmath<afn> : vector<8xf16>
    gpu.return %w : vector<8xf16>
  }

  // Rounded up, an offset may be almost one more.
  // CHECK-LABEL: gpu.func @ceil
  gpu.func @ceil(%s: vector<8xf32>, %scale: f32) -> vector<8xf32> {
    %least = arith.constant 1.0e-30 : f32
    %c = arith.maxnumf %scale, %least : f32
    %m = vector.reduction <maxnumf>, %s : vector<8xf32> into f32
    %mc = arith.mulf %m, %c fastmath<contract,afn> : f32
    %n = arith.negf %mc fastmath<contract,afn> : f32
    %b = math.ceil %n : f32
    %cs = vector.broadcast %c : f32 to vector<8xf32>
    %bs = vector.broadcast %b : f32 to vector<8xf32>
    %x = math.fma %s, %cs, %bs fastmath<contract,afn> : vector<8xf32>
    // CHECK-NOT: bound
    // CHECK: poly.exp2
    // CHECK-NOT: bound
    %w = math.exp2 %x fastmath<afn> : vector<8xf32>
    gpu.return %w : vector<8xf32>
  }

  // A sum that is rounded to f16 and is no whole number may be anything near it.
  // CHECK-LABEL: gpu.func @rounded
  gpu.func @rounded(%h: vector<8xf16>, %c: f16) -> vector<8xf16> {
    %positive = math.absf %c : f16
    %wide = arith.extf %positive : f16 to f32
    %top = vector.reduction <maxnumf>, %h : vector<8xf16> into f16
    %m = arith.extf %top : f16 to f32
    %mc = arith.mulf %m, %wide fastmath<contract,afn> : f32
    %n = arith.negf %mc fastmath<contract,afn> : f32
    %b = arith.truncf %n : f32 to f16
    %cs = vector.broadcast %positive : f16 to vector<8xf16>
    %bs = vector.broadcast %b : f16 to vector<8xf16>
    %x = math.fma %h, %cs, %bs fastmath<contract,afn> : vector<8xf16>
    // CHECK-NOT: bound
    // CHECK: poly.exp2
    // CHECK-NOT: bound
    %w = math.exp2 %x fastmath<afn> : vector<8xf16>
    gpu.return %w : vector<8xf16>
  }

  // The maximum of other scores proves nothing.
  // CHECK-LABEL: gpu.func @others
  gpu.func @others(%h: vector<8xf16>, %g: vector<8xf16>, %c: f16) -> vector<8xf16> {
    %positive = math.absf %c : f16
    %wide = arith.extf %positive : f16 to f32
    %top = vector.reduction <maxnumf>, %g : vector<8xf16> into f16
    %m = arith.extf %top : f16 to f32
    %mc = arith.mulf %m, %wide fastmath<contract,afn> : f32
    %n = arith.negf %mc fastmath<contract,afn> : f32
    %whole = math.floor %n : f32
    %b = arith.truncf %whole : f32 to f16
    %cs = vector.broadcast %positive : f16 to vector<8xf16>
    %bs = vector.broadcast %b : f16 to vector<8xf16>
    %x = math.fma %h, %cs, %bs fastmath<contract,afn> : vector<8xf16>
    // CHECK-NOT: bound
    // CHECK: poly.exp2
    // CHECK-NOT: bound
    %w = math.exp2 %x fastmath<afn> : vector<8xf16>
    gpu.return %w : vector<8xf16>
  }
}
