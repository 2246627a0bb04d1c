//===- ExpressionTest.cpp - Functions given as formulas -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Expression.h"
#include "poly/Program/Certify.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace poly;

namespace {

double valueOf(const std::string &text, double x) {
  Expression expression;
  std::string error;
  EXPECT_TRUE(Expression::parse(text, expression, error)) << error;
  return expression(x);
}

std::string errorOf(const std::string &text) {
  Expression expression;
  std::string error;
  EXPECT_FALSE(Expression::parse(text, expression, error)) << text;
  return error;
}

} // namespace

TEST(Expression, Precedence) {
  EXPECT_EQ(valueOf("1 + 2*x - 4/x", 2), 3);
  EXPECT_EQ(valueOf("-x^2", 3), -9);
  EXPECT_EQ(valueOf("2^x^2", 3), 512);
  EXPECT_EQ(valueOf("2^-x", 1), 0.5);
  EXPECT_EQ(valueOf("8-x-1", 3), 4);
  EXPECT_EQ(valueOf("(8-x)/(1+1)", 2), 3);
  EXPECT_EQ(valueOf("- -x", 2), 2);
  EXPECT_EQ(valueOf("1e2*x", 2), 200);
}

TEST(Expression, Functions) {
  EXPECT_EQ(valueOf("x/(1+abs(x))", -3), -0.75);
  EXPECT_EQ(valueOf("max(min(x, 6), 0)", 9), 6);
  EXPECT_EQ(valueOf("erf(x)", 0.5), std::erf(0.5));
  EXPECT_EQ(valueOf("silu(x)", 2), reference(Function::Silu, 2));
  EXPECT_EQ(valueOf("cos(pi)", 0), -1);
  EXPECT_EQ(valueOf("log(e)", 0), 1);
  EXPECT_TRUE(std::isnan(valueOf("log(x)", -1)));
}

TEST(Expression, Mistakes) {
  EXPECT_EQ(errorOf(""), "the formula ends too early at position 1");
  EXPECT_EQ(errorOf("x+"), "the formula ends too early at position 3");
  EXPECT_EQ(errorOf("(x"), "expected ')' at position 3");
  EXPECT_EQ(errorOf("x y"), "expected an operator at position 3");
  EXPECT_EQ(errorOf("x # 2"), "expected an operator at position 3");
  EXPECT_EQ(errorOf("pow(x)"), "expected ',' at position 6");
  EXPECT_EQ(errorOf("abs x"), "expected '(' at position 5");
  EXPECT_EQ(errorOf("1e999"), "bad number at position 1");
  EXPECT_EQ(errorOf("foo(x)").find("unknown name 'foo'"), 0u);
  EXPECT_EQ(errorOf(std::string(5000, '(')).find("too many brackets"), 0u);
  EXPECT_EQ(errorOf(std::string(5000, '-')).find("too many signs"), 0u);
  std::string deep = "x";
  for (int i = 0; i < 90; ++i)
    deep = "x+(" + deep + ")";
  EXPECT_EQ(valueOf(deep, 1), 91);
}
