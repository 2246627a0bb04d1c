//===- SharedMemory.h - Layout of dynamic shared memory --------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A kernel's shared memory is one dynamic block, laid out when the kernel is
/// built. Tiles that the copy engine writes swizzled start at multiples of 1024
/// bytes (the 128-byte swizzle repeats after 8 rows of 128 bytes).
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_SHAREDMEMORY_H
#define POLY_KERNELS_HOPPER_SHAREDMEMORY_H

#include "Emitter.h"

namespace poly::kernels::hopper {

/// A matrix tile of 2-byte or 1-byte elements in the 128-byte swizzle: slabs of
/// 128 bytes a row, one after the other, each written by one tensor copy.
struct SwizzledTile {
  int64_t offset = 0;
  int64_t rows = 0;
  int64_t columns = 0; ///< Elements.
  int64_t elementBytes = 2;

  static constexpr int64_t kRowBytes = 128;
  int64_t slabColumns() const { return kRowBytes / elementBytes; }
  int64_t slabs() const { return columns / slabColumns(); }
  int64_t slabBytes() const { return rows * kRowBytes; }
  int64_t bytes() const { return slabs() * slabBytes(); }
};

/// A tile of 16-bit elements with its rows one after the other, for the copy
/// engine without a swizzle. Eight rows at the same column lie in different
/// banks if the row takes an odd number of 16-byte units.
struct PlainTile {
  int64_t offset = 0;
  int64_t rows = 0;
  int64_t columns = 0; ///< Elements, an odd multiple of 8.

  int64_t rowBytes() const { return columns * 2; }
  int64_t bytes() const { return rows * rowBytes(); }
};

class SharedMemory {
public:
  static constexpr int64_t kTileAlignment = 1024;
  /// What one block may have on compute capability 9.0: 227 KB.
  static constexpr int64_t kLimit = 227 * 1024;
  /// What to leave of it for barriers: more than any kernel's take.
  static constexpr int64_t kBarrierBytes = 256;

  /// Reserves \p bytes and returns their offset.
  int64_t reserve(int64_t bytes, int64_t alignment);
  SwizzledTile reserveTile(int64_t rows, int64_t columns,
                           int64_t elementBytes = 2);
  /// A tile with the shape of \p tile.
  SwizzledTile reserveTile(const SwizzledTile &tile) {
    return reserveTile(tile.rows, tile.columns, tile.elementBytes);
  }
  int64_t size() const { return used; }

  /// Declares the block in \p module and takes its address as the builder's
  /// function begins; at() is valid from then on.
  void materialize(Emitter &e, mlir::gpu::GPUModuleOp module);
  /// The address (i32) of \p offset.
  Value at(Emitter &e, int64_t offset) const { return e.add(base, offset); }

private:
  int64_t used = 0;
  Value base;
};

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_SHAREDMEMORY_H
