// RUN: poly-opt %s --poly-plan --split-input-file | FileCheck %s
// RUN: poly-opt %s --poly-plan=policy=opt-in --split-input-file | FileCheck %s --check-prefix=OPTIN
// RUN: poly-opt %s --poly-plan=policy=off --split-input-file | FileCheck %s --check-prefix=OFF

// Consent, then grade. The default accuracy is one ulp of the result.

gpu.module @m {
  // 16 bits in, 16 bits out, consent: planned.
  // CHECK-LABEL: gpu.func @fast
  // OFF-LABEL: gpu.func @fast
  // OFF-NOT: {{poly\.(sigmoid|silu|tanh)}}
  gpu.func @fast(%x: vector<8xbf16>) -> vector<8xbf16> {
    // CHECK: poly.sigmoid {{.*}} program <"sigmoid-{{.*}}bf16x2">
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f fastmath<afn> : vector<8xf32>
    %d = arith.divf %was, %was fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %d fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}

// -----

gpu.module @m {
  // No consent: the source's value comes back and no poly op stays.
  // CHECK-LABEL: gpu.func @strict
  // CHECK-SAME: (%[[X:.*]]: vector<8xbf16>)
  // OPTIN-LABEL: gpu.func @strict
  gpu.func @strict(%x: vector<8xbf16>) -> vector<8xbf16> {
    // CHECK-NEXT: %[[F:.*]] = arith.extf %[[X]]
    // CHECK-NEXT: %[[E:.*]] = math.exp %[[F]]
    // CHECK-NEXT: %[[D:.*]] = arith.divf %[[E]], %[[E]]
    // CHECK-NEXT: %[[R:.*]] = arith.truncf %[[D]]
    // CHECK-NEXT: gpu.return %[[R]]
    // OPTIN: poly.sigmoid {{.*}} program
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f : vector<8xf32>
    %d = arith.divf %was, %was : vector<8xf32>
    %s = poly.sigmoid %f replaces %d : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}

// -----

gpu.module @m {
  // An f32 use beside the rounded one: 16-bit programs may not serve it.
  // CHECK-LABEL: gpu.func @f32_use
  // CHECK-NOT: bf16x2
  // CHECK: gpu.return
  gpu.func @f32_use(%x: vector<8xbf16>) -> (vector<8xbf16>, vector<8xf32>) {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %was fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r, %s : vector<8xbf16>, vector<8xf32>
  }

  // Rounded to two formats: neither may replace the other.
  // CHECK-LABEL: gpu.func @two_formats
  // CHECK-NOT: x2">
  // CHECK: gpu.return
  gpu.func @two_formats(%x: vector<8xbf16>) -> (vector<8xbf16>, vector<8xf16>) {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %was fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    %q = arith.truncf %s : vector<8xf32> to vector<8xf16>
    gpu.return %r, %q : vector<8xbf16>, vector<8xf16>
  }

  // A rounding mode the source chose is not a plain rounding to nearest.
  // CHECK-LABEL: gpu.func @rounding_mode
  // CHECK-NOT: x2">
  // CHECK: gpu.return
  gpu.func @rounding_mode(%x: vector<8xbf16>) -> vector<8xbf16> {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %was fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s toward_zero : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}

// -----

gpu.module @m {
  // A GEMM epilogue's f32 accumulator is not bf16-valued.
  // CHECK-LABEL: gpu.func @epilogue
  // CHECK-NOT: poly.
  // CHECK: gpu.return
  gpu.func @epilogue(%acc: vector<8xf32>) -> vector<8xbf16> {
    %was = math.exp %acc fastmath<afn> : vector<8xf32>
    %s = poly.silu %acc replaces %was fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }

  // The user allows the rounding; the accurate form still takes f32.
  // CHECK-LABEL: gpu.func @epilogue_allowed
  // CHECK: poly.silu {{.*}} program <"silu-{{.*}}-f32-bf16x2">
  gpu.func @epilogue_allowed(%acc: vector<8xf32>) -> vector<8xbf16> attributes {poly.round_inputs} {
    %was = math.exp %acc fastmath<afn> : vector<8xf32>
    %d = arith.divf %acc, %was fastmath<afn> : vector<8xf32>
    %s = poly.silu %acc replaces %d fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}

// -----

gpu.module @m attributes {poly.keep} {
  // CHECK-LABEL: gpu.func @kept
  // CHECK-NOT: poly.sigmoid
  // CHECK: gpu.return
  // OPTIN-LABEL: gpu.func @kept
  // OPTIN-NOT: poly.sigmoid
  // OPTIN: gpu.return
  gpu.func @kept(%x: vector<8xbf16>) -> vector<8xbf16> {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f fastmath<afn> : vector<8xf32>
    %d = arith.divf %was, %was fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %d fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}

// -----

gpu.module @m {
  // Opted in on the function.
  // CHECK-LABEL: gpu.func @function_optin
  // CHECK: poly.sigmoid {{.*}} program
  // OFF-LABEL: gpu.func @function_optin
  // OFF-NOT: poly.sigmoid
  gpu.func @function_optin(%x: vector<8xbf16>) -> vector<8xbf16> attributes {poly.optin} {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %was = math.exp %f : vector<8xf32>
    %d = arith.divf %was, %was : vector<8xf32>
    %s = poly.sigmoid %f replaces %d : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r : vector<8xbf16>
  }
}

// -----

gpu.module @m {
  // The exponential stays alive for another use: nothing would be saved.
  // CHECK-LABEL: gpu.func @does_not_pay
  // CHECK-NOT: poly.
  // CHECK: gpu.return
  gpu.func @does_not_pay(%x: vector<8xbf16>) -> (vector<8xbf16>, vector<8xf32>) {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %e = math.exp %f fastmath<afn> : vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %was = arith.addf %e, %one fastmath<afn> : vector<8xf32>
    %s = poly.sigmoid %f replaces %was fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    gpu.return %r, %e : vector<8xbf16>, vector<8xf32>
  }
}

// -----

gpu.module @m {
  // Scalars rebuilt into a vector and then rounded are left exactly as they
  // were when they are left.
  // CHECK-LABEL: gpu.func @scalarised_left
  gpu.func @scalarised_left(%a: f32, %b: f32) -> vector<2xbf16> {
    // CHECK: %[[V:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
    // CHECK: arith.truncf %[[V]] : vector<2xf32> to vector<2xbf16>
    %ea = math.exp %a : f32
    %eb = math.exp %b : f32
    %0 = poly.silu %a replaces %ea : f32
    %1 = poly.silu %b replaces %eb : f32
    %w = vector.from_elements %0, %1 : vector<2xf32>
    %r = arith.truncf %w : vector<2xf32> to vector<2xbf16>
    gpu.return %r : vector<2xbf16>
  }
}
