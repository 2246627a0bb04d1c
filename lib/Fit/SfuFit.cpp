//===- SfuFit.cpp - Fitting parts of SFU programs -------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/SfuFit.h"

#include "poly/Fit/Minimax.h"
#include "poly/Program/Formats.h"

#include <algorithm>
#include <cmath>

using namespace poly;
using namespace poly::fit;

namespace {

void roundToF32(std::vector<double> &coefficients) {
  for (double &c : coefficients)
    c = static_cast<float>(c);
}

/// How far 1/(1+e) may be off at \p e before the result is off by half an ulp.
double allowance(Function function, Format format, double e) {
  double r = 1 / (1 + e);
  // A relative error d of r is a relative error d of each result; half an ulp
  // is at least the factor below of any number of the format.
  double always = r * std::ldexp(1.0, -traits(format).mantissaBits - 2);
  switch (function) {
  case Function::Silu: // x * r: any number can be the result.
  case Function::GeluTanh:
    return always;
  case Function::Sigmoid: // r itself and e * r.
    if (e < 0x1p-24)
      return std::min(ulp(format, r) / 2, always * 2);
    return std::min(ulp(format, r) / 2, ulp(format, e * r) / 2 / e);
  case Function::Tanh: { // (1 - e) r.
    double y = (1 - e) * r;
    return y < 0x1p-9 ? always : ulp(format, y) / 2 / (1 - e);
  }
  default:
    return always;
  }
}

/// Below a power of two the ulp halves, so each such point counts twice.
std::vector<double> reciprocalPoints() {
  std::vector<double> points = chebyshevNodes(0, 1, 800);
  for (int k = 1; k < 12; ++k) {
    double y = std::ldexp(1.0, -k);
    for (double center : {y / (1 - y), (1 - y) / (1 + y)})
      for (double side : {-0x1p-30, 0x1p-30}) {
        double e = center * (1 + side);
        if (e > 0 && e <= 1)
          points.push_back(e);
      }
  }
  std::sort(points.begin(), points.end());
  return points;
}

SfuFit reciprocalOfDegree(Function function, Format format, unsigned degree) {
  LinearProblem problem;
  for (double e : reciprocalPoints()) {
    std::vector<double> row;
    for (unsigned k = 1; k <= degree; ++k)
      row.push_back(std::pow(e, k));
    problem.add(row, -e / (1 + e), 1 / allowance(function, format, e));
  }
  MinimaxResult found = minimax(problem, 1e-3, 4000);
  SfuFit result;
  result.coefficients = found.coefficients;
  result.coefficients.insert(result.coefficients.begin(), 1.0);
  roundToF32(result.coefficients);
  result.error = found.error;
  result.command = "poly-fit --function=" + std::string(name(function)) +
                   " --form=ex2poly --format=" + std::string(name(format)) +
                   " --degree=" + std::to_string(degree);
  return result;
}

} // namespace

SfuFit fit::fitReciprocal(Function function, Format format, unsigned degree) {
  if (degree != 0)
    return reciprocalOfDegree(function, format, degree);
  for (degree = kMinReciprocalDegree;; ++degree) {
    SfuFit result = reciprocalOfDegree(function, format, degree);
    if (result.error <= 0.95 || degree == kMaxReciprocalDegree)
      return result;
  }
}

SfuFit fit::fitNormal(Format format) {
  // e^(t^2/2) Phi(-t) = erfcx(t / sqrt(2)) / 2, which is smooth in 1 / (1 + p
  // t) and goes like 1 / t.
  auto mills = [](double t) {
    return 0.5 * std::exp(0.5 * t * t) * std::erfc(t * 0.70710678118654752440);
  };
  // Where x Phi(x) is below the smallest subnormal; what is a tenth of half an
  // ulp, but no less than f32 arithmetic can use.
  double end = format == Format::F16 ? 6.0 : 14.5;
  double wanted = std::max(
      0.1 * std::ldexp(1.0, -traits(format).mantissaBits - 1), 0x1p-25);
  constexpr unsigned kMost = 11;
  SfuFit best;
  best.error = HUGE_VAL;
  for (unsigned degree = 2; degree <= kMost && best.error > wanted; ++degree) {
    // The error is unimodal in the slope.
    auto attempt = [&](double slope, double tolerance, unsigned iterations) {
      slope = double(float(slope));
      LinearProblem problem;
      auto add = [&](double t) {
        double r = 1 / (1 + slope * t), value = mills(t);
        std::vector<double> row;
        for (double term = r; row.size() <= degree; term *= r)
          row.push_back(term);
        problem.add(row, value, 1 / value);
      };
      add(0);
      // Nodes that are close where r changes fast.
      for (double r : chebyshevNodes(1 / (1 + slope * end), 1, 400))
        add((1 / r - 1) / slope);
      add(end);
      MinimaxResult found = minimax(problem, tolerance, iterations);
      SfuFit result;
      result.coefficients = found.coefficients;
      result.coefficients.insert(result.coefficients.begin(), slope);
      roundToF32(result.coefficients);
      result.error = found.error;
      return result;
    };
    double low = 0.1, high = 0.9;
    for (int i = 0; i < 18; ++i) {
      double a = low + (high - low) / 3, b = high - (high - low) / 3;
      bool left = attempt(a, 1e-2, 60).error < attempt(b, 1e-2, 60).error;
      (left ? high : low) = left ? b : a;
    }
    best = attempt((low + high) / 2, 1e-3, 3000);
  }
  best.command = "poly-fit --function=gelu_erf --form=normal --format=" +
                 std::string(name(format));
  return best;
}

SfuFit fit::fitTanhOrigin() {
  LinearProblem problem;
  for (double x : chebyshevNodes(0, kTanhOrigin, 800)) {
    double y = std::tanh(x), square = x * x;
    std::vector<double> row;
    double term = x * square;
    for (unsigned k = 0; k < 4; ++k, term *= square)
      row.push_back(term);
    problem.add(row, y - x, 1 / y);
  }
  MinimaxResult found = minimax(problem, 1e-3, 4000);
  SfuFit result;
  result.coefficients = found.coefficients;
  roundToF32(result.coefficients);
  result.error = found.error;
  result.command = "poly-fit --function=tanh --form=origin --format=f32";
  return result;
}
