//===- TileOrder.cpp - Which tiles a persistent block computes -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOrder.h"

using namespace mlir;
using namespace poly::kernels::hopper;

TileOrder::TileOrder(Emitter &e, Value tiles, int64_t clusterSize)
    : blocks(NVVM::GridDimXOp::create(e, e.getI32Type())),
      block(NVVM::BlockIdXOp::create(e, e.getI32Type())) {
  if (clusterSize > 1) {
    blocks = e.divide(blocks, clusterSize);
    block = e.divide(block, clusterSize);
  }
  reversed = e.sub(e.add(blocks, -1), block);
  numWhole = e.divide(tiles, blocks);
  Value rest = e.sub(tiles, wholeTiles(e));
  Value hasLast =
      e.compare(arith::CmpIPredicate::ult, position(e, numWhole), rest);
  numRounds =
      e.add(numWhole, arith::ExtUIOp::create(e, e.getI32Type(), hasLast));
}

Value TileOrder::position(Emitter &e, Value round) const {
  return e.select(e.isEqual(e.andBits(round, 1), 1), reversed, block);
}

Value TileOrder::tile(Emitter &e, Value round) const {
  return e.add(e.mul(round, blocks), position(e, round));
}
