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
/// is N / D, both sums of terms `coefficient * x^power * exp(rate * x)`, kept
/// separately for x >= 0 and x < 0 so that |x| and the sign of x are definite.
/// Functions such as exp(c * x) and x are algebraically independent, so two
/// forms are equal as functions exactly when N1 * D2 and N2 * D1 agree term by
/// term. Operations that leave the algebra, or its fixed size, give no form.
///
/// Nothing here knows MLIR.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_RAISEPATTERNS_NORMALFORM_H
#define POLY_TRANSFORMS_RAISEPATTERNS_NORMALFORM_H

#include "poly/Program/Formats.h"

#include <array>
#include <optional>
#include <vector>

namespace mlir::poly {

/// coefficient * x^power * exp(rate * x)
struct Term {
  double coefficient = 0;
  double rate = 0;
  int power = 0;
};

/// A sum of terms no two of which are alike. Never holds a zero term.
class Sum {
public:
  static constexpr unsigned kCapacity = 6;

  Sum() = default;
  explicit Sum(Term term) { add(term); }

  /// Adds a term; false when the sum would outgrow its capacity or a number
  /// stops being finite. The sum is unusable after a failure.
  bool add(Term term);

  unsigned size() const { return count; }
  bool empty() const { return count == 0; }
  const Term &operator[](unsigned i) const { return terms[i]; }
  const Term *begin() const { return terms.data(); }
  const Term *end() const { return terms.data() + count; }

  /// Equal term by term, up to the rounding of the algebra itself.
  bool isSame(const Sum &other) const;
  double evaluate(double x) const;

private:
  std::array<Term, kCapacity> terms;
  unsigned count = 0;
};

/// numerator / denominator, on one half of the line.
struct Quotient {
  Sum numerator;
  Sum denominator{Term{1, 0, 0}};
};

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
  /// exp(scale * this), for a form that is linear in x.
  std::optional<NormalForm> exponential(double scale) const;
  /// tanh, for a form that is linear in x.
  std::optional<NormalForm> tanh() const;
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
  /// The factors of x of a form a * x + b, for x >= 0 and x < 0.
  std::optional<std::array<double, 2>> slopes() const;
  /// The value at \p x, for tests.
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

/// A function that poly-raise knows, of x or of -x.
struct Target {
  ::poly::Function function;
  bool negated;
};

/// The target that \p form equals, if any.
std::optional<Target> matchTarget(const NormalForm &form);

/// What a literal \p value of type \p format stands for: a power of two, a
/// power of two times log2(e), or one times ln(2), when it is within four ulps
/// of it in f32 or exactly its rounding in a 16-bit format; otherwise itself.
double snapConstant(double value, ::poly::Format format);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_RAISEPATTERNS_NORMALFORM_H
