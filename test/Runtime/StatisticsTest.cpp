//===- StatisticsTest.cpp - Robust summaries and orders -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"
#include "Measure.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

using namespace poly::runtime;

namespace {

TEST(Statistics, QuantilesAreLinearBetweenSamples) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40, 50}, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 0.75), 17.5);
  EXPECT_DOUBLE_EQ(quantile({7}, 1), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, SummaryOfUnorderedSamples) {
  Summary summary = summarize({5, 1, 4, 2, 3});
  EXPECT_EQ(summary.count, 5u);
  EXPECT_DOUBLE_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.lowest, 1);
  EXPECT_DOUBLE_EQ(summary.highest, 5);
  EXPECT_DOUBLE_EQ(summary.lower, 2);
  EXPECT_DOUBLE_EQ(summary.upper, 4);
  EXPECT_DOUBLE_EQ(summary.spread(), 2.0 / 3);
}

TEST(Statistics, OneOutlierMovesNothing) {
  EXPECT_DOUBLE_EQ(summarize({1, 1, 1, 1, 1000}).median, 1);
  EXPECT_DOUBLE_EQ(summarize({1, 1, 1, 1, 1000}).spread(), 0);
}

// Ranks of the interval by the binomial distribution: for 9 samples the 2nd and
// the 8th enclose the median with 96.1 %, for 25 the 8th and the 18th with 95.7
// %.
TEST(Statistics, IntervalOfTheMedian) {
  auto ramp = [](int count) {
    std::vector<double> samples;
    for (int i = 1; i <= count; ++i)
      samples.push_back(100 + i);
    return samples;
  };
  EXPECT_DOUBLE_EQ(medianUncertainty(ramp(9)), (108 - 102) / 2.0 / 105);
  EXPECT_DOUBLE_EQ(medianUncertainty(ramp(25)), (118 - 108) / 2.0 / 113);
  EXPECT_DOUBLE_EQ(medianUncertainty(ramp(6)), (106 - 101) / 2.0 / 103.5);
  EXPECT_TRUE(std::isinf(medianUncertainty(ramp(5))));
}

// The clock halves in the second round for both: the ratio does not notice.
TEST(Statistics, RatiosAreTakenRoundByRound) {
  EXPECT_DOUBLE_EQ(medianRatio({10, 20, 10}, {5, 10, 5}), 2);
  EXPECT_THROW(medianRatio({1}, {1, 2}), std::invalid_argument);
}

TEST(Measure, OrdersTurnAroundAndStartAnywhere) {
  using Order = std::vector<size_t>;
  EXPECT_EQ(roundOrder(3, 0), (Order{0, 1, 2}));
  EXPECT_EQ(roundOrder(3, 1), (Order{2, 1, 0}));
  EXPECT_EQ(roundOrder(3, 2), (Order{1, 2, 0}));
  EXPECT_EQ(roundOrder(3, 3), (Order{0, 2, 1}));
  // Each contender stands in each place as often as the others.
  std::vector<std::vector<int>> places(4, std::vector<int>(4, 0));
  for (unsigned round = 0; round < 8; ++round) {
    Order order = roundOrder(4, round);
    for (size_t place = 0; place < 4; ++place)
      ++places[order[place]][place];
  }
  for (const std::vector<int> &counts : places)
    EXPECT_EQ(counts, (std::vector<int>{2, 2, 2, 2}));
}

TEST(Measure, DrawsEachRoundsOrderAnew) {
  // Each contender once a round, each pair of neighbours in some round.
  std::vector<std::vector<int>> follows(5, std::vector<int>(5, 0));
  for (unsigned round = 0; round < 60; ++round) {
    std::vector<size_t> order = shuffledOrder(5, round);
    EXPECT_EQ(order, shuffledOrder(5, round));
    for (size_t i = 1; i < 5; ++i)
      ++follows[order[i - 1]][order[i]];
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3, 4}));
  }
  for (size_t a = 0; a < 5; ++a)
    for (size_t b = 0; b < 5; ++b)
      if (a != b) {
        EXPECT_GE(follows[a][b], 4) << a << " before " << b;
      }
  EXPECT_TRUE(shuffledOrder(0, 3).empty());
}

TEST(Nvml, NamesReasonsAndKnowsWhichHoldTheClockDown) {
  EXPECT_EQ(describeClockReasons(0), "none");
  EXPECT_EQ(describeClockReasons(0x4 | 0x20), "power cap, thermal");
  EXPECT_EQ(describeClockReasons(0x1 | 0x100000), "idle, other");
  GpuState state;
  EXPECT_FALSE(state.throttled());
  state.clockReasons = 0x1 | 0x2;
  EXPECT_FALSE(state.throttled());
  state.clockReasons = 0x4;
  EXPECT_TRUE(state.throttled());
}

} // namespace
