//===- ScoreGradient.h - Score arithmetic of attention, backward -*- C++
//-*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The backward pass has its scores transposed: a row of the accumulator is a
// key, its columns are queries. So what belongs to a query (its log-sum-exp and
// its delta) is a vector, and a causal mask takes the columns before one.
//
// Gradients are with respect to scale * (query . key); the products' results
// take the scale in the end.
//
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTION_SCOREGRADIENT_H
#define POLY_KERNELS_ATTENTION_SCOREGRADIENT_H

#include "Score.h"

namespace poly::kernels {

class ScoreGradient {
public:
  /// \p parameter is the cap or the bias, where the score takes one.
  ScoreGradient(hopper::Emitter &e, const AttentionOptions &options,
                mlir::Value scale, mlir::Value parameter);

  struct Row {
    mlir::Value weights; ///< P, as in the forward pass.
    mlir::Value slope;   ///< What the gradient of the weights is times.
  };

  /// \p scores of one key, f32. \p offsets are what queryOffset() gave for
  /// each column; null for sigmoids. \p firstColumn, if given, says which
  /// column, numbered from this lane's first one, is the first that counts
  /// (i32); weights and slopes before it are exactly zero.
  Row weights(hopper::Emitter &e, mlir::Value scores, mlir::Value offsets,
              mlir::Value firstColumn) const;
  /// The gradient of the scores from that of the weights. \p delta holds each
  /// column's sum of weights * \p weightGradients; null for sigmoids.
  mlir::Value gradient(hopper::Emitter &e, const Row &row,
                       mlir::Value weightGradients, mlir::Value delta) const;

  /// What a query's exponents are offset by, from its log-sum-exp. A query that
  /// sees no key has the log-sum-exp -inf: its offset is -inf as well, so that
  /// its weights are exp2(-inf) and its gradients zero.
  static mlir::Value queryOffset(hopper::Emitter &e, mlir::Value logSumExp);

private:
  AttentionScore score;
  ScoreFactors factors;
};

} // namespace poly::kernels

#endif // POLY_KERNELS_ATTENTION_SCOREGRADIENT_H
