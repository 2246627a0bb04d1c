//===- Idioms.h - Find spelled-out functions -------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_RAISEPATTERNS_IDIOMS_H
#define POLY_TRANSFORMS_RAISEPATTERNS_IDIOMS_H

#include "FloatView.h"
#include "Targets.h"

#include "../RowMaximum.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::poly {

/// A value that is a known function of another value.
struct Idiom {
  /// The op whose only result is function(base), or function(-base).
  Operation *root = nullptr;
  /// The argument, without exact widenings and negations around it.
  Value base;
  Target target = {};
  /// All ops between base and root, root included.
  llvm::SmallSetVector<Operation *, 12> ops;
  /// Some of its values come from one of two sides of a branch.
  bool hasMerges = false;
  /// A function op stands for the root already.
  bool isRaised = false;
  /// Where the root divides this value by 1 + exp(-argument): the root is the
  /// value times the function, a sigmoid.
  Value numerator;
  /// What users call it: the function, or the larger thing around it (swish,
  /// quick_gelu, softcap, softmax_exp).
  StringRef kind;
  /// Of an exponential.
  ExponentFacts exponent;
  /// Idioms of one root with the same number, not 0, are a function and its
  /// derivative that share work: both are replaced or neither.
  unsigned pair = 0;
};

/// Code that looks like a function, but stays.
struct NearMiss {
  Operation *op;
  StringRef function;
  std::string whyNot;
};

/// The outermost idioms below \p root (a region op of device code) with no
/// idiom inside another, in the order of their transcendental ops. Takes time
/// linear in the number of ops.
/// What is almost an idiom and stays, with the reason, goes to \p nearMisses.
std::vector<Idiom> findIdioms(Operation *root,
                              std::vector<NearMiss> *nearMisses = nullptr);

/// Whether a tanh is the middle of cap * tanh(x / cap) with a positive cap.
/// Constants may be a few roundings of their own type apart.
bool isSoftcap(const Idiom &idiom);

/// The flags that all flag-carrying ops of \p idiom have in common, exact
/// widenings aside.
arith::FastMathFlags getCommonFlags(const Idiom &idiom);

/// Whether the source licenses to approximate \p idiom as a whole: every
/// rounding op carries afn, or every approximable one is a fast library
/// function or an approximate instruction.
bool hasConsent(const Idiom &idiom);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_RAISEPATTERNS_IDIOMS_H
