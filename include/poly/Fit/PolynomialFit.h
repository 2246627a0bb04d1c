//===- PolynomialFit.h - Fitting packed polynomials -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fits the packed polynomial programs of Schemes.h. The rounded program is the
/// object: the coefficients that are best in real arithmetic only start a
/// search over representable coefficients and clamps, scored by replay.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_FIT_POLYNOMIALFIT_H
#define POLY_FIT_POLYNOMIALFIT_H

#include "poly/Program/Certify.h"
#include "poly/Program/Schemes.h"

#include <string>
#include <vector>

namespace poly::fit {

/// What to fit. `degree` is that of y * q: 3 for half3, 5 for odd5.
struct PolynomialRequest {
  Function function = Function::Sigmoid;
  bool odd = false;
  /// Whether the program must saturate to exactly 0 and 1 (tanh: +-1). A free
  /// tail only stays within them.
  bool exactTail = true;
  unsigned degree = 3;
  Format format = Format::BF16;
  uint64_t seed = 1;
};

/// The limits of `degree`.
constexpr unsigned kMinDegree = 2, kMaxHalfDegree = 6, kMaxOddDegree = 9;

/// Empty, or what is wrong with the request.
std::string check(const PolynomialRequest &request);

/// The poly-fit command line of the request.
std::string commandLine(const PolynomialRequest &request);

struct PolynomialFit {
  PolynomialSpec spec;
  /// Of the program from the spec's own format.
  Certificate certificate;
  /// Candidates that were scored.
  uint64_t candidates = 0;
};

/// Searches from many endpoint-constrained least-squares fits. Deterministic:
/// the same request gives the same spec.
PolynomialFit fitPolynomial(const PolynomialRequest &request);

/// Coefficients of q, unrounded: p(y) = y q with p(limit) = target(infinity)
/// and least squares on [0, limit] over 2,000 Chebyshev nodes.
std::vector<double> constrainedLeastSquares(const PolynomialRequest &request,
                                            double limit);

/// A lower bound, in real arithmetic, of the maximum absolute error of any
/// program of the form and tail, whatever its clamp.
double realMinimax(const PolynomialRequest &request);

} // namespace poly::fit

#endif // POLY_FIT_POLYNOMIALFIT_H
