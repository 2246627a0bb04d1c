//===- Silu.cpp - Programs of silu ----------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// silu(x) = x sigmoid(x): about -0.278 at its minimum near x = -1.28, a small
/// negative tail to the left, x itself to the right.
///
/// Contract of every program, held by test/unit/Registry:
///   NaN gives NaN; +-0 gives a zero, with the argument's sign but for
///   tanhpacked and tanh32; +Inf gives +Inf; -Inf gives NaN, as x/(1+exp(-x))
///   does. Polynomials are exactly x and -0 beyond their clamp.
///   sfu and ex2poly keep the tail: every x whose silu is a normal bf16 number
///   gives it within one bf16 ulp, down to x = -91.85.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"

using namespace poly;

static const detail::PolynomialRow kRows[] = {
#include "../Tables/Silu.inc"
};

detail::PolynomialRows detail::siluRows() { return {Function::Silu, kRows}; }

void detail::addSilu(std::vector<Program> &programs, bool coupled) {
  addPolynomials(programs, siluRows(), coupled);
  if (!coupled)
    addSfuPrograms(programs, Function::Silu);
}
