// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "Near misses and code that stays"} {
  func.func @host_function(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "host code"} {
    %t = math.tanh %x fastmath<fast> : f32
    return %t : f32
  }
gpu.module @corpus {
  func.func @one_and_a_bit(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "1 / (1.001 + exp(-x))"} {
    %v1 = arith.negf %x fastmath<fast> : f32
    %v2 = math.exp %v1 fastmath<fast> : f32
    %c3 = arith.constant 1.001 : f32
    %v4 = arith.addf %c3, %v2 fastmath<fast> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.divf %c5, %v4 fastmath<fast> : f32
    return %v6 : f32
  }

  func.func @numerator_off(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "1.0001 / (1 + exp(-x))"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %c5 = arith.constant 1.0001 : f32
    %v6 = arith.divf %c5, %v4 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @short_log2e(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "1 / (1 + exp2(-1.4426 x))"} {
    %c1 = arith.constant -1.4426 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.exp2 %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @epsilon(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "1 / (1 + exp(-x) + 1e-6)"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %c5 = arith.constant 1.0e-06 : f32
    %v6 = arith.addf %v4, %c5 fastmath<afn> : f32
    %v7 = arith.divf %c3, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @bf16_literal_in_f32(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "log2(e) rounded to bf16 in f32 arithmetic"} {
    %c1 = arith.constant -1.4453125 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.exp2 %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %c4, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @half_is_0499(%x: f32) -> f32
      attributes {corpus.expect = "tanh:1",
                  corpus.what = "0.499 tanh(0.5 x) + 0.5"} {
    %c1 = arith.constant 0.5 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.tanh %v2 fastmath<afn> : f32
    %c4 = arith.constant 0.499 : f32
    %v5 = arith.mulf %v3, %c4 fastmath<afn> : f32
    %v6 = arith.addf %v5, %c1 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @slope_1001(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "x sigmoid(1.001 x) by exponentials"} {
    %c1 = arith.constant -1.001 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %c4 = arith.constant 1.0 : f32
    %v5 = arith.addf %c4, %v3 fastmath<afn> : f32
    %v6 = arith.divf %x, %v5 fastmath<afn> : f32
    return %v6 : f32
  }

  func.func @difference(%x: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "1 / (1 - exp(-x))"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.subf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @rounded_argument(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "x / (1 + exp(-bf16(x))): x times the sigmoid of another value"} {
    %v1 = arith.truncf %x : f32 to bf16
    %v2 = arith.extf %v1 : bf16 to f32
    %v3 = arith.negf %v2 fastmath<afn> : f32
    %v4 = math.exp %v3 fastmath<afn> : f32
    %c5 = arith.constant 1.0 : f32
    %v6 = arith.addf %c5, %v4 fastmath<afn> : f32
    %v7 = arith.divf %x, %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @rounded_between(%x: f32) -> f32
      attributes {corpus.expect = "sigmoid:1",
                  corpus.what = "x bf16(sigmoid(x))"} {
    %v1 = arith.negf %x fastmath<afn> : f32
    %v2 = math.exp %v1 fastmath<afn> : f32
    %c3 = arith.constant 1.0 : f32
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f32
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f32
    %v6 = arith.truncf %v5 : f32 to bf16
    %v7 = arith.extf %v6 : bf16 to f32
    %v8 = arith.mulf %x, %v7 fastmath<afn> : f32
    return %v8 : f32
  }

  func.func @odd_lane(%x: vector<4xf32>) -> vector<4xf32>
      attributes {corpus.expect = "none",
                  corpus.what = "one lane of a literal is off"} {
    %c = arith.constant dense<[1.0, 1.0, 1.001, 1.0]> : vector<4xf32>
    %c1 = arith.constant dense<1.0> : vector<4xf32>
    %n = arith.negf %x : vector<4xf32>
    %e = math.exp %n : vector<4xf32>
    %d = arith.addf %c, %e : vector<4xf32>
    %q = arith.divf %c1, %d : vector<4xf32>
    return %q : vector<4xf32>
  }

  func.func @double_precision(%x: f64) -> f64
      attributes {corpus.expect = "none",
                  corpus.what = "f64"} {
    %v1 = arith.negf %x fastmath<afn> : f64
    %v2 = math.exp %v1 fastmath<afn> : f64
    %c3 = arith.constant 1.0 : f64
    %v4 = arith.addf %c3, %v2 fastmath<afn> : f64
    %v5 = arith.divf %c3, %v4 fastmath<afn> : f64
    return %v5 : f64
  }

  func.func @double_inside(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "f64 between f32"} {
    %w = arith.extf %x : f32 to f64
    %t = math.tanh %w : f64
    %r = arith.truncf %t : f64 to f32
    return %r : f32
  }

  func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32>
      attributes {corpus.expect = "none",
                  corpus.what = "scalable vectors"} {
    %t = math.tanh %x : vector<[4]xf32>
    return %t : vector<[4]xf32>
  }

  func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32>
      attributes {corpus.expect = "none",
                  corpus.what = "tensors"} {
    %t = math.tanh %x : tensor<4xf32>
    return %t : tensor<4xf32>
  }

  func.func @kept(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  poly.keep,
                  corpus.what = "marked poly.keep"} {
    %t = math.tanh %x fastmath<fast> : f32
    return %t : f32
  }

  func.func @kept_inside(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "one op of it marked poly.keep"} {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e {poly.keep} : f32
    %s = arith.divf %c1, %d : f32
    return %s : f32
  }

  func.func @dead(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "nobody uses it"} {
    %t = math.tanh %x : f32
    %e = math.exp %t : f32
    return %x : f32
  }

  func.func @integers(%x: i32) -> i32
      attributes {corpus.expect = "none",
                  corpus.what = "integer look-alikes"} {
    %c1 = arith.constant 1 : i32
    %d = arith.addi %c1, %x : i32
    %q = arith.divsi %c1, %d : i32
    return %q : i32
  }

  llvm.func @inline_asm(%x: f32) -> f32
      attributes {corpus.expect = "none",
                  corpus.what = "volatile assembly"} {
    %e = llvm.inline_asm has_side_effects "mov.f32 $0, $1;", "=f,f" %x : (f32) -> f32
    llvm.return %e : f32
  }
}
}
