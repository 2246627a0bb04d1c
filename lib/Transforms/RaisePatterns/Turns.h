//===- Turns.h - Sines and cosines of reduced angles -----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A sine or cosine is a site when its angle is 2 pi times a phase in turns
/// that is proved to lie in [-1/2, 1/2]: programs do not reduce. The proofs:
///
///   * a fixed-point phase: an integer of w bits, converted and scaled by 2^-w
///     or less. Its overflow is the reduction, and the reduction is exact.
///     An unsigned integer that stands for a whole turn is read as signed: the
///     two differ by a turn.
///   * x - roundeven(x), or another rounding to the nearest integer.
///
/// The scale may be spread over several multiplications or folded into 2 pi,
/// and the product must be 2 pi times a power of two within four ulps of f32.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_RAISEPATTERNS_TURNS_H
#define POLY_TRANSFORMS_RAISEPATTERNS_TURNS_H

#include "Idioms.h"

#include <string>
#include <vector>

namespace mlir::poly {

struct TurnSite {
  /// `base` is the integer or float value that the phase is a multiple of.
  Idiom idiom;
  /// The result of the root: 1 is the cosine of a sincos.
  unsigned result = 0;
  /// The phase, where the source has it as a value of its own.
  Value phase;
  /// Otherwise the phase is scale * base, an integer base read as signed.
  double scale = 1;
};

/// A sine or cosine that is no site.
struct TurnRefusal {
  Operation *op;
  StringRef kind;
  std::string reason;
};

struct TurnSearch {
  std::vector<TurnSite> sites;
  std::vector<TurnRefusal> refusals;
};

/// Finds the sines and cosines below \p root, in order. Those of one phase form
/// pairs.
TurnSearch findTurns(Operation *root);

/// Whether the source licenses to approximate the site: every multiplication
/// and the function carry afn, or the function is a fast one.
bool hasTurnConsent(const Idiom &idiom);

/// Makes phases, each once, right behind what they are made of.
class PhaseBuilder {
public:
  /// The phase of \p site in the type of its result.
  Value get(OpBuilder &builder, const TurnSite &site);

private:
  llvm::DenseMap<std::pair<Value, Attribute>, Value> phases;
};

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_RAISEPATTERNS_TURNS_H
