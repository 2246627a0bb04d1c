//===- FoldArgument.h - Scales and offsets before a Program ----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_TRANSFORMS_FOLDARGUMENT_H
#define POLY_LIB_TRANSFORMS_FOLDARGUMENT_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace mlir::poly {

/// The operands of the fma that takes the place of x * scale + offset.
struct FoldedFma {
  Value factor, scale, offset;
};

/// x * scale + offset, where the source computes \p x, an f32 or a vector of
/// two f16, as s * c, s + k or s * c + b in an op that allows its rounding to
/// move (`contract`; `afn` for the sum): the operands of one fma of s. Only
/// constants of this use change; the op that made x, and whoever else reads c
/// or b, stay as they are.
///
/// With \p integerOffset, the offset is a magic number whose binade counts
/// ones: an addend that is not a constant would be rounded to a one with it, so
/// s * c + b is left alone. With \p fixedOnly, c and b must be constants or
/// come from outside of the block that makes x.
std::optional<FoldedFma> foldArgument(OpBuilder &builder, Location loc, Value x,
                                      float scale, float offset,
                                      bool integerOffset,
                                      bool fixedOnly = false);

} // namespace mlir::poly

#endif // POLY_LIB_TRANSFORMS_FOLDARGUMENT_H
