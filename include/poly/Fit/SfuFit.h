//===- SfuFit.h - Fitting parts of SFU programs -----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The f32 polynomials of the programs on the special function unit, whose
/// coefficients are rounded to f32: 1/(1+e) on [0, 1], tanh near 0, and GELU's
/// normal distribution.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_FIT_SFUFIT_H
#define POLY_FIT_SFUFIT_H

#include "poly/Program/Schemes.h"

#include <string>
#include <vector>

namespace poly::fit {

/// Degrees of 1/(1+e) that can be asked for.
constexpr unsigned kMinReciprocalDegree = 2, kMaxReciprocalDegree = 8;

struct SfuFit {
  std::vector<double> coefficients; ///< Ascending, f32 numbers.
  /// In units of half an ulp of the result for 1/(1+e); relative for tanh.
  double error = 0;
  std::string command;
};

/// 1/(1+e) as a polynomial with constant term 1, so that sigmoid and tanh
/// saturate and silu(x) is x for large x. The error is weighted to what half an
/// ulp of the function's \p format result allows it at that e: below 1 the
/// program is within one ulp. Degree 0 means the least degree with a margin of
/// 5 %.
SfuFit fitReciprocal(Function function, Format format, unsigned degree = 0);

/// q of tanh(x) = x + x^3 q(x^2) on |x| <= kTanhOrigin, least relative error,
/// of degree 3: the first whose error is below half an f32 ulp.
SfuFit fitTanhOrigin();

/// The slope and then the coefficients of SfuSpec::normal, ascending, for
/// results in \p format; error is relative to Phi(-t), down to where x Phi(x)
/// is a subnormal of the format.
SfuFit fitNormal(Format format);

} // namespace poly::fit

#endif // POLY_FIT_SFUFIT_H
