//===- AttentionTest.cpp - Attention kernels in the emulator --------------===//
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
#include <cstring>
#include <numeric>

using namespace polytest;
using poly::Format;
using poly::bench::AttentionProblem;
using poly::bench::AttentionReference;
using poly::bench::AttentionRow;
using poly::bench::relativeError;
using poly::bench::RowMaximum;

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

constexpr double kCap = 50;

/// What a kernel made of random arrays, and what it is compared with.
struct Outcome {
  std::string fault;
  poly::runtime::KernelMetadata metadata;
  std::vector<double> output, logSumExp;
  std::unique_ptr<AttentionReference> reference;
  /// All rows.
  std::vector<int64_t> indices;
};

std::vector<AttentionRow>
rowsOf(const Outcome &outcome,
       const std::function<AttentionRow(int64_t)> &row) {
  return poly::bench::computeRows(outcome.indices, row);
}

/// The kernel's own rows.
std::vector<AttentionRow> actualRows(const Outcome &outcome) {
  size_t dim = outcome.output.size() / outcome.indices.size();
  return rowsOf(outcome, [&](int64_t index) {
    auto first =
        outcome.output.begin() + int64_t(outcome.reference->offset(index));
    return AttentionRow{{first, first + int64_t(dim)}, 0};
  });
}

/// \p change, if given, is made to the kernel's PTX.
Outcome launch(const Case &item,
               const std::function<void(std::string &)> &change = nullptr) {
  const Shape &s = item.shape;
  Outcome outcome;
  HopperKernel kernel = buildHopperKernel(item.name, item.kernel, item.compile);
  if (change) {
    change(kernel.ptx);
    kernel.module =
        PtxModule::parse(kernel.ptx, outcome.fault, PtxDialect::WholeKernels);
  }
  if (!kernel.module) {
    outcome.fault = "not built";
    return outcome;
  }
  outcome.metadata = kernel.metadata;
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
  run.attentionArray("query", run.upload(q), s.batches, s.queries, s.heads,
                     dim);
  run.attentionArray("key", run.upload(k), s.batches, s.keys, s.keyHeads, dim);
  run.attentionArray("value", run.upload(v), s.batches, s.keys, s.keyHeads,
                     dim);
  run.attentionArray("output", output, s.batches, s.queries, s.heads, dim);
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
  outcome.fault = run.run(2);
  AttentionProblem problem;
  problem.score = kernel.metadata.text("score");
  problem.causal = kernel.metadata.flag("causal");
  problem.batch = s.batches;
  problem.queryLength = s.queries;
  problem.keyLength = s.keys;
  problem.heads = s.heads;
  problem.keyHeads = s.keyHeads;
  problem.headDim = dim;
  problem.cap = kernel.metadata.number("cap", kCap);
  problem.hasWholeOffsets = kernel.metadata.number("scoreBound", 0) > 0;
  auto floats = [](const std::vector<double> &numbers) {
    return std::vector<float>(numbers.begin(), numbers.end());
  };
  outcome.reference = std::make_unique<AttentionReference>(
      problem, floats(q), floats(k), floats(v));
  outcome.indices.resize(rows);
  std::iota(outcome.indices.begin(), outcome.indices.end(), 0);
  outcome.output = run.download(output, queryCount, kernel.type);
  if (kernel.metadata.flag("logSumExp"))
    outcome.logSumExp = run.download(sums, rows, Format::F32);
  return outcome;
}

TEST_P(Attention, IsRight) {
  const Case &item = GetParam();
  Outcome outcome = launch(item);
  ASSERT_EQ(outcome.fault, "");
  std::vector<AttentionRow> truth = rowsOf(
      outcome, [&](int64_t index) { return outcome.reference->truth(index); });
  std::vector<AttentionRow> actual = actualRows(outcome);
  double error = relativeError(actual, truth);
  EXPECT_LE(error, item.limit);
  // A bound that is far away would see nothing.
  EXPECT_GE(error, item.limit / 3);
  // Rows without keys are zero.
  for (size_t i = 0; i < truth.size(); ++i)
    for (size_t d = 0; d < truth[i].output.size(); ++d)
      EXPECT_TRUE(truth[i].output[d] != 0 || actual[i].output[d] == 0);
  // A product sums weights that are rounded to 16 bits. In the worst case the
  // sum is off by twice as much; errors of random weights partly cancel.
  double sumLimit = 2e-5;
  if (outcome.metadata.flag("matrixSum"))
    sumLimit = outcome.metadata.text("type") == "f16" ? 0x1p-12 : 0x1p-9;
  for (size_t i = 0; i < outcome.logSumExp.size(); ++i) {
    double sum = outcome.logSumExp[i], expected = truth[i].logSumExp;
    EXPECT_TRUE(sum == expected || std::fabs(sum - expected) < sumLimit)
        << sum << " for " << expected;
  }
}

// The output takes the shared memory of Q: the copy to global memory must have
// read it before another tile's Q comes there.
TEST(OverlappingTiles, StoresAreAwaited) {
  const Case item = {"stagedAwaited",
                     {"attention", "--key-rows=160"},
                     {"--policy=off"},
                     {1, 6, 1, 130, 400, 2},
                     3e-3};
  auto withoutWaits = [](std::string &text) {
    text = withoutInstructions(text, "cp.async.bulk.wait_group.read");
  };
  auto errorOf = [](const Outcome &outcome) {
    return relativeError(actualRows(outcome),
                         rowsOf(outcome, [&](int64_t index) {
                           return outcome.reference->truth(index);
                         }));
  };
  Outcome right = launch(item);
  ASSERT_EQ(right.fault, "");
  EXPECT_LE(errorOf(right), item.limit);
  Outcome wrong = launch(item, withoutWaits);
  EXPECT_TRUE(wrong.fault != "" || !(errorOf(wrong) <= item.limit));
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
    // Rows of a thread have odd numbers of columns at last: 28 and 7. The last
    // tile has 29 keys.
    {"longTiles",
     {"attention", "--head-dim=64", "--key-rows=112", "--ping-pong",
      "--log-sum-exp"},
     {"--policy=off"},
     {1, 2, 1, 140, 253, 2},
     3e-3},
    // The output takes the shared memory of Q.
    {"longestTiles",
     {"attention", "--key-rows=176", "--causal", "--matrix-sum"},
     {"--policy=off"},
     {1, 1, 1, 190, 300, 2},
     3e-3},
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
    {"bounded",
     {"attention", "--head-dim=64", "--score-bound=480", "--causal",
      "--log-sum-exp"},
     {"--policy=off"},
     {1, 2, 1, 140, 300, 3},
     3e-3},
    {"boundedLattice",
     {"attention", "--head-dim=64", "--matrix-sum", "--score-bound=480",
      "--causal"},
     {"--budget=rtol=0.07"},
     {1, 1, 1, 140, 300, 3},
     4e-2},
    {"boundedCap",
     {"attention", "--head-dim=64", "--matrix-sum", "--score=softcap",
      "--cap=30", "--whole-offsets"},
     {"--programs=tanh-tanh32-f32,exp2-lattice7bare-f32-bf16x2"},
     {1, 1, 1, 140, 300, 3},
     4e-2},
    // Tiles that overlap, five or four to a block: of three tiles of keys,
    // whose output is stored beside products, and of one, which has none.
    {"overlapping",
     {"attention", "--causal", "--log-sum-exp"},
     {"--policy=off"},
     {1, 3, 3, 300, 300, 2},
     3e-3},
    // Several tiles have masks; rows of the first see no key.
    {"overlappingMasks",
     {"attention", "--causal", "--ping-pong", "--log-sum-exp"},
     {"--policy=off"},
     {1, 2, 1, 300, 190, 2},
     3e-3},
    {"overlappingTurns",
     {"attention", "--ping-pong", "--type=f16"},
     {"--policy=off"},
     {1, 4, 2, 130, 300, 1},
     4e-4},
    // The output takes the shared memory of the tile's Q, which is released
    // when the next one has begun.
    {"overlappingStaged",
     {"attention", "--key-rows=160", "--log-sum-exp"},
     {"--policy=off"},
     {1, 4, 2, 130, 400, 2},
     3e-3},
    {"overlappingStagedShort",
     {"attention", "--key-rows=160", "--causal", "--ping-pong"},
     {"--policy=off"},
     {1, 5, 1, 130, 100, 2},
     3e-3},
    // Ones lie behind V in both of its stages; the output takes the shared
    // memory of Q.
    {"overlappingSums",
     {"attention", "--matrix-sum", "--log-sum-exp"},
     {"--policy=off"},
     {1, 4, 2, 130, 400, 2},
     3e-3},
    {"overlappingSumsTurns",
     {"attention", "--matrix-sum", "--causal", "--ping-pong", "--type=f16",
      "--log-sum-exp"},
     {"--policy=off"},
     {1, 2, 1, 300, 190, 2},
     4e-4},
    {"overlappingLattice",
     {"attention", "--matrix-sum", "--causal", "--ping-pong",
      "--score-bound=480"},
     {"--budget=rtol=0.07"},
     {1, 3, 3, 300, 300, 2},
     2e-2},
    // Too long for ones behind V, and for two tiles of Q.
    {"sumsOfLongTiles",
     {"attention", "--key-rows=160", "--matrix-sum", "--log-sum-exp"},
     {"--policy=off"},
     {1, 2, 2, 130, 400, 2},
     3e-3},
    // The ones fit, a second tile of Q does not.
    {"sumsBehindLongerTiles",
     {"attention", "--key-rows=144", "--matrix-sum", "--log-sum-exp"},
     {"--policy=off"},
     {1, 2, 2, 130, 400, 2},
     3e-3},
    {"widestSums",
     {"attention", "--head-dim=256", "--matrix-sum"},
     {"--policy=off"},
     {1, 1, 1, 130, 200, 1},
     3e-3},
    {"overlappingSigmoid",
     {"attention", "--causal", "--score=sigmoid"},
     {"--programs=sigmoid-tanh32-f32-bf16x2"},
     {1, 2, 2, 200, 200, 1},
     4e-3},
    {"overlappingCap",
     {"attention", "--causal", "--score=softcap", "--cap=50", "--log-sum-exp"},
     {"--programs=tanh-tanh32-f32", "--fix-maximum=1e19"},
     {1, 2, 2, 200, 260, 6},
     4e-3},
    // Head dimension 64: a slab of V and one of ones; five tiles a block.
    {"overlappingNarrowSums",
     {"attention", "--head-dim=64", "--matrix-sum", "--causal", "--ping-pong",
      "--log-sum-exp"},
     {"--policy=off"},
     {1, 3, 3, 300, 300, 2},
     3e-3},
    {"overlappingNarrowMasks",
     {"attention", "--head-dim=64", "--score=sigmoid", "--causal"},
     {"--programs=sigmoid-tanh32-f32-bf16x2"},
     {1, 2, 1, 300, 190, 1},
     4e-3},
    {"overlappingIdentity",
     {"attention", "--causal", "--score=identity"},
     {"--policy=off"},
     {1, 2, 1, 200, 200, 1},
     3e-3},
};
INSTANTIATE_TEST_SUITE_P(Kernels, Attention, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

/// Kernels whose weights a lattice gives, against the operator that is defined
/// by the same Program.
class LatticeAttention : public ::testing::TestWithParam<Case> {};

TEST_P(LatticeAttention, IsItsOperator) {
  const Case &item = GetParam();
  Outcome outcome = launch(item);
  ASSERT_EQ(outcome.fault, "");
  std::string name = item.compile.front().substr(strlen("--programs="));
  name.resize(std::min(name.size(), name.find(',')));
  const poly::Program &program = poly::findProgram(name)->program;
  int64_t tileKeys = outcome.metadata.integer("keyRows");
  auto replayed = [&](RowMaximum maximum) {
    return rowsOf(outcome, [&, maximum](int64_t index) {
      return outcome.reference->replayed(index, program, maximum, tileKeys);
    });
  };
  std::vector<AttentionRow> truth = rowsOf(
      outcome, [&](int64_t index) { return outcome.reference->truth(index); });
  std::vector<AttentionRow> actual = actualRows(outcome);
  std::vector<AttentionRow> whole = replayed(RowMaximum::Final);
  std::vector<AttentionRow> running = replayed(RowMaximum::Running);
  // The kernel does what the operator does, but for the output's rounding.
  double distance = relativeError(actual, running);
  EXPECT_LE(distance, item.limit);
  EXPECT_GE(distance, item.limit / 3);
  // With the final maximum all along, weights fall on other points of the
  // lattice: their errors are others, of the same size. Not where offsets are
  // whole octaves.
  double wholeDistance = relativeError(actual, whole);
  double ratio = relativeError(actual, truth) / relativeError(whole, truth);
  bool isBounded = outcome.metadata.number("scoreBound", 0) > 0;
  if (item.shape.keys <= tileKeys || isBounded) {
    EXPECT_LE(wholeDistance, item.limit);
    EXPECT_NEAR(ratio, 1, isBounded ? 1e-2 : 2e-3);
  } else {
    EXPECT_GE(wholeDistance, 10 * item.limit);
    EXPECT_LE(ratio, 1.01);
    EXPECT_GE(ratio, 0.8);
  }
}

const Case kLattices[] = {
    {"h15",
     {"attention", "--head-dim=64", "--matrix-sum"},
     {"--programs=exp2-h15satmad-f32-bf16x2"},
     {1, 1, 1, 140, 520, 1},
     2e-3},
    {"h15Causal",
     {"attention", "--head-dim=64", "--matrix-sum", "--causal"},
     {"--programs=exp2-h15satmad-f32-bf16x2"},
     {1, 1, 1, 140, 300, 3},
     2e-3},
    {"h15OneTile",
     {"attention", "--head-dim=64", "--matrix-sum"},
     {"--programs=exp2-h15satmad-f32-bf16x2"},
     {1, 2, 1, 140, 120, 3},
     2e-3},
    {"h15F16",
     {"attention", "--head-dim=64", "--matrix-sum", "--type=f16"},
     {"--programs=exp2-h15sat-f32-f16x2"},
     {1, 1, 1, 140, 300, 1},
     2.5e-4},
    // No clamp but where columns are hidden; offsets are whole octaves.
    {"bounded",
     {"attention", "--head-dim=64", "--matrix-sum", "--score-bound=480"},
     {"--programs=exp2-lattice7bare-f32-bf16x2,exp2-lattice7sat-f32-bf16x2"},
     {1, 1, 1, 140, 520, 1},
     2e-3},
};
INSTANTIATE_TEST_SUITE_P(Kernels, LatticeAttention,
                         ::testing::ValuesIn(kLattices),
                         [](const auto &info) { return info.param.name; });

} // namespace
