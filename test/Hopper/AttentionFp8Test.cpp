//===- AttentionFp8Test.cpp - Attention of e4m3 in the emulator -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float8Attention.h"

#include "poly/Program/Registry.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace polytest;
using poly::Format;
using poly::bench::AttentionReference;
using poly::bench::AttentionRow;
using poly::bench::RowMaximum;

namespace {

struct Case {
  const char *name;
  std::vector<std::string> kernel, compile;
  Float8Shape shape;
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
  std::vector<std::string> options = {"attention"};
  if (item.kernel.front().rfind("--type", 0) != 0)
    options.push_back("--type=e4m3");
  options.insert(options.end(), item.kernel.begin(), item.kernel.end());
  HopperKernel kernel =
      buildHopperKernel("fp8" + std::string(item.name), options, item.compile);
  ASSERT_TRUE(kernel.module);
  Float8Attention attention(kernel, item.shape);
  ASSERT_EQ(attention.run(), "");
  AttentionReference reference = attention.reference();
  const std::vector<AttentionRow> &actual = attention.rows;
  std::vector<AttentionRow> truth;
  double farthest = 0;
  for (size_t row = 0; row < actual.size(); ++row) {
    truth.push_back(reference.truth(int64_t(row)));
    double log = truth.back().logSumExp, found = actual[row].logSumExp;
    // Rows without keys are zero.
    if (std::isinf(log)) {
      EXPECT_EQ(actual[row].output, std::vector<double>(attention.dim, 0));
      EXPECT_TRUE(!attention.hasLogs || found == log) << found;
    } else if (attention.hasLogs) {
      farthest = std::max(farthest, std::fabs(found - log));
    }
  }
  double error = poly::bench::relativeError(actual, truth);
  EXPECT_LE(error, item.limit);
  // A bound that is far away would see nothing.
  EXPECT_GE(error, item.limit / 3);
  if (attention.hasLogs) {
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
  for (unsigned dim : {64u, 128u, 256u}) {
    Float8Shape s{2, 3, 3, 0, 150, 1};
    HopperKernel kernel = buildHopperKernel(
        "values" + std::to_string(dim),
        {"attention-values", "--head-dim=" + std::to_string(dim)}, {});
    ASSERT_TRUE(kernel.module);
    HopperRun run(kernel);
    size_t count = size_t(s.batches) * s.keys * s.keyHeads * dim;
    std::vector<double> v = run.randomNumbers(count, 1, 5);
    std::vector<double> truth = transposedValues(v, s, dim);
    uint64_t result = run.poisoned(truth.size(), Format::E4M3);
    run.pointer("values", run.upload(v))
        .pointer("transposed", result)
        .integer("keyLength", s.keys)
        .integer("paddedKeys", paddedKeys(s.keys))
        .integer("keyStride", s.keyHeads * dim)
        .integer("headStride", dim)
        .integer("batchStride", s.keys * s.keyHeads * dim);
    unsigned perBlock = unsigned(kernel.metadata.integer("keysPerBlock"));
    unsigned blocks = (paddedKeys(s.keys) + perBlock - 1) / perBlock;
    ASSERT_EQ(run.runGrid({blocks, s.keyHeads, s.batches}), "");
    EXPECT_EQ(run.download(result, truth.size(), Format::E4M3), truth);
  }
}

} // namespace
