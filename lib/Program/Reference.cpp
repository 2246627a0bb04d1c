//===- Reference.cpp - The real functions in double -----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Certify.h"

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

double poly::reference(Function function, double x) {
  switch (function) {
  case Function::Sigmoid:
    return sigmoid(x);
  case Function::Tanh:
    return std::tanh(x);
  case Function::Silu:
    // The limit at -Inf is zero from below; the product would be NaN.
    if (x == -std::numeric_limits<double>::infinity())
      return -0.0;
    return x * sigmoid(x);
  }
  return std::numeric_limits<double>::quiet_NaN();
}
