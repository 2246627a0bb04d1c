//===- AttentionQuantiserTest.cpp - Operands of 8 bits --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionQuantiser.h"

#include "poly/Program/Formats.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace poly;
using namespace poly::bench;

namespace {

constexpr ArrayShape kShape = {2, 5, 3, 8};

std::vector<float> numbers() {
  std::mt19937 engine(7);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> values(kShape.elements());
  for (float &value : values)
    value = normal(engine);
  return values;
}

double greatestOf(const Quantised &result, Format format) {
  double greatest = 0;
  for (uint32_t bits : result.elements)
    greatest = std::max(greatest, std::fabs(decode(format, bits)));
  return greatest;
}

TEST(AttentionQuantiser, GivesTheNumbersBack) {
  std::vector<float> values = numbers();
  for (Format format : {Format::E4M3, Format::E5M2})
    for (FactorsFor share : {FactorsFor::Tensor, FactorsFor::Head}) {
      Quantised result = quantise(values, kShape, format, share);
      ASSERT_EQ(result.factors.size(), share == FactorsFor::Tensor ? 1u : 6u);
      std::vector<float> factors = result.expanded(kShape.allHeads());
      ASSERT_EQ(factors.size(), 6u);
      double bits = format == Format::E4M3 ? 3 : 2, worst = 0;
      for (int64_t head = 0; head < kShape.allHeads(); ++head)
        for (int64_t place = 0; place < kShape.length; ++place)
          for (size_t d = 0; d < size_t(kShape.headDim); ++d) {
            size_t i = kShape.row(head, place) + d;
            double back = decode(format, result.elements[i]) *
                          double(factors[size_t(head)]);
            if (std::fabs(values[i]) > 0.1)
              worst = std::max(worst, std::fabs(back / values[i] - 1));
          }
      EXPECT_LE(worst, std::exp2(-bits - 1) * (1 + 1e-6));
      EXPECT_GE(worst, std::exp2(-bits - 1) / 2);
      // The range is used.
      EXPECT_EQ(greatestOf(result, format),
                format == Format::E4M3 ? 448 : 57344);
    }
}

TEST(AttentionQuantiser, FindsEveryRowOfEveryHead) {
  // [batch, length, heads, headDim]: head 4 is the second of the second batch.
  EXPECT_EQ(kShape.row(4, 3), size_t(((1 * 5 + 3) * 3 + 1) * 8));
  std::vector<float> values(kShape.elements(), 1);
  for (int64_t place = 0; place < kShape.length; ++place)
    for (size_t d = 0; d < 8; ++d)
      values[kShape.row(4, place) + d] = 64;
  Quantised result = quantise(values, kShape, Format::E4M3, FactorsFor::Head);
  for (size_t head = 0; head < 6; ++head)
    EXPECT_FLOAT_EQ(result.factors[head], (head == 4 ? 64 : 1) / 448.0f);
}

TEST(AttentionQuantiser, KeepsNormsBelowThePromise) {
  std::vector<float> values = numbers();
  for (double limit : {1.0, 40.0}) {
    Quantised result =
        quantise(values, kShape, Format::E4M3, FactorsFor::Head, limit);
    std::vector<double> norms = rowNorms(result.elements, kShape, Format::E4M3);
    for (double norm : norms) {
      EXPECT_LE(norm, limit);
      EXPECT_GE(norm, limit * 0.85); // Half a unit in the last place is 1/16.
    }
  }
  // Query head h reads key head h / 2.
  EXPECT_EQ(productBound({1, 2, 3, 4}, {5, 1}, 4, 2), 10);
  // The second batch has heads of its own.
  EXPECT_EQ(productBound({1, 1, 1, 7}, {5, 6}, 2, 1), 42);
}

TEST(AttentionQuantiser, NormsAreOfWhatIsFinite) {
  std::vector<uint32_t> elements(kShape.elements(), encode(Format::E5M2, 2));
  std::vector<double> norms = rowNorms(elements, kShape, Format::E5M2);
  elements[kShape.row(1, 0) + 3] = traits(Format::E5M2).infinity;
  elements[kShape.row(2, 1) + 3] = traits(Format::E5M2).canonicalNaN;
  EXPECT_EQ(rowNorms(elements, kShape, Format::E5M2), norms);
  elements[kShape.row(1, 1)] = encode(Format::E5M2, 448);
  EXPECT_GT(rowNorms(elements, kShape, Format::E5M2)[1], norms[1]);
}

TEST(AttentionQuantiser, RefusesWhatIsNotFinite) {
  for (float bad : {NAN, INFINITY}) {
    std::vector<float> values = numbers();
    values[11] = bad;
    try {
      quantise(values, kShape, Format::E4M3, FactorsFor::Tensor);
      FAIL() << "took " << bad;
    } catch (const std::runtime_error &error) {
      EXPECT_STREQ(error.what(), "element 11 is not finite; 8-bit operands "
                                 "have no factor for it");
    }
  }
  // Nothing but zeros has the factor 1.
  std::vector<float> zeros(kShape.elements());
  EXPECT_EQ(quantise(zeros, kShape, Format::E5M2, FactorsFor::Tensor).factors,
            std::vector<float>{1});
}

} // namespace
