//===- Epilogue.h - From accumulators to global memory ---------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A warp of a consumer owns 16 rows of the 64 x N accumulator. It writes them,
/// as 16-bit values, swizzled to its rows of the output tile with stmatrix,
/// makes the writes visible to the copy engine (fence.proxy.async, in each
/// writing thread), and one lane stores the rows with one copy a slab. Warps do
/// not wait for one another.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_EPILOGUE_H
#define POLY_KERNELS_HOPPER_EPILOGUE_H

#include "SharedMemory.h"

namespace poly::kernels::hopper {

/// Writes \p packed, one i32 (two columns) for each pair of accumulators in
/// their order, to the rows from \p firstRow (i32) on of \p tile, from column
/// \p firstColumn (a multiple of 16) on.
void storeFragment(Emitter &e, const SharedMemory &memory,
                   const SwizzledTile &tile, Value firstRow, Value lane,
                   ValueRange packed, int64_t firstColumn = 0);
void storeFragment(Emitter &e, const SharedMemory &memory,
                   const PlainTile &tile, Value firstRow, Value lane,
                   ValueRange packed, int64_t firstColumn = 0);
/// Makes this thread's writes to shared memory visible to the copy engine.
void fenceSharedWrites(Emitter &e);

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_EPILOGUE_H
