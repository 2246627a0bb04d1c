// RUN: poly-opt %s --poly-plan=budget=rtol=1e-1 | FileCheck %s --check-prefixes=CHECK,LOOSE
// RUN: poly-opt %s --poly-plan=budget=rtol=7e-3 | FileCheck %s --check-prefixes=CHECK,TIGHT
// RUN: poly-opt %s --poly-plan="programs=exp2-h15-f32-bf16x2,exp2-h15-f32,exp2-lattice3-f32-e4m3x4,exp-h15-f32-bf16x2" | FileCheck %s --check-prefixes=CHECK,NAMED

// Softmax weights: the argument is proved not to be above a bound.

gpu.module @m {
  // The weights and the row sum see the same bf16 values: packed results.
  // CHECK-LABEL: gpu.func @packed
  gpu.func @packed(%x: vector<8xf32>) -> (vector<8xbf16>, vector<8xf32>) {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<8xf32>
    // LOOSE: program <"exp2-lattice7{{(sat)?}}-f32-bf16x2">
    // TIGHT: program <"exp2-{{.*}}-f32-bf16x2">
    // NAMED: program <"exp2-h15-f32-bf16x2">
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<8xf32>
    %w = arith.truncf %p : vector<8xf32> to vector<8xbf16>
    %again = arith.extf %w : vector<8xbf16> to vector<8xf32>
    gpu.return %w, %again : vector<8xbf16>, vector<8xf32>
  }

  // The row sum takes the f32 weight: an f32 result, which the half-octave
  // lattice and the lattice of bf16 leave exact when it is rounded to bf16.
  // CHECK-LABEL: gpu.func @sum_takes_f32
  gpu.func @sum_takes_f32(%x: vector<8xf32>) -> (vector<8xbf16>, vector<8xf32>) {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<8xf32>
    // LOOSE: program <"exp2-lattice{{[0-9]+(sat)?}}-f32">
    // TIGHT: program <"exp2-d2weight-f32">
    // NAMED: program <"exp2-h15-f32">
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<8xf32>
    %w = arith.truncf %p : vector<8xf32> to vector<8xbf16>
    gpu.return %w, %p : vector<8xbf16>, vector<8xf32>
  }

  // Two spellings of one exponential are one site, or the weight and its sum
  // would be approximated apart.
  // CHECK-LABEL: gpu.func @duplicates
  gpu.func @duplicates(%x: vector<8xf32>) -> (vector<8xbf16>, vector<8xf32>) {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<8xf32>
    %f = math.exp2 %x fastmath<nnan,afn> : vector<8xf32>
    // CHECK: %[[P:.*]] = poly.exp2
    // NAMED-SAME: program <"exp2-h15-f32">
    // CHECK-NOT: poly.exp2
    // CHECK: arith.truncf %[[P]]
    // CHECK: gpu.return %{{.*}}, %[[P]]
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<8xf32>
    %q = poly.exp2 %x replaces %f fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<8xf32>
    %w = arith.truncf %p : vector<8xf32> to vector<8xbf16>
    gpu.return %w, %q : vector<8xbf16>, vector<8xf32>
  }

  // Deferred rescale: the running maximum may lag by eight octaves.
  // CHECK-LABEL: gpu.func @deferred
  gpu.func @deferred(%x: vector<8xf32>) -> vector<8xbf16> {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<8xf32>
    // LOOSE: program <"exp2-lattice7{{(sat)?}}-f32-bf16x2">
    // NAMED: program <"exp2-h15-f32-bf16x2">
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 8.0 : f64, role = #poly.exp_role<weight>} : vector<8xf32>
    %w = arith.truncf %p : vector<8xf32> to vector<8xbf16>
    gpu.return %w : vector<8xbf16>
  }

  // A clamp in the source proves the lower bound: no second clamp.
  // CHECK-LABEL: gpu.func @clamped
  gpu.func @clamped(%x: vector<8xf32>) -> vector<8xbf16> {
    %low = arith.constant dense<-126.0> : vector<8xf32>
    %c = arith.maximumf %x, %low : vector<8xf32>
    %e = math.exp2 %c fastmath<nnan,afn> : vector<8xf32>
    // LOOSE: program <"exp2-lattice7bare-f32-bf16x2">
    %p = poly.exp2 %c replaces %e fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<8xf32>
    %w = arith.truncf %p : vector<8xf32> to vector<8xbf16>
    gpu.return %w : vector<8xbf16>
  }

  // The base e has programs of its own.
  // CHECK-LABEL: gpu.func @natural
  gpu.func @natural(%x: vector<8xf32>) -> vector<8xbf16> {
    %e = math.exp %x fastmath<nnan,afn> : vector<8xf32>
    // LOOSE: program <"exp-lattice7{{(sat)?}}-f32-bf16x2">
    // NAMED: program <"exp-h15-f32-bf16x2">
    %p = poly.exp %x replaces %e fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<8xf32>
    %w = arith.truncf %p : vector<8xf32> to vector<8xbf16>
    gpu.return %w : vector<8xbf16>
  }
}
