//===- Gelu.cpp - Programs of GELU ---------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// gelu_erf(x) = x Phi(x), Phi the normal distribution function, and its tanh
/// form gelu_tanh(x) = x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3): like
/// silu, 0 to the left, x to the right, with a minimum of -0.17 near -0.75.
///
/// Contract of every program, held by test/unit/Registry:
///   NaN gives NaN; +-0 gives a zero; +Inf gives +Inf; -Inf gives NaN, as the
///   product with 0 does. Polynomials are exactly x and -0 beyond their clamp.
///   sfu and ex2poly keep the tail down to the smallest subnormal of the result
///   and are within one ulp in 16-bit results.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"

using namespace poly;

static const detail::PolynomialRow kErfRows[] = {
#include "../Tables/GeluErf.inc"
};
static const detail::PolynomialRow kTanhRows[] = {
#include "../Tables/GeluTanh.inc"
};

detail::PolynomialRows detail::geluErfRows() {
  return {Function::GeluErf, kErfRows};
}
detail::PolynomialRows detail::geluTanhRows() {
  return {Function::GeluTanh, kTanhRows};
}

void detail::addGelu(std::vector<Program> &programs) {
  addPolynomials(programs, geluErfRows());
  addSfuPrograms(programs, Function::GeluErf);
  addPolynomials(programs, geluTanhRows());
  addSfuPrograms(programs, Function::GeluTanh);
}
