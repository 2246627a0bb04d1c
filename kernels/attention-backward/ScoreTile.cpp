//===- ScoreTile.cpp - Arithmetic on a tile of scores, backward ----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::attention_backward;

/// Queries of a piece.
static constexpr int64_t kPiece = 4;

ScoreTile::ScoreTile(Emitter &e, const AttentionBackwardOptions &options,
                     Value scale, Value parameter)
    : e(e), score(options.score),
      arithmetic(e, forwardOptions(options), scale, parameter),
      type(elementType(e, options)) {}

/// Accumulators come in pairs of columns, of the first row and of the one eight
/// below.
Value ScoreTile::piece(ValueRange accumulators, int64_t column,
                       unsigned row) const {
  llvm::SmallVector<Value> elements;
  for (int64_t i = column; i < column + kPiece; ++i)
    elements.push_back(
        accumulators[size_t(i / 2 * 4 + 2 * int64_t(row) + i % 2)]);
  return vector::FromElementsOp::create(
      e, VectorType::get({kPiece}, e.getF32Type()), elements);
}

Value ScoreTile::rowValues(RowValues values, int64_t column) const {
  if (!values.pointer)
    return Value();
  auto pair = VectorType::get({2}, e.getF32Type());
  llvm::SmallVector<Value> elements;
  for (int64_t i = column; i < column + kPiece; i += 2) {
    // Pairs of queries are eight apart.
    Value loaded = LLVM::LoadOp::create(
        e, pair, e.offsetPointer(values.pointer, i / 2 * 8 * 4),
        /*alignment=*/8);
    for (int64_t lane : {0, 1})
      elements.push_back(vector::ExtractOp::create(e, loaded, lane));
  }
  return vector::FromElementsOp::create(
      e, VectorType::get({kPiece}, e.getF32Type()), elements);
}

void ScoreTile::round(Value piece, int64_t column, unsigned row,
                      llvm::MutableArrayRef<Value> fragments) const {
  Value rounded =
      arith::TruncFOp::create(e, VectorType::get({kPiece}, type), piece);
  Value registers = vector::BitCastOp::create(
      e, VectorType::get({kPiece / 2}, e.getI32Type()), rounded);
  for (int64_t i = 0; i < kPiece / 2; ++i)
    fragments[size_t((column / 2 + i) * kRows + row)] =
        vector::ExtractOp::create(e, registers, i);
}

/// The fragments, if they are rounded here, and the slopes.
llvm::SmallVector<Value>
ScoreTile::flatWeights(ValueRange scores, RowValues offsets,
                       const Value firstColumns[kRows]) const {
  llvm::SmallVector<Value> fragments(roundsFirst() ? kColumns : 0), slopes;
  for (int64_t column = 0; column < kColumns; column += kPiece) {
    Value pieceOffsets = rowValues(offsets, column);
    for (unsigned r = 0; r < kRows; ++r) {
      Value first;
      if (firstColumns[r])
        first = e.add(firstColumns[r], -column / 2 * 8);
      ScoreGradient::Row row =
          arithmetic.weights(e, piece(scores, column, r), pieceOffsets, first);
      slopes.push_back(row.slope);
      if (roundsFirst())
        round(row.weights, column, r, fragments);
    }
  }
  fragments.append(slopes);
  return fragments;
}

ScoreTile::Weights
ScoreTile::weights(ValueRange scores, RowValues offsets, Value isMasked,
                   llvm::function_ref<Value(unsigned row)> firstColumn) const {
  llvm::SmallVector<Type> types(roundsFirst() ? kColumns : 0, e.getI32Type());
  types.append(kColumns / kPiece * kRows,
               VectorType::get({kPiece}, e.getF32Type()));
  // All of it on both sides: what lived across a branch would be spilled.
  auto branch = scf::IfOp::create(e, types, isMasked, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(e);
    e.setInsertionPointToStart(branch.thenBlock());
    Value masked[kRows], open[kRows];
    for (unsigned r = 0; r < kRows; ++r)
      masked[r] = firstColumn(r);
    scf::YieldOp::create(e, flatWeights(scores, offsets, masked));
    e.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(e, flatWeights(scores, offsets, open));
  }
  ValueRange results = branch.getResults();
  Weights weights;
  size_t fragments = roundsFirst() ? size_t(kColumns) : 0;
  weights.fragments.append(results.begin(), results.begin() + fragments);
  weights.slopes.append(results.begin() + fragments, results.end());
  return weights;
}

llvm::SmallVector<Value> ScoreTile::gradients(Weights &weights,
                                              ValueRange weightGradients,
                                              RowValues deltas) const {
  if (!roundsFirst())
    weights.fragments.assign(size_t(kColumns), Value());
  llvm::SmallVector<Value> fragments(static_cast<size_t>(kColumns));
  size_t next = 0;
  for (int64_t column = 0; column < kColumns; column += kPiece) {
    Value pieceDeltas = rowValues(deltas, column);
    for (unsigned r = 0; r < kRows; ++r) {
      Value slope = weights.slopes[next++];
      Value gradient = arithmetic.gradient(
          e, {Value(), slope}, piece(weightGradients, column, r), pieceDeltas);
      round(gradient, column, r, fragments);
      if (!roundsFirst()) // The slopes of a softmax are its weights.
        round(slope, column, r, weights.fragments);
    }
  }
  return fragments;
}
