//===- Fragment.h - Fragments of products and shared memory ----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A warp holds 16 rows of an A operand as fragments: for 16 columns (one step
/// of a product with 2-byte elements) four registers, each the lane's pair of
/// one 8x8 matrix. The second matrix has the lower eight rows, the third the
/// next eight columns. Accumulators have the same order, so that a result
/// rounded to 16 bits is an A operand.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_FRAGMENT_H
#define POLY_KERNELS_HOPPER_FRAGMENT_H

#include "SharedMemory.h"

namespace poly::kernels::hopper {

/// Loads the fragments of \p steps steps (32 bytes of a row each, from column 0
/// on) of the 16 rows of \p tile from \p firstRow (i32, a multiple of 8) on.
llvm::SmallVector<Value> loadFragments(Emitter &e, const SharedMemory &memory,
                                       const SwizzledTile &tile, Value firstRow,
                                       Value lane, int64_t steps);

/// Writes fragments transposed: a warp's 16 rows become 16 columns of a tile of
/// 2-byte elements.
class TransposedStore {
public:
  /// For the columns of \p tile from \p firstColumn (i32, a multiple of 16 in
  /// the slab number \p slab, i32) on.
  TransposedStore(Emitter &e, const SharedMemory &memory,
                  const SwizzledTile &tile, Value slab, Value firstColumn,
                  Value lane);
  /// To the tile \p byteOffset (i32) after the one above; \p fragments are of
  /// all its rows.
  void store(Emitter &e, Value byteOffset, ValueRange fragments) const;

private:
  Value address; ///< Where this lane's row of the first matrices begins.
};

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_FRAGMENT_H
