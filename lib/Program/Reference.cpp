//===- Reference.cpp - The real functions in double -----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Certify.h"
#include "poly/Program/Expression.h"

#include <cmath>
#include <limits>

using namespace poly;

// Each form below has no cancellation: for negative arguments the small result
// is built from exp(x) directly, never as a difference from one.

static double sigmoid(double x) {
  if (x >= 0)
    return 1 / (1 + std::exp(-x));
  double e = std::exp(x);
  return e / (1 + e);
}

static double normalDensity(double x) {
  constexpr double kInvSqrt2Pi = 0.39894228040143267794;
  return kInvSqrt2Pi * std::exp(-0.5 * x * x);
}

static double normalDistribution(double x) {
  constexpr double kInvSqrt2 = 0.70710678118654752440;
  return 0.5 * std::erfc(-x * kInvSqrt2);
}

/// 2u of GELU's tanh form and its derivative by x.
static double geluArgument(double x) {
  constexpr double kTwoSqrt2OverPi = 1.59576912160573071176;
  return kTwoSqrt2OverPi * x * (1 + 0.044715 * x * x);
}
static double geluSlope(double x) {
  constexpr double kTwoSqrt2OverPi = 1.59576912160573071176;
  return kTwoSqrt2OverPi * (1 + 3 * 0.044715 * x * x);
}

/// sin(2 pi x), exactly 0 at multiples of 1/2 and +-1 between them.
static double sinTurn(double x) {
  constexpr double kTwoPi = 6.28318530717958647693;
  // Exact: below 2^52 the remainder of a double by 1 is a double.
  double r = std::remainder(x, 1.0);
  if (std::fabs(r) > 0.25)
    r = std::copysign(0.5, r) - r;
  // The shorter way to an extremum keeps the cosine's small argument exact.
  if (std::fabs(r) > 0.125)
    return std::copysign(std::cos(kTwoPi * (0.25 - std::fabs(r))), r);
  return std::sin(kTwoPi * r);
}

static double cosTurn(double x) {
  constexpr double kTwoPi = 6.28318530717958647693;
  double r = std::fabs(std::remainder(x, 1.0));
  return r <= 0.125 ? std::cos(kTwoPi * r) : sinTurn(0.25 - r);
}

/// x * weight for a weight that goes to zero faster than x grows.
static double product(double x, double weight) {
  return weight == 0 ? std::copysign(0.0, x) : x * weight;
}

double poly::reference(Function function, double x, double parameter) {
  if (std::isnan(x))
    return x;
  switch (function) {
  case Function::Sigmoid:
    return sigmoid(x);
  case Function::Tanh:
    return std::tanh(x);
  case Function::Silu:
    return product(x, sigmoid(x));
  case Function::GeluErf:
    return product(x, normalDistribution(x));
  case Function::GeluTanh:
    return product(x, sigmoid(geluArgument(x)));
  case Function::Exp:
    return std::exp(x);
  case Function::Exp2:
    return std::exp2(x);
  case Function::DSigmoid:
    return sigmoid(x) * sigmoid(-x);
  case Function::DTanh:
    return 4 * sigmoid(2 * x) * sigmoid(-2 * x);
  case Function::DSilu: {
    double s = sigmoid(x);
    return s + product(x, s * sigmoid(-x));
  }
  case Function::DGeluErf:
    return normalDistribution(x) + product(x, normalDensity(x));
  case Function::DGeluTanh: {
    double u = geluArgument(x), s = sigmoid(u), weight = s * sigmoid(-u);
    return s + (weight == 0 ? 0 : x * weight * geluSlope(x));
  }
  case Function::SinTurn:
    return sinTurn(x);
  case Function::CosTurn:
    return cosTurn(x);
  case Function::SigmoidShift:
    return sigmoid(x - std::log(parameter));
  case Function::DSigmoidShift: {
    double shifted = x - std::log(parameter);
    return sigmoid(shifted) * sigmoid(-shifted);
  }
  case Function::Custom:
    break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// The value of a formula; the last one that a thread asked for stays parsed.
static double evaluate(const std::string &text, double x) {
  thread_local std::string cachedText;
  thread_local Expression cached;
  if (cachedText != text) {
    std::string error;
    if (!Expression::parse(text, cached, error))
      return std::numeric_limits<double>::quiet_NaN();
    cachedText = text;
  }
  return cached(x);
}

double poly::reference(const ProgramInfo &info, double x) {
  if (info.function == Function::Custom)
    return evaluate(info.expression, x);
  return reference(info.function, x, info.parameter);
}
