//===- Consume.cpp - The main kernel of the backward pass: products ------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A step of a consumer, with its 64 keys and a block of 64 queries:
///
///   S^T = K Q^T and dP^T = V dO^T; weights P from S and, when dP is there, the
///   gradients dS of the scores
///   dV += P^T dO, A from registers, runs while dS^T is written to shared
///   memory, where the two consumers meet
///   dQ^T = K^T dS^T over the keys of both, each consumer a half of it
///   dK += dS^T Q, A from registers, runs while dQ is added to the sums
///
/// Two tiles of dS in turn make one barrier a step enough: whoever writes the
/// first tile again has met the other consumer after it was read. All products
/// read shared memory, whose bandwidth is a bound, so a part of V stays in
/// registers.
///
//===----------------------------------------------------------------------===//

#include "Main.h"
#include "ScoreTile.h"

#include "hopper/Epilogue.h"
#include "hopper/Fragment.h"
#include "hopper/GlobalMemory.h"
#include "hopper/TensorMap.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::attention_backward;

using mlir::arith::CmpIPredicate;

namespace {
constexpr int64_t kKeysPerConsumer = kKeyBlock / kConsumers;
constexpr int64_t kWarpKeys = 16;
/// The named barrier of the consumers; 0 is the block's.
constexpr int64_t kConsumerBarrier = 1;

class Consumer {
public:
  Consumer(Emitter &e, const AttentionBackwardOptions &options,
           const Arguments &arguments, const Memory &memory,
           const ThreadPosition &position);

  void run(const Order &order);

private:
  /// What a tile's steps share.
  struct TileState {
    Tile tile;
    Value isRagged; ///< Some keys do not exist.
  };
  struct Sums {
    llvm::SmallVector<Value> keys, values; ///< Accumulators of dK and dV.
  };

  TileState begin(const Tile &tile, Value round);
  using Place = Work::Position; ///< A block of queries of some head.
  Sums overSteps(const TileState &state, Value first);
  void step(const TileState &state, const Place &at, Value number,
            ValueRange valueFragments, Sums &sums);
  /// Steps of V dO^T whose part of V is in registers.
  int64_t valueSteps() const;
  ScoreTile::Weights weigh(const TileState &state, const Place &at,
                           const Pipeline::Use &use, ValueRange score) const;
  Value firstColumnThatSees(const TileState &state, const Place &at,
                            unsigned row) const;
  void addToQuerySums(const Place &at, ValueRange gradient) const;
  void store(const TileState &state, const Sums &sums) const;
  void storeRows(const TileState &state, Value map, const SwizzledTile &tile,
                 ValueRange accumulators) const;
  void meet() const {
    syncNamed(e, e.constant(kConsumerBarrier), kConsumers * kWarpgroupThreads);
  }
  Value rowValuesOf(int64_t offset, const Pipeline::Use &use) const;

  OperandType operandType() const {
    return options.type == AttentionType::BF16 ? OperandType::BF16
                                               : OperandType::F16;
  }

  Emitter &e;
  const AttentionBackwardOptions &options;
  const Arguments &arguments;
  const Memory &memory;
  const SharedMemory &shared;
  int64_t dim;
  QuerySums layout;
  Work work;
  ScoreTile scores;
  Value lane, isFirstLane, group, warp, slabRow, firstColumn;
  TileDescriptor keys, values, queries, outputGradients; ///< Along the heads.
  /// Across them.
  TileDescriptor keysAcross, queriesAcross, outputGradientsAcross;
  TileDescriptor scoreGradients;
  TransposedStore scoreStore;
  /// Starts V dO^T only when the weights are there: the slope of a capped score
  /// is another fragment's worth of registers.
  bool multipliesLater;
};
} // namespace

Consumer::Consumer(Emitter &e, const AttentionBackwardOptions &options,
                   const Arguments &arguments, const Memory &memory,
                   const ThreadPosition &position)
    : e(e), options(options), arguments(arguments), memory(memory),
      shared(memory.memory), dim(options.headDim), layout(dim),
      work(e, options, arguments),
      scores(e, options, arguments.scale, arguments.parameter),
      lane(position.lane), isFirstLane(e.isEqual(lane, 0)),
      group(e.add(position.warpgroup, -1)),
      warp(e.add(position.warp, -kWarpsPerGroup)),
      slabRow(e.mul(warp, kWarpKeys)),
      firstColumn(e.shiftLeft(e.andBits(lane, 3), 1)),
      keys(TileDescriptor::alongK(e, shared, memory.key)),
      values(TileDescriptor::alongK(e, shared, memory.value)),
      queries(TileDescriptor::alongK(e, shared, memory.query)),
      outputGradients(TileDescriptor::alongK(e, shared, memory.outputGradient)),
      keysAcross(TileDescriptor::acrossK(e, shared, memory.key)),
      queriesAcross(TileDescriptor::acrossK(e, shared, memory.query)),
      outputGradientsAcross(
          TileDescriptor::acrossK(e, shared, memory.outputGradient)),
      scoreGradients(TileDescriptor::alongK(e, shared, memory.scoreGradient)),
      scoreStore(e, shared, memory.scoreGradient, group,
                 e.mul(e.andBits(warp, kWarpsPerGroup - 1), kWarpKeys), lane),
      multipliesLater(dim == 128 && options.score == AttentionScore::Softcap) {
  constexpr int64_t kHalf = kKeysPerConsumer * SwizzledTile::kRowBytes;
  keys = keys.advance(e, e.mul(group, kHalf));
  values = values.advance(e, e.mul(group, kHalf));
  // The consumer's half of dQ: of the queries, or of the dimensions.
  if (layout.splitsQueries())
    scoreGradients = scoreGradients.advance(
        e, e.mul(group, layout.queriesPerConsumer() * SwizzledTile::kRowBytes));
  else
    keysAcross = keysAcross.advance(e, e.mul(group, memory.key.slabBytes()));
}

/// As many as leave no register spilled and make ptxas serialise no product
/// (test/Kernels/attention-backward-ptxas.test).
int64_t Consumer::valueSteps() const {
  if (dim == 64)
    return dim / 16;
  switch (options.score) {
  case AttentionScore::Softmax:
    return 4;
  case AttentionScore::Softcap:
    return 2;
  case AttentionScore::Sigmoid:
    return 1;
  case AttentionScore::Identity:
    break;
  }
  llvm_unreachable("unknown score");
}

Consumer::TileState Consumer::begin(const Tile &tile, Value round) {
  TileState state;
  state.tile = tile;
  Value phase = e.andBits(round, 1);
  waitBarrier(e, memory.keyFull.address(e, shared), phase);
  waitBarrier(e, memory.valueFull.address(e, shared), phase);
  state.isRagged = e.compare(
      CmpIPredicate::sgt, e.add(tile.firstKey, kKeyBlock), arguments.keyLength);
  return state;
}

/// Of the lane's columns, the first whose query sees the key of \p row; beyond
/// all of them for a key that does not exist.
Value Consumer::firstColumnThatSees(const TileState &state, const Place &at,
                                    unsigned row) const {
  Value key =
      e.add(e.add(e.add(state.tile.firstKey, slabRow), e.shiftRight(lane, 2)),
            8 * int64_t(row));
  Value first = e.constant(0);
  if (options.causal)
    first = e.sub(
        e.sub(key, e.add(e.mul(at.block, kQueryBlock), arguments.causalShift)),
        firstColumn);
  // Something of the step on both sides: what is the same in all steps would be
  // computed before the loop, and spilled.
  Value exists = e.compare(CmpIPredicate::slt, e.add(key, at.workspace),
                           e.add(arguments.keyLength, at.workspace));
  return e.select(exists, first, e.constant(kQueryBlock));
}

Value Consumer::rowValuesOf(int64_t offset, const Pipeline::Use &use) const {
  if (!arguments.offsetMap)
    return Value();
  Value address =
      e.add(shared.at(e, offset), e.mul(use.stage, Memory::kRowValueBytes));
  return e.sharedPointer(e.add(address, e.mul(firstColumn, 4)));
}

void Consumer::addToQuerySums(const Place &at, ValueRange gradient) const {
  Value target = advancePointer(e, arguments.querySums,
                                byteDistance(e, at.workspace, layout.bytes()));
  target = advancePointer(e, target, byteDistance(e, warp, layout.warpBytes()));
  target = advancePointer(e, target, byteDistance(e, lane, 16));
  for (int64_t i = 0; i < layout.groups(); ++i)
    addFour(e, target, i * QuerySums::kGroupBytes,
            gradient.slice(size_t(i) * 4, 4));
}

ScoreTile::Weights Consumer::weigh(const TileState &state, const Place &at,
                                   const Pipeline::Use &use,
                                   ValueRange score) const {
  ScoreTile::RowValues offsets{rowValuesOf(memory.offsets, use)};
  auto firstColumn = [&](unsigned row) {
    return firstColumnThatSees(state, at, row);
  };
  // The same in the whole warpgroup: do some keys not exist, or does the first
  // query of the block not see the last key?
  Value isNeeded = state.isRagged;
  if (options.causal) {
    Value lastKey =
        e.add(e.add(state.tile.firstKey, e.mul(group, kKeysPerConsumer)),
              kKeysPerConsumer - 1);
    Value query = e.add(e.mul(at.block, kQueryBlock), arguments.causalShift);
    isNeeded = arith::OrIOp::create(
        e, e.compare(CmpIPredicate::slt, query, lastKey), isNeeded);
  }
  return scores.weights(score, offsets, isNeeded, firstColumn);
}

void Consumer::step(const TileState &state, const Place &at, Value number,
                    ValueRange valueFragments, Sums &sums) {
  Product scoreProduct{operandType(), kQueryBlock, dim / 16};
  Product queryProduct{operandType(), layout.queriesPerConsumer(),
                       kKeyBlock / 16};
  Product keyProduct{operandType(), dim, kQueryBlock / 16};

  Pipeline::Use queryUse = memory.queries.use(e, shared, number);
  Pipeline::Use gradientUse = memory.outputGradients.use(e, shared, number);
  memory.queries.wait(e, queryUse);
  llvm::SmallVector<Value> score =
      multiply(e, scoreProduct, keys, queries.advance(e, queryUse.byteOffset),
               ValueRange());
  llvm::SmallVector<Value> weightGradients;
  auto multiplyValues = [&] {
    memory.outputGradients.wait(e, gradientUse);
    weightGradients = multiply(
        e, scoreProduct, valueFragments, values,
        outputGradients.advance(e, gradientUse.byteOffset), ValueRange());
  };
  if (!multipliesLater)
    multiplyValues();
  score = waitProducts(e, multipliesLater ? 0 : 1, score);

  ScoreTile::Weights weights = weigh(state, at, queryUse, score);
  if (multipliesLater)
    multiplyValues();
  weightGradients = waitProducts(e, 0, weightGradients);
  llvm::SmallVector<Value> gradients = scores.gradients(
      weights, weightGradients, {rowValuesOf(memory.deltas, gradientUse)});
  sums.values = multiply(
      e, keyProduct, weights.fragments,
      outputGradientsAcross.advance(e, gradientUse.byteOffset), sums.values);

  Value tileOffset = e.mul(e.andBits(number, 1), memory.scoreGradient.bytes());
  scoreStore.store(e, tileOffset, gradients);
  fenceSharedWrites(e);
  meet();
  llvm::SmallVector<Value> queryGradient =
      multiply(e, queryProduct, keysAcross,
               scoreGradients.advance(e, tileOffset), ValueRange());
  sums.values = waitProducts(e, 1, sums.values);
  memory.outputGradients.release(e, gradientUse, isFirstLane);
  sums.keys =
      multiply(e, keyProduct, gradients,
               queriesAcross.advance(e, queryUse.byteOffset), sums.keys);
  queryGradient = waitProducts(e, 1, queryGradient);
  if (memory.turnCame)
    waitBarrier(e, memory.turnCame->address(e, shared), e.andBits(number, 1));
  addToQuerySums(at, queryGradient);
  if (memory.turnTaken) {
    syncWarp(e);
    arriveBarrier(e, memory.turnTaken->address(e, shared), isFirstLane);
  }
  sums.keys = waitProducts(e, 0, sums.keys);
  memory.queries.release(e, queryUse, isFirstLane);
}

/// The warp's rows of an accumulator, rounded, through shared memory.
void Consumer::storeRows(const TileState &state, Value map,
                         const SwizzledTile &tile,
                         ValueRange accumulators) const {
  llvm::SmallVector<Value> packed;
  auto pair = VectorType::get({2}, e.getF32Type());
  for (size_t i = 0; i < accumulators.size(); i += 2) {
    Value both =
        vector::FromElementsOp::create(e, pair, accumulators.slice(i, 2));
    Value rounded =
        arith::TruncFOp::create(e, pair.clone(elementType(e, options)), both);
    packed.push_back(vector::ExtractOp::create(
        e,
        vector::BitCastOp::create(e, VectorType::get({1}, e.getI32Type()),
                                  rounded),
        int64_t(0)));
  }
  storeFragment(e, shared, tile, slabRow, lane, packed);
  fenceSharedWrites(e);
  syncWarp(e);
  e.ifThen(isFirstLane, [&] {
    Value source = e.add(shared.at(e, tile.offset),
                         e.mul(slabRow, SwizzledTile::kRowBytes));
    for (int64_t slab = 0; slab < tile.slabs(); ++slab)
      storeBox(e, map, e.add(source, slab * tile.slabBytes()),
               {e.constant(slab * tile.slabColumns()),
                e.add(state.tile.firstKey, slabRow), state.tile.keyHead,
                state.tile.batch});
    commitStores(e);
  });
}

void Consumer::store(const TileState &state, const Sums &sums) const {
  // Both consumers have read K and V for the last time.
  meet();
  storeRows(state, arguments.valueGradientMap, memory.value, sums.values);
  llvm::SmallVector<Value> scaled;
  for (Value sum : sums.keys)
    scaled.push_back(arith::MulFOp::create(e, sum, arguments.scale));
  storeRows(state, arguments.keyGradientMap, memory.key, scaled);
  e.ifThen(isFirstLane, [&] { waitStores(e, 0, /*readOnly=*/true); });
  arriveBarrier(e, memory.tileEmpty.address(e, shared), isFirstLane);
}

Consumer::Sums Consumer::overSteps(const TileState &state, Value first) {
  const Tile &tile = state.tile;
  size_t accumulators = size_t(dim) / 2;
  auto split = [&](ValueRange flat) {
    Sums sums;
    sums.keys.append(flat.begin(), flat.begin() + accumulators);
    sums.values.append(flat.begin() + accumulators,
                       flat.begin() + 2 * accumulators);
    return sums;
  };
  llvm::SmallVector<Value> valueFragments =
      loadFragments(e, shared, memory.value, slabRow, lane, valueSteps());
  llvm::SmallVector<Value> carried(2 * accumulators, e.constantF32(0));
  auto carry = [](const Place &at, llvm::SmallVector<Value> &carried) {
    for (Value value : {at.workspace, at.block, at.count})
      if (value)
        carried.push_back(value);
  };
  carry(work.firstPosition(tile), carried);
  auto body = [&](Value number, ValueRange now) -> llvm::SmallVector<Value> {
    Sums sums = split(now);
    Place at;
    size_t index = 2 * accumulators;
    at.workspace = now[index++];
    if (options.causal)
      at.block = now[index++];
    if (options.deterministic)
      at.count = now[index++];
    step(state, at, number, valueFragments, sums);
    llvm::SmallVector<Value> next = sums.keys;
    next.append(sums.values);
    carry(work.next(tile, at), next);
    return next;
  };
  return split(e.loop(first, e.add(first, tile.steps), carried, body));
}

void Consumer::run(const Order &order) {
  Value zero = e.constant(0);
  e.loop(zero, order.rounds(), {zero},
         [&](Value round, ValueRange carried) -> llvm::SmallVector<Value> {
           Value use = carried[0];
           TileState state = begin(work.decode(order, round), round);
           store(state, overSteps(state, use));
           return {e.add(use, state.tile.steps)};
         });
  e.ifThen(isFirstLane, [&] { waitStores(e, 0, /*readOnly=*/false); });
}

void poly::kernels::attention_backward::consume(
    Emitter &e, const AttentionBackwardOptions &options,
    const Arguments &arguments, const Memory &memory, const Order &order,
    const ThreadPosition &position) {
  Consumer(e, options, arguments, memory, position).run(order);
}
