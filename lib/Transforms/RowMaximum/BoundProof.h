//===- BoundProof.h - Proofs that values are ordered -----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The proofs behind RowMaximum.h: that one value, scaled, never exceeds
/// another, whatever path the data took.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_TRANSFORMS_ROWMAXIMUM_BOUNDPROOF_H
#define POLY_LIB_TRANSFORMS_ROWMAXIMUM_BOUNDPROOF_H

#include "../RaisePatterns/FloatView.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>

namespace mlir::poly::bound {

/// One lane of a vector value, or all of a value; negated for sign -1.
struct Operand {
  Value value;
  int64_t lane = -1;
  int sign = 1;

  Operand with(Value other) const { return {other, lane, sign}; }
  Operand negated() const { return {value, lane, -sign}; }
};

/// A positive factor: a literal times a value that is not negative, if any.
struct Factor {
  double number = 1;
  Value runtime;

  bool isOne() const { return number == 1 && !runtime; }
  bool operator==(const Factor &other) const {
    return number == other.number && runtime == other.runtime;
  }
};

/// The operands of a maximum over more than two elements: lanes of vectors,
/// plain values, other threads' values.
struct Reduction {
  Value elements; ///< A vector of which all elements take part, or this
                  ///< thread's own value.
  Value other;    ///< An accumulator.
  bool keepsNumbers = false; ///< NaN only when everything is.
};
std::optional<Reduction> viewMaxReduction(Operation *op);

/// The reduction over inner or outer dimensions whose results \p value has in
/// every element of the row that each is the maximum of.
std::optional<Reduction> viewRowReduction(Value value);

/// Whether a maximum is NaN only when all that went into it is.
bool keepsNumbers(Value value);

/// The scalar that all lanes of \p op's result are.
Value viewSplat(Operation *op);
/// The same of the op that defines a value; otherwise the value.
Value asSplatSource(Value value);

/// The vector and static lane that \p op extracts.
std::optional<std::pair<Value, int64_t>> viewExtract(Operation *op);

/// What a lane of an elementwise, splat or assembled vector is.
Operand resolveLane(Operand operand);

bool isScalar(Value value);
/// Of a vector with one dimension; 0 for anything else.
int64_t laneCount(Value value);

FloatView viewOf(Value value);
std::optional<double> literal(Operand operand);

/// A select on a comparison of a value with a literal.
struct Guard {
  Value value;
  double limit;
  /// The operand, 1 or 2, of the select where value <= limit.
  unsigned boundedOperand;
  /// It is chosen for a NaN too.
  bool boundedIfNaN;
};
std::optional<Guard> viewGuard(Operation *select);

/// Everything a proof may use.
class Prover {
public:
  /// Proves factor * a <= m + slack.
  bool atMost(Operand a, Factor factor, Operand m, double &slack,
              unsigned depth = 0);
  /// An upper bound of sign * value.
  std::optional<double> upperBound(Operand operand, unsigned depth = 0);

  /// The difference whose sign was proved, minuend first.
  Operand provedMinuend, provedMaximum;
  /// What stood in the way.
  std::string whyNot;
  /// What stood in the way of a maximum that passes through shared memory.
  std::string whyNotShared;
  /// Off in the proofs that one through shared memory is made of.
  bool followsSharedMemory = true;

private:
  bool isSame(Operand a, Operand m);
  bool atMostOfMaximum(Operand a, Factor factor, Operand m, double &slack,
                       unsigned depth);
  bool atMostElement(Operand a, Factor factor, Operand elements, double &slack,
                     unsigned depth);
  bool atMostOfSelect(Operand a, Factor factor, Operand m, Operation *select,
                      double &slack, unsigned depth);
  static Operand stripFactors(Operand a);
  bool atMostOfProduct(Operand a, Factor factor, Operand m,
                       const FloatView &view, double &slack, unsigned depth);
  bool leftAtMost(Operand a, Factor factor, Operand m, double &slack,
                  unsigned depth);
  bool atMostOfShared(Operand a, Factor factor, Operand m, double &slack);
  std::optional<double> unroundedBound(Operand operand, unsigned depth);
  std::optional<double> boundDifference(Operand a, Factor factor, Operand m,
                                        unsigned depth);
  std::optional<double> boundSum(Operand a, Factor factor, Operand offset,
                                 unsigned depth);
  std::optional<double> boundFma(const FloatView &view, Operand operand,
                                 unsigned depth);
  bool isNotNegative(Value value, unsigned depth = 0);
  /// |operand| as a factor when operand is a literal or never negative.
  std::optional<Factor> getFactor(Value value, int &sign, unsigned depth = 0);
  void noteUnknownScale(bool isKnown);
  /// The same as bound::keepsNumbers, asked once for each value.
  bool keepsNumbers(Value value) {
    auto [it, isNew] = numberKeepers.try_emplace(value, false);
    if (isNew)
      it->second = bound::keepsNumbers(value);
    return it->second;
  }

  llvm::DenseMap<Value, bool> numberKeepers;
  unsigned steps = 0, sharedProofs = 0;
};
} // namespace mlir::poly::bound

#endif // POLY_LIB_TRANSFORMS_ROWMAXIMUM_BOUNDPROOF_H
