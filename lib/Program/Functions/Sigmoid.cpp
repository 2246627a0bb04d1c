//===- Sigmoid.cpp - Programs of sigmoid ----------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// sigmoid(x) = 1 / (1 + e^-x), increasing from 0 to 1, sigmoid(-x) = 1 -
/// sigmoid(x).
///
/// Contract of every program, held by test/unit/Registry:
///   NaN gives NaN; +-0 gives exactly 0.5; +Inf exactly 1; -Inf exactly +0.
///   Polynomials are exactly 0 and 1 beyond their clamp and never leave [0, 1];
///   those called "free" stop short of 0 and 1 by at most their error bound.
///   sfu and ex2poly keep the tail of small values down to the smallest
///   subnormal of the result and are within one ulp in 16-bit results.
///   tanh32 and tanhpacked have a bounded absolute error only: 1/2 + t/2
///   cancels where the sigmoid is small.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"

using namespace poly;

static const detail::PolynomialRow kRows[] = {
#include "../Tables/Sigmoid.inc"
};

detail::PolynomialRows detail::sigmoidRows() {
  return {Function::Sigmoid, kRows};
}

void detail::addSigmoid(std::vector<Program> &programs, bool coupled) {
  addPolynomials(programs, sigmoidRows(), coupled);
  if (!coupled)
    addSfuPrograms(programs, Function::Sigmoid);
}
