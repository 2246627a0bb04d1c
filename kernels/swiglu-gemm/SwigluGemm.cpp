//===- SwigluGemm.cpp - Gated activations in a GEMM -----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A block has 384 threads. One thread of warpgroup 0 copies tiles of X and W
/// to shared memory; two consumer warpgroups hold 64 rows of a 128-row tile
/// each. A stage has the gate's rows of W directly before those of up, so that
/// one instruction computes both, and a thread holds g and u of the same
/// elements.
///
/// Tall tiles have twice the rows: each warpgroup has 64 of the upper and 64 of
/// the lower half, one after the other in every step, and reads a stage of W
/// once for both. When fewer tiles are left than blocks, their halves are
/// tiles.
///
/// Split tiles (known as stream-K) are those that are left when all blocks had
/// as many: several blocks share one along the depth, see SplitTiles.cpp.
///
/// A deferred epilogue rounds g and u to 16 bits when a tile's products have
/// finished, and keeps them in registers. The first steps of the next tile's
/// loop are unrolled: while a step's products run, one chunk of 16 columns goes
/// through the activation to shared memory, and the last chunk starts the
/// stores. A tile therefore has at least one step more than chunks; steps
/// behind the end of X and W add zeros, which is what the copy engine fills in.
///
//===----------------------------------------------------------------------===//

#include "GemmBuilder.h"

#include "common/Attributes.h"
#include "hopper/Epilogue.h"
#include "hopper/GlobalMemory.h"
#include "hopper/TensorMap.h"
#include "hopper/Warps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::hopper;
using namespace poly::kernels::swiglu_gemm;

using mlir::arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// The frame
//===----------------------------------------------------------------------===//

static llvm::StringRef nameOf(GateActivation activation) {
  switch (activation) {
  case GateActivation::Identity:
    return "identity";
  case GateActivation::Sigmoid:
    return "sigmoid";
  case GateActivation::Silu:
    return "silu";
  case GateActivation::Swish:
    return "swish";
  case GateActivation::GeluErf:
    return "gelu-erf";
  case GateActivation::GeluTanh:
    return "gelu-tanh";
  case GateActivation::Clamped:
    return "clamped";
  }
  llvm_unreachable("unknown activation");
}

DictionaryAttr GemmBuilder::describe() {
  auto entry = [&](llvm::StringRef key, Attribute value) {
    return e.getNamedAttr(key, value);
  };
  auto text = [&](llvm::StringRef value) { return e.getStringAttr(value); };
  auto number = [&](int64_t value) { return e.getI64IntegerAttr(value); };
  int64_t outputColumns = isSwizzled ? int64_t(64) : columns;
  llvm::SmallVector<Attribute> maps = {
      describeTensorMap(e, 0, "input", {"depth", "rows"},
                        {kTileDepth, kTileRows}, true),
      describeTensorMap(e, 2, "output", {"columns", "rows"},
                        {outputColumns, kWarpRows}, isSwizzled)};
  if (experts) {
    maps.push_back(describeTensorMap(e, 1, "weight",
                                     {"depth", "columns", "gateUp", "experts"},
                                     {kTileDepth, columns, 1, 1}, true));
    maps.push_back(describeTensorMap(e, 3, "output", {"columns", "rows"},
                                     {outputColumns, 1}, isSwizzled));
  } else {
    maps.push_back(describeTensorMap(e, 1, "weight",
                                     {"depth", "columns", "gateUp"},
                                     {kTileDepth, columns, 1}, true));
  }
  if (options.splitTiles)
    maps.push_back(describeTensorMap(e, 3, "output", {"columns", "rows"},
                                     {kGroupColumns, kWarpRows}, false));
  NamedAttribute multiples[] = {entry("columns", number(kMultiple)),
                                entry("depth", number(kMultiple))};
  llvm::SmallVector<NamedAttribute> entries = {
      entry("family", text("swiglu-gemm")), entry("direction", text("forward")),
      entry("activation", text(nameOf(options.activation))),
      entry("type", text(ptxName(operandType()))),
      entry("epilogue",
            text(options.epilogue == GemmEpilogue::Deferred ? "deferred"
                                                            : "plain")),
      entry("approximate", e.getBoolAttr(options.approximate)),
      entry("roundInputs", e.getBoolAttr(options.isRounded())),
      entry("roundActivation", e.getBoolAttr(options.roundActivation)),
      entry("tileRows", number(kTileRows)),
      entry("tileColumns", number(columns)),
      entry("clusterSize", number(options.clusterSize)),
      entry("stages", number(stages)),
      entry("multiples", e.getDictionaryAttr(multiples)),
      // Blocks without a whole tile may have a part of one.
      entry("grid", text(options.splitTiles ? "full" : "persistent")),
      entry("arguments", e.getStrArrayAttr(names)),
      entry("tensorMaps", e.getArrayAttr(maps)),
      entry("dynamicSharedBytes", number(memory.size()))};
  if (experts)
    entries.push_back(entry("experts", number(options.experts)));
  if (options.tallTiles)
    entries.push_back(entry("tallTiles", e.getBoolAttr(true)));
  if (options.splitTiles)
    entries.append({entry("splitTiles", e.getBoolAttr(true)),
                    entry("partialBytesPerBlock", number(partialBytes()))});
  if (options.beta)
    entries.push_back(entry("beta", e.getF64FloatAttr(*options.beta)));
  return e.getDictionaryAttr(entries);
}

gpu::GPUFuncOp GemmBuilder::declare(gpu::GPUModuleOp module) {
  llvm::SmallVector<Type> types;
  llvm::SmallVector<Value *> slots;
  auto argument = [&](llvm::StringRef name, Type type, Value &slot) {
    names.push_back(name);
    types.push_back(type);
    slots.push_back(&slot);
  };
  Type map = tensorMapType(e.getContext());
  Type integer = e.getI32Type();
  argument("inputMap", map, arguments.inputMap);
  argument("weightMap", map, arguments.weightMap);
  argument("outputMap", map, arguments.outputMap);
  if (experts) {
    argument("outputRowMap", map, arguments.outputRowMap);
    argument("offsets", LLVM::LLVMPointerType::get(e.getContext(), 1),
             arguments.offsets);
  } else {
    if (options.splitTiles) {
      Type pointer = globalPointerType(e.getContext());
      argument("outputGroupMap", map, arguments.outputGroupMap);
      argument("partialSums", pointer, arguments.partialSums);
      argument("arrivals", pointer, arguments.arrivals);
    }
    argument("rows", integer, arguments.rows);
  }
  argument("columns", integer, arguments.columns);
  argument("depth", integer, arguments.depth);
  if (options.activation == GateActivation::Swish && !options.beta)
    argument("beta", e.getF32Type(), arguments.beta);

  auto function = gpu::GPUFuncOp::create(e, options.name,
                                         e.getFunctionType(types, TypeRange()));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), e.getUnitAttr());
  function.setKnownBlockSizeAttr(
      e.getDenseI32ArrayAttr({int32_t(kThreads), 1, 1}));
  // One block has the multiprocessor to itself: its shared memory fills it.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    e.getI32IntegerAttr(1));
  if (options.clusterSize > 1)
    declareCluster(e, function, options.clusterSize);
  for (unsigned i = 0; i < (experts || options.splitTiles ? 4u : 3u); ++i)
    markTensorMap(function, i);
  function->setAttr(kKernelAttr, describe());
  for (auto [slot, value] : llvm::zip(slots, function.getArguments()))
    *slot = value;
  return function;
}

void GemmBuilder::initBarriers(const ThreadPosition &position) {
  e.ifThen(e.isEqual(position.thread, 0), [&] {
    for (Value map :
         {arguments.inputMap, arguments.weightMap, arguments.outputMap})
      prefetchTensorMap(e, map);
    pipeline.init(e, memory);
    fenceBarrierInit(e);
  });
  if (experts)
    experts->fill(e, memory, position, arguments.offsets, kTileRows);
  syncBlock(e);
  if (cluster)
    syncCluster(e, /*converged=*/true);
}

OwningOpRef<ModuleOp> GemmBuilder::build() {
  OwningOpRef<ModuleOp> root = ModuleOp::create(e.getLoc());
  e.setInsertionPointToStart(root->getBody());
  auto module = gpu::GPUModuleOp::create(e, options.name + "_module");
  e.setInsertionPointToStart(module.getBody());
  gpu::GPUFuncOp function = declare(module);
  e.setInsertionPointToStart(&function.getBody().front());
  memory.materialize(e, module);
  ThreadPosition position(e);
  if (options.clusterSize > 1)
    cluster.emplace(e, options.clusterSize);
  initBarriers(position);
  TileOrder order(e, e.mul(rowUnits(), columnTiles()), options.clusterSize);
  specialise(
      e, position, kProducerRegisters, kConsumerRegisters,
      [&] { produce(order); }, [&] { consume(order, position); });
  // A block must not end while others copy to it or arrive at its barriers.
  if (cluster)
    syncCluster(e, /*converged=*/false);
  gpu::ReturnOp::create(e);
  return root;
}

//===----------------------------------------------------------------------===//
// The tiles
//===----------------------------------------------------------------------===//

Value GemmBuilder::rowUnits() {
  if (experts)
    return experts->tiles(e, memory);
  return ceilDivide(e, arguments.rows,
                    halves * kTileRows * options.clusterSize);
}

Value GemmBuilder::columnTiles() {
  return ceilDivide(e, arguments.columns, columns);
}

Value GemmBuilder::depthTiles() {
  bool isDeferred = options.epilogue == GemmEpilogue::Deferred;
  return e.maxSigned(ceilDivide(e, arguments.depth, kTileDepth),
                     e.constant(isDeferred ? chunks() + 1 : 1));
}

Tile GemmBuilder::decode(Value number) {
  Value units = rowUnits();
  ExpertTable::Entry entry;
  if (experts) {
    // All tiles of one expert follow one another.
    entry = experts->find(e, memory, e.divide(number, columnTiles()));
    number = e.sub(number, e.mul(entry.firstTile, columnTiles()));
    units = entry.tiles;
  }
  Value perGroup = e.mul(columnTiles(), kRasterRows);
  Value group = e.divide(number, perGroup);
  Value inGroup = e.sub(number, e.mul(group, perGroup));
  Value firstRow = e.mul(group, kRasterRows);
  // The last group may have fewer rows.
  Value rows = e.minSigned(e.constant(kRasterRows), e.sub(units, firstRow));
  Value column = e.divide(inGroup, rows);
  Value row = e.add(firstRow, e.sub(inGroup, e.mul(column, rows)));
  if (cluster)
    row = e.add(e.mul(row, cluster->size()), cluster->rank());
  Tile tile{e.mul(row, halves * kTileRows), e.mul(column, columns), {}, {}};
  if (experts) {
    tile.row = e.add(entry.firstRow, tile.row);
    tile.expert = entry.expert;
    tile.endRow = entry.endRow;
  }
  return tile;
}

GemmBuilder::Values GemmBuilder::forEachTile(const TileOrder &order,
                                             ValueRange start, TileBody body) {
  Value zero = e.constant(0);
  Value rounds = options.tallTiles ? order.wholeRounds() : order.rounds();
  if (options.splitTiles)
    rounds = e.select(splitTiles(order).isSplit, order.wholeRounds(), rounds);
  Values carried = e.loop(
      zero, rounds, start, [&](Value round, ValueRange carried) -> Values {
        return body(decode(order.tile(e, round)), halves, carried);
      });
  if (!options.tallTiles)
    return carried;
  Value done = order.wholeTiles(e);
  Value left = e.sub(e.mul(rowUnits(), columnTiles()), done);
  TileOrder rest(e, e.mul(left, halves), options.clusterSize);
  return e.loop(zero, rest.rounds(), carried,
                [&](Value round, ValueRange carried) -> Values {
                  Value number = rest.tile(e, round);
                  Value tall = e.divide(number, halves);
                  Value half = e.sub(number, e.mul(tall, halves));
                  Tile tile = decode(e.add(done, tall));
                  tile.row = e.add(tile.row, e.mul(half, kTileRows));
                  return body(tile, 1, carried);
                });
}

/// Of \p parts halves of a tile, or of all of a tile that has none.
void GemmBuilder::loadStage(const Tile &tile, int64_t parts, Value number,
                            Value depth) {
  Pipeline::Use use = pipeline.use(e, memory, number);
  pipeline.acquire(e, use, (parts - halves) * input.bytes() / halves);
  Value stage = e.add(memory.at(e, firstStage), use.byteOffset);
  Value weights = e.add(stage, weight.offset);
  int64_t half = weight.bytes() / 2;
  for (int64_t part = 0; part < parts; ++part)
    loadBox(e, arguments.inputMap, e.add(stage, part * input.bytes() / halves),
            use.full, {depth, e.add(tile.row, part * kTileRows)});
  if (cluster) {
    // Each block of the pair copies one half to both.
    Value rank = cluster->rank();
    loadBoxMulticast(e, arguments.weightMap, e.add(weights, e.mul(rank, half)),
                     use.full, {depth, tile.column, rank}, cluster->all());
    return;
  }
  for (int64_t i : {0, 1}) {
    Values place = {depth, tile.column, e.constant(i)};
    if (experts)
      place.push_back(tile.expert);
    loadBox(e, arguments.weightMap, e.add(weights, i * half), use.full, place);
  }
}

void GemmBuilder::produce(const TileOrder &order) {
  Value zero = e.constant(0);
  Value start = zero;
  if (options.splitTiles) {
    SplitTiles split = splitTiles(order);
    producePart(split);
    start = partSteps(split);
  }
  forEachTile(order, {start},
              [&](Tile tile, int64_t parts, ValueRange carried) -> Values {
                Value use = carried[0];
                Value steps = depthTiles();
                e.loop(zero, steps, {}, [&](Value t, ValueRange) -> Values {
                  loadStage(tile, parts, e.add(use, t), e.mul(t, kTileDepth));
                  return {};
                });
                return {e.add(use, steps)};
              });
}

//===----------------------------------------------------------------------===//
// The products
//===----------------------------------------------------------------------===//

GemmBuilder::Values GemmBuilder::step(const Consumer &c, Value number,
                                      ValueRange sum) {
  Pipeline::Use use = pipeline.use(e, memory, number);
  pipeline.wait(e, use);
  return multiply(e, product(), c.input.advance(e, use.byteOffset),
                  c.weight.advance(e, use.byteOffset), sum);
}

void GemmBuilder::release(const Consumer &c, Value number) {
  Pipeline::Use use = pipeline.use(e, memory, number);
  if (cluster)
    cluster->arrive(e, use.empty);
  else
    pipeline.release(e, use, c.isFirstLane);
}

/// The step of all parts, one batch of products each. \p sums has their sums
/// one after the other, or is empty.
GemmBuilder::Values GemmBuilder::steps(Consumers parts, Value number,
                                       ValueRange sums) {
  Values next;
  size_t each = sums.size() / parts.size();
  for (auto [i, part] : llvm::enumerate(parts))
    next.append(step(part, number, sums.slice(i * each, each)));
  return next;
}

/// Steps \p first to \p end of a tile, of which at least one came before, and
/// the wait for all.
GemmBuilder::Values GemmBuilder::remainingSteps(Consumers parts, Value use,
                                                Value first, Value end,
                                                Values sums) {
  sums = e.loop(first, end, sums, [&](Value t, ValueRange carried) -> Values {
    Value number = e.add(use, t);
    Values next = steps(parts, number, carried);
    waitProducts(e, unsigned(parts.size()));
    release(parts.front(), e.add(number, -1));
    return next;
  });
  sums = waitProducts(e, 0, sums);
  release(parts.front(), e.add(e.add(use, end), -1));
  return sums;
}

/// Carried: the number of uses of the pipeline.
GemmBuilder::Values GemmBuilder::plainTile(Consumers parts, const Tile &tile,
                                           ValueRange carried) {
  Value use = carried[0];
  Value end = depthTiles();
  Values sums = steps(parts, use, ValueRange());
  sums = remainingSteps(parts, use, e.constant(1), end, std::move(sums));
  beginStore(parts.front());
  size_t half = sums.size() / parts.size() / 2;
  for (auto [i, part] : llvm::enumerate(parts)) {
    ValueRange gate = ValueRange(sums).slice(2 * i * half, half);
    ValueRange up = ValueRange(sums).slice((2 * i + 1) * half, half);
    for (int64_t chunk = 0; chunk < chunks(); ++chunk)
      storeChunk(part, chunk, fromAccumulators(chunkOf(gate, chunk, 4)),
                 fromAccumulators(chunkOf(up, chunk, 4)));
    endStore(part, tile, Value());
  }
  return {e.add(use, end)};
}

/// Carried: the number of uses, then of the tile before its first row, its
/// first column, the end of its expert's rows, whether there was one, and its
/// rounded gate and up.
GemmBuilder::Values GemmBuilder::deferredTile(const Consumer &c,
                                              const Tile &tile,
                                              ValueRange carried) {
  Value use = carried[0];
  Tile before{carried[1], carried[2], {}, carried[3]};
  Value hasBefore = carried[4];
  ValueRange pairs = carried.drop_front(kCarriedOfTile);
  ValueRange gate = pairs.take_front(pairs.size() / 2);
  ValueRange up = pairs.drop_front(pairs.size() / 2);

  Value end = depthTiles();
  Values sum = step(c, use, ValueRange());
  for (int64_t chunk = 0; chunk < chunks(); ++chunk) {
    Value number = e.add(use, chunk + 1);
    sum = step(c, number, sum);
    waitProducts(e, 1);
    release(c, e.add(number, -1));
    if (chunk == 0)
      beginStore(c);
    storeChunk(c, chunk, fromPairs(chunkOf(gate, chunk, 2)),
               fromPairs(chunkOf(up, chunk, 2)));
  }
  endStore(c, before, hasBefore);
  sum = remainingSteps(c, use, e.constant(chunks() + 1), end, std::move(sum));

  Values next = {e.add(use, end), tile.row, tile.column,
                 experts ? tile.endRow : e.constant(0),
                 arith::ConstantOp::create(e, e.getBoolAttr(true))};
  for (size_t i = 0; i < sum.size(); i += 2) {
    Value pair =
        vector::FromElementsOp::create(e, VectorType::get({2}, e.getF32Type()),
                                       ValueRange{sum[i], sum[i + 1]});
    Value rounded =
        arith::TruncFOp::create(e, VectorType::get({2}, element()), pair);
    next.append(toPairs(rounded));
  }
  return next;
}

//===----------------------------------------------------------------------===//
// The epilogue
//===----------------------------------------------------------------------===//

/// A thread has four values of each group of eight columns.
ValueRange GemmBuilder::chunkOf(ValueRange values, int64_t chunk,
                                int64_t perGroup) {
  int64_t first = chunk * kChunkColumns / 8;
  int64_t count = std::min(kChunkColumns / 8, groups() - first);
  return values.slice(size_t(first * perGroup), size_t(count * perGroup));
}

Value GemmBuilder::fromAccumulators(ValueRange values) {
  auto type = VectorType::get({int64_t(values.size())}, e.getF32Type());
  Value vector = vector::FromElementsOp::create(e, type, values);
  if (!options.isRounded())
    return vector;
  Value rounded = arith::TruncFOp::create(e, type.clone(element()), vector);
  return arith::ExtFOp::create(e, type, rounded);
}

Value GemmBuilder::fromPairs(ValueRange pairs) {
  int64_t count = int64_t(pairs.size());
  Value registers = vector::FromElementsOp::create(
      e, VectorType::get({count}, e.getI32Type()), pairs);
  auto type = VectorType::get({2 * count}, element());
  Value rounded = vector::BitCastOp::create(e, type, registers);
  return arith::ExtFOp::create(e, type.clone(e.getF32Type()), rounded);
}

GemmBuilder::Values GemmBuilder::toPairs(Value rounded) {
  int64_t count = cast<VectorType>(rounded.getType()).getNumElements() / 2;
  Value registers = vector::BitCastOp::create(
      e, VectorType::get({count}, e.getI32Type()), rounded);
  Values pairs;
  for (int64_t i = 0; i < count; ++i)
    pairs.push_back(vector::ExtractOp::create(e, registers, i));
  return pairs;
}

void GemmBuilder::beginStore(const Consumer &c) {
  // The copy of this warp's last rows must have read them.
  e.ifThen(c.isFirstLane, [&] { waitStores(e, 0, /*readOnly=*/true); });
  syncWarp(e);
}

void GemmBuilder::storeChunk(const Consumer &c, int64_t chunk, Value gate,
                             Value up) {
  Values packed = toPairs(c.arithmetic.apply(gate, up));
  int64_t column = chunk * kChunkColumns;
  if (isSwizzled)
    storeFragment(e, memory, SwizzledTile{output, halves * kTileRows, columns},
                  c.slabRow, c.lane, packed, column);
  else
    storeFragment(e, memory, PlainTile{output, halves * kTileRows, columns},
                  c.slabRow, c.lane, packed, column);
}

/// \p condition may be null.
void GemmBuilder::endStore(const Consumer &c, const Tile &tile,
                           Value condition) {
  fenceSharedWrites(e);
  syncWarp(e);
  Value stores = c.isFirstLane;
  if (condition)
    stores = arith::AndIOp::create(e, stores, condition);
  e.ifThen(stores, [&] {
    Value row = e.add(tile.row, c.slabRow);
    if (!experts) {
      storeRows(arguments.outputMap, tile, c.slabRow, row);
    } else {
      // Rows behind the expert's are another's.
      Value end = e.add(row, kWarpRows);
      Value isWhole = e.compare(CmpIPredicate::sle, end, tile.endRow);
      e.ifThenElse(
          isWhole,
          [&] { storeRows(arguments.outputMap, tile, c.slabRow, row); },
          [&] {
            e.loop(e.constant(0), e.sub(tile.endRow, row), {},
                   [&](Value i, ValueRange) -> Values {
                     storeRows(arguments.outputRowMap, tile,
                               e.add(c.slabRow, i), e.add(row, i));
                     return {};
                   });
          });
    }
    commitStores(e);
  });
}

/// Stores the box of \p map that begins at row \p tileRow of the tile and \p
/// row of the output.
void GemmBuilder::storeRows(Value map, const Tile &tile, Value tileRow,
                            Value row) {
  auto storeColumns = [&](int64_t offset, int64_t rowBytes, int64_t column) {
    Value source = e.add(memory.at(e, offset), e.mul(tileRow, rowBytes));
    storeBox(e, map, source, {e.add(tile.column, column), row});
  };
  if (!isSwizzled)
    return storeColumns(output, columns * 2, 0);
  SwizzledTile whole{output, halves * kTileRows, columns};
  for (int64_t slab = 0; slab < whole.slabs(); ++slab)
    storeColumns(output + slab * whole.slabBytes(), SwizzledTile::kRowBytes,
                 slab * whole.slabColumns());
}

void GemmBuilder::consume(const TileOrder &order,
                          const ThreadPosition &position) {
  GateArithmetic arithmetic(e, options, arguments.beta);
  if (cluster)
    cluster->prepareArrivals(e, memory, position.lane);
  Value group = e.add(position.warpgroup, -1);
  SwizzledTile firstInput = input, firstWeight = weight;
  firstInput.offset += firstStage;
  firstWeight.offset += firstStage;
  Consumer c{
      position.lane,
      e.isEqual(position.lane, 0),
      e.add(e.mul(group, kRowsPerConsumer),
            e.mul(e.andBits(position.warp, 3), kWarpRows)),
      TileDescriptor::alongK(e, memory, firstInput)
          .advance(e, e.mul(group, kRowsPerConsumer * SwizzledTile::kRowBytes)),
      TileDescriptor::alongK(e, memory, firstWeight),
      arithmetic};

  Value zero = e.constant(0), use = zero;
  std::optional<SplitTiles> split;
  if (options.splitTiles) {
    split = splitTiles(order);
    consumePart(c, *split);
    use = partSteps(*split);
  }
  if (options.epilogue == GemmEpilogue::Plain) {
    llvm::SmallVector<Consumer, 2> parts;
    for (int64_t i = 0; i < halves; ++i) {
      int64_t row = i * kTileRows;
      parts.push_back(c);
      parts.back().slabRow = e.add(c.slabRow, row);
      parts.back().input =
          c.input.advance(e, e.constant(row * SwizzledTile::kRowBytes));
    }
    forEachTile(order, {use},
                [&](Tile tile, int64_t count, ValueRange carried) -> Values {
                  return plainTile(Consumers(parts).take_front(size_t(count)),
                                   tile, carried);
                });
  } else {
    Values start = {use, zero, zero, zero,
                    arith::ConstantOp::create(e, e.getBoolAttr(false))};
    start.append(size_t(columns) / 2, zero);
    Values last = forEachTile(
        order, start, [&](Tile tile, int64_t, ValueRange carried) -> Values {
          return deferredTile(c, tile, carried);
        });
    e.ifThen(last[4], [&] {
      ValueRange pairs = ValueRange(last).drop_front(kCarriedOfTile);
      ValueRange gate = pairs.take_front(pairs.size() / 2);
      ValueRange up = pairs.drop_front(pairs.size() / 2);
      beginStore(c);
      for (int64_t chunk = 0; chunk < chunks(); ++chunk)
        storeChunk(c, chunk, fromPairs(chunkOf(gate, chunk, 2)),
                   fromPairs(chunkOf(up, chunk, 2)));
      endStore(c, {last[1], last[2], {}, last[3]}, Value());
    });
  }
  if (split)
    sumParts(c, *split);
  e.ifThen(c.isFirstLane, [&] { waitStores(e, 0, /*readOnly=*/false); });
}

OwningOpRef<ModuleOp>
poly::kernels::buildSwigluGemm(MLIRContext &context,
                               const SwigluGemmOptions &options) {
  context.loadDialect<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                      math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect,
                      vector::VectorDialect>();
  return GemmBuilder(context, options).build();
}
