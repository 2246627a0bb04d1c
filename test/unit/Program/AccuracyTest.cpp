//===- AccuracyTest.cpp - Budgets and the real functions ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Certify.h"
#include "poly/Program/Formats.h"

#include "Oracle.h"

#include "gtest/gtest.h"

#include <functional>

using namespace poly;

namespace {

TEST(Accuracy, ParsesAnySubsetWithEitherSeparator) {
  Accuracy a;
  std::string error;
  ASSERT_TRUE(parseAccuracy("atol=1e-2,rtol=1e-3,ulps=1", a, error)) << error;
  EXPECT_EQ(a.atol, 1e-2);
  EXPECT_EQ(a.rtol, 1e-3);
  EXPECT_EQ(a.ulps, 1);
  ASSERT_TRUE(parseAccuracy("rtol=0.5:atol=2", a, error)) << error;
  EXPECT_EQ(a.atol, 2);
  EXPECT_EQ(a.rtol, 0.5);
  EXPECT_EQ(a.ulps, 0);
  ASSERT_TRUE(parseAccuracy("ulps=1.5,atol=0", a, error)) << error;
  EXPECT_EQ(a.ulps, 1.5);
}

TEST(Accuracy, RejectsMistakesAndLeavesTheValueAlone) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "empty"},
      {"atol", "'atol' is not one of"},
      {"1e-3", "'1e-3' is not one of"},
      {"abs=1", "'abs=1' is not one of"},
      {"atol=", "'' is not a number (atol)"},
      {"atol=x", "'x' is not a number"},
      {"atol=1e-3x", "'1e-3x' is not a number"},
      {"atol= 1", "' 1' is not a number"},
      {"atol=-1", "atol must be finite and not negative"},
      {"rtol=inf", "rtol must be finite"},
      {"rtol=nan", "rtol must be finite"},
      {"ulps=1e999", "ulps must be finite"},
      {"atol=1,atol=2", "'atol' is given twice"},
      {"atol=1,", "'' is not one of"},
      {",atol=1", "'' is not one of"},
      {"atol=1;rtol=1", "'1;rtol=1' is not a number"},
      {"atol=0,ulps=0", "accuracy of zero"}};
  for (const auto &[text, message] : cases) {
    Accuracy a{7, 8, 9};
    std::string error;
    EXPECT_FALSE(parseAccuracy(text, a, error)) << text;
    EXPECT_NE(error.find(message), std::string::npos) << text << ": " << error;
    EXPECT_EQ(a.atol, 7);
  }
}

TEST(Accuracy, PrintsWhatItParses) {
  for (const char *text :
       {"atol=0.01", "rtol=0.001,ulps=1", "atol=1e-09,rtol=0.1,ulps=2.5"}) {
    Accuracy a;
    std::string error;
    ASSERT_TRUE(parseAccuracy(text, a, error)) << error;
    EXPECT_EQ(toString(a), text);
  }
  EXPECT_EQ(toString(Accuracy{1.0 / 3, 0, 0}), "atol=0.3333333333333333");
}

/// The functions from their definitions in 300 bits.
double exact(Function function, double value) {
  mpfr_t x, r;
  mpfr_init2(x, 300);
  mpfr_init2(r, 300);
  mpfr_set_d(x, value, MPFR_RNDN);
  if (function == Function::Tanh) {
    mpfr_tanh(r, x, MPFR_RNDN);
  } else {
    mpfr_neg(r, x, MPFR_RNDN);
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
    if (function == Function::Silu)
      mpfr_mul(r, r, x, MPFR_RNDN);
  }
  double result = mpfr_get_d(r, MPFR_RNDN);
  mpfr_clear(x);
  mpfr_clear(r);
  return result;
}

TEST(Reference, IsWithinAFewDoubleUlps) {
  for (Function function :
       {Function::Sigmoid, Function::Tanh, Function::Silu}) {
    auto check = [&](double x) {
      double truth = exact(function, x);
      ASSERT_NEAR(reference(function, x), truth,
                  4 * std::ldexp(std::fabs(truth), -53))
          << name(function) << " at " << x;
    };
    for (int i = -30000; i <= 30000; ++i)
      check(i * 0.01171875); // Up to 351, past every 16-bit and f32 tail.
    for (int e = -140; e < 5; ++e)
      for (double s : {-1.0, 1.0}) {
        check(s * std::ldexp(1.37, e));
        check(s * std::ldexp(1.0, e));
      }
  }
}

TEST(Reference, Limits) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reference(Function::Sigmoid, -inf), 0);
  EXPECT_EQ(reference(Function::Sigmoid, inf), 1);
  EXPECT_EQ(reference(Function::Tanh, -inf), -1);
  EXPECT_EQ(reference(Function::Silu, inf), inf);
  EXPECT_EQ(reference(Function::Silu, -inf), 0);
  EXPECT_TRUE(std::signbit(reference(Function::Silu, -inf)));
  EXPECT_TRUE(std::signbit(reference(Function::Silu, -0.0)));
  EXPECT_TRUE(std::signbit(reference(Function::Silu, -3e38)));
  EXPECT_TRUE(std::signbit(reference(Function::Tanh, -0.0)));
  EXPECT_TRUE(std::isnan(reference(Function::Silu, std::nan(""))));
  // SiLU at -87.5 is a normal bf16 that flushing forms lose.
  EXPECT_NEAR(reference(Function::Silu, -87.5), -8.7e-37, 1e-38);
}

} // namespace
