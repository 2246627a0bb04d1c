//===- AttentionFp8Test.cpp - Attention of e4m3 in the emulator -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionReference.h"
#include "HopperRun.h"

#include "poly/Program/Registry.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace polytest;
using poly::Format;
using poly::bench::AttentionProblem;
using poly::bench::AttentionReference;
using poly::bench::AttentionRow;
using poly::bench::RowMaximum;

namespace {

struct Shape {
  unsigned batches, heads, keyHeads, queries, keys;
  double spread; ///< Of the queries.
};

constexpr double kCap = 50;
/// No weight of a sigmoid comes near 448 / 512.
constexpr double kWeightScale = 512;

/// The key at \p position of V's transpose, as kernels/attention/Values.h says.
unsigned keyAt(unsigned position) {
  unsigned e = position % 4, q = position / 4 % 4;
  return position / 16 * 16 + 8 * (e >> 1) + 2 * q + (e & 1);
}

unsigned padded(unsigned keys) { return (keys + 15) / 16 * 16; }

/// V [B, S, H, D] as the kernels read it, [B, H, D, padded S].
std::vector<double> transposed(const std::vector<double> &v, const Shape &s,
                               unsigned dim) {
  unsigned keys = padded(s.keys);
  std::vector<double> result(size_t(s.batches) * s.keyHeads * dim * keys, 0);
  for (unsigned b = 0; b < s.batches; ++b)
    for (unsigned h = 0; h < s.keyHeads; ++h)
      for (unsigned d = 0; d < dim; ++d)
        for (unsigned p = 0; p < keys; ++p)
          if (keyAt(p) < s.keys)
            result[((size_t(b) * s.keyHeads + h) * dim + d) * keys + p] =
                v[((size_t(b) * s.keys + keyAt(p)) * s.keyHeads + h) * dim + d];
  return result;
}

struct Case {
  const char *name;
  std::vector<std::string> kernel, compile;
  Shape shape;
  /// Relative error of the output as a whole, error of the log-sum-exp.
  double limit, logLimit;
  /// Of a lattice: distance from what it computes, and from that with the
  /// maximum of the whole row.
  const char *program = nullptr;
  double operatorLimit = 0, wholeLimit = 0;
};

void PrintTo(const Case &item, std::ostream *stream) { *stream << item.name; }

/// The kernel's results are those of its program: with the maxima of the tiles
/// so far, and with the row's own, which changes weights by powers of two.
void expectOperator(const Case &item, const HopperKernel &kernel,
                    const AttentionReference &reference,
                    const std::vector<AttentionRow> &actual) {
  const poly::Program &program = poly::findProgram(item.program)->program;
  auto distance = [&](RowMaximum maximum) {
    std::vector<AttentionRow> rows;
    for (size_t row = 0; row < actual.size(); ++row)
      rows.push_back(reference.replayed(int64_t(row), program, maximum,
                                        kernel.metadata.integer("keyRows")));
    return poly::bench::relativeError(actual, rows);
  };
  double running = distance(RowMaximum::Running);
  double whole = distance(RowMaximum::Final);
  EXPECT_LE(running, item.operatorLimit);
  EXPECT_GE(running, item.operatorLimit / 3);
  EXPECT_LE(whole, item.wholeLimit);
  EXPECT_GE(whole, item.wholeLimit / 3);
}

class AttentionFp8 : public ::testing::TestWithParam<Case> {};

TEST_P(AttentionFp8, IsRight) {
  const Case &item = GetParam();
  const Shape &s = item.shape;
  std::vector<std::string> options = {"attention"};
  if (item.kernel.front().rfind("--type", 0) != 0)
    options.push_back("--type=e4m3");
  options.insert(options.end(), item.kernel.begin(), item.kernel.end());
  HopperKernel kernel =
      buildHopperKernel("fp8" + std::string(item.name), options, item.compile);
  ASSERT_TRUE(kernel.module);
  unsigned dim = unsigned(kernel.metadata.integer("headDim"));
  HopperRun run(kernel);
  size_t queryCount = size_t(s.batches) * s.queries * s.heads * dim;
  size_t keyCount = size_t(s.batches) * s.keys * s.keyHeads * dim;
  std::vector<double> q = run.randomNumbers(queryCount, s.spread, 1);
  std::vector<double> k =
      run.randomNumbers(keyCount, 1, 2, kernel.keyValueType);
  std::vector<double> v =
      run.randomNumbers(keyCount, 1, 3, kernel.keyValueType);
  uint64_t output = run.poisoned(queryCount, kernel.outputType);
  size_t rows = size_t(s.batches) * s.heads * s.queries;
  uint64_t sums = run.poisoned(rows, Format::F32);
  run.attentionArray("query", run.upload(q), s.batches, s.queries, s.heads,
                     dim);
  run.attentionArray("key", run.upload(k, kernel.keyValueType), s.batches,
                     s.keys, s.keyHeads, dim);
  run.attentionArray("output", output, s.batches, s.queries, s.heads, dim);
  uint64_t keys = padded(s.keys);
  run.tensor("value", run.upload(transposed(v, s, dim), kernel.keyValueType),
             {{"paddedKeys", keys},
              {"headDim", dim},
              {"keyHeads", s.keyHeads},
              {"batch", s.batches}},
             {{"headDim", keys},
              {"keyHeads", keys * dim},
              {"batch", keys * dim * s.keyHeads}});
  // Factors of each head of Q, of each key head of K, and one for all of V.
  std::vector<float> queryScales, keyScales, valueScales = {0.5f};
  for (unsigned i = 0; i < s.batches * s.heads; ++i)
    queryScales.push_back(i % 2 ? 0.5f : 2.0f);
  for (unsigned i = 0; i < s.batches * s.keyHeads; ++i)
    keyScales.push_back(i % 2 ? 1.5f : 0.75f);
  run.pointer("logSumExp", sums)
      .pointer("queryDescale", run.uploadFloats(queryScales))
      .pointer("keyDescale", run.uploadFloats(keyScales))
      .pointer("valueDescale", run.uploadFloats(valueScales))
      .integer("queryDescaleStride", 1)
      .integer("keyDescaleStride", 1)
      .integer("valueDescaleStride", 0)
      .integer("queryLength", s.queries)
      .integer("keyLength", s.keys)
      .integer("batches", s.batches)
      .integer("heads", s.heads)
      .integer("headsPerKeyHead", s.heads / s.keyHeads)
      .integer("causalShift", int64_t(s.keys) - s.queries)
      .number("scale", 1 / std::sqrt(double(dim)))
      .number("bias", -std::log(double(s.keys)))
      .number("weightScale", kWeightScale)
      .number("cap", kCap);
  ASSERT_EQ(run.run(2), "");

  AttentionProblem problem;
  problem.score = kernel.metadata.text("score");
  problem.causal = kernel.metadata.flag("causal");
  problem.batch = s.batches;
  problem.queryLength = s.queries;
  problem.keyLength = s.keys;
  problem.heads = s.heads;
  problem.keyHeads = s.keyHeads;
  problem.headDim = dim;
  problem.cap = kCap;
  problem.queryFactors = queryScales;
  problem.keyFactors = keyScales;
  problem.valueFactors.assign(keyScales.size(), valueScales[0]);
  problem.hasE4M3Weights = true;
  auto floats = [](const std::vector<double> &numbers) {
    return std::vector<float>(numbers.begin(), numbers.end());
  };
  AttentionReference reference(problem, floats(q), floats(k), floats(v));
  std::vector<double> results =
      run.download(output, queryCount, kernel.outputType);
  std::vector<double> logs = run.download(sums, rows, Format::F32);
  std::vector<AttentionRow> truth, actual;
  double farthest = 0;
  bool hasLogs = kernel.metadata.flag("logSumExp");
  for (size_t row = 0; row < rows; ++row) {
    truth.push_back(reference.truth(int64_t(row)));
    auto first = results.begin() + int64_t(reference.offset(int64_t(row)));
    actual.push_back({{first, first + int64_t(dim)}, 0});
    double log = truth.back().logSumExp;
    // Rows without keys are zero.
    if (std::isinf(log)) {
      EXPECT_EQ(actual.back().output, std::vector<double>(dim, 0));
      EXPECT_TRUE(!hasLogs || logs[row] == log) << logs[row];
    } else if (hasLogs) {
      farthest = std::max(farthest, std::fabs(logs[row] - log));
    }
  }
  double error = poly::bench::relativeError(actual, truth);
  EXPECT_LE(error, item.limit);
  // A bound that is far away would see nothing.
  EXPECT_GE(error, item.limit / 3);
  if (hasLogs) {
    EXPECT_LE(farthest, item.logLimit);
    EXPECT_GE(farthest, item.logLimit / 3);
  }
  if (item.program)
    expectOperator(item, kernel, reference, actual);
}

const Case kCases[] = {
    {"full",
     {"--matrix-sum", "--head-dim=64", "--log-sum-exp"},
     {"--policy=off"},
     {2, 2, 1, 100, 150, 1},
     4e-2,
     5e-2},
    {"half",
     {"--matrix-sum", "--head-dim=64", "--score-bound=2000", "--causal",
      "--log-sum-exp"},
     {},
     {1, 2, 2, 77, 210, 1},
     4e-2,
     5e-2},
    {"lattice",
     {"--matrix-sum", "--head-dim=64", "--causal", "--ping-pong"},
     {"--programs=exp2-lattice3-f32-e4m3x4"},
     {1, 1, 1, 100, 300, 1},
     5e-2,
     0,
     "exp2-lattice3-f32-e4m3x4",
     2.5e-3,
     2.5e-3},
    // Rows that see no key.
    {"latticeHalf",
     {"--matrix-sum", "--score-bound=2000", "--causal", "--ping-pong",
      "--log-sum-exp", "--f16-output"},
     {"--programs=exp2-lattice3-f16-e4m3x4"},
     {1, 2, 1, 200, 147, 3},
     5e-2,
     1e-1,
     // The compiler makes one fma of the exponent's and the lattice's, which
     // spares a rounding to f16.
     "exp2-lattice3-f16-e4m3x4",
     1e-2,
     1e-2},
    {"octaves",
     {"--matrix-sum", "--head-dim=64", "--running-sum"},
     {"--programs=exp2-h15-f32"},
     {1, 1, 1, 70, 300, 1},
     1.5e-1,
     0},
    // Of two bits of fraction, but for the weights.
    {"wideRange",
     {"--type=e5m2", "--matrix-sum", "--head-dim=64", "--score-bound=2000",
      "--causal", "--ping-pong", "--log-sum-exp"},
     {"--programs=exp2-lattice3-f16-e4m3x4"},
     {1, 2, 1, 90, 200, 1},
     5e-2,
     1e-1,
     "exp2-lattice3-f16-e4m3x4",
     1e-2,
     1e-2},
    {"mixed",
     {"--matrix-sum", "--key-value-type=e5m2", "--head-dim=64",
      "--running-sum"},
     {"--policy=off"},
     {1, 1, 1, 70, 200, 1},
     4e-2,
     0},
    // Each warpgroup has half of the columns.
    {"wideHeads",
     {"--matrix-sum", "--head-dim=256", "--score-bound=4000", "--causal",
      "--log-sum-exp"},
     {"--programs=exp2-lattice3-f16-e4m3x4"},
     {1, 2, 1, 100, 180, 1},
     5e-2,
     1e-1,
     "exp2-lattice3-f16-e4m3x4",
     1e-2,
     1e-2},
    {"sigmoid",
     {"--head-dim=64", "--score=sigmoid", "--causal", "--ping-pong"},
     {"--policy=off"},
     {1, 2, 1, 100, 300, 1},
     4e-2,
     0},
    {"sigmoidTangent",
     {"--head-dim=64", "--score=sigmoid", "--key-value-type=e5m2"},
     {"--programs=sigmoid-tanh32-f32"},
     {1, 1, 1, 70, 300, 1},
     4e-2,
     0},
    {"softcap",
     {"--matrix-sum", "--head-dim=64", "--score=softcap"},
     {"--programs=tanh-sfu-f32,exp2-lattice3-f16-e4m3x4"},
     {1, 1, 1, 130, 200, 6},
     3e-2,
     0},
};
INSTANTIATE_TEST_SUITE_P(Kernels, AttentionFp8, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

TEST(AttentionValues, AreTransposedAndPermuted) {
  for (unsigned dim : {64u, 128u}) {
    Shape s{2, 3, 3, 0, 150, 1};
    HopperKernel kernel = buildHopperKernel(
        "values" + std::to_string(dim),
        {"attention-values", "--head-dim=" + std::to_string(dim)}, {});
    ASSERT_TRUE(kernel.module);
    HopperRun run(kernel);
    size_t count = size_t(s.batches) * s.keys * s.keyHeads * dim;
    std::vector<double> v = run.randomNumbers(count, 1, 5);
    std::vector<double> truth = transposed(v, s, dim);
    uint64_t result = run.poisoned(truth.size(), Format::E4M3);
    run.pointer("values", run.upload(v))
        .pointer("transposed", result)
        .integer("keyLength", s.keys)
        .integer("paddedKeys", padded(s.keys))
        .integer("keyStride", s.keyHeads * dim)
        .integer("headStride", dim)
        .integer("batchStride", s.keys * s.keyHeads * dim);
    unsigned perBlock = unsigned(kernel.metadata.integer("keysPerBlock"));
    unsigned blocks = (padded(s.keys) + perBlock - 1) / perBlock;
    ASSERT_EQ(run.runGrid({blocks, s.keyHeads, s.batches}), "");
    EXPECT_EQ(run.download(result, truth.size(), Format::E4M3), truth);
  }
}

} // namespace
