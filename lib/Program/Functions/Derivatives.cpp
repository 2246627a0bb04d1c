//===- Derivatives.cpp - Programs of derivatives -------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The derivatives of sigmoid and tanh are even; those of silu and of both
/// GELUs minus 1/2 are odd. Each has polynomials of its own, fitted to the true
/// derivative with that symmetry built in, which the certificates are against.
///
/// Contract of every program, held by test/unit/Registry:
///   NaN gives NaN. Polynomials keep the symmetry, bit for bit where the
///   function is even, and stay at their tail's value beyond their clamp.
///   sfu keeps the tail and is within one ulp in 16-bit results, but for the
///   neighbourhood of a zero of silu' and gelu'.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"

using namespace poly;

static const detail::PolynomialRow kSigmoidRows[] = {
#include "../Tables/DSigmoid.inc"
};
static const detail::PolynomialRow kTanhRows[] = {
#include "../Tables/DTanh.inc"
};
static const detail::PolynomialRow kSiluRows[] = {
#include "../Tables/DSilu.inc"
};
static const detail::PolynomialRow kGeluErfRows[] = {
#include "../Tables/DGeluErf.inc"
};
static const detail::PolynomialRow kGeluTanhRows[] = {
#include "../Tables/DGeluTanh.inc"
};

void detail::addDerivatives(std::vector<Program> &programs) {
  for (const PolynomialRows &table :
       {PolynomialRows(Function::DSigmoid, kSigmoidRows),
        PolynomialRows(Function::DTanh, kTanhRows),
        PolynomialRows(Function::DSilu, kSiluRows),
        PolynomialRows(Function::DGeluErf, kGeluErfRows),
        PolynomialRows(Function::DGeluTanh, kGeluTanhRows)}) {
    addPolynomials(programs, table);
    addSfuPrograms(programs, table.function);
  }
}
