//===- Scale.h - How values depend on running maxima ------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Softmax subtracts a maximum from its scores, which scales all its weights by
/// one factor, and what is accumulated with them, until a division takes the
/// factor out. This follows the factor through a function: as long as it leaves
/// everything that the function stores alone, the maximum can be any number.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_TRANSFORMS_FIXMAXIMUM_SCALE_H
#define POLY_LIB_TRANSFORMS_FIXMAXIMUM_SCALE_H

#include "RunningMaxima.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace mlir::poly {

/// What numbers lie in; -inf may be among them where `mayBeNone`.
struct ScoreRange {
  double low = 0, high = 0;
  bool mayBeNone = false;

  bool isZero() const { return low == 0 && high == 0 && !mayBeNone; }
};

/// \p range times \p factor; a -inf stays one only under a positive factor.
std::optional<ScoreRange> scaleRange(const std::optional<ScoreRange> &range,
                                     double factor);
/// \p a plus \p sign (1 or -1) times \p b.
std::optional<ScoreRange> addRanges(const std::optional<ScoreRange> &a,
                                    const std::optional<ScoreRange> &b,
                                    double sign);

/// Factors are products of rounded constants, such as log2(e) in f32; smaller
/// than this in relation is zero.
constexpr double kFactorRounding = 1e-6;

/// The numbers that \p value can be as its own expression says: literals,
/// tanh, clamps, products with literals, masks with -inf.
std::optional<ScoreRange> getRange(Value value, unsigned depth = 0);

/// A value is `rest + sum(factor * maximum)`, or the product
/// `rest * 2^sum(factor * maximum)`; `rest` depends on no maximum.
struct Scale {
  struct Term {
    Value maximum;
    double factor;
  };
  bool isProduct = false;
  llvm::SmallVector<Term, 2> terms;
  /// Of a sum; of a product's magnitude, the binary logarithm.
  std::optional<ScoreRange> rest;

  bool isFree() const { return terms.empty(); }
  /// Adds \p factor times the terms of \p other.
  void add(const Scale &other, double factor);
  /// Whether the terms are the same but for roundings of factors.
  bool hasTermsOf(const Scale &other) const;
};

/// What stands in the way of fixing a maximum.
struct Obstacle {
  Operation *op = nullptr;
  std::string reason;
  /// Of the maximum concerned.
  Value maximum;
};

class ScaleAnalysis {
public:
  explicit ScaleAnalysis(const RunningMaxima &maxima) : maxima(maxima) {}

  /// Follows all values in \p region; false with `obstacle` set where a value
  /// reaches something that its scale would change.
  bool run(Region &region);

  Obstacle obstacle;
  /// The exponentials of sums, and the logarithm of the base over that of 2.
  llvm::MapVector<Operation *, Scale> exponentials;
  /// The least and largest exponents of the formats that weights are rounded
  /// to.
  double leastExponent = -126, largestExponent = 127;
  /// Whether weights are multiplied by what may be as large as bf16 or f32 can
  /// be.
  bool multipliesAny = false;

private:
  bool runBlock(Block &block);
  bool runLoop(Operation *loop);
  bool runBranch(Operation *branch);
  bool visit(Operation *op);
  bool visitFloat(Operation *op);
  bool visitAsm(Operation *op);
  bool visitRounding(Operation *op);
  bool exchange(Operation *op, unsigned distance, const Scale &scale);
  bool keep(Operation *op);

  Scale get(Value value) const;
  /// Zero, or what starts as zero in a loop whose first round is being
  /// followed: it fits any product.
  bool isZero(Value value) const;
  void set(Value value, Scale scale);
  bool fail(Operation *op, const llvm::Twine &reason, const Scale &scale);
  /// The scale of \p a and \p b, which are added, compared or chosen from.
  bool join(Operation *op, Value a, Value b, Scale &result);
  bool joinScales(Operation *op, const Scale &a, bool aIsZero, const Scale &b,
                  bool bIsZero, Scale &result);
  bool addSums(Operation *op, const Scale &a, const Scale &b, double sign,
               Scale &result);
  bool multiply(Operation *op, Value a, Value b, Scale &result);
  bool divide(Operation *op, Value a, Value b, Scale &result);
  Scale viewed(Value value) const;
  Scale renamed(Scale scale, ValueRange from, ValueRange to) const;

  const RunningMaxima &maxima;
  llvm::DenseMap<Value, Scale> scales;
  llvm::DenseSet<Value> open;
  /// Of the members of a struct that inline assembly returns.
  llvm::DenseMap<Value, llvm::SmallVector<Scale>> members;
};

/// The assembly of warpgroup matrix products, or of waiting for them.
struct WarpgroupAssembly {
  /// The accumulators are what went in.
  bool isWait = false;
  unsigned results = 0;
  /// For each result, the operand that it starts from; -1 for zero.
  llvm::SmallVector<int> startsFrom;
  /// For each step, the operands of the four registers of A, if it is in any.
  llvm::SmallVector<std::array<unsigned, 4>> fragments;
  /// "bf16"
  std::string type;
};
std::optional<WarpgroupAssembly> viewWarpgroupAssembly(Operation *op);

} // namespace mlir::poly

#endif // POLY_LIB_TRANSFORMS_FIXMAXIMUM_SCALE_H
