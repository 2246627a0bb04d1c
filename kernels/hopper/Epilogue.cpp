//===- Epilogue.cpp - From accumulators to global memory -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include <algorithm>

using namespace mlir;
using namespace poly::kernels::hopper;

/// Stores two or four 8x8 matrices: lane l gives the address of row l % 8 of
/// matrix l / 8. Of four, the second has the lower rows and the third the next
/// columns.
static void storeMatrices(Emitter &e, Value address, ValueRange matrices) {
  NVVM::StMatrixOp::create(e, e.sharedPointer(address), matrices,
                           NVVM::MMALayout::row,
                           NVVM::LdStMatrixShapeAttr::get(e.getContext(), 8, 8),
                           NVVM::LdStMatrixEltType::B16);
}

/// Calls \p store with the number of the group of eight columns and the
/// matrices (two for each group) of every instruction.
static void forMatrices(ValueRange packed, int64_t firstColumn,
                        llvm::function_ref<void(int64_t, ValueRange)> store) {
  for (size_t first = 0; first < packed.size(); first += 4)
    store((firstColumn + int64_t(first) * 4) / 8,
          packed.slice(first, std::min<size_t>(4, packed.size() - first)));
}

void poly::kernels::hopper::storeFragment(
    Emitter &e, const SharedMemory &memory, const SwizzledTile &tile,
    Value firstRow, Value lane, ValueRange packed, int64_t firstColumn) {
  Value row = e.andBits(lane, 15);
  Value columnGroup = e.shiftRight(lane, 4);
  Value rowAddress =
      e.add(memory.at(e, tile.offset),
            e.mul(e.add(firstRow, row), SwizzledTile::kRowBytes));
  Value swizzle = e.andBits(row, 7);
  // Eight columns of two bytes are one 16-byte unit, eight units a row.
  forMatrices(packed, firstColumn, [&](int64_t group, ValueRange matrices) {
    Value unit = e.andBits(e.add(columnGroup, group), 7);
    Value address = e.add(rowAddress, e.shiftLeft(e.xorBits(unit, swizzle), 4));
    storeMatrices(e, e.add(address, group / 8 * tile.slabBytes()), matrices);
  });
}

void poly::kernels::hopper::storeFragment(Emitter &e,
                                          const SharedMemory &memory,
                                          const PlainTile &tile, Value firstRow,
                                          Value lane, ValueRange packed,
                                          int64_t firstColumn) {
  Value row = e.add(firstRow, e.andBits(lane, 15));
  Value address = e.add(memory.at(e, tile.offset), e.mul(row, tile.rowBytes()));
  forMatrices(packed, firstColumn, [&](int64_t group, ValueRange matrices) {
    Value unit = e.constant(group);
    if (matrices.size() == 4)
      unit = e.add(e.shiftRight(lane, 4), group);
    storeMatrices(e, e.add(address, e.shiftLeft(unit, 4)), matrices);
  });
}

void poly::kernels::hopper::fenceSharedWrites(Emitter &e) {
  NVVM::FenceProxyOp::create(
      e, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(e.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}
