//===- ProgramFile.h - Programs from JSON ----------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Polynomial programs described by a JSON array, as poly-fit writes them:
///
///   [{"name": "sigmoid-mine", "function": "sigmoid", "form": "half",
///     "format": "bf16", "from": "bf16", "clamp": 5.25,
///     "coefficients": [0.25, 0.003, -0.01], "provenance": "poly-fit ..."}]
///
/// `form` is "half" (y * q(|y|)) or "odd" (y * q(y^2)), y the argument clamped
/// to [-clamp, clamp]; coefficients are those of q, ascending. `format` is the
/// arithmetic and result format; `from` the argument format (default: format).
///
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_PROGRAMFILE_H
#define POLY_PROGRAM_PROGRAMFILE_H

#include "poly/Program/Program.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace poly {

/// Parses \p text; \p path names the file in messages ("path:line: ..."). Every
/// coefficient must be finite and survive rounding to the format. Each program
/// comes in two forms: its own, and "<name>-sm80" for chips before sm_86.
llvm::Expected<std::vector<Program>> parseProgramFile(llvm::StringRef text,
                                                      llvm::StringRef path);

} // namespace poly

#endif // POLY_PROGRAM_PROGRAMFILE_H
