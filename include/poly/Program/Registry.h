//===- Registry.h - The shipped Programs -----------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_REGISTRY_H
#define POLY_PROGRAM_REGISTRY_H

#include "poly/Program/Certify.h"
#include "poly/Program/Program.h"

#include <vector>

namespace poly {

/// A Program with its contract, as a planner wants it.
struct RegisteredProgram {
  Program program;
  Certificate certificate;
};

/// A program of two results: the value and the derivative (of sine, the
/// cosine), each with the contract of the function it is.
struct CoupledProgram {
  Program program;
  Certificate value, second;
};

/// All shipped programs in a fixed order, built once, thread safe. The
/// certificates come from Tables/Certificates.inc, which a test regenerates.
const std::vector<RegisteredProgram> &shippedPrograms();

/// The shipped programs of two results; none of shippedPrograms() has them.
const std::vector<CoupledProgram> &coupledPrograms();

/// The shipped programs without their certificates: what poly-fit certifies.
std::vector<Program> buildShippedPrograms();
std::vector<Program> buildCoupledPrograms();

/// The shipped program called \p name, or null.
const RegisteredProgram *findProgram(std::string_view name);

} // namespace poly

#endif // POLY_PROGRAM_REGISTRY_H
