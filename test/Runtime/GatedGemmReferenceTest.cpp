//===- GatedGemmReferenceTest.cpp - What gated GEMMs are compared with ----===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatedGemmReference.h"

#include "gtest/gtest.h"

#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

using namespace poly;
using namespace poly::bench;

namespace {

GatedOperator operatorOf(const char *activation, bool roundInputs = false) {
  GatedOperator op;
  op.activation = activation;
  op.beta = 2;
  op.roundInputs = roundInputs;
  return op;
}

TEST(GatedOperator, ComputesEachActivation) {
  double sigmoid = 1 / (1 + std::exp(-1.0));
  EXPECT_NEAR(operatorOf("silu").apply(1, 3), 3 * sigmoid, 1e-15);
  EXPECT_NEAR(operatorOf("sigmoid").apply(1, 3), 3 * sigmoid, 1e-15);
  EXPECT_NEAR(operatorOf("swish").apply(0.5, 3), 1.5 * sigmoid, 1e-15);
  EXPECT_EQ(operatorOf("identity").apply(-0.5, 3), -1.5);
  // Values from tables of the normal distribution.
  EXPECT_NEAR(operatorOf("gelu-erf").apply(1, 2), 2 * 0.8413447460685429,
              1e-15);
  EXPECT_NEAR(operatorOf("gelu-tanh").apply(1, 2), 2 * 0.8411919906082768,
              1e-14);
  // The gate ends at 7, up at -7 and 7, and has one added.
  double clamped = 7 / (1 + std::exp(-1.702 * 7));
  EXPECT_NEAR(operatorOf("clamped").apply(100, -9), -6 * clamped, 1e-13);
  EXPECT_NEAR(operatorOf("clamped").apply(100, 9), 8 * clamped, 1e-13);
  EXPECT_THROW(operatorOf("relu").apply(1, 1), std::runtime_error);
}

TEST(GatedOperator, RoundsWhereTheKernelDoes) {
  // A quarter ulp of bf16 above one.
  double gate = 1 + 0x1p-9;
  EXPECT_EQ(operatorOf("identity").rounded(gate, 3 + 0x1p-4), 3.0625);
  EXPECT_EQ(operatorOf("identity", true).rounded(gate, 1), 1);
  // 1.0059 times 4 rounds to 4.03125, 1 times 4 does not.
  double more = 1 + 0x1p-8 + 0x1p-9;
  EXPECT_EQ(operatorOf("identity").rounded(more, 4), 4.03125);
  EXPECT_EQ(operatorOf("identity", true).rounded(more, 4), 4.03125);
  GatedOperator half = operatorOf("identity");
  half.type = Format::F16;
  EXPECT_EQ(half.rounded(gate, 1), gate);
  GatedOperator rounded = operatorOf("silu", true);
  rounded.roundActivation = true;
  double activated =
      decode(Format::BF16, encode(Format::BF16, 1 / (1 + std::exp(-1.0))));
  EXPECT_EQ(rounded.apply(1, 3), 3 * activated);
}

TEST(GatedOperator, CanBeWrongOnPurpose) {
  EXPECT_EQ((GateGrade{GateGrade::Float}(1.0 / 3)), double(1.0f / 3));
  EXPECT_EQ((GateGrade{GateGrade::NextUp}(0.5)), 0.5 + 0x1p-24);
  EXPECT_EQ((GateGrade{GateGrade::Coarse, 4}(0.4)), 1.0 / 3);
  EXPECT_EQ((GateGrade{GateGrade::Coarse, 16}(0.4)), 0.4);
  EXPECT_EQ(operatorOf("silu").apply(8, 1, {GateGrade::Coarse, 4}), 8);
  EXPECT_EQ(operatorOf("identity").apply(8, 1, {GateGrade::Coarse, 4}), 8);
}

/// Two experts, of which the first has no rows; the third row is nobody's.
GatedGemmShape routed() {
  GatedGemmShape shape;
  shape.rows = 3;
  shape.depth = 2;
  shape.columns = 1;
  shape.offsets = {0, 0, 2};
  return shape;
}

TEST(GatedGemmReference, MultipliesRowsWithTheirExpertsWeights) {
  auto words = [](std::vector<double> values) {
    Words result;
    for (double value : values)
      result.push_back(encode(Format::BF16, value));
    return result;
  };
  GatedGemmShape shape = routed();
  // X repeats after three elements: rows 1 2, 3 1, 2 3.
  RepeatedArray input(Format::BF16, words({1, 2, 3}), 2);
  RepeatedArray weight(Format::BF16, words({100, 100, 100, 100, 1, 4, -1, 8}),
                       2);
  GatedProducts products =
      productsOf(shape, input, weight, sampleRows(shape, 10));
  EXPECT_EQ(products.rows, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(products.gate, (std::vector<double>{9, 7}));
  EXPECT_EQ(products.up, (std::vector<double>{15, 5}));
  shape.offsets.clear();
  products = productsOf(shape, input, weight, {2});
  EXPECT_EQ(products.gate, (std::vector<double>{500}));
  EXPECT_EQ(products.up, (std::vector<double>{500}));
  EXPECT_EQ(shape.flops(), 4.0 * 3 * 2);
}

TEST(GatedGemmReference, SamplesAllPlacesOfTilesAndEachExpertsEnds) {
  GatedGemmShape shape;
  shape.rows = 24576;
  std::vector<int64_t> rows = sampleRows(shape, 400);
  EXPECT_LE(rows.size(), 403u);
  std::vector<int> places(128, 0);
  for (int64_t row : rows)
    ++places[size_t(row % 128)];
  EXPECT_EQ(std::count(places.begin(), places.end(), 0), 0);
  shape.rows = 5;
  EXPECT_EQ(sampleRows(shape, 5), (std::vector<int64_t>{0, 1, 2, 3, 4}));
  shape.rows = 40;
  shape.offsets = {3, 3, 4, 30};
  EXPECT_EQ(sampleRows(shape, 2), (std::vector<int64_t>{3, 4, 16, 29}));
  EXPECT_EQ(shape.expertOf(3), 1);
  EXPECT_EQ(shape.expertOf(29), 2);
}

TEST(GatedGemmReference, RefusesOffsetsAndShapesBeforeTheyAreLaunched) {
  EXPECT_EQ(offsetsProblem({0, 0, 2}, 2, 2), "");
  EXPECT_EQ(offsetsProblem({5, 5, 5}, 2, 9), "");
  EXPECT_EQ(offsetsProblem({0, 2}, 2, 2),
            "the kernel is for 2 experts and needs 3 offsets, not 2");
  EXPECT_EQ(offsetsProblem({-1, 2}, 1, 2),
            "offset 0 is -1; the first expert's rows begin at 0 or behind");
  EXPECT_EQ(offsetsProblem({0, 4, 3, 5}, 3, 9),
            "offset 2 is 3, less than the 4 before it; sort the rows by "
            "expert");
  EXPECT_EQ(offsetsProblem({0, 4}, 1, 3),
            "the last offset is 4, but there are 3 rows");

  auto problem = [](int64_t rows, int64_t depth, int64_t columns) {
    GatedGemmShape shape;
    shape.rows = rows;
    shape.depth = depth;
    shape.columns = columns;
    return shapeProblem(shape, 8, 8, 128, 64);
  };
  EXPECT_EQ(problem(1, 8, 8), "");
  EXPECT_EQ(problem(1, 12, 8),
            "depth must be a multiple of 8, not 12: rows of the arrays begin "
            "at multiples of 16 bytes; pad it");
  EXPECT_EQ(problem(1, 8, 9).rfind("columns must be a multiple of 8", 0), 0u);
  EXPECT_EQ(problem(0, 8, 8).rfind("the number of rows is 0", 0), 0u);
  EXPECT_EQ(problem(1, -8, 8).rfind("the number of depth is -8", 0), 0u);
  // With 128 rows and 64 columns a tile: the last that 32 bits count.
  int64_t columns = 64 * 32768;
  EXPECT_EQ(problem(128 * 65534, 8, columns), "");
  EXPECT_NE(problem(128 * 65535, 8, columns), "");
}

TEST(GatedGemmReference, DrawsUnevenCounts) {
  std::vector<int64_t> counts = unevenCounts(64, 24576, 3);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t(0)), 24576);
  EXPECT_GE(*std::max_element(counts.begin(), counts.end()), 3 * 24576 / 64);
  EXPECT_EQ(*std::min_element(counts.begin(), counts.end()), 0);
  EXPECT_EQ(offsetsOf({2, 0, 3}, 5), (std::vector<int32_t>{5, 7, 7, 10}));
}

/// Normally distributed gates and ups.
GatedProducts randomProducts(size_t rows) {
  GatedProducts products;
  products.columns = 512;
  std::mt19937 engine(7);
  std::normal_distribution<double> normal(0, 1.5);
  for (size_t i = 0; i < rows; ++i) {
    products.rows.push_back(int64_t(i));
    for (int64_t j = 0; j < products.columns; ++j) {
      products.gate.push_back(normal(engine));
      products.up.push_back(normal(engine));
    }
  }
  return products;
}

TEST(GatedGemmReference, QuotesErrorsOverTheUnavoidable) {
  GatedProducts products = randomProducts(8);
  for (bool roundInputs : {false, true}) {
    GatedOperator op = operatorOf("silu", roundInputs);
    std::vector<double> results = replay(op, products, {});
    GatedError error = compare(op, products, results);
    EXPECT_EQ(error.margin(), 1);
    // Rounding gate and up as well almost doubles the error.
    EXPECT_NEAR(error.overOutputRounding(), roundInputs ? 1.85 : 1, 0.1);
    EXPECT_NEAR(error.relative(), roundInputs ? 3.1e-3 : 1.67e-3, 2e-4);
    results[3] = std::nan("");
    EXPECT_EQ(compare(op, products, results).notNumbers, 1u);
    // One result that is off by one percent of the norm of all.
    results[3] = operatorOf("silu").apply(products.gate[3], products.up[3]) +
                 0.01 * std::sqrt(error.truths);
    EXPECT_NEAR(compare(op, products, results).relative(),
                std::hypot(0.01, error.relative()), 1e-5);
  }
  EXPECT_EQ(compare(operatorOf("silu"), GatedProducts(), {}).relative(), 0);
}

TEST(GatedGemmReference, SeesAnUlpAndCoarseSigmoids) {
  GatedProducts products = randomProducts(512);
  InstrumentReading reading =
      readInstrument(operatorOf("silu", true), products);
  // About one result in 2^15 lies so near to a rounding boundary of bf16.
  EXPECT_GE(reading.changedResults, 1u);
  EXPECT_LE(reading.changedResults, 60u);
  EXPECT_NE(reading.nextUp, reading.asFloat);
  EXPECT_NEAR(reading.nextUp, reading.asFloat, 1e-5);
  EXPECT_NEAR(reading.asFloat, 1, 1e-5);
  EXPECT_NEAR(reading.coarse[0], 1.16, 0.03);
  EXPECT_NEAR(reading.coarse[1], 2.6, 0.15);
  EXPECT_NEAR(reading.coarse[2], 10.2, 0.6);
  EXPECT_NEAR(reading.coarse[3], 47, 3);
  EXPECT_EQ(instrumentProblem(reading, kMarginLimit), "");
  // A looser limit would let the finest of them pass.
  EXPECT_EQ(
      instrumentProblem(reading, 1.25).rfind("a sigmoid of 256 levels", 0), 0u);
  reading.nextUp = reading.asFloat;
  EXPECT_EQ(instrumentProblem(reading, kMarginLimit)
                .rfind("the comparison does not see one f32 ulp", 0),
            0u);
}

} // namespace
