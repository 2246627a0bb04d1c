//===- Main.cpp - The main kernel of the backward pass: frame ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Main.h"

#include "hopper/TensorMap.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::attention_backward;

static constexpr int64_t kThreads = (kConsumers + 1) * kWarpgroupThreads;
static constexpr int64_t kProducerRegisters = 24;
static constexpr int64_t kConsumerRegisters = 240;
/// Rows that one warp stores.
static constexpr int64_t kWarpRows = 16;
/// Full attention takes the tiles of so many key heads in turn: blocks that
/// add to the same sums of dQ at the same time wait for one another.
static constexpr int64_t kHeadsInTurn = 2;

SwizzledTile Memory::reserveStages(int64_t rows, int64_t columns) {
  SwizzledTile first = memory.reserveTile(rows, columns);
  memory.reserve((kStages - 1) * first.bytes(), SharedMemory::kTileAlignment);
  return first;
}

Memory::Memory(int64_t dim, bool hasRowValues)
    : key(memory.reserveTile(kKeyBlock, dim)),
      value(memory.reserveTile(kKeyBlock, dim)),
      query(reserveStages(kQueryBlock, dim)),
      outputGradient(reserveStages(kQueryBlock, dim)),
      scoreGradient(reserveStages(kQueryBlock, kKeyBlock)),
      offsets(memory.reserve(hasRowValues ? kStages * kRowValueBytes : 0, 16)),
      deltas(memory.reserve(hasRowValues ? kStages * kRowValueBytes : 0, 16)),
      keyFull(memory), valueFull(memory), tileEmpty(memory, kConsumerWarps),
      queries(memory, query.offset, query.bytes(), kStages, kConsumerWarps),
      outputGradients(memory, outputGradient.offset, outputGradient.bytes(),
                      kStages, kConsumerWarps) {}

Work::Work(Emitter &e, const AttentionBackwardOptions &options,
           const Arguments &arguments)
    : e(e), options(options), arguments(arguments) {}

Value Work::keyTiles() const {
  return e.divide(e.add(arguments.keyLength, kKeyBlock - 1), kKeyBlock);
}

Value Work::keyRows() const {
  return e.mul(arguments.batches,
               e.divide(arguments.heads, arguments.headsPerKeyHead));
}

Value Work::tiles() const { return e.mul(keyTiles(), keyRows()); }

Tile Work::decode(const TileOrder &order, Value round) const {
  Tile tile;
  Value number = order.tile(e, round);
  Value rows = keyRows();
  Value row, keyTile;
  if (options.causal) {
    // Most queries see the first keys: heaviest first, over all heads.
    keyTile = e.divide(number, rows);
    row = e.sub(number, e.mul(keyTile, rows));
  } else {
    Value perTurn = e.mul(keyTiles(), kHeadsInTurn);
    Value turn = e.divide(number, perTurn);
    Value firstRow = e.mul(turn, kHeadsInTurn);
    // The last turn may have fewer.
    Value width = e.minSigned(e.sub(rows, firstRow), e.constant(kHeadsInTurn));
    Value inTurn = e.sub(number, e.mul(turn, perTurn));
    keyTile = e.divide(inTurn, width);
    row = e.add(firstRow, e.sub(inTurn, e.mul(keyTile, width)));
  }
  Value keyHeads = e.divide(arguments.heads, arguments.headsPerKeyHead);
  tile.firstKey = e.mul(keyTile, kKeyBlock);
  tile.batch = e.divide(row, keyHeads);
  tile.keyHead = e.sub(row, e.mul(tile.batch, keyHeads));
  tile.blocks = queryBlocks(e, arguments.queryLength);
  tile.firstBlock = e.constant(0);
  if (options.causal) {
    Value firstQuery =
        e.maxSigned(e.sub(tile.firstKey, arguments.causalShift), e.constant(0));
    tile.firstBlock =
        e.minSigned(e.divide(firstQuery, kQueryBlock), tile.blocks);
  }
  tile.steps =
      e.mul(e.sub(tile.blocks, tile.firstBlock), arguments.headsPerKeyHead);
  return tile;
}

Step Work::first(const Tile &tile) const {
  return {tile.firstBlock, e.mul(tile.keyHead, arguments.headsPerKeyHead)};
}

Step Work::next(const Tile &tile, const Step &step) const {
  Value block = e.add(step.block, 1);
  Value isLast = e.compare(arith::CmpIPredicate::eq, block, tile.blocks);
  Value carry = arith::ExtUIOp::create(e, e.getI32Type(), isLast);
  return {e.select(isLast, tile.firstBlock, block), e.add(step.head, carry)};
}

Value Work::workspaceBlock(const Tile &tile, const Step &step) const {
  Value headRow = e.add(e.mul(tile.batch, arguments.heads), step.head);
  return e.add(e.mul(headRow, tile.blocks), step.block);
}

static void declare(Emitter &e, const AttentionBackwardOptions &options,
                    const Memory &memory, Arguments &a) {
  KernelFrame frame(e, options, "main");
  auto map = [&](llvm::StringRef name, int64_t rows, llvm::StringRef heads,
                 llvm::StringRef length, Value &slot) {
    frame.tensorMap(describeTensorMap(e, frame.parameters(), name,
                                      {"headDim", length, heads, "batch"},
                                      {memory.query.slabColumns(), rows, 1, 1}),
                    slot);
  };
  map("query", kQueryBlock, "heads", "queryLength", a.queryMap);
  map("outputGradient", kQueryBlock, "heads", "queryLength",
      a.outputGradientMap);
  map("key", kKeyBlock, "keyHeads", "keyLength", a.keyMap);
  map("value", kKeyBlock, "keyHeads", "keyLength", a.valueMap);
  map("keyGradient", kWarpRows, "keyHeads", "keyLength", a.keyGradientMap);
  map("valueGradient", kWarpRows, "keyHeads", "keyLength", a.valueGradientMap);
  if (options.score != AttentionScore::Sigmoid) {
    frame.pointer("queryOffsets", a.offsets);
    frame.pointer("queryDeltas", a.deltas);
  }
  frame.pointer("querySums", a.querySums);
  Type integer = e.getI32Type(), real = e.getF32Type();
  frame.parameter("queryLength", integer, a.queryLength);
  frame.parameter("keyLength", integer, a.keyLength);
  frame.parameter("batches", integer, a.batches);
  frame.parameter("heads", integer, a.heads);
  frame.parameter("headsPerKeyHead", integer, a.headsPerKeyHead);
  if (options.causal)
    frame.parameter("causalShift", integer, a.causalShift);
  frame.parameter("scale", real, a.scale);
  if (options.score == AttentionScore::Softcap && !options.cap)
    frame.parameter("cap", real, a.parameter);
  if (options.score == AttentionScore::Sigmoid)
    frame.parameter("bias", real, a.parameter);
  frame.note("grid", "persistent");
  gpu::GPUFuncOp function =
      frame.declare(options.name, kThreads, memory.memory.size());
  // One block has the multiprocessor to itself: its shared memory fills it.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    e.getI32IntegerAttr(1));
}

void poly::kernels::buildMain(Emitter &e, gpu::GPUModuleOp module,
                              const AttentionBackwardOptions &options) {
  Memory memory(options.headDim, options.score != AttentionScore::Sigmoid);
  Arguments arguments;
  declare(e, options, memory, arguments);
  memory.memory.materialize(e, module);
  ThreadPosition position(e);
  e.ifThen(e.isEqual(position.thread, 0), [&] {
    for (Value map : {arguments.queryMap, arguments.outputGradientMap,
                      arguments.keyMap, arguments.valueMap})
      prefetchTensorMap(e, map);
    for (const Barrier *barrier :
         {&memory.keyFull, &memory.valueFull, &memory.tileEmpty})
      barrier->init(e, memory.memory);
    memory.queries.init(e, memory.memory);
    memory.outputGradients.init(e, memory.memory);
    fenceBarrierInit(e);
  });
  syncBlock(e);
  TileOrder order(e, Work(e, options, arguments).tiles());
  specialise(
      e, position, kProducerRegisters, kConsumerRegisters,
      [&] { produce(e, options, arguments, memory, order); },
      [&] { consume(e, options, arguments, memory, order, position); });
}
