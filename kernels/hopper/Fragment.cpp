//===- Fragment.cpp - Fragments of products and shared memory ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fragment.h"

using namespace mlir;
using namespace poly::kernels::hopper;

static NVVM::LdStMatrixShapeAttr eightByEight(Emitter &e) {
  return NVVM::LdStMatrixShapeAttr::get(e.getContext(), 8, 8);
}

/// Eight columns are a unit of 16 bytes; its place in a row of 128 bytes
/// depends on the row.
static Value unitOffset(Emitter &e, Value unit, Value rowInEight) {
  return e.shiftLeft(e.xorBits(unit, rowInEight), 4);
}

llvm::SmallVector<Value>
poly::kernels::hopper::loadFragments(Emitter &e, const SharedMemory &memory,
                                     const SwizzledTile &tile, Value firstRow,
                                     Value lane, int64_t steps) {
  // Lane l gives the address of row l % 8 of matrix l / 8.
  Value row = e.andBits(lane, 15);
  Value rowInEight = e.andBits(lane, 7);
  Value half = e.shiftRight(lane, 4);
  Value rowAddress =
      e.add(memory.at(e, tile.offset),
            e.mul(e.add(firstRow, row), SwizzledTile::kRowBytes));
  Type registers = LLVM::LLVMStructType::getLiteral(
      e.getContext(), llvm::SmallVector<Type>(4, e.getI32Type()));
  constexpr int64_t kStepsPerSlab = SwizzledTile::kRowBytes / 32;
  llvm::SmallVector<Value> fragments;
  for (int64_t step = 0; step < steps; ++step) {
    Value unit = e.add(half, step % kStepsPerSlab * 2);
    Value address = e.add(e.add(rowAddress, unitOffset(e, unit, rowInEight)),
                          step / kStepsPerSlab * tile.slabBytes());
    Value loaded = NVVM::LdMatrixOp::create(
        e, registers, e.sharedPointer(address), e.getI32IntegerAttr(4),
        NVVM::MMALayoutAttr::get(e.getContext(), NVVM::MMALayout::row),
        eightByEight(e),
        NVVM::LdStMatrixEltTypeAttr::get(e.getContext(),
                                         NVVM::LdStMatrixEltType::B16));
    fragments.append(e.unpack(loaded));
  }
  return fragments;
}

TransposedStore::TransposedStore(Emitter &e, const SharedMemory &memory,
                                 const SwizzledTile &tile, Value slab,
                                 Value firstColumn, Value lane) {
  // The instruction writes column r of matrix i where lane 8 i + r says.
  Value matrix = e.shiftRight(lane, 3);
  Value rowInEight = e.andBits(lane, 7);
  Value row = e.add(e.shiftLeft(e.shiftRight(matrix, 1), 3), rowInEight);
  Value unit = e.add(e.shiftRight(firstColumn, 3), e.andBits(matrix, 1));
  address = e.add(memory.at(e, tile.offset), e.mul(slab, tile.slabBytes()));
  address = e.add(address, e.mul(row, SwizzledTile::kRowBytes));
  address = e.add(address, unitOffset(e, unit, rowInEight));
}

void TransposedStore::store(Emitter &e, Value byteOffset,
                            ValueRange fragments) const {
  constexpr int64_t kRowsPerStore = 16;
  Value target = e.sharedPointer(e.add(address, byteOffset));
  for (size_t first = 0; first < fragments.size(); first += 4) {
    int64_t rows = int64_t(first / 4) * kRowsPerStore;
    NVVM::StMatrixOp::create(
        e, e.offsetPointer(target, rows * SwizzledTile::kRowBytes),
        fragments.slice(first, 4), NVVM::MMALayout::col, eightByEight(e),
        NVVM::LdStMatrixEltType::B16);
  }
}
