//===- PolynomialFit.h - Fitting range-reduced polynomials ------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fits the polynomial programs of Schemes.h. The rounded program is the
/// object: the coefficients that are best in real arithmetic only start a
/// search over representable coefficients, clamps and piece boundaries, scored
/// by replay.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_FIT_POLYNOMIALFIT_H
#define POLY_FIT_POLYNOMIALFIT_H

#include "poly/Fit/SearchOptions.h"
#include "poly/Program/Certify.h"
#include "poly/Program/Schemes.h"

#include <string>
#include <vector>

namespace poly::fit {

/// What the search makes small.
enum class Measure : uint8_t {
  Absolute,
  Relative, ///< |error| / |f| over the range of `weightLow` to `weightHigh`.
  Normal,   ///< |error| weighted by the standard normal density.
};

std::string_view name(Measure measure);
bool parse(std::string_view text, Measure &measure);

/// What to fit. `degree` is that of the polynomial in y: 3 for half3, 5 for
/// odd5, 4 for even4, 3 for whole3; the factor of a root counts.
struct PolynomialRequest {
  Function function = Function::Sigmoid;
  bool odd = false; ///< A polynomial in y^2.
  /// Whether the program must saturate to exactly its limits. A free tail only
  /// stays within them.
  bool exactTail = true;
  unsigned degree = 3;
  Format format = Format::BF16; ///< Of the arithmetic.
  uint64_t seed = 1;

  /// The format of the results where it is another.
  std::optional<Format> to;
  unsigned pieces = 1;
  unsigned squarings = 0;
  bool centered = false; ///< q takes |y| less a center.
  /// Not 0: the form has the factor y^2 - root^2.
  double root = 0;
  Measure measure = Measure::Absolute;
  /// Coupled with the derivative by Coupling::Algebraic: the larger of the two
  /// errors counts.
  bool coupled = false;
  /// SigmoidShift: n.
  double parameter = 0;
  /// Custom, and functions without a symmetry: the arguments to fit on, beyond
  /// which the argument is clamped.
  double domainLow = 0, domainHigh = 0;
  /// Custom: a formula in x, and what it is known to be.
  std::string expression;
  Reduction reduction = Reduction::Whole;
  /// The name of a custom program's function.
  std::string title;
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
  /// The measure reached.
  double error = 0;
  /// Candidates that were scored.
  uint64_t candidates = 0;
};

/// The program of a spec that a request asks about: from its own format.
Program buildProgram(const PolynomialRequest &request,
                     const PolynomialSpec &spec);

/// Searches from many endpoint-constrained least-squares and minimax fits.
/// Deterministic: the same request gives the same spec.
PolynomialFit fitPolynomial(const PolynomialRequest &request,
                            const SearchOptions &options = {});

/// Coefficients of q, unrounded: the tail at \p limit is the function's limit,
/// with least squares on [0, limit] over 2,000 Chebyshev nodes.
std::vector<double> constrainedLeastSquares(const PolynomialRequest &request,
                                            double limit);

/// The best any coefficients do in real arithmetic.
struct RealBound {
  /// No program of the form and tail has a smaller maximum error (by the
  /// request's measure) without rounding, whatever its clamp.
  double minimax = 0;
  /// The largest sum of the error of that polynomial and half an ulp of the
  /// result at one input.
  double withRounding = 0;
  double clamp = 0; ///< Where it is reached.
};
RealBound realBound(const PolynomialRequest &request);
inline double realMinimax(const PolynomialRequest &request) {
  return realBound(request).minimax;
}

} // namespace poly::fit

#endif // POLY_FIT_POLYNOMIALFIT_H
