//===- RealFunction.h - What a polynomial is fitted to ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The real function of a request, reduced to the part that the polynomial
/// approximates, and the linear approximation problems it poses.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_FIT_REALFUNCTION_H
#define POLY_LIB_FIT_REALFUNCTION_H

#include "poly/Fit/Minimax.h"
#include "poly/Fit/PolynomialFit.h"

namespace poly::fit::detail {

/// Saturated for sure, and finite in every format.
constexpr double kFar = 1000;

class RealFunction {
public:
  explicit RealFunction(const PolynomialRequest &request);

  const PolynomialRequest request;
  Reduction reduction;
  /// The clamps worth trying: before the first even the best polynomial leaves
  /// a large tail, after the second it is all tail. One value where the clamp
  /// is given.
  double clampLow = 0, clampHigh = 0;
  /// The largest |x| to look at, beyond the clamps.
  double reach = 0;
  bool bounded = false; ///< Fitted on the request's domain only.

  double operator()(double x) const;
  /// The value of y q (Odd, Complement, Gate) or q (Even, Whole) at x >= 0
  /// (Whole: any x); with squarings, its root.
  double core(double x) const;
  /// core() far out, or at the end of the domain.
  double limit() const { return limitValue; }
  /// What an error of core() counts for the request's measure.
  double weight(double x) const;
  /// The same for an error of the result.
  double scale(double x) const;

  size_t coefficients() const;
  /// The value of the fitted part for the coefficients \p q at the clamped \p
  /// y.
  double evaluate(const std::vector<double> &q, double y) const;

  /// The problem of q on [low, high] of y with \p nodes Chebyshev nodes; with
  /// \p pinned, q ends in limit() at \p clamp, and coefficients() - 1 columns
  /// remain, for unpin(). With \p tail the inputs beyond count as well.
  LinearProblem problem(double low, double high, double clamp, bool pinned,
                        bool tail, size_t nodes) const;
  std::vector<double> unpin(std::vector<double> r, double clamp) const;
  /// Whether there is a tail to pin.
  bool canPin() const {
    return request.exactTail && reduction != Reduction::Whole && !bounded;
  }

private:
  /// What q is multiplied by.
  double factor(double y) const;
  bool isEven() const { return reduction == Reduction::Even; }
  bool isWhole() const { return reduction == Reduction::Whole; }

  ProgramInfo info; ///< For reference().
  double limitValue = 0;
};

} // namespace poly::fit::detail

#endif // POLY_LIB_FIT_REALFUNCTION_H
