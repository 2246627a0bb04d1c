//===- RealFunction.cpp - What a polynomial is fitted to ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RealFunction.h"

#include <algorithm>
#include <cmath>

using namespace poly;
using namespace poly::fit;
using namespace poly::fit::detail;

namespace {

/// The tail, as a share of the function's size, where clamps begin and end to
/// be worth trying.
constexpr double kLargeTail = 0.1, kSmallTail = 4e-4;

} // namespace

RealFunction::RealFunction(const PolynomialRequest &request)
    : request(request), reduction(request.function == Function::Custom
                                      ? request.reduction
                                      : reductionOf(request.function)) {
  info.function = request.function;
  info.parameter = request.parameter;
  info.expression = request.expression;
  bounded = request.domainLow != request.domainHigh;
  if (bounded) {
    reach = std::max(std::fabs(request.domainLow), request.domainHigh);
    clampHigh = request.domainHigh;
    clampLow = isWhole() || request.root != 0 ? clampHigh : 0.3 * clampHigh;
    limitValue = core(clampHigh);
    return;
  }
  limitValue = core(kFar);
  double size = 1;
  if (isEven())
    size = std::fabs(core(0) - limitValue);
  else if (reduction != Reduction::Gate)
    size = 2 * std::fabs(limitValue);
  auto tail = [&](double x) {
    double factor = reduction == Reduction::Gate ? x : 1;
    return factor * std::fabs(core(x) - limitValue) / size;
  };
  // From outside inwards, because a derivative crosses its limit.
  double x = 64;
  while (x > 0.5 && tail(x) < kSmallTail)
    x -= 0.015625;
  clampHigh = x;
  while (x > 0.25 * clampHigh && tail(x) < kLargeTail)
    x -= 0.015625;
  clampLow = x;
  reach = 2 * clampHigh;
}

double RealFunction::operator()(double x) const { return reference(info, x); }

double RealFunction::core(double x) const {
  double y = (*this)(x);
  switch (reduction) {
  case Reduction::Complement:
    return y - 0.5;
  case Reduction::Gate:
    return x == 0 ? 0 : y / x - 0.5;
  case Reduction::Whole:
    return request.squarings
               ? std::pow(y, std::ldexp(1.0, -int(request.squarings)))
               : y;
  case Reduction::Odd:
  case Reduction::Even:
    break;
  }
  return y;
}

double RealFunction::scale(double x) const {
  switch (request.measure) {
  case Measure::Absolute:
    return 1;
  case Measure::Relative:
    return 1 / std::max(std::fabs((*this)(x)), 1e-30);
  case Measure::Normal:
    return std::exp(-0.5 * x * x);
  }
  return 1;
}

double RealFunction::weight(double x) const {
  double result = scale(x);
  if (reduction == Reduction::Gate)
    result *= std::fabs(x);
  if (request.squarings) {
    // d(q^n) = n q^(n - 1) dq.
    double n = std::ldexp(1.0, int(request.squarings));
    result *= n * std::pow(core(x), n - 1);
  }
  return result;
}

double RealFunction::factor(double y) const {
  double result = isEven() || isWhole() ? 1 : y;
  if (request.root != 0)
    result *= (y - request.root) * (y + request.root);
  return result;
}

size_t RealFunction::coefficients() const {
  if (isWhole() || (isEven() && !request.odd))
    return request.degree + 1;
  size_t ofRoot = request.root != 0;
  if (isEven())
    return request.degree / 2 + 1 - ofRoot;
  return request.odd ? (request.degree + 1) / 2 - ofRoot : request.degree;
}

double RealFunction::evaluate(const std::vector<double> &q, double y) const {
  double variable = request.odd ? y * y : y, sum = 0;
  for (size_t i = q.size(); i-- > 0;)
    sum = sum * variable + q[i];
  return factor(y) * sum;
}

LinearProblem RealFunction::problem(double low, double high, double clamp,
                                    bool pinned, bool tail,
                                    size_t nodes) const {
  // Pinned, q(v) = a + (v - V) r(v) with a = limit / L (Even: limit) and V the
  // clamp's v.
  size_t count = coefficients();
  double root = request.odd ? clamp * clamp : clamp;
  bool plain = isEven() || isWhole();
  double pin = plain ? limitValue : limitValue / clamp;
  LinearProblem problem;
  auto add = [&](double x) {
    double y = isWhole() ? x : std::min(x, clamp);
    double variable = request.odd ? y * y : y, first = factor(y);
    double term = pinned ? first * (variable - root) : first;
    std::vector<double> row;
    for (size_t k = pinned; k < count; ++k, term *= variable)
      row.push_back(term);
    problem.add(row, core(x) - (pinned ? first * pin : 0), weight(x));
  };
  for (double x : chebyshevNodes(low, high, nodes))
    add(x);
  if (tail) {
    // Beyond the clamp the error is largest at one of the ends.
    add(high);
    if (bounded && !isWhole())
      add(request.domainHigh);
    else if (!bounded && !pinned && reduction != Reduction::Gate)
      add(kFar);
  }
  if (isWhole())
    add(low);
  return problem;
}

std::vector<double> RealFunction::unpin(std::vector<double> r,
                                        double clamp) const {
  double root = request.odd ? clamp * clamp : clamp;
  std::vector<double> q(r.size() + 1, 0);
  q[0] = isEven() ? limitValue : limitValue / clamp;
  for (size_t i = 0; i < r.size(); ++i) {
    q[i] -= root * r[i];
    q[i + 1] += r[i];
  }
  return q;
}
