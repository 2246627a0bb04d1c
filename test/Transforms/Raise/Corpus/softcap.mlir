// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "Softcap"} {
gpu.module @corpus {
  func.func @by_division(%x: f32) -> f32
      attributes {corpus.expect = "softcap:1",
                  corpus.what = "50 tanh(x / 50)"} {
    %c1 = arith.constant 5.0e+01 : f32
    %v2 = arith.divf %x, %c1 fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    %v4 = arith.mulf %v3, %c1 fastmath<afn> : f32
    return %v4 : f32
  }

  func.func @by_reciprocal(%x: vector<4xbf16>) -> vector<4xbf16>
      attributes {corpus.expect = "softcap:1",
                  corpus.what = "30 tanh(x * (1/30))"} {
    %v1 = arith.extf %x : vector<4xbf16> to vector<4xf32>
    %c2 = arith.constant dense<0.033333335> : vector<4xf32>
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : vector<4xf32>
    %v4 = math.tanh %v3 fastmath<afn> : vector<4xf32>
    %c5 = arith.constant dense<3.0e+01> : vector<4xf32>
    %v6 = arith.mulf %c5, %v4 fastmath<afn> : vector<4xf32>
    %v7 = arith.truncf %v6 : vector<4xf32> to vector<4xbf16>
    return %v7 : vector<4xbf16>
  }

  func.func @run_time_cap(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "softcap:1",
                  corpus.what = "y tanh(x / y)"} {
    %v1 = arith.divf %x, %y fastmath<afn> : f32
    %v2 = math.tanh %v1 fastmath<afn> : f32
    %v3 = arith.mulf %y, %v2 fastmath<afn> : f32
    return %v3 : f32
  }

  func.func @run_time_reciprocal(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "softcap:1",
                  corpus.what = "y tanh(x r), r = 1 / y"} {
    %c1 = arith.constant 1.0 : f32
    %v2 = arith.divf %c1, %y fastmath<afn> : f32
    %v3 = arith.mulf %x, %v2 fastmath<afn> : f32
    %v4 = math.tanh %v3 fastmath<afn> : f32
    %v5 = arith.mulf %v4, %y fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @rounded_between(%x: bf16) -> bf16
      attributes {corpus.expect = "softcap:1",
                  corpus.tolerance = 2.0e-02,
                  corpus.what = "bf16 roundings between the steps"} {
    %c1 = arith.constant 5.0e+01 : bf16
    %v2 = arith.divf %x, %c1 fastmath<afn> : bf16
    %v3 = arith.extf %v2 : bf16 to f32
    %v4 = math.tanh %v3 fastmath<afn> : f32
    %v5 = arith.truncf %v4 : f32 to bf16
    %v6 = arith.mulf %v5, %c1 fastmath<afn> : bf16
    return %v6 : bf16
  }

  func.func @by_exponentials(%x: f32) -> f32
      attributes {corpus.expect = "softcap:1",
                  corpus.what = "50 (e - 1) / (e + 1), e = exp(x / 25)"} {
    %c1 = arith.constant 0.04 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.subf %v3, %c4 fastmath<afn> : f32
    %v6 = arith.addf %v3, %c4 fastmath<afn> : f32
    %v7 = arith.divf %v5, %v6 fastmath<afn> : f32
    %c8 = arith.constant 5.0e+01 : f32
    %v9 = arith.mulf %v7, %c8 fastmath<afn> : f32
    return %v9 : f32
  }

  func.func @folded_scale(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "tanh(x k) whose cap was folded into what follows"} {
    %c1 = arith.constant 0.0025 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    return %v3 : f32
  }

  func.func @mismatched(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "30 tanh(x / 50)"} {
    %c1 = arith.constant 0.02 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    %c4 = arith.constant 3.0e+01 : f32
    %v5 = arith.mulf %v3, %c4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @negative_cap(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "-50 tanh(x / 50)"} {
    %c1 = arith.constant 0.02 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    %c4 = arith.constant -5.0e+01 : f32
    %v5 = arith.mulf %v3, %c4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @another_cap(%x: f32, %y: f32, %z: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "y tanh(x / z)"} {
    %v1 = arith.divf %x, %z fastmath<afn> : f32
    %v2 = math.tanh %v1 fastmath<afn> : f32
    %v3 = arith.mulf %y, %v2 fastmath<afn> : f32
    return %v3 : f32
  }
}
}
