//===- Frame.h - What the kernels of the backward pass share ---*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Queries come in blocks of 64. The workspaces have one entry for each query
/// of all blocks, so a head's part begins with a block; the f32 sums of dQ are
/// in the order in which the main kernel's threads hold them.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTIONBACKWARD_FRAME_H
#define POLY_KERNELS_ATTENTIONBACKWARD_FRAME_H

#include "AttentionBackward.h"

#include "hopper/Emitter.h"

namespace poly::kernels {

using hopper::Emitter;
using mlir::Value;
using mlir::ValueRange;

/// Queries of one step of the main kernel, and keys of a block's tile.
constexpr int64_t kQueryBlock = 64;
constexpr int64_t kKeyBlock = 128;
constexpr int64_t kConsumers = 2;
constexpr int64_t kConsumerWarps = 4 * kConsumers;

AttentionOptions forwardOptions(const AttentionBackwardOptions &options);

/// Blocks of queries of one head.
Value queryBlocks(Emitter &e, Value queryLength);

/// The sums of dQ of one head and one block of queries: for each of the main
/// kernel's eight consumer warps, four accumulators of each lane together, then
/// the next four. Four accumulators are two neighbouring queries at dimension
/// d, then the same at d + 8.
struct QuerySums {
  explicit QuerySums(int64_t dim) : dim(dim) {}

  int64_t bytes() const { return kQueryBlock * dim * 4; }
  int64_t warpBytes() const { return bytes() / kConsumerWarps; }
  static constexpr int64_t kGroupBytes = 32 * 16; ///< Four of every lane.
  int64_t groups() const { return warpBytes() / kGroupBytes; }

  /// dQ is computed transposed, 64 dimensions at a time. A head of 128 gives
  /// each consumer half of its dimensions, one of 64 half of the queries.
  bool splitsQueries() const { return dim == 64; }
  int64_t queriesPerConsumer() const {
    return splitsQueries() ? kQueryBlock / kConsumers : kQueryBlock;
  }
  /// What lane 0 of \p warp (of the consumers') has first.
  Value firstQuery(Emitter &e, Value warp) const;
  Value firstDimension(Emitter &e, Value warp) const;

  int64_t dim;
};

/// The parameters and the description of one kernel.
class KernelFrame {
public:
  KernelFrame(Emitter &e, const AttentionBackwardOptions &options,
              llvm::StringRef stage)
      : e(e), options(options), stage(stage) {}

  /// Adds a parameter; \p slot gets its value when the kernel is declared.
  void parameter(llvm::StringRef name, mlir::Type type, Value &slot);
  void pointer(llvm::StringRef name, Value &slot);
  void tensorMap(mlir::DictionaryAttr description, Value &slot);
  void note(llvm::StringRef key, mlir::Attribute value) {
    notes.push_back(e.getNamedAttr(key, value));
  }
  void note(llvm::StringRef key, llvm::StringRef value) {
    note(key, e.getStringAttr(value));
  }
  void note(llvm::StringRef key, int64_t value) {
    note(key, e.getI64IntegerAttr(value));
  }
  int64_t parameters() const { return int64_t(types.size()); }

  /// Declares the kernel where the builder stands, and puts it inside, before
  /// the return.
  mlir::gpu::GPUFuncOp declare(llvm::StringRef name, int64_t threads,
                               int64_t sharedBytes);

private:
  Emitter &e;
  const AttentionBackwardOptions &options;
  llvm::StringRef stage;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<Value *> slots;
  llvm::SmallVector<mlir::Attribute> maps;
  llvm::SmallVector<unsigned> mapIndices;
  llvm::SmallVector<mlir::NamedAttribute> notes;
};

mlir::Type elementType(Emitter &e, const AttentionBackwardOptions &options);

/// The three kernels, each added to \p module, where the builder stands.
void buildPrepare(Emitter &e, mlir::gpu::GPUModuleOp module,
                  const AttentionBackwardOptions &options);
void buildMain(Emitter &e, mlir::gpu::GPUModuleOp module,
               const AttentionBackwardOptions &options);
void buildFinish(Emitter &e, mlir::gpu::GPUModuleOp module,
                 const AttentionBackwardOptions &options);

} // namespace poly::kernels

#endif // POLY_KERNELS_ATTENTIONBACKWARD_FRAME_H
