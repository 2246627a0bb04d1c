//===- Consumers.cpp - The warpgroups that compute attention --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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
  llvm::SmallVector<Value> packed(size_t(keyRows * options.elementBytes() / 8));
  int64_t perRow = int64_t(packed.size()) / kRows;
  for (unsigned r = 0; r < kRows; ++r) {
    Value rounded = c.score->round(e, rows[r], weightType(),
                                   lastColumn ? lastColumn[r] : Value());
    Value registers = vector::BitCastOp::create(
        e, VectorType::get({perRow}, e.getI32Type()), rounded);
    for (int64_t i = 0; i < perRow; ++i)
      packed[size_t(kRows * i + r)] =
          vector::ExtractOp::create(e, registers, i);
  }
  return packed;
}

Value AttentionBuilder::packPair(Value low, Value high) {
  Value pair = vector::FromElementsOp::create(
      e, VectorType::get({2}, e.getF32Type()), ValueRange{low, high});
  Value rounded =
      arith::TruncFOp::create(e, VectorType::get({2}, outputType()), pair);
  Value registers = vector::BitCastOp::create(
      e, VectorType::get({1}, e.getI32Type()), rounded);
  return vector::ExtractOp::create(e, registers, int64_t(0));
}

void AttentionBuilder::findLastColumns(const Consumer &c, Mask &mask) {
  Place place = placeOf(c);
  Value keyTile = e.add(mask.tile.keyTiles, -1);
  if (mask.passed)
    keyTile = e.sub(keyTile, mask.passed);
  Value first = e.add(e.mul(keyTile, keyRows), place.column);
  Value lastKey = e.sub(e.add(arguments.keyLength, -1), first);
  for (unsigned r = 0; r < kRows; ++r) {
    mask.lastColumns[r] = lastKey;
    if (!options.causal)
      continue;
    Value row = e.add(e.add(mask.tile.firstRow, place.row), int64_t(8 * r));
    Value own = e.sub(e.add(row, arguments.causalShift), first);
    mask.lastColumns[r] = e.minSigned(own, lastKey);
  }
}

/// Whether this lane releases the keys, which is known with the maxima. ptxas
/// sorts arithmetic freely around the wait for the product of values, and may
/// put most maxima behind it: kernels of the same instructions then take up to
/// 9 % more time. It does not move what it needs for a barrier, and cannot see
/// that this predicate is isFirstLane. Only where tiles overlap: others lose by
/// it.
Value AttentionBuilder::afterMaxima(const Consumer &c,
                                    const SoftmaxState &state) {
  static_assert(kRows == 2);
  // The length is not zero.
  LLVM::InlineAsmOp nonZero = e.ptx(
      e.getI32Type(), {state.maximum[0], state.maximum[1], arguments.keyLength},
      "lop3.b32 $0, $1, $2, $3, 254;", "=r,f,f,r");
  nonZero->setDiscardableAttr(kOrderOnlyAttr, e.getUnitAttr());
  Value always =
      e.compare(CmpIPredicate::ne, nonZero.getResult(0), e.constant(0));
  return arith::AndIOp::create(e, c.isFirstLane, always);
}

/// The weights of the tile of keys that is use number \p number of the
/// pipeline, which \p mask, if any, finds the last columns of; and the product
/// of the weights \p before it, if any, with their values.
TileWeights AttentionBuilder::weigh(const Consumer &c, Value number,
                                    Progress *before, const SoftmaxState &state,
                                    bool isFirst, Mask *mask,
                                    llvm::function_ref<void()> meanwhile) {
  Pipeline::Use keyUse = keys.use(e, memory, number), valueUse;
  if (before)
    valueUse = values.use(e, memory, e.add(number, -1));
  std::optional<TileDescriptor> keyTile, valueTile;
  if (before) {
    keyTile = c.key.advance(e, keyUse.byteOffset);
    valueTile = c.value.advance(e, valueUse.byteOffset);
  }
  keys.wait(e, keyUse);
  if (options.pingPong)
    syncNamed(e, c.turn, kConsumers * kWarpgroupThreads);
  if (!keyTile)
    keyTile = c.key.advance(e, keyUse.byteOffset);
  llvm::SmallVector<Value> scores =
      multiply(e, scoreProduct(), c.query, *keyTile, ValueRange());
  unsigned behind = 0;
  if (before) {
    values.wait(e, valueUse);
    behind = startValueProduct(c, *valueTile, *before);
  }
  if (options.pingPong)
    arriveNamed(e, c.otherTurn, kConsumers * kWarpgroupThreads);
  if (meanwhile)
    meanwhile();
  scores = waitProducts(e, behind, scores);
  bool releaseLate = overlaps && c.score->isSoftmax();
  if (!releaseLate)
    keys.release(e, keyUse, c.isFirstLane);

  Value rows[kRows];
  splitRows(scores, rows);
  if (mask)
    findLastColumns(c, *mask);
  TileWeights weights = c.score->weights(e, rows, state, isFirst,
                                         mask ? mask->lastColumns : nullptr);
  if (releaseLate)
    keys.release(e, keyUse, afterMaxima(c, weights.state));
  if (before) {
    waitValueProduct(*before);
    values.release(e, valueUse, c.isFirstLane);
  }
  return weights;
}

/// The progress after the first tile of keys.
Progress AttentionBuilder::start(const Consumer &c, const TileWeights &weights,
                                 const Value columns[kRows]) {
  Progress progress;
  progress.output.assign(size_t(ownColumns) / 2, e.constantF32(0));
  progress.packed = pack(c, weights.rows, columns);
  progress.softmax = weights.state;
  for (unsigned r = 0; fresh && c.score->isSoftmax() && r < kRows; ++r)
    progress.correction[r] = e.constantF32(1);
  if (options.matrixSum)
    progress.sums.assign(kSumColumns / 2, e.constantF32(0));
  return progress;
}

Progress AttentionBuilder::firstTile(const Consumer &c, const Tile &tile,
                                     Value use) {
  Mask mask{tile, Value(), {}};
  TileWeights weights = weigh(c, use, nullptr, c.score->initialState(e),
                              /*isFirst=*/true, &mask);
  return start(c, weights, mask.lastColumns);
}

/// The first tile of keys of \p tile, while the last product of the tile
/// before ends.
Progress AttentionBuilder::nextTile(const Consumer &c, const Tile &tile,
                                    Value use, Progress &before) {
  Mask mask{tile, Value(), {}};
  TileWeights weights = weigh(c, use, &before, c.score->initialState(e),
                              /*isFirst=*/true, &mask);
  return start(c, weights, mask.lastColumns);
}

unsigned AttentionBuilder::startValueProduct(const Consumer &c,
                                             const TileDescriptor &tile,
                                             Progress &progress) {
  if (fresh || sumsBehind) {
    llvm::SmallVector<Value> sum;
    if (!fresh) {
      sum = progress.output;
      sum.append(progress.sums);
    }
    llvm::SmallVector<Value> all = multiply(
        e, valueProduct(ownColumns + sumsBehind), progress.packed, tile, sum);
    progress.partial.assign(all.begin(), all.begin() + ownColumns / 2);
    progress.partialSums.assign(all.begin() + ownColumns / 2, all.end());
    return 1;
  }
  progress.partial = multiply(e, valueProduct(ownColumns), progress.packed,
                              tile, progress.output);
  if (!options.matrixSum)
    return 1;
  // Sums of e4m3 weights do not fit the tensor cores' accumulators.
  progress.partialSums =
      multiply(e, valueProduct(kSumColumns), progress.packed, c.ones,
               options.is8Bit() ? ValueRange() : ValueRange(progress.sums));
  return 2;
}

void AttentionBuilder::waitValueProduct(Progress &progress) {
  llvm::SmallVector<Value> all = progress.partial;
  all.append(progress.partialSums);
  all = waitProducts(e, 0, all);
  ValueRange output = ValueRange(all).take_front(progress.output.size());
  ValueRange sums = ValueRange(all).drop_front(output.size());
  auto rescaled = [&](llvm::SmallVector<Value> &earlier, ValueRange partial) {
    for (auto [i, value] : llvm::enumerate(partial)) {
      Value factor = progress.correction[i / 2 % kRows];
      earlier[i] =
          factor ? math::FmaOp::create(e, earlier[i], factor, value).getResult()
                 : arith::AddFOp::create(e, earlier[i], value).getResult();
    }
  };
  if (fresh) {
    rescaled(progress.output, output);
    rescaled(progress.sums, sums);
  } else {
    progress.output.assign(output.begin(), output.end());
    for (auto [i, value] : llvm::enumerate(sums))
      progress.sums[i] =
          options.is8Bit()
              ? Value(arith::AddFOp::create(e, progress.sums[i], value))
              : value;
  }
  progress.partial.clear();
  progress.partialSums.clear();
}

static llvm::SmallVector<Value> flatten(const Progress &progress,
                                        bool isSoftmax, bool fresh) {
  llvm::SmallVector<Value> flat = progress.output;
  flat.append(progress.packed);
  flat.append(progress.sums);
  for (unsigned r = 0; isSoftmax && r < kRows; ++r) {
    flat.push_back(progress.softmax.maximum[r]);
    flat.push_back(progress.softmax.sum[r]);
  }
  for (unsigned r = 0; isSoftmax && fresh && r < kRows; ++r)
    flat.push_back(progress.correction[r]);
  return flat;
}

/// \p flat with the shape of \p like.
static Progress unflatten(ValueRange flat, const Progress &like, bool isSoftmax,
                          bool fresh) {
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
  for (unsigned r = 0; isSoftmax && fresh && r < kRows; ++r)
    progress.correction[r] = flat[2 * kRows + r];
  return progress;
}

Progress AttentionBuilder::overTiles(const Consumer &c, const Tile &tile,
                                     Value use, Value low, Value high,
                                     bool masked, Progress progress,
                                     llvm::function_ref<void()> meanwhile) {
  bool isSoftmax = c.score->isSoftmax();
  auto body = [&](Value t, ValueRange carried) -> llvm::SmallVector<Value> {
    Progress now = unflatten(carried, progress, isSoftmax, fresh);
    Mask mask{tile, t, {}};
    TileWeights weights =
        weigh(c, e.add(use, t), &now, now.softmax,
              /*isFirst=*/false, masked ? &mask : nullptr, meanwhile);
    // Only now: these are the registers that the next product reads.
    now.packed = pack(c, weights.rows, masked ? mask.lastColumns : nullptr);
    now.softmax = weights.state;
    if (fresh) // What waits for the next product's end.
      llvm::copy(weights.correction, now.correction);
    else if (isSoftmax)
      for (auto *accumulators : {&now.output, &now.sums})
        for (auto [i, accumulator] : llvm::enumerate(*accumulators))
          accumulator = arith::MulFOp::create(
              e, accumulator, weights.correction[i / 2 % kRows]);
    return flatten(now, isSoftmax, fresh);
  };
  return unflatten(e.loop(low, high, flatten(progress, isSoftmax, fresh), body),
                   progress, isSoftmax, fresh);
}

void AttentionBuilder::lastProduct(const Consumer &c, const Tile &tile,
                                   Value use, Progress &progress) {
  Value number = e.add(e.add(use, tile.keyTiles), -1);
  Pipeline::Use valueUse = values.use(e, memory, number);
  values.wait(e, valueUse);
  startValueProduct(c, c.value.advance(e, valueUse.byteOffset), progress);
  waitValueProduct(progress);
  values.release(e, valueUse, c.isFirstLane);
}

void AttentionBuilder::storeLogSumExp(const Place &place, const Tile &tile,
                                      ArrayRef<Value> logSumExp) {
  Value isFirstOfQuad = e.isEqual(e.andBits(place.lane, 3), 0);
  if (splits) // Both groups have the same rows.
    isFirstOfQuad =
        arith::AndIOp::create(e, isFirstOfQuad, e.isEqual(place.group, 0));
  for (unsigned r = 0; r < kRows; ++r) {
    Value row = e.add(e.add(tile.firstRow, place.row), int64_t(8 * r));
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
      LLVM::StoreOp::create(e, logSumExp[r], address, 4);
    });
  }
}

Value AttentionBuilder::descale(Value array, Value index, Value stride) {
  Value address = LLVM::GEPOp::create(
      e, array.getType(), e.getF32Type(), array,
      ArrayRef<LLVM::GEPArg>{e.widen(e.mul(index, stride))});
  return LLVM::LoadOp::create(e, e.getF32Type(), address, 4);
}

/// Of (batch, key head) in [B, Hk].
Value AttentionBuilder::keyHeadRow(const Tile &tile) {
  return e.add(
      e.mul(tile.batch, e.divide(arguments.heads, arguments.headsPerKeyHead)),
      tile.keyHead);
}

/// With the factors of the tile's heads, of E4M3.
Value AttentionBuilder::scoreScale(const Tile &tile) {
  Value factor = arith::MulFOp::create(
      e,
      descale(arguments.queryDescale, tile.row, arguments.queryDescaleStride),
      descale(arguments.keyDescale, keyHeadRow(tile),
              arguments.keyDescaleStride));
  return arith::MulFOp::create(e, arguments.scale, factor);
}

/// The output of \p tile, after all products.
Output AttentionBuilder::finish(const Consumer &c, const Tile &tile,
                                Progress progress) {
  // All columns of a row hold its sum.
  for (unsigned r = 0; options.matrixSum && r < kRows; ++r)
    progress.softmax.sum[r] = progress.sums[2 * r];
  Value factor[kRows];
  for (unsigned r = 0; r < kRows; ++r)
    factor[r] = c.score->outputFactor(e, progress.softmax, r);
  if (options.is8Bit()) {
    Value valueScale = descale(arguments.valueDescale, keyHeadRow(tile),
                               arguments.valueDescaleStride);
    // Of a sigmoid no sum takes the weights' scale out.
    for (Value &rowFactor : factor)
      if (rowFactor)
        rowFactor = arith::MulFOp::create(e, rowFactor, valueScale);
      else
        rowFactor = arith::DivFOp::create(e, valueScale, arguments.weightScale);
  }
  for (auto [i, accumulator] : llvm::enumerate(progress.output))
    if (Value rowFactor = factor[i / 2 % kRows])
      accumulator = arith::MulFOp::create(e, accumulator, rowFactor);
  Output result;
  for (unsigned r = 0; options.logSumExp && r < kRows; ++r)
    result.logSumExp[r] = c.score->logSumExp(e, progress.softmax, r);
  for (size_t i = 0; i < progress.output.size(); i += 2)
    result.packed.push_back(
        packPair(progress.output[i], progress.output[i + 1]));
  return result;
}

void AttentionBuilder::store(const Consumer &c, const Tile &tile,
                             const Output &result) {
  Place place = placeOf(c);
  if (ownOutput) {
    // The copy of this warp's last rows must have read them.
    e.ifThen(c.isFirstLane, [&] { waitStores(e, 0, /*readOnly=*/true); });
    syncWarp(e);
  } else {
    // All warps of the group have read their rows of Q.
    syncNamed(e, e.add(place.group, kGroupBarrier), kWarpgroupThreads);
  }
  // With Q's shared memory: that of the tile's stage.
  Value outputRow = place.outputRow;
  if (!ownOutput)
    outputRow = e.add(outputRow,
                      e.divide(c.queryUse.byteOffset, SwizzledTile::kRowBytes));
  storeFragment(e, memory, output, outputRow, place.lane, result.packed);
  fenceSharedWrites(e);
  syncWarp(e);
  e.ifThen(c.isFirstLane, [&] {
    Value source = e.add(memory.at(e, output.offset),
                         e.mul(outputRow, SwizzledTile::kRowBytes));
    int64_t slabs = ownColumns / output.slabColumns();
    Value firstColumn = splits ? e.mul(place.group, ownColumns) : e.constant(0);
    for (int64_t slab = 0; slab < slabs; ++slab)
      storeBox(e, arguments.outputMap, e.add(source, slab * output.slabBytes()),
               {e.add(firstColumn, slab * output.slabColumns()),
                e.add(tile.firstRow, place.slabRow), tile.head, tile.batch});
    commitStores(e);
  });
  // Not before: the fence would wait for it.
  if (options.logSumExp)
    storeLogSumExp(place, tile, result.logSumExp);
}

/// Of a tile whose output took the shared memory of Q.
void AttentionBuilder::releaseStored(const Consumer &c,
                                     const Pipeline::Use &queryUse) {
  e.ifThen(c.isFirstLane, [&] { waitStores(e, 0, /*readOnly=*/true); });
  queries.release(e, queryUse, c.isFirstLane);
}

AttentionBuilder::Place AttentionBuilder::makePlace(Value lane, Value warp,
                                                    Value group) {
  Value rowInGroup = e.mul(e.andBits(warp, 3), kWarpRows);
  Place place;
  place.lane = lane;
  place.group = group;
  place.slabRow =
      splits ? rowInGroup : e.add(e.mul(group, kRowsPerConsumer), rowInGroup);
  // A slab's rows follow those of the one before.
  place.outputRow = place.slabRow;
  if (splits)
    place.outputRow =
        e.add(place.slabRow,
              e.mul(group, ownColumns / output.slabColumns() * output.rows));
  return place;
}

void AttentionBuilder::setElement(Place &place) {
  place.row = e.add(place.slabRow, e.shiftRight(place.lane, 2));
  place.column = e.shiftLeft(e.andBits(place.lane, 3), 1);
}

/// Where tiles overlap there are no registers for it.
AttentionBuilder::Place AttentionBuilder::placeOf(const Consumer &c) {
  if (c.place)
    return *c.place;
  Value thread = readThread(e);
  Value warp = e.shiftRight(thread, 5);
  Place place =
      makePlace(e.andBits(thread, 31), warp, e.add(e.shiftRight(warp, 2), -1));
  setElement(place);
  return place;
}

AttentionBuilder::Consumer
AttentionBuilder::makeConsumer(const ThreadPosition &position) {
  Value group = e.add(position.warpgroup, -1);
  std::optional<Place> place;
  if (!overlaps)
    place = makePlace(position.lane, position.warp, group);
  TileDescriptor queryTile = TileDescriptor::alongK(e, memory, query);
  TileDescriptor valueTile = options.is8Bit()
                                 ? TileDescriptor::alongK(e, memory, value)
                                 : TileDescriptor::acrossK(e, memory, value);
  if (splits)
    valueTile = valueTile.advance(e, e.mul(group, valuePartBytes()));
  else
    queryTile = queryTile.advance(
        e, e.mul(group, kRowsPerConsumer * SwizzledTile::kRowBytes));
  Value isFirstLane = e.isEqual(position.lane, 0);
  if (place)
    setElement(*place);
  return {isFirstLane,
          queryTile,
          TileDescriptor::alongK(e, memory, key),
          valueTile,
          TileDescriptor::repeated(e, memory, ones),
          e.add(group, kTurnBarrier),
          e.sub(e.constant(2 * kTurnBarrier + 1), e.add(group, kTurnBarrier)),
          place,
          std::nullopt,
          {}};
}

/// For the tile of round \p round.
AttentionBuilder::Consumer
AttentionBuilder::atTile(const Consumer &c, const Tile &tile, Value round) {
  Consumer now = c;
  now.queryUse = queries.use(e, memory, round);
  now.query = c.query.advance(e, now.queryUse.byteOffset);
  if (options.is8Bit()) // Heads have scales of their own.
    now.score.emplace(e, options, scoreScale(tile), arguments.parameter,
                      arguments.weightScale);
  return now;
}

/// All tiles of keys but the first. What is finished of the tile \p before is
/// stored beside the next products, if these need no mask, for which there
/// would not be the registers.
Progress AttentionBuilder::otherTiles(const Consumer &c, const Tile &tile,
                                      Value use, Progress progress,
                                      const Before *before) {
  Value next = e.constant(1), unmasked = next;
  if (options.causal) {
    // Tiles of keys that every row sees whole need no mask.
    Value seen = e.maxSigned(
        e.add(e.add(tile.firstRow, arguments.causalShift), 1), e.constant(0));
    Value whole = e.divide(seen, keyRows);
    unmasked = e.minSigned(e.maxSigned(e.sub(tile.keyTiles, whole), next),
                           tile.keyTiles);
  }
  if (before) {
    Value canWait = e.compare(CmpIPredicate::sgt, tile.keyTiles, next);
    if (options.causal)
      canWait = arith::AndIOp::create(e, canWait, e.isEqual(unmasked, 1));
    Value second = e.select(arith::AndIOp::create(e, before->exists, canWait),
                            e.constant(2), next);
    e.ifThen(arith::AndIOp::create(e, before->exists, e.isEqual(second, 1)),
             [&] { before->store(); });
    progress = overTiles(c, tile, use, next, second, /*masked=*/false, progress,
                         before->store);
    if (!ownOutput)
      e.ifThen(before->exists, [&] { before->release(); });
    next = second;
  }
  if (options.causal) {
    progress =
        overTiles(c, tile, use, next, unmasked, /*masked=*/true, progress);
    next = before ? e.maxSigned(next, unmasked) : unmasked;
  }
  return overTiles(c, tile, use, next, tile.keyTiles, /*masked=*/false,
                   progress);
}

void AttentionBuilder::consumeOneByOne(const Consumer &c,
                                       const TileOrder &order) {
  Value zero = e.constant(0);
  e.loop(zero, order.rounds(), {zero},
         [&](Value round, ValueRange carried) -> llvm::SmallVector<Value> {
           Value use = carried[0];
           Tile tile = decode(order, round);
           Consumer now = atTile(c, tile, round);
           queries.wait(e, now.queryUse);
           Progress progress = firstTile(now, tile, use);
           progress = otherTiles(now, tile, use, progress);
           if (ownOutput)
             queries.release(e, now.queryUse, now.isFirstLane);
           lastProduct(now, tile, use, progress);
           store(now, tile, finish(now, tile, progress));
           if (!ownOutput)
             releaseStored(now, now.queryUse);
           return {e.add(use, tile.keyTiles)};
         });
}

void AttentionBuilder::consumeOverlapping(const Consumer &c,
                                          const TileOrder &order) {
  Value zero = e.constant(0), last = e.add(order.rounds(), -1);
  Tile firstOne = decode(order, zero);
  Consumer atFirst = atTile(c, firstOne, zero);
  queries.wait(e, atFirst.queryUse);
  const Progress first = firstTile(atFirst, firstOne, zero);
  bool isSoftmax = atFirst.score->isSoftmax();

  constexpr size_t kCarriedOfTile = 4;
  const size_t outputs = size_t(ownColumns) / 4 + kRows * options.logSumExp;
  auto toValues = [&](Value use, const Tile &tile, const Output &before,
                      const Progress &progress) {
    llvm::SmallVector<Value> all = {use, tile.firstRow, tile.row,
                                    tile.keyTiles};
    all.append(before.packed);
    if (options.logSumExp)
      all.append(std::begin(before.logSumExp), std::end(before.logSumExp));
    all.append(flatten(progress, isSoftmax, fresh));
    return all;
  };
  auto tileOf = [&](ValueRange all) {
    Tile tile;
    tile.firstRow = all[1], tile.row = all[2], tile.keyTiles = all[3];
    setHeads(tile);
    return tile;
  };
  auto outputOf = [&](ValueRange all) {
    Output before;
    all = all.slice(kCarriedOfTile, outputs);
    for (unsigned r = 0; options.logSumExp && r < kRows; ++r)
      before.logSumExp[r] = all[outputs - kRows + r];
    before.packed = all.take_front(size_t(ownColumns) / 4);
    return before;
  };
  auto progressOf = [&](ValueRange all) {
    return unflatten(all.drop_front(kCarriedOfTile + outputs), first, isSoftmax,
                     fresh);
  };
  auto storeBefore = [&](Value round, ValueRange carried) {
    Value before = e.add(round, -1);
    Tile tile = decode(order, e.opaque(before));
    store(atTile(c, tile, before), tile, outputOf(carried));
  };
  Output nothing;
  nothing.packed.assign(size_t(ownColumns) / 4, zero);
  for (Value &value : nothing.logSumExp)
    value = e.constantF32(0);
  llvm::SmallVector<Value> ending = e.loop(
      zero, last, toValues(zero, firstOne, nothing, first),
      [&](Value round, ValueRange carried) -> llvm::SmallVector<Value> {
        Tile tile = tileOf(carried);
        Consumer now = atTile(c, tile, round);
        Value nextRound = e.add(round, 1);
        Tile next = decode(order, nextRound);
        Consumer after = atTile(c, next, nextRound);
        auto store = [&] { storeBefore(round, carried); };
        auto release = [&] {
          releaseStored(c, queries.use(e, memory, e.add(round, -1)));
        };
        Before before{e.compare(CmpIPredicate::sgt, round, zero), store,
                      release};
        Progress progress =
            otherTiles(now, tile, carried[0], progressOf(carried), &before);
        if (ownOutput)
          queries.release(e, now.queryUse, now.isFirstLane);
        Value nextUse = e.add(carried[0], tile.keyTiles);
        queries.wait(e, after.queryUse);
        Progress started = nextTile(after, next, nextUse, progress);
        return toValues(nextUse, next, finish(now, tile, progress), started);
      });
  Tile tile = tileOf(ending);
  Consumer now = atTile(c, tile, last);
  e.ifThen(e.compare(CmpIPredicate::sgt, last, zero),
           [&] { storeBefore(last, ending); });
  Progress progress = otherTiles(now, tile, ending[0], progressOf(ending));
  lastProduct(now, tile, ending[0], progress);
  store(now, tile, finish(now, tile, progress));
}

void AttentionBuilder::consume(const TileOrder &order,
                               const ThreadPosition &position) {
  Consumer c = makeConsumer(position);
  if (options.pingPong) // The first group has the first turn.
    e.ifThen(e.isEqual(e.add(position.warpgroup, -1), 1), [&] {
      arriveNamed(e, e.constant(kTurnBarrier), kConsumers * kWarpgroupThreads);
    });
  if (!options.is8Bit())
    c.score.emplace(e, options, arguments.scale, arguments.parameter, Value());
  if (!overlaps)
    consumeOneByOne(c, order);
  else // A block without a tile has nothing to wait for.
    e.ifThen(e.compare(CmpIPredicate::sgt, order.rounds(), e.constant(0)),
             [&] { consumeOverlapping(c, order); });
  e.ifThen(c.isFirstLane, [&] { waitStores(e, 0, /*readOnly=*/false); });
}
