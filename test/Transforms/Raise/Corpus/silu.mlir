// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "SiLU"} {
gpu.module @corpus {
  func.func @quotient(%x: f32) -> f32
      attributes {corpus.expect = "silu:1",
                  corpus.what = "x / (1 + exp(-x))"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %x, %v4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @product(%x: bf16) -> bf16
      attributes {corpus.expect = "silu:1",
                  corpus.what = "x sigmoid(x)"} {
    %v1 = arith.extf %x : bf16 to f32
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    %v7 = arith.mulf %v1, %v6 fastmath<afn> : f32
    %v8 = arith.truncf %v7 : f32 to bf16
    return %v8 : bf16
  }

  func.func @product_swapped(%x: f32) -> f32
      attributes {corpus.expect = "silu:1",
                  corpus.what = "sigmoid(x) x"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.mulf %v5, %x fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @half_tanh(%x: f32) -> f32
      attributes {corpus.expect = "silu:1",
                  corpus.what = "h tanh(h) + h, h = x/2"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %c1, %x fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    %v4 = arith.mulf %v2, %v3 fastmath<afn> : f32
    %v5 = arith.addf %v4, %v2 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @half_tanh_fused(%x: bf16) -> bf16
      attributes {corpus.expect = "silu:1",
                  corpus.what = "fma(tanh(h), h, h)"} {
    %v1 = arith.extf %x : bf16 to f32
    %c2 = arith.constant 0.5 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %v4 = math.tanh %v3 fastmath<afn> : f32
    %v5 = math.fma %v4, %v3, %v3 fastmath<afn> : f32
    %v6 = arith.truncf %v5 : f32 to bf16
    return %v6 : bf16
  }

  func.func @half_tanh_plus_one(%x: f32) -> f32
      attributes {corpus.expect = "silu:1",
                  corpus.what = "h (tanh(h) + 1)"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %v3, %c4 fastmath<afn> : f32
    %v6 = arith.mulf %v2, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @folded_magnitude(%x: f32) -> f32
      attributes {corpus.expect = "silu:1",
                  corpus.what = "(x >= 0 ? x : x e) / (1 + e), e = exp2(-|x| log2(e))"} {
    %v1 = math.absf %x fastmath<afn> : f32
    %c2 = arith.constant -1.442695 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %v4 = math.exp2 %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.divf %c5, %v6 fastmath<afn> : f32
    %v8 = arith.mulf %x, %v4 fastmath<afn> : f32
    %c9 = arith.constant 0.0 : f32
    %v10 = arith.cmpf oge, %x, %c9 : f32
    %v11 = arith.select %v10, %x, %v8 : f32
    %v12 = arith.mulf %v11, %v7 fastmath<afn> : f32
    return %v12 : f32
  }

  func.func @base_two(%x: f32) -> f32
      attributes {corpus.expect = "silu:1",
                  corpus.what = "x / (1 + exp2(-x log2(e)))"} {
    %c1 = arith.constant -1.442695 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.exp2 %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %x, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @vector_bf16(%x: vector<8xbf16>) -> vector<8xbf16>
      attributes {corpus.expect = "silu:1",
                  corpus.what = "x / (1 + exp(-x)) on eight bf16"} {
    %v1 = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %v2 = arith.negf %v1 fastmath<afn> : vector<8xf32>
    %v3 = math.exp %v2 fastmath<afn> : vector<8xf32>
    %c4 = arith.constant dense<1.0> : vector<8xf32>
    %v5 = arith.addf %c4, %v3 fastmath<afn> : vector<8xf32>
    %v6 = arith.divf %v1, %v5 fastmath<afn> : vector<8xf32>
    %v7 = arith.truncf %v6 : vector<8xf32> to vector<8xbf16>
    return %v7 : vector<8xbf16>
  }

  func.func @vector_f16_odd(%x: vector<5xf16>) -> vector<5xf16>
      attributes {corpus.expect = "silu:1",
                  corpus.what = "x / (1 + exp(-x)) on five f16"} {
    %v1 = arith.extf %x : vector<5xf16> to vector<5xf32>
    %v2 = arith.negf %v1 fastmath<afn> : vector<5xf32>
    %v3 = math.exp %v2 fastmath<afn> : vector<5xf32>
    %c4 = arith.constant dense<1.0> : vector<5xf32>
    %v5 = arith.addf %c4, %v3 fastmath<afn> : vector<5xf32>
    %v6 = arith.divf %v1, %v5 fastmath<afn> : vector<5xf32>
    %v7 = arith.truncf %v6 : vector<5xf32> to vector<5xf16>
    return %v7 : vector<5xf16>
  }

  func.func @negated_before_widening(%x: bf16) -> bf16
      attributes {corpus.expect = "silu:1",
                  corpus.what = "the negation happens in bf16"} {
    %v1 = arith.extf %x : bf16 to f32
    %v2 = arith.negf %x fastmath<afn> : bf16
    %v3 = arith.extf %v2 : bf16 to f32
    %v4 = math.exp %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.divf %v1, %v6 fastmath<afn> : f32
    %v8 = arith.truncf %v7 : f32 to bf16
    return %v8 : bf16
  }

  func.func @all_bf16(%x: vector<4xbf16>) -> vector<4xbf16>
      attributes {corpus.expect = "silu:1",
                  corpus.tolerance = 5.0e-02,
                  corpus.what = "each step rounded to bf16"} {
    %v1 = arith.negf %x fastmath<afn> : vector<4xbf16>
    %v2 = math.exp %v1 fastmath<afn> : vector<4xbf16>
    %c3 = arith.constant dense<1.0> : vector<4xbf16>
    %v4 = arith.addf %c3, %v2 fastmath<afn> : vector<4xbf16>
    %v5 = arith.divf %x, %v4 fastmath<afn> : vector<4xbf16>
    return %v5 : vector<4xbf16>
  }

  func.func @values_saved(%x: f32) -> (f32, f32, f32)
      attributes {corpus.expect = "silu:1",
                  corpus.what = "silu, with the sigmoid and the exponential stored as they are"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.mulf %x, %v5 fastmath<afn> : f32
    return %v6, %v5, %v2 : f32, f32, f32
  }

  func.func @shared_with_another_product(%x: f32, %y: f32) -> (f32, f32)
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "x s and y s: the shared sigmoid is the site"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.mulf %x, %v5 fastmath<afn> : f32
    %v7 = arith.mulf %y, %v5 fastmath<afn> : f32
    return %v6, %v7 : f32, f32
  }

  func.func @of_a_clamped_argument(%x: f32) -> f32
      attributes {corpus.expect = "silu:1",
                  corpus.what = "silu(min(x, 7))"} {
    %c1 = arith.constant 7.0 : f32
    %v2 = arith.minimumf %x, %c1 : f32
    %v3 = arith.negf %v2 fastmath<afn> : f32
    %v4 = math.exp %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.divf %v2, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @guard_of_an_infinity(%x: f32) -> f32
      attributes {corpus.expect = "silu:1",
                  corpus.what = "x < -100 ? 0 : silu(x), the guard stays"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %x, %v4 fastmath<afn> : f32
    %c6 = arith.constant -1.0e+02 : f32
    %c7 = arith.constant 0.0 : f32
    %v8 = arith.cmpf olt, %x, %c6 : f32
    %v9 = arith.select %v8, %c7, %v5 : f32
    return %v9 : f32
  }

  func.func @lanes_reversed(%x: vector<2xf32>) -> vector<2xf32>
      attributes {corpus.expect = "silu:2",
                  corpus.what = "two lanes taken apart and stored in reverse"} {
    %v1 = vector.extract %x[1] : f32 from vector<2xf32>
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %v1, %v5 fastmath<afn> : f32
    %v7 = vector.extract %x[0] : f32 from vector<2xf32>
    %v8 = arith.negf %v7 fastmath<afn> : f32
    %v9 = math.exp %v8 fastmath<afn> : f32
    %v10 = arith.addf %c4, %v9 fastmath<afn> : f32
    %v11 = arith.divf %v7, %v10 fastmath<afn> : f32
    %v12 = vector.from_elements %v6, %v11 : vector<2xf32>
    return %v12 : vector<2xf32>
  }

  func.func @unrolled(%x: bf16, %y: bf16, %z: bf16, %w: bf16) -> (bf16, bf16, bf16, bf16)
      attributes {corpus.expect = "silu:4",
                  corpus.what = "four scalars"} {
    %v1 = arith.extf %x : bf16 to f32
    %v2 = arith.extf %y : bf16 to f32
    %v3 = arith.extf %z : bf16 to f32
    %v4 = arith.extf %w : bf16 to f32
    %v5 = arith.negf %v1 fastmath<afn> : f32
    %v6 = math.exp %v5 fastmath<afn> : f32
    %c7 = arith.constant 1.0 : f32
    %v8 = arith.addf %c7, %v6 fastmath<afn> : f32
    %v9 = arith.divf %v1, %v8 fastmath<afn> : f32
    %v10 = arith.negf %v2 fastmath<afn> : f32
    %v11 = math.exp %v10 fastmath<afn> : f32
    %v12 = arith.addf %c7, %v11 fastmath<afn> : f32
    %v13 = arith.divf %v2, %v12 fastmath<afn> : f32
    %v14 = arith.negf %v3 fastmath<afn> : f32
    %v15 = math.exp %v14 fastmath<afn> : f32
    %v16 = arith.addf %c7, %v15 fastmath<afn> : f32
    %v17 = arith.divf %v3, %v16 fastmath<afn> : f32
    %v18 = arith.negf %v4 fastmath<afn> : f32
    %v19 = math.exp %v18 fastmath<afn> : f32
    %v20 = arith.addf %c7, %v19 fastmath<afn> : f32
    %v21 = arith.divf %v4, %v20 fastmath<afn> : f32
    %v22 = arith.truncf %v9 : f32 to bf16
    %v23 = arith.truncf %v13 : f32 to bf16
    %v24 = arith.truncf %v17 : f32 to bf16
    %v25 = arith.truncf %v21 : f32 to bf16
    return %v22, %v23, %v24, %v25 : bf16, bf16, bf16, bf16
  }

  func.func @mixed_lanes(%x: vector<2xf32>) -> vector<2xf32>
      attributes {corpus.expect = "silu:1, tanh:1",
                  corpus.what = "silu in one lane and tanh in the other"} {
    %v1 = vector.extract %x[0] : f32 from vector<2xf32>
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %v1, %v5 fastmath<afn> : f32
    %v7 = vector.extract %x[1] : f32 from vector<2xf32>
    %v8 = math.tanh %v7 fastmath<afn> : f32
    %v9 = vector.from_elements %v6, %v8 : vector<2xf32>
    return %v9 : vector<2xf32>
  }

  func.func @mirrored(%x: f32) -> f32
      attributes {corpus.expect = "silu:1",
                  corpus.what = "-x / (1 + exp(x)), silu of -x"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %x fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %v1, %v4 fastmath<afn> : f32
    return %v5 : f32
  }
}
}
