//===- Cluster.h - Blocks that share their memory -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The blocks of a cluster run at the same time, on one group of
/// multiprocessors, and reach one another's shared memory. An operand that all
/// of them need is copied once, each block copying a part of it to all
/// (TensorMap.h); a stage is then empty only when the consumers of all blocks
/// have arrived at its barrier in each of them.
///
/// The arrival names no scope: `mbarrier.arrive.release.cluster` makes ptxas
/// put a fence of the whole GPU into the loop. Nothing but reads of shared
/// memory by wgmma, which has been waited for, has to be ordered before it.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_CLUSTER_H
#define POLY_KERNELS_HOPPER_CLUSTER_H

#include "SharedMemory.h"

namespace poly::kernels::hopper {

/// Says that \p function runs in clusters of \p size blocks along x.
void declareCluster(Emitter &e, mlir::gpu::GPUFuncOp function, int64_t size);
/// All threads of all blocks of the cluster meet. \p converged: every warp
/// comes as a whole.
void syncCluster(Emitter &e, bool converged);

/// What a thread needs to know of its cluster.
class Cluster {
public:
  Cluster(Emitter &e, int64_t size);

  int64_t size() const { return blocks; }
  /// This block's number in the cluster, i32.
  Value rank() const { return number; }
  /// A mask of all blocks, for loadBoxMulticast().
  int64_t all() const { return (int64_t(1) << blocks) - 1; }

  /// Takes bearings for arrive(); \p memory must be materialized.
  void prepareArrivals(Emitter &e, const SharedMemory &memory, Value lane);
  /// Once for each warp: arrives at the barrier at \p address (i32, of this
  /// block) in every block.
  void arrive(Emitter &e, Value address) const;

private:
  int64_t blocks;
  Value number;
  Value isSender; ///< Lane b < blocks arrives in block b.
  Value distance; ///< From an address here to the same one in that block.
};

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_CLUSTER_H
