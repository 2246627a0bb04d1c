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
/// add to the same sums of dQ at the same time wait for one another, the more
/// so where each waits for its turn.
static int64_t headsInTurn(const AttentionBackwardOptions &options) {
  return options.deterministic ? 8 : 2;
}

SwizzledTile Memory::reserveStages(int64_t rows, int64_t columns) {
  SwizzledTile first = memory.reserveTile(rows, columns);
  memory.reserve((kStages - 1) * first.bytes(), SharedMemory::kTileAlignment);
  return first;
}

static bool hasRowValues(const AttentionBackwardOptions &options) {
  return options.score != AttentionScore::Sigmoid;
}

Memory::Memory(const AttentionBackwardOptions &options)
    : key(memory.reserveTile(kKeyBlock, options.headDim)),
      value(memory.reserveTile(kKeyBlock, options.headDim)),
      query(reserveStages(kQueryBlock, options.headDim)),
      outputGradient(reserveStages(kQueryBlock, options.headDim)),
      scoreGradient(reserveStages(kQueryBlock, kKeyBlock)),
      offsets(
          memory.reserve(hasRowValues(options) ? kStages * kRowValueBytes : 0,
                         kRowValueAlignment)),
      deltas(
          memory.reserve(hasRowValues(options) ? kStages * kRowValueBytes : 0,
                         kRowValueAlignment)),
      keyFull(memory), valueFull(memory), tileEmpty(memory, kConsumerWarps),
      queries(memory, query.offset, query.bytes(), kStages, kConsumerWarps),
      outputGradients(memory, outputGradient.offset, outputGradient.bytes(),
                      kStages, kConsumerWarps) {
  if (!options.deterministic)
    return;
  turnCame.emplace(memory);
  turnTaken.emplace(memory, kConsumerWarps);
}

Work::Work(Emitter &e, const AttentionBackwardOptions &options,
           const Arguments &arguments)
    : e(e), options(options), arguments(arguments) {}

Order::Order(Emitter &e, Value tiles, bool alternates) {
  if (alternates) {
    alternating.emplace(e, tiles);
    numRounds = alternating->rounds();
    return;
  }
  blocks = NVVM::GridDimXOp::create(e, e.getI32Type());
  block = NVVM::BlockIdXOp::create(e, e.getI32Type());
  Value open = e.sub(e.add(tiles, e.add(blocks, -1)), block);
  numRounds = e.divide(open, blocks);
}

Value Order::tile(Emitter &e, Value round) const {
  if (alternating)
    return alternating->tile(e, round);
  return e.add(e.mul(round, blocks), block);
}

Value Work::keyTiles() const {
  return e.divide(e.add(arguments.keyLength, kKeyBlock - 1), kKeyBlock);
}

Value Work::keyRows() const {
  return e.mul(arguments.batches,
               e.divide(arguments.heads, arguments.headsPerKeyHead));
}

Value Work::tiles() const { return e.mul(keyTiles(), keyRows()); }

Tile Work::decode(const Order &order, Value round) const {
  Tile tile;
  Value number = order.tile(e, round);
  Value rows = keyRows();
  Value row, keyTile;
  if (options.causal) {
    // Most queries see the first keys: heaviest first, over all heads.
    keyTile = e.divide(number, rows);
    row = e.sub(number, e.mul(keyTile, rows));
  } else {
    int64_t most = headsInTurn(options);
    Value perTurn = e.mul(keyTiles(), most);
    Value turn = e.divide(number, perTurn);
    Value firstRow = e.mul(turn, most);
    // The last turn may have fewer.
    Value width = e.minSigned(e.sub(rows, firstRow), e.constant(most));
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

// A block of queries takes the sums of the tiles of keys in their order. Where
// blocks wait for one another, all of them had better begin with what all see:
// the last queries, of all heads.

Step Work::first(const Tile &tile) const {
  Value head = e.mul(tile.keyHead, arguments.headsPerKeyHead);
  return {options.deterministic ? e.add(tile.blocks, -1) : tile.firstBlock,
          head};
}

Step Work::next(const Tile &tile, const Step &step) const {
  if (options.deterministic) {
    Value head = e.add(step.head, 1);
    Value first = e.mul(tile.keyHead, arguments.headsPerKeyHead);
    Value isLast = e.compare(arith::CmpIPredicate::eq, head,
                             e.add(first, arguments.headsPerKeyHead));
    return {e.select(isLast, e.add(step.block, -1), step.block),
            e.select(isLast, first, head)};
  }
  Value block = e.add(step.block, 1);
  Value isLast = e.compare(arith::CmpIPredicate::eq, block, tile.blocks);
  Value carry = arith::ExtUIOp::create(e, e.getI32Type(), isLast);
  return {e.select(isLast, tile.firstBlock, block), e.add(step.head, carry)};
}

Value Work::workspaceBlock(const Tile &tile, const Step &step) const {
  Value headRow = e.add(e.mul(tile.batch, arguments.heads), step.head);
  return e.add(e.mul(headRow, tile.blocks), step.block);
}

Work::Position Work::firstPosition(const Tile &tile) const {
  Step step = first(tile);
  Position position;
  position.workspace = workspaceBlock(tile, step);
  if (options.causal)
    position.block = step.block;
  if (options.deterministic)
    position.count = arguments.headsPerKeyHead;
  return position;
}

Work::Position Work::next(const Tile &tile, const Position &position) const {
  Position next;
  if (options.deterministic) {
    next.count = e.add(position.count, -1);
    Value isLast = e.isEqual(next.count, 0);
    Value back = e.mul(e.add(arguments.headsPerKeyHead, -1), tile.blocks);
    next.workspace =
        e.add(position.workspace,
              e.select(isLast, e.sub(e.constant(-1), back), tile.blocks));
    next.count = e.select(isLast, arguments.headsPerKeyHead, next.count);
    if (position.block)
      next.block = e.select(isLast, e.add(position.block, -1), position.block);
    return next;
  }
  next.workspace = e.add(position.workspace, 1);
  if (position.block) {
    // The next head's first blocks see nothing.
    Value block = e.add(position.block, 1);
    Value isLast = e.compare(arith::CmpIPredicate::eq, block, tile.blocks);
    Value skipped = e.select(isLast, tile.firstBlock, e.constant(0));
    next.workspace = e.add(next.workspace, skipped);
    next.block = e.select(isLast, tile.firstBlock, block);
  }
  return next;
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
  // The kernel before writes them, a block of queries a row. Plain bulk copies
  // would do, but racecheck takes the reuse of what those fill for a race.
  auto rowMap = [&](llvm::StringRef name, Value &slot) {
    frame.tensorMap(describeTensorMap(e, frame.parameters(), name,
                                      {"queryInBlock", "queryBlock"},
                                      {kQueryBlock, 1}, /*swizzled=*/false),
                    slot);
  };
  if (hasRowValues(options)) {
    rowMap("queryOffsets", a.offsetMap);
    rowMap("queryDeltas", a.deltaMap);
  }
  frame.pointer("querySums", a.querySums);
  if (options.deterministic)
    frame.pointer("queryTurns", a.turns);
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
  Memory memory(options);
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
    for (const auto *turn : {&memory.turnCame, &memory.turnTaken})
      if (*turn)
        (*turn)->init(e, memory.memory);
    memory.queries.init(e, memory.memory);
    memory.outputGradients.init(e, memory.memory);
    fenceBarrierInit(e);
  });
  syncBlock(e);
  bool alternates = options.causal || !options.deterministic;
  Order order(e, Work(e, options, arguments).tiles(), alternates);
  auto copy = [&] { produce(e, options, arguments, memory, order); };
  auto assist = [&] { keepTurns(e, options, arguments, memory, order); };
  auto compute = [&] {
    consume(e, options, arguments, memory, order, position);
  };
  if (options.deterministic)
    specialiseWithAssistant(e, position, kProducerRegisters, kConsumerRegisters,
                            copy, assist, compute);
  else
    specialise(e, position, kProducerRegisters, kConsumerRegisters, copy,
               compute);
}
