//===- Attention.cpp - Fused attention for Hopper -------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A block has 384 threads. One thread of warpgroup 0 copies tiles of Q, K and
/// V to shared memory; two consumer warpgroups hold 64 rows of Q each. For tile
/// t of the keys a consumer starts S(t) = Q K^T and then O += P(t-1) V,
/// computes P(t) from S(t) while the second product runs, and only when that
/// has finished rounds P(t) to its type, which makes the registers of the next
/// A fragment, and rescales O; or, where each product has accumulators of its
/// own, adds the product to the rescaled O.
///
/// Tiles of keys are visited from the last to the first, so that the ones that
/// need a mask come first.
///
/// Where AttentionOptions::overlapsTiles() says so and there is room for two
/// tiles of Q, the same goes on from one tile of queries to the next: S of its
/// first keys is started before the last P V of the tile before, whose output
/// is stored beside the products of the next keys.
///
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"

#include "common/Attributes.h"
#include "hopper/Epilogue.h"
#include "hopper/TensorMap.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::attention;

using mlir::arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// The frame
//===----------------------------------------------------------------------===//

DictionaryAttr AttentionBuilder::describe() {
  auto entry = [&](llvm::StringRef key, Attribute value) {
    return e.getNamedAttr(key, value);
  };
  auto text = [&](llvm::StringRef value) { return e.getStringAttr(value); };
  auto number = [&](int64_t value) { return e.getI64IntegerAttr(value); };
  llvm::StringRef score[] = {"softmax", "softcap", "sigmoid", "identity"};
  auto map = [&](int64_t argument, llvm::StringRef name, int64_t rows,
                 llvm::StringRef heads, llvm::StringRef length, int64_t bytes) {
    return describeTensorMap(e, argument, name,
                             {"headDim", length, heads, "batch"},
                             {128 / bytes, rows, 1, 1});
  };
  Attribute maps[] = {
      map(0, "query", queryRows, "heads", "queryLength",
          options.elementBytes()),
      map(1, "key", keyRows, "keyHeads", "keyLength", options.elementBytes()),
      options.is8Bit()
          ? describeTensorMap(e, 2, "value",
                              {"paddedKeys", "headDim", "keyHeads", "batch"},
                              {keyRows, ownColumns, 1, 1})
          : map(2, "value", keyRows, "keyHeads", "keyLength", 2),
      map(3, "output", kWarpRows, "heads", "queryLength", 2)};
  llvm::SmallVector<NamedAttribute> entries = {
      entry("family", text("attention")),
      entry("direction", text("forward")),
      entry("score", text(score[int(options.score)])),
      entry("type", text(ptxName(operandType()))),
      entry("headDim", number(dim)),
      entry("causal", e.getBoolAttr(options.causal)),
      entry("logSumExp", e.getBoolAttr(options.logSumExp)),
      entry("matrixSum", e.getBoolAttr(options.matrixSum)),
      entry("pingPong", e.getBoolAttr(options.pingPong)),
      entry("queryRows", number(queryRows)),
      entry("keyRows", number(keyRows)),
      entry("grid", text("persistent")),
      entry("arguments", e.getStrArrayAttr(names)),
      entry("tensorMaps", e.getArrayAttr(maps)),
      entry("dynamicSharedBytes", number(memory.size()))};
  if (options.cap)
    entries.push_back(entry("cap", e.getF64FloatAttr(*options.cap)));
  if (options.is8Bit()) {
    entries.push_back(entry("keyValueType", text(ptxName(keyValueType()))));
    entries.push_back(
        entry("outputType", text(options.f16Output ? "f16" : "bf16")));
    entries.push_back(entry("runningSum", e.getBoolAttr(options.runningSum)));
  }
  if (options.scoreBound)
    entries.push_back(
        entry("scoreBound", e.getF64FloatAttr(*options.scoreBound)));
  return e.getDictionaryAttr(entries);
}

gpu::GPUFuncOp AttentionBuilder::declare(gpu::GPUModuleOp module) {
  llvm::SmallVector<Type> types;
  llvm::SmallVector<Value *> slots;
  auto argument = [&](llvm::StringRef name, Type type, Value &slot) {
    names.push_back(name);
    types.push_back(type);
    slots.push_back(&slot);
  };
  Type map = tensorMapType(e.getContext());
  Type integer = e.getI32Type(), real = e.getF32Type();
  argument("queryMap", map, arguments.queryMap);
  argument("keyMap", map, arguments.keyMap);
  argument("valueMap", map, arguments.valueMap);
  argument("outputMap", map, arguments.outputMap);
  if (options.logSumExp)
    argument("logSumExp", LLVM::LLVMPointerType::get(e.getContext(), 1),
             arguments.logSumExp);
  argument("queryLength", integer, arguments.queryLength);
  argument("keyLength", integer, arguments.keyLength);
  argument("batches", integer, arguments.batches);
  argument("heads", integer, arguments.heads);
  argument("headsPerKeyHead", integer, arguments.headsPerKeyHead);
  if (options.causal)
    argument("causalShift", integer, arguments.causalShift);
  argument("scale", real, arguments.scale);
  if (options.score == AttentionScore::Softcap && !options.cap)
    argument("cap", real, arguments.parameter);
  if (options.score == AttentionScore::Sigmoid)
    argument("bias", real, arguments.parameter);

  if (options.is8Bit()) {
    Type array = LLVM::LLVMPointerType::get(e.getContext(), 1);
    argument("queryDescale", array, arguments.queryDescale);
    argument("keyDescale", array, arguments.keyDescale);
    argument("valueDescale", array, arguments.valueDescale);
    argument("queryDescaleStride", integer, arguments.queryDescaleStride);
    argument("keyDescaleStride", integer, arguments.keyDescaleStride);
    argument("valueDescaleStride", integer, arguments.valueDescaleStride);
    if (options.score == AttentionScore::Sigmoid)
      argument("weightScale", real, arguments.weightScale);
  }

  auto function = gpu::GPUFuncOp::create(e, options.name,
                                         e.getFunctionType(types, TypeRange()));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), e.getUnitAttr());
  // Whole numbers of octaves are multiples of any lattice's step.
  if (options.hasBoundedExponents())
    function->setAttr(kRoundOffsetsAttr, e.getUnitAttr());
  function.setKnownBlockSizeAttr(
      e.getDenseI32ArrayAttr({int32_t(kThreads), 1, 1}));
  // One block has the multiprocessor to itself: its shared memory fills it.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    e.getI32IntegerAttr(1));
  for (unsigned i = 0; i < 4; ++i)
    markTensorMap(function, i);
  function->setAttr(kKernelAttr, describe());
  for (auto [slot, value] : llvm::zip(slots, function.getArguments()))
    *slot = value;
  return function;
}

void AttentionBuilder::initBarriers(const ThreadPosition &position) {
  e.ifThen(e.isEqual(position.thread, 0), [&] {
    for (Value map : {arguments.queryMap, arguments.keyMap, arguments.valueMap})
      prefetchTensorMap(e, map);
    queries.init(e, memory);
    keys.init(e, memory);
    values.init(e, memory);
    fenceBarrierInit(e);
  });
  if (options.matrixSum)
    writeOnes(position);
  syncBlock(e);
}

/// Two ones, or four.
static int64_t wordOfOnes(OperandType type) {
  switch (type) {
  case OperandType::BF16:
    return 0x3f803f80;
  case OperandType::F16:
    return 0x3c003c00;
  case OperandType::E4M3:
    return 0x38383838;
  case OperandType::E5M2:
    return 0x3c3c3c3c;
  }
  llvm_unreachable("unknown operand type");
}

void AttentionBuilder::writeOnes(const ThreadPosition &position) {
  constexpr int64_t kBytes = kSumColumns * SwizzledTile::kRowBytes;
  Value isWriter =
      e.compare(CmpIPredicate::ult, position.thread, e.constant(kBytes / 4));
  e.ifThen(isWriter, [&] {
    Value word = e.constant(wordOfOnes(keyValueType()));
    auto writeRows = [&](int64_t offset) {
      Value address =
          e.add(memory.at(e, offset), e.shiftLeft(position.thread, 2));
      LLVM::StoreOp::create(e, word, e.sharedPointer(address), 4);
    };
    if (!sumsBehind)
      writeRows(ones.offset);
    for (int64_t stage = 0; sumsBehind && stage < kStages; ++stage) {
      int64_t first = value.offset + stage * value.bytes();
      if (options.is8Bit())
        for (int64_t part = 0; part < dim / ownColumns; ++part)
          writeRows(first + ownColumns * SwizzledTile::kRowBytes +
                    part * valuePartBytes());
      else // All rows of the last slab.
        for (int64_t row = 0; row < keyRows; row += kSumColumns)
          writeRows(first + value.bytes() - value.slabBytes() +
                    row * SwizzledTile::kRowBytes);
    }
    fenceSharedWrites(e);
  });
}

OwningOpRef<ModuleOp> AttentionBuilder::build() {
  OwningOpRef<ModuleOp> root = ModuleOp::create(e.getLoc());
  e.setInsertionPointToStart(root->getBody());
  auto module = gpu::GPUModuleOp::create(e, options.name + "_module");
  e.setInsertionPointToStart(module.getBody());
  // Library functions may flush subnormals to zero, which exp2 does at no cost.
  Attribute flush = LLVM::ModuleFlagAttr::get(
      e.getContext(), LLVM::ModFlagBehavior::Override,
      e.getStringAttr("nvvm-reflect-ftz"), e.getI32IntegerAttr(1));
  LLVM::ModuleFlagsOp::create(e, e.getArrayAttr({flush}));
  gpu::GPUFuncOp function = declare(module);
  e.setInsertionPointToStart(&function.getBody().front());
  memory.materialize(e, module);
  ThreadPosition position(e);
  initBarriers(position);
  Value queryTiles =
      e.divide(e.add(arguments.queryLength, queryRows - 1), queryRows);
  Value rows = e.mul(arguments.batches, arguments.heads);
  TileOrder order(e, e.mul(queryTiles, rows));
  specialise(
      e, position, kProducerRegisters, kConsumerRegisters,
      [&] { produce(order); }, [&] { consume(order, position); });
  gpu::ReturnOp::create(e);
  return root;
}

/// Of the tile's row.
void AttentionBuilder::setHeads(Tile &tile) {
  tile.batch = e.divide(tile.row, arguments.heads);
  tile.head = e.sub(tile.row, e.mul(tile.batch, arguments.heads));
  tile.keyHead = e.divide(tile.head, arguments.headsPerKeyHead);
}

Tile AttentionBuilder::decode(const TileOrder &order, Value round) {
  Tile tile;
  Value number = order.tile(e, round);
  Value queryTiles =
      e.divide(e.add(arguments.queryLength, queryRows - 1), queryRows);
  Value rows = e.mul(arguments.batches, arguments.heads);
  Value queryTile;
  if (options.causal) {
    // The last rows see the most keys: heaviest first, over all heads.
    Value fromLast = e.divide(number, rows);
    tile.row = e.sub(number, e.mul(fromLast, rows));
    queryTile = e.sub(e.add(queryTiles, -1), fromLast);
  } else {
    // Tiles of one head follow one another and share its keys in L2.
    tile.row = e.divide(number, queryTiles);
    queryTile = e.sub(number, e.mul(tile.row, queryTiles));
  }
  tile.firstRow = e.mul(queryTile, queryRows);
  setHeads(tile);
  tile.keyTiles = e.divide(e.add(arguments.keyLength, keyRows - 1), keyRows);
  if (options.causal) {
    // Where no key counts, one tile is masked as a whole.
    Value visible =
        e.add(e.add(tile.firstRow, arguments.causalShift), queryRows);
    Value needed = e.divide(
        e.add(e.maxSigned(visible, e.constant(1)), keyRows - 1), keyRows);
    tile.keyTiles = e.minSigned(needed, tile.keyTiles);
  }
  return tile;
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

void AttentionBuilder::loadTile(const Pipeline &pipeline, Value number,
                                Value map, const SwizzledTile &tile,
                                Value keyTile, const Tile &work) {
  Pipeline::Use use = pipeline.use(e, memory, number);
  pipeline.acquire(e, use);
  Value destination = e.add(memory.at(e, tile.offset), use.byteOffset);
  Value row = e.mul(keyTile, keyRows);
  if (options.is8Bit() && &tile == &value) {
    // Its rows are the head's elements, its columns the keys.
    for (int64_t part = 0; part < dim / ownColumns; ++part)
      loadBox(e, map, e.add(destination, part * valuePartBytes()), use.full,
              {row, e.constant(part * ownColumns), work.keyHead, work.batch});
    return;
  }
  // Ones that lie behind V stay.
  int64_t slabs = &tile == &value ? dim / tile.slabColumns() : tile.slabs();
  for (int64_t slab = 0; slab < slabs; ++slab)
    loadBox(
        e, map, e.add(destination, slab * tile.slabBytes()), use.full,
        {e.constant(slab * tile.slabColumns()), row, work.keyHead, work.batch});
}

void AttentionBuilder::produce(const TileOrder &order) {
  Value zero = e.constant(0);
  e.loop(
      zero, order.rounds(), {zero},
      [&](Value round, ValueRange carried) -> llvm::SmallVector<Value> {
        Value use = carried[0];
        Tile tile = decode(order, round);
        Value last = e.add(tile.keyTiles, -1);
        loadTile(keys, use, arguments.keyMap, key, last, tile);
        Pipeline::Use queryUse = queries.use(e, memory, round);
        queries.acquire(e, queryUse);
        Value destination =
            e.add(memory.at(e, query.offset), queryUse.byteOffset);
        for (int64_t slab = 0; slab < query.slabs(); ++slab)
          loadBox(e, arguments.queryMap,
                  e.add(destination, slab * query.slabBytes()), queryUse.full,
                  {e.constant(slab * query.slabColumns()), tile.firstRow,
                   tile.head, tile.batch});
        // V follows K by one tile, as the consumers use them.
        e.loop(e.constant(1), tile.keyTiles, {},
               [&](Value t, ValueRange) -> llvm::SmallVector<Value> {
                 Value keyTile = e.sub(last, t);
                 Value number = e.add(use, t);
                 loadTile(keys, number, arguments.keyMap, key, keyTile, tile);
                 loadTile(values, e.add(number, -1), arguments.valueMap, value,
                          e.add(keyTile, 1), tile);
                 return {};
               });
        Value next = e.add(use, tile.keyTiles);
        loadTile(values, e.add(next, -1), arguments.valueMap, value, zero,
                 tile);
        return {next};
      });
}

OwningOpRef<ModuleOp>
poly::kernels::buildAttention(MLIRContext &context,
                              const AttentionOptions &options) {
  context.loadDialect<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                      math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect,
                      vector::VectorDialect>();
  return AttentionBuilder(context, options).build();
}
