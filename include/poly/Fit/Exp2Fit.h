//===- Exp2Fit.h - Fitting 2^f on [0, 1] -----------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_FIT_EXP2FIT_H
#define POLY_FIT_EXP2FIT_H

#include "poly/Program/Exponentials.h"

#include <string>
#include <string_view>
#include <vector>

namespace poly::fit {

enum class Exp2Objective : uint8_t {
  Minimax,      ///< Least maximum of |p / 2^f - 1|.
  LeastSquares, ///< Least sum of (p - 2^f)^2.
};

/// Which p approximates 2^f on [0, 1]. All have p(0) = 1.
struct Exp2Request {
  ExpCore core = ExpCore::Horner;
  unsigned degree = 3; ///< Of a Horner core, 1 to 4.
  /// p(1) = 2 is not asked for: the control that shows what it is good for.
  bool freeEnd = false;
  Exp2Objective objective = Exp2Objective::Minimax;
  Format format = Format::F32;
};

/// Points of the uniform grid on [0, 1] that fits and their errors are over.
constexpr unsigned kExp2Points = 1000001;

/// "d3", "hinge", "d3free"; false when \p form is none of them.
bool parseExp2Form(std::string_view form, Exp2Request &request);
std::string exp2Form(const Exp2Request &request);

struct Exp2Fit {
  /// c1, c2, ... in real arithmetic; c0 is 1.
  std::vector<double> real;
  double realError = 0; ///< max |p / 2^f - 1| of these.
  /// Representable, with p(0) = 1 and p(1) = 2 exactly when evaluated in the
  /// format (but for freeEnd).
  ExpPolynomialSpec spec;
  /// max |p / 2^f - 1| by replay: over every f of a 16-bit format.
  double error = 0;
};

/// The coefficients c1, c2, ... in real arithmetic.
std::vector<double> fitExp2Real(const Exp2Request &request);

/// The real fit, then a search over representable coefficients around it.
Exp2Fit fitExp2(const Exp2Request &request);

/// What ships, in table order.
std::vector<Exp2Request> shippedExp2Requests();

} // namespace poly::fit

#endif // POLY_FIT_EXP2FIT_H
