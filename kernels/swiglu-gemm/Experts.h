//===- Experts.h - Which rows belong to which expert ------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rows sorted by expert, of which each has as many as were routed to it. Every
/// block makes itself a table of where the experts' rows and tiles begin.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_SWIGLUGEMM_EXPERTS_H
#define POLY_KERNELS_SWIGLUGEMM_EXPERTS_H

#include "hopper/SharedMemory.h"
#include "hopper/Warps.h"

namespace poly::kernels {

class ExpertTable {
public:
  /// Reserves the table for \p experts experts.
  ExpertTable(hopper::SharedMemory &memory, int64_t experts);

  /// Fills the table from \p offsets, experts + 1 numbers (i32) in global
  /// memory: expert i has the rows from number i on, below number i + 1. One
  /// warp does it, before the block's barrier.
  void fill(hopper::Emitter &e, const hopper::SharedMemory &memory,
            const hopper::ThreadPosition &position, mlir::Value offsets,
            int64_t tileRows) const;

  /// Tiles of rows of all experts.
  mlir::Value tiles(hopper::Emitter &e,
                    const hopper::SharedMemory &memory) const;

  struct Entry {
    mlir::Value expert;
    mlir::Value firstTile, tiles; ///< Of rows.
    mlir::Value firstRow, endRow;
  };
  /// The expert that tile \p tile of rows belongs to.
  Entry find(hopper::Emitter &e, const hopper::SharedMemory &memory,
             mlir::Value tile) const;

private:
  mlir::Value loadWord(hopper::Emitter &e, const hopper::SharedMemory &memory,
                       int64_t offset, mlir::Value index) const;
  void storeWord(hopper::Emitter &e, const hopper::SharedMemory &memory,
                 int64_t offset, mlir::Value index, mlir::Value word) const;

  int64_t experts;
  /// Of words: the first tile and the first row of each expert, then the ends.
  int64_t firstTiles, firstRows;
};

} // namespace poly::kernels

#endif // POLY_KERNELS_SWIGLUGEMM_EXPERTS_H
