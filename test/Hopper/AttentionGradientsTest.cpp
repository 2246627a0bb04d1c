//===- AttentionGradientsTest.cpp - What gradients are compared with ------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionGradients.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace poly::bench;

namespace {

struct Arrays {
  std::vector<float> query, key, value, outputGradient;
};

/// Multiples of 2^-6, so that steps of powers of two are exact in f32.
std::vector<float> numbers(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(float(int(random() % 256) - 128) / 64);
  return result;
}

Arrays arraysOf(const AttentionProblem &p) {
  int64_t queries = p.batch * p.queryLength * p.heads * p.headDim;
  int64_t keys = p.batch * p.keyLength * p.keyHeads * p.headDim;
  return {numbers(queries, 1), numbers(keys, 2), numbers(keys, 3),
          numbers(queries, 4)};
}

/// The sum of O * dO of the forward reference.
double loss(const AttentionProblem &problem, const Arrays &a) {
  AttentionReference forward(problem, a.query, a.key, a.value);
  double sum = 0;
  for (int64_t i = 0; i < problem.rows(); ++i) {
    AttentionRow row = forward.truth(i);
    for (size_t d = 0; d < row.output.size(); ++d)
      sum += row.output[d] * double(a.outputGradient[forward.offset(i) + d]);
  }
  return sum;
}

/// By \p element, from four points: its error is of the fourth order.
double difference(const AttentionProblem &problem, Arrays &a, float &element) {
  constexpr float kStep = 0x1p-9f;
  float before = element;
  auto slope = [&](float step) {
    element = before + step;
    double above = loss(problem, a);
    element = before - step;
    double below = loss(problem, a);
    element = before;
    return (above - below) / (2 * double(step));
  };
  return (4 * slope(kStep) - slope(2 * kStep)) / 3;
}

class AttentionGradientsOf : public ::testing::TestWithParam<const char *> {};

TEST_P(AttentionGradientsOf, AreSlopesOfTheForwardReference) {
  for (bool causal : {false, true}) {
    AttentionProblem problem;
    problem.score = GetParam();
    problem.causal = causal;
    problem.batch = 2;
    problem.queryLength = 4;
    problem.keyLength = 3; // The first query sees no key.
    problem.heads = 2;
    problem.keyHeads = 1;
    problem.headDim = 3;
    problem.cap = 1.5;
    Arrays a = arraysOf(problem);
    AttentionGradients gradients(problem, a.query, a.key, a.value,
                                 a.outputGradient);
    double worst = 0, greatest = 0;
    auto compare = [&](double value, float &element) {
      worst =
          std::max(worst, std::fabs(value - difference(problem, a, element)));
      greatest = std::max(greatest, std::fabs(value));
    };
    for (int64_t i = 0; i < problem.rows(); ++i) {
      std::vector<double> row = gradients.ofQuery(i);
      for (size_t d = 0; d < row.size(); ++d)
        compare(row[d], a.query[gradients.queryOffset(i) + d]);
    }
    std::vector<int64_t> keys = {0, 5, 1, 4, 2, 3};
    std::vector<AttentionGradients::OfKey> rows = gradients.ofKeys(keys);
    ASSERT_EQ(rows.size(), keys.size());
    for (size_t i = 0; i < keys.size(); ++i)
      for (size_t d = 0; d < 3; ++d) {
        compare(rows[i].key[d], a.key[gradients.keyOffset(keys[i]) + d]);
        compare(rows[i].value[d], a.value[gradients.keyOffset(keys[i]) + d]);
      }
    EXPECT_LT(worst, 1e-9);
    EXPECT_GT(greatest, 0.5);
  }
}

INSTANTIATE_TEST_SUITE_P(Scores, AttentionGradientsOf,
                         ::testing::Values("softmax", "softcap", "sigmoid"),
                         [](const auto &info) { return info.param; });

TEST(AttentionGradients, OfWhatSeesNothingAreZero) {
  AttentionProblem problem;
  problem.score = "softmax";
  problem.causal = true;
  problem.queryLength = 2;
  problem.headDim = 2;
  Arrays a = arraysOf(problem);
  AttentionGradients gradients(problem, a.query, a.key, a.value,
                               a.outputGradient);
  EXPECT_EQ(gradients.ofQuery(0), (std::vector<double>{0, 0}));
  // The only key has all weight: no score changes anything.
  EXPECT_NEAR(gradients.ofQuery(1)[0], 0, 1e-12);
  EXPECT_NEAR(gradients.ofKeys({0})[0].value[1], double(a.outputGradient[3]),
              1e-12);
}

} // namespace
