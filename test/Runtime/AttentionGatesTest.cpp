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
#include "poly/Program/Replay.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

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
                weight *= 1.0201;
            }).find("sum to 1.0201"),
            std::string::npos);
  EXPECT_EQ(fault([](auto &rows) {
              for (double &weight : rows[1])
                weight *= 1.0199;
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

// Weights within seven octaves of the greatest count, which is to say those
// that e4m3 has all bits for.
TEST(AttentionGates, SeeSevenOctavesOfARow) {
  auto spread = [](double octavesBelow) {
    double small = std::exp2(-octavesBelow), octaves = 0;
    std::vector<Weights> truth = {{1 / (1 + small), small / (1 + small)}};
    std::vector<Weights> found = {{truth[0][0], truth[0][1] * 1.5}};
    checkWeights(found, truth, 1, octaves);
    return octaves;
  };
  EXPECT_NEAR(spread(6.99), std::log2(1.5), 1e-9);
  EXPECT_EQ(spread(7.01), 0);
}

// Each limit as the documentation has it: what is a little above fails.
TEST(AttentionGates, LimitsAreThoseOfTheDocumentation) {
  const Program *lattice = &program("exp2-lattice3-f16-e4m3x4");
  const Program *octaves = &program("exp2-h15-f32");
  const struct {
    const char *what;
    double found, documented;
  } limits[] = {
      {"results of 16 bits", errorLimit({}), 4e-3},
      {"results that a suite states", errorLimit({true, true, lattice, 0.03}),
       0.03},
      {"native weights", errorLimit({true, false, nullptr}), 3.38e-2},
      {"a running sum", errorLimit({true, true, nullptr}), 6.76e-2},
      {"the storage-grid lattice", errorLimit({true, false, lattice}), 4.28e-2},
      {"the half-octave lattice", errorLimit({true, false, octaves}), 1.17e-1},
      {"a log-sum-exp", logSumExpLimit({}), 4e-3},
      {"a log-sum-exp of exact results",
       logSumExpLimit({false, false, nullptr, 1e-4}), 1e-3},
      {"that of native weights", logSumExpLimit({true, false, nullptr}),
       0.169 * std::log(2.0)},
      {"that of a lattice", logSumExpLimit({true, true, lattice, 1}),
       0.214 * std::log(2.0)},
      {"a program of 16 bits", operatorLimit(false, 10), 4e-3},
      {"a program of 8 bits", operatorLimit(true, 64), 2e-2},
      {"a program of 8 bits over few rows", operatorLimit(true, 63), 6.25e-2},
      {"native weights read back", readBackLimit(nullptr), 0.189},
      {"a lattice's weights read back", readBackLimit(lattice), 0.235},
  };
  for (const auto &limit : limits) {
    EXPECT_NEAR(limit.found / limit.documented, 1, 5e-3) << limit.what;
  }
  EXPECT_EQ(checkBias(-2.99e-3, "softmax", 16384), "");
  EXPECT_EQ(checkBias(-3.01e-3, "softmax", 16384),
            "a sum over 16384 keys has a bias of -0.003010");
  EXPECT_NE(checkBias(3.01e-3, "softcap", 16384), "");
  EXPECT_EQ(checkBias(9.99e-3, "sigmoid", 16384), "");
  EXPECT_NE(checkBias(1.01e-2, "sigmoid", 16384), "");
  EXPECT_NE(checkBias(NAN, "softmax", 16384), "");
  // Exponents of f16 have whole numbers as offsets up to 2^11, eight of which
  // weights take.
  EXPECT_TRUE(fitsExponents(true, 2039.9));
  EXPECT_FALSE(fitsExponents(true, 2040));
  EXPECT_TRUE(fitsExponents(false, 62.5));
  EXPECT_FALSE(fitsExponents(false, 62.51));
  EXPECT_FALSE(fitsExponents(true, NAN));
}

/// The relative error of 64 rows of a softmax over 200 keys, of weights that
/// \p exp2 gives for exponents up to 8.
double errorWith(const std::function<double(double)> &exp2) {
  constexpr int kRows = 64, kKeys = 200, kColumns = 16;
  std::mt19937 engine(3);
  std::normal_distribution<double> normal;
  std::vector<double> values(kKeys * kColumns), scores(kKeys);
  for (double &value : values)
    value = normal(engine);
  double errors = 0, squares = 0;
  for (int row = 0; row < kRows; ++row) {
    for (double &score : scores)
      score = 1.44 * normal(engine);
    double offset =
        std::floor(8 - *std::max_element(scores.begin(), scores.end()));
    std::vector<double> exact(kColumns), found(kColumns);
    double sum = 0, foundSum = 0;
    for (int key = 0; key < kKeys; ++key) {
      double exponent = scores[size_t(key)] + offset;
      double weight = std::exp2(exponent), own = exp2(exponent);
      sum += weight;
      foundSum += own;
      for (int d = 0; d < kColumns; ++d) {
        double value = values[size_t(key * kColumns + d)];
        exact[size_t(d)] += weight * value;
        found[size_t(d)] += own * value;
      }
    }
    for (int d = 0; d < kColumns; ++d) {
      double truth = exact[size_t(d)] / sum;
      double difference = found[size_t(d)] / foundSum - truth;
      errors += difference * difference;
      squares += truth * truth;
    }
  }
  return std::sqrt(errors / squares);
}

TEST(AttentionGates, ErrorLimitsTellWeightsFromWrongOnes) {
  const Program &lattice = program("exp2-lattice3-f32-e4m3x4");
  auto latticeWeight = [&](double x) {
    uint32_t in = encode(Format::F32, x), out = 0;
    replayElements(lattice, &in, &out, 1);
    return decode(Format::E4M3, out);
  };
  double native = errorLimit({true, false, nullptr});
  double coarse = errorLimit({true, false, &lattice});
  EXPECT_LE(errorWith(rounded), native);
  EXPECT_GE(errorWith(rounded), native / 2);
  EXPECT_LE(errorWith(latticeWeight), coarse);
  EXPECT_GE(errorWith(latticeWeight), coarse / 2);
  // Rounded once more, to two bits of fraction.
  auto twice = [](double x) {
    return decode(Format::E5M2, encode(Format::E5M2, rounded(x)));
  };
  EXPECT_GT(errorWith(twice), coarse);
  EXPECT_GT(errorWith(twice), operatorLimit(true, 64));
  // One octave of exponents is an octave off; the half-octave lattice.
  EXPECT_GT(errorWith([&](double x) {
              return latticeWeight(x >= 3 && x < 4 ? x - 1 : x);
            }),
            coarse);
  EXPECT_GT(errorWith([](double x) {
              double n = std::nearbyint(2 * x);
              double whole = std::floor(n / 2);
              return std::exp2(whole) * (1 + (n - 2 * whole) / 2);
            }),
            coarse);
}

TEST(AttentionGates, LogSumExpsThatWereNotWrittenAreFar) {
  EXPECT_EQ(logSumExpDistance(-INFINITY, -INFINITY), 0);
  EXPECT_EQ(logSumExpDistance(2, 1.5), 0.5);
  for (double found : {double(NAN), double(INFINITY), 3.0})
    EXPECT_EQ(logSumExpDistance(found, -INFINITY), HUGE_VAL) << found;
  for (double found : {double(NAN), double(INFINITY), double(-INFINITY)})
    EXPECT_EQ(logSumExpDistance(found, 1), HUGE_VAL) << found;
}

} // namespace
