//===- Rows.h - Rows of strided arrays, 16 bytes a thread ------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The kernels around the main one stream rows of queries: a thread takes 16
/// bytes, the threads of a row follow one another.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTIONBACKWARD_ROWS_H
#define POLY_KERNELS_ATTENTIONBACKWARD_ROWS_H

#include "Frame.h"

#include "hopper/GlobalMemory.h"

namespace poly::kernels {

constexpr int64_t kRowThreads = 256;
constexpr int64_t kChunkElements = 8; ///< 16 bytes of two each.

/// An array [batch, head, query, headDim] whose dimensions but the last have
/// any strides (in elements, multiples of eight): four parameters.
struct StridedArray {
  /// Adds the parameters NAME, NAMEBatchStride, NAMEHeadStride, NAMERowStride,
  /// the last three i64.
  void addTo(KernelFrame &frame, Emitter &e, llvm::StringRef name);
  /// The address of the elements from \p column (i32) on.
  Value address(Emitter &e, Value batch, Value head, Value row,
                Value column) const;

  Value base, batchStride, headStride, rowStride;

private:
  std::string strideNames[3];
};

} // namespace poly::kernels

#endif // POLY_KERNELS_ATTENTIONBACKWARD_ROWS_H
