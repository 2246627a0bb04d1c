//===- RescaledAttr.h - Factors that poly-raise took out -------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_DIALECT_POLY_RESCALEDATTR_H
#define POLY_DIALECT_POLY_RESCALEDATTR_H

#include "llvm/ADT/StringRef.h"

namespace mlir::poly {

/// A unit attribute. x / (1 + exp(-k x)) is silu(k x) / k: poly-raise divides
/// by the factor 1 / k before the value that the function op replaces, and
/// multiplies by it again behind the op. Both products carry this attribute.
/// Where the op is dropped, so are they, and nothing is rounded twice. The same
/// holds for y / (1 + exp(-x)), which is y * sigmoid(x).
inline constexpr llvm::StringLiteral kRescaledAttr = "poly.rescaled";

} // namespace mlir::poly

#endif // POLY_DIALECT_POLY_RESCALEDATTR_H
