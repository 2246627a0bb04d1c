//===- Score.h - From scores to weights ------------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The arithmetic between the two matrix products of attention, as a user would
/// write it: a thread holds two rows of a tile of scores, and a row is spread
/// over the four lanes of a quad.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTION_SCORE_H
#define POLY_KERNELS_ATTENTION_SCORE_H

#include "Attention.h"

#include "hopper/Emitter.h"

namespace poly::kernels {

constexpr unsigned kRows = 2;

/// What a softmax carries from tile to tile, for each row.
struct SoftmaxState {
  mlir::Value maximum[kRows]; ///< Of the scores so far, in all lanes.
  mlir::Value sum[kRows];     ///< Of this lane's weights.
};

/// The tile's weights (f32 vectors) and the state after it.
struct TileWeights {
  mlir::Value rows[kRows];
  SoftmaxState state;
  /// What the rows' earlier weights have to be multiplied by; null in the first
  /// tile, and where scores are no softmax.
  mlir::Value correction[kRows];
};

/// Run-time factors of the scores, those that the score function has; the
/// same ones in both directions.
struct ScoreFactors {
  mlir::Value argumentScale; ///< From score to the argument of tanh or sigmoid,
                             ///< or to the weight.
  mlir::Value bias;
  mlir::Value exponentScale; ///< From (capped) score to the power of two.
};

/// \p parameter is the cap or the bias, where the score takes one.
ScoreFactors scoreFactors(hopper::Emitter &e, const AttentionOptions &options,
                          mlir::Value scale, mlir::Value parameter);

/// Sigmoid attention's weights of a row of scores.
mlir::Value sigmoidWeights(hopper::Emitter &e, const ScoreFactors &factors,
                           mlir::Value row);

class ScoreArithmetic {
public:
  /// \p parameter is the cap or the bias, where the score takes one, and
  /// \p weightScale what a sigmoid's weights of 8 bits are multiplied by.
  ScoreArithmetic(hopper::Emitter &e, const AttentionOptions &options,
                  mlir::Value scale, mlir::Value parameter,
                  mlir::Value weightScale);

  /// Sums are taken by the second product: state.sum stays as it is, and holds
  /// whole rows in the end.
  bool sumsElsewhere() const { return matrixSum; }
  bool isSoftmax() const {
    return score == AttentionScore::Softmax || score == AttentionScore::Softcap;
  }
  /// The state before the first tile.
  SoftmaxState initialState(hopper::Emitter &e) const;
  /// Weights of \p scores, vectors of f32. \p lastColumn, if given, says for
  /// each row which of its columns, numbered as they lie in a row of the tile
  /// from this lane's first one, is the last that counts (i32).
  TileWeights weights(hopper::Emitter &e, const mlir::Value scores[kRows],
                      const SoftmaxState &state, bool isFirst,
                      const mlir::Value *lastColumn) const;
  /// Weights as 16-bit values; without those that \p lastColumn excludes.
  mlir::Value round(hopper::Emitter &e, mlir::Value row, mlir::Type type,
                    mlir::Value lastColumn) const;
  /// What a whole row of the second product has to be multiplied by: 1 / sum,
  /// or 0 if no column counted; the scale, which an identity leaves for the
  /// end; null for nothing.
  mlir::Value outputFactor(hopper::Emitter &e, const SoftmaxState &state,
                           unsigned row) const;
  mlir::Value logSumExp(hopper::Emitter &e, const SoftmaxState &state,
                        unsigned row) const;

private:
  mlir::Value inverseSum(hopper::Emitter &e, const SoftmaxState &state,
                         unsigned row) const;
  /// Weights that no other column takes part in.
  mlir::Value independentWeights(hopper::Emitter &e, mlir::Value row,
                                 const mlir::Value *lastColumn) const;
  /// What is scaled and offset to give the exponents of softmax.
  mlir::Value exponentSource(hopper::Emitter &e, mlir::Value row,
                             const mlir::Value *lastColumn) const;
  mlir::Value capped(hopper::Emitter &e, mlir::Value row) const;
  /// \p row with minus infinity behind \p lastColumn.
  mlir::Value excludeBehind(hopper::Emitter &e, mlir::Value row,
                            mlir::Value lastColumn) const;
  /// Of all columns of \p row and of \p before, in all lanes; f32.
  mlir::Value maximumOf(hopper::Emitter &e, mlir::Value row,
                        mlir::Value before) const;
  /// What is added to a scaled score to give its exponent.
  mlir::Value offset(hopper::Emitter &e, mlir::Value maximum) const;

  AttentionScore score;
  bool matrixSum;
  /// Exponents are the scaled scores and a whole number for each row: exact for
  /// lattices, and in weights of 8 bits, which are scaled to use their range.
  bool wholeOffsets;
  /// Exponents of columns that are not hidden are -126 at least.
  bool boundedExponents;
  /// What weights are scaled by.
  double octavesUp;
  /// Below every score. Finite, so that a row without a live column has the
  /// weights exp2(-inf) and not NaN.
  double lowest;
  /// Scores and exponents are f16.
  bool halfScores;
  ScoreFactors factors;
  mlir::Value weightScale; ///< Of a sigmoid with 8 bits; or null.
};

} // namespace poly::kernels

#endif // POLY_KERNELS_ATTENTION_SCORE_H
