//===- PolynomialFit.cpp - Fitting packed polynomials ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/PolynomialFit.h"

#include "poly/Fit/Minimax.h"

#include "Search.h"

#include <algorithm>
#include <cmath>

using namespace poly;
using namespace poly::fit;

namespace {

/// The odd function that y * q approximates on y >= 0.
double oddPart(Function function, double y) {
  return function == Function::Tanh ? std::tanh(y) : 0.5 * std::tanh(0.5 * y);
}

/// Where oddPart goes.
double oddLimit(Function function) {
  return function == Function::Tanh ? 1.0 : 0.5;
}

/// silu's error is |x| times that of its sigmoid.
double errorWeight(Function function, double y) {
  return function == Function::Silu ? y : 1.0;
}

unsigned coefficientCount(const PolynomialRequest &request) {
  return request.odd ? (request.degree + 1) / 2 : request.degree;
}

/// The clamps worth trying: before the first even the best polynomial leaves a
/// large tail, after the second it is all tail.
struct Interval {
  double low, high;
};
Interval clampRange(Function function) {
  switch (function) {
  case Function::Sigmoid:
    return {3.0, 8.0};
  case Function::Tanh:
    return {1.5, 4.0};
  case Function::Silu:
    return {4.0, 10.0};
  default:
    return {0, 0};
  }
}

/// Coefficients of q from those of r, where
///   half: q(t) = v/L + (t - L) r(t),  odd: q(s) = v/L + (s - L^2) r(s),
/// which makes L q = v.
std::vector<double> unpin(const std::vector<double> &r, double pin,
                          double root) {
  std::vector<double> q(r.size() + 1, 0);
  q[0] = pin;
  for (size_t i = 0; i < r.size(); ++i) {
    q[i] -= root * r[i];
    q[i + 1] += r[i];
  }
  return q;
}

/// The problem of the best maximum error with the argument clamped to
/// \p limit; \p pinned makes limit * q(limit) the function's own limit.
LinearProblem clampedProblem(const PolynomialRequest &request, double limit,
                             bool pinned) {
  unsigned count = coefficientCount(request);
  double pin = oddLimit(request.function) / limit;
  double root = request.odd ? limit * limit : limit;
  LinearProblem problem;
  auto add = [&](double x) {
    double y = std::min(x, limit);
    double variable = request.odd ? y * y : y;
    std::vector<double> row;
    double term = pinned ? y * (variable - root) : y;
    for (unsigned k = pinned; k < count; ++k, term *= variable)
      row.push_back(term);
    double target = oddPart(request.function, x) - (pinned ? y * pin : 0);
    problem.add(row, target, errorWeight(request.function, x));
  };
  for (double x : chebyshevNodes(0, limit, 160))
    add(x);
  // Beyond the clamp the error is largest at one of the ends; silu's, exact in
  // the limit, at the clamp (x (1 - sigmoid(x)) falls from x = 1.28 on).
  add(limit);
  if (!pinned)
    add(100);
  return problem;
}

/// A lower bound of the error with the argument clamped to \p limit.
double minimaxAt(const PolynomialRequest &request, double limit) {
  LinearProblem problem = clampedProblem(request, limit, request.exactTail);
  return minimax(problem, 2e-3, 400).lowerBound;
}

/// Coefficients of q with a small maximum error.
std::vector<double> roughMinimax(const PolynomialRequest &request,
                                 double limit) {
  LinearProblem problem = clampedProblem(request, limit, request.exactTail);
  std::vector<double> c;
  if (problem.columns > 0)
    c = minimax(problem, 1e-2, 100).coefficients;
  if (!request.exactTail)
    return c;
  return unpin(c, oddLimit(request.function) / limit,
               request.odd ? limit * limit : limit);
}

} // namespace

std::string fit::check(const PolynomialRequest &request) {
  unsigned high = request.odd ? kMaxOddDegree : kMaxHalfDegree;
  std::string form = request.odd ? "odd" : "half";
  if (request.format == Format::F32)
    return "the format of a packed polynomial is bf16 or f16";
  // x times the error of its sigmoid has no bound.
  if (request.function == Function::Silu && !request.exactTail)
    return "silu needs an exact tail";
  if (request.degree < kMinDegree || request.degree > high)
    return "degree " + std::to_string(request.degree) + " of form '" + form +
           "' is out of range " + std::to_string(kMinDegree) + " to " +
           std::to_string(high);
  if (request.odd && request.degree % 2 == 0)
    return "form 'odd' has odd degrees only, not " +
           std::to_string(request.degree);
  return "";
}

std::string fit::commandLine(const PolynomialRequest &request) {
  return "poly-fit --function=" + std::string(name(request.function)) +
         " --form=" + (request.odd ? "odd" : "half") +
         " --degree=" + std::to_string(request.degree) +
         " --format=" + std::string(name(request.format)) +
         (request.exactTail ? "" : " --tail=free") +
         " --seed=" + std::to_string(request.seed);
}

std::vector<double>
fit::constrainedLeastSquares(const PolynomialRequest &request, double limit) {
  unsigned count = coefficientCount(request);
  double pin = oddLimit(request.function) / limit;
  double root = request.odd ? limit * limit : limit;
  if (count == 1)
    return {pin};
  LinearProblem problem;
  for (double y : chebyshevNodes(0, limit, 2000)) {
    double variable = request.odd ? y * y : y;
    std::vector<double> row;
    double term = y * (variable - root);
    for (unsigned k = 1; k < count; ++k, term *= variable)
      row.push_back(term);
    problem.add(row, oddPart(request.function, y) - y * pin,
                errorWeight(request.function, y));
  }
  return unpin(leastSquares(problem), pin, root);
}

double fit::realMinimax(const PolynomialRequest &request) {
  // The error is close to unimodal in the clamp: a grid, then a finer one.
  auto [low, high] = clampRange(request.function);
  double step = 0.125, best = HUGE_VAL, at = low;
  auto scan = [&](double from, double to) {
    for (double limit = from; limit <= to + step / 2; limit += step) {
      double error = minimaxAt(request, limit);
      if (error < best) {
        best = error;
        at = limit;
      }
    }
  };
  scan(low, high);
  for (unsigned level = 0; level < 3; ++level) {
    double around = step;
    step /= 4;
    scan(at - around, at + around);
  }
  return best;
}

PolynomialFit fit::fitPolynomial(const PolynomialRequest &request) {
  PolynomialSpec spec;
  spec.function = request.function;
  spec.odd = request.odd;
  spec.exactTail = request.exactTail;
  spec.format = request.format;

  detail::Search search(spec, request.seed);
  // The fit's interval and the clamp are tried apart.
  auto [low, high] = clampRange(request.function);
  for (double interval = low; interval <= high; interval += 0.25) {
    std::vector<double> q = constrainedLeastSquares(request, interval);
    for (double clamp = std::max(low, interval - 0.75); clamp <= interval + 1;
         clamp += 0.25)
      search.start(q, clamp);
  }
  for (double clamp = low; clamp <= high; clamp += 0.0625)
    search.start(roughMinimax(request, clamp), clamp);
  search.refine();

  PolynomialFit result;
  result.spec = search.best();
  result.spec.provenance = commandLine(request);
  result.candidates = search.candidates();
  result.certificate = certify(buildPolynomial(
      result.spec, request.format, ClampKind::XorSign, "candidate"));
  return result;
}
