//===- Warps.h - Roles of warps in a specialised kernel --------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The frame of a warp-specialised kernel: warpgroup 0 copies, the others
/// compute. setmaxnreg moves registers from the producer to the consumers. It
/// works only in a kernel that states its block size and whose roles are the
/// two sides of one branch (ptxas warning C7508 otherwise).
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_WARPS_H
#define POLY_KERNELS_HOPPER_WARPS_H

#include "Emitter.h"

namespace poly::kernels::hopper {

constexpr int64_t kWarpgroupThreads = 128;
constexpr int64_t kWarpsPerGroup = 4;

/// Where a thread stands, all i32.
struct ThreadPosition {
  explicit ThreadPosition(Emitter &e);
  Value thread;
  Value lane;
  Value warp;      ///< The same value in all lanes.
  Value warpgroup; ///< Likewise.
};

/// The number of the thread, read from its special register where this stands,
/// so that what follows from it takes no registers before.
Value readThread(Emitter &e);

/// setmaxnreg to \p registers a thread.
void keepRegisters(Emitter &e, int64_t registers);
void takeRegisters(Emitter &e, int64_t registers);

/// Splits the block: \p produce runs in one thread of warpgroup 0, \p consume
/// in all threads of the others.
void specialise(Emitter &e, const ThreadPosition &position,
                int64_t producerRegisters, int64_t consumerRegisters,
                llvm::function_ref<void()> produce,
                llvm::function_ref<void()> consume);

/// Named barrier \p id: waits for, or only counts, \p threads threads. A
/// run-time id makes ptxas reserve all sixteen barriers.
void syncNamed(Emitter &e, Value id, int64_t threads);
void arriveNamed(Emitter &e, Value id, int64_t threads);
void syncBlock(Emitter &e);
void syncWarp(Emitter &e);

/// The value of the lane that is \p distance below, the own one if there is
/// none.
Value shuffleUp(Emitter &e, Value value, int64_t distance);
/// The value of lane \p lane.
Value shuffleFrom(Emitter &e, Value value, int64_t lane);
/// The value of the lane whose number differs by \p mask.
Value shuffleXor(Emitter &e, Value value, int64_t mask);

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_WARPS_H
