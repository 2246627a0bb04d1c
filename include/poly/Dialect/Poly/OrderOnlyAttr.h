//===- OrderOnlyAttr.h - Assembly that values only wait for ----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_DIALECT_POLY_ORDERONLYATTR_H
#define POLY_DIALECT_POLY_ORDERONLYATTR_H

#include "llvm/ADT/StringRef.h"

namespace mlir::poly {

/// A unit attribute on inline assembly: its operands are there to be computed
/// before what uses its results, and whatever they are, these serve. So a pass
/// may change the operands' values, as poly-fix-maximum does with maxima.
inline constexpr llvm::StringLiteral kOrderOnlyAttr = "poly.order_only";

} // namespace mlir::poly

#endif // POLY_DIALECT_POLY_ORDERONLYATTR_H
