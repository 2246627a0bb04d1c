//===- AttentionTest.cpp - Attention kernels in the emulator --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HopperRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace polytest;
using poly::Format;

namespace {

struct Shape {
  unsigned batches, heads, keyHeads, queries, keys;
  /// Of the queries; negative for scores that all are far below zero.
  double spread;
};

struct Case {
  const char *name;
  std::vector<std::string> kernel, compile;
  Shape shape;
  /// Relative error of the output as a whole.
  double limit;
};

void PrintTo(const Case &item, std::ostream *stream) { *stream << item.name; }

class Attention : public ::testing::TestWithParam<Case> {};

/// Output and, where the kernel writes it, log-sum-exp in double.
struct Truth {
  std::vector<double> output, logSumExp;
};

constexpr double kCap = 50;

Truth compute(const poly::runtime::KernelMetadata &kernel, const Shape &s,
              unsigned dim, const std::vector<double> &q,
              const std::vector<double> &k, const std::vector<double> &v) {
  Truth truth;
  std::string score = kernel.text("score");
  truth.output.assign(size_t(s.batches) * s.queries * s.heads * dim, 0);
  truth.logSumExp.assign(size_t(s.batches) * s.heads * s.queries, -HUGE_VAL);
  auto at = [&](unsigned batch, unsigned row, unsigned head, unsigned rows,
                unsigned heads) {
    return ((size_t(batch) * rows + row) * heads + head) * dim;
  };
  for (unsigned b = 0; b < s.batches; ++b)
    for (unsigned h = 0; h < s.heads; ++h)
      for (unsigned i = 0; i < s.queries; ++i) {
        unsigned keyHead = h / (s.heads / s.keyHeads);
        int64_t seen = s.keys;
        if (kernel.flag("causal"))
          seen = std::min<int64_t>(
              seen, std::max<int64_t>(0, int64_t(i) + 1 + int64_t(s.keys) -
                                             s.queries));
        std::vector<double> weights;
        double most = -HUGE_VAL, sum = 0;
        size_t query = at(b, i, h, s.queries, s.heads);
        for (int64_t j = 0; j < seen; ++j) {
          size_t key = at(b, unsigned(j), keyHead, s.keys, s.keyHeads);
          double dot = 0;
          for (unsigned d = 0; d < dim; ++d)
            dot += q[query + d] * k[key + d];
          dot /= std::sqrt(double(dim));
          if (score == "softcap")
            dot = kCap * std::tanh(dot / kCap);
          weights.push_back(dot);
          most = std::max(most, dot);
        }
        for (double &weight : weights) {
          if (score == "sigmoid")
            weight = 1 / (1 + std::exp(std::log(double(s.keys)) - weight));
          else if (score != "identity")
            weight = std::exp(weight - most);
          sum += weight;
        }
        bool hasSum = score == "softmax" || score == "softcap";
        double scale = hasSum ? 1 / sum : 1;
        for (int64_t j = 0; j < seen; ++j)
          for (unsigned d = 0; d < dim; ++d)
            truth.output[query + d] +=
                weights[size_t(j)] * scale *
                v[at(b, unsigned(j), keyHead, s.keys, s.keyHeads) + d];
        if (seen)
          truth.logSumExp[(size_t(b) * s.heads + h) * s.queries + i] =
              most + std::log(sum);
      }
  return truth;
}

TEST_P(Attention, IsRight) {
  const Case &item = GetParam();
  const Shape &s = item.shape;
  HopperKernel kernel = buildHopperKernel(item.name, item.kernel, item.compile);
  ASSERT_TRUE(kernel.module);
  unsigned dim = unsigned(kernel.metadata.integer("headDim"));
  HopperRun run(kernel);
  size_t queryCount = size_t(s.batches) * s.queries * s.heads * dim;
  size_t keyCount = size_t(s.batches) * s.keys * s.keyHeads * dim;
  std::vector<double> q = run.randomNumbers(queryCount, std::fabs(s.spread), 1);
  std::vector<double> k = run.randomNumbers(keyCount, 1, 2);
  if (s.spread < 0) {
    for (double &value : q)
      value = -std::fabs(value);
    for (double &value : k)
      value = std::fabs(value);
  }
  std::vector<double> v = run.randomNumbers(keyCount, 1, 3);
  uint64_t output = run.poisoned(queryCount, kernel.type);
  size_t rows = size_t(s.batches) * s.heads * s.queries;
  uint64_t sums = run.poisoned(rows, Format::F32);
  auto bind = [&](const char *name, uint64_t address, const char *length,
                  unsigned lengthSize, const char *heads, unsigned headCount) {
    run.tensor(name, address,
               {{"headDim", dim},
                {length, lengthSize},
                {heads, headCount},
                {"batch", s.batches}},
               {{heads, dim},
                {length, uint64_t(headCount) * dim},
                {"batch", uint64_t(lengthSize) * headCount * dim}});
  };
  bind("query", run.upload(q), "queryLength", s.queries, "heads", s.heads);
  bind("key", run.upload(k), "keyLength", s.keys, "keyHeads", s.keyHeads);
  bind("value", run.upload(v), "keyLength", s.keys, "keyHeads", s.keyHeads);
  bind("output", output, "queryLength", s.queries, "heads", s.heads);
  run.pointer("logSumExp", sums)
      .integer("queryLength", s.queries)
      .integer("keyLength", s.keys)
      .integer("batches", s.batches)
      .integer("heads", s.heads)
      .integer("headsPerKeyHead", s.heads / s.keyHeads)
      .integer("causalShift", int64_t(s.keys) - s.queries)
      .number("scale", 1 / std::sqrt(double(dim)))
      .number("cap", kCap)
      .number("bias", -std::log(double(s.keys)));
  // Fewer blocks than tiles: each does several.
  ASSERT_EQ(run.run(2), "");
  Truth truth = compute(kernel.metadata, s, dim, q, k, v);
  std::vector<double> results = run.download(output, queryCount, kernel.type);
  double error = relativeError(results, truth.output);
  EXPECT_LE(error, item.limit);
  // A bound that is far away would see nothing.
  EXPECT_GE(error, item.limit / 3);
  // Rows without keys are zero.
  for (size_t i = 0; i < queryCount; ++i)
    EXPECT_TRUE(truth.output[i] != 0 || results[i] == 0) << results[i];
  if (!kernel.metadata.flag("logSumExp"))
    return;
  std::vector<double> logs = run.download(sums, rows, Format::F32);
  for (size_t i = 0; i < rows; ++i)
    EXPECT_TRUE(logs[i] == truth.logSumExp[i] ||
                std::fabs(logs[i] - truth.logSumExp[i]) < 2e-5)
        << logs[i] << " for " << truth.logSumExp[i];
}

const Case kCases[] = {
    {"full",
     {"attention", "--head-dim=64"},
     {"--policy=off"},
     {1, 2, 1, 130, 140, 1},
     3e-3},
    {"causal",
     {"attention", "--head-dim=64", "--causal", "--log-sum-exp"},
     {"--policy=off"},
     {2, 2, 1, 77, 200, 2},
     3e-3},
    // Rows that see no key.
    {"masked",
     {"attention", "--head-dim=64", "--causal", "--log-sum-exp", "--ping-pong"},
     {"--policy=off"},
     {1, 1, 1, 200, 77, 1},
     3e-3},
    // Tiles of 64 keys: for some rows the first two are masked as a whole.
    {"causal256",
     {"attention", "--head-dim=256", "--causal"},
     {"--policy=off"},
     {1, 1, 1, 150, 260, 1},
     3e-3},
    {"f16",
     {"attention", "--head-dim=64", "--causal", "--type=f16"},
     {"--policy=off"},
     {1, 1, 1, 140, 140, 1},
     4e-4},
    {"softcap",
     {"attention", "--head-dim=64", "--score=softcap", "--causal"},
     {"--programs=tanh-tanh32-f32"},
     {1, 1, 1, 140, 200, 6},
     4e-3},
    {"fixed",
     {"attention", "--head-dim=64", "--score=softcap", "--causal", "--cap=50",
      "--log-sum-exp"},
     {"--programs=tanh-sfu-f32", "--fix-maximum=1e19"},
     {1, 1, 1, 200, 140, 6},
     4e-3},
    // All scores are the least ones, and still no weight is lost.
    {"fixedLow",
     {"attention", "--head-dim=64", "--score=softcap", "--cap=50"},
     {"--programs=tanh-tanh32-f32", "--fix-maximum=1e19"},
     {1, 1, 1, 70, 140, -100},
     3e-3},
    {"sigmoid",
     {"attention", "--head-dim=64", "--score=sigmoid"},
     {"--programs=sigmoid-tanh32-f32-bf16x2"},
     {1, 1, 1, 140, 200, 1},
     4e-3},
    // The scale is put on the output, rows without keys included.
    {"identity",
     {"attention", "--head-dim=64", "--score=identity", "--causal"},
     {"--policy=off"},
     {1, 2, 1, 140, 77, 1},
     3e-3},
    {"lattice",
     {"attention", "--head-dim=64", "--matrix-sum"},
     {"--programs=exp2-lattice7sat-f32-bf16x2"},
     {1, 1, 1, 140, 200, 1},
     4e-2},
};
INSTANTIATE_TEST_SUITE_P(Kernels, Attention, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

} // namespace
