//===- AttentionMetadataTest.cpp - Metadata of attention kernels ----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMetadata.h"

#include "MessageOf.h"

#include "gtest/gtest.h"

using namespace poly::bench;
using namespace poly::runtime;

namespace {

/// What poly-compile writes of a kernel, with fewer parameters.
constexpr const char *kAttention = R"({"family": "attention",
  "score": "softmax", "type": "e4m3", "headDim": 128, "causal": true,
  "logSumExp": false, "matrixSum": true, "pingPong": false, "queryRows": 128,
  "keyRows": 128, "grid": "persistent", "arguments": ["queryMap", "scale"],
  "tensorMaps": [{"argument": 0, "name": "query",
                  "dims": ["headDim", "queryLength", "heads", "batch"],
                  "box": [128, 128, 1, 1], "swizzle": 128,
                  "outOfBounds": "zero"}],
  "dynamicSharedBytes": 116816, "keyValueType": "e4m3", "outputType": "bf16",
  "runningSum": false, "scoreBound": 2000.0})";
constexpr const char *kValues = R"({"family": "attention-values", "type": "u8",
  "headDim": 128, "keysPerBlock": 64, "arguments": ["values", "keyLength"]})";

KernelMetadata kernelOf(const std::string &info) {
  KernelMetadata kernel;
  kernel.name = "k";
  kernel.blockSize = Dim3{384, 1, 1};
  kernel.parameters = {{"bytes", 128, 64}, {"f32", 4, 4}};
  kernel.info = Json::parse(info, "k.json");
  return kernel;
}

/// \p info with \p from replaced.
std::string with(const std::string &info, const std::string &from,
                 const std::string &to) {
  size_t at = info.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return std::string(info).replace(at, from.size(), to);
}

using Check = void (*)(const KernelMetadata &);

std::string messageFor(Check check, const std::string &info) {
  return messageOf([&] { check(kernelOf(info)); });
}

TEST(AttentionMetadata, IsTakenAsItIsWritten) {
  checkAttention8Bit(kernelOf(kAttention));
  checkAttention8Bit(kernelOf(kValues));
  std::string half = with(with(kAttention, "\"e4m3\"", "\"bf16\""),
                          "\"keyValueType\": \"e4m3\", ", "");
  checkAttention8Bit(kernelOf(half)); // Stands beside.
  // 62.4 octaves.
  checkAttention16Bit(kernelOf(with(half, "2000.0", "489.8")));
  checkAttentionBackward(kernelOf(half));
  checkAttentionBackward(
      kernelOf(with(half, "\"attention\"", "\"attention-backward\"")));
}

// Each member of what the suites read, missing, of a wrong kind or out of
// range.
TEST(AttentionMetadata, EveryMistakeIsNamed) {
  const struct {
    const char *info, *from, *to, *message;
  } mistakes[] = {
      {kAttention, "\"family\"", "\"x\"", "'family' of kernel 'k' is missing"},
      {kAttention, "\"attention\"", "\"swiglu\"",
       "'family' of kernel 'k' must be attention or attention-values"},
      {kAttention, "\"score\"", "\"x\"", "'score' of kernel 'k' is missing"},
      {kAttention, "softmax", "linear",
       "'score' of kernel 'k' is 'linear', none of softmax, softcap, sigmoid, "
       "identity"},
      {kAttention, "\"type\"", "\"x\"", "'type' of kernel 'k' is missing"},
      {kAttention, "\"type\": \"e4m3\"", "\"type\": 8",
       "'type' of kernel 'k' must be a string, not a number"},
      {kAttention, "\"type\": \"e4m3\"", "\"type\": \"e3m4\"",
       "element type 'e3m4' of a kernel is none of bf16, f16, f32, e4m3, e5m2"},
      {kAttention, "\"type\": \"e4m3\"", "\"type\": \"f32\"",
       "'type' of kernel 'k' must be bf16 or f16, not f32"},
      {kAttention, "\"type\": \"e4m3\"", "\"type\": \"f16\"",
       "'keyValueType' of kernel 'k' must be f16, not e4m3"},
      {kAttention, "\"keyValueType\": \"e4m3\"", "\"keyValueType\": \"f16\"",
       "'keyValueType' of kernel 'k' must be e4m3 or e5m2, not f16"},
      {kAttention, "\"outputType\": \"bf16\"", "\"outputType\": \"e4m3\"",
       "'outputType' of kernel 'k' must be bf16 or f16, not e4m3"},
      {kAttention, "\"headDim\"", "\"x\"",
       "'headDim' of kernel 'k' is missing"},
      {kAttention, "\"headDim\": 128", "\"headDim\": 0",
       "'headDim' of kernel 'k' must be an integer from 1 to 1048576"},
      {kAttention, "\"queryRows\": 128", "\"queryRows\": 0",
       "'queryRows' of kernel 'k' must be an integer from 1 to 1048576"},
      {kAttention, "\"keyRows\": 128", "\"keyRows\": -1",
       "'keyRows' of kernel 'k' must be an integer from 1 to 1048576"},
      {kAttention, "\"causal\": true", "\"causal\": 1",
       "'causal' of kernel 'k' must be a boolean, not a number"},
      {kAttention, "\"logSumExp\": false", "\"logSumExp\": \"no\"",
       "'logSumExp' of kernel 'k' must be a boolean, not a string"},
      {kAttention, "\"matrixSum\": true", "\"matrixSum\": []",
       "'matrixSum' of kernel 'k' must be a boolean, not an array"},
      {kAttention, "\"runningSum\": false", "\"runningSum\": null",
       "'runningSum' of kernel 'k' must be a boolean, not null"},
      {kAttention, "2000.0", "0",
       "'scoreBound' of kernel 'k' must be a positive number"},
      {kAttention, "2000.0", "\"great\"",
       "'scoreBound' of kernel 'k' must be a number, not a string"},
      {kAttention, "2000.0", "1, \"cap\": -50",
       "'cap' of kernel 'k' must be a positive number"},
      {kAttention, "\"arguments\"", "\"x\"",
       "'arguments' of kernel 'k' is missing"},
      {kAttention, "[\"queryMap\", ", "[",
       "'arguments' of kernel 'k' must name the kernel's 2 parameters, not 1"},
      {kAttention, "\"queryMap\"", "7",
       "arguments must be a string, not a number"},
      {kAttention, "\"argument\": 0", "\"argument\": 1",
       "tensor map 'query' of kernel 'k' is argument 1, which is no parameter "
       "of 128 bytes"},
      {kAttention, "\"argument\": 0", "\"argument\": 2",
       "tensor map 'query' of kernel 'k' is argument 2, which is no parameter "
       "of 128 bytes"},
      {kAttention, "\"swizzle\"", "\"x\"", "member 'swizzle' is missing"},
      {kValues, "\"headDim\"", "\"x\"", "'headDim' of kernel 'k' is missing"},
      {kValues, "\"keysPerBlock\": 64", "\"keysPerBlock\": 0",
       "'keysPerBlock' of kernel 'k' must be an integer from 1 to 1048576"},
      {kValues, "\"arguments\"", "\"x\"",
       "'arguments' of kernel 'k' is missing"},
  };
  for (const auto &mistake : mistakes)
    EXPECT_EQ(messageFor(checkAttention8Bit,
                         with(mistake.info, mistake.from, mistake.to)),
              mistake.message);

  std::string half =
      with(kAttention, "\"type\": \"e4m3\"", "\"type\": \"f16\"");
  EXPECT_EQ(messageFor(checkAttention16Bit, with(half, "2000.0", "490.2")),
            "kernel 'k' computes exponents without a clamp, and its scoreBound "
            "allows scores of 62.509045 octaves; use one with a lower "
            "score-bound");
  EXPECT_EQ(messageFor(checkAttention16Bit, kAttention),
            "kernel 'k' is of e4m3; measure it with --dtype=fp8");
  EXPECT_EQ(messageFor(checkAttention16Bit, kValues),
            "'family' of kernel 'k' must be attention");
  EXPECT_EQ(messageFor(checkAttentionBackward, kAttention),
            "'type' of kernel 'k' must be bf16 or f16, not e4m3");
  KernelMetadata anyBlock = kernelOf(kAttention);
  anyBlock.blockSize.reset();
  EXPECT_EQ(messageOf([&] { checkAttention8Bit(anyBlock); }),
            "kernel 'k' has no blockSize");
}

} // namespace
