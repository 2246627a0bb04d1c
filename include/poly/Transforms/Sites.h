//===- Sites.h - What surrounds a function op ------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The facts about a site that planning and packing share: the format its
/// argument is valued in, the format its result is rounded to before every use,
/// and which scalar sites can share a packed evaluation.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_SITES_H
#define POLY_TRANSFORMS_SITES_H

#include "poly/Dialect/Poly/PolyDialect.h"

#include "llvm/ADT/SmallVector.h"

namespace mlir::poly {

struct Site {
  Operation *op = nullptr;
  ::poly::Function function = ::poly::Function::Sigmoid;
  /// Format of the argument's values: a 16-bit one when the operand is exactly
  /// the extension of a value of that format.
  ::poly::Format from = ::poly::Format::F32;
  /// The narrower format that every use rounds the result to, or the op's own.
  /// Only exponentials have 8-bit ones.
  ::poly::Format to = ::poly::Format::F32;
  /// The truncations that are all uses of the result (empty when `to` is the
  /// op's own format).
  llvm::SmallVector<Operation *, 1> truncations;
  int64_t elements = 1;
  bool isVector = false;

  /// The values that stand for the rounded result.
  llvm::SmallVector<Value, 1> results() const;
};

/// Whether a program with results of format \p result leaves the conversion of
/// a site, whose own results are \p own and all rounded to the 8-bit \p
/// rounded, to the source's own op.
bool keepsConversion(::poly::Format result, ::poly::Format own,
                     ::poly::Format rounded);

/// Collects the facts about a function op. Looks through vector.from_elements
/// at the truncations behind it.
Site analyzeSite(Operation *op);

/// Moves plain truncations above the vector.from_elements that use the result
/// of \p op, so that each element has its own.
void sinkTruncations(Operation *op);

/// The format of the values of \p value: 16-bit when it has that element type
/// or is exactly an extension (through extraction and negation) of one.
::poly::Format valueFormat(Value value);

/// Builds, at the builder's position, \p value in the 16-bit format that
/// valueFormat() found; returns \p value itself when it already has it.
Value materializeNarrow(OpBuilder &builder, Value value);

/// The operation of \p block after which all parts of materializeNarrow(value)
/// (or, unless \p narrow, the value itself) are available; null when they are
/// at the start of the block.
Operation *availabilityPoint(Block *block, Value value, bool narrow);

/// True when \p op rounds to the nearest number of its result's format:
/// arith.truncf without an explicit rounding mode, or llvm.fptrunc.
bool isPlainTruncation(Operation *op);

/// True when \p op may be erased once nothing uses it. Besides ops without
/// effects these are the known libdevice functions, whose declarations say
/// nothing about effects.
bool isRemovable(Operation *op);

/// Whether evaluation \p index is one of the \p share sixteenths of a split:
/// they are spread evenly.
inline bool inShare(unsigned index, unsigned share) {
  return (index + 1) * share / 16 > index * share / 16;
}

/// Whether code stands between \p from and \p to that fixes where their
/// results are computed: an op with effects, such as a wait or a barrier, or
/// another block. \p from dominates \p to.
bool hasEffectsBetween(Operation *from, Operation *to);

/// Pairs scalar sites of one block that a two-lane program can evaluate
/// together: both arguments must be available before the first use of either
/// result. All sites are in the same block, in order; the result maps each site
/// index to its partner, or to itself for a lone site.
llvm::SmallVector<unsigned> pairSites(llvm::ArrayRef<const Site *> sites);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_SITES_H
