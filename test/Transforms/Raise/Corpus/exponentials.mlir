// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "Exponentials"} {
gpu.module @corpus {
  func.func @alone(%x: bf16) -> bf16
      attributes {corpus.expect = "exp:1",
                  corpus.what = "exp(x)"} {
    %v1 = arith.extf %x : bf16 to f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %v3 = arith.truncf %v2 : f32 to bf16
    return %v3 : bf16
  }

  func.func @base_two(%x: f32) -> f32
      attributes {corpus.expect = "exp2:1",
                  corpus.what = "exp2(x)"} {
    %v1 = math.exp2 %x fastmath<afn> : f32
    return %v1 : f32
  }

  func.func @scaled(%x: vector<4xf32>) -> vector<4xf32>
      attributes {corpus.expect = "exp2:1",
                  corpus.what = "exp2(x log2(e)) as written"} {
    %c1 = arith.constant dense<1.442695> : vector<4xf32>
    %v2 = arith.mulf %x, %c1 fastmath<afn> : vector<4xf32>
    %v3 = math.exp2 %v2 fastmath<afn> : vector<4xf32>
    return %v3 : vector<4xf32>
  }

  func.func @decay(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "exp(x y)"} {
    %v1 = arith.mulf %x, %y fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    return %v2 : f32
  }

  func.func @of_minus_magnitude(%x: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "exp(-|x|), bounded by 0"} {
    %v1 = math.absf %x fastmath<afn> : f32
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    return %v3 : f32
  }

  func.func @clamped(%x: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "exp(min(x, 10)), bounded by 10"} {
    %c1 = arith.constant 1.0e+01 : f32
    %v2 = arith.minimumf %x, %c1 : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    return %v3 : f32
  }

  func.func @narrow(%x: bf16) -> bf16
      attributes {corpus.expect = "exp:1",
                  corpus.what = "exp(x) in bf16"} {
    %v1 = math.exp %x fastmath<afn> : bf16
    return %v1 : bf16
  }

  func.func @gaussian(%x: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "exp(-x^2 / 2)"} {
    %v1 = arith.mulf %x, %x fastmath<afn> : f32
    %c2 = arith.constant -0.5 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %v4 = math.exp %v3 fastmath<afn> : f32
    return %v4 : f32
  }

  func.func @scale_decoding(%x: f32) -> f32
      attributes {corpus.expect = "exp2:1",
                  corpus.what = "exp2(ceil(log2(|x|)))"} {
    %v1 = math.absf %x fastmath<afn> : f32
    %v2 = math.log2 %v1 fastmath<afn> : f32
    %v3 = math.ceil %v2 fastmath<afn> : f32
    %v4 = math.exp2 %v3 fastmath<afn> : f32
    return %v4 : f32
  }
}
}
