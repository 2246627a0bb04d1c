//===- TileOrder.h - Which tiles a persistent block computes ---*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One block per multiprocessor runs over the tiles w = 0, 1, …: in even rounds
/// block c takes round * blocks + c, in odd rounds they go in reverse (a
/// snake), which evens out tiles whose work falls steadily. The order is fixed,
/// so results do not depend on timing.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_TILEORDER_H
#define POLY_KERNELS_HOPPER_TILEORDER_H

#include "Emitter.h"

namespace poly::kernels::hopper {

class TileOrder {
public:
  /// For \p tiles (i32) tiles over all blocks of the grid; clusters of
  /// \p clusterSize blocks take each tile together.
  TileOrder(Emitter &e, Value tiles, int64_t clusterSize = 1);
  /// How many tiles this block takes part in.
  Value rounds() const { return numRounds; }
  /// Rounds in which every block has a tile, and how many tiles they take.
  Value wholeRounds() const { return numWhole; }
  Value wholeTiles(Emitter &e) const { return e.mul(numWhole, blocks); }
  /// The tile of round \p round.
  Value tile(Emitter &e, Value round) const;

private:
  Value position(Emitter &e, Value round) const;

  Value blocks, block, reversed, numRounds, numWhole;
};

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_TILEORDER_H
