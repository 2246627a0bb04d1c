//===- GemmBuilder.h - Parts of the gated GEMM builder ---------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The builder of gated GEMMs: the frame, whole tiles and the epilogues are in
/// SwigluGemm.cpp, tiles that several blocks share in SplitTiles.cpp. Private
/// to this folder.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_SWIGLUGEMM_GEMMBUILDER_H
#define POLY_KERNELS_SWIGLUGEMM_GEMMBUILDER_H

#include "Activation.h"
#include "Experts.h"
#include "SwigluGemm.h"

#include "hopper/Barrier.h"
#include "hopper/Cluster.h"
#include "hopper/TileOrder.h"
#include "hopper/Wgmma.h"

#include <algorithm>

namespace poly::kernels::swiglu_gemm {

using namespace hopper;
using mlir::DictionaryAttr;
using mlir::FloatType;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::OwningOpRef;
using mlir::UnknownLoc;

constexpr int64_t kConsumers = 2;
constexpr int64_t kRowsPerConsumer = 64;
constexpr int64_t kTileRows = kConsumers * kRowsPerConsumer;
/// One slab of 128 bytes, four instructions.
constexpr int64_t kTileDepth = 64;
constexpr int64_t kStepsPerTile = 4;
constexpr int64_t kThreads = (kConsumers + 1) * kWarpgroupThreads;
constexpr int64_t kProducerRegisters = 24;
constexpr int64_t kConsumerRegisters = 240;
constexpr int64_t kMostStages = 6;
/// Rows that one warp stores.
constexpr int64_t kWarpRows = 16;
/// Columns of a chunk of the epilogue: what one stmatrix stores.
constexpr int64_t kChunkColumns = 16;
/// A thread has four values of as many columns.
constexpr int64_t kGroupColumns = 8;
/// Tiles of one column of tiles (pairs, in clusters) that follow one another,
/// so that what runs at a time shares operands in L2.
constexpr int64_t kRasterRows = 8;
/// The operands of a tensor map are multiples of 16 bytes.
constexpr int64_t kMultiple = 8;
/// What a deferred epilogue carries before the values of its tile.
constexpr size_t kCarriedOfTile = 5;

struct Arguments {
  Value inputMap, weightMap, outputMap;
  Value outputRowMap, offsets; ///< With experts.
  /// With split tiles: a map of Y with groups of columns, the blocks' partial
  /// sums, and how many blocks have theirs ready, for each tile.
  Value outputGroupMap, partialSums, arrivals;
  Value rows, columns, depth;
  Value beta;
};

/// Where a tile of the output begins. With experts, whose weights it takes, and
/// the end of that expert's rows.
struct Tile {
  Value row, column;
  Value expert, endRow;
};

/// What blocks do of the tiles that are left when all had as many whole ones:
/// tile number first + i is the work of the blocks i, i + tiles, ..., each of
/// which takes a part of the depth.
struct SplitTiles {
  Value isSplit; ///< Whether it is done; otherwise they stay whole.
  Value first, tiles, parts;
  Value isPart;              ///< Whether this block has a part; then
  Value tile, part;          ///< of which (from 0), and the how manieth,
  Value firstStep, numSteps; ///< and which steps of its depth.
};

inline Value ceilDivide(Emitter &e, Value a, int64_t b) {
  return e.divide(e.add(a, b - 1), b);
}

class GemmBuilder {
public:
  GemmBuilder(MLIRContext &context, const SwigluGemmOptions &options)
      : options(options), e(UnknownLoc::get(&context), &context),
        columns(options.tileColumns), isSwizzled(columns % 64 == 0),
        halves(options.tallTiles ? 2 : 1),
        input{0, halves * kTileRows, kTileDepth},
        weight{input.bytes(), 2 * columns, kTileDepth},
        stageBytes(input.bytes() + weight.bytes()),
        stages(std::min(kMostStages,
                        (SharedMemory::kLimit - SharedMemory::kBarrierBytes -
                         8 * (options.experts + 1) - outputBytes() -
                         groupBytes()) /
                            stageBytes)),
        firstStage(
            memory.reserve(stages * stageBytes, SharedMemory::kTileAlignment)),
        output(memory.reserve(outputBytes(), SharedMemory::kTileAlignment)),
        group{memory.reserve(groupBytes(), kGroupColumns * 2), kTileRows,
              kGroupColumns},
        pipeline(memory, firstStage, stageBytes, stages,
                 kConsumers * kWarpsPerGroup * options.clusterSize) {
    if (options.experts)
      experts.emplace(memory, options.experts);
  }

  OwningOpRef<ModuleOp> build();

private:
  mlir::gpu::GPUFuncOp declare(mlir::gpu::GPUModuleOp module);
  DictionaryAttr describe();
  void initBarriers(const ThreadPosition &position);

  /// Tiles along the rows that one block or cluster takes as one.
  Value rowUnits();
  Value columnTiles();
  Value depthTiles();
  Tile decode(Value number);
  void loadStage(const Tile &tile, int64_t parts, Value number, Value depth);
  void produce(const TileOrder &order);
  void consume(const TileOrder &order, const ThreadPosition &position);
  /// The rounds of \p order, or of tall tiles its whole ones and those of the
  /// halves of the others: \p body with the tile, the number of halves and what
  /// is carried.
  using TileBody =
      llvm::function_ref<llvm::SmallVector<Value>(Tile, int64_t, ValueRange)>;
  llvm::SmallVector<Value> forEachTile(const TileOrder &order, ValueRange start,
                                       TileBody body);

  /// What the parts of consume() need of the thread.
  struct Consumer {
    Value lane, isFirstLane, slabRow;
    TileDescriptor input, weight;
    const GateArithmetic &arithmetic;
  };
  using Values = llvm::SmallVector<Value>;
  Values step(const Consumer &c, Value use, ValueRange sum);
  void release(const Consumer &c, Value use);
  using Consumers = llvm::ArrayRef<Consumer>;
  Values steps(Consumers parts, Value use, ValueRange sums);
  Values remainingSteps(Consumers parts, Value use, Value first, Value end,
                        Values sums);
  Values plainTile(Consumers parts, const Tile &tile, ValueRange carried);
  Values deferredTile(const Consumer &c, const Tile &tile, ValueRange carried);

  /// The tiles that blocks share.
  SplitTiles splitTiles(const TileOrder &order);
  Value partSteps(const SplitTiles &split);
  void producePart(const SplitTiles &split);
  void consumePart(const Consumer &c, const SplitTiles &split);
  void sumParts(const Consumer &c, const SplitTiles &split);
  Value arrivalsOf(const SplitTiles &split);
  Value partialSum(Value block, Value thread, Value index);
  Values sumsOfParts(const SplitTiles &split, Value thread, Value group);
  void storeGroup(const Consumer &c, const Tile &tile, Value column,
                  ValueRange gate, ValueRange up);

  void beginStore(const Consumer &c);
  void storeChunk(const Consumer &c, int64_t chunk, Value gate, Value up);
  void endStore(const Consumer &c, const Tile &tile, Value condition);
  void storeRows(Value map, const Tile &tile, Value tileRow, Value row);
  /// The chunk's gate and up, from accumulators or from pairs of rounded values
  /// that lie \p perColumn to a column of eight.
  ValueRange chunkOf(ValueRange values, int64_t chunk, int64_t perGroup);
  Value fromAccumulators(ValueRange values);
  Value fromPairs(ValueRange pairs);
  Values toPairs(Value rounded);

  int64_t groups() const { return columns / kGroupColumns; }
  /// Of the partial sums of a block.
  int64_t partialBytes() const { return kTileRows * 2 * columns * 4; }
  int64_t groupBytes() const {
    return options.splitTiles ? kTileRows * kGroupColumns * 2 : 0;
  }
  int64_t chunks() const {
    return (columns + kChunkColumns - 1) / kChunkColumns;
  }
  int64_t outputBytes() const { return halves * kTileRows * columns * 2; }
  FloatType element() { return elementType(e.getContext(), options.type); }
  OperandType operandType() const {
    return options.type == GemmType::BF16 ? OperandType::BF16
                                          : OperandType::F16;
  }
  Product product() const {
    return {operandType(), 2 * columns, kStepsPerTile};
  }

  const SwigluGemmOptions &options;
  Emitter e;
  int64_t columns;
  /// The tile of the output has whole slabs of 64 columns.
  bool isSwizzled;
  int64_t halves; ///< Of a tile: two of a tall one.
  SharedMemory memory;
  SwizzledTile input, weight; ///< In the first stage.
  int64_t stageBytes, stages, firstStage, output;
  PlainTile group; ///< Of the output of a split tile.
  Pipeline pipeline;
  std::optional<Cluster> cluster;
  std::optional<ExpertTable> experts;
  Arguments arguments;
  llvm::SmallVector<llvm::StringRef> names;
};

} // namespace poly::kernels::swiglu_gemm

#endif // POLY_KERNELS_SWIGLUGEMM_GEMMBUILDER_H
