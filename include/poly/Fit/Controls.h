//===- Controls.h - Published methods to compare with -----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Other ways to get coefficients of the same forms, evaluated by the same
/// replay: endpoint-constrained least squares, Sollya's fpminimax, the
/// derivative of a value's polynomial, and two published programs of sigmoid
/// attention.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_FIT_CONTROLS_H
#define POLY_FIT_CONTROLS_H

#include "poly/Fit/PolynomialFit.h"

#include <optional>
#include <string>

namespace poly::fit {

/// Coefficients from elsewhere in a request's form.
struct Control {
  PolynomialSpec spec;
  double interval = 0; ///< That the coefficients were fitted on.
  /// The largest absolute error over |x| <= 12: of the rounded coefficients in
  /// real arithmetic, and replayed.
  double real = 0, replayed = 0;
};

/// Whether the controls know the request's form: one piece in |x|, of 16 bits.
bool hasControls(const PolynomialRequest &request);

/// Least squares on 2,000 Chebyshev nodes of [0, Li] with P(0) = f(0) and
/// P(Li) = f(Li), the coefficients rounded, Li and the clamp Lc <= Li + 1 in
/// steps of 1/4: the candidate with the least error, replayed or (\p real) in
/// real arithmetic.
Control constrainedLeastSquaresControl(const PolynomialRequest &request,
                                       bool real = false);

/// The Sollya script that fits the form on each of the intervals [0, L].
std::string sollyaScript(const PolynomialRequest &request);

/// Runs the script and keeps the interval with the least replayed error;
/// nothing where Sollya is not installed or fails.
std::optional<Control> sollyaControl(const PolynomialRequest &request,
                                     std::string &error);

/// The derivative of a fitted polynomial as a program of its own: the
/// polynomial's derivative with rounded coefficients, and the clamp, at most
/// the value's, with which the replayed error against the true derivative is
/// least. Nothing and an \p error for what is not one piece in |y| or y^2 of a
/// 16-bit format that approximates sigmoid, tanh, SiLU or GELU.
std::optional<Control> differentiated(const PolynomialSpec &value,
                                      std::string &error);

/// sigmoid(s - log 4096) as the two-piece cubic of a published kernel, and that
/// with the factored derivative as a second result; f32 to bf16.
Program publishedSigmoidAttention(bool coupled);

} // namespace poly::fit

#endif // POLY_FIT_CONTROLS_H
