//===- NormalForm.h - Quotients of exponential sums ------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The algebra in which poly-raise compares functions of one variable x. A form
/// is N / D^k, sums of terms `coefficient * x^power * exp(a x + b x^2 + c x^3)
/// * erf(s x)^n`, kept separately for x >= 0 and x < 0 so that |x| and the sign
/// of x are definite. Functions such as exp(a x), exp(b x^2), erf(s x) and x
/// are algebraically independent, so two forms are equal as functions exactly
/// when they are equal term by term over a common denominator. Operations that
/// leave the algebra, or its fixed size, give no form.
///
/// Nothing here knows MLIR.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_RAISEPATTERNS_NORMALFORM_H
#define POLY_TRANSFORMS_RAISEPATTERNS_NORMALFORM_H

#include "poly/Program/Formats.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>
#include <vector>

namespace mlir::poly {

/// coefficient * x^power * exp(rates[0] x + rates[1] x^2 + rates[2] x^3) *
/// erf(erfSlope x)^erfPower, with a positive erfSlope where there is an erf.
struct Term {
  double coefficient = 0;
  std::array<double, 3> rates = {};
  double erfSlope = 0;
  int power = 0;
  int erfPower = 0;
};

/// A sum of terms no two of which are alike. Never holds a zero term.
class Sum {
public:
  static constexpr unsigned kCapacity = 12;

  Sum() = default;
  explicit Sum(const Term &term) { add(term); }

  /// Adds a term; false when the sum would outgrow its capacity or a number
  /// stops being finite. The sum is unusable after a failure.
  bool add(Term term);

  unsigned size() const { return terms.size(); }
  bool empty() const { return terms.empty(); }
  const Term &operator[](unsigned i) const { return terms[i]; }
  const Term *begin() const { return terms.begin(); }
  const Term *end() const { return terms.end(); }

  /// Equal term by term, up to the rounding of the algebra itself.
  bool isSame(const Sum &other) const;
  double evaluate(double x) const;

private:
  llvm::SmallVector<Term, 3> terms;
};

/// numerator / denominator^exponent, on one half of the line. The smallest term
/// of the denominator is 1, and a denominator of one term is 1: so quotients
/// over 1 + exp(-x) and over 1 + exp(x) have the same denominator.
struct Quotient {
  Sum numerator;
  Sum denominator{Term{1, {}, 0, 0, 0}};
  int exponent = 1;
};

/// A polynomial of degree three without its constant.
using Slopes = std::array<double, 3>;

/// One function of x on the whole line.
class NormalForm {
public:
  /// The constant function of a finite value.
  static NormalForm constant(double value);
  /// coefficient * x.
  static NormalForm linear(double coefficient);

  /// Arithmetic. No value means that the result has no form.
  static std::optional<NormalForm> add(const NormalForm &a,
                                       const NormalForm &b);
  static std::optional<NormalForm> sub(const NormalForm &a,
                                       const NormalForm &b);
  static std::optional<NormalForm> mul(const NormalForm &a,
                                       const NormalForm &b);
  static std::optional<NormalForm> div(const NormalForm &a,
                                       const NormalForm &b);
  NormalForm negated() const;
  /// An integer power, positive or negative.
  std::optional<NormalForm> pow(int exponent) const;
  /// exp(scale * this), for a polynomial in x of degree three at most.
  std::optional<NormalForm> exponential(double scale) const;
  /// tanh, for such a polynomial.
  std::optional<NormalForm> tanh() const;
  /// The error function, for a multiple of x.
  std::optional<NormalForm> erf() const;
  std::optional<NormalForm> abs() const;
  static std::optional<NormalForm> copySign(const NormalForm &magnitude,
                                            const NormalForm &sign);
  /// left < right ? less : greater, where the sign of left - right is definite
  /// on either half. What happens at equality is left open: x = 0 is a single
  /// point, at which both halves have the same limit for continuous functions.
  static std::optional<NormalForm> select(const NormalForm &left,
                                          const NormalForm &right,
                                          const NormalForm &less,
                                          const NormalForm &greater);

  /// Whether both are the same function.
  bool isSame(const NormalForm &other) const;
  /// This function of x / scale, for a positive scale.
  NormalForm stretched(double scale) const;
  /// The coefficients of a polynomial form for x >= 0 and x < 0, without the
  /// constant.
  std::optional<std::array<Slopes, 2>> slopes() const;
  /// Whether it is a quotient that is not a sum.
  bool hasDenominator() const;
  double evaluate(double x) const;

private:
  NormalForm() = default;
  template <typename Fn>
  static std::optional<NormalForm> combine(const NormalForm &a,
                                           const NormalForm &b, Fn fn);
  /// Sign on a half: 1 or -1, or 0 when it is not definite.
  int signOn(unsigned half) const;
  const Quotient &on(unsigned half) const {
    return halves[halves.size() > 1 ? half : 0];
  }

  /// One quotient for the whole line, or one for x >= 0 and one for x < 0.
  std::vector<Quotient> halves;
};

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_RAISEPATTERNS_NORMALFORM_H
