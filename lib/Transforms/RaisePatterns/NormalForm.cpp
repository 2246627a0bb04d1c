//===- NormalForm.cpp - Quotients of exponential sums --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace mlir::poly {

namespace {

/// Literals are snapped before they enter the algebra, so what is left to
/// tolerate is the rounding of a few double operations. Anything larger is a
/// difference that the source made.
constexpr double kTolerance = 1e-9;
/// A sum this much smaller than its parts cancelled to zero.
constexpr double kCancellation = 1e-13;
constexpr int kMaxPower = 8;
/// exp of a larger constant is of no use in single precision.
constexpr double kMaxShift = 80;

bool isNear(double a, double b) {
  return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

bool isAlike(const Term &a, const Term &b) {
  return a.power == b.power && isNear(a.rate, b.rate);
}

bool accumulate(Sum &to, const Sum &from, double factor) {
  for (Term term : from) {
    term.coefficient *= factor;
    if (!to.add(term))
      return false;
  }
  return true;
}

std::optional<Sum> multiply(const Sum &a, const Sum &b) {
  Sum product;
  for (const Term &s : a)
    for (const Term &t : b)
      if (!product.add({s.coefficient * t.coefficient, s.rate + t.rate,
                        s.power + t.power}))
        return std::nullopt;
  return product;
}

bool isOne(const Sum &sum) {
  return sum.size() == 1 && sum[0].coefficient == 1 && sum[0].rate == 0 &&
         sum[0].power == 0;
}

/// Moves a denominator of a single term into the numerator, which keeps sums
/// short and makes linear forms visible. Fails for a zero denominator.
std::optional<Quotient> normalize(std::optional<Sum> numerator,
                                  std::optional<Sum> denominator) {
  if (!numerator || !denominator || denominator->empty())
    return std::nullopt;
  Quotient result;
  if (numerator->empty())
    return result;
  if (denominator->size() > 1 || isOne(*denominator)) {
    result.numerator = *numerator;
    result.denominator = *denominator;
    return result;
  }
  const Term &divisor = (*denominator)[0];
  for (const Term &term : *numerator)
    if (!result.numerator.add({term.coefficient / divisor.coefficient,
                               term.rate - divisor.rate,
                               term.power - divisor.power}))
      return std::nullopt;
  return result;
}

std::optional<Quotient> addQuotients(const Quotient &a, const Quotient &b,
                                     double factor) {
  if (a.denominator.isSame(b.denominator)) {
    Sum sum = a.numerator;
    if (!accumulate(sum, b.numerator, factor))
      return std::nullopt;
    return normalize(sum, a.denominator);
  }
  std::optional<Sum> left = multiply(a.numerator, b.denominator);
  std::optional<Sum> right = multiply(b.numerator, a.denominator);
  if (!left || !right || !accumulate(*left, *right, factor))
    return std::nullopt;
  return normalize(left, multiply(a.denominator, b.denominator));
}

std::optional<Quotient> mulQuotients(const Quotient &a, const Quotient &b) {
  return normalize(multiply(a.numerator, b.numerator),
                   multiply(a.denominator, b.denominator));
}

std::optional<Quotient> divQuotients(const Quotient &a, const Quotient &b) {
  return normalize(multiply(a.numerator, b.denominator),
                   multiply(a.denominator, b.numerator));
}

/// slope and constant of a form a * x + b.
std::optional<std::pair<double, double>> linearParts(const Quotient &q) {
  if (!isOne(q.denominator))
    return std::nullopt;
  double slope = 0, constant = 0;
  for (const Term &term : q.numerator) {
    if (term.rate != 0 || term.power < 0 || term.power > 1)
      return std::nullopt;
    (term.power == 1 ? slope : constant) = term.coefficient;
  }
  return std::make_pair(slope, constant);
}

std::optional<Quotient> exponentialOf(const Quotient &q, double scale) {
  auto parts = linearParts(q);
  if (!parts || std::abs(scale * parts->second) > kMaxShift)
    return std::nullopt;
  Quotient result;
  if (!result.numerator.add(
          {std::exp(scale * parts->second), scale * parts->first, 0}))
    return std::nullopt;
  return result;
}

int signOfNumber(double value) { return (value > 0) - (value < 0); }

/// Sign of x^power * exp(rate * x) on a half.
int signOfPower(int power, unsigned half) {
  return half == 1 && std::abs(power) % 2 == 1 ? -1 : 1;
}

/// Sign of a sum on a half line, or 0 when it is not known to be definite.
int signOfSum(const Sum &sum, unsigned half) {
  if (sum.empty())
    return 0;
  int first =
      signOfNumber(sum[0].coefficient) * signOfPower(sum[0].power, half);
  bool agree = std::all_of(sum.begin(), sum.end(), [&](const Term &term) {
    return signOfNumber(term.coefficient) * signOfPower(term.power, half) ==
           first;
  });
  if (agree)
    return first;
  if (sum.size() != 2 || sum[0].power != sum[1].power)
    return 0;
  // x^k * e^(r x) * (a + b * e^(d x)) is monotone in the bracket, so the values
  // at 0 and at the far end decide.
  double a = sum[0].coefficient, b = sum[1].coefficient;
  double d = sum[1].rate - sum[0].rate;
  bool grows = (half == 0) == (d > 0);
  int far = signOfNumber(grows ? b : a);
  double atZero = a + b;
  int near = std::abs(atZero) <= kCancellation * std::abs(a)
                 ? 0
                 : signOfNumber(atZero);
  if (near != 0 && near != far)
    return 0;
  return far * signOfPower(sum[0].power, half);
}

bool isSameQuotient(const Quotient &a, const Quotient &b) {
  std::optional<Sum> left = multiply(a.numerator, b.denominator);
  std::optional<Sum> right = multiply(b.numerator, a.denominator);
  return left && right && left->isSame(*right);
}

} // namespace

//===----------------------------------------------------------------------===//
// Sum
//===----------------------------------------------------------------------===//

bool Sum::add(Term term) {
  if (!std::isfinite(term.coefficient) || !std::isfinite(term.rate) ||
      std::abs(term.power) > kMaxPower)
    return false;
  if (term.coefficient == 0)
    return true;
  for (unsigned i = 0; i < count; ++i) {
    if (!isAlike(terms[i], term))
      continue;
    double sum = terms[i].coefficient + term.coefficient;
    double parts = std::abs(terms[i].coefficient) + std::abs(term.coefficient);
    if (std::abs(sum) <= kCancellation * parts)
      terms[i] = terms[--count];
    else
      terms[i].coefficient = sum;
    return true;
  }
  if (count == kCapacity)
    return false;
  // The rate of a product such as exp(x) * exp(-x) is zero up to rounding.
  if (std::abs(term.rate) <= kCancellation)
    term.rate = 0;
  terms[count++] = term;
  return true;
}

bool Sum::isSame(const Sum &other) const {
  if (count != other.count)
    return false;
  return std::all_of(begin(), end(), [&](const Term &term) {
    return std::any_of(other.begin(), other.end(), [&](const Term &candidate) {
      return isAlike(term, candidate) &&
             isNear(term.coefficient, candidate.coefficient);
    });
  });
}

double Sum::evaluate(double x) const {
  double sum = 0;
  for (const Term &term : *this)
    sum += term.coefficient * std::pow(x, term.power) * std::exp(term.rate * x);
  return sum;
}

//===----------------------------------------------------------------------===//
// NormalForm
//===----------------------------------------------------------------------===//

NormalForm NormalForm::constant(double value) {
  NormalForm form;
  form.halves.resize(1);
  form.halves[0].numerator.add({value, 0, 0});
  return form;
}

NormalForm NormalForm::linear(double coefficient) {
  NormalForm form;
  form.halves.resize(1);
  form.halves[0].numerator.add({coefficient, 0, 1});
  return form;
}

template <typename Fn>
std::optional<NormalForm> NormalForm::combine(const NormalForm &a,
                                              const NormalForm &b, Fn fn) {
  NormalForm result;
  unsigned count = std::max(a.halves.size(), b.halves.size());
  result.halves.reserve(count);
  for (unsigned half = 0; half < count; ++half) {
    std::optional<Quotient> q = fn(a.on(half), b.on(half));
    if (!q)
      return std::nullopt;
    result.halves.push_back(*q);
  }
  return result;
}

std::optional<NormalForm> NormalForm::add(const NormalForm &a,
                                          const NormalForm &b) {
  return combine(a, b, [](const Quotient &p, const Quotient &q) {
    return addQuotients(p, q, 1);
  });
}

std::optional<NormalForm> NormalForm::sub(const NormalForm &a,
                                          const NormalForm &b) {
  return combine(a, b, [](const Quotient &p, const Quotient &q) {
    return addQuotients(p, q, -1);
  });
}

std::optional<NormalForm> NormalForm::mul(const NormalForm &a,
                                          const NormalForm &b) {
  return combine(a, b, mulQuotients);
}

std::optional<NormalForm> NormalForm::div(const NormalForm &a,
                                          const NormalForm &b) {
  return combine(a, b, divQuotients);
}

NormalForm NormalForm::negated() const {
  NormalForm result = *this;
  for (Quotient &q : result.halves) {
    Sum numerator;
    accumulate(numerator, q.numerator, -1);
    q.numerator = numerator;
  }
  return result;
}

std::optional<NormalForm> NormalForm::exponential(double scale) const {
  return combine(*this, *this, [&](const Quotient &q, const Quotient &) {
    return exponentialOf(q, scale);
  });
}

std::optional<NormalForm> NormalForm::tanh() const {
  std::optional<NormalForm> e = exponential(2);
  if (!e)
    return std::nullopt;
  NormalForm one = constant(1);
  std::optional<NormalForm> numerator = sub(*e, one),
                            denominator = add(*e, one);
  if (!numerator || !denominator)
    return std::nullopt;
  return div(*numerator, *denominator);
}

int NormalForm::signOn(unsigned half) const {
  const Quotient &q = on(half);
  return signOfSum(q.numerator, half) * signOfSum(q.denominator, half);
}

std::optional<NormalForm> NormalForm::select(const NormalForm &left,
                                             const NormalForm &right,
                                             const NormalForm &less,
                                             const NormalForm &greater) {
  std::optional<NormalForm> difference = sub(left, right);
  if (!difference)
    return std::nullopt;
  NormalForm result;
  for (unsigned half = 0; half < 2; ++half) {
    int sign = difference->signOn(half);
    if (sign == 0)
      return std::nullopt;
    result.halves.push_back((sign < 0 ? less : greater).on(half));
  }
  if (isSameQuotient(result.halves[0], result.halves[1]))
    result.halves.pop_back();
  return result;
}

std::optional<NormalForm> NormalForm::abs() const {
  return select(*this, constant(0), negated(), *this);
}

std::optional<NormalForm> NormalForm::copySign(const NormalForm &magnitude,
                                               const NormalForm &sign) {
  std::optional<NormalForm> positive = magnitude.abs();
  if (!positive)
    return std::nullopt;
  return select(sign, constant(0), positive->negated(), *positive);
}

bool NormalForm::isSame(const NormalForm &other) const {
  unsigned count = std::max(halves.size(), other.halves.size());
  for (unsigned half = 0; half < count; ++half)
    if (!isSameQuotient(on(half), other.on(half)))
      return false;
  return true;
}

std::optional<std::array<double, 2>> NormalForm::slopes() const {
  std::array<double, 2> result;
  for (unsigned half = 0; half < 2; ++half) {
    auto parts = linearParts(on(half));
    if (!parts)
      return std::nullopt;
    result[half] = parts->first;
  }
  return result;
}

double NormalForm::evaluate(double x) const {
  const Quotient &q = on(x < 0 ? 1 : 0);
  return q.numerator.evaluate(x) / q.denominator.evaluate(x);
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

namespace {

/// Where forms are compared as numbers first, which is quicker. Any point will
/// do at which the known functions differ.
constexpr double kProbe = 0.75;

struct KnownForm {
  Target target;
  NormalForm form;
  double atProbe;
};

/// The known functions. The negated ones come second: tanh(-x) of a source
/// that negates its argument is a site as much as tanh(x) is.
std::vector<KnownForm> buildTargets() {
  std::vector<KnownForm> known;
  auto add = [&](::poly::Function function, bool negated,
                 const NormalForm &form) {
    known.push_back({{function, negated}, form, form.evaluate(kProbe)});
  };
  NormalForm x = NormalForm::linear(1), one = NormalForm::constant(1);
  for (bool negated : {false, true}) {
    NormalForm argument = negated ? x.negated() : x;
    NormalForm sigmoid =
        *NormalForm::div(one, *NormalForm::add(one, *argument.exponential(-1)));
    add(::poly::Function::Sigmoid, negated, sigmoid);
    add(::poly::Function::Tanh, negated, *argument.tanh());
    add(::poly::Function::Silu, negated, *NormalForm::mul(argument, sigmoid));
  }
  return known;
}

} // namespace

std::optional<Target> matchTarget(const NormalForm &form) {
  static const std::vector<KnownForm> known = buildTargets();
  double atProbe = form.evaluate(kProbe);
  for (const KnownForm &candidate : known)
    if (std::abs(candidate.atProbe - atProbe) < 1e-6 &&
        candidate.form.isSame(form))
      return candidate.target;
  return std::nullopt;
}

double snapConstant(double value, ::poly::Format format) {
  constexpr double kLog2E = 1.4426950408889634074; // log2(e)
  constexpr double kLn2 = 0.69314718055994530942;  // ln(2)
  constexpr int kMaxUlps = 4;
  if (value == 0 || !std::isfinite(value))
    return value;
  double magnitude = std::abs(value);
  int64_t bits = ::poly::encode(format, magnitude);
  for (double family : {1.0, kLog2E, kLn2}) {
    int exponent = static_cast<int>(std::lround(std::log2(magnitude / family)));
    double exact = std::ldexp(family, exponent);
    int64_t ulps = std::abs(bits - int64_t(::poly::encode(format, exact)));
    if (ulps <= (format == ::poly::Format::F32 ? kMaxUlps : 0))
      return std::copysign(exact, value);
  }
  return value;
}

} // namespace mlir::poly
