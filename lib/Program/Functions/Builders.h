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
constexpr unsigned kMaxSfuCoefficients = 14;

/// One row of a function's table: the fields of PolynomialSpec that its
/// programs use.
struct PolynomialRow {
  bool odd;
  bool exactTail;
  bool coupled; ///< The derivative is a second result.
  Format format, to;
  unsigned squarings;
  double center;                           ///< 0: none.
  double parameter, domainLow, domainHigh; ///< Equal: no domain.
  double clampLow, clamp;
  double breakpoint; ///< 0: one piece.
  unsigned count;
  double coefficients[kMaxCoefficients], upper[kMaxCoefficients];
  const char *command; ///< The poly-fit command that makes the row.
  double root = 0;     ///< 0: none.
};

/// The fitted parts of SFU programs.
enum class SfuPart : uint8_t {
  Reciprocal, ///< SfuSpec::reciprocal.
  Origin,     ///< SfuSpec::origin.
  Normal,     ///< SfuSpec::slope and then SfuSpec::normal.
};

/// One row of Tables/Sfu.inc.
struct SfuRow {
  Function function;
  SfuPart part;
  Format format; ///< Of the result.
  unsigned count;
  double coefficients[kMaxSfuCoefficients];
  const char *command;
};

/// A function's table.
struct PolynomialRows {
  Function function;
  const PolynomialRow *rows;
  size_t count;

  template <size_t N>
  PolynomialRows(Function function, const PolynomialRow (&table)[N])
      : function(function), rows(table), count(N) {}
};

/// The spec of a row.
PolynomialSpec specOf(Function function, const PolynomialRow &row);

/// Appends every row's program: from its own format and from f32, and with
/// either clamp where they differ. \p coupled picks the rows.
void addPolynomials(std::vector<Program> &programs, const PolynomialRows &table,
                    bool coupled = false);

/// Appends the SFU programs of \p function; SigmoidShift: for n = \p parameter.
void addSfuPrograms(std::vector<Program> &programs, Function function,
                    double parameter = 0);

/// The table of the value called so, sigmoid, tanh, silu or gelu.
PolynomialRows sigmoidRows();
PolynomialRows tanhRows();
PolynomialRows siluRows();
PolynomialRows geluErfRows();
PolynomialRows geluTanhRows();

void addSigmoid(std::vector<Program> &programs, bool coupled = false);
void addTanh(std::vector<Program> &programs);
void addSilu(std::vector<Program> &programs, bool coupled = false);
void addGelu(std::vector<Program> &programs);
void addDerivatives(std::vector<Program> &programs);
void addSigmoidShift(std::vector<Program> &programs, bool coupled = false);
void addTurns(std::vector<Program> &programs, bool coupled = false);
void addExponentials(std::vector<Program> &programs);

} // namespace poly::detail

#endif // POLY_LIB_PROGRAM_FUNCTIONS_BUILDERS_H
