//===- Minimax.cpp - Linear approximation problems ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/Minimax.h"

#include <algorithm>
#include <cmath>

using namespace poly::fit;

void LinearProblem::add(const std::vector<double> &row, double value,
                        double w) {
  columns = row.size();
  basis.insert(basis.end(), row.begin(), row.end());
  target.push_back(value);
  weight.push_back(w);
}

std::vector<double> poly::fit::leastSquares(const LinearProblem &problem,
                                            const std::vector<double> &extra) {
  size_t n = problem.points(), columns = problem.columns;
  // Gram-Schmidt, modified and done twice: the monomials of a short interval
  // are close to dependent, and the normal equations would square that.
  std::vector<std::vector<double>> q(columns, std::vector<double>(n));
  std::vector<double> rhs(n);
  for (size_t i = 0; i < n; ++i) {
    double w = problem.weight[i] * (extra.empty() ? 1 : std::sqrt(extra[i]));
    rhs[i] = w * problem.target[i];
    for (size_t k = 0; k < columns; ++k)
      q[k][i] = w * problem.basis[i * columns + k];
  }
  auto dot = [n](const std::vector<double> &a, const std::vector<double> &b) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i)
      sum += a[i] * b[i];
    return sum;
  };
  std::vector<double> r(columns * columns, 0), projected(columns, 0);
  for (size_t k = 0; k < columns; ++k) {
    double before = std::sqrt(dot(q[k], q[k]));
    for (unsigned pass = 0; pass < 2; ++pass) {
      for (size_t j = 0; j < k; ++j) {
        double part = dot(q[j], q[k]);
        r[j * columns + k] += part;
        for (size_t i = 0; i < n; ++i)
          q[k][i] -= part * q[j][i];
      }
    }
    double norm = std::sqrt(dot(q[k], q[k]));
    if (norm <= 1e-13 * before)
      norm = 0;
    r[k * columns + k] = norm;
    for (size_t i = 0; i < n; ++i)
      q[k][i] = norm > 0 ? q[k][i] / norm : 0;
    projected[k] = dot(q[k], rhs);
    for (size_t i = 0; i < n; ++i)
      rhs[i] -= projected[k] * q[k][i];
  }
  std::vector<double> c(columns, 0);
  for (size_t k = columns; k-- > 0;) {
    double value = projected[k];
    for (size_t j = k + 1; j < columns; ++j)
      value -= r[k * columns + j] * c[j];
    c[k] = r[k * columns + k] > 0 ? value / r[k * columns + k] : 0;
  }
  return c;
}

MinimaxResult poly::fit::minimax(const LinearProblem &problem, double tolerance,
                                 unsigned iterations) {
  size_t n = problem.points();
  std::vector<double> lawson(n, 1.0 / double(n)), residual(n);
  MinimaxResult best;
  best.error = HUGE_VAL;
  for (unsigned iteration = 0; iteration < iterations; ++iteration) {
    std::vector<double> c = leastSquares(problem, lawson);
    double worst = 0, square = 0, sum = 0;
    for (size_t i = 0; i < n; ++i) {
      double value = -problem.target[i];
      for (size_t k = 0; k < problem.columns; ++k)
        value += problem.basis[i * problem.columns + k] * c[k];
      residual[i] = std::fabs(problem.weight[i] * value);
      worst = std::max(worst, residual[i]);
      square += lawson[i] * residual[i] * residual[i];
    }
    if (worst < best.error) {
      best.error = worst;
      best.coefficients = c;
    }
    // The weights sum to one, so every other choice of coefficients has a
    // weighted mean square, hence a largest residual, at least this big.
    best.lowerBound = std::max(best.lowerBound, std::sqrt(square));
    if (best.error <= best.lowerBound * (1 + tolerance))
      break;
    for (size_t i = 0; i < n; ++i)
      sum += lawson[i] *= residual[i];
    if (!(sum > 0))
      break;
    for (double &weight : lawson)
      weight /= sum;
  }
  return best;
}

std::vector<double> poly::fit::chebyshevNodes(double low, double high,
                                              size_t count) {
  constexpr double pi = 3.14159265358979323846;
  std::vector<double> nodes(count);
  for (size_t i = 0; i < count; ++i) {
    double angle = pi * (double(count - i) - 0.5) / double(count);
    nodes[i] = (low + high) / 2 + (high - low) / 2 * std::cos(angle);
  }
  return nodes;
}
