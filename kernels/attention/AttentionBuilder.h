//===- AttentionBuilder.h - Parts of the attention builder -----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The builder of attention kernels: the frame and the producer are in
/// Attention.cpp, the consumers in Consumers.cpp. Private to this folder.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTION_ATTENTIONBUILDER_H
#define POLY_KERNELS_ATTENTION_ATTENTIONBUILDER_H

#include "Attention.h"
#include "Score.h"

#include "hopper/Barrier.h"
#include "hopper/TileOrder.h"
#include "hopper/Warps.h"
#include "hopper/Wgmma.h"

#include <algorithm>

namespace poly::kernels::attention {

using namespace hopper;
using mlir::DictionaryAttr;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::OwningOpRef;
using mlir::Type;

constexpr int64_t kConsumers = 2;
constexpr int64_t kRowsPerConsumer = 64;
constexpr int64_t kThreads = (kConsumers + 1) * kWarpgroupThreads;
constexpr int64_t kProducerRegisters = 24;
constexpr int64_t kConsumerRegisters = 240;
constexpr int64_t kStages = 2;
/// Columns of the product that sums: the fewest that wgmma has.
constexpr int64_t kSumColumns = 8;
/// Columns of the slab of 16-bit ones.
constexpr int64_t kOnesColumns = 64;
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
  Value queryDescale, keyDescale, valueDescale; ///< Of 8 bits, with strides.
  Value queryDescaleStride, keyDescaleStride, valueDescaleStride;
  Value weightScale; ///< Of a sigmoid with 8 bits.
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
  /// Without a running sum: accumulators of the product that was started last,
  /// and by how much the earlier output is to be scaled before it is added.
  llvm::SmallVector<Value> partial, partialSums;
  Value correction[kRows];
};

/// What is stored of a tile: this thread's pairs of columns, and what its rows'
/// exponentials sum to, if that is asked for.
struct Output {
  llvm::SmallVector<Value> packed;
  Value logSumExp[kRows];
};

class AttentionBuilder {
public:
  AttentionBuilder(MLIRContext &context, const AttentionOptions &options)
      : options(options), e(mlir::UnknownLoc::get(&context), &context),
        dim(options.headDim), splits(options.splitsColumns()),
        ownColumns(options.ownColumns()),
        queryRows(splits ? kRowsPerConsumer : kConsumers * kRowsPerConsumer),
        keyRows(options.tileKeys()),
        fresh(options.is8Bit() && !options.runningSum),
        sumsBehind(canSumBehind() ? kSumColumns : 0),
        overlaps(options.overlapsTiles() && sumsBehind == sumColumns() &&
                 fits(operandBytes(2, sumsBehind))),
        query(memory.reserveTile(queryShape())),
        queryRest(reserveStages(query, queryStages())),
        key(memory.reserveTile(keyShape())),
        keyRest(reserveStages(key, kStages)),
        value(memory.reserveTile(valueShape(sumsBehind))),
        valueRest(reserveStages(value, kStages)),
        ones(options.matrixSum && !sumsBehind
                 ? memory.reserveTile(kSumColumns, kOnesColumns)
                 : SwizzledTile()),
        ownOutput(fits(outputBytes())),
        output(ownOutput ? memory.reserveTile(queryRows, dim) : query),
        queries(memory, query.offset, query.bytes(), queryStages(),
                kConsumers * kWarpsPerGroup),
        keys(memory, key.offset, key.bytes(), kStages,
             kConsumers * kWarpsPerGroup),
        values(memory, value.offset, value.bytes(), kStages,
               kConsumers * kWarpsPerGroup,
               dim * keyRows * options.elementBytes()) {}

  OwningOpRef<ModuleOp> build();

private:
  int64_t outputBytes() const { return queryRows * dim * 2; }
  /// Whether there is room for \p bytes more.
  bool fits(int64_t bytes) const {
    return memory.size() + bytes + SharedMemory::kBarrierBytes <=
           SharedMemory::kLimit;
  }
  /// A slab is 128 bytes wide. What the tensor does not have of it is filled
  /// with zeros, and no instruction reads it.
  SwizzledTile operandShape(int64_t rows) const {
    int64_t bytes = options.elementBytes();
    return {0, rows, std::max(dim, SwizzledTile::kRowBytes / bytes), bytes};
  }
  SwizzledTile queryShape() const { return operandShape(queryRows); }
  SwizzledTile keyShape() const { return operandShape(keyRows); }
  /// With \p sums columns of ones.
  SwizzledTile valueShape(int64_t sums) const {
    if (!options.is8Bit()) // They take a slab.
      return {0, keyRows, dim + (sums ? kOnesColumns : 0)};
    return {0, dim / ownColumns * (ownColumns + sums), keyRows, 1};
  }
  int64_t operandBytes(int64_t tilesOfQueries, int64_t sums) const {
    return tilesOfQueries * queryShape().bytes() +
           kStages * (keyShape().bytes() + valueShape(sums).bytes());
  }
  int64_t sumColumns() const { return options.matrixSum ? kSumColumns : 0; }
  /// Running sums of 8 bits are not of the product's kind.
  bool canSumBehind() const {
    if (!options.matrixSum || options.is8Bit())
      return options.matrixSum && fresh;
    return dim + kSumColumns <= Product::kMostColumns &&
           fits(operandBytes(1, kSumColumns));
  }
  int64_t queryStages() const { return overlaps ? 2 : 1; }
  int64_t reserveStages(const SwizzledTile &first, int64_t stages) {
    return memory.reserve((stages - 1) * first.bytes(),
                          SharedMemory::kTileAlignment);
  }

  mlir::gpu::GPUFuncOp declare(mlir::gpu::GPUModuleOp module);
  DictionaryAttr describe();
  void initBarriers(const ThreadPosition &position);

  Tile decode(const TileOrder &order, Value round);
  void setHeads(Tile &tile);
  void produce(const TileOrder &order);
  void loadTile(const Pipeline &pipeline, Value number, Value map,
                const SwizzledTile &tile, Value keyTile, const Tile &work);
  void consume(const TileOrder &order, const ThreadPosition &position);

  /// Where a thread stands in the tile.
  struct Place {
    Value lane, group;
    Value slabRow;   ///< Of the warp.
    Value row;       ///< The first one.
    Value outputRow; ///< Where the warp's rows begin in the output's slabs.
    Value column;    ///< The first one.
  };
  /// The parts of consume(); what they need of the thread and the tile.
  struct Consumer {
    Value isFirstLane;
    TileDescriptor query, key, value, ones;
    Value turn, otherTurn;
    std::optional<Place> place;
    std::optional<ScoreArithmetic> score;
    Pipeline::Use queryUse;
  };
  Place makePlace(Value lane, Value warp, Value group);
  void setElement(Place &place);
  Place placeOf(const Consumer &c);
  Consumer makeConsumer(const ThreadPosition &position);
  Consumer atTile(const Consumer &c, const Tile &tile, Value round);
  void consumeOneByOne(const Consumer &c, const TileOrder &order);
  void consumeOverlapping(const Consumer &c, const TileOrder &order);

  /// Which columns of a tile of keys count.
  struct Mask {
    const Tile &tile;
    Value passed; ///< Tiles of keys before it; null in the first.
    Value lastColumns[kRows];
  };
  Value afterMaxima(const Consumer &c, const SoftmaxState &state);
  TileWeights weigh(const Consumer &c, Value number, Progress *before,
                    const SoftmaxState &state, bool isFirst, Mask *mask,
                    llvm::function_ref<void()> meanwhile = nullptr);
  Progress start(const Consumer &c, const TileWeights &weights,
                 const Value columns[kRows]);
  Progress firstTile(const Consumer &c, const Tile &tile, Value use);
  /// What is left to do of the tile before.
  struct Before {
    Value exists;
    llvm::function_ref<void()> store, release;
  };
  Progress nextTile(const Consumer &c, const Tile &tile, Value use,
                    Progress &before);
  Progress otherTiles(const Consumer &c, const Tile &tile, Value use,
                      Progress progress, const Before *before = nullptr);
  Progress overTiles(const Consumer &c, const Tile &tile, Value use, Value low,
                     Value high, bool masked, Progress progress,
                     llvm::function_ref<void()> meanwhile = nullptr);
  void lastProduct(const Consumer &c, const Tile &tile, Value use,
                   Progress &progress);
  void releaseStored(const Consumer &c, const Pipeline::Use &queryUse);
  Output finish(const Consumer &c, const Tile &tile, Progress progress);
  void store(const Consumer &c, const Tile &tile, const Output &output);
  void storeLogSumExp(const Place &place, const Tile &tile,
                      llvm::ArrayRef<Value> logSumExp);

  /// Starts O += P V, and the sums of P; returns how many batches that is.
  unsigned startValueProduct(const Consumer &c, const TileDescriptor &tile,
                             Progress &progress);
  void waitValueProduct(Progress &progress);
  void writeOnes(const ThreadPosition &position);

  void findLastColumns(const Consumer &c, Mask &mask);
  void splitRows(ValueRange scores, Value rows[kRows]);
  llvm::SmallVector<Value> pack(const Consumer &c, const Value rows[kRows],
                                const Value *lastColumn);
  Value packPair(Value low, Value high);

  /// The rows of V^T of one consumer, and the ones behind them.
  int64_t valuePartBytes() const {
    return (ownColumns + sumsBehind) * SwizzledTile::kRowBytes;
  }

  Type weightType() {
    return options.is8Bit() ? Type(e.getType<mlir::Float8E4M3FNType>())
                            : outputType();
  }
  Type outputType() {
    bool isF16 = options.is8Bit() ? options.f16Output
                                  : options.type == AttentionType::F16;
    return isF16 ? Type(e.getF16Type()) : Type(e.getBF16Type());
  }
  static OperandType typeOf(AttentionType type) {
    switch (type) {
    case AttentionType::BF16:
      return OperandType::BF16;
    case AttentionType::F16:
      return OperandType::F16;
    case AttentionType::E4M3:
      return OperandType::E4M3;
    case AttentionType::E5M2:
      return OperandType::E5M2;
    }
    llvm_unreachable("unknown type");
  }
  OperandType operandType() const { return typeOf(options.type); }
  OperandType keyValueType() const {
    return typeOf(options.keyValueType.value_or(options.type));
  }
  /// Instructions take 32 bytes.
  int64_t steps(int64_t elements) const {
    return elements * options.elementBytes() / 32;
  }
  Product scoreProduct() const {
    return {operandType(), keyRows, steps(dim), keyValueType()};
  }
  /// Of two bits of fraction weights would lose more than values do.
  Product valueProduct(int64_t productColumns) const {
    return {options.is8Bit() ? OperandType::E4M3 : operandType(),
            productColumns, steps(keyRows), keyValueType()};
  }
  Value descale(Value array, Value index, Value stride);
  Value keyHeadRow(const Tile &tile);
  Value scoreScale(const Tile &tile);

  const AttentionOptions &options;
  Emitter e;
  int64_t dim;
  bool splits;        ///< Consumers share rows and take columns of their own.
  int64_t ownColumns; ///< Of the output, that a consumer computes.
  int64_t queryRows, keyRows;
  bool fresh; ///< Accumulators of its own for every tile.
  SharedMemory memory;
  /// How many columns of ones (with 8 bits, rows) lie behind those of V, so
  /// that the sums of weights are more columns of the same product: one of
  /// their own would read all weights once more, and takes longer than what it
  /// computes.
  int64_t sumsBehind;
  bool overlaps; ///< Work on a tile begins before that on the one before ends.
  SwizzledTile query;
  int64_t queryRest;
  SwizzledTile key;
  int64_t keyRest;
  SwizzledTile value;
  int64_t valueRest;
  SwizzledTile ones; ///< Of matrixSum, where they do not lie behind V.
  /// The output has shared memory of its own, if there is room; otherwise it
  /// takes that of Q.
  bool ownOutput;
  SwizzledTile output;
  Pipeline queries, keys, values;
  Arguments arguments;
  llvm::SmallVector<llvm::StringRef> names;
};

} // namespace poly::kernels::attention

#endif // POLY_KERNELS_ATTENTION_ATTENTIONBUILDER_H
