//===- Consumers.cpp - The warpgroups that compute attention --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"

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
  TileWeights weights = c.score->weights(e, rows, c.score->initialState(e),
                                         /*isFirst=*/true, columns);
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

unsigned AttentionBuilder::startValueProduct(const Consumer &c,
                                             const TileDescriptor &tile,
                                             Progress &progress) {
  if (fresh) {
    llvm::SmallVector<Value> all =
        multiply(e, valueProduct(ownColumns + sumsBehind), progress.packed,
                 tile, ValueRange());
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
                                     bool masked, Progress progress) {
  bool isSoftmax = c.score->isSoftmax();
  auto body = [&](Value t, ValueRange carried) -> llvm::SmallVector<Value> {
    Progress now = unflatten(carried, progress, isSoftmax, fresh);
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
    TileWeights weights = c.score->weights(
        e, rows, now.softmax, /*isFirst=*/false, masked ? columns : nullptr);
    waitValueProduct(now);
    values.release(e, valueUse, c.isFirstLane);
    // Only now: these are the registers that the next product reads.
    now.packed = pack(c, weights.rows, masked ? columns : nullptr);
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
  // All columns of a row hold its sum.
  for (unsigned r = 0; options.matrixSum && r < kRows; ++r)
    progress.softmax.sum[r] = progress.sums[2 * r];
  values.release(e, valueUse, c.isFirstLane);
}

void AttentionBuilder::storeLogSumExp(const Consumer &c, const Tile &tile,
                                      const Progress &progress) {
  Value isFirstOfQuad = e.isEqual(e.andBits(c.lane, 3), 0);
  if (splits) // Both groups have the same rows.
    isFirstOfQuad =
        arith::AndIOp::create(e, isFirstOfQuad, e.isEqual(c.group, 0));
  for (unsigned r = 0; r < kRows; ++r) {
    Value result = c.score->logSumExp(e, progress.softmax, r);
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

void AttentionBuilder::store(const Consumer &c, const Tile &tile,
                             Progress progress) {
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
  storeFragment(e, memory, output, c.outputRow, c.lane, packed);
  fenceSharedWrites(e);
  syncWarp(e);
  e.ifThen(c.isFirstLane, [&] {
    Value source = e.add(memory.at(e, output.offset),
                         e.mul(c.outputRow, SwizzledTile::kRowBytes));
    int64_t slabs = ownColumns / output.slabColumns();
    Value firstColumn = splits ? e.mul(c.group, ownColumns) : e.constant(0);
    for (int64_t slab = 0; slab < slabs; ++slab)
      storeBox(e, arguments.outputMap, e.add(source, slab * output.slabBytes()),
               {e.add(firstColumn, slab * output.slabColumns()),
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
  Value group = e.add(position.warpgroup, -1);
  Value rowInGroup = e.mul(e.andBits(position.warp, 3), kWarpRows);
  Value slabRow =
      splits ? rowInGroup : e.add(e.mul(group, kRowsPerConsumer), rowInGroup);
  // A slab's rows follow those of the one before.
  Value outputRow = slabRow;
  if (splits)
    outputRow = e.add(
        slabRow, e.mul(group, ownColumns / output.slabColumns() * output.rows));
  TileDescriptor queries = TileDescriptor::alongK(e, memory, query);
  TileDescriptor valueTile = options.is8Bit()
                                 ? TileDescriptor::alongK(e, memory, value)
                                 : TileDescriptor::acrossK(e, memory, value);
  if (splits)
    valueTile = valueTile.advance(e, e.mul(group, valuePartBytes()));
  else
    queries = queries.advance(
        e, e.mul(group, kRowsPerConsumer * SwizzledTile::kRowBytes));
  Consumer c{
      position.lane,
      e.isEqual(position.lane, 0),
      group,
      e.add(slabRow, e.shiftRight(position.lane, 2)),
      e.shiftLeft(e.andBits(position.lane, 3), 1),
      slabRow,
      outputRow,
      queries,
      TileDescriptor::alongK(e, memory, key),
      valueTile,
      TileDescriptor::repeated(e, memory, ones),
      nullptr,
      e.add(group, kTurnBarrier),
      e.sub(e.constant(2 * kTurnBarrier + 1), e.add(group, kTurnBarrier))};
  if (options.pingPong) // The first group has the first turn.
    e.ifThen(e.isEqual(group, 1), [&] {
      arriveNamed(e, e.constant(kTurnBarrier), kConsumers * kWarpgroupThreads);
    });

  std::optional<ScoreArithmetic> score;
  auto setScore = [&](Value scale) {
    c.score = &score.emplace(e, options, scale, arguments.parameter,
                             arguments.weightScale);
  };
  if (!options.is8Bit())
    setScore(arguments.scale);
  Value zero = e.constant(0);
  e.loop(zero, order.rounds(), {zero},
         [&](Value round, ValueRange carried) -> llvm::SmallVector<Value> {
           Value use = carried[0];
           Tile tile = decode(order, round);
           // Heads have scales of their own.
           if (options.is8Bit())
             setScore(scoreScale(tile));
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
