// RUN: poly-opt %s --poly-raise --poly-plan --canonicalize --cse | FileCheck %s
// RUN: poly-opt %s --poly-raise --poly-plan --remarks-filter=poly-plan --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: poly-opt %s --poly-raise --poly-plan="budget=atol=1e-2" --canonicalize --cse | FileCheck %s --check-prefix=BUDGET
// RUN: poly-opt %s --poly-raise --poly-plan="budget=atol=1e-2 round-inputs" --canonicalize --cse | FileCheck %s --check-prefix=ROUND

// The phase is f32-valued and stays so: no opt-in is needed for a 16-bit
// result. The default budget of one ulp asks for the programs that are exact
// next to the zeros; f16 phases and the special function unit need a budget
// that says so.

gpu.module @turns {
  // CHECK-LABEL: func.func @rounded
  // CHECK:         poly.sin_turn {{.*}} program <"sin_turn-odd7rf32-f32-bf16x2">
  // CHECK:         poly.cos_turn {{.*}} program <"cos_turn-even8rf32-f32-bf16x2">
  // REMARK:        [Passed] sin_turn {{.*}}sin_turn-odd7rf32-f32-bf16x2: max error
  // BUDGET-LABEL: func.func @rounded
  // BUDGET:        poly.sin_turn {{.*}} program <"sin_turn-odd7rf32-f32-bf16x2">
  func.func @rounded(%t: vector<8xi32>) -> (vector<8xbf16>, vector<8xbf16>) {
    %k = arith.constant dense<1.46291808e-9> : vector<8xf32>
    %i = arith.sitofp %t : vector<8xi32> to vector<8xf32>
    %a = arith.mulf %i, %k fastmath<afn> : vector<8xf32>
    %s = math.sin %a fastmath<afn> : vector<8xf32>
    %c = math.cos %a fastmath<afn> : vector<8xf32>
    %u = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    %v = arith.truncf %c : vector<8xf32> to vector<8xbf16>
    return %u, %v : vector<8xbf16>, vector<8xbf16>
  }

  // CHECK-LABEL: func.func @half
  // CHECK:         poly.sin_turn {{.*}} program <"sin_turn-odd9rf32-f32-f16x2">
  // CHECK:         poly.cos_turn {{.*}} program <"cos_turn-even8rf32-f32-f16x2">
  // ROUND-LABEL: func.func @half
  // ROUND:         poly.sin_turn {{.*}} program <"sin_turn-odd5-f32-f16x2">
  // ROUND:         poly.cos_turn {{.*}} program <"cos_turn-even6-f32-f16x2">
  func.func @half(%t: vector<8xi32>) -> (vector<8xf16>, vector<8xf16>) {
    %k = arith.constant dense<1.46291808e-9> : vector<8xf32>
    %i = arith.sitofp %t : vector<8xi32> to vector<8xf32>
    %a = arith.mulf %i, %k fastmath<afn> : vector<8xf32>
    %s = math.sin %a fastmath<afn> : vector<8xf32>
    %c = math.cos %a fastmath<afn> : vector<8xf32>
    %u = arith.truncf %s : vector<8xf32> to vector<8xf16>
    %v = arith.truncf %c : vector<8xf32> to vector<8xf16>
    return %u, %v : vector<8xf16>, vector<8xf16>
  }

  // Used in f32: nothing serves.
  // CHECK-LABEL: func.func @used_in_f32
  // CHECK-NOT:     poly.
  // REMARK:        [Missed] sin_turn {{.*}}no program for sin_turn f32 -> f32
  func.func @used_in_f32(%t: i32) -> f32 {
    %k = arith.constant 1.46291808e-9 : f32
    %i = arith.sitofp %t : i32 to f32
    %a = arith.mulf %i, %k fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    return %s : f32
  }

  // No afn. The cosine beside it would be served; both stay.
  // CHECK-LABEL: func.func @no_consent
  // CHECK-NOT:     poly.
  // REMARK:        [Missed] sin_turn {{.*}}no consent
  // REMARK:        [Missed] cos_turn {{.*}}share work
  func.func @no_consent(%t: i32) -> (bf16, bf16) {
    %k = arith.constant 1.46291808e-9 : f32
    %i = arith.sitofp %t : i32 to f32
    %a = arith.mulf %i, %k fastmath<afn> : f32
    %s = math.sin %a : f32
    %c = math.cos %a fastmath<afn> : f32
    %u = arith.truncf %s : f32 to bf16
    %v = arith.truncf %c : f32 to bf16
    return %u, %v : bf16, bf16
  }
}
