// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "Tanh"} {
gpu.module @corpus {
  func.func @plain(%x: bf16) -> bf16
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "tanh(x)"} {
    %v1 = arith.extf %x : bf16 to f32
    %v2 = math.tanh %v1 fastmath<afn> : f32
    %v3 = arith.truncf %v2 : f32 to bf16
    return %v3 : bf16
  }

  func.func @twice_sigmoid(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "2 sigmoid(2x) - 1"} {
    %v1 = arith.addf %x, %x fastmath<afn> : f32
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    %c7 = arith.constant 2.0 : f32
    %v8 = arith.mulf %c7, %v6 fastmath<afn> : f32
    %v9 = arith.subf %v8, %c4 fastmath<afn> : f32
    return %v9 : f32
  }

  func.func @sinh_over_cosh(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "(e^x - e^-x) / (e^x + e^-x)"} {
    %v1 = math.exp %x fastmath<afn> : f32
    %v2 = arith.negf %x fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %v4 = arith.subf %v1, %v3 fastmath<afn> : f32
    %v5 = arith.addf %v1, %v3 fastmath<afn> : f32
    %v6 = arith.divf %v4, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @square_minus_one(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "(e^2x - 1) / (e^2x + 1)"} {
    %c1 = arith.constant 2.0 : f32
    %v2 = arith.mulf %c1, %x fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.subf %v3, %c4 fastmath<afn> : f32
    %v6 = arith.addf %v3, %c4 fastmath<afn> : f32
    %v7 = arith.divf %v5, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @one_minus_two_over(%x: f16) -> f16
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "1 - 2 / (e^2x + 1)"} {
    %v1 = arith.extf %x : f16 to f32
    %c2 = arith.constant 2.0 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %v4 = math.exp %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.addf %v4, %c5 fastmath<afn> : f32
    %v7 = arith.divf %c2, %v6 fastmath<afn> : f32
    %v8 = arith.subf %c5, %v7 fastmath<afn> : f32
    %v9 = arith.truncf %v8 : f32 to f16
    return %v9 : f16
  }

  func.func @by_expm1(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "m / (m + 2), m = expm1(2x)"} {
    %v1 = arith.addf %x, %x fastmath<afn> : f32
    %v2 = math.expm1 %v1 fastmath<afn> : f32
    %c3 = arith.constant 2.0 : f32
    %v4 = arith.addf %v2, %c3 fastmath<afn> : f32
    %v5 = arith.divf %v2, %v4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @sign_copied(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "copysign((1 - e) / (1 + e), x), e = exp(-2|x|)"} {
    %v1 = math.absf %x fastmath<afn> : f32
    %c2 = arith.constant -2.0 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %v4 = math.exp %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.subf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v8 = arith.divf %v6, %v7 fastmath<afn> : f32
    %v9 = math.copysign %v8, %x : f32
    return %v9 : f32
  }

  func.func @sign_selected(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "x < 0 ? -q : q, q = (1 - e) / (1 + e)"} {
    %v1 = math.absf %x fastmath<afn> : f32
    %c2 = arith.constant -2.88539 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %v4 = math.exp2 %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.subf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v8 = arith.divf %v6, %v7 fastmath<afn> : f32
    %v9 = arith.negf %v8 fastmath<afn> : f32
    %c10 = arith.constant 0.0 : f32
    %v11 = arith.cmpf olt, %x, %c10 : f32
    %v12 = arith.select %v11, %v9, %v8 : f32
    return %v12 : f32
  }

  func.func @sign_multiplied(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "the sign by a compare, multiplied in and out"} {
    %c1 = arith.constant 0.0 : f32
    %c2 = arith.constant -1.0 : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.cmpf olt, %x, %c1 : f32
    %v5 = arith.select %v4, %c2, %c3 : f32
    %v6 = arith.mulf %x, %v5 fastmath<afn> : f32
    %c7 = arith.constant -2.0 : f32
    %v8 = arith.mulf %v6, %c7 fastmath<afn> : f32
    %v9 = math.exp %v8 fastmath<afn> : f32
    %v10 = arith.subf %c3, %v9 fastmath<afn> : f32
    %v11 = arith.addf %c3, %v9 fastmath<afn> : f32
    %v12 = arith.divf %v10, %v11 fastmath<afn> : f32
    %v13 = arith.mulf %v12, %v5 fastmath<afn> : f32
    return %v13 : f32
  }

  func.func @vector_f16(%x: vector<7xf16>) -> vector<7xf16>
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "tanh(x) on seven f16"} {
    %v1 = arith.extf %x : vector<7xf16> to vector<7xf32>
    %v2 = math.tanh %v1 fastmath<afn> : vector<7xf32>
    %v3 = arith.truncf %v2 : vector<7xf32> to vector<7xf16>
    return %v3 : vector<7xf16>
  }

  func.func @base_two_ratio(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "(2^x - 2^-x) / (2^x + 2^-x), tanh of x ln(2)"} {
    %v1 = math.exp2 %x fastmath<afn> : f32
    %v2 = arith.negf %x fastmath<afn> : f32
    %v3 = math.exp2 %v2 fastmath<afn> : f32
    %v4 = arith.subf %v1, %v3 fastmath<afn> : f32
    %v5 = arith.addf %v1, %v3 fastmath<afn> : f32
    %v6 = arith.divf %v4, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @nested(%x: f32) -> f32
      attributes {corpus.expect = "tanh:2",
                  corpus.what = "tanh(tanh(x))"} {
    %v1 = math.tanh %x fastmath<afn> : f32
    %v2 = math.tanh %v1 fastmath<afn> : f32
    return %v2 : f32
  }

  func.func @of_minus_x(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "tanh(-x)"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.tanh %v1 fastmath<afn> : f32
    return %v2 : f32
  }

  func.func @by_sinh_and_cosh(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "sinh(x) / cosh(x)"} {
    %a = math.sinh %x fastmath<afn> : f32
    %b = math.cosh %x fastmath<afn> : f32
    %r = arith.divf %a, %b fastmath<afn> : f32
    return %r : f32
  }

  func.func @cosh_over_sinh(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "cosh(x) / sinh(x), another function"} {
    %a = math.sinh %x fastmath<afn> : f32
    %b = math.cosh %x fastmath<afn> : f32
    %r = arith.divf %b, %a fastmath<afn> : f32
    return %r : f32
  }
}
}
