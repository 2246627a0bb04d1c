//===- Minimax.h - Linear approximation problems ----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Linear approximation on a set of points: least squares and the best maximum
/// error, in double.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_FIT_MINIMAX_H
#define POLY_FIT_MINIMAX_H

#include <cstddef>
#include <vector>

namespace poly::fit {

/// The residual at point i is
///   weight[i] * (sum_k basis[i * columns + k] * c[k] - target[i]).
struct LinearProblem {
  size_t columns = 0;
  std::vector<double> basis;
  std::vector<double> target;
  std::vector<double> weight;

  size_t points() const { return target.size(); }
  void add(const std::vector<double> &row, double value, double w = 1);
};

/// The coefficients with the least sum of squared residuals, each square
/// multiplied by \p extra[i] where \p extra is not empty. A column that the
/// others span gets 0.
std::vector<double> leastSquares(const LinearProblem &problem,
                                 const std::vector<double> &extra = {});

struct MinimaxResult {
  std::vector<double> coefficients;
  double error = 0; ///< The largest residual of the coefficients.
  /// No coefficients have a smaller largest residual than this.
  double lowerBound = 0;
};

/// Lawson's algorithm (C. L. Lawson, 1961): least squares, reweighted by the
/// residuals, until error and lowerBound agree to \p tolerance (relative) or
/// \p iterations are spent.
MinimaxResult minimax(const LinearProblem &problem, double tolerance = 1e-3,
                      unsigned iterations = 2000);

/// \p count Chebyshev nodes of the interval, ascending, its ends not included.
std::vector<double> chebyshevNodes(double low, double high, size_t count);

} // namespace poly::fit

#endif // POLY_FIT_MINIMAX_H
