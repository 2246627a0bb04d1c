//===- Turns.cpp - Programs of sine and cosine ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// sin(2 pi x) and cos(2 pi x) for a phase x in turns, reduced to [-1/2, 1/2]:
/// reducing is an integer's overflow where phases are fixed-point numbers.
///
/// Contract of every program, held by test/unit/Registry:
///   NaN gives NaN; the sine is odd and the cosine even bit for bit; the
///   coupled program shares x^2. Nothing is said of arguments beyond a half
///   turn.
///
/// Forms with a root take an f32 phase as it is and are accurate to the last
/// place of a 16-bit result. Each has the factor fma(x, x, -root^2), which
/// rounds once and vanishes where the function does. Sine and cosine of one
/// phase need x^2 once: they have that node in common. The f16 forms without a
/// root and the special function unit have small absolute errors only.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"

#include <iterator>

using namespace poly;

static const detail::PolynomialRow kSinRows[] = {
#include "../Tables/SinTurn.inc"
};
static const detail::PolynomialRow kCosRows[] = {
#include "../Tables/CosTurn.inc"
};
static_assert(std::size(kSinRows) == std::size(kCosRows));

void detail::addTurns(std::vector<Program> &programs, bool coupled) {
  if (!coupled) {
    addPolynomials(programs, {Function::SinTurn, kSinRows});
    addPolynomials(programs, {Function::CosTurn, kCosRows});
    addSfuPrograms(programs, Function::SinTurn);
    addSfuPrograms(programs, Function::CosTurn);
    return;
  }
  // Rows of the same number go together.
  for (size_t i = 0; i < std::size(kSinRows); ++i) {
    if (kSinRows[i].format == Format::F32)
      continue;
    CoupledSpec spec;
    spec.value = specOf(Function::SinTurn, kSinRows[i]);
    spec.coupling = Coupling::SinCos;
    spec.second = specOf(Function::CosTurn, kCosRows[i]).coefficients;
    programs.push_back(
        buildCoupled(spec, spec.value.format, ClampKind::XorSign));
  }
}
