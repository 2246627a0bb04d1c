// RUN: poly-test-corpus %s

module attributes {gpu.container_module, corpus.title = "Softmax weights and their look-alikes"} {
gpu.module @corpus {
  func.func @reduced(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.rows,
                  corpus.what = "exp(x - max(x))"} {
    %v1 = vector.reduction <maximumf>, %x : vector<8xf32> into f32
    %v2 = vector.broadcast %v1 : f32 to vector<8xf32>
    %v3 = arith.subf %x, %v2 fastmath<afn> : vector<8xf32>
    %v4 = math.exp %v3 fastmath<afn> : vector<8xf32>
    return %v4 : vector<8xf32>
  }

  func.func @softmax(%x: vector<8xbf16>) -> vector<8xbf16>
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.rows,
                  corpus.what = "the whole softmax"} {
    %v1 = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %v2 = vector.reduction <maximumf>, %v1 : vector<8xf32> into f32
    %v3 = vector.broadcast %v2 : f32 to vector<8xf32>
    %v4 = arith.subf %v1, %v3 fastmath<afn> : vector<8xf32>
    %v5 = math.exp %v4 fastmath<afn> : vector<8xf32>
    %v6 = vector.reduction <add>, %v5 : vector<8xf32> into f32
    %v7 = vector.broadcast %v6 : f32 to vector<8xf32>
    %v8 = arith.divf %v5, %v7 fastmath<afn> : vector<8xf32>
    %v9 = arith.truncf %v8 : vector<8xf32> to vector<8xbf16>
    return %v9 : vector<8xbf16>
  }

  func.func @scaled_alike(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.rows,
                  corpus.what = "exp2(x s - m s)"} {
    %v1 = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %c2 = arith.constant 0.18033688 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %c4 = arith.constant dense<0.18033688> : vector<8xf32>
    %v5 = arith.mulf %x, %c4 fastmath<afn> : vector<8xf32>
    %v6 = vector.broadcast %v3 : f32 to vector<8xf32>
    %v7 = arith.subf %v5, %v6 fastmath<afn> : vector<8xf32>
    %v8 = math.exp2 %v7 fastmath<afn> : vector<8xf32>
    return %v8 : vector<8xf32>
  }

  func.func @fused(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.rows,
                  corpus.what = "fma(x, s, -(m s)): up to half an ulp of m s above 0"} {
    %v1 = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %c2 = arith.constant -0.18033688 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %c4 = arith.constant dense<0.18033688> : vector<8xf32>
    %v5 = vector.broadcast %v3 : f32 to vector<8xf32>
    %v6 = math.fma %x, %c4, %v5 fastmath<afn> : vector<8xf32>
    %v7 = math.exp2 %v6 fastmath<afn> : vector<8xf32>
    return %v7 : vector<8xf32>
  }

  func.func @fused_f16(%x: vector<8xf16>) -> vector<8xf32>
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.rows,
                  corpus.what = "the same on f16 scores"} {
    %v1 = arith.extf %x : vector<8xf16> to vector<8xf32>
    %v2 = vector.reduction <maxnumf>, %v1 : vector<8xf32> into f32
    %c3 = arith.constant -0.18033688 : f32
    %v4 = arith.mulf %v2, %c3 fastmath<afn> : f32
    %c5 = arith.constant dense<0.18033688> : vector<8xf32>
    %v6 = vector.broadcast %v4 : f32 to vector<8xf32>
    %v7 = math.fma %v1, %c5, %v6 fastmath<afn> : vector<8xf32>
    %v8 = math.exp2 %v7 fastmath<afn> : vector<8xf32>
    return %v8 : vector<8xf32>
  }

  func.func @guarded(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.rows,
                  corpus.what = "exp2((x - m) log2(e)), m replaced by 0 in an empty row"} {
    %v1 = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %c2 = arith.constant 0xFF800000 : f32
    %c3 = arith.constant 0.0 : f32
    %v4 = arith.cmpf oeq, %v1, %c2 : f32
    %v5 = arith.select %v4, %c3, %v1 : f32
    %v6 = vector.broadcast %v5 : f32 to vector<8xf32>
    %v7 = arith.subf %x, %v6 fastmath<afn> : vector<8xf32>
    %c8 = arith.constant dense<1.442695> : vector<8xf32>
    %v9 = arith.mulf %v7, %c8 fastmath<afn> : vector<8xf32>
    %v10 = math.exp2 %v9 fastmath<afn> : vector<8xf32>
    return %v10 : vector<8xf32>
  }

  func.func @masked(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.rows,
                  corpus.what = "masked scores before the maximum"} {
    %c1 = arith.constant dense<0xFF800000> : vector<8xf32>
    %c2 = arith.constant dense<0.0> : vector<8xf32>
    %v3 = arith.cmpf olt, %y, %c2 : vector<8xf32>
    %v4 = arith.select %v3, %c1, %x : vector<8xi1>, vector<8xf32>
    %v5 = vector.reduction <maximumf>, %v4 : vector<8xf32> into f32
    %v6 = vector.broadcast %v5 : f32 to vector<8xf32>
    %v7 = arith.subf %v4, %v6 fastmath<afn> : vector<8xf32>
    %v8 = math.exp %v7 fastmath<afn> : vector<8xf32>
    return %v8 : vector<8xf32>
  }

  func.func @with_sink(%x: vector<8xf32>, %y: f32) -> (vector<8xf32>, f32)
      attributes {corpus.expect = "softmax_exp:2",
                  corpus.rows,
                  corpus.what = "another logit takes part in the maximum"} {
    %v1 = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %v2 = arith.maxnumf %v1, %y : f32
    %v3 = vector.broadcast %v2 : f32 to vector<8xf32>
    %v4 = arith.subf %x, %v3 fastmath<afn> : vector<8xf32>
    %v5 = math.exp %v4 fastmath<afn> : vector<8xf32>
    %v6 = arith.subf %y, %v2 fastmath<afn> : f32
    %v7 = math.exp %v6 fastmath<afn> : f32
    return %v5, %v7 : vector<8xf32>, f32
  }

  func.func @scalars(%x: vector<4xf32>) -> (f32, f32, f32, f32)
      attributes {corpus.expect = "softmax_exp:4",
                  corpus.rows,
                  corpus.what = "four scalars and their maximum"} {
    %v1 = vector.extract %x[0] : f32 from vector<4xf32>
    %v2 = vector.extract %x[1] : f32 from vector<4xf32>
    %v3 = vector.extract %x[2] : f32 from vector<4xf32>
    %v4 = vector.extract %x[3] : f32 from vector<4xf32>
    %v5 = arith.maxnumf %v1, %v2 : f32
    %v6 = arith.maxnumf %v3, %v4 : f32
    %v7 = arith.maxnumf %v5, %v6 : f32
    %v8 = arith.subf %v1, %v7 fastmath<afn> : f32
    %v9 = math.exp %v8 fastmath<afn> : f32
    %v10 = arith.subf %v2, %v7 fastmath<afn> : f32
    %v11 = math.exp %v10 fastmath<afn> : f32
    %v12 = arith.subf %v3, %v7 fastmath<afn> : f32
    %v13 = math.exp %v12 fastmath<afn> : f32
    %v14 = arith.subf %v4, %v7 fastmath<afn> : f32
    %v15 = math.exp %v14 fastmath<afn> : f32
    return %v9, %v11, %v13, %v15 : f32, f32, f32, f32
  }

  func.func @two_way(%x: f32, %y: f32) -> (f32, f32)
      attributes {corpus.expect = "softmax_exp:2",
                  corpus.what = "exp(x - max(x, y))"} {
    %v1 = arith.maximumf %x, %y : f32
    %v2 = arith.subf %x, %v1 fastmath<afn> : f32
    %v3 = math.exp %v2 fastmath<afn> : f32
    %v4 = arith.subf %y, %v1 fastmath<afn> : f32
    %v5 = math.exp %v4 fastmath<afn> : f32
    return %v3, %v5 : f32, f32
  }

  func.func @maximum_by_select(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.what = "the maximum as a compare and select"} {
    %v1 = arith.cmpf ogt, %x, %y : f32
    %v2 = arith.select %v1, %x, %y : f32
    %v3 = arith.subf %y, %v2 fastmath<afn> : f32
    %v4 = math.exp %v3 fastmath<afn> : f32
    return %v4 : f32
  }

  func.func @scale_not_negative(%x: f32, %y: f32, %z: f32) -> f32
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.what = "a run-time scale that is a magnitude"} {
    %v1 = arith.maximumf %x, %y : f32
    %v2 = arith.subf %x, %v1 fastmath<afn> : f32
    %v3 = math.absf %z fastmath<afn> : f32
    %v4 = arith.mulf %v2, %v3 fastmath<afn> : f32
    %v5 = math.exp2 %v4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @butterfly(%x: f32) -> f32
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.what = "shuffles among the threads of a warp"} {
    %w = arith.constant 32 : i32
    %o1 = arith.constant 1 : i32
    %o2 = arith.constant 2 : i32
    %a, %p = gpu.shuffle xor %x, %o1, %w : f32
    %m1 = arith.maximumf %x, %a : f32
    %b, %q = gpu.shuffle xor %m1, %o2, %w : f32
    %m2 = arith.maximumf %m1, %b : f32
    %d = arith.subf %x, %m2 : f32
    %e = math.exp %d : f32
    return %e : f32
  }

  func.func @all_reduce(%x: f32) -> f32
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.what = "gpu.all_reduce"} {
    %m = gpu.all_reduce maximumf %x {} : (f32) -> f32
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    return %e : f32
  }

  func.func @subgroup_reduce(%x: vector<4xf32>) -> (vector<4xf32>, f32)
      attributes {corpus.expect = "softmax_exp:2",
                  corpus.rows,
                  corpus.what = "a reduced partial maximum, and the factor between the two"} {
    %own = vector.reduction <maximumf>, %x : vector<4xf32> into f32
    %all = gpu.subgroup_reduce maximumf %own : (f32) -> f32
    %b = vector.broadcast %all : f32 to vector<4xf32>
    %d = arith.subf %x, %b : vector<4xf32>
    %e = math.exp %d : vector<4xf32>
    %r = arith.subf %own, %all : f32
    %c = math.exp %r : f32
    return %e, %c : vector<4xf32>, f32
  }

  func.func @online(%x: memref<32xf32>) -> (f32, f32)
      attributes {corpus.expect = "softmax_exp:2",
                  corpus.rows,
                  corpus.what = "the online softmax: weights and the correction factor"} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %m, %l = scf.for %j = %c0 to %c32 step %c8 iter_args(%mo = %ninf, %lo = %zero) -> (f32, f32) {
      %s = vector.load %x[%j] : memref<32xf32>, vector<8xf32>
      %r = vector.reduction <maxnumf>, %s : vector<8xf32> into f32
      %mn = arith.maxnumf %mo, %r : f32
      %dead = arith.cmpf oeq, %mn, %ninf : f32
      %mg = arith.select %dead, %zero, %mn : f32
      %b = vector.broadcast %mg : f32 to vector<8xf32>
      %d = arith.subf %s, %b : vector<8xf32>
      %p = math.exp2 %d : vector<8xf32>
      %dm = arith.subf %mo, %mg : f32
      %cor = math.exp2 %dm : f32
      %ps = vector.reduction <add>, %p : vector<8xf32> into f32
      %ln = math.fma %lo, %cor, %ps : f32
      scf.yield %mn, %ln : f32, f32
    }
    return %m, %l : f32, f32
  }

  func.func @online_blocks(%x: memref<32xf32>) -> f32
      attributes {corpus.expect = "softmax_exp:2",
                  corpus.rows,
                  corpus.what = "the same with blocks and scalars"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %first = arith.constant -1.0e+30 : f32
    %zero = arith.constant 0.0 : f32
    cf.br ^head(%c0, %first, %zero : index, f32, f32)
    ^head(%i: index, %mo: f32, %lo: f32):
    %more = arith.cmpi slt, %i, %c32 : index
    cf.cond_br %more, ^body, ^done
    ^body:
    %s = memref.load %x[%i] : memref<32xf32>
    %mn = arith.maximumf %mo, %s : f32
    %d = arith.subf %s, %mn : f32
    %p = math.exp %d : f32
    %dm = arith.subf %mo, %mn : f32
    %cor = math.exp %dm : f32
    %lc = arith.mulf %lo, %cor : f32
    %ln = arith.addf %lc, %p : f32
    %next = arith.addi %i, %c1 : index
    cf.br ^head(%next, %mn, %ln : index, f32, f32)
    ^done:
    return %lo : f32
  }

  func.func @lazy_rescale(%x: vector<8xf32>, %old: f32) -> vector<8xf32>
      attributes {corpus.expect = "softmax_exp:1",
                  corpus.rows,
                  corpus.what = "the maximum is replaced only when it grew by more than 8"} {
    %c8 = arith.constant 8.0 : f32
    %m = vector.reduction <maxnumf>, %x, %old : vector<8xf32> into f32
    %grown = arith.subf %m, %old : f32
    %much = arith.cmpf ogt, %grown, %c8 : f32
    %used = arith.select %much, %m, %old : f32
    %b = vector.broadcast %used : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp2 %d : vector<8xf32>
    return %e : vector<8xf32>
  }

  func.func @softcap_then_softmax(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "tanh:1, softmax_exp:1",
                  corpus.rows,
                  corpus.what = "tanh with a folded cap, a mask, then the weights"} {
    %k = arith.constant dense<0.0025> : vector<8xf32>
    %cl = arith.constant dense<72.1347504> : vector<8xf32>
    %cs = arith.constant 72.1347504 : f32
    %a = arith.mulf %x, %k : vector<8xf32>
    %t = math.tanh %a : vector<8xf32>
    %m = vector.reduction <maxnumf>, %t : vector<8xf32> into f32
    %ms = arith.mulf %m, %cs : f32
    %b = vector.broadcast %ms : f32 to vector<8xf32>
    %q = arith.mulf %t, %cl : vector<8xf32>
    %d = arith.subf %q, %b : vector<8xf32>
    %p = math.exp2 %d : vector<8xf32>
    return %p : vector<8xf32>
  }

  func.func @nothing_subtracted(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "exp:1",
                  corpus.rows,
                  corpus.what = "exp(x)"} {
    %v1 = math.exp %x fastmath<afn> : vector<8xf32>
    return %v1 : vector<8xf32>
  }

  func.func @first_element(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "exp:1",
                  corpus.rows,
                  corpus.what = "exp(x - x[0])"} {
    %v1 = vector.extract %x[0] : f32 from vector<8xf32>
    %v2 = vector.broadcast %v1 : f32 to vector<8xf32>
    %v3 = arith.subf %x, %v2 fastmath<afn> : vector<8xf32>
    %v4 = math.exp %v3 fastmath<afn> : vector<8xf32>
    return %v4 : vector<8xf32>
  }

  func.func @half_the_maximum(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "exp:1",
                  corpus.rows,
                  corpus.what = "exp(x - max(x)/2)"} {
    %v1 = vector.reduction <maximumf>, %x : vector<8xf32> into f32
    %c2 = arith.constant 0.5 : f32
    %v3 = arith.mulf %v1, %c2 fastmath<afn> : f32
    %v4 = vector.broadcast %v3 : f32 to vector<8xf32>
    %v5 = arith.subf %x, %v4 fastmath<afn> : vector<8xf32>
    %v6 = math.exp %v5 fastmath<afn> : vector<8xf32>
    return %v6 : vector<8xf32>
  }

  func.func @another_maximum(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "exp:1",
                  corpus.rows,
                  corpus.what = "exp(x - max(y))"} {
    %v1 = vector.reduction <maximumf>, %y : vector<8xf32> into f32
    %v2 = vector.broadcast %v1 : f32 to vector<8xf32>
    %v3 = arith.subf %x, %v2 fastmath<afn> : vector<8xf32>
    %v4 = math.exp %v3 fastmath<afn> : vector<8xf32>
    return %v4 : vector<8xf32>
  }

  func.func @minimum(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "exp:1",
                  corpus.rows,
                  corpus.what = "exp(x - min(x))"} {
    %v1 = vector.reduction <minimumf>, %x : vector<8xf32> into f32
    %v2 = vector.broadcast %v1 : f32 to vector<8xf32>
    %v3 = arith.subf %x, %v2 fastmath<afn> : vector<8xf32>
    %v4 = math.exp %v3 fastmath<afn> : vector<8xf32>
    return %v4 : vector<8xf32>
  }

  func.func @rounded_maximum(%x: vector<8xf32>) -> vector<8xf32>
      attributes {corpus.expect = "exp:1",
                  corpus.rows,
                  corpus.what = "the maximum of rounded scores"} {
    %v1 = arith.truncf %x : vector<8xf32> to vector<8xbf16>
    %v2 = vector.reduction <maximumf>, %v1 : vector<8xbf16> into bf16
    %v3 = arith.extf %v2 : bf16 to f32
    %v4 = vector.broadcast %v3 : f32 to vector<8xf32>
    %v5 = arith.subf %x, %v4 fastmath<afn> : vector<8xf32>
    %v6 = math.exp %v5 fastmath<afn> : vector<8xf32>
    return %v6 : vector<8xf32>
  }

  func.func @run_time_scale(%x: f32, %y: f32, %z: f32) -> f32
      attributes {corpus.expect = "exp2:1",
                  corpus.what = "fma(x, z, -(m z)): z may be negative"} {
    %v1 = arith.maximumf %x, %y : f32
    %v2 = arith.mulf %v1, %z fastmath<afn> : f32
    %v3 = arith.negf %v2 fastmath<afn> : f32
    %v4 = math.fma %x, %z, %v3 fastmath<afn> : f32
    %v5 = math.exp2 %v4 fastmath<afn> : f32
    return %v5 : f32
  }

  func.func @other_scale(%x: f32, %y: f32) -> f32
      attributes {corpus.expect = "exp2:1",
                  corpus.what = "exp2(x s - m t) with two scales"} {
    %c1 = arith.constant 0.18033688 : f32
    %v2 = arith.mulf %x, %c1 fastmath<afn> : f32
    %v3 = arith.maximumf %x, %y : f32
    %c4 = arith.constant 0.17 : f32
    %v5 = arith.mulf %v3, %c4 fastmath<afn> : f32
    %v6 = arith.subf %v2, %v5 fastmath<afn> : f32
    %v7 = math.exp2 %v6 fastmath<afn> : f32
    return %v7 : f32
  }

  func.func @log_sum_exp(%x: f32, %y: f32, %z: f32) -> f32
      attributes {corpus.expect = "exp:1",
                  corpus.what = "exp(x - (m + log(l)))"} {
    %v1 = math.log %z fastmath<afn> : f32
    %v2 = arith.addf %y, %v1 fastmath<afn> : f32
    %v3 = arith.subf %x, %v2 fastmath<afn> : f32
    %v4 = math.exp %v3 fastmath<afn> : f32
    return %v4 : f32
  }
}
}
