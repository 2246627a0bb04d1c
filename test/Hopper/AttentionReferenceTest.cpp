//===- AttentionReferenceTest.cpp - What attention is compared with -------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionReference.h"

#include "poly/Program/Registry.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace poly::bench;

namespace {

/// One query that meets two keys with scores 0 and \p score: its first element
/// is 8 and theirs are the scores, times 1 / sqrt(64). Values are 1 and 4.
AttentionReference twoKeys(const AttentionProblem &problem, float score) {
  std::vector<float> query(64), key(128), value(128);
  query[0] = 8;
  key[64] = score;
  value[0] = 1;
  value[64] = 4;
  return {problem, query, key, value};
}

AttentionProblem problemOf(const char *score) {
  AttentionProblem problem;
  problem.score = score;
  problem.headDim = 64;
  problem.keyLength = 2;
  problem.cap = 2;
  return problem;
}

TEST(AttentionReference, ComputesEachScore) {
  AttentionRow soft = twoKeys(problemOf("softmax"), -1).truth(0);
  double weight = std::exp(-1.0);
  EXPECT_NEAR(soft.output[0], (1 + 4 * weight) / (1 + weight), 1e-15);
  EXPECT_EQ(soft.output[1], 0);
  EXPECT_NEAR(soft.logSumExp, std::log(1 + weight), 1e-15);
  double capped = std::exp(2 * std::tanh(-0.5));
  EXPECT_NEAR(twoKeys(problemOf("softcap"), -1).truth(0).output[0],
              (1 + 4 * capped) / (1 + capped), 1e-15);
  // The bias is -log 2.
  EXPECT_NEAR(twoKeys(problemOf("sigmoid"), -1).truth(0).output[0],
              1.0 / 3 + 4 / (1 + 2 * std::exp(1.0)), 1e-15);
  EXPECT_NEAR(twoKeys(problemOf("identity"), -1).truth(0).output[0], -4, 1e-15);
}

TEST(AttentionReference, MasksWhatIsBehindAndFindsTheHeads) {
  AttentionProblem problem;
  problem.score = "softmax";
  problem.causal = true;
  problem.headDim = 1;
  problem.batch = 2;
  problem.queryLength = 3;
  problem.keyLength = 2;
  problem.heads = 4;
  problem.keyHeads = 2;
  EXPECT_EQ(problem.visible(0), 0);
  EXPECT_EQ(problem.visible(1), 1);
  EXPECT_EQ(problem.visible(2), 2);
  EXPECT_EQ(problem.rows(), 24);
  // All scores are equal: a row is the mean of the values that it sees.
  std::vector<float> value = {1, 10, 3, 30, 5, 50, 7, 70};
  AttentionReference reference(problem, std::vector<float>(24),
                               std::vector<float>(8), value);
  auto at = [&](int64_t batch, int64_t head, int64_t row) {
    return reference.truth((batch * 4 + head) * 3 + row);
  };
  EXPECT_EQ(at(0, 0, 0).output[0], 0);
  EXPECT_EQ(at(0, 0, 0).logSumExp, -INFINITY);
  EXPECT_EQ(at(0, 1, 1).output[0], 1);
  EXPECT_EQ(at(0, 2, 2).output[0], 20);
  EXPECT_EQ(at(1, 1, 2).output[0], 6);
  EXPECT_EQ(at(1, 3, 1).output[0], 50);
  EXPECT_EQ(reference.offset((1 * 4 + 3) * 3 + 2), size_t((1 * 3 + 2) * 4 + 3));
}

TEST(AttentionReference, ReplaysAProgramWithEitherMaximum) {
  const poly::Program &half =
      poly::findProgram("exp2-h15satmad-f32-bf16x2")->program;
  // 1.1 octaves below the maximum the lattice's weight is a half.
  float score = float(-1.1 / std::log2(std::exp(1.0)));
  AttentionReference reference = twoKeys(problemOf("softmax"), score);
  AttentionRow whole = reference.replayed(0, half, RowMaximum::Final, 1);
  EXPECT_EQ(whole.output[0], 2.0);
  EXPECT_NEAR(whole.logSumExp, std::log(1.5), 1e-12);
  // The last tile is the first, with a maximum of its own and a weight of one;
  // the correction is no lattice's.
  AttentionRow running = reference.replayed(0, half, RowMaximum::Running, 1);
  double weight = std::exp(double(score));
  EXPECT_NEAR(running.output[0], (1 + 4 * weight) / (1 + weight), 1e-6);
  // In one tile both are the same.
  EXPECT_EQ(reference.replayed(0, half, RowMaximum::Running, 2).output,
            whole.output);
}

TEST(AttentionReference, ComputesRowsInOrder) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < 1000; ++i)
    indices.push_back(7 * i);
  std::vector<AttentionRow> rows = computeRows(
      indices, [](int64_t index) { return AttentionRow{{double(index)}, 0}; });
  ASSERT_EQ(rows.size(), indices.size());
  for (size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(rows[i].output.front(), double(indices[i]));
  EXPECT_EQ(relativeError(rows, rows), 0);
  EXPECT_TRUE(computeRows({}, {}).empty());
  std::vector<AttentionRow> truth = {{{3, 0}, 0}, {{4, 0}, 0}};
  std::vector<AttentionRow> off = {{{3, 1}, 0}, {{4, 0}, 0}};
  EXPECT_DOUBLE_EQ(relativeError(off, truth), 0.2);
}

} // namespace
