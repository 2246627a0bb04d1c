//===- Main.h - The main kernel of the backward pass -----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A block owns 128 keys of one key head, half of them in each of two consumer
/// warpgroups, and goes over all blocks of 64 queries of all heads that share
/// the key head. So dK and dV stay in registers, in a fixed order, and a group
/// of query heads needs no sums between blocks. Scores are computed transposed,
/// keys by queries: then the weights and the gradients of the scores are born
/// as the A operands of the products that make dV and dK. Only the third use of
/// the latter, dQ, needs them in shared memory.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTIONBACKWARD_MAIN_H
#define POLY_KERNELS_ATTENTIONBACKWARD_MAIN_H

#include "Frame.h"

#include "hopper/Assistant.h"
#include "hopper/Barrier.h"
#include "hopper/TileOrder.h"
#include "hopper/Wgmma.h"

namespace poly::kernels::attention_backward {

using namespace hopper;

/// The kernel's arguments.
struct Arguments {
  Value queryMap, outputGradientMap, keyMap, valueMap;
  Value keyGradientMap, valueGradientMap;
  Value offsetMap, deltaMap; ///< Of the queries; not for sigmoids.
  Value querySums;
  Value turns; ///< Of the blocks of queries; only where they are kept.
  Value queryLength, keyLength, batches, heads, headsPerKeyHead, causalShift;
  Value scale, parameter;
};

/// What a block does in one round.
struct Tile {
  Value firstKey, keyHead, batch;
  Value firstBlock; ///< The first block of queries that sees a key.
  Value blocks;     ///< Of queries, of one head.
  Value steps;      ///< Blocks from the first one on, of all heads.
};

/// Block \p block of the queries of \p head.
struct Step {
  Value block, head;
};

/// Shared memory and what arrives in it.
struct Memory {
  explicit Memory(const AttentionBackwardOptions &options);

  static constexpr int64_t kStages = 2;
  /// An f32 for each query of a block.
  static constexpr int64_t kRowValueBytes = kQueryBlock * 4;
  /// Of what a tensor copy without a swizzle writes.
  static constexpr int64_t kRowValueAlignment = 128;

  SharedMemory memory;
  SwizzledTile key, value;
  SwizzledTile query, outputGradient; ///< The first stages.
  SwizzledTile scoreGradient;         ///< [query][key], the first of two.
  int64_t offsets = 0, deltas = 0;
  Barrier keyFull, valueFull, tileEmpty;
  Pipeline queries, outputGradients;
  /// A step may add to the sums of dQ, and has.
  std::optional<Barrier> turnCame, turnTaken;

private:
  SwizzledTile reserveStages(int64_t rows, int64_t columns);
};

/// Which tiles a block does.
class Order {
public:
  /// There and back, for tiles that shrink; or, for tiles that wait for one
  /// another, always in the same direction: the last block of a round, which
  /// has waited for all others, would begin the next one.
  Order(Emitter &e, Value tiles, bool alternates);
  Value rounds() const { return numRounds; }
  Value tile(Emitter &e, Value round) const;

private:
  std::optional<TileOrder> alternating;
  Value blocks, block, numRounds;
};

/// What both roles know.
class Work {
public:
  Work(Emitter &e, const AttentionBackwardOptions &options,
       const Arguments &arguments);

  Tile decode(const Order &order, Value round) const;
  Value tiles() const;
  Step first(const Tile &tile) const;
  Step next(const Tile &tile, const Step &step) const;
  /// Where steps go next after one at block \p block (null where no mask needs
  /// it) and \p workspace. Steps may also need to be counted, from firstCount()
  /// on; a null count means that they do not.
  struct Position {
    Value workspace, block, count;
  };
  Position firstPosition(const Tile &tile) const;
  Position next(const Tile &tile, const Position &position) const;
  /// The number of a step's block of queries in the workspaces.
  Value workspaceBlock(const Tile &tile, const Step &step) const;

private:
  Value keyTiles() const;
  Value keyRows() const; ///< Key heads of all batches.

  Emitter &e;
  const AttentionBackwardOptions &options;
  const Arguments &arguments;
};

/// The thread that copies.
void produce(Emitter &e, const AttentionBackwardOptions &options,
             const Arguments &arguments, const Memory &memory,
             const Order &order);
/// The thread that keeps the turns.
void keepTurns(Emitter &e, const AttentionBackwardOptions &options,
               const Arguments &arguments, const Memory &memory,
               const Order &order);
/// The threads that compute.
void consume(Emitter &e, const AttentionBackwardOptions &options,
             const Arguments &arguments, const Memory &memory,
             const Order &order, const ThreadPosition &position);

} // namespace poly::kernels::attention_backward

#endif // POLY_KERNELS_ATTENTIONBACKWARD_MAIN_H
