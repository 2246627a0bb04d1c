// RUN: poly-opt %s --poly-plan=budget=atol=30 --poly-pack | FileCheck %s
// RUN: poly-opt %s --poly-plan=budget=atol=30 --poly-pack --poly-expand | FileCheck %s --check-prefix=OPS

// Weights held as 2^(x + 8) and rounded to e4m3: four elements an evaluation,
// no conversion to e4m3.

gpu.module @m {
  // CHECK-LABEL: gpu.func @weights
  gpu.func @weights(%x: vector<8xf32>) -> vector<8xf8E4M3FN> {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<8xf32>
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 8.0 : f64, role = #poly.exp_role<weight>} : vector<8xf32>
    %w = arith.truncf %p : vector<8xf32> to vector<8xf8E4M3FN>
    // CHECK-COUNT-2: poly.apply <"exp2-lattice3-f32-e4m3x4"> %{{.*}} : vector<4xf32> to vector<4xf8E4M3FN>
    // CHECK-NOT: arith.truncf
    // OPS-COUNT-2: "llvm.nvvm.prmt"
    // OPS-NOT: arith.truncf
    gpu.return %w : vector<8xf8E4M3FN>
  }
  // CHECK-LABEL: gpu.func @from_f16
  gpu.func @from_f16(%h: vector<4xf16>) -> vector<4xf8E4M3FN> {
    %x = arith.extf %h : vector<4xf16> to vector<4xf32>
    %e = math.exp2 %x fastmath<nnan,afn> : vector<4xf32>
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 8.0 : f64, role = #poly.exp_role<weight>} : vector<4xf32>
    %w = arith.truncf %p : vector<4xf32> to vector<4xf8E4M3FN>
    // CHECK: poly.apply <"exp2-lattice3-f16-e4m3x4"> %{{.*}} : vector<4xf16> to vector<4xf8E4M3FN>
    gpu.return %w : vector<4xf8E4M3FN>
  }
}
