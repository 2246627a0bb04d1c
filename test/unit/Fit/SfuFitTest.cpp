//===- SfuFitTest.cpp - Fits of parts of SFU programs ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/SfuFit.h"
#include "poly/Fit/Tables.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace poly;
using namespace poly::fit;

namespace {

double horner(const std::vector<double> &c, double x) {
  double sum = 0;
  for (size_t i = c.size(); i-- > 0;)
    sum = sum * x + c[i];
  return sum;
}

} // namespace

// One degree less misses one ulp of the result.
TEST(SfuFit, PicksTheLeastDegree) {
  struct {
    Function function;
    Format format;
    size_t degree;
  } const cases[] = {
      {Function::Sigmoid, Format::BF16, 3}, {Function::Tanh, Format::BF16, 3},
      {Function::Silu, Format::BF16, 4},    {Function::Sigmoid, Format::F16, 5},
      {Function::Tanh, Format::F16, 5},     {Function::Silu, Format::F16, 5},
  };
  for (const auto &c : cases) {
    SfuFit fit = fitReciprocal(c.function, c.format);
    EXPECT_EQ(fit.coefficients.size(), c.degree + 1);
    EXPECT_LE(fit.error, 0.95);
    EXPECT_GT(fitReciprocal(c.function, c.format, unsigned(c.degree) - 1).error,
              1.0);
  }
}

TEST(SfuFit, ReciprocalIsExactAtZeroAndCloseElsewhere) {
  SfuFit fit = fitReciprocal(Function::Silu, Format::BF16);
  EXPECT_EQ(fit.coefficients[0], 1.0);
  for (double e = 0; e <= 1; e += 0x1p-10)
    EXPECT_LE(std::fabs(horner(fit.coefficients, e) * (1 + e) - 1),
              0x1p-9 * fit.error * 1.001)
        << e;
  for (double c : fit.coefficients)
    EXPECT_EQ(c, double(float(c)));
}

TEST(SfuFit, TanhOriginIsBelowHalfAnUlpOfF32) {
  SfuFit fit = fitTanhOrigin();
  EXPECT_LT(fit.error, 0x1p-25);
  for (double x = 0x1p-10; x <= kTanhOrigin; x += 0x1p-10) {
    double y = x + x * x * x * horner(fit.coefficients, x * x);
    EXPECT_LE(std::fabs(y / std::tanh(x) - 1), 0x1p-24) << x;
  }
}
