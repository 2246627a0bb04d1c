//===- AttentionMetadata.cpp - What attention kernels must say ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMetadata.h"

#include "AttentionGates.h"
#include "AttentionReference.h"
#include "TensorMaps.h"
#include "Values.h"

#include <algorithm>
#include <cmath>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

static std::string of(const KernelMetadata &kernel, const char *key) {
  return "'" + std::string(key) + "' of kernel '" + kernel.name + "'";
}

/// A positive number, where there is one.
static void checkPositive(const KernelMetadata &kernel, const char *key) {
  double value = kernel.number(key, 1);
  if (!(value > 0 && std::isfinite(value)))
    throw JsonError(of(kernel, key) + " must be a positive number");
}

static void checkType(const KernelMetadata &kernel, const char *key,
                      const std::string &type,
                      std::initializer_list<Format> allowed) {
  Format found = parseElementType(type);
  if (std::find(allowed.begin(), allowed.end(), found) != allowed.end())
    return;
  std::string names;
  for (Format format : allowed)
    names += (names.empty() ? "" : " or ") + std::string(name(format));
  throw JsonError(of(kernel, key) + " must be " + names + ", not " + type);
}

/// The names of parameters, and the tensor maps among them.
static void checkParameters(const KernelMetadata &kernel) {
  if (!kernel.blockSize)
    throw JsonError("kernel '" + kernel.name + "' has no blockSize");
  const Json *names = kernel.info.find("arguments");
  if (!names)
    throw JsonError(of(kernel, "arguments") + " is missing");
  for (const Json &item : names->asArray("arguments"))
    item.asString("arguments");
  if (names->size() != kernel.parameters.size())
    throw JsonError(of(kernel, "arguments") + " must name the kernel's " +
                    std::to_string(kernel.parameters.size()) +
                    " parameters, not " + std::to_string(names->size()));
  for (const TensorMapSpec &map : tensorMapsOf(kernel))
    if (map.argument >= kernel.parameters.size() ||
        kernel.parameters[map.argument].bytes != sizeof(TensorMap))
      throw JsonError("tensor map '" + map.name + "' of kernel '" +
                      kernel.name + "' is argument " +
                      std::to_string(map.argument) +
                      ", which is no parameter of " +
                      std::to_string(sizeof(TensorMap)) + " bytes");
}

void poly::bench::checkAttentionMetadata(const KernelMetadata &kernel) {
  const std::string &score = kernel.text("score");
  if (score != "softmax" && score != "softcap" && score != "sigmoid" &&
      score != "identity")
    throw JsonError(of(kernel, "score") + " is '" + score +
                    "', none of softmax, softcap, sigmoid, identity");
  kernel.extent("headDim");
  for (const char *key : {"causal", "logSumExp", "matrixSum", "runningSum"})
    kernel.flag(key);
  for (const char *key : {"cap", "scoreBound"})
    checkPositive(kernel, key);
  checkParameters(kernel);
}

/// Of a forward kernel.
static void checkTiles(const KernelMetadata &kernel) {
  checkAttentionMetadata(kernel);
  kernel.extent("queryRows");
  kernel.extent("keyRows");
  std::string type = kernel.text("type");
  checkType(kernel, "outputType", kernel.text("outputType", type),
            {Format::BF16, Format::F16});
}

void poly::bench::checkAttention16Bit(const KernelMetadata &kernel) {
  if (kernel.text("family") != "attention")
    throw JsonError(of(kernel, "family") + " must be attention");
  const std::string &type = kernel.text("type");
  if (bytesOf(parseElementType(type)) == 1)
    throw JsonError("kernel '" + kernel.name + "' is of " + type +
                    "; measure it with --dtype=fp8");
  checkType(kernel, "type", type, {Format::BF16, Format::F16});
  checkTiles(kernel);
  AttentionProblem problem;
  problem.headDim = kernel.extent("headDim");
  double octaves = problem.scale() * kLog2E * kernel.number("scoreBound", 0);
  if (!fitsExponents(/*areFloat8=*/false, octaves))
    throw JsonError("kernel '" + kernel.name +
                    "' computes exponents without a clamp, and its scoreBound "
                    "allows scores of " +
                    std::to_string(octaves) +
                    " octaves; use one with a lower score-bound");
}

void poly::bench::checkAttention8Bit(const KernelMetadata &kernel) {
  const std::string &family = kernel.text("family");
  if (family == "attention-values") {
    kernel.extent("headDim");
    kernel.extent("keysPerBlock");
    checkParameters(kernel);
    return;
  }
  if (family != "attention")
    throw JsonError(of(kernel, "family") +
                    " must be attention or attention-values");
  std::string type = kernel.text("type");
  std::string keyValueType = kernel.text("keyValueType", type);
  if (bytesOf(parseElementType(type)) == 1) {
    checkType(kernel, "keyValueType", keyValueType,
              {Format::E4M3, Format::E5M2});
  } else {
    checkType(kernel, "type", type, {Format::BF16, Format::F16});
    checkType(kernel, "keyValueType", keyValueType, {parseElementType(type)});
  }
  checkTiles(kernel);
}

void poly::bench::checkAttentionBackward(const KernelMetadata &kernel) {
  const std::string &family = kernel.text("family");
  if (family != "attention" && family != "attention-backward")
    throw JsonError(of(kernel, "family") +
                    " must be attention or attention-backward");
  checkType(kernel, "type", kernel.text("type"), {Format::BF16, Format::F16});
  if (family == "attention")
    checkTiles(kernel);
  else
    checkAttentionMetadata(kernel);
}
