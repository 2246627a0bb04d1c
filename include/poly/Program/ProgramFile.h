//===- ProgramFile.h - Programs from JSON ----------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Polynomial programs described by JSON, as poly-fit writes them:
///
///   {"poly_program_file": 1,
///    "programs": [
///     {"name": "softsign-mine", "function": "custom",
///      "expression": "x/(1+abs(x))", "parity": "odd", "domain": [-8, 8],
///      "form": "half", "format": "bf16", "from": "bf16", "clamp": 8,
///      "coefficients": [0.9, -0.2, 0.01], "provenance": "poly-fit ...",
///      "contract": {"inputs": 33282, "max_abs": 0.02, "max_rel": 0.1,
///                   "max_ulp": 20}}]}
///
/// or by the array of programs alone. The keys are the fields of
/// PolynomialSpec:
///   form: "half" (q of |y|, y the clamped argument), "odd" or "even" (q of
///   y^2),
///     "whole" (q of y, clamped to [clamp_low, clamp]);
///   coefficients: of q, ascending; with "upper" and "breakpoint", two pieces;
///   squarings: the result is q to the power 2^squarings; center: q takes
///     |y| - center; root: q is multiplied by y^2 - root^2;
///   format: of the arithmetic, bf16, f16 or f32; to: of the results (default:
///     format); from: of the arguments (default: to);
///   parity, expression: of the function "custom"; parameter: n of
///     "sigmoid_shift"; domain: the arguments that the program is for;
///   contract: what the certificate must say. A program that errs otherwise,
///     because a number was changed, is refused.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_PROGRAMFILE_H
#define POLY_PROGRAM_PROGRAMFILE_H

#include "poly/Program/Program.h"
#include "poly/Program/Schemes.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace poly {

/// Parses \p text; \p path names the file in messages ("path:line: ..."). Every
/// coefficient must be finite and survive rounding to the format. Each program
/// comes in its own form and, where that needs sm_86, in a second one,
/// "<name>-sm80".
llvm::Expected<std::vector<Program>> parseProgramFile(llvm::StringRef text,
                                                      llvm::StringRef path);

/// A program of a file as it was fitted.
struct ProgramFileEntry {
  std::string name;
  PolynomialSpec spec;
  Format from = Format::BF16;
};
/// The entries of what parseProgramFile() accepts.
llvm::Expected<std::vector<ProgramFileEntry>>
parseProgramFileEntries(llvm::StringRef text, llvm::StringRef path);

/// A file of these programs with their contracts.
std::string programFileText(const std::vector<ProgramFileEntry> &entries);

} // namespace poly

#endif // POLY_PROGRAM_PROGRAMFILE_H
