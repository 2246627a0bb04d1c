// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "Swish and quick-GELU"} {
gpu.module @corpus {
  func.func @swish_product(%x: f32) -> f32
      attributes {corpus.expect = "swish:1",
                  corpus.what = "x sigmoid(2.5 x)"} {
    %c1 = arith.constant 2.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = arith.negf %v2 fastmath<afn> : f32
    %v4 = math.exp %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.divf %c5, %v6 fastmath<afn> : f32
    %v8 = arith.mulf %x, %v7 fastmath<afn> : f32
    return %v8 : f32
  }

  func.func @swish_three_quarters(%x: f32) -> f32
      attributes {corpus.expect = "swish:1",
                  corpus.what = "x / (1 + exp(-0.75 x))"} {
    %c1 = arith.constant -0.75 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %x, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @swish_three_halves(%x: f32) -> f32
      attributes {corpus.expect = "swish:1",
                  corpus.what = "x / (1 + exp(-1.5 x)): x times a sigmoid, as 1.5 x may overflow"} {
    %c1 = arith.constant -1.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %x, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @swish_all_bf16(%x: bf16) -> bf16
      attributes {corpus.expect = "swish:1", corpus.tolerance = 1.0e-1,
                  corpus.what = "x / (1 + exp(-1.5 x)) in bf16, where a factor of 2/3 would be rounded: the exponential"} {
    %c1 = arith.constant -1.5 : bf16
    %v2 = arith.mulf %x, %c1 fastmath<afn> : bf16
    %v3 = math.exp %v2 fastmath<afn> : bf16
    %c4 = arith.constant 1.0 : bf16
    %v5 = arith.addf %c4, %v3 fastmath<afn> : bf16
    %v6 = arith.divf %x, %v5 fastmath<afn> : bf16
    return %v6 : bf16
  }

  func.func @quick_gelu_product(%x: bf16) -> bf16
      attributes {corpus.expect = "quick_gelu:1",
                  corpus.what = "x sigmoid(1.702 x)"} {
    %v1 = arith.extf %x : bf16 to f32
    %c2 = arith.constant 1.702 : f32
    %v3 = arith.mulf %c2, %v1 fastmath<afn> : f32
    %v4 = arith.negf %v3 fastmath<afn> : f32
    %v5 = math.exp %v4 fastmath<afn> : f32
    %c6 = arith.constant 1.0 : f32
    %v7 = arith.addf %c6, %v5 fastmath<afn> : f32
    %v8 = arith.divf %c6, %v7 fastmath<afn> : f32
    %v9 = arith.mulf %v1, %v8 fastmath<afn> : f32
    %v10 = arith.truncf %v9 : f32 to bf16
    return %v10 : bf16
  }

  func.func @quick_gelu_quotient(%x: f32) -> f32
      attributes {corpus.expect = "quick_gelu:1",
                  corpus.what = "x / (1 + exp(-1.702 x))"} {
    %c1 = arith.constant -1.702 : f32
    %v2 = arith.mulf %c1, %x fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %x, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @quick_gelu_base_two(%x: f32) -> f32
      attributes {corpus.expect = "quick_gelu:1",
                  corpus.what = "x / (1 + exp2(-1.702 log2(e) x))"} {
    %c1 = arith.constant -2.455467 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.exp2 %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %x, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @quick_gelu_tanh(%x: f32) -> f32
      attributes {corpus.expect = "quick_gelu:1",
                  corpus.what = "0.5 x (1 + tanh(0.851 x))"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %c3 = arith.constant 0.851 : f32
    %v4 = arith.mulf %x, %c3 fastmath<afn> : f32
    %v5 = math.tanh %v4 fastmath<afn> : f32
    %c6 = arith.constant 1.0 : f32
    %v7 = arith.addf %c6, %v5 fastmath<afn> : f32
    %v8 = arith.mulf %v2, %v7 fastmath<afn> : f32
    return %v8 : f32
  }

  func.func @quick_gelu_vector(%x: vector<8xf16>) -> vector<8xf16>
      attributes {corpus.expect = "quick_gelu:1",
                  corpus.what = "x sigmoid(1.702 x) on a vector"} {
    %v1 = arith.extf %x : vector<8xf16> to vector<8xf32>
    %c2 = arith.constant dense<1.702> : vector<8xf32>
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : vector<8xf32>
    %v4 = arith.negf %v3 fastmath<afn> : vector<8xf32>
    %v5 = math.exp %v4 fastmath<afn> : vector<8xf32>
    %c6 = arith.constant dense<1.0> : vector<8xf32>
    %v7 = arith.addf %c6, %v5 fastmath<afn> : vector<8xf32>
    %v8 = arith.divf %c6, %v7 fastmath<afn> : vector<8xf32>
    %v9 = arith.mulf %v8, %v1 fastmath<afn> : vector<8xf32>
    %v10 = arith.truncf %v9 : vector<8xf32> to vector<8xf16>
    return %v10 : vector<8xf16>
  }

  func.func @clamped_glu(%x: bf16, %y: bf16) -> bf16
      attributes {corpus.expect = "quick_gelu:1",
                  corpus.what = "g sigmoid(1.702 g) (u + 1), g = min(x, 7), u clamped"} {
    %v1 = arith.extf %x : bf16 to f32
    %v2 = arith.extf %y : bf16 to f32
    %c3 = arith.constant 7.0 : f32
    %v4 = arith.minimumf %v1, %c3 : f32
    %v5 = arith.minimumf %v2, %c3 : f32
    %c6 = arith.constant -7.0 : f32
    %v7 = arith.maximumf %v5, %c6 : f32
    %c8 = arith.constant 1.702 : f32
    %v9 = arith.mulf %v4, %c8 fastmath<afn> : f32
    %v10 = arith.negf %v9 fastmath<afn> : f32
    %v11 = math.exp %v10 fastmath<afn> : f32
    %c12 = arith.constant 1.0 : f32
    %v13 = arith.addf %c12, %v11 fastmath<afn> : f32
    %v14 = arith.divf %c12, %v13 fastmath<afn> : f32
    %v15 = arith.mulf %v14, %v4 fastmath<afn> : f32
    %v16 = math.fma %v7, %v15, %v15 fastmath<afn> : f32
    %v17 = arith.truncf %v16 : f32 to bf16
    return %v17 : bf16
  }

  func.func @run_time_slope(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "x sigmoid(y x): a sigmoid, as y is not known"} {
    %v1 = arith.mulf %y, %x fastmath<afn> : f32
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    %v7 = arith.mulf %x, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @swish_steep_negative(%x: f32) -> f32
      attributes {corpus.expect = "swish:1",
                  corpus.what = "x / (1 + exp(3 x))"} {
    %c1 = arith.constant 1.0 : f32
    %c3 = arith.constant 3.0 : f32
    %z = arith.mulf %x, %c3 fastmath<afn> : f32
    %e = math.exp %z fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %r = arith.divf %x, %d fastmath<afn> : f32
    return %r : f32
  }

  func.func @quick_gelu_other_numerator(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "y / (1 + exp(-1.702 x))"} {
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant -1.702 : f32
    %z = arith.mulf %x, %k fastmath<afn> : f32
    %e = math.exp %z fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %r = arith.divf %y, %d fastmath<afn> : f32
    return %r : f32
  }
}
}
