//===- PtxBlock.h - Runs kernels whose threads work together ----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs a launch of thread blocks or clusters of Hopper: shared memory,
/// barriers, bulk and tensor copies, warpgroup matrix products.
///
/// Warps take turns in a fixed order, or with a seed in a random one. What
/// other units do happens as late as the program allows: a copy's bytes arrive
/// when no warp can go on without them, and are undefined from its issue until
/// then; a product reads its operands and writes its accumulators when the
/// program waits for it. So a missing wait, an early release of a buffer and a
/// missing fence.proxy.async are errors, as are a deadlock and every use of an
/// undefined value. Matrix products are summed in double and rounded to f32
/// once an instruction; the hardware's order and width of sums is its own.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_PTXBLOCK_H
#define POLY_TEST_LIB_PTXBLOCK_H

#include "PtxEmulator.h"

namespace polytest {

/// What cuTensorMapEncodeTiled is told.
struct PtxTensorMap {
  uint64_t address = 0;
  unsigned elementBytes = 2;
  std::vector<uint64_t> sizes;   ///< From the innermost dimension outwards.
  std::vector<uint64_t> strides; ///< In bytes, one fewer than sizes.
  std::vector<unsigned> box;
  unsigned swizzleBytes = 0;
};

class PtxTensorMaps {
public:
  /// The 128 bytes that stand for the map as a kernel's parameter.
  std::array<uint8_t, 128> add(PtxTensorMap map);
  const PtxTensorMap *find(uint64_t handle) const;

private:
  std::vector<PtxTensorMap> maps;
};

struct PtxLaunch {
  PtxDim3 grid, block;
  uint64_t dynamicShared = 0;
  uint32_t seed = 0; ///< 0: warps, and blocks together, in order.
  /// All blocks run at the same time and may wait for one another in global
  /// memory, by loads with .acquire. Otherwise each ends before the next.
  bool together = false;
};

bool ptxLaunchBlocks(const PtxKernel &kernel, const PtxLaunch &launch,
                     const PtxArguments &arguments, const PtxTensorMaps &maps,
                     PtxMemory &memory, std::string &error);

} // namespace polytest

#endif // POLY_TEST_LIB_PTXBLOCK_H
