//===- Print.h - Readable listings of Programs -----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_PRINT_H
#define POLY_PROGRAM_PRINT_H

#include "poly/Program/Certify.h"
#include "poly/Program/Program.h"

#include <string>

namespace poly {

/// A listing: a header line, then one line per node with its PTX instruction,
/// operands, and constants both as bits and as decimal numbers.
std::string toString(const Program &program);

/// The certificate in a few lines.
std::string toString(const Certificate &certificate, const Program &program);

} // namespace poly

#endif // POLY_PROGRAM_PRINT_H
