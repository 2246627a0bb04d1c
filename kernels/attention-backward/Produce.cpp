//===- Produce.cpp - The main kernel of the backward pass: copies --------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Main.h"

#include "hopper/GlobalMemory.h"
#include "hopper/TensorMap.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::attention_backward;

namespace {
class Producer {
public:
  Producer(Emitter &e, const Arguments &arguments, const Memory &memory,
           const Work &work)
      : e(e), arguments(arguments), memory(memory), work(work) {}

  /// Q, dO and what belongs to their rows, as use \p number of both pipelines.
  void loadStep(const Tile &tile, const Step &step, Value number) {
    loadRows(tile, step, number, memory.queries, arguments.queryMap,
             memory.query, arguments.offsetMap, memory.offsets);
    loadRows(tile, step, number, memory.outputGradients,
             arguments.outputGradientMap, memory.outputGradient,
             arguments.deltaMap, memory.deltas);
  }

  void loadKeys(const Tile &tile, Value map, const SwizzledTile &target,
                const Barrier &full) {
    Value barrier = full.address(e, memory.memory);
    expectBytes(e, barrier, target.bytes());
    loadSlabs(map, target, e.constant(0), barrier, tile.firstKey, tile.keyHead,
              tile.batch);
  }

private:
  void loadSlabs(Value map, const SwizzledTile &target, Value byteOffset,
                 Value barrier, Value row, Value head, Value batch) {
    Value address = e.add(memory.memory.at(e, target.offset), byteOffset);
    for (int64_t slab = 0; slab < target.slabs(); ++slab)
      loadBox(e, map, e.add(address, slab * target.slabBytes()), barrier,
              {e.constant(slab * target.slabColumns()), row, head, batch});
  }

  void loadRows(const Tile &tile, const Step &step, Value number,
                const Pipeline &pipeline, Value map, const SwizzledTile &target,
                Value rowValueMap, int64_t rowValueOffset) {
    constexpr int64_t kBytes = Memory::kRowValueBytes;
    Pipeline::Use use = pipeline.use(e, memory.memory, number);
    pipeline.acquire(e, use, rowValueMap ? kBytes : 0);
    loadSlabs(map, target, use.byteOffset, use.full,
              e.mul(step.block, kQueryBlock), step.head, tile.batch);
    if (!rowValueMap)
      return;
    loadBox(
        e, rowValueMap,
        e.add(memory.memory.at(e, rowValueOffset), e.mul(use.stage, kBytes)),
        use.full, {e.constant(0), work.workspaceBlock(tile, step)});
  }

  Emitter &e;
  const Arguments &arguments;
  const Memory &memory;
  const Work &work;
};
} // namespace

void poly::kernels::attention_backward::produce(
    Emitter &e, const AttentionBackwardOptions &options,
    const Arguments &arguments, const Memory &memory, const Order &order) {
  Work work(e, options, arguments);
  Producer producer(e, arguments, memory, work);
  Value zero = e.constant(0), one = e.constant(1);
  e.loop(zero, order.rounds(), {zero},
         [&](Value round, ValueRange carried) -> llvm::SmallVector<Value> {
           Value use = carried[0];
           Tile tile = work.decode(order, round);
           Step first = work.first(tile);
           // Ahead of the wait for the tile before: its stages are free
           // earlier.
           e.ifThen(e.compare(arith::CmpIPredicate::sgt, tile.steps, zero),
                    [&] { producer.loadStep(tile, first, use); });
           waitBarrier(e, memory.tileEmpty.address(e, memory.memory),
                       e.xorBits(e.andBits(round, 1), one));
           producer.loadKeys(tile, arguments.keyMap, memory.key,
                             memory.keyFull);
           producer.loadKeys(tile, arguments.valueMap, memory.value,
                             memory.valueFull);
           Step second = work.next(tile, first);
           e.loop(one, tile.steps, {second.block, second.head},
                  [&](Value t, ValueRange at) -> llvm::SmallVector<Value> {
                    Step step = {at[0], at[1]};
                    producer.loadStep(tile, step, e.add(use, t));
                    Step next = work.next(tile, step);
                    return {next.block, next.head};
                  });
           return {e.add(use, tile.steps)};
         });
}

/// The tiles of keys that a block of queries sees are the first ones, so the
/// number of a tile is its turn. It waits for lower numbers alone, which an
/// earlier round or another block has: with all blocks running there is always
/// one that need not wait.
void poly::kernels::attention_backward::keepTurns(
    Emitter &e, const AttentionBackwardOptions &options,
    const Arguments &arguments, const Memory &memory, const Order &order) {
  Work work(e, options, arguments);
  Value zero = e.constant(0);
  e.loop(zero, order.rounds(), {zero},
         [&](Value round, ValueRange carried) -> llvm::SmallVector<Value> {
           Value use = carried[0];
           Tile tile = work.decode(order, round);
           Value turn = e.divide(tile.firstKey, kKeyBlock);
           Step first = work.first(tile);
           e.loop(zero, tile.steps, {first.block, first.head},
                  [&](Value t, ValueRange at) -> llvm::SmallVector<Value> {
                    Step step = {at[0], at[1]};
                    Value slot = advancePointer(
                        e, arguments.turns,
                        byteDistance(e, work.workspaceBlock(tile, step), 4));
                    awaitValue(e, slot, turn);
                    arriveBarrier(e, memory.turnCame->address(e, memory.memory),
                                  e.isEqual(zero, 0));
                    waitBarrier(e, memory.turnTaken->address(e, memory.memory),
                                e.andBits(e.add(use, t), 1));
                    publish(e, slot, e.add(turn, 1));
                    Step next = work.next(tile, step);
                    return {next.block, next.head};
                  });
           return {e.add(use, tile.steps)};
         });
}
