//===- ScoreTile.h - Arithmetic on a tile of scores, backward --*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A thread's part of a transposed tile of scores, two keys by 16 queries, goes
/// through ScoreGradient in pieces of a few queries, which keeps what belongs
/// to queries in registers for a short time: registers are full.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTIONBACKWARD_SCORETILE_H
#define POLY_KERNELS_ATTENTIONBACKWARD_SCORETILE_H

#include "Frame.h"

#include "attention/ScoreGradient.h"

namespace poly::kernels::attention_backward {

class ScoreTile {
public:
  ScoreTile(Emitter &e, const AttentionBackwardOptions &options, Value scale,
            Value parameter);

  /// An f32 of each query of the tile in shared memory, from the lane's first
  /// one on; a null address for sigmoids, which have none.
  struct RowValues {
    Value pointer;
  };

  /// The weights: rounded, as fragments, if that may be done before the
  /// gradients of the weights are there, and what gradients() needs.
  struct Weights {
    llvm::SmallVector<Value> fragments;
    llvm::SmallVector<Value> slopes; ///< Vectors, each of a piece and a row.
  };
  /// \p isMasked (i1): some of the queries do not see some of the keys; then
  /// \p firstColumn emits which is the first that sees the key of a row (see
  /// ScoreGradient).
  Weights weights(ValueRange scores, RowValues offsets, Value isMasked,
                  llvm::function_ref<Value(unsigned row)> firstColumn) const;
  /// Fills in what weights() left open, and rounds the gradients of the scores,
  /// given those of the weights.
  llvm::SmallVector<Value> gradients(Weights &weights,
                                     ValueRange weightGradients,
                                     RowValues deltas) const;

  /// Whether weights() rounds. A softmax multiplies by the weights themselves;
  /// elsewhere f32 weights would be in the way of the slopes.
  bool roundsFirst() const { return score != AttentionScore::Softmax; }

private:
  static constexpr int64_t kColumns = kQueryBlock / 4; ///< Of a lane.

  Value piece(ValueRange accumulators, int64_t column, unsigned row) const;
  Value rowValues(RowValues values, int64_t column) const;
  void round(Value piece, int64_t column, unsigned row,
             llvm::MutableArrayRef<Value> fragments) const;
  llvm::SmallVector<Value> flatWeights(ValueRange scores, RowValues offsets,
                                       const Value firstColumns[kRows]) const;

  Emitter &e;
  AttentionScore score;
  ScoreGradient arithmetic;
  mlir::Type type; ///< Of the fragments' elements.
};

} // namespace poly::kernels::attention_backward

#endif // POLY_KERNELS_ATTENTIONBACKWARD_SCORETILE_H
