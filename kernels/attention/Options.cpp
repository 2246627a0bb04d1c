//===- Options.cpp - What the attention builder takes ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"

#include "llvm/ADT/StringSwitch.h"

using namespace poly::kernels;

static constexpr double kGreatestHalf = 65504;
/// Of 8 bits: exponents are f16 and their offsets whole numbers, which f16 has
/// up to 2^11 octaves.
static constexpr double kGreatestHalfCap = 1400;

/// Scores in units of the cap must be numbers of f32, and not all zero.
static constexpr double kLeastCap = 1e-20, kGreatestCap = 1e20;

/// log2(e), and what a program that takes a tanh's place may overshoot one by.
static constexpr double kLog2E = 1.4426950408889634074, kOvershoot = 1.0 / 16;

/// The scaled scores, in octaves, that a cap allows.
static double boundOf(double cap) { return cap * (1 + kOvershoot) * kLog2E; }

bool AttentionOptions::hasBoundedExponents() const {
  return !is8Bit() &&
         (wholeOffsets || (score == AttentionScore::Softmax && scoreBound));
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
      .Case("e5m2", AttentionType::E5M2)
      .Default(std::nullopt);
}

/// Registers of a thread for accumulators of the output and of the scores and
/// for the weights of the tile before; the rest are addresses, maxima and what
/// an exponential needs.
static constexpr int64_t kMostTileRegisters = 200;
/// Where nothing but a rounding is between the products, ptxas keeps more
/// weights beside their scores.
static constexpr int64_t kMostTileRegistersOfIdentity = 184;
/// Heads of 64 would have the registers for more, but a sigmoid whose tiles
/// overlap spills.
static constexpr int64_t kMostTileKeys = 192;

/// What is wrong with the number of keys of a tile.
static std::string validateKeyRows(const AttentionOptions &options) {
  using namespace poly::kernels::attention;
  int64_t keys = *options.keyRows;
  if (options.is8Bit())
    return "key-rows is a choice of 16-bit types; with 8 bits a tile has the "
           "128 keys of a row of V^T; leave it off";
  if (keys < 16 || keys % 16)
    return "key-rows must be a positive multiple of 16, what one product takes";
  int64_t rows = kConsumers * kRowsPerConsumer + 2 * kStages * keys;
  int64_t sums = SharedMemory::kTileAlignment;
  int64_t registers = options.ownColumns() / 2 + keys / 2 + keys / 4;
  int64_t most = options.score == AttentionScore::Identity
                     ? kMostTileRegistersOfIdentity
                     : kMostTileRegisters;
  bool fitRegisters = keys <= kMostTileKeys && registers <= most;
  if (!fitRegisters || rows * options.headDim * options.elementBytes() + sums +
                               SharedMemory::kBarrierBytes >
                           SharedMemory::kLimit)
    return "tiles of " + std::to_string(keys) + " keys do not fit the " +
           (fitRegisters ? "shared memory" : "registers") +
           " with head dimension " + std::to_string(options.headDim) +
           (most < kMostTileRegisters ? " and score=identity" : "") +
           "; use fewer key-rows";
  return "";
}

std::string poly::kernels::validate(const AttentionOptions &options) {
  if (options.headDim != 64 && options.headDim != 128 && options.headDim != 256)
    return "head dimension " + std::to_string(options.headDim) +
           " is not supported; use 64, 128 or 256, padding the heads with "
           "zeros if need be";
  if (options.cap && options.score != AttentionScore::Softcap)
    return "a cap needs score=softcap";
  if (options.cap &&
      !(*options.cap >= kLeastCap && *options.cap <= kGreatestCap))
    return "the cap must be a positive number from 1e-20 to 1e20; others leave "
           "the range of f32";
  if (options.keyValueType && !options.is8Bit())
    return "key-value-type is a choice of type=e4m3 and type=e5m2; leave it "
           "off";
  if (options.keyValueType && *options.keyValueType != AttentionType::E4M3 &&
      *options.keyValueType != AttentionType::E5M2)
    return "key-value-type must be e4m3 or e5m2: products have operands of one "
           "width";
  if (options.keyRows)
    if (std::string wrong = validateKeyRows(options); !wrong.empty())
      return wrong;
  bool isSigmoid = options.score == AttentionScore::Sigmoid;
  if (!options.isSoftmax()) {
    std::string name = isSigmoid ? "sigmoid attention" : "score=identity";
    if (options.logSumExp)
      return name + " has no log-sum-exp; leave it off";
    if (options.matrixSum)
      return name + " has no row sum; leave matrix-sum off";
    if (options.is8Bit() && !isSigmoid)
      return "type=e4m3 and type=e5m2 have no score=identity: scores have no "
             "bound that weights of 8 bits could keep; use type=bf16";
  }
  if (options.runningSum && !options.is8Bit())
    return "running-sum is a choice of 8-bit types; leave it off";
  if (options.f16Output && !options.is8Bit())
    return "f16-output is a choice of 8-bit types; other types are also the "
           "output's";
  if (options.is8Bit() && options.cap && *options.cap > kGreatestHalfCap)
    return "with 8-bit types the cap must be at most 1400, for exponents are "
           "f16; use type=bf16";
  if (options.scoreBound && !options.isSoftmax())
    return "score-bound is a promise about the exponents of a softmax; leave "
           "it off";
  if (options.wholeOffsets &&
      (options.is8Bit() || options.score != AttentionScore::Softcap ||
       !options.cap || boundOf(*options.cap) > kGreatestBoundedScore))
    return "whole-offsets is a choice of softcaps of 16-bit types with a "
           "constant cap of at most 40.7, whose exponents are then above -126; "
           "a softmax has it with score-bound";
  if (options.scoreBound && options.score == AttentionScore::Softcap)
    return "the cap bounds the scores already; leave score-bound off";
  if (options.scoreBound &&
      !(*options.scoreBound > 0 && *options.scoreBound <= kGreatestHalf))
    return "score-bound must be a positive number of f16, at most 65504";
  if (options.is8Bit() && options.isSoftmax() && !options.matrixSum)
    return "8-bit types sum the rounded weights; add matrix-sum";
  if (options.name.empty())
    return "the kernel needs a name";
  return "";
}
