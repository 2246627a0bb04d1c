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

static constexpr double kGreatestHalf = 65504;
/// Of E4M3: exponents are f16 and their offsets whole numbers, which f16 has up
/// to 2^11 octaves.
static constexpr double kGreatestHalfCap = 1400;

/// log2(e), and what a program that takes a tanh's place may overshoot one by.
static constexpr double kLog2E = 1.4426950408889634074, kOvershoot = 1.0 / 16;

bool AttentionOptions::hasBoundedExponents() const {
  if (isE4M3())
    return false;
  if (score == AttentionScore::Softmax)
    return scoreBound.has_value();
  return score == AttentionScore::Softcap && matrixSum && cap &&
         *cap * (1 + kOvershoot) * kLog2E <= kGreatestBoundedScore;
}

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
      .Case("e4m3", AttentionType::E4M3)
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
  bool isSoftmax = !isSigmoid && options.score != AttentionScore::Identity;
  if (!isSoftmax) {
    std::string name = isSigmoid ? "sigmoid attention" : "score=identity";
    if (options.logSumExp)
      return name + " has no log-sum-exp; leave it off";
    if (options.matrixSum)
      return name + " has no row sum; leave matrix-sum off";
    if (options.isE4M3())
      return "type=e4m3 supports the scores softmax and softcap; use type=bf16";
  }
  if (options.runningSum && !options.isE4M3())
    return "running-sum is a choice of type=e4m3; leave it off";
  if (options.f16Output && !options.isE4M3())
    return "f16-output is a choice of type=e4m3; other types are also the "
           "output's";
  if (options.isE4M3() && options.cap && *options.cap > kGreatestHalfCap)
    return "with type=e4m3 the cap must be at most 1400, for exponents are "
           "f16; "
           "use type=bf16";
  if (options.scoreBound && !isSoftmax)
    return "score-bound is a promise about the exponents of a softmax; leave "
           "it off";
  if (options.scoreBound && options.score == AttentionScore::Softcap)
    return "the cap bounds the scores already; leave score-bound off";
  if (options.scoreBound &&
      !(*options.scoreBound > 0 && *options.scoreBound <= kGreatestHalf))
    return "score-bound must be a positive number of f16, at most 65504";
  if (options.isE4M3() && options.headDim == 256)
    return "type=e4m3 supports head dimensions 64 and 128: accumulators of one "
           "tile beside those of the whole output would not fit the registers; "
           "use type=bf16";
  if (options.isE4M3() && !options.matrixSum)
    return "type=e4m3 sums the rounded weights; add matrix-sum";
  if (options.name.empty())
    return "the kernel needs a name";
  return "";
}
