//===- LowerBoundAttr.h - A promise about exponents -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_DIALECT_POLY_LOWERBOUNDATTR_H
#define POLY_DIALECT_POLY_LOWERBOUNDATTR_H

#include "llvm/ADT/StringRef.h"

namespace mlir::poly {

/// A finite f64 on an exponential of the source: its author promises that no
/// argument is below it, so that a program without a clamp may serve.
inline constexpr llvm::StringLiteral kLowerBoundAttr = "poly.lower_bound";

} // namespace mlir::poly

#endif // POLY_DIALECT_POLY_LOWERBOUNDATTR_H
