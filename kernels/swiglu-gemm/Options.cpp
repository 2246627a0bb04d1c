//===- Options.cpp - What the gated GEMM builder takes --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SwigluGemm.h"

#include <cmath>

using namespace poly::kernels;

std::string poly::kernels::validate(const SwigluGemmOptions &options) {
  int64_t columns = options.tileColumns;
  bool isOddMultiple = columns > 0 && columns < 128 && columns % 16 == 8;
  if (columns != 64 && columns != 128 && !isOddMultiple)
    return "a tile of " + std::to_string(columns) +
           " columns is not supported; use 64, 128 or an odd multiple of 8 "
           "below, such as 88";
  if (options.clusterSize != 1 && options.clusterSize != 2)
    return "clusters of " + std::to_string(options.clusterSize) +
           " blocks are not supported; use 1 or 2";
  if (options.tallTiles &&
      (columns > 88 || options.clusterSize != 1 || options.experts ||
       options.epilogue != GemmEpilogue::Plain))
    return "tall tiles need a plain epilogue, at most 88 columns a tile, which "
           "their accumulators leave room for, no clusters and no experts";
  if (options.splitTiles &&
      (options.clusterSize != 1 || options.tallTiles || options.experts))
    return "split-tiles needs clusters of 1 block, no tall tiles and no "
           "experts; leave one of them off";
  constexpr int64_t kMostExperts = 1024;
  if (options.experts < 0 || options.experts > kMostExperts)
    return std::to_string(options.experts) +
           " experts are not supported; use 1 to " +
           std::to_string(kMostExperts) + ", or 0 for none";
  if (options.experts && options.clusterSize != 1)
    return "experts need not have an even number of tiles; use clusters of 1 "
           "block";
  if (options.experts && columns % 64 != 0)
    return "single rows of a tile of " + std::to_string(columns) +
           " columns cannot be stored; use 64 or 128 with experts";
  if (options.beta && options.activation != GateActivation::Swish)
    return "a beta needs activation=swish";
  if (options.beta && !std::isfinite(*options.beta))
    return "beta must be a finite number";
  if (options.roundActivation && !options.isRounded())
    return "an activation that is rounded before the product needs rounded "
           "inputs; round them, too, or use epilogue=deferred";
  if (options.roundActivation && options.activation == GateActivation::Clamped)
    return "the clamped form rounds once; leave the rounding of the activation "
           "off";
  if (options.name.empty())
    return "the kernel needs a name";
  return "";
}
