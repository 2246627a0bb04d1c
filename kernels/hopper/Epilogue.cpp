//===- Epilogue.cpp - From accumulators to global memory -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

using namespace mlir;
using namespace poly::kernels::hopper;

void poly::kernels::hopper::storeFragment(Emitter &e,
                                          const SharedMemory &memory,
                                          const SwizzledTile &tile,
                                          Value firstRow, Value lane,
                                          ValueRange packed) {
  // Lane l gives the address of row l % 8 of matrix l / 8; of the four 8x8
  // matrices, the second has the lower rows and the third the next columns.
  Value row = e.andBits(lane, 15);
  Value columnGroup = e.shiftRight(lane, 4);
  Value rowAddress =
      e.add(memory.at(e, tile.offset),
            e.mul(e.add(firstRow, row), SwizzledTile::kRowBytes));
  Value swizzle = e.andBits(row, 7);
  // Eight columns of two bytes are one 16-byte unit, eight units a row.
  for (size_t first = 0; first + 4 <= packed.size(); first += 4) {
    int64_t group = int64_t(first) / 2;
    Value unit = e.andBits(e.add(columnGroup, group), 7);
    Value address = e.add(rowAddress, e.shiftLeft(e.xorBits(unit, swizzle), 4));
    address = e.add(address, group / 8 * tile.slabBytes());
    NVVM::StMatrixOp::create(
        e, e.sharedPointer(address), packed.slice(first, 4),
        NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(e.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
  }
}

void poly::kernels::hopper::fenceSharedWrites(Emitter &e) {
  NVVM::FenceProxyOp::create(
      e, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(e.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}
