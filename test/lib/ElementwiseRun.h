//===- ElementwiseRun.h - Runs array kernels in the emulator ---*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_ELEMENTWISERUN_H
#define POLY_TEST_LIB_ELEMENTWISERUN_H

#include "PtxEmulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace polytest {

/// How a kernel is to be launched on one dense input and one dense output
/// array. Its parameters are either two pointers or, as MLIR passes a
/// memref<?xT>, two groups of five 64-bit values; a further 64-bit parameter is
/// the number of elements.
struct ElementwiseLaunch {
  unsigned perThread = 8;
  unsigned inBytes = 2, outBytes = 2; ///< Of one element.
  size_t alignment = 16;              ///< Of both arrays, and no more.
};

/// Runs \p kernel on \p in (one element a word, in the low bytes). Without a
/// count parameter the number of elements must be a multiple of perThread. The
/// input is followed by unmapped memory, the output by a canary: touching
/// either is an error, as is an element that was never stored.
bool runElementwise(const PtxKernel &kernel, const ElementwiseLaunch &launch,
                    const std::vector<uint32_t> &in, std::vector<uint32_t> &out,
                    std::string &error);

} // namespace polytest

#endif // POLY_TEST_LIB_ELEMENTWISERUN_H
