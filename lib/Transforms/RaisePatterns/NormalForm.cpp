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
constexpr int kMaxErfPower = 4;
/// exp of a larger constant is of no use in single precision.
constexpr double kMaxShift = 80;

bool isNear(double a, double b) {
  return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

/// -1, 0 or 1: the order of what two terms multiply their coefficients with.
int compareKeys(const Term &a, const Term &b) {
  for (int i = 2; i >= 0; --i)
    if (!isNear(a.rates[i], b.rates[i]))
      return a.rates[i] < b.rates[i] ? -1 : 1;
  if (a.erfPower != b.erfPower)
    return a.erfPower < b.erfPower ? -1 : 1;
  if (!isNear(a.erfSlope, b.erfSlope))
    return a.erfSlope < b.erfSlope ? -1 : 1;
  return (a.power > b.power) - (a.power < b.power);
}

bool isAlike(const Term &a, const Term &b) { return compareKeys(a, b) == 0; }

bool accumulate(Sum &to, const Sum &from, double factor) {
  for (Term term : from) {
    term.coefficient *= factor;
    if (!to.add(term))
      return false;
  }
  return true;
}

/// a * b^exponent for an exponent of 1 or -1. No value for two different error
/// functions.
std::optional<Term> multiply(const Term &a, const Term &b, int exponent) {
  Term product = a;
  product.coefficient = exponent > 0 ? a.coefficient * b.coefficient
                                     : a.coefficient / b.coefficient;
  for (unsigned i = 0; i < 3; ++i)
    product.rates[i] += exponent * b.rates[i];
  product.power += exponent * b.power;
  if (a.erfPower != 0 && b.erfPower != 0 && !isNear(a.erfSlope, b.erfSlope))
    return std::nullopt;
  product.erfPower += exponent * b.erfPower;
  product.erfSlope = product.erfPower == 0 ? 0
                     : a.erfPower != 0     ? a.erfSlope
                                           : b.erfSlope;
  return product;
}

std::optional<Sum> multiply(const Sum &a, const Term &b, int exponent) {
  Sum product;
  for (const Term &term : a) {
    std::optional<Term> next = multiply(term, b, exponent);
    if (!next || !product.add(*next))
      return std::nullopt;
  }
  return product;
}

std::optional<Sum> multiply(const Sum &a, const Sum &b) {
  Sum product;
  for (const Term &s : a)
    for (const Term &t : b) {
      std::optional<Term> next = multiply(s, t, 1);
      if (!next || !product.add(*next))
        return std::nullopt;
    }
  return product;
}

std::optional<Sum> power(const Sum &base, int exponent) {
  std::optional<Sum> result = Sum(Term{1, {}, 0, 0, 0});
  for (; exponent > 0 && result; --exponent)
    result = multiply(*result, base);
  return result;
}

bool isOne(const Sum &sum) {
  return sum.size() == 1 && isNear(sum[0].coefficient, 1) &&
         isAlike(sum[0], Term());
}

/// Divides \p sum by its smallest term, which is returned.
std::optional<Term> takeMonomial(Sum &sum) {
  Term smallest = sum[0];
  for (const Term &term : sum)
    if (compareKeys(term, smallest) < 0)
      smallest = term;
  std::optional<Sum> rest = multiply(sum, smallest, -1);
  if (!rest)
    return std::nullopt;
  sum = *rest;
  return smallest;
}

/// numerator / denominator^exponent in the form that Quotient promises. Fails
/// for a zero denominator.
std::optional<Quotient> normalize(std::optional<Sum> numerator,
                                  std::optional<Sum> denominator,
                                  int exponent = 1) {
  if (!numerator || !denominator || denominator->empty())
    return std::nullopt;
  Quotient result;
  if (numerator->empty())
    return result;
  if (!isOne(*denominator)) {
    std::optional<Term> monomial = takeMonomial(*denominator);
    for (int i = 0; monomial && numerator && i < exponent; ++i)
      numerator = multiply(*numerator, *monomial, -1);
    if (!monomial || !numerator)
      return std::nullopt;
  }
  result.numerator = *numerator;
  if (denominator->size() == 1)
    return result;
  // A numerator that is the denominator up to a monomial cancels.
  while (exponent > 0 && result.numerator.size() == denominator->size()) {
    Sum rest = result.numerator;
    std::optional<Term> monomial = takeMonomial(rest);
    if (!monomial || !rest.isSame(*denominator))
      break;
    result.numerator = Sum(*monomial);
    --exponent;
  }
  if (exponent == 0)
    return result;
  result.denominator = *denominator;
  result.exponent = exponent;
  return result;
}

/// The numerators of two quotients over one denominator.
struct Aligned {
  std::optional<Sum> left, right, denominator;
  int exponent = 1;
};

Aligned align(const Quotient &a, const Quotient &b) {
  Aligned result;
  if (a.denominator.isSame(b.denominator)) {
    result.exponent = std::max(a.exponent, b.exponent);
    result.denominator = a.denominator;
    auto extend = [&](const Quotient &q) -> std::optional<Sum> {
      if (isOne(q.denominator))
        return q.numerator;
      std::optional<Sum> rest =
          power(q.denominator, result.exponent - q.exponent);
      return rest ? multiply(q.numerator, *rest) : std::nullopt;
    };
    result.left = extend(a);
    result.right = extend(b);
    return result;
  }
  // One of them may be a plain sum.
  for (bool isLeft : {true, false}) {
    const Quotient &plain = isLeft ? a : b, &other = isLeft ? b : a;
    if (!isOne(plain.denominator))
      continue;
    std::optional<Sum> whole = power(other.denominator, other.exponent);
    std::optional<Sum> scaled =
        whole ? multiply(plain.numerator, *whole) : std::nullopt;
    result.left = isLeft ? scaled : a.numerator;
    result.right = isLeft ? b.numerator : scaled;
    result.denominator = other.denominator;
    result.exponent = other.exponent;
    return result;
  }
  std::optional<Sum> left = power(a.denominator, a.exponent);
  std::optional<Sum> right = power(b.denominator, b.exponent);
  if (!left || !right)
    return result;
  result.left = multiply(a.numerator, *right);
  result.right = multiply(b.numerator, *left);
  result.denominator = multiply(*left, *right);
  return result;
}

std::optional<Quotient> addQuotients(const Quotient &a, const Quotient &b,
                                     double factor) {
  Aligned terms = align(a, b);
  if (!terms.left || !terms.right ||
      !accumulate(*terms.left, *terms.right, factor))
    return std::nullopt;
  return normalize(terms.left, terms.denominator, terms.exponent);
}

std::optional<Quotient> mulQuotients(const Quotient &a, const Quotient &b) {
  std::optional<Sum> numerator = multiply(a.numerator, b.numerator);
  if (isOne(a.denominator))
    return normalize(numerator, b.denominator, b.exponent);
  if (isOne(b.denominator))
    return normalize(numerator, a.denominator, a.exponent);
  if (a.denominator.isSame(b.denominator))
    return normalize(numerator, a.denominator, a.exponent + b.exponent);
  std::optional<Sum> left = power(a.denominator, a.exponent);
  std::optional<Sum> right = power(b.denominator, b.exponent);
  return normalize(numerator,
                   left && right ? multiply(*left, *right) : std::nullopt);
}

std::optional<Quotient> invert(const Quotient &q) {
  return normalize(power(q.denominator, q.exponent), q.numerator);
}

std::optional<Quotient> divQuotients(const Quotient &a, const Quotient &b) {
  // What both divide by is no part of the result.
  Aligned terms = align(a, b);
  if (terms.left && terms.right)
    return normalize(terms.left, terms.right);
  std::optional<Quotient> inverse = invert(b);
  return inverse ? mulQuotients(a, *inverse) : std::nullopt;
}

/// The coefficients of a form c0 + c1 x + c2 x^2 + c3 x^3.
std::optional<std::array<double, 4>> polynomialParts(const Quotient &q) {
  if (!isOne(q.denominator))
    return std::nullopt;
  std::array<double, 4> parts = {};
  for (const Term &term : q.numerator) {
    Term key = term;
    key.power = 0;
    if (!isAlike(key, Term()) || term.power < 0 || term.power > 3)
      return std::nullopt;
    parts[term.power] = term.coefficient;
  }
  return parts;
}

std::optional<Quotient> exponentialOf(const Quotient &q, double scale) {
  auto parts = polynomialParts(q);
  if (!parts || std::abs(scale * (*parts)[0]) > kMaxShift)
    return std::nullopt;
  Term term{std::exp(scale * (*parts)[0]), {}, 0, 0, 0};
  for (unsigned i = 0; i < 3; ++i)
    term.rates[i] = scale * (*parts)[i + 1];
  Quotient result;
  if (!result.numerator.add(term))
    return std::nullopt;
  return result;
}

std::optional<Quotient> erfOf(const Quotient &q) {
  auto parts = polynomialParts(q);
  if (!parts || (*parts)[0] != 0 || (*parts)[1] == 0 || (*parts)[2] != 0 ||
      (*parts)[3] != 0)
    return std::nullopt;
  double slope = (*parts)[1];
  Quotient result;
  if (!result.numerator.add(
          {slope > 0 ? 1.0 : -1.0, {}, std::abs(slope), 0, 1}))
    return std::nullopt;
  return result;
}

int signOfNumber(double value) { return (value > 0) - (value < 0); }

/// Sign on a half of what a term multiplies its coefficient with.
int signOfKey(const Term &term, unsigned half) {
  return half == 1 && std::abs(term.power + term.erfPower) % 2 == 1 ? -1 : 1;
}

/// Sign of a sum on a half line, or 0 when it is not known to be definite.
int signOfSum(const Sum &sum, unsigned half) {
  if (sum.empty())
    return 0;
  auto signOfTerm = [&](const Term &term) {
    return signOfNumber(term.coefficient) * signOfKey(term, half);
  };
  int first = signOfTerm(sum[0]);
  bool agree = std::all_of(sum.begin(), sum.end(), [&](const Term &term) {
    return signOfTerm(term) == first;
  });
  if (agree)
    return first;
  if (sum.size() != 2)
    return 0;
  std::optional<Term> ratio = multiply(sum[1], sum[0], -1);
  if (!ratio || ratio->power != 0 || ratio->erfPower != 0 ||
      ratio->rates[1] != 0 || ratio->rates[2] != 0)
    return 0;
  // key * (a + b * e^(d x)) is monotone in the bracket, so the values at 0 and
  // at the far end decide.
  double a = sum[0].coefficient, b = sum[1].coefficient;
  double d = ratio->rates[0];
  bool grows = (half == 0) == (d > 0);
  int far = signOfNumber(grows ? b : a);
  double atZero = a + b;
  int near = std::abs(atZero) <= kCancellation * std::abs(a)
                 ? 0
                 : signOfNumber(atZero);
  if (near != 0 && near != far)
    return 0;
  return far * signOfKey(sum[0], half);
}

bool isSameQuotient(const Quotient &a, const Quotient &b) {
  Aligned terms = align(a, b);
  return terms.left && terms.right && terms.left->isSame(*terms.right);
}

} // namespace

//===----------------------------------------------------------------------===//
// Sum
//===----------------------------------------------------------------------===//

bool Sum::add(Term term) {
  bool isFinite = std::isfinite(term.coefficient) &&
                  std::all_of(term.rates.begin(), term.rates.end(),
                              [](double rate) { return std::isfinite(rate); });
  if (!isFinite || std::abs(term.power) > kMaxPower ||
      std::abs(term.erfPower) > kMaxErfPower)
    return false;
  if (term.coefficient == 0)
    return true;
  // The rate of a product such as exp(x) * exp(-x) is zero up to rounding.
  for (double &rate : term.rates)
    if (std::abs(rate) <= kCancellation)
      rate = 0;
  for (Term &own : terms) {
    if (!isAlike(own, term))
      continue;
    double sum = own.coefficient + term.coefficient;
    double parts = std::abs(own.coefficient) + std::abs(term.coefficient);
    if (std::abs(sum) <= kCancellation * parts) {
      own = terms.back();
      terms.pop_back();
    } else {
      own.coefficient = sum;
    }
    return true;
  }
  if (terms.size() == kCapacity)
    return false;
  terms.push_back(term);
  return true;
}

bool Sum::isSame(const Sum &other) const {
  if (size() != other.size())
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
  for (const Term &term : *this) {
    double value =
        term.coefficient * std::pow(x, term.power) *
        std::exp(x * (term.rates[0] + x * (term.rates[1] + x * term.rates[2])));
    if (term.erfPower != 0)
      value *= std::pow(std::erf(term.erfSlope * x), term.erfPower);
    sum += value;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// NormalForm
//===----------------------------------------------------------------------===//

NormalForm NormalForm::constant(double value) {
  NormalForm form;
  form.halves.resize(1);
  form.halves[0].numerator.add({value, {}, 0, 0, 0});
  return form;
}

NormalForm NormalForm::linear(double coefficient) {
  NormalForm form;
  form.halves.resize(1);
  form.halves[0].numerator.add({coefficient, {}, 0, 1, 0});
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

std::optional<NormalForm> NormalForm::pow(int exponent) const {
  std::optional<NormalForm> result = constant(1);
  for (int i = std::abs(exponent); i > 0 && result; --i)
    result = mul(*result, *this);
  return result && exponent < 0 ? div(constant(1), *result) : result;
}

std::optional<NormalForm> NormalForm::erf() const {
  return combine(*this, *this,
                 [](const Quotient &q, const Quotient &) { return erfOf(q); });
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

NormalForm NormalForm::stretched(double scale) const {
  NormalForm result;
  for (const Quotient &q : halves) {
    auto stretch = [&](const Sum &sum) {
      Sum stretched;
      for (Term term : sum) {
        term.coefficient *= std::pow(scale, -term.power);
        for (int i = 0; i < 3; ++i)
          term.rates[i] *= std::pow(scale, -i - 1);
        term.erfSlope /= scale;
        stretched.add(term);
      }
      return stretched;
    };
    result.halves.push_back(
        {stretch(q.numerator), stretch(q.denominator), q.exponent});
  }
  return result;
}

std::optional<std::array<Slopes, 2>> NormalForm::slopes() const {
  std::array<Slopes, 2> result;
  for (unsigned half = 0; half < 2; ++half) {
    auto parts = polynomialParts(on(half));
    if (!parts)
      return std::nullopt;
    result[half] = {(*parts)[1], (*parts)[2], (*parts)[3]};
  }
  return result;
}

bool NormalForm::hasDenominator() const {
  return std::any_of(halves.begin(), halves.end(),
                     [](const Quotient &q) { return !isOne(q.denominator); });
}

double NormalForm::evaluate(double x) const {
  const Quotient &q = on(x < 0 ? 1 : 0);
  return q.numerator.evaluate(x) /
         std::pow(q.denominator.evaluate(x), q.exponent);
}

} // namespace mlir::poly
