//===- SigmoidShift.cpp - Programs of sigmoid attention ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// sigmoid(s - log(n)), the weight of sigmoid attention over n keys. It is
/// small wherever it matters and summed over n keys, so its relative error
/// counts: a polynomial's power keeps it over many octaves.
///
/// Contract of every program, held by test/unit/Registry:
///   NaN gives NaN. Polynomials hold their value at the ends of the range they
///   are fitted on; sfu keeps the tail and is within one ulp in 16-bit results.
///   Coupled programs give the derivative with the value.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"

using namespace poly;

static const detail::PolynomialRow kRows[] = {
#include "../Tables/SigmoidShift.inc"
};

void detail::addSigmoidShift(std::vector<Program> &programs, bool coupled) {
  addPolynomials(programs, {Function::SigmoidShift, kRows}, coupled);
  if (coupled)
    return;
  // Other n are a poly-fit command away.
  for (double n : {2048.0, 4096.0, 8192.0})
    addSfuPrograms(programs, Function::SigmoidShift, n);
}
