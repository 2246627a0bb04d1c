//===- AttentionGradients.h - Gradients of attention, float64 ---*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What gradients of attention are compared with: of the sum of O * dO, for
/// some rows of dQ and some keys of dK and dV.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_ATTENTIONGRADIENTS_H
#define POLY_BENCH_ATTENTIONGRADIENTS_H

#include "AttentionReference.h"

namespace poly::bench {

class AttentionGradients {
public:
  /// Arrays are [batch, length, heads, headDim]; their elements must be exact
  /// in f32. Scores are softmax, softcap or sigmoid.
  AttentionGradients(const AttentionProblem &problem, std::vector<float> query,
                     std::vector<float> key, std::vector<float> value,
                     std::vector<float> outputGradient);

  /// Of a row of Q, which counts batches, heads and queries, the last fastest.
  std::vector<double> ofQuery(int64_t index) const;

  struct OfKey {
    std::vector<double> key, value;
  };
  /// Of keys, which count batches, key heads and keys, the last fastest. What
  /// all queries of a head need is computed once for each head.
  std::vector<OfKey> ofKeys(const std::vector<int64_t> &indices) const;

  /// Where a query's and a key's elements begin in the arrays.
  size_t queryOffset(int64_t index) const { return forward.offset(index); }
  size_t keyOffset(int64_t index) const;

private:
  /// What a query's weights and their gradients are offset by.
  struct RowValues {
    double logSumExp = 0, delta = 0;
  };
  struct Weight {
    double weight, slope; ///< The slope by the score, without the sum's part.
  };
  RowValues rowValues(int64_t index) const;
  Weight weigh(double score, const RowValues &row) const;
  /// The weight of a key for a query, and the gradient of its score.
  struct Pair {
    double weight, gradient;
  };
  Pair pairOf(int64_t query, int64_t key, const RowValues &row) const;
  /// The number of \p key's first one of the same batch and head.
  int64_t firstKeyOf(int64_t query) const;
  double dot(const float *a, const float *b) const;

  AttentionProblem problem;
  AttentionReference forward;
  std::vector<float> query, key, value, outputGradient;
};

} // namespace poly::bench

#endif // POLY_BENCH_ATTENTIONGRADIENTS_H
