// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "GELU"} {
gpu.module @corpus {
  func.func @tanh_cube(%x: bf16) -> bf16
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "0.5 x (1 + tanh(c (x + 0.044715 x^3)))"} {
    %v1 = arith.extf %x : bf16 to f32
    %c2 = arith.constant 0.5 : f32
    %v3 = arith.mulf %c2, %v1 fastmath<afn> : f32
    %v4 = arith.mulf %v1, %v1 fastmath<afn> : f32
    %v5 = arith.mulf %v4, %v1 fastmath<afn> : f32
    %c6 = arith.constant 0.044715 : f32
    %v7 = arith.mulf %c6, %v5 fastmath<afn> : f32
    %v8 = arith.addf %v1, %v7 fastmath<afn> : f32
    %c9 = arith.constant 0.7978846 : f32
    %v10 = arith.mulf %c9, %v8 fastmath<afn> : f32
    %v11 = math.tanh %v10 fastmath<afn> : f32
    %c12 = arith.constant 1.0 : f32
    %v13 = arith.addf %c12, %v11 fastmath<afn> : f32
    %v14 = arith.mulf %v3, %v13 fastmath<afn> : f32
    %v15 = arith.truncf %v14 : f32 to bf16
    return %v15 : bf16
  }

  func.func @tanh_factored(%x: f32) -> f32
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "0.5 x (1 + tanh(x (c + c 0.044715 x^2)))"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = arith.mulf %x, %x fastmath<afn> : f32
    %c4 = arith.constant 0.035677407 : f32
    %v5 = arith.mulf %v3, %c4 fastmath<afn> : f32
    %c6 = arith.constant 0.7978846 : f32
    %v7 = arith.addf %c6, %v5 fastmath<afn> : f32
    %v8 = arith.mulf %x, %v7 fastmath<afn> : f32
    %v9 = math.tanh %v8 fastmath<afn> : f32
    %c10 = arith.constant 1.0 : f32
    %v11 = arith.addf %v9, %c10 fastmath<afn> : f32
    %v12 = arith.mulf %v2, %v11 fastmath<afn> : f32
    return %v12 : f32
  }

  func.func @tanh_fused(%x: vector<4xf32>) -> vector<4xf32>
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "0.5 fma(t, x, x)"} {
    %v1 = arith.mulf %x, %x fastmath<afn> : vector<4xf32>
    %c2 = arith.constant dense<0.035677407> : vector<4xf32>
    %c3 = arith.constant dense<0.7978846> : vector<4xf32>
    %v4 = math.fma %v1, %c2, %c3 fastmath<afn> : vector<4xf32>
    %v5 = arith.mulf %x, %v4 fastmath<afn> : vector<4xf32>
    %v6 = math.tanh %v5 fastmath<afn> : vector<4xf32>
    %v7 = math.fma %v6, %x, %x fastmath<afn> : vector<4xf32>
    %c8 = arith.constant dense<0.5> : vector<4xf32>
    %v9 = arith.mulf %c8, %v7 fastmath<afn> : vector<4xf32>
    return %v9 : vector<4xf32>
  }

  func.func @tanh_half_inside(%x: f16) -> f16
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "x (0.5 + 0.5 tanh(u)), constants of eight digits"} {
    %v1 = arith.extf %x : f16 to f32
    %c2 = arith.constant 0.03567741 : f32
    %v3 = arith.mulf %c2, %v1 fastmath<afn> : f32
    %v4 = arith.mulf %v3, %v1 fastmath<afn> : f32
    %c5 = arith.constant 0.7978846 : f32
    %v6 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.mulf %v1, %v6 fastmath<afn> : f32
    %v8 = math.tanh %v7 fastmath<afn> : f32
    %c9 = arith.constant 0.5 : f32
    %v10 = arith.mulf %c9, %v8 fastmath<afn> : f32
    %v11 = arith.addf %c9, %v10 fastmath<afn> : f32
    %v12 = arith.mulf %v1, %v11 fastmath<afn> : f32
    %v13 = arith.truncf %v12 : f32 to f16
    return %v13 : f16
  }

  func.func @tanh_by_pow(%x: f32) -> f32
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "the cube as pow(x, 3)"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %c1, %x fastmath<afn> : f32
    %c4 = arith.constant 3.0 : f32
    %v3 = math.powf %x, %c4 : f32
    %c5 = arith.constant 0.044715 : f32
    %v6 = arith.mulf %c5, %v3 fastmath<afn> : f32
    %v7 = arith.addf %x, %v6 fastmath<afn> : f32
    %c8 = arith.constant 0.7978846 : f32
    %v9 = arith.mulf %c8, %v7 fastmath<afn> : f32
    %v10 = math.tanh %v9 fastmath<afn> : f32
    %c11 = arith.constant 1.0 : f32
    %v12 = arith.addf %c11, %v10 fastmath<afn> : f32
    %v13 = arith.mulf %v2, %v12 fastmath<afn> : f32
    return %v13 : f32
  }

  func.func @tanh_by_powi(%x: f32) -> f32
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "the cube as an integer power"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %c1, %x fastmath<afn> : f32
    %i3 = arith.constant 3 : i32
    %v3 = math.fpowi %x, %i3 : f32, i32
    %c4 = arith.constant 0.044715 : f32
    %v5 = arith.mulf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.addf %x, %v5 fastmath<afn> : f32
    %c7 = arith.constant 0.7978846 : f32
    %v8 = arith.mulf %c7, %v6 fastmath<afn> : f32
    %v9 = math.tanh %v8 fastmath<afn> : f32
    %c10 = arith.constant 1.0 : f32
    %v11 = arith.addf %c10, %v9 fastmath<afn> : f32
    %v12 = arith.mulf %v2, %v11 fastmath<afn> : f32
    return %v12 : f32
  }

  func.func @sigmoid_of_twice(%x: f32) -> f32
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "x sigmoid(2u)"} {
    %v1 = arith.mulf %x, %x fastmath<afn> : f32
    %v2 = arith.mulf %x, %v1 fastmath<afn> : f32
    %c3 = arith.constant 0.044715 : f32
    %v4 = arith.mulf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.addf %x, %v4 fastmath<afn> : f32
    %c6 = arith.constant 1.5957692 : f32
    %v7 = arith.mulf %c6, %v5 fastmath<afn> : f32
    %v8 = arith.negf %v7 fastmath<afn> : f32
    %v9 = math.exp %v8 fastmath<afn> : f32
    %c10 = arith.constant 1.0 : f32
    %v11 = arith.addf %c10, %v9 fastmath<afn> : f32
    %v12 = arith.divf %c10, %v11 fastmath<afn> : f32
    %v13 = arith.mulf %x, %v12 fastmath<afn> : f32
    return %v13 : f32
  }

  func.func @base_two(%x: f32) -> f32
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.what = "x / (1 + exp2(-2 log2(e) u))"} {
    %v1 = arith.mulf %x, %x fastmath<afn> : f32
    %v2 = arith.mulf %x, %v1 fastmath<afn> : f32
    %c3 = arith.constant 0.044715 : f32
    %v4 = arith.mulf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.addf %x, %v4 fastmath<afn> : f32
    %c6 = arith.constant -2.3022082 : f32
    %v7 = arith.mulf %c6, %v5 fastmath<afn> : f32
    %v8 = math.exp2 %v7 fastmath<afn> : f32
    %c9 = arith.constant 1.0 : f32
    %v10 = arith.addf %c9, %v8 fastmath<afn> : f32
    %v11 = arith.divf %x, %v10 fastmath<afn> : f32
    return %v11 : f32
  }

  func.func @tanh_bf16_constants(%x: bf16) -> bf16
      attributes {corpus.expect = "gelu_tanh:1",
                  corpus.tolerance = 2.0e-01,
                  corpus.what = "all in bf16, literals rounded to bf16"} {
    %c1 = arith.constant 0.5 : bf16
    %v2 = arith.mulf %c1, %x fastmath<afn> : bf16
    %v3 = arith.mulf %x, %x fastmath<afn> : bf16
    %v4 = arith.mulf %v3, %x fastmath<afn> : bf16
    %c5 = arith.constant 0.044677734 : bf16
    %v6 = arith.mulf %c5, %v4 fastmath<afn> : bf16
    %v7 = arith.addf %x, %v6 fastmath<afn> : bf16
    %c8 = arith.constant 0.796875 : bf16
    %v9 = arith.mulf %c8, %v7 fastmath<afn> : bf16
    %v10 = math.tanh %v9 fastmath<afn> : bf16
    %c11 = arith.constant 1.0 : bf16
    %v12 = arith.addf %c11, %v10 fastmath<afn> : bf16
    %v13 = arith.mulf %v2, %v12 fastmath<afn> : bf16
    return %v13 : bf16
  }

  func.func @other_constant(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "c = 0.7977240352174656: the tanh inside"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %c1, %x fastmath<afn> : f32
    %v3 = arith.mulf %x, %x fastmath<afn> : f32
    %v4 = arith.mulf %v3, %x fastmath<afn> : f32
    %c5 = arith.constant 0.044715 : f32
    %v6 = arith.mulf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.addf %x, %v6 fastmath<afn> : f32
    %c8 = arith.constant 0.797724 : f32
    %v9 = arith.mulf %c8, %v7 fastmath<afn> : f32
    %v10 = math.tanh %v9 fastmath<afn> : f32
    %c11 = arith.constant 1.0 : f32
    %v12 = arith.addf %c11, %v10 fastmath<afn> : f32
    %v13 = arith.mulf %v2, %v12 fastmath<afn> : f32
    return %v13 : f32
  }

  func.func @short_constant(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "0.0447 for 0.044715: the tanh inside"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %c1, %x fastmath<afn> : f32
    %v3 = arith.mulf %x, %x fastmath<afn> : f32
    %v4 = arith.mulf %v3, %x fastmath<afn> : f32
    %c5 = arith.constant 0.0447 : f32
    %v6 = arith.mulf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.addf %x, %v6 fastmath<afn> : f32
    %c8 = arith.constant 0.7978846 : f32
    %v9 = arith.mulf %c8, %v7 fastmath<afn> : f32
    %v10 = math.tanh %v9 fastmath<afn> : f32
    %c11 = arith.constant 1.0 : f32
    %v12 = arith.addf %c11, %v10 fastmath<afn> : f32
    %v13 = arith.mulf %v2, %v12 fastmath<afn> : f32
    return %v13 : f32
  }

  func.func @sigmoid_of_other(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "x sigmoid(1.6 (x + 0.044715 x^3)): the sigmoid inside"} {
    %v1 = arith.mulf %x, %x fastmath<afn> : f32
    %v2 = arith.mulf %x, %v1 fastmath<afn> : f32
    %c3 = arith.constant 0.044715 : f32
    %v4 = arith.mulf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.addf %x, %v4 fastmath<afn> : f32
    %c6 = arith.constant 1.6 : f32
    %v7 = arith.mulf %c6, %v5 fastmath<afn> : f32
    %v8 = arith.negf %v7 fastmath<afn> : f32
    %v9 = math.exp %v8 fastmath<afn> : f32
    %c10 = arith.constant 1.0 : f32
    %v11 = arith.addf %c10, %v9 fastmath<afn> : f32
    %v12 = arith.divf %c10, %v11 fastmath<afn> : f32
    %v13 = arith.mulf %x, %v12 fastmath<afn> : f32
    return %v13 : f32
  }

  func.func @erf_product(%x: bf16) -> bf16
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "0.5 x (1 + erf(x / sqrt(2)))"} {
    %v1 = arith.extf %x : bf16 to f32
    %c2 = arith.constant 0.5 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %c4 = arith.constant 0.70710677 : f32
    %v5 = arith.mulf %v1, %c4 fastmath<afn> : f32
    %v6 = math.erf %v5 fastmath<afn> : f32
    %c7 = arith.constant 1.0 : f32
    %v8 = arith.addf %c7, %v6 fastmath<afn> : f32
    %v9 = arith.mulf %v3, %v8 fastmath<afn> : f32
    %v10 = arith.truncf %v9 : f32 to bf16
    return %v10 : bf16
  }

  func.func @erf_division(%x: f16) -> f16
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "x ((erf(x / 1.41421354) + 1) 0.5)"} {
    %v1 = arith.extf %x : f16 to f32
    %c2 = arith.constant 1.4142135 : f32
    %v3 = arith.divf %v1, %c2 fastmath<afn> : f32
    %v4 = math.erf %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.addf %v4, %c5 fastmath<afn> : f32
    %c7 = arith.constant 0.5 : f32
    %v8 = arith.mulf %v6, %c7 fastmath<afn> : f32
    %v9 = arith.mulf %v1, %v8 fastmath<afn> : f32
    %v10 = arith.truncf %v9 : f32 to f16
    return %v10 : f16
  }

  func.func @erf_fused(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "0.5 fma(x, erf(x r), x)"} {
    %c1 = arith.constant dense<0.70710677> : vector<8xf32>
    %v2 = arith.mulf %c1, %x fastmath<afn> : vector<8xf32>
    %v3 = math.erf %v2 fastmath<afn> : vector<8xf32>
    %v4 = math.fma %x, %v3, %x fastmath<afn> : vector<8xf32>
    %c5 = arith.constant dense<0.5> : vector<8xf32>
    %v6 = arith.mulf %c5, %v4 fastmath<afn> : vector<8xf32>
    return %v6 : vector<8xf32>
  }

  func.func @erfc(%x: f32) -> f32
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "0.5 x erfc(-x / sqrt(2))"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %c1, %x fastmath<afn> : f32
    %c3 = arith.constant -0.70710677 : f32
    %v4 = arith.mulf %x, %c3 fastmath<afn> : f32
    %v5 = math.erfc %v4 fastmath<afn> : f32
    %v6 = arith.mulf %v2, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @normal_distribution(%x: f32) -> f32
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "x (0.5 + 0.5 erf(x r))"} {
    %c1 = arith.constant 0.70710677 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.erf %v2 fastmath<afn> : f32
    %c4 = arith.constant 0.5 : f32
    %v5 = math.fma %c4, %v3, %c4 fastmath<afn> : f32
    %v6 = arith.mulf %x, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @erf_other_scale(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "0.5 x (1 + erf(x)): not GELU"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.erf %x fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.mulf %v2, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @mirrored(%x: f32) -> f32
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "-0.5 x (1 - erf(x r)), GELU of -x"} {
    %c1 = arith.constant -0.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %c3 = arith.constant 0.70710677 : f32
    %v4 = arith.mulf %x, %c3 fastmath<afn> : f32
    %v5 = math.erf %v4 fastmath<afn> : f32
    %c6 = arith.constant 1.0 : f32
    %v7 = arith.subf %c6, %v5 fastmath<afn> : f32
    %v8 = arith.mulf %v2, %v7 fastmath<afn> : f32
    return %v8 : f32
  }

  func.func @erf_root_of_two(%x: f32) -> f32
      attributes {corpus.expect = "gelu_erf:1",
                  corpus.what = "0.5 x (1 + erf(x / sqrt(2))), the root computed"} {
    %c1 = arith.constant 1.0 : f32
    %h = arith.constant 0.5 : f32
    %two = arith.constant 2.0 : f32
    %s = math.sqrt %two fastmath<afn> : f32
    %q = arith.divf %x, %s fastmath<afn> : f32
    %e = math.erf %q fastmath<afn> : f32
    %a = arith.addf %c1, %e fastmath<afn> : f32
    %p = arith.mulf %x, %h fastmath<afn> : f32
    %r = arith.mulf %p, %a fastmath<afn> : f32
    return %r : f32
  }

  func.func @erf_root_of_three(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "0.5 x (1 + erf(x / sqrt(3))): not GELU"} {
    %c1 = arith.constant 1.0 : f32
    %h = arith.constant 0.5 : f32
    %three = arith.constant 3.0 : f32
    %s = math.sqrt %three fastmath<afn> : f32
    %q = arith.divf %x, %s fastmath<afn> : f32
    %e = math.erf %q fastmath<afn> : f32
    %a = arith.addf %c1, %e fastmath<afn> : f32
    %p = arith.mulf %x, %h fastmath<afn> : f32
    %r = arith.mulf %p, %a fastmath<afn> : f32
    return %r : f32
  }
}
}
