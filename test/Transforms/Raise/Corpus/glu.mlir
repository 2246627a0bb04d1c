// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "Gated units, softplus, mish, log-sigmoid"} {
gpu.module @corpus {
  func.func @swiglu_one_rounding(%x: bf16, %y: bf16) -> bf16
      attributes {corpus.expect = "silu:1",
                  corpus.what = "silu(x) y in f32, rounded once"} {
    %v1 = arith.extf %x : bf16 to f32
    %v2 = arith.extf %y : bf16 to f32
    %v3 = arith.negf %v1 fastmath<afn> : f32
    %v4 = math.exp %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.divf %v1, %v6 fastmath<afn> : f32
    %v8 = arith.mulf %v7, %v2 fastmath<afn> : f32
    %v9 = arith.truncf %v8 : f32 to bf16
    return %v9 : bf16
  }

  func.func @swiglu_two_roundings(%x: vector<8xbf16>, %y: vector<8xbf16>) -> vector<8xbf16>
      attributes {corpus.expect = "silu:1",
                  corpus.tolerance = 2.0e-02,
                  corpus.what = "silu(x) rounded to bf16, then multiplied"} {
    %v1 = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %v2 = arith.negf %v1 fastmath<afn> : vector<8xf32>
    %v3 = math.exp %v2 fastmath<afn> : vector<8xf32>
    %c4 = arith.constant dense<1.0> : vector<8xf32>
    %v5 = arith.addf %c4, %v3 fastmath<afn> : vector<8xf32>
    %v6 = arith.divf %v1, %v5 fastmath<afn> : vector<8xf32>
    %v7 = arith.truncf %v6 : vector<8xf32> to vector<8xbf16>
    %v8 = arith.mulf %v7, %y fastmath<afn> : vector<8xbf16>
    return %v8 : vector<8xbf16>
  }

  func.func @glu(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "x sigmoid(y)"} {
    %v1 = arith.negf %y fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.mulf %x, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @swiglu_other_association(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "(x y) sigmoid(x)"} {
    %v1 = arith.mulf %x, %y fastmath<afn> : f32
    %v2 = arith.negf %x fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    %v7 = arith.mulf %v1, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @geglu(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "gelu_tanh(x) y"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %c1, %x fastmath<afn> : f32
    %v3 = arith.mulf %x, %x fastmath<afn> : f32
    %v4 = arith.mulf %v3, %x fastmath<afn> : f32
    %c5 = arith.constant 0.044715 : f32
    %v6 = arith.mulf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.addf %x, %v6 fastmath<afn> : f32
    %c8 = arith.constant 0.7978846 : f32
    %v9 = arith.mulf %c8, %v7 fastmath<afn> : f32
    %v10 = math.tanh %v9 fastmath<afn> : f32
    %c11 = arith.constant 1.0 : f32
    %v12 = arith.addf %c11, %v10 fastmath<afn> : f32
    %v13 = arith.mulf %v2, %v12 fastmath<afn> : f32
    %v14 = arith.mulf %v13, %y fastmath<afn> : f32
    return %v14 : f32
  }

  func.func @geglu_erf(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "gelu_erf(x) y"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %c3 = arith.constant 0.70710677 : f32
    %v4 = arith.mulf %x, %c3 fastmath<afn> : f32
    %v5 = math.erf %v4 fastmath<afn> : f32
    %c6 = arith.constant 1.0 : f32
    %v7 = arith.addf %c6, %v5 fastmath<afn> : f32
    %v8 = arith.mulf %v2, %v7 fastmath<afn> : f32
    %v9 = arith.mulf %v8, %y fastmath<afn> : f32
    return %v9 : f32
  }

  func.func @gated_tanh(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "tanh:1, sigmoid:1",
                  corpus.what = "tanh(x) sigmoid(y)"} {
    %v1 = math.tanh %x fastmath<afn> : f32
    %v2 = arith.negf %y fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    %v7 = arith.mulf %v1, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @softplus(%x: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "log(1 + exp(x))"} {
    %v1 = math.exp %x fastmath<afn> : f32
    %c2 = arith.constant 1.0 : f32
    %v3 = arith.addf %c2, %v1 fastmath<afn> : f32
    %v4 = math.log %v3 fastmath<afn> : f32
    return %v4 : f32
  }

  func.func @softplus_guarded(%x: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "x > 20 ? x : log1p(exp(x))"} {
    %v1 = math.exp %x fastmath<afn> : f32
    %v2 = math.log1p %v1 fastmath<afn> : f32
    %c3 = arith.constant 2.0e+01 : f32
    %v4 = arith.cmpf ogt, %x, %c3 : f32
    %v5 = arith.select %v4, %x, %v2 : f32
    return %v5 : f32
  }

  func.func @softplus_scaled(%x: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "log1p(exp(2 x)) / 2"} {
    %c1 = arith.constant 2.0 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %v4 = math.log1p %v3 fastmath<afn> : f32
    %v5 = arith.divf %v4, %c1 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @softplus_stable(%x: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "max(x, 0) + log1p(exp(-|x|))"} {
    %c1 = arith.constant 0.0 : f32
    %v2 = arith.maximumf %x, %c1 : f32
    %v3 = math.absf %x fastmath<afn> : f32
    %v4 = arith.negf %v3 fastmath<afn> : f32
    %v5 = math.exp %v4 fastmath<afn> : f32
    %v6 = math.log1p %v5 fastmath<afn> : f32
    %v7 = arith.addf %v2, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @mish(%x: f32) -> f32
      attributes {corpus.expect = "exp:1, tanh:1",
                  corpus.what = "x tanh(log(1 + exp(x)))"} {
    %v1 = math.exp %x fastmath<afn> : f32
    %c2 = arith.constant 1.0 : f32
    %v3 = arith.addf %c2, %v1 fastmath<afn> : f32
    %v4 = math.log %v3 fastmath<afn> : f32
    %v5 = math.tanh %v4 fastmath<afn> : f32
    %v6 = arith.mulf %x, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @log_sigmoid(%x: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "min(x, 0) - log(1 + exp(-|x|))"} {
    %c1 = arith.constant 0.0 : f32
    %v2 = arith.minimumf %x, %c1 : f32
    %v3 = math.absf %x fastmath<afn> : f32
    %v4 = arith.negf %v3 fastmath<afn> : f32
    %v5 = math.exp %v4 fastmath<afn> : f32
    %c6 = arith.constant 1.0 : f32
    %v7 = arith.addf %c6, %v5 fastmath<afn> : f32
    %v8 = math.log %v7 fastmath<afn> : f32
    %v9 = arith.subf %v2, %v8 fastmath<afn> : f32
    return %v9 : f32
  }

  func.func @quotient(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "y / (1 + exp(-x)): y times the sigmoid"} {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x fastmath<afn> : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %r = arith.divf %y, %d fastmath<afn> : f32
    return %r : f32
  }

  func.func @swiglu_reassociated(%x: bf16, %y: bf16) -> bf16
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "(x y) / (1 + exp(-x)), as fast-math leaves SwiGLU"} {
    %c1 = arith.constant 1.0 : f32
    %f = arith.extf %x : bf16 to f32
    %g = arith.extf %y : bf16 to f32
    %n = arith.negf %f fastmath<afn> : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %p = arith.mulf %f, %g fastmath<afn> : f32
    %r = arith.divf %p, %d fastmath<afn> : f32
    %t = arith.truncf %r : f32 to bf16
    return %t : bf16
  }

  func.func @quotient_mirrored(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "y / (1 + exp(x)): y times the sigmoid of -x"} {
    %c1 = arith.constant 1.0 : f32
    %e = math.exp %x fastmath<afn> : f32
    %d = arith.addf %e, %c1 fastmath<afn> : f32
    %r = arith.divf %y, %d fastmath<afn> : f32
    return %r : f32
  }

  func.func @quotient_and_reciprocal(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:2",
                  corpus.what = "y / d + 1 / d, d = 1 + exp(-x): two sigmoids"} {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x fastmath<afn> : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %q = arith.divf %y, %d fastmath<afn> : f32
    %s = arith.divf %c1, %d fastmath<afn> : f32
    %r = arith.addf %q, %s fastmath<afn> : f32
    return %r : f32
  }

  func.func @quotient_beside_exponential(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "y / (1 + e) + e: the exponential stays in use"} {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x fastmath<afn> : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %q = arith.divf %y, %d fastmath<afn> : f32
    %r = arith.addf %q, %e fastmath<afn> : f32
    return %r : f32
  }

  func.func @quotient_of_exponential(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "(y e) / (1 + e): the numerator needs the exponential"} {
    %c1 = arith.constant 1.0 : f32
    %e = math.exp %x fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %p = arith.mulf %y, %e fastmath<afn> : f32
    %r = arith.divf %p, %d fastmath<afn> : f32
    return %r : f32
  }

  func.func @quotient_in_bf16(%x: bf16, %y: bf16) -> bf16
      attributes {corpus.expect = "exp:1",
                  corpus.what = "y / (1 + exp(-x)) in bf16, where a product would be rounded once more"} {
    %c1 = arith.constant 1.0 : bf16
    %n = arith.negf %x fastmath<afn> : bf16
    %e = math.exp %n fastmath<afn> : bf16
    %d = arith.addf %c1, %e fastmath<afn> : bf16
    %r = arith.divf %y, %d fastmath<afn> : bf16
    return %r : bf16
  }
}
}
