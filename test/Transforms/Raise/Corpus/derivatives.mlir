// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "Derivatives"} {
gpu.module @corpus {
  func.func @sigmoid_product(%x: f32) -> f32
      attributes {corpus.expect = "dsigmoid:1",
                  corpus.what = "s (1 - s)"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.subf %c3, %v5 fastmath<afn> : f32
    %v7 = arith.mulf %v5, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @sigmoid_difference(%x: bf16) -> bf16
      attributes {corpus.expect = "dsigmoid:1",
                  corpus.what = "s - s^2"} {
    %v1 = arith.extf %x : bf16 to f32
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    %v7 = arith.mulf %v6, %v6 fastmath<afn> : f32
    %v8 = arith.subf %v6, %v7 fastmath<afn> : f32
    %v9 = arith.truncf %v8 : f32 to bf16
    return %v9 : bf16
  }

  func.func @sigmoid_fused(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "dsigmoid:1",
                  corpus.what = "fma(-s, s, s)"} {
    %v1 = arith.negf %x fastmath<afn> : vector<8xf32>
    %v2 = math.exp %v1 fastmath<afn> : vector<8xf32>
    %c3 = arith.constant dense<1.0> : vector<8xf32>
    %v4 = arith.addf %c3, %v2 fastmath<afn> : vector<8xf32>
    %v5 = arith.divf %c3, %v4 fastmath<afn> : vector<8xf32>
    %v6 = arith.negf %v5 fastmath<afn> : vector<8xf32>
    %v7 = math.fma %v6, %v5, %v5 fastmath<afn> : vector<8xf32>
    return %v7 : vector<8xf32>
  }

  func.func @tanh_square(%x: f32) -> f32
      attributes {corpus.expect = "dtanh:1",
                  corpus.what = "1 - t^2"} {
    %v1 = math.tanh %x fastmath<afn> : f32
    %v2 = arith.mulf %v1, %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.subf %c3, %v2 fastmath<afn> : f32
    return %v4 : f32
  }

  func.func @tanh_fused(%x: f16) -> f16
      attributes {corpus.expect = "dtanh:1",
                  corpus.what = "fma(t, -t, 1)"} {
    %v1 = arith.extf %x : f16 to f32
    %v2 = math.tanh %v1 fastmath<afn> : f32
    %v3 = arith.negf %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = math.fma %v2, %v3, %c4 fastmath<afn> : f32
    %v6 = arith.truncf %v5 : f32 to f16
    return %v6 : f16
  }

  func.func @tanh_factored(%x: f32) -> f32
      attributes {corpus.expect = "dtanh:1",
                  corpus.what = "(1 - t) (1 + t)"} {
    %v1 = math.tanh %x fastmath<afn> : f32
    %c2 = arith.constant 1.0 : f32
    %v3 = arith.subf %c2, %v1 fastmath<afn> : f32
    %v4 = arith.addf %c2, %v1 fastmath<afn> : f32
    %v5 = arith.mulf %v3, %v4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @silu_factored(%x: f32) -> f32
      attributes {corpus.expect = "dsilu:1",
                  corpus.what = "s (1 + x (1 - s))"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.subf %c3, %v5 fastmath<afn> : f32
    %v7 = arith.mulf %x, %v6 fastmath<afn> : f32
    %v8 = arith.addf %c3, %v7 fastmath<afn> : f32
    %v9 = arith.mulf %v5, %v8 fastmath<afn> : f32
    return %v9 : f32
  }

  func.func @silu_sum(%x: bf16) -> bf16
      attributes {corpus.expect = "dsilu:1",
                  corpus.what = "x s (1 - s) + s"} {
    %v1 = arith.extf %x : bf16 to f32
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    %v7 = arith.mulf %v1, %v6 fastmath<afn> : f32
    %v8 = arith.subf %c4, %v6 fastmath<afn> : f32
    %v9 = arith.mulf %v7, %v8 fastmath<afn> : f32
    %v10 = arith.addf %v9, %v6 fastmath<afn> : f32
    %v11 = arith.truncf %v10 : f32 to bf16
    return %v11 : bf16
  }

  func.func @silu_from_value(%x: f32) -> f32
      attributes {corpus.expect = "dsilu:1",
                  corpus.what = "f + s (1 - f), f = x s"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.mulf %x, %v5 fastmath<afn> : f32
    %v7 = arith.subf %c3, %v6 fastmath<afn> : f32
    %v8 = arith.mulf %v5, %v7 fastmath<afn> : f32
    %v9 = arith.addf %v6, %v8 fastmath<afn> : f32
    return %v9 : f32
  }

  func.func @silu_gradient_first(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "(y s) (1 + x (1 - s)): the sigmoid, as y comes first"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.mulf %y, %v5 fastmath<afn> : f32
    %v7 = arith.subf %c3, %v5 fastmath<afn> : f32
    %v8 = math.fma %x, %v7, %c3 fastmath<afn> : f32
    %v9 = arith.mulf %v6, %v8 fastmath<afn> : f32
    return %v9 : f32
  }

  func.func @silu_pair(%x: f32) -> (f32, f32)
      attributes {corpus.expect = "silu:1, dsilu:1",
                  corpus.what = "silu and its derivative from one sigmoid: both or neither"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.mulf %x, %v5 fastmath<afn> : f32
    %v7 = arith.subf %c3, %v5 fastmath<afn> : f32
    %v8 = arith.mulf %x, %v7 fastmath<afn> : f32
    %v9 = arith.addf %c3, %v8 fastmath<afn> : f32
    %v10 = arith.mulf %v5, %v9 fastmath<afn> : f32
    return %v6, %v10 : f32, f32
  }

  func.func @tanh_pair(%x: f32) -> (f32, f32)
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "t and 1 - t^2: the tanh serves both"} {
    %v1 = math.tanh %x fastmath<afn> : f32
    %v2 = arith.mulf %v1, %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.subf %c3, %v2 fastmath<afn> : f32
    return %v1, %v4 : f32, f32
  }

  func.func @sigmoid_pair(%x: f32) -> (f32, f32)
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "s and s - s^2: the sigmoid serves both"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.mulf %v5, %v5 fastmath<afn> : f32
    %v7 = arith.subf %v5, %v6 fastmath<afn> : f32
    return %v5, %v7 : f32, f32
  }

  func.func @swiglu_pair(%x: f32, %y: f32) -> (f32, f32)
      attributes {corpus.expect = "silu:1, dsilu:1",
                  corpus.what = "silu(x) y and its gradient by x"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.mulf %x, %v5 fastmath<afn> : f32
    %v7 = arith.mulf %v6, %y fastmath<afn> : f32
    %v8 = arith.subf %c3, %v6 fastmath<afn> : f32
    %v9 = arith.mulf %v5, %v8 fastmath<afn> : f32
    %v10 = arith.addf %v6, %v9 fastmath<afn> : f32
    %v11 = arith.mulf %v10, %y fastmath<afn> : f32
    return %v7, %v11 : f32, f32
  }

  func.func @gelu_erf(%x: f32) -> f32
      attributes {corpus.expect = "dgelu_erf:1",
                  corpus.what = "cdf + x pdf"} {
    %c1 = arith.constant 0.70710677 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.erf %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %c6 = arith.constant 0.5 : f32
    %v7 = arith.mulf %c6, %v5 fastmath<afn> : f32
    %v8 = arith.mulf %x, %x fastmath<afn> : f32
    %c9 = arith.constant -0.5 : f32
    %v10 = arith.mulf %v8, %c9 fastmath<afn> : f32
    %v11 = math.exp %v10 fastmath<afn> : f32
    %c12 = arith.constant 0.3989423 : f32
    %v13 = arith.mulf %c12, %v11 fastmath<afn> : f32
    %v14 = arith.mulf %x, %v13 fastmath<afn> : f32
    %v15 = arith.addf %v7, %v14 fastmath<afn> : f32
    return %v15 : f32
  }

  func.func @gelu_erf_base_two(%x: f32) -> f32
      attributes {corpus.expect = "dgelu_erf:1",
                  corpus.what = "fma(x, pdf, cdf) with exp2"} {
    %c1 = arith.constant 0.70710677 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.erf %v2 fastmath<afn> : f32
    %c4 = arith.constant 0.5 : f32
    %v5 = math.fma %v3, %c4, %c4 fastmath<afn> : f32
    %v6 = arith.mulf %x, %x fastmath<afn> : f32
    %c7 = arith.constant -0.7213475 : f32
    %v8 = arith.mulf %v6, %c7 fastmath<afn> : f32
    %v9 = math.exp2 %v8 fastmath<afn> : f32
    %c10 = arith.constant 0.3989423 : f32
    %v11 = arith.mulf %v9, %c10 fastmath<afn> : f32
    %v12 = math.fma %x, %v11, %v5 fastmath<afn> : f32
    return %v12 : f32
  }

  func.func @gelu_tanh(%x: f32) -> f32
      attributes {corpus.expect = "dgelu_tanh:1",
                  corpus.what = "0.5 (1 + t) + 0.5 x (1 - t^2) u-prime"} {
    %v1 = arith.mulf %x, %x fastmath<afn> : f32
    %v2 = arith.mulf %v1, %x fastmath<afn> : f32
    %c3 = arith.constant 0.044715 : f32
    %v4 = arith.mulf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.addf %x, %v4 fastmath<afn> : f32
    %c6 = arith.constant 0.7978846 : f32
    %v7 = arith.mulf %c6, %v5 fastmath<afn> : f32
    %v8 = math.tanh %v7 fastmath<afn> : f32
    %c9 = arith.constant 0.107032225 : f32
    %v10 = arith.mulf %c9, %v1 fastmath<afn> : f32
    %v11 = arith.addf %c6, %v10 fastmath<afn> : f32
    %c12 = arith.constant 1.0 : f32
    %v13 = arith.addf %c12, %v8 fastmath<afn> : f32
    %c14 = arith.constant 0.5 : f32
    %v15 = arith.mulf %c14, %v13 fastmath<afn> : f32
    %v16 = arith.mulf %c14, %x fastmath<afn> : f32
    %v17 = arith.mulf %v8, %v8 fastmath<afn> : f32
    %v18 = arith.subf %c12, %v17 fastmath<afn> : f32
    %v19 = arith.mulf %v16, %v18 fastmath<afn> : f32
    %v20 = arith.mulf %v19, %v11 fastmath<afn> : f32
    %v21 = arith.addf %v15, %v20 fastmath<afn> : f32
    return %v21 : f32
  }

  func.func @gelu_tanh_other(%x: bf16) -> bf16
      attributes {corpus.expect = "dgelu_tanh:1",
                  corpus.what = "the same with c (1 + 0.134145 x^2)"} {
    %v1 = arith.extf %x : bf16 to f32
    %v2 = arith.mulf %v1, %v1 fastmath<afn> : f32
    %c3 = arith.constant 0.7978846 : f32
    %v4 = arith.mulf %v1, %c3 fastmath<afn> : f32
    %c5 = arith.constant 0.044715 : f32
    %c6 = arith.constant 1.0 : f32
    %v7 = math.fma %v2, %c5, %c6 fastmath<afn> : f32
    %v8 = arith.mulf %v4, %v7 fastmath<afn> : f32
    %v9 = math.tanh %v8 fastmath<afn> : f32
    %c10 = arith.constant 0.5 : f32
    %v11 = arith.mulf %c10, %v1 fastmath<afn> : f32
    %v12 = arith.addf %c6, %v9 fastmath<afn> : f32
    %v13 = arith.mulf %c10, %v12 fastmath<afn> : f32
    %v14 = arith.mulf %v9, %v9 fastmath<afn> : f32
    %v15 = arith.subf %c6, %v14 fastmath<afn> : f32
    %v16 = arith.mulf %v11, %v15 fastmath<afn> : f32
    %c17 = arith.constant 0.134145 : f32
    %v18 = arith.mulf %c17, %v2 fastmath<afn> : f32
    %v19 = arith.addf %c6, %v18 fastmath<afn> : f32
    %v20 = arith.mulf %c3, %v19 fastmath<afn> : f32
    %v21 = arith.mulf %v16, %v20 fastmath<afn> : f32
    %v22 = arith.addf %v13, %v21 fastmath<afn> : f32
    %v23 = arith.truncf %v22 : f32 to bf16
    return %v23 : bf16
  }

  func.func @gelu_pair(%x: f32) -> (f32, f32)
      attributes {corpus.expect = "gelu_erf:1, dgelu_erf:1",
                  corpus.what = "GELU and its derivative from one erf"} {
    %c1 = arith.constant 0.70710677 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.erf %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %c6 = arith.constant 0.5 : f32
    %v7 = arith.mulf %c6, %v5 fastmath<afn> : f32
    %v8 = arith.mulf %x, %x fastmath<afn> : f32
    %c9 = arith.constant -0.5 : f32
    %v10 = arith.mulf %v8, %c9 fastmath<afn> : f32
    %v11 = math.exp %v10 fastmath<afn> : f32
    %c12 = arith.constant 0.3989423 : f32
    %v13 = arith.mulf %c12, %v11 fastmath<afn> : f32
    %v14 = arith.mulf %x, %v7 fastmath<afn> : f32
    %v15 = arith.mulf %x, %v13 fastmath<afn> : f32
    %v16 = arith.addf %v7, %v15 fastmath<afn> : f32
    return %v14, %v16 : f32, f32
  }

  func.func @without_permission(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "no afn around a sigmoid that has it: the sigmoid"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.mulf %x, %v5 : f32
    %v7 = arith.subf %c3, %v5 : f32
    %v8 = arith.mulf %v6, %v7 : f32
    %v9 = arith.addf %v8, %v5 : f32
    return %v9 : f32
  }

  func.func @swish(%x: f32) -> f32
      attributes {corpus.expect = "dsilu:1",
                  corpus.what = "s (1 + 2.5 x (1 - s)), s = sigmoid(2.5 x)"} {
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant 2.5 : f32
    %z = arith.mulf %x, %k fastmath<afn> : f32
    %n = arith.negf %z fastmath<afn> : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %s = arith.divf %c1, %d fastmath<afn> : f32
    %m = arith.subf %c1, %s fastmath<afn> : f32
    %p = arith.mulf %z, %m fastmath<afn> : f32
    %q = arith.addf %c1, %p fastmath<afn> : f32
    %r = arith.mulf %s, %q fastmath<afn> : f32
    return %r : f32
  }

  func.func @quick_gelu(%x: f32) -> f32
      attributes {corpus.expect = "dsilu:1",
                  corpus.what = "s + 1.702 x (s (1 - s)), s = 1 / (1 + exp(-1.702 x))"} {
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant -1.702 : f32
    %kp = arith.constant 1.702 : f32
    %n = arith.mulf %x, %k fastmath<afn> : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %s = arith.divf %c1, %d fastmath<afn> : f32
    %m = arith.subf %c1, %s fastmath<afn> : f32
    %w = arith.mulf %s, %m fastmath<afn> : f32
    %kx = arith.mulf %x, %kp fastmath<afn> : f32
    %p = arith.mulf %kx, %w fastmath<afn> : f32
    %r = arith.addf %s, %p fastmath<afn> : f32
    return %r : f32
  }

  func.func @scaled_sigmoid(%x: f32) -> f32
      attributes {corpus.expect = "dsigmoid:1",
                  corpus.what = "s (1 - s), s = 1 / (1 + exp(-0.3 x))"} {
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant -0.3 : f32
    %n = arith.mulf %x, %k fastmath<afn> : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %s = arith.divf %c1, %d fastmath<afn> : f32
    %m = arith.subf %c1, %s fastmath<afn> : f32
    %r = arith.mulf %s, %m fastmath<afn> : f32
    return %r : f32
  }

  func.func @softcap(%x: f32) -> f32
      attributes {corpus.expect = "dtanh:1",
                  corpus.what = "1 - t^2, t = (e - 1) / (e + 1), e = exp(x / 15)"} {
    %c1 = arith.constant 1.0 : f32
    %k = arith.constant 15.0 : f32
    %z = arith.divf %x, %k fastmath<afn> : f32
    %e = math.exp %z fastmath<afn> : f32
    %a = arith.subf %e, %c1 fastmath<afn> : f32
    %b = arith.addf %e, %c1 fastmath<afn> : f32
    %t = arith.divf %a, %b fastmath<afn> : f32
    %tt = arith.mulf %t, %t fastmath<afn> : f32
    %r = arith.subf %c1, %tt fastmath<afn> : f32
    return %r : f32
  }
}
}
