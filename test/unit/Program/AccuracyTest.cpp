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

} // namespace
