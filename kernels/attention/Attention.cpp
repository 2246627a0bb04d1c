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
/// has finished rounds P(t) to 16 bits, which makes the registers of the next A
/// fragment, and rescales O.
///
/// Tiles of keys are visited from the last to the first, so that the ones that
/// need a mask come first.
///
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Score.h"

#include "hopper/Barrier.h"
#include "hopper/Epilogue.h"
#include "hopper/TensorMap.h"
#include "hopper/TileOrder.h"
#include "hopper/Warps.h"
#include "hopper/Wgmma.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::hopper;

using mlir::arith::CmpIPredicate;

namespace {
constexpr int64_t kConsumers = 2;
constexpr int64_t kRowsPerConsumer = 64;
constexpr int64_t kQueryRows = kConsumers * kRowsPerConsumer;
constexpr int64_t kThreads = (kConsumers + 1) * kWarpgroupThreads;
constexpr int64_t kProducerRegisters = 24;
constexpr int64_t kConsumerRegisters = 240;
constexpr int64_t kStages = 2;
/// Columns of the product that sums: the fewest that wgmma has.
constexpr int64_t kSumColumns = 8;
/// Rows that one warp stores.
constexpr int64_t kWarpRows = 16;
/// Named barriers: 0 is the block's; then the turns and the warpgroups.
constexpr int64_t kTurnBarrier = 1;
constexpr int64_t kGroupBarrier = kTurnBarrier + kConsumers;

/// The kernel's arguments, in order.
struct Arguments {
  Value queryMap, keyMap, valueMap, outputMap;
  Value logSumExp;
  Value queryLength, keyLength, batches, heads, headsPerKeyHead, causalShift;
  Value scale, parameter;
};

/// One tile of the output.
struct Tile {
  Value firstRow;
  Value head, keyHead, batch;
  Value row; ///< Of (batch, head) in [B, H].
  Value keyTiles;
};

/// What a consumer carries over the tiles of keys.
struct Progress {
  llvm::SmallVector<Value> output; ///< Accumulators.
  llvm::SmallVector<Value> packed; ///< The last weights, as A fragments.
  llvm::SmallVector<Value> sums;   ///< Accumulators of the product with ones.
  SoftmaxState softmax;
};

class AttentionBuilder {
public:
  AttentionBuilder(MLIRContext &context, const AttentionOptions &options)
      : options(options), e(UnknownLoc::get(&context), &context),
        dim(options.headDim), keyRows(dim == 256 ? 64 : 128),
        ownOutput(dim != 256), query(memory.reserveTile(kQueryRows, dim)),
        key(memory.reserveTile(keyRows, dim)), keyRest(reserveStages(key)),
        value(memory.reserveTile(keyRows, dim)),
        valueRest(reserveStages(value)),
        output(ownOutput ? memory.reserveTile(kQueryRows, dim) : query),
        ones(options.matrixSum ? memory.reserveTile(kSumColumns, 64)
                               : SwizzledTile()),
        queryFull(memory), queryEmpty(memory, kConsumers * kWarpsPerGroup),
        keys(memory, key.offset, key.bytes(), kStages,
             kConsumers * kWarpsPerGroup),
        values(memory, value.offset, value.bytes(), kStages,
               kConsumers * kWarpsPerGroup) {}

  OwningOpRef<ModuleOp> build();

private:
  int64_t reserveStages(const SwizzledTile &first) {
    return memory.reserve((kStages - 1) * first.bytes(),
                          SharedMemory::kTileAlignment);
  }

  gpu::GPUFuncOp declare(gpu::GPUModuleOp module);
  DictionaryAttr describe();
  void initBarriers(const ThreadPosition &position);

  Tile decode(const TileOrder &order, Value round);
  void produce(const TileOrder &order);
  void loadTile(const Pipeline &pipeline, Value number, Value map,
                const SwizzledTile &tile, Value keyTile, const Tile &work);
  void consume(const TileOrder &order, const ThreadPosition &position);

  /// The parts of consume(); what they need of the thread and the tile.
  struct Consumer {
    Value lane, isFirstLane, group, rowInTile, firstColumn, slabRow;
    TileDescriptor query, key, value, ones;
    const ScoreArithmetic &score;
    Value turn, otherTurn;
  };
  Progress firstTile(const Consumer &c, const Tile &tile, Value use);
  Progress overTiles(const Consumer &c, const Tile &tile, Value use, Value low,
                     Value high, bool masked, Progress progress);
  void lastProduct(const Consumer &c, const Tile &tile, Value use,
                   Progress &progress);
  void store(const Consumer &c, const Tile &tile, Progress progress);
  void storeLogSumExp(const Consumer &c, const Tile &tile,
                      const Progress &progress);

  /// Starts O += P V, and the sums of P; returns how many batches that is.
  unsigned startValueProduct(const Consumer &c, const TileDescriptor &tile,
                             Progress &progress);
  void waitValueProduct(Progress &progress);
  void writeOnes(const ThreadPosition &position);

  void lastColumns(const Consumer &c, const Tile &tile, Value keyTile,
                   Value columns[kRows]);
  void splitRows(ValueRange scores, Value rows[kRows]);
  llvm::SmallVector<Value> pack(const Consumer &c, const Value rows[kRows],
                                const Value *lastColumn);
  Value packPair(Value low, Value high);

  Type elementType() {
    return options.type == AttentionType::BF16 ? Type(e.getBF16Type())
                                               : Type(e.getF16Type());
  }
  OperandType operandType() const {
    return options.type == AttentionType::BF16 ? OperandType::BF16
                                               : OperandType::F16;
  }
  Product scoreProduct() const { return {operandType(), keyRows, dim / 16}; }
  Product valueProduct() const { return {operandType(), dim, keyRows / 16}; }

  const AttentionOptions &options;
  Emitter e;
  int64_t dim, keyRows;
  /// The output has shared memory of its own; otherwise it takes that of Q.
  bool ownOutput;
  SharedMemory memory;
  SwizzledTile query, key;
  int64_t keyRest;
  SwizzledTile value;
  int64_t valueRest;
  SwizzledTile output;
  SwizzledTile ones; ///< Of matrixSum.
  Barrier queryFull, queryEmpty;
  Pipeline keys, values;
  Arguments arguments;
  llvm::SmallVector<llvm::StringRef> names;
};
} // namespace

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
                 llvm::StringRef heads, llvm::StringRef length) {
    return describeTensorMap(e, argument, name,
                             {"headDim", length, heads, "batch"},
                             {query.slabColumns(), rows, 1, 1});
  };
  Attribute maps[] = {map(0, "query", kQueryRows, "heads", "queryLength"),
                      map(1, "key", keyRows, "keyHeads", "keyLength"),
                      map(2, "value", keyRows, "keyHeads", "keyLength"),
                      map(3, "output", kWarpRows, "heads", "queryLength")};
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
      entry("queryRows", number(kQueryRows)),
      entry("keyRows", number(keyRows)),
      entry("grid", text("persistent")),
      entry("arguments", e.getStrArrayAttr(names)),
      entry("tensorMaps", e.getArrayAttr(maps)),
      entry("dynamicSharedBytes", number(memory.size()))};
  if (options.cap)
    entries.push_back(entry("cap", e.getF64FloatAttr(*options.cap)));
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

  auto function = gpu::GPUFuncOp::create(e, options.name,
                                         e.getFunctionType(types, TypeRange()));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), e.getUnitAttr());
  function.setKnownBlockSizeAttr(
      e.getDenseI32ArrayAttr({int32_t(kThreads), 1, 1}));
  // One block has the multiprocessor to itself: its shared memory fills it.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    e.getI32IntegerAttr(1));
  for (unsigned i = 0; i < 4; ++i)
    markTensorMap(function, i);
  function->setAttr("poly.kernel", describe());
  for (auto [slot, value] : llvm::zip(slots, function.getArguments()))
    *slot = value;
  return function;
}

void AttentionBuilder::initBarriers(const ThreadPosition &position) {
  e.ifThen(e.isEqual(position.thread, 0), [&] {
    for (Value map : {arguments.queryMap, arguments.keyMap, arguments.valueMap})
      prefetchTensorMap(e, map);
    queryFull.init(e, memory);
    queryEmpty.init(e, memory);
    keys.init(e, memory);
    values.init(e, memory);
    fenceBarrierInit(e);
  });
  if (options.matrixSum)
    writeOnes(position);
  syncBlock(e);
}

void AttentionBuilder::writeOnes(const ThreadPosition &position) {
  int64_t words = ones.bytes() / 4;
  Value isWriter =
      e.compare(CmpIPredicate::ult, position.thread, e.constant(words));
  e.ifThen(isWriter, [&] {
    // Two ones in a word.
    int64_t pair =
        options.type == AttentionType::BF16 ? 0x3f803f80 : 0x3c003c00;
    Value address =
        e.add(memory.at(e, ones.offset), e.shiftLeft(position.thread, 2));
    LLVM::StoreOp::create(e, e.constant(pair), e.sharedPointer(address), 4);
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
      e.divide(e.add(arguments.queryLength, kQueryRows - 1), kQueryRows);
  Value rows = e.mul(arguments.batches, arguments.heads);
  TileOrder order(e, e.mul(queryTiles, rows));
  specialise(
      e, position, kProducerRegisters, kConsumerRegisters,
      [&] { produce(order); }, [&] { consume(order, position); });
  gpu::ReturnOp::create(e);
  return root;
}

Tile AttentionBuilder::decode(const TileOrder &order, Value round) {
  Tile tile;
  Value number = order.tile(e, round);
  Value queryTiles =
      e.divide(e.add(arguments.queryLength, kQueryRows - 1), kQueryRows);
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
  tile.firstRow = e.mul(queryTile, kQueryRows);
  tile.batch = e.divide(tile.row, arguments.heads);
  tile.head = e.sub(tile.row, e.mul(tile.batch, arguments.heads));
  tile.keyHead = e.divide(tile.head, arguments.headsPerKeyHead);
  tile.keyTiles = e.divide(e.add(arguments.keyLength, keyRows - 1), keyRows);
  if (options.causal) {
    // Where no key counts, one tile is masked as a whole.
    Value visible =
        e.add(e.add(tile.firstRow, arguments.causalShift), kQueryRows);
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
  for (int64_t slab = 0; slab < tile.slabs(); ++slab)
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
        waitBarrier(e, queryEmpty.address(e, memory),
                    e.xorBits(e.andBits(round, 1), e.constant(1)));
        Value full = queryFull.address(e, memory);
        expectBytes(e, full, query.bytes());
        for (int64_t slab = 0; slab < query.slabs(); ++slab)
          loadBox(e, arguments.queryMap,
                  memory.at(e, query.offset + slab * query.slabBytes()), full,
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

//===----------------------------------------------------------------------===//
// The consumers
//===----------------------------------------------------------------------===//

/// Scores come in pairs of columns, of the first row and of the one eight
/// below.
void AttentionBuilder::splitRows(ValueRange scores, Value rows[kRows]) {
  for (unsigned r = 0; r < kRows; ++r) {
    llvm::SmallVector<Value> elements;
    for (size_t i = 0; i < scores.size(); i += 2 * kRows)
      for (size_t column : {0, 1})
        elements.push_back(scores[i + kRows * r + column]);
    rows[r] = vector::FromElementsOp::create(
        e, VectorType::get({int64_t(elements.size())}, e.getF32Type()),
        elements);
  }
}

/// The A fragments: for 16 columns each, both rows' first and second halves.
llvm::SmallVector<Value> AttentionBuilder::pack(const Consumer &c,
                                                const Value rows[kRows],
                                                const Value *lastColumn) {
  llvm::SmallVector<Value> packed(size_t(keyRows) / 4);
  for (unsigned r = 0; r < kRows; ++r) {
    Value rounded = c.score.round(e, rows[r], elementType(),
                                  lastColumn ? lastColumn[r] : Value());
    Value registers = vector::BitCastOp::create(
        e, VectorType::get({keyRows / 8}, e.getI32Type()), rounded);
    for (int64_t i = 0; i < keyRows / 8; ++i)
      packed[size_t(kRows * i + r)] =
          vector::ExtractOp::create(e, registers, i);
  }
  return packed;
}

Value AttentionBuilder::packPair(Value low, Value high) {
  Value pair = vector::FromElementsOp::create(
      e, VectorType::get({2}, e.getF32Type()), ValueRange{low, high});
  Value rounded =
      arith::TruncFOp::create(e, VectorType::get({2}, elementType()), pair);
  Value registers = vector::BitCastOp::create(
      e, VectorType::get({1}, e.getI32Type()), rounded);
  return vector::ExtractOp::create(e, registers, int64_t(0));
}

void AttentionBuilder::lastColumns(const Consumer &c, const Tile &tile,
                                   Value keyTile, Value columns[kRows]) {
  Value first = e.add(e.mul(keyTile, keyRows), c.firstColumn);
  Value lastKey = e.sub(e.add(arguments.keyLength, -1), first);
  for (unsigned r = 0; r < kRows; ++r) {
    columns[r] = lastKey;
    if (!options.causal)
      continue;
    Value row = e.add(e.add(tile.firstRow, c.rowInTile), int64_t(8 * r));
    Value own = e.sub(e.add(row, arguments.causalShift), first);
    columns[r] = e.minSigned(own, lastKey);
  }
}

Progress AttentionBuilder::firstTile(const Consumer &c, const Tile &tile,
                                     Value use) {
  Pipeline::Use keyUse = keys.use(e, memory, use);
  keys.wait(e, keyUse);
  if (options.pingPong)
    syncNamed(e, c.turn, kConsumers * kWarpgroupThreads);
  llvm::SmallVector<Value> scores =
      multiply(e, scoreProduct(), c.query, c.key.advance(e, keyUse.byteOffset),
               ValueRange());
  if (options.pingPong)
    arriveNamed(e, c.otherTurn, kConsumers * kWarpgroupThreads);
  scores = waitProducts(e, 0, scores);
  keys.release(e, keyUse, c.isFirstLane);

  Value rows[kRows], columns[kRows];
  splitRows(scores, rows);
  lastColumns(c, tile, e.add(tile.keyTiles, -1), columns);
  TileWeights weights = c.score.weights(e, rows, c.score.initialState(e),
                                        /*isFirst=*/true, columns);
  Progress progress;
  progress.output.assign(size_t(dim) / 2, e.constantF32(0));
  progress.packed = pack(c, weights.rows, columns);
  progress.softmax = weights.state;
  if (options.matrixSum)
    progress.sums.assign(kSumColumns / 2, e.constantF32(0));
  return progress;
}

unsigned AttentionBuilder::startValueProduct(const Consumer &c,
                                             const TileDescriptor &tile,
                                             Progress &progress) {
  progress.output =
      multiply(e, valueProduct(), progress.packed, tile, progress.output);
  if (!options.matrixSum)
    return 1;
  Product sums = valueProduct();
  sums.n = kSumColumns;
  progress.sums = multiply(e, sums, progress.packed, c.ones, progress.sums);
  return 2;
}

void AttentionBuilder::waitValueProduct(Progress &progress) {
  llvm::SmallVector<Value> all = progress.output;
  all.append(progress.sums);
  all = waitProducts(e, 0, all);
  size_t outputs = progress.output.size();
  progress.output.assign(all.begin(), all.begin() + outputs);
  progress.sums.assign(all.begin() + outputs, all.end());
}

static llvm::SmallVector<Value> flatten(const Progress &progress,
                                        bool isSoftmax) {
  llvm::SmallVector<Value> flat = progress.output;
  flat.append(progress.packed);
  flat.append(progress.sums);
  for (unsigned r = 0; isSoftmax && r < kRows; ++r) {
    flat.push_back(progress.softmax.maximum[r]);
    flat.push_back(progress.softmax.sum[r]);
  }
  return flat;
}

/// \p flat with the shape of \p like.
static Progress unflatten(ValueRange flat, const Progress &like,
                          bool isSoftmax) {
  Progress progress = like;
  llvm::copy(flat.take_front(like.output.size()), progress.output.begin());
  flat = flat.drop_front(like.output.size());
  llvm::copy(flat.take_front(like.packed.size()), progress.packed.begin());
  flat = flat.drop_front(like.packed.size());
  llvm::copy(flat.take_front(like.sums.size()), progress.sums.begin());
  flat = flat.drop_front(like.sums.size());
  for (unsigned r = 0; isSoftmax && r < kRows; ++r) {
    progress.softmax.maximum[r] = flat[2 * r];
    progress.softmax.sum[r] = flat[2 * r + 1];
  }
  return progress;
}

Progress AttentionBuilder::overTiles(const Consumer &c, const Tile &tile,
                                     Value use, Value low, Value high,
                                     bool masked, Progress progress) {
  bool isSoftmax = c.score.isSoftmax();
  auto body = [&](Value t, ValueRange carried) -> llvm::SmallVector<Value> {
    Progress now = unflatten(carried, progress, isSoftmax);
    Value number = e.add(use, t);
    Pipeline::Use keyUse = keys.use(e, memory, number);
    Pipeline::Use valueUse = values.use(e, memory, e.add(number, -1));
    TileDescriptor keyTile = c.key.advance(e, keyUse.byteOffset);
    TileDescriptor valueTile = c.value.advance(e, valueUse.byteOffset);
    keys.wait(e, keyUse);
    if (options.pingPong)
      syncNamed(e, c.turn, kConsumers * kWarpgroupThreads);
    llvm::SmallVector<Value> scores =
        multiply(e, scoreProduct(), c.query, keyTile, ValueRange());
    values.wait(e, valueUse);
    unsigned behind = startValueProduct(c, valueTile, now);
    if (options.pingPong)
      arriveNamed(e, c.otherTurn, kConsumers * kWarpgroupThreads);
    scores = waitProducts(e, behind, scores);
    keys.release(e, keyUse, c.isFirstLane);

    Value rows[kRows], columns[kRows];
    splitRows(scores, rows);
    if (masked)
      lastColumns(c, tile, e.sub(e.add(tile.keyTiles, -1), t), columns);
    TileWeights weights = c.score.weights(
        e, rows, now.softmax, /*isFirst=*/false, masked ? columns : nullptr);
    waitValueProduct(now);
    values.release(e, valueUse, c.isFirstLane);
    // Only now: these are the registers that the next product reads.
    now.packed = pack(c, weights.rows, masked ? columns : nullptr);
    now.softmax = weights.state;
    if (isSoftmax)
      for (auto *accumulators : {&now.output, &now.sums})
        for (auto [i, accumulator] : llvm::enumerate(*accumulators))
          accumulator = arith::MulFOp::create(
              e, accumulator, weights.correction[i / 2 % kRows]);
    return flatten(now, isSoftmax);
  };
  return unflatten(e.loop(low, high, flatten(progress, isSoftmax), body),
                   progress, isSoftmax);
}

void AttentionBuilder::lastProduct(const Consumer &c, const Tile &tile,
                                   Value use, Progress &progress) {
  Value number = e.add(e.add(use, tile.keyTiles), -1);
  Pipeline::Use valueUse = values.use(e, memory, number);
  values.wait(e, valueUse);
  startValueProduct(c, c.value.advance(e, valueUse.byteOffset), progress);
  waitValueProduct(progress);
  // All columns of a row hold its sum.
  for (unsigned r = 0; options.matrixSum && r < kRows; ++r)
    progress.softmax.sum[r] = progress.sums[2 * r];
  values.release(e, valueUse, c.isFirstLane);
}

void AttentionBuilder::storeLogSumExp(const Consumer &c, const Tile &tile,
                                      const Progress &progress) {
  Value isFirstOfQuad = e.isEqual(e.andBits(c.lane, 3), 0);
  for (unsigned r = 0; r < kRows; ++r) {
    Value result = c.score.logSumExp(e, progress.softmax, r);
    Value row = e.add(e.add(tile.firstRow, c.rowInTile), int64_t(8 * r));
    Value isRow = e.compare(CmpIPredicate::slt, row, arguments.queryLength);
    e.ifThen(arith::AndIOp::create(e, isRow, isFirstOfQuad), [&] {
      Value index = arith::AddIOp::create(
          e,
          arith::MulIOp::create(e, e.widen(tile.row),
                                e.widen(arguments.queryLength)),
          e.widen(row));
      Value address = LLVM::GEPOp::create(e, arguments.logSumExp.getType(),
                                          e.getF32Type(), arguments.logSumExp,
                                          ArrayRef<LLVM::GEPArg>{index});
      LLVM::StoreOp::create(e, result, address, 4);
    });
  }
}

void AttentionBuilder::store(const Consumer &c, const Tile &tile,
                             Progress progress) {
  Value factor[kRows];
  for (unsigned r = 0; r < kRows; ++r)
    factor[r] = c.score.outputFactor(e, progress.softmax, r);
  for (auto [i, accumulator] : llvm::enumerate(progress.output))
    if (Value rowFactor = factor[i / 2 % kRows])
      accumulator = arith::MulFOp::create(e, accumulator, rowFactor);
  if (options.logSumExp)
    storeLogSumExp(c, tile, progress);
  llvm::SmallVector<Value> packed;
  for (size_t i = 0; i < progress.output.size(); i += 2)
    packed.push_back(packPair(progress.output[i], progress.output[i + 1]));

  if (ownOutput) {
    // The copy of this warp's last rows must have read them.
    e.ifThen(c.isFirstLane, [&] { waitStores(e, 0, /*readOnly=*/true); });
    syncWarp(e);
  } else {
    // All warps of the group have read their rows of Q.
    syncNamed(e, e.add(c.group, kGroupBarrier), kWarpgroupThreads);
  }
  storeFragment(e, memory, output, c.slabRow, c.lane, packed);
  fenceSharedWrites(e);
  syncWarp(e);
  e.ifThen(c.isFirstLane, [&] {
    Value source = e.add(memory.at(e, output.offset),
                         e.mul(c.slabRow, SwizzledTile::kRowBytes));
    for (int64_t slab = 0; slab < output.slabs(); ++slab)
      storeBox(e, arguments.outputMap, e.add(source, slab * output.slabBytes()),
               {e.constant(slab * output.slabColumns()),
                e.add(tile.firstRow, c.slabRow), tile.head, tile.batch});
    commitStores(e);
    if (!ownOutput)
      waitStores(e, 0, /*readOnly=*/true);
  });
  if (!ownOutput)
    arriveBarrier(e, queryEmpty.address(e, memory), c.isFirstLane);
}

void AttentionBuilder::consume(const TileOrder &order,
                               const ThreadPosition &position) {
  ScoreArithmetic score(e, options, arguments.scale, arguments.parameter);
  Value group = e.add(position.warpgroup, -1);
  Value slabRow = e.add(e.mul(group, kRowsPerConsumer),
                        e.mul(e.andBits(position.warp, 3), kWarpRows));
  Consumer c{
      position.lane,
      e.isEqual(position.lane, 0),
      group,
      e.add(slabRow, e.shiftRight(position.lane, 2)),
      e.shiftLeft(e.andBits(position.lane, 3), 1),
      slabRow,
      TileDescriptor::alongK(e, memory, query)
          .advance(e, e.mul(group, kRowsPerConsumer * SwizzledTile::kRowBytes)),
      TileDescriptor::alongK(e, memory, key),
      TileDescriptor::acrossK(e, memory, value),
      TileDescriptor::repeated(e, memory, ones),
      score,
      e.add(group, kTurnBarrier),
      e.sub(e.constant(2 * kTurnBarrier + 1), e.add(group, kTurnBarrier))};
  if (options.pingPong) // The first group has the first turn.
    e.ifThen(e.isEqual(group, 1), [&] {
      arriveNamed(e, e.constant(kTurnBarrier), kConsumers * kWarpgroupThreads);
    });

  Value zero = e.constant(0);
  e.loop(zero, order.rounds(), {zero},
         [&](Value round, ValueRange carried) -> llvm::SmallVector<Value> {
           Value use = carried[0];
           Tile tile = decode(order, round);
           waitBarrier(e, queryFull.address(e, memory), e.andBits(round, 1));
           Progress progress = firstTile(c, tile, use);
           Value next = e.constant(1);
           if (options.causal) {
             // Tiles of keys that every row sees whole need no mask.
             Value seen = e.maxSigned(
                 e.add(e.add(tile.firstRow, arguments.causalShift), 1), zero);
             Value whole = e.divide(seen, keyRows);
             Value unmasked = e.minSigned(
                 e.maxSigned(e.sub(tile.keyTiles, whole), next), tile.keyTiles);
             progress = overTiles(c, tile, use, next, unmasked, /*masked=*/true,
                                  progress);
             next = unmasked;
           }
           progress = overTiles(c, tile, use, next, tile.keyTiles,
                                /*masked=*/false, progress);
           if (ownOutput)
             arriveBarrier(e, queryEmpty.address(e, memory), c.isFirstLane);
           lastProduct(c, tile, use, progress);
           store(c, tile, progress);
           return {e.add(use, tile.keyTiles)};
         });
  e.ifThen(c.isFirstLane, [&] { waitStores(e, 0, /*readOnly=*/false); });
}

OwningOpRef<ModuleOp>
poly::kernels::buildAttention(MLIRContext &context,
                              const AttentionOptions &options) {
  context.loadDialect<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                      math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect,
                      vector::VectorDialect>();
  return AttentionBuilder(context, options).build();
}
