//===- Score.cpp - From scores to weights ---------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Score.h"

#include "ScoreOps.h"

#include "common/Attributes.h"
#include "hopper/Warps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::score_ops;
using poly::kernels::hopper::Emitter;

/// Below every f32 score.
static constexpr double kLowest = -1e30;
/// What an approximated tanh is never above.
static constexpr double kGreatestTanh = 1 + 1.0 / 16;
/// The least scale: a run-time scale must not be negative, or the maximum would
/// be none; nor zero, or excluded columns would be 0 times infinity. In f16 it
/// is the least number.
static constexpr double kLeastScale = 1e-30, kLeastHalfScale = 0x1p-24;

/// The greatest power of two below 448, the greatest e4m3.
static constexpr double kE4M3Octaves = 8;

/// The sum of all elements, halves onto halves; what is left of an odd number
/// comes last.
static Value sumOf(Emitter &e, Value row) {
  int64_t lanes = cast<VectorType>(row.getType()).getNumElements();
  llvm::SmallVector<Value> left;
  for (; lanes > 1; lanes /= 2) {
    auto half = [&](int64_t first) -> Value {
      return vector::ExtractStridedSliceOp::create(
          e, row, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{lanes / 2},
          ArrayRef<int64_t>{1});
    };
    if (lanes % 2)
      left.push_back(vector::ExtractOp::create(e, row, lanes - 1));
    Value low = half(0);
    row = addF(e, low, half(lanes / 2));
  }
  Value sum = vector::ExtractOp::create(e, row, int64_t(0));
  for (Value value : left)
    sum = addF(e, sum, value);
  return sum;
}

/// \p row with \p other in the columns behind \p lastColumn.
static Value replaceBehind(Emitter &e, Value row, Value lastColumn,
                           Value other) {
  int64_t lanes = cast<VectorType>(row.getType()).getNumElements();
  Value columns = columnNumbers(e, lanes);
  Value limit = splat(e, lastColumn, columns);
  Value isBehind =
      arith::CmpIOp::create(e, arith::CmpIPredicate::sgt, columns, limit);
  return arith::SelectOp::create(e, isBehind, other, row);
}

ScoreFactors poly::kernels::scoreFactors(Emitter &e,
                                         const AttentionOptions &options,
                                         Value scale, Value parameter) {
  // A NaN stays one: it must not become a scale that weighs all keys alike.
  auto positive = [&](Value factor) -> Value {
    double least = options.hasHalfScores() ? kLeastHalfScale : kLeastScale;
    return arith::MaximumFOp::create(e, factor, e.constantF32(least));
  };
  ScoreFactors factors;
  Value log2E = e.constantF32(kLog2E);
  switch (options.score) {
  case AttentionScore::Softmax:
    factors.exponentScale = positive(mulF(e, scale, log2E));
    break;
  case AttentionScore::Softcap: {
    Value cap = options.cap ? e.constantF32(*options.cap) : parameter;
    factors.argumentScale = arith::DivFOp::create(e, scale, cap);
    factors.exponentScale = positive(mulF(e, cap, log2E));
    break;
  }
  case AttentionScore::Sigmoid:
    factors.argumentScale = scale;
    factors.bias = parameter;
    break;
  case AttentionScore::Identity:
    factors.argumentScale = scale;
    break;
  }
  return factors;
}

Value poly::kernels::sigmoidWeights(Emitter &e, const ScoreFactors &factors,
                                    Value row) {
  Value argument = fma(e, row, splat(e, factors.argumentScale, row),
                       splat(e, factors.bias, row));
  Value negated = arith::NegFOp::create(e, argument, kFlags);
  Value one = splat(e, 1.0, row);
  Value exponential = math::ExpOp::create(e, negated, kFlags);
  return arith::DivFOp::create(e, one, addF(e, one, exponential), kFlags);
}

ScoreArithmetic::ScoreArithmetic(Emitter &e, const AttentionOptions &options,
                                 Value scale, Value parameter,
                                 Value weightScale)
    : score(options.score), matrixSum(options.matrixSum),
      wholeOffsets(options.is8Bit() || options.hasBoundedExponents()),
      boundedExponents(options.hasBoundedExponents()),
      octavesUp(options.is8Bit() ? kE4M3Octaves : 0), lowest(kLowest),
      halfScores(options.hasHalfScores()),
      factors(scoreFactors(e, options, scale, parameter)),
      weightScale(weightScale) {
  if (!halfScores)
    return;
  lowest = -options.scoreBound.value_or(kGreatestTanh);
  // The one factor for the scores and for their maximum.
  factors.exponentScale =
      arith::TruncFOp::create(e, e.getF16Type(), factors.exponentScale);
}

SoftmaxState ScoreArithmetic::initialState(Emitter &e) const {
  SoftmaxState state;
  for (unsigned r = 0; r < kRows; ++r) {
    state.maximum[r] = e.constantF32(lowest);
    state.sum[r] = e.constantF32(0);
  }
  return state;
}

Value ScoreArithmetic::capped(Emitter &e, Value row) const {
  Value argument = mulF(e, row, splat(e, factors.argumentScale, row));
  return math::TanhOp::create(e, argument, kFlags);
}

Value ScoreArithmetic::excludeBehind(Emitter &e, Value row,
                                     Value lastColumn) const {
  double infinity = std::numeric_limits<double>::infinity();
  Value excluded = splat(e, -infinity, row);
  // Of a constant LLVM would move the select behind the rounding, where selects
  // of 16 bits keep two conversions from becoming one.
  if (halfScores) {
    Value bits = e.opaque(
        arith::BitcastOp::create(e, e.getI32Type(), e.constantF32(-infinity)));
    excluded = splat(e, arith::BitcastOp::create(e, e.getF32Type(), bits), row);
  }
  return replaceBehind(e, row, lastColumn, excluded);
}

Value ScoreArithmetic::exponentSource(Emitter &e, Value row,
                                      const Value *lastColumn) const {
  if (score == AttentionScore::Softcap)
    row = capped(e, row);
  if (lastColumn)
    row = excludeBehind(e, row, *lastColumn);
  if (halfScores)
    row = arith::TruncFOp::create(
        e, cast<VectorType>(row.getType()).clone(e.getF16Type()), row);
  return row;
}

Value ScoreArithmetic::maximumOf(Emitter &e, Value row, Value before) const {
  Value maximum;
  if (halfScores) {
    maximum =
        vector::ReductionOp::create(e, vector::CombiningKind::MAXNUMF, row);
    maximum = arith::ExtFOp::create(e, e.getF32Type(), maximum);
    maximum = arith::MaxNumFOp::create(e, maximum, before);
  } else {
    maximum = vector::ReductionOp::create(e, vector::CombiningKind::MAXNUMF,
                                          row, before);
  }
  for (int64_t distance : {1, 2})
    maximum = arith::MaxNumFOp::create(
        e, maximum, hopper::shuffleXor(e, maximum, distance));
  return maximum;
}

Value ScoreArithmetic::offset(Emitter &e, Value maximum) const {
  Value scale = factors.exponentScale;
  if (halfScores)
    scale = arith::ExtFOp::create(e, e.getF32Type(), scale);
  Value offset = arith::NegFOp::create(e, mulF(e, maximum, scale), kFlags);
  if (!wholeOffsets)
    return offset;
  if (octavesUp != 0)
    offset = addF(e, offset, e.constantF32(octavesUp));
  return math::FloorOp::create(e, offset);
}

Value ScoreArithmetic::independentWeights(Emitter &e, Value row,
                                          const Value *lastColumn) const {
  if (score == AttentionScore::Identity) {
    // A product: of accumulators that are selected or passed on ptxas makes
    // copies in between the products, and serialises these (C7514).
    return lastColumn ? mulF(e, row,
                             replaceBehind(e, splat(e, 1.0, row), *lastColumn,
                                           splat(e, 0.0, row)))
                      : row;
  }
  Value weights = sigmoidWeights(e, factors, row);
  if (!weightScale)
    return weights;
  weights = mulF(e, weights, splat(e, weightScale, weights));
  // Of 8 bits a selection would take the bytes apart.
  return lastColumn
             ? replaceBehind(e, weights, *lastColumn, splat(e, 0.0, weights))
             : weights;
}

TileWeights ScoreArithmetic::weights(Emitter &e, const Value scores[kRows],
                                     const SoftmaxState &state, bool isFirst,
                                     const Value *lastColumn) const {
  TileWeights result;
  result.state = state;
  auto limit = [&](unsigned r) {
    return lastColumn ? lastColumn + r : nullptr;
  };
  if (!isSoftmax()) {
    for (unsigned r = 0; r < kRows; ++r)
      result.rows[r] = independentWeights(e, scores[r], limit(r));
    return result;
  }
  for (unsigned r = 0; r < kRows; ++r) {
    Value row = exponentSource(e, scores[r], limit(r));
    Value maximum = maximumOf(e, row, state.maximum[r]);
    Value rowOffset = offset(e, maximum), addend = rowOffset;
    if (halfScores)
      addend = arith::TruncFOp::create(e, e.getF16Type(), addend);
    Value exponent = fma(e, row, splat(e, factors.exponentScale, row),
                         splat(e, addend, row));
    Operation *weight = math::Exp2Op::create(e, exponent, kFlags);
    // Of hidden columns the exponent is minus infinity.
    if (boundedExponents && !lastColumn)
      weight->setAttr(kLowerBoundAttr, e.getF64FloatAttr(-126));
    result.rows[r] = weight->getResult(0);
    result.state.maximum[r] = maximum;
    if (!matrixSum)
      result.state.sum[r] = sumOf(e, result.rows[r]);
    if (isFirst)
      continue;
    Value growth;
    if (wholeOffsets) {
      // A whole number, so that the factor is exactly what the offsets make it.
      growth = arith::SubFOp::create(e, rowOffset, offset(e, state.maximum[r]),
                                     kFlags);
    } else {
      // The difference first: where no column has counted yet, both maxima are
      // kLowest, and the rounding of kLowest * scale would be a huge exponent.
      growth = arith::SubFOp::create(e, state.maximum[r], maximum, kFlags);
      growth = mulF(e, growth, factors.exponentScale);
    }
    result.correction[r] = math::Exp2Op::create(e, growth, kFlags);
    if (!matrixSum)
      result.state.sum[r] =
          fma(e, state.sum[r], result.correction[r], result.state.sum[r]);
  }
  return result;
}

Value ScoreArithmetic::round(Emitter &e, Value row, Type type,
                             Value lastColumn) const {
  auto vectorType = cast<VectorType>(row.getType());
  Value rounded = arith::TruncFOp::create(e, vectorType.clone(type), row);
  // The others have excluded them: softmax by exp2(-inf), which is 0. What a
  // sigmoid is far below zero depends on the program, so here they are excluded
  // from its results.
  if (score != AttentionScore::Sigmoid || !lastColumn || weightScale)
    return rounded;
  Value zero = arith::ConstantOp::create(e, e.getZeroAttr(rounded.getType()));
  return replaceBehind(e, rounded, lastColumn, zero);
}

/// The sum over the four lanes of a row.
static Value sumOfQuad(Emitter &e, Value value) {
  for (int64_t distance : {1, 2})
    value = addF(e, value, hopper::shuffleXor(e, value, distance));
  return value;
}

Value ScoreArithmetic::inverseSum(Emitter &e, const SoftmaxState &state,
                                  unsigned row) const {
  Value sum = matrixSum ? state.sum[row] : sumOfQuad(e, state.sum[row]);
  Value zero = e.constantF32(0);
  Value inverse = arith::DivFOp::create(e, e.constantF32(1), sum, kFlags);
  Value isEmpty =
      arith::CmpFOp::create(e, arith::CmpFPredicate::OEQ, sum, zero);
  return arith::SelectOp::create(e, isEmpty, zero, inverse);
}

Value ScoreArithmetic::outputFactor(Emitter &e, const SoftmaxState &state,
                                    unsigned row) const {
  if (score == AttentionScore::Identity)
    return factors.argumentScale;
  return isSoftmax() ? inverseSum(e, state, row) : Value();
}

Value ScoreArithmetic::logSumExp(Emitter &e, const SoftmaxState &state,
                                 unsigned row) const {
  Value sum = matrixSum ? state.sum[row] : sumOfQuad(e, state.sum[row]);
  Value octaves = math::Log2Op::create(e, sum);
  octaves = wholeOffsets
                ? arith::SubFOp::create(e, octaves,
                                        offset(e, state.maximum[row]), kFlags)
                      .getResult()
                : fma(e, state.maximum[row], factors.exponentScale, octaves);
  return mulF(e, octaves, e.constantF32(kLn2));
}
