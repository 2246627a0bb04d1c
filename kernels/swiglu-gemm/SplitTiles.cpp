//===- SplitTiles.cpp - Tiles that several blocks share -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rest of the tiles, when there are too few to give every block one. First
/// of all, the blocks of such a tile multiply a part of its depth each and
/// leave their sums in device memory. At the end, when the parts of the others
/// have long been there, each adds all parts of every so many groups of eight
/// columns, in the order of the depth, so that results do not depend on timing.
/// What a thread leaves is what the same thread of another block takes: sums
/// lie in the order of the accumulators.
///
//===----------------------------------------------------------------------===//

#include "GemmBuilder.h"

#include "hopper/Epilogue.h"
#include "hopper/GlobalMemory.h"
#include "hopper/TensorMap.h"
#include "hopper/Warps.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::hopper;
using namespace poly::kernels::swiglu_gemm;

using mlir::arith::CmpIPredicate;

/// Sums that a thread has of a group, and of gate or up.
static constexpr int64_t kSums = 4;
static constexpr int64_t kConsumerThreads = kConsumers * kWarpgroupThreads;
/// Parts whose sums are loaded before the first is added.
static constexpr int64_t kPartsAtOnce = 16;
/// The named barrier of the consumers; 0 is the block's.
static constexpr int64_t kConsumerBarrier = 1;

SplitTiles GemmBuilder::splitTiles(const TileOrder &order) {
  Value blocks = NVVM::GridDimXOp::create(e, e.getI32Type());
  Value block = NVVM::BlockIdXOp::create(e, e.getI32Type());
  Value one = e.constant(1), steps = ceilDivide(e, arguments.depth, kTileDepth);
  SplitTiles split;
  split.first = order.wholeTiles(e);
  split.tiles = e.sub(e.mul(rowUnits(), columnTiles()), split.first);
  Value tiles = e.maxSigned(split.tiles, one);
  // More parts than steps or groups of columns would have nothing to do.
  split.parts = e.minSigned(e.minSigned(e.divide(blocks, tiles), steps),
                            e.constant(groups()));
  split.isSplit = arith::AndIOp::create(
      e, e.compare(CmpIPredicate::sgt, split.tiles, e.constant(0)),
      e.compare(CmpIPredicate::sgt, split.parts, one));
  split.isPart = arith::AndIOp::create(
      e, split.isSplit,
      e.compare(CmpIPredicate::slt, block, e.mul(split.tiles, split.parts)));
  Value parts = e.maxSigned(split.parts, one);
  split.part = e.divide(block, tiles);
  split.tile = e.sub(block, e.mul(split.part, tiles));
  split.firstStep = e.divide(e.mul(split.part, steps), parts);
  Value end = e.divide(e.mul(e.add(split.part, 1), steps), parts);
  split.numSteps = e.sub(end, split.firstStep);
  return split;
}

Value GemmBuilder::partSteps(const SplitTiles &split) {
  return e.select(split.isPart, split.numSteps, e.constant(0));
}

void GemmBuilder::producePart(const SplitTiles &split) {
  e.ifThen(split.isPart, [&] {
    Tile tile = decode(e.add(split.first, split.tile));
    e.loop(e.constant(0), split.numSteps, {},
           [&](Value t, ValueRange) -> Values {
             loadStage(tile, halves, t,
                       e.mul(e.add(split.firstStep, t), kTileDepth));
             return {};
           });
  });
}

/// Where the sums number \p index, four f32, of thread \p thread lie.
Value GemmBuilder::partialSum(Value block, Value thread, Value index) {
  Value ofBlock = byteDistance(e, block, partialBytes());
  Value inBlock =
      byteDistance(e, e.add(e.mul(index, kConsumerThreads), thread), kSums * 4);
  return advancePointer(e, arguments.partialSums,
                        arith::AddIOp::create(e, ofBlock, inBlock));
}

/// Of the consumers.
static Value consumerThread(Emitter &e) {
  return e.sub(NVVM::ThreadIdXOp::create(e, e.getI32Type()),
               e.constant(kWarpgroupThreads));
}

static void syncConsumers(Emitter &e) {
  syncNamed(e, e.constant(kConsumerBarrier), kConsumerThreads);
}

Value GemmBuilder::arrivalsOf(const SplitTiles &split) {
  return advancePointer(e, arguments.arrivals, byteDistance(e, split.tile, 4));
}

void GemmBuilder::consumePart(const Consumer &c, const SplitTiles &split) {
  e.ifThen(split.isPart, [&] {
    Value zero = e.constant(0);
    Values sums = steps(c, zero, ValueRange());
    sums =
        remainingSteps(c, zero, e.constant(1), split.numSteps, std::move(sums));
    Value block = NVVM::BlockIdXOp::create(e, e.getI32Type());
    Value thread = consumerThread(e);
    auto four = VectorType::get({kSums}, e.getF32Type());
    for (int64_t i = 0; i < int64_t(sums.size()); i += kSums) {
      Value values = vector::FromElementsOp::create(
          e, four, ValueRange(sums).slice(size_t(i), size_t(kSums)));
      LLVM::StoreOp::create(e, values,
                            partialSum(block, thread, e.constant(i / kSums)),
                            kSums * 4);
    }
    syncConsumers(e);
    e.ifThen(e.isEqual(thread, 0), [&] { countUp(e, arrivalsOf(split)); });
  });
}

void GemmBuilder::sumParts(const Consumer &c, const SplitTiles &split) {
  e.ifThen(split.isPart, [&] {
    Value thread = consumerThread(e);
    Value isFirst = e.isEqual(thread, 0), arrived = arrivalsOf(split);
    e.ifThen(isFirst, [&] { awaitValue(e, arrived, split.parts); });
    syncConsumers(e);

    Tile tile = decode(e.add(split.first, split.tile));
    Value left = e.sub(e.constant(groups()), split.part);
    Value mine = e.divide(e.add(left, e.add(split.parts, -1)), split.parts);
    e.loop(e.constant(0), mine, {}, [&](Value i, ValueRange) -> Values {
      Value group = e.add(split.part, e.mul(i, split.parts));
      Values sums = sumsOfParts(split, thread, group);
      ValueRange both = sums;
      storeGroup(c, tile, e.mul(group, kGroupColumns),
                 both.take_front(size_t(kSums)),
                 both.drop_front(size_t(kSums)));
      return {};
    });

    // The last one to have read makes it zero again.
    syncConsumers(e);
    e.ifThen(isFirst, [&] {
      Value last = e.add(e.mul(split.parts, 2), -1);
      e.ifThen(e.compare(CmpIPredicate::eq, countUp(e, arrived), last),
               [&] { publish(e, arrived, e.constant(0)); });
    });
  });
}

/// What a thread has of group \p group of gate, then of up, over all parts.
GemmBuilder::Values GemmBuilder::sumsOfParts(const SplitTiles &split,
                                             Value thread, Value group) {
  auto four = VectorType::get({kSums}, e.getF32Type());
  Value zero = arith::ConstantOp::create(
      e, four, mlir::DenseElementsAttr::get(four, 0.0f));
  Value indices[] = {group, e.add(group, groups())};
  Values sums = e.loop(
      e.constant(0), ceilDivide(e, split.parts, kPartsAtOnce), {zero, zero},
      [&](Value round, ValueRange carried) -> Values {
        Values loaded;
        for (int64_t i = 0; i < kPartsAtOnce; ++i) {
          Value part = e.add(e.mul(round, kPartsAtOnce), i);
          Value isPart = e.compare(CmpIPredicate::slt, part, split.parts);
          Value known = e.minSigned(part, e.add(split.parts, -1));
          Value block = e.add(e.mul(known, split.tiles), split.tile);
          for (Value index : indices) {
            Value values = LLVM::LoadOp::create(
                e, four, partialSum(block, thread, index), kSums * 4);
            loaded.push_back(e.select(isPart, values, zero));
          }
        }
        Values totals(carried);
        for (size_t i = 0; i < loaded.size(); ++i)
          totals[i % 2] = arith::AddFOp::create(e, totals[i % 2], loaded[i]);
        return totals;
      });
  Values elements;
  for (Value sum : sums)
    for (int64_t i = 0; i < kSums; ++i)
      elements.push_back(vector::ExtractOp::create(e, sum, i));
  return elements;
}

void GemmBuilder::storeGroup(const Consumer &c, const Tile &tile, Value column,
                             ValueRange gate, ValueRange up) {
  Values packed =
      toPairs(c.arithmetic.apply(fromAccumulators(gate), fromAccumulators(up)));
  beginStore(c);
  storeFragment(e, memory, group, c.slabRow, c.lane, packed);
  fenceSharedWrites(e);
  syncWarp(e);
  e.ifThen(c.isFirstLane, [&] {
    Value source =
        e.add(memory.at(e, group.offset), e.mul(c.slabRow, group.rowBytes()));
    storeBox(e, arguments.outputGroupMap, source,
             {e.add(tile.column, column), e.add(tile.row, c.slabRow)});
    commitStores(e);
  });
}
