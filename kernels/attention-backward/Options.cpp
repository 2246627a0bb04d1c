//===- Options.cpp - What the builder of gradients takes -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

using namespace poly::kernels;

AttentionOptions
poly::kernels::forwardOptions(const AttentionBackwardOptions &options) {
  AttentionOptions forward;
  forward.type = options.type;
  forward.headDim = options.headDim;
  forward.causal = options.causal;
  forward.score = options.score;
  forward.cap = options.cap;
  forward.logSumExp = options.score != AttentionScore::Sigmoid;
  forward.name = options.name;
  return forward;
}

std::string poly::kernels::validate(const AttentionBackwardOptions &options) {
  if (options.headDim == 256)
    return "head dimension 256 is not supported backward: the accumulators of "
           "dK and dV for 64 keys alone would take 256 registers of each "
           "thread, and there are 255; use 64 or 128";
  if (options.headDim != 64 && options.headDim != 128)
    return "head dimension " + std::to_string(options.headDim) +
           " is not supported backward; use 64 or 128, padding the heads with "
           "zeros if need be";
  if (options.score == AttentionScore::Identity)
    return "score=identity measures the forward pass and has no backward one; "
           "use softmax, softcap or sigmoid";
  AttentionOptions forward = forwardOptions(options);
  if (forward.is8Bit())
    return "8-bit types have no backward pass; use type=bf16 or type=f16";
  return validate(forward);
}
