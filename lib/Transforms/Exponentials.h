//===- Exponentials.h - Where an exponential may be approximated -*- C++
//-*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An exponential is more than its argument: what its result is for, and what
/// is known of its argument, decide which programs may serve.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_TRANSFORMS_EXPONENTIALS_H
#define POLY_LIB_TRANSFORMS_EXPONENTIALS_H

#include "poly/Dialect/Poly/PolyDialect.h"

#include <optional>
#include <string>

namespace mlir::poly {

/// What is known about an exponential.
struct ExpContext {
  ExpRole role = ExpRole::Plain;
  /// Proved bounds of the argument where it is no NaN.
  std::optional<double> low, high;
  /// The replaced ops exclude NaN (`nnan`).
  bool noNaN = false;
};

/// The context of \p op, or nullopt when it is no exponential.
std::optional<ExpContext> expContext(Operation *op);

/// Why an exponential of this role stays exact whatever is asked for, or "".
std::string roleRefusal(ExpRole role);

/// Why \p program may not serve in \p context, or "". \p named: the user asked
/// for the program by name; \p optedIn: and marked the code.
std::string contextRefusal(const ::poly::RegisteredProgram &program,
                           const ExpContext &context, bool named, bool optedIn);

/// Gives exponentials of one argument in one block one op, so that a weight and
/// its row sum see the same approximation.
void mergeExponentials(Operation *root);

} // namespace mlir::poly

#endif // POLY_LIB_TRANSFORMS_EXPONENTIALS_H
