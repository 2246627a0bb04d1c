// RUN: poly-opt %s --poly-plan="split=auto programs=exp2-d3weight-f32-bf16x2,exp2-sfuweight-f32-bf16x2" | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: poly-opt %s --poly-plan="split=0.25 programs=exp2-d3weight-f32-bf16x2,exp2-sfuweight-f32-bf16x2" | FileCheck %s --check-prefixes=CHECK,QUARTER
// RUN: poly-opt %s --poly-plan="split=0.25 programs=exp2-d3weight-f32-bf16x2,exp2-sfuweight-f32-bf16x2" --poly-pack | FileCheck %s --check-prefix=PACKED
// RUN: poly-opt %s --poly-plan="split=auto split-consistent programs=exp2-d3weight-f32-bf16x2,exp2-sfuweight-f32-bf16x2" | FileCheck %s --check-prefix=CONSISTENT
// RUN: not poly-opt %s --poly-plan="split=2" 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not poly-opt %s --poly-plan="split-consistent" 2>&1 | FileCheck %s --check-prefix=ALONE

// A share of the evaluations goes to a polynomial, the others to the special
// function unit, evenly interleaved.

// BAD: error: bad split '2'; use auto or a number from 0 to 1
// ALONE: error: split-consistent needs split
gpu.module @m {
  // CHECK-LABEL: gpu.func @vector
  // AUTO: program <"exp2-d3weight-f32-bf16x2"> {{.*}}rest = #poly.program<"exp2-sfuweight-f32-bf16x2">{{.*}}share = {{[0-9]+}} : i32
  // QUARTER: share = 4 : i32
  // PACKED-LABEL: gpu.func @vector
  // PACKED-COUNT-3: poly.apply <"exp2-sfuweight-f32-bf16x2">
  // PACKED: poly.apply <"exp2-d3weight-f32-bf16x2">
  // PACKED-COUNT-3: poly.apply <"exp2-sfuweight-f32-bf16x2">
  // PACKED: poly.apply <"exp2-d3weight-f32-bf16x2">
  // CONSISTENT-LABEL: gpu.func @vector
  // CONSISTENT: program <"exp2-{{.*}}weight-f32-bf16x2"> {bound
  // CONSISTENT-NOT: share
  gpu.func @vector(%x: vector<16xf32>) -> vector<16xbf16> {
    %e = math.exp2 %x fastmath<nnan,afn> : vector<16xf32>
    %p = poly.exp2 %x replaces %e fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : vector<16xf32>
    %w = arith.truncf %p : vector<16xf32> to vector<16xbf16>
    gpu.return %w : vector<16xbf16>
  }

  // Scalar sites alternate in twos: each keeps a partner.
  // CHECK-LABEL: gpu.func @scalars
  // QUARTER-COUNT-6: program <"exp2-sfuweight-f32-bf16x2">
  // QUARTER-COUNT-2: program <"exp2-d3weight-f32-bf16x2">
  // PACKED-LABEL: gpu.func @scalars
  // PACKED: poly.apply <"exp2-d3weight-f32-bf16x2"> %{{.*}} : vector<2xf32> to vector<2xbf16>
  // PACKED-COUNT-3: poly.apply <"exp2-sfuweight-f32-bf16x2"> %{{.*}} : vector<2xf32> to vector<2xbf16>
  gpu.func @scalars(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32)
      -> (bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16) {
    %ea = math.exp2 %a fastmath<nnan,afn> : f32
    %eb = math.exp2 %b fastmath<nnan,afn> : f32
    %ec = math.exp2 %c fastmath<nnan,afn> : f32
    %ed = math.exp2 %d fastmath<nnan,afn> : f32
    %ee = math.exp2 %e fastmath<nnan,afn> : f32
    %ef = math.exp2 %f fastmath<nnan,afn> : f32
    %eg = math.exp2 %g fastmath<nnan,afn> : f32
    %eh = math.exp2 %h fastmath<nnan,afn> : f32
    %pa = poly.exp2 %a replaces %ea fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : f32
    %pb = poly.exp2 %b replaces %eb fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : f32
    %pc = poly.exp2 %c replaces %ec fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : f32
    %pd = poly.exp2 %d replaces %ed fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : f32
    %pe = poly.exp2 %e replaces %ee fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : f32
    %pf = poly.exp2 %f replaces %ef fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : f32
    %pg = poly.exp2 %g replaces %eg fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : f32
    %ph = poly.exp2 %h replaces %eh fastmath<nnan,afn> consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : f32
    %ra = arith.truncf %pa : f32 to bf16
    %rb = arith.truncf %pb : f32 to bf16
    %rc = arith.truncf %pc : f32 to bf16
    %rd = arith.truncf %pd : f32 to bf16
    %re = arith.truncf %pe : f32 to bf16
    %rf = arith.truncf %pf : f32 to bf16
    %rg = arith.truncf %pg : f32 to bf16
    %rh = arith.truncf %ph : f32 to bf16
    gpu.return %ra, %rb, %rc, %rd, %re, %rf, %rg, %rh : bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16
  }
}
