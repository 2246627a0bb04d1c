//===- Options.cpp - What the attention builder takes ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attention.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace poly::kernels;

std::optional<AttentionScore>
poly::kernels::parseAttentionScore(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<AttentionScore>>(name)
      .Case("softmax", AttentionScore::Softmax)
      .Case("softcap", AttentionScore::Softcap)
      .Case("sigmoid", AttentionScore::Sigmoid)
      .Case("identity", AttentionScore::Identity)
      .Default(std::nullopt);
}

std::optional<AttentionType>
poly::kernels::parseAttentionType(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<AttentionType>>(name)
      .Case("bf16", AttentionType::BF16)
      .Case("f16", AttentionType::F16)
      .Default(std::nullopt);
}

std::string poly::kernels::validate(const AttentionOptions &options) {
  if (options.headDim != 64 && options.headDim != 128 && options.headDim != 256)
    return "head dimension " + std::to_string(options.headDim) +
           " is not supported; use 64, 128 or 256, padding the heads with "
           "zeros if need be";
  if (options.cap && options.score != AttentionScore::Softcap)
    return "a cap needs score=softcap";
  if (options.cap && !(*options.cap > 0 && std::isfinite(*options.cap)))
    return "the cap must be a positive number";
  bool isSigmoid = options.score == AttentionScore::Sigmoid;
  if (isSigmoid || options.score == AttentionScore::Identity) {
    std::string name = isSigmoid ? "sigmoid attention" : "score=identity";
    if (options.logSumExp)
      return name + " has no log-sum-exp; leave it off";
    if (options.matrixSum)
      return name + " has no row sum; leave matrix-sum off";
  }
  if (options.name.empty())
    return "the kernel needs a name";
  return "";
}
