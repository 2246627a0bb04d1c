// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "Sigmoid"} {
gpu.module @corpus {
  func.func @reciprocal(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + exp(-x))"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @added_the_other_way(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (exp(-x) + 1)"} {
    %v1 = arith.negf %x : f32
    %v2 = math.exp %v1 : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %v2, %c3 : f32
    %v5 = arith.divf %c3, %v4 : f32
    return %v5 : f32
  }

  func.func @base_two(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + exp2(-x log2(e)))"} {
    %c1 = arith.constant 1.442695 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = arith.negf %v2 fastmath<afn> : f32
    %v4 = math.exp2 %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.divf %c5, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @base_two_negative_literal(%x: f16) -> f16
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + exp2(x * -log2(e)))"} {
    %v1 = arith.extf %x : f16 to f32
    %c2 = arith.constant -1.442695 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %v4 = math.exp2 %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.divf %c5, %v6 fastmath<afn> : f32
    %v8 = arith.truncf %v7 : f32 to f16
    return %v8 : f16
  }

  func.func @half_tanh(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "0.5 tanh(0.5 x) + 0.5"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    %v4 = arith.mulf %c1, %v3 fastmath<afn> : f32
    %v5 = arith.addf %v4, %c1 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @half_tanh_fused(%x: bf16) -> bf16
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "fma(0.5, tanh(0.5 x), 0.5)"} {
    %v1 = arith.extf %x : bf16 to f32
    %c2 = arith.constant 0.5 : f32
    %v3 = arith.mulf %c2, %v1 fastmath<afn> : f32
    %v4 = math.tanh %v3 fastmath<afn> : f32
    %v5 = math.fma %c2, %v4, %c2 fastmath<afn> : f32
    %v6 = arith.truncf %v5 : f32 to bf16
    return %v6 : bf16
  }

  func.func @half_tanh_by_division(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "(1 + tanh(x / 2)) / 2"} {
    %c1 = arith.constant 2.0 : f32
    %v2 = arith.divf %x, %c1 fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %v5, %c1 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @ratio(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.tolerance = 2.0e-05,
                  corpus.what = "exp(x) / (1 + exp(x))"} {
    %v1 = math.exp %x fastmath<afn> : f32
    %c2 = arith.constant 1.0 : f32
    %v3 = arith.addf %c2, %v1 fastmath<afn> : f32
    %v4 = arith.divf %v1, %v3 fastmath<afn> : f32
    return %v4 : f32
  }

  func.func @half_exponentials(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "exp(x/2) / (exp(x/2) + exp(-x/2))"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %v4 = arith.negf %v2 fastmath<afn> : f32
    %v5 = math.exp %v4 fastmath<afn> : f32
    %v6 = arith.addf %v3, %v5 fastmath<afn> : f32
    %v7 = arith.divf %v3, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @split_on_sign(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "x < 0 ? e / (1 + e) : 1 / (1 + e), e = exp(-|x|)"} {
    %v1 = math.absf %x fastmath<afn> : f32
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %v3, %v5 fastmath<afn> : f32
    %v7 = arith.divf %c4, %v5 fastmath<afn> : f32
    %c8 = arith.constant 0.0 : f32
    %v9 = arith.cmpf olt, %x, %c8 : f32
    %v10 = arith.select %v9, %v6, %v7 : f32
    return %v10 : f32
  }

  func.func @complement_of_magnitude(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "x >= 0 ? s : 1 - s, s = sigmoid(|x|)"} {
    %v1 = math.absf %x fastmath<afn> : f32
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    %v7 = arith.subf %c4, %v6 fastmath<afn> : f32
    %c8 = arith.constant 0.0 : f32
    %v9 = arith.cmpf oge, %x, %c8 : f32
    %v10 = arith.select %v9, %v6, %v7 : f32
    return %v10 : f32
  }

  func.func @complement(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 - 1 / (1 + exp(x))"} {
    %v1 = math.exp %x fastmath<afn> : f32
    %c2 = arith.constant 1.0 : f32
    %v3 = arith.addf %c2, %v1 fastmath<afn> : f32
    %v4 = arith.divf %c2, %v3 fastmath<afn> : f32
    %v5 = arith.subf %c2, %v4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @mirrored(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + exp(x)), which is the sigmoid of -x"} {
    %v1 = math.exp %x fastmath<afn> : f32
    %c2 = arith.constant 1.0 : f32
    %v3 = arith.addf %c2, %v1 fastmath<afn> : f32
    %v4 = arith.divf %c2, %v3 fastmath<afn> : f32
    return %v4 : f32
  }

  func.func @by_expm1(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (2 + expm1(-x))"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.expm1 %v1 fastmath<afn> : f32
    %c3 = arith.constant 2.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.divf %c5, %v4 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @vector(%x: vector<8xbf16>) -> vector<8xbf16>
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + exp(-x)) on a vector"} {
    %v1 = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %v2 = arith.negf %v1 fastmath<afn> : vector<8xf32>
    %v3 = math.exp %v2 fastmath<afn> : vector<8xf32>
    %c4 = arith.constant dense<1.0> : vector<8xf32>
    %v5 = arith.addf %c4, %v3 fastmath<afn> : vector<8xf32>
    %v6 = arith.divf %c4, %v5 fastmath<afn> : vector<8xf32>
    %v7 = arith.truncf %v6 : vector<8xf32> to vector<8xbf16>
    return %v7 : vector<8xbf16>
  }

  func.func @odd_length(%x: vector<3xf32>) -> vector<3xf32>
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + exp(-x)) on three elements"} {
    %v1 = arith.negf %x fastmath<afn> : vector<3xf32>
    %v2 = math.exp %v1 fastmath<afn> : vector<3xf32>
    %c3 = arith.constant dense<1.0> : vector<3xf32>
    %v4 = arith.addf %c3, %v2 fastmath<afn> : vector<3xf32>
    %v5 = arith.divf %c3, %v4 fastmath<afn> : vector<3xf32>
    return %v5 : vector<3xf32>
  }

  func.func @all_bf16(%x: bf16) -> bf16
      attributes {corpus.expect = "sigmoid:1",
                  corpus.tolerance = 5.0e-02,
                  corpus.what = "1 / (1 + exp(-x)) with each step rounded to bf16"} {
    %v1 = arith.negf %x fastmath<afn> : bf16
    %v2 = math.exp %v1 fastmath<afn> : bf16
    %c3 = arith.constant 1.0 : bf16
    %v4 = arith.addf %c3, %v2 fastmath<afn> : bf16
    %v5 = arith.divf %c3, %v4 fastmath<afn> : bf16
    return %v5 : bf16
  }

  func.func @all_f16(%x: vector<2xf16>) -> vector<2xf16>
      attributes {corpus.expect = "sigmoid:1",
                  corpus.tolerance = 1.0e-02,
                  corpus.what = "the same in f16"} {
    %v1 = arith.negf %x fastmath<afn> : vector<2xf16>
    %v2 = math.exp %v1 fastmath<afn> : vector<2xf16>
    %c3 = arith.constant dense<1.0> : vector<2xf16>
    %v4 = arith.addf %c3, %v2 fastmath<afn> : vector<2xf16>
    %v5 = arith.divf %c3, %v4 fastmath<afn> : vector<2xf16>
    return %v5 : vector<2xf16>
  }

  func.func @bf16_literal(%x: bf16) -> bf16
      attributes {corpus.expect = "sigmoid:1",
                  corpus.tolerance = 5.0e-02,
                  corpus.what = "1 / (1 + exp2(-x log2(e))) with bf16 arithmetic and literals"} {
    %c1 = arith.constant -1.4453125 : bf16
    %v2 = arith.mulf %x, %c1 fastmath<afn> : bf16
    %v3 = math.exp2 %v2 fastmath<afn> : bf16
    %c4 = arith.constant 1.0 : bf16
    %v5 = arith.addf %c4, %v3 fastmath<afn> : bf16
    %v6 = arith.divf %c4, %v5 fastmath<afn> : bf16
    return %v6 : bf16
  }

  func.func @of_a_sum(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + exp(-(x + y)))"} {
    %v1 = arith.addf %x, %y fastmath<afn> : f32
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @of_a_product(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + exp(-(x * y)))"} {
    %v1 = arith.mulf %x, %y fastmath<afn> : f32
    %v2 = arith.negf %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @quarter_argument(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "0.5 + 0.5 tanh(0.25 x), the sigmoid of x/2"} {
    %c1 = arith.constant 0.25 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    %c4 = arith.constant 0.5 : f32
    %v5 = math.fma %v3, %c4, %c4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @base_two_alone(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + 2^-x), the sigmoid of x ln(2)"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp2 %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @with_complement(%x: f32) -> (f32, f32)
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "s and 1 - s: one site"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.subf %c3, %v5 fastmath<afn> : f32
    return %v5, %v6 : f32, f32
  }

  func.func @duplicates(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:2",
                  corpus.what = "two copies that nobody merged"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.negf %x fastmath<afn> : f32
    %v7 = math.exp %v6 fastmath<afn> : f32
    %v8 = arith.addf %c3, %v7 fastmath<afn> : f32
    %v9 = arith.divf %c3, %v8 fastmath<afn> : f32
    %v10 = arith.addf %v5, %v9 fastmath<afn> : f32
    return %v10 : f32
  }

  func.func @guarded(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "x < -80 ? 0 : 1 / (1 + exp(-x)), the guard stays"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %c6 = arith.constant -8.0e+01 : f32
    %c7 = arith.constant 0.0 : f32
    %v8 = arith.cmpf olt, %x, %c6 : f32
    %v9 = arith.select %v8, %c7, %v5 : f32
    return %v9 : f32
  }

  func.func @saturated(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "fma(0.5, tanh(0.5 x), 0.5) clamped to [0, 1], the clamp stays"} {
    %c1 = arith.constant 5.0e-01 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    %v4 = math.fma %c1, %v3, %c1 fastmath<afn> : f32
    %c5 = arith.constant 0.0 : f32
    %c6 = arith.constant 1.0 : f32
    %v7 = arith.maximumf %v4, %c5 : f32
    %v8 = arith.minimumf %v7, %c6 : f32
    return %v8 : f32
  }

  func.func @nan_replaced(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "a NaN result replaced by 0 afterwards"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %c6 = arith.constant 2.0 : f32
    %c7 = arith.constant 0.0 : f32
    %v8 = arith.cmpf olt, %v5, %c6 : f32
    %v9 = arith.select %v8, %v5, %c7 : f32
    return %v9 : f32
  }

  func.func @zero_minus(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "1 / (1 + exp(0 - x))"} {
    %c1 = arith.constant 0.0 : f32
    %v2 = arith.subf %c1, %x fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @across_blocks(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "numerator and denominator in two blocks"} {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    cf.br ^bb1
    ^bb1:
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    return %s : f32
  }

  func.func @in_a_loop(%x: memref<32xf32>) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.rows,
                  corpus.what = "each element of a buffer"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %sum = scf.for %i = %c0 to %c32 step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%i] : memref<32xf32>
      %n = arith.negf %v : f32
      %e = math.exp %n : f32
      %d = arith.addf %one, %e : f32
      %s = arith.divf %one, %d : f32
      %next = arith.addf %acc, %s : f32
      scf.yield %next : f32
    }
    return %sum : f32
  }

  func.func @integer_one(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "the 1 made from an integer"} {
    %i = arith.constant 1 : i32
    %c1 = arith.sitofp %i : i32 to f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %c1 : f32
    %s = arith.divf %c1, %d : f32
    return %s : f32
  }

  func.func @factor_two(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "2 / (1 + exp(-x)), a multiple of the sigmoid"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %c5 = arith.constant 2.0 : f32
    %v6 = arith.divf %c5, %v4 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @negative_factor(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "-3 / (1 + exp(-1.5 x))"} {
    %c0 = arith.constant -1.5 : f32
    %v1 = arith.mulf %c0, %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %c5 = arith.constant -3.0 : f32
    %v6 = arith.divf %c5, %v4 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @stable_by_branches(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "n / (1 + z), where a branch on the sign of x gives both"} {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %p = arith.cmpf oge, %x, %c0 : f32
    cf.cond_br %p, ^pos, ^neg
    ^pos:
    %n = arith.negf %x : f32
    %e0 = math.exp %n : f32
    cf.br ^end(%c1, %e0 : f32, f32)
    ^neg:
    %e1 = math.exp %x : f32
    cf.br ^end(%e1, %e1 : f32, f32)
    ^end(%num: f32, %z: f32):
    %d = arith.addf %c1, %z : f32
    %r = arith.divf %num, %d : f32
    return %r : f32
  }

  func.func @stable_by_if(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "the same by scf.if"} {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %p = arith.cmpf oge, %x, %c0 : f32
    %num, %z = scf.if %p -> (f32, f32) {
      %n = arith.negf %x : f32
      %e0 = math.exp %n : f32
      scf.yield %c1, %e0 : f32, f32
    } else {
      %e1 = math.exp %x : f32
      scf.yield %e1, %e1 : f32, f32
    }
    %d = arith.addf %c1, %z : f32
    %r = arith.divf %num, %d : f32
    return %r : f32
  }

  func.func @divided_in_branches(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)) by scf.if"} {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %p = arith.cmpf oge, %x, %c0 : f32
    %r = scf.if %p -> f32 {
      %n = arith.negf %x : f32
      %e = math.exp %n : f32
      %d = arith.addf %c1, %e : f32
      %s = arith.divf %c1, %d : f32
      scf.yield %s : f32
    } else {
      %e = math.exp %x : f32
      %d = arith.addf %c1, %e : f32
      %s = arith.divf %e, %d : f32
      scf.yield %s : f32
    }
    return %r : f32
  }

  func.func @branches_on_another(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "exp:2",
                  corpus.what = "the same with a branch on the sign of y: two exponentials"} {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %p = arith.cmpf oge, %y, %c0 : f32
    cf.cond_br %p, ^pos, ^neg
    ^pos:
    %n = arith.negf %x : f32
    %e0 = math.exp %n : f32
    cf.br ^end(%c1, %e0 : f32, f32)
    ^neg:
    %e1 = math.exp %x : f32
    cf.br ^end(%e1, %e1 : f32, f32)
    ^end(%num: f32, %z: f32):
    %d = arith.addf %c1, %z : f32
    %r = arith.divf %num, %d : f32
    return %r : f32
  }

  func.func @branches_elsewhere(%x: f32) -> f32
      attributes {corpus.expect = "exp:2",
                  corpus.what = "a branch at x = 1: two exponentials"} {
    %c1 = arith.constant 1.0 : f32
    %p = arith.cmpf oge, %x, %c1 : f32
    cf.cond_br %p, ^pos, ^neg
    ^pos:
    %n = arith.negf %x : f32
    %e0 = math.exp %n : f32
    cf.br ^end(%c1, %e0 : f32, f32)
    ^neg:
    %e1 = math.exp %x : f32
    cf.br ^end(%c1, %e1 : f32, f32)
    ^end(%num: f32, %z: f32):
    %d = arith.addf %c1, %z : f32
    %r = arith.divf %num, %d : f32
    return %r : f32
  }

  func.func @branches_differ(%x: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "1 / (1 + exp(-x)) on one side, 0 on the other: the exponential"} {
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %p = arith.cmpf oge, %x, %c0 : f32
    cf.cond_br %p, ^pos, ^end(%c0, %c1 : f32, f32)
    ^pos:
    %n = arith.negf %x : f32
    %e0 = math.exp %n : f32
    cf.br ^end(%c1, %e0 : f32, f32)
    ^end(%num: f32, %z: f32):
    %d = arith.addf %c1, %z : f32
    %r = arith.divf %num, %d : f32
    return %r : f32
  }
}
}
