//===- Rope.h - Rotary position embedding ----------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rotates the pairs of each head by an angle that grows with the position,
/// while [B, S, H, D] becomes [B, H, S, D]; the backward pass rotates back and
/// undoes the transpose.
///
/// Angles from turns: pair j has a Q0.32 frequency, the 32-bit fraction of a
/// turn that one position adds, and the phase at position p is the product mod
/// 2^32. It is exact at every position, and its overflow is the range
/// reduction. The kernel says sin and cos of 2 pi times that phase; how they
/// are evaluated is the compiler's business. Angles from a table: cosine and
/// sine of every position and pair are read.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ROPE_ROPE_H
#define POLY_KERNELS_ROPE_ROPE_H

#include "common/KernelBuilder.h"

namespace poly::kernels {

enum class RopeLayout {
  Half,       ///< Pairs (j, j + D/2), as in GPT-NeoX and LLaMA.
  Interleaved ///< Pairs (2j, 2j + 1), as in the original and GPT-J.
};
enum class RopeSource { Turns, Table };

llvm::StringRef name(RopeLayout layout);
llvm::StringRef name(RopeSource source);

struct RopeOptions {
  RopeLayout layout = RopeLayout::Half;
  RopeSource source = RopeSource::Turns;
  bool backward = false;
  ElementType type = ElementType::BF16; ///< Of x and y: bf16 or f16.
  /// What sines and cosines are rounded to before they are used (source turns),
  /// or the type of the tables.
  ElementType angleType = ElementType::F16;
  int64_t headDim = 128; ///< D, a multiple of 16.
  /// A block has positions * headGroups * D / 16 threads; a thread does 16
  /// elements of each of headsPerThread heads with one set of angles.
  int64_t positions = 4, headGroups = 8, headsPerThread = 4;
  /// `afn` on the sines and cosines: consent to approximations.
  bool approximate = true;
};

int64_t threadsPerBlock(const RopeOptions &options);

/// What is wrong with the options and what to do, or "".
std::string validate(const RopeOptions &options);

/// A module with one kernel, such as rope_turns_half_forward_bf16. Parameters:
///
///   turns: (x, y, frequencies, batch, sequence, heads, position)
///   table: (x, y, cosines, sines, batch, sequence, heads, position)
///
/// Pointers to global memory on 16-byte boundaries, then 64-bit integers.
/// `frequencies` are D/2 unsigned 32-bit integers, the tables have rows of D/2
/// elements; row and phase are those of `position` plus the element's place in
/// the sequence. Forward reads x [B, S, H, D] and writes y [B, H, S, D];
/// backward reads a gradient [B, H, S, D] and writes one [B, S, H, D]. The two
/// must not overlap. The grid is
///   (ceil(S / positionsPerBlock), ceil(H / headsPerBlock), B),
/// see `poly.kernel`; B and the second number are at most 65535.
mlir::OwningOpRef<mlir::ModuleOp> buildRope(mlir::MLIRContext &context,
                                            const RopeOptions &options);

} // namespace poly::kernels

#endif // POLY_KERNELS_ROPE_ROPE_H
