//===- Commands.h - Parts of poly-fit with files of their own ---*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TOOLS_POLYFIT_COMMANDS_H
#define POLY_TOOLS_POLYFIT_COMMANDS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

/// Fits 2^f on [0, 1] and prints the coefficients. Without an explicit format
/// the arithmetic is f32. Returns a message on a mistake.
std::string fitExponential(const std::string &form, const std::string &format,
                           bool formatGiven, const std::string &objective,
                           llvm::raw_ostream &os);

/// Prints the error and returns 1, the exit code.
int fail(const llvm::Twine &message);

/// Writes all of \p text or nothing. Returns an exit code.
int writeFile(const std::string &path, const std::string &text);

/// poly-fit differentiate: the programs of polynomials' derivatives.
int differentiateMain(int argc, char **argv);

/// poly-fit softmax: measures programs as softmax weights.
int softmaxMain(int argc, char **argv);

#endif // POLY_TOOLS_POLYFIT_COMMANDS_H
