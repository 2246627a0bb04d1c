//===- Attributes.h - What kernels say to passes and hosts -----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names of the discardable attributes that kernels carry. What the passes read
/// in them, docs/Dialect.md describes.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_COMMON_ATTRIBUTES_H
#define POLY_KERNELS_COMMON_ATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace poly::kernels {

/// Of a kernel, a dictionary: what a host needs to launch it.
inline constexpr llvm::StringLiteral kKernelAttr = "poly.kernel";
/// Of a function: the offsets of its exponentials may be rounded.
inline constexpr llvm::StringLiteral kRoundOffsetsAttr = "poly.round_offsets";
/// Of an exponential, an f64: no argument is less.
inline constexpr llvm::StringLiteral kLowerBoundAttr = "poly.lower_bound";
/// Of assembly: its operands are there to be computed before; what it returns
/// serves whatever they are.
inline constexpr llvm::StringLiteral kOrderOnlyAttr = "poly.order_only";

} // namespace poly::kernels

#endif // POLY_KERNELS_COMMON_ATTRIBUTES_H
