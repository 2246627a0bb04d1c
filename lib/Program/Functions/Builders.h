//===- Builders.h - The functions' shipped programs -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rows of the generated tables and what the functions share.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_PROGRAM_FUNCTIONS_BUILDERS_H
#define POLY_LIB_PROGRAM_FUNCTIONS_BUILDERS_H

#include "poly/Program/Schemes.h"

namespace poly::detail {

constexpr unsigned kMaxCoefficients = 8;

/// One row of Tables/{Sigmoid,Tanh,Silu}.inc.
struct PolynomialRow {
  bool odd;
  bool exactTail;
  Format format;
  double clamp;
  unsigned count;
  double coefficients[kMaxCoefficients];
  const char *command; ///< The poly-fit command that makes the row.
};

/// One row of Tables/Sfu.inc.
struct SfuRow {
  Function function;
  bool origin;   ///< The f32 polynomial of tanh around 0, else 1/(1+e).
  Format format; ///< Of the result.
  unsigned count;
  double coefficients[kMaxCoefficients];
  const char *command;
};

/// Appends every row's program: from its own format and from f32, with either
/// clamp.
void addPolynomials(std::vector<Program> &programs, Function function,
                    const PolynomialRow *rows, size_t count);

/// Appends the SFU programs of \p function.
void addSfuPrograms(std::vector<Program> &programs, Function function);

void addSigmoid(std::vector<Program> &programs);
void addTanh(std::vector<Program> &programs);
void addSilu(std::vector<Program> &programs);
void addExponentials(std::vector<Program> &programs);

} // namespace poly::detail

#endif // POLY_LIB_PROGRAM_FUNCTIONS_BUILDERS_H
