//===- AttentionBackward.h - Gradients of attention, Hopper ----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds the gradients of attention (attention/Attention.h) with respect to Q,
/// K and V for compute capability 9.0, three kernels that run one after the
/// other:
///
///   NAME_prepare  makes what the main kernel needs of each query, its offset
///                 and delta = sum(O * dO), and zeroes the sums of dQ;
///   NAME          computes dK and dV of a tile of keys in one go and adds its
///                 share to the sums of dQ;
///   NAME_finish   rounds the sums of dQ.
///
/// The weights' arithmetic is that of ScoreGradient.h: plain operations.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTIONBACKWARD_ATTENTIONBACKWARD_H
#define POLY_KERNELS_ATTENTIONBACKWARD_ATTENTIONBACKWARD_H

#include "attention/Attention.h"

namespace poly::kernels {

struct AttentionBackwardOptions {
  AttentionType type = AttentionType::BF16;
  int64_t headDim = 128; ///< 64 or 128.
  /// Key j counts for query i if j <= i + causalShift, a kernel argument.
  bool causal = false;
  AttentionScore score = AttentionScore::Softmax;
  /// Softcap: a constant cap; none makes it a kernel argument.
  std::optional<double> cap;
  /// The same bits of dQ in every run: blocks add to its sums in turn.
  bool deterministic = false;
  std::string name = "attention_backward";
};

/// Empty, or what is wrong with \p options and what to do.
std::string validate(const AttentionBackwardOptions &options);

/// A module with one gpu.module with the three kernels. Loads the dialects it
/// needs into \p context. \p options must be valid.
mlir::OwningOpRef<mlir::ModuleOp>
buildAttentionBackward(mlir::MLIRContext &context,
                       const AttentionBackwardOptions &options);

/// The same with the forward kernel, NAME_forward, which also writes the
/// log-sum-exp; a training pair called NAME.
mlir::OwningOpRef<mlir::ModuleOp>
buildAttentionPair(mlir::MLIRContext &context,
                   const AttentionBackwardOptions &options);

} // namespace poly::kernels

#endif // POLY_KERNELS_ATTENTIONBACKWARD_ATTENTIONBACKWARD_H
