//===- ScoreGradient.cpp - Score arithmetic of attention, backward --------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreGradient.h"

#include "ScoreOps.h"

#include <limits>

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::score_ops;
using poly::kernels::hopper::Emitter;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static Value subF(Emitter &e, Value a, Value b) {
  return arith::SubFOp::create(e, a, b, kFlags);
}

/// \p row with \p other in the columns before \p firstColumn.
static Value replaceBefore(Emitter &e, Value row, Value firstColumn,
                           Value other) {
  int64_t lanes = cast<VectorType>(row.getType()).getNumElements();
  Value columns = columnNumbers(e, lanes);
  Value isBefore = arith::CmpIOp::create(e, arith::CmpIPredicate::slt, columns,
                                         splat(e, firstColumn, columns));
  return arith::SelectOp::create(e, isBefore, other, row);
}

ScoreGradient::ScoreGradient(Emitter &e, const AttentionOptions &options,
                             Value scale, Value parameter)
    : score(options.score),
      factors(scoreFactors(e, options, scale, parameter)) {}

ScoreGradient::Row ScoreGradient::weights(Emitter &e, Value scores,
                                          Value offsets,
                                          Value firstColumn) const {
  Value one = splat(e, 1.0, scores), zero = splat(e, 0.0, scores);
  if (score == AttentionScore::Sigmoid) {
    Value weights = sigmoidWeights(e, factors, scores);
    if (firstColumn)
      weights = replaceBefore(e, weights, firstColumn, zero);
    return {weights, mulF(e, weights, subF(e, one, weights))};
  }

  Value row = scores, capSlope;
  if (score == AttentionScore::Softcap) {
    row = math::TanhOp::create(
        e, mulF(e, scores, splat(e, factors.argumentScale, scores)), kFlags);
    capSlope = subF(e, one, mulF(e, row, row));
  }
  Value exponent = fma(e, row, splat(e, factors.exponentScale, row), offsets);
  // Before the power, not after it: a column that does not count may have any
  // score, and infinity times the zeros of its operands would be NaN.
  if (firstColumn)
    exponent =
        replaceBefore(e, exponent, firstColumn, splat(e, -kInfinity, row));
  Value weights = math::Exp2Op::create(e, exponent, kFlags);
  return {weights, capSlope ? mulF(e, weights, capSlope) : weights};
}

Value ScoreGradient::gradient(Emitter &e, const Row &row, Value weightGradients,
                              Value delta) const {
  if (delta)
    weightGradients = subF(e, weightGradients, delta);
  return mulF(e, row.slope, weightGradients);
}

Value ScoreGradient::queryOffset(Emitter &e, Value logSumExp) {
  Value lowest = e.constantF32(-kInfinity);
  Value offset = mulF(e, logSumExp, e.constantF32(-kLog2E));
  Value seesNone =
      arith::CmpFOp::create(e, arith::CmpFPredicate::OEQ, logSumExp, lowest);
  return arith::SelectOp::create(e, seesNone, lowest, offset);
}
