//===- Experts.cpp - Which rows belong to which expert --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Experts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::hopper;

using mlir::arith::CmpIPredicate;

static constexpr int64_t kLanes = 32;

ExpertTable::ExpertTable(SharedMemory &memory, int64_t experts)
    : experts(experts), firstTiles(memory.reserve((experts + 1) * 4, 4)),
      firstRows(memory.reserve((experts + 1) * 4, 4)) {}

Value ExpertTable::loadWord(Emitter &e, const SharedMemory &memory,
                            int64_t offset, Value index) const {
  Value address = e.add(memory.at(e, offset), e.shiftLeft(index, 2));
  return LLVM::LoadOp::create(e, e.getI32Type(), e.sharedPointer(address), 4);
}

void ExpertTable::storeWord(Emitter &e, const SharedMemory &memory,
                            int64_t offset, Value index, Value word) const {
  Value address = e.add(memory.at(e, offset), e.shiftLeft(index, 2));
  LLVM::StoreOp::create(e, word, e.sharedPointer(address), 4);
}

/// The word at \p index, at most \p last, of an array in global memory.
static Value loadOffset(Emitter &e, Value offsets, Value index, int64_t last) {
  Value clamped = e.minSigned(index, e.constant(last));
  Value address =
      LLVM::GEPOp::create(e, offsets.getType(), e.getI32Type(), offsets,
                          ArrayRef<LLVM::GEPArg>{e.widen(clamped)});
  return LLVM::LoadOp::create(e, e.getI32Type(), address, 4);
}

void ExpertTable::fill(Emitter &e, const SharedMemory &memory,
                       const ThreadPosition &position, Value offsets,
                       int64_t tileRows) const {
  Value zero = e.constant(0);
  e.ifThen(e.isEqual(position.warp, 0), [&] {
    e.loop(zero, e.constant(llvm::divideCeil(experts, kLanes)), {zero},
           [&](Value round, ValueRange carried) -> llvm::SmallVector<Value> {
             Value expert = e.add(e.mul(round, kLanes), position.lane);
             Value first = loadOffset(e, offsets, expert, experts);
             Value end = loadOffset(e, offsets, e.add(expert, 1), experts);
             // Offsets that fall have no rows.
             Value rows = e.maxSigned(e.sub(end, first), zero);
             Value own = e.divide(e.add(rows, tileRows - 1), tileRows);
             // The sums up to each lane.
             Value sum = own;
             for (int64_t distance = 1; distance < kLanes; distance *= 2) {
               Value below = shuffleUp(e, sum, distance);
               Value hasBelow = e.compare(CmpIPredicate::uge, position.lane,
                                          e.constant(distance));
               sum = e.add(sum, e.select(hasBelow, below, zero));
             }
             Value isExpert =
                 e.compare(CmpIPredicate::ult, expert, e.constant(experts));
             e.ifThen(isExpert, [&] {
               storeWord(e, memory, firstTiles, expert,
                         e.add(carried[0], e.sub(sum, own)));
               storeWord(e, memory, firstRows, expert, first);
             });
             e.ifThen(e.isEqual(expert, experts - 1), [&] {
               Value behind = e.constant(experts);
               storeWord(e, memory, firstTiles, behind, e.add(carried[0], sum));
               storeWord(e, memory, firstRows, behind, end);
             });
             return {e.add(carried[0], shuffleFrom(e, sum, kLanes - 1))};
           });
  });
}

Value ExpertTable::tiles(Emitter &e, const SharedMemory &memory) const {
  return loadWord(e, memory, firstTiles, e.constant(experts));
}

ExpertTable::Entry ExpertTable::find(Emitter &e, const SharedMemory &memory,
                                     Value tile) const {
  // The last expert whose first tile is not behind: those without rows begin
  // where the next one does, and lose.
  Value expert = e.constant(0);
  for (int64_t step = int64_t(llvm::PowerOf2Ceil(uint64_t(experts))) / 2;
       step > 0; step /= 2) {
    Value next = e.add(expert, step);
    Value isExpert = e.compare(CmpIPredicate::ult, next, e.constant(experts));
    Value first =
        loadWord(e, memory, firstTiles, e.minSigned(next, e.constant(experts)));
    Value isNotBehind = e.compare(CmpIPredicate::ule, first, tile);
    expert =
        e.select(arith::AndIOp::create(e, isExpert, isNotBehind), next, expert);
  }
  Entry entry;
  entry.expert = expert;
  Value behind = e.add(expert, 1);
  entry.firstTile = loadWord(e, memory, firstTiles, expert);
  entry.tiles = e.sub(loadWord(e, memory, firstTiles, behind), entry.firstTile);
  entry.firstRow = loadWord(e, memory, firstRows, expert);
  entry.endRow = loadWord(e, memory, firstRows, behind);
  return entry;
}
