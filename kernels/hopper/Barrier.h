//===- Barrier.h - mbarriers and the pipeline of stages --------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An mbarrier counts arrivals and the bytes of copies; its phase flips when
/// both are complete. A pipeline has a full and an empty barrier per stage. The
/// producer waits until a stage is empty, announces the bytes and starts the
/// copies; the consumers wait until it is full and arrive at empty when their
/// last read of it has finished (one lane of each warp does).
///
/// Uses of a pipeline are numbered from zero over the life of the kernel; the
/// number gives stage and phase, so nothing else is carried.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_BARRIER_H
#define POLY_KERNELS_HOPPER_BARRIER_H

#include "SharedMemory.h"

#include <optional>

namespace poly::kernels::hopper {

/// One mbarrier in shared memory.
class Barrier {
public:
  Barrier(SharedMemory &memory, int64_t count = 1)
      : offset(memory.reserve(kBytes, kBytes)), arrivals(count) {}
  static constexpr int64_t kBytes = 8;

  Value address(Emitter &e, const SharedMemory &memory) const {
    return memory.at(e, offset);
  }
  void init(Emitter &e, const SharedMemory &memory) const;

private:
  int64_t offset;
  int64_t arrivals;
};

/// Waits until the phase with parity \p phase (i32) of the barrier is over.
void waitBarrier(Emitter &e, Value address, Value phase);
/// Arrives where \p predicate (i1) holds.
void arriveBarrier(Emitter &e, Value address, Value predicate);
/// Arrives and announces \p bytes of copies.
void expectBytes(Emitter &e, Value address, int64_t bytes);
/// Makes initialised barriers visible to the copy engine; a barrier of the
/// block must follow.
void fenceBarrierInit(Emitter &e);

/// A ring of stages, each \p stageBytes of shared memory from \p offset on.
class Pipeline {
public:
  /// \p consumers arrivals make a stage empty. Copies fill \p copiedBytes of a
  /// stage, or all of it where that is not given.
  Pipeline(SharedMemory &memory, int64_t offset, int64_t stageBytes,
           int64_t stages, int64_t consumers,
           std::optional<int64_t> copiedBytes = std::nullopt);

  void init(Emitter &e, const SharedMemory &memory) const;

  /// Use number \p use (i32) of the pipeline.
  struct Use {
    Value stage;
    Value phase;
    Value full;       ///< Address of its barrier.
    Value empty;      ///< Address of its barrier.
    Value byteOffset; ///< Of the stage from the first one, i32.
  };
  Use use(Emitter &e, const SharedMemory &memory, Value number) const;

  /// The producer's side: waits for the stage and announces the copies.
  /// \p besides: bytes copied elsewhere that the stage waits for as well.
  void acquire(Emitter &e, const Use &use, int64_t besides = 0) const;
  /// The consumer's side.
  void wait(Emitter &e, const Use &use) const {
    waitBarrier(e, use.full, use.phase);
  }
  void release(Emitter &e, const Use &use, Value predicate) const {
    arriveBarrier(e, use.empty, predicate);
  }

  int64_t offset() const { return start; }

private:
  int64_t start, stageBytes, copiedBytes, stages, consumers;
  int64_t fullOffset, emptyOffset;
};

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_BARRIER_H
