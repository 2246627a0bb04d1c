//===- Tanh.cpp - Programs of tanh ----------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// tanh(x), odd and increasing from -1 to 1.
///
/// Contract of every program, held by test/unit/Registry:
///   NaN gives NaN; +-0 keeps its sign; +-Inf gives exactly +-1; odd bit for
///   bit. Polynomials are exactly +-1 beyond their clamp and never leave
///   [-1, 1], their error being an absolute one; those called "free" stop short
///   of +-1 by at most their error bound.
///   sfu and ex2poly are within one ulp in 16-bit results, small arguments and
///   subnormals included.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"

using namespace poly;

static const detail::PolynomialRow kRows[] = {
#include "../Tables/Tanh.inc"
};

detail::PolynomialRows detail::tanhRows() { return {Function::Tanh, kRows}; }

void detail::addTanh(std::vector<Program> &programs) {
  addPolynomials(programs, tanhRows());
  addSfuPrograms(programs, Function::Tanh);
}
