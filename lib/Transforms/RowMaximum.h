//===- RowMaximum.h - Upper bounds of exponents ----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Proves from the dataflow that the argument of an exponential does not exceed
/// a bound, because the maximum of what it was taken from is subtracted.
///
/// All statements are about values that are not NaN: where a NaN enters, a NaN
/// comes out, and the source's exponential of it is NaN too. Roundings are part
/// of the statements: a difference of ordered numbers rounds to at most zero,
/// a product by a common positive factor keeps their order, but in
/// fma(x, s, -(m * s)) only m * s is rounded.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_TRANSFORMS_ROWMAXIMUM_H
#define POLY_LIB_TRANSFORMS_ROWMAXIMUM_H

#include "mlir/IR/Value.h"

#include <optional>
#include <string>

namespace mlir::poly {

/// What an exponential is for, as far as its argument tells.
enum class ExponentUse {
  Plain,
  Weight,     ///< A score minus the maximum of its row.
  Correction, ///< An older running maximum minus the newer one.
  LogSumExp,  ///< A score minus a logarithm, or minus a stored one.
  Scale,      ///< An integer: the decoding of a power of two.
};

struct ExponentFacts {
  ExponentUse use = ExponentUse::Plain;
  /// A proved upper bound of every argument that is not NaN.
  std::optional<double> bound;
  /// Why a difference has no bound; empty when there is nothing to say.
  std::string whyNot;
};

/// How far fma(x, s, -(m * s)) can exceed zero for x <= m: half an ulp of the
/// product, where that is below 2^24. Beyond, the source's own weights are
/// powers of two at random.
constexpr double kFusedSlack = 0.5;

/// Analyses the \p argument of an exponential.
ExponentFacts analyzeExponent(Value argument);

} // namespace mlir::poly

#endif // POLY_LIB_TRANSFORMS_ROWMAXIMUM_H
