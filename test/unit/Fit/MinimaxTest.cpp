//===- MinimaxTest.cpp - Linear approximation -----------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/Minimax.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace poly::fit;

namespace {

/// Monomials of degree below \p columns against \p f on [low, high].
template <typename F>
LinearProblem polynomialProblem(size_t columns, double low, double high, F f) {
  LinearProblem problem;
  for (double x : chebyshevNodes(low, high, 2000)) {
    std::vector<double> row(columns, 1);
    for (size_t k = 1; k < columns; ++k)
      row[k] = row[k - 1] * x;
    problem.add(row, f(x));
  }
  return problem;
}

} // namespace

TEST(Minimax, LeastSquaresRecoversAPolynomial) {
  auto f = [](double x) { return 3 - 2 * x + 0.5 * x * x * x; };
  std::vector<double> c = leastSquares(polynomialProblem(5, 0, 7, f));
  const double expected[] = {3, -2, 0, 0.5, 0};
  for (size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(c[k], expected[k], 1e-9) << k;
}

TEST(Minimax, LeastSquaresGivesDependentColumnsZero) {
  LinearProblem problem;
  for (double x : {1.0, 2.0, 3.0})
    problem.add({x, 2 * x}, 4 * x);
  std::vector<double> c = leastSquares(problem);
  EXPECT_NEAR(c[0], 4, 1e-12);
  EXPECT_EQ(c[1], 0);
}

TEST(Minimax, WeightsCount) {
  LinearProblem problem;
  problem.add({1}, 0, 3);
  problem.add({1}, 1, 1);
  // 9 c^2 + (c - 1)^2 is least at 1/10; max(3 |c|, |c - 1|) at 1/4.
  EXPECT_NEAR(leastSquares(problem)[0], 0.1, 1e-12);
  MinimaxResult best = minimax(problem, 1e-6, 5000);
  EXPECT_NEAR(best.coefficients[0], 0.25, 1e-4);
  EXPECT_NEAR(best.error, 0.75, 1e-3);
}

// The best polynomial of degree n to x^(n+1) on [-1, 1] leaves the Chebyshev
// polynomial 2^-n T_(n+1).
TEST(Minimax, FindsChebyshevPolynomials) {
  for (size_t n = 1; n <= 5; ++n) {
    auto f = [n](double x) { return std::pow(x, double(n + 1)); };
    MinimaxResult best = minimax(polynomialProblem(n + 1, -1, 1, f));
    double expected = std::ldexp(1.0, -int(n));
    EXPECT_NEAR(best.error, expected, 2e-3 * expected) << n;
    EXPECT_LE(best.lowerBound, expected * (1 + 1e-12)) << n;
    EXPECT_GE(best.lowerBound, expected * (1 - 2e-3)) << n;
  }
}

TEST(Minimax, ChebyshevNodesAreInsideAndAscending) {
  std::vector<double> nodes = chebyshevNodes(2, 5, 100);
  EXPECT_GT(nodes.front(), 2);
  EXPECT_LT(nodes.back(), 5);
  for (size_t i = 1; i < nodes.size(); ++i)
    EXPECT_LT(nodes[i - 1], nodes[i]);
  EXPECT_NEAR(nodes[0] + nodes[99], 7, 1e-12);
}
