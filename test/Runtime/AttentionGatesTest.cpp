//===- AttentionGatesTest.cpp - Checks that find wrong weights ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionGates.h"

#include "poly/Program/Formats.h"
#include "poly/Program/Registry.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace poly;
using namespace poly::bench;

namespace {

const Program &program(const char *name) { return findProgram(name)->program; }

/// Rows of a softmax over scores that fall by \p step octaves, the greatest in
/// the middle.
std::vector<Weights> weightsOf(const std::function<double(double)> &exp2,
                               double step) {
  std::vector<Weights> rows;
  for (int row = 0; row < 4; ++row) {
    Weights weights;
    double sum = 0;
    for (int key = 0; key < 40; ++key) {
      weights.push_back(exp2(8 - std::fabs(key - 20) * (step + 0.01 * row)));
      sum += weights.back();
    }
    for (double &weight : weights)
      weight /= sum;
    rows.push_back(weights);
  }
  return rows;
}

double exact(double x) { return std::exp2(x); }
double rounded(double x) {
  return decode(Format::E4M3, encode(Format::E4M3, std::exp2(x)));
}

TEST(AttentionGates, WeightsSpreadOverAsManyOctavesAsTheirProgramSays) {
  // Half a step of e4m3 at the numbers above a power of two, to both sides.
  EXPECT_NEAR(weightOctaves(nullptr), std::log2(17.0 / 15), 0.012);
  EXPECT_NEAR(weightOctaves(&program("exp2-lattice3-f16-e4m3x4")), 0.215, 2e-3);
  EXPECT_NEAR(weightOctaves(&program("exp2-lattice3-f32-e4m3x4")), 0.215, 2e-3);
  EXPECT_NEAR(weightOctaves(&program("exp2-h15-f32")), 0.587, 1e-2);
  EXPECT_TRUE(keepsNaN(nullptr));
  EXPECT_TRUE(keepsNaN(&program("exp2-lattice3-f16-e4m3x4")));
  EXPECT_FALSE(keepsNaN(&program("exp2-h15-f32")));
}

TEST(AttentionGates, TakeRoundedWeightsAndFindWrongOnes) {
  std::vector<Weights> truth = weightsOf(exact, 0.23), found;
  double octaves = 0, native = weightOctaves(nullptr) + 0.02;
  EXPECT_EQ(checkWeights(truth, truth, 1e-12, octaves), "");
  EXPECT_LE(octaves, 1e-12);
  EXPECT_EQ(checkWeights(weightsOf(rounded, 0.23), truth, native, octaves), "");
  EXPECT_GT(octaves, 0.1);
  // A lattice, 2^n (1 + f), is none of the hardware's weights.
  found = weightsOf(
      [](double x) {
        double line = std::ldexp(1 + x - std::floor(x), int(std::floor(x)));
        return decode(Format::E4M3, encode(Format::E4M3, line));
      },
      0.23);
  EXPECT_NE(checkWeights(found, truth, native, octaves).find("spread"),
            std::string::npos);
  EXPECT_EQ(checkWeights(found, truth, 0.25, octaves), "");
}

TEST(AttentionGates, FindWrongSumsMaximaAndMasks) {
  const std::vector<Weights> truth = weightsOf(exact, 0.23);
  double octaves;
  auto fault = [&](const std::function<void(std::vector<Weights> &)> &spoil) {
    std::vector<Weights> found = truth;
    spoil(found);
    return checkWeights(found, truth, 0.3, octaves);
  };
  EXPECT_NE(fault([](auto &rows) {
              for (double &weight : rows[1])
                weight *= 1.03;
            }).find("sum to 1.03"),
            std::string::npos);
  EXPECT_EQ(fault([](auto &rows) {
              for (double &weight : rows[1])
                weight *= 1.01;
            }),
            "");
  EXPECT_NE(fault([](auto &rows) {
              std::swap(rows[2][19], rows[2][20]);
            }).find("greatest score has not the greatest weight in row 2"),
            std::string::npos);
  EXPECT_NE(fault([](auto &rows) { rows[0][3] = NAN; }), "");
  EXPECT_NE(fault([](auto &rows) { rows[3][22] = 0; }), "");

  std::vector<Weights> masked = {{0.5, 0.5, 0}, {0, 0, 0}};
  EXPECT_EQ(checkWeights(masked, masked, 0, octaves), "");
  std::vector<Weights> seen = {{0.5, 0.499, 0.001}, {0, 0, 0}};
  EXPECT_EQ(checkWeights(seen, masked, 1, octaves),
            "a masked key has a weight in row 0");
  seen = {{0.5, 0.5, 0}, {0, 0, 1e-9}};
  EXPECT_EQ(checkWeights(seen, masked, 1, octaves),
            "weights of no key in row 1");
}

TEST(AttentionGates, FindNaNsThatSpreadAndThatAreLost) {
  std::vector<bool> expected = {false, true, false};
  EXPECT_EQ(checkNotNumbers(expected, expected, "a NaN"), "");
  EXPECT_EQ(checkNotNumbers({true, true, false}, expected, "a NaN"),
            "a NaN makes row 0 no number, which does not see it");
  EXPECT_EQ(checkNotNumbers({false, false, false}, expected, "a NaN"),
            "a NaN leaves row 1 a number, which sees it");
  EXPECT_DOUBLE_EQ(biasOf({0.5, 2}, {1, 2}), -0.25);
}

} // namespace
