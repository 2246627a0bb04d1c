//===- AttentionMetadata.h - What attention kernels must say ----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks of the metadata of attention kernels, of all that the suites read.
/// They need no GPU, so that nothing is measured with a file that is wrong.
/// Each throws JsonError, or std::runtime_error.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_ATTENTIONMETADATA_H
#define POLY_BENCH_ATTENTIONMETADATA_H

#include "Kernel.h"

namespace poly::bench {

/// Of families "attention" and "attention-backward": the score, the types and
/// sizes, parameters and tensor maps.
void checkAttentionMetadata(const runtime::KernelMetadata &kernel);

/// Of the suite of 16-bit numbers.
void checkAttention16Bit(const runtime::KernelMetadata &kernel);
/// Of the suite of 8-bit numbers, with family "attention-values".
void checkAttention8Bit(const runtime::KernelMetadata &kernel);
/// Of the suite of gradients.
void checkAttentionBackward(const runtime::KernelMetadata &kernel);

} // namespace poly::bench

#endif // POLY_BENCH_ATTENTIONMETADATA_H
