//===- Statistics.h - Robust summaries of timings ---------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Summaries that outliers do not move. Nothing here needs a GPU.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_STATISTICS_H
#define POLY_RUNTIME_STATISTICS_H

#include <cstddef>
#include <vector>

namespace poly::runtime {

/// The value below which the fraction \p q of the samples lies, linear between
/// order statistics; \p q from 0 to 1. NaN without samples.
double quantile(std::vector<double> samples, double q);

inline double median(std::vector<double> samples) {
  return quantile(static_cast<std::vector<double> &&>(samples), 0.5);
}

struct Summary {
  size_t count = 0;
  double median = 0;
  double lowest = 0, highest = 0;
  /// Quartiles: half of the samples lie between them.
  double lower = 0, upper = 0;

  /// Distance of the quartiles relative to the median.
  double spread() const { return (upper - lower) / median; }
};

Summary summarize(const std::vector<double> &samples);

/// Half the width of a 95 % confidence interval of the median, relative to the
/// median. From order statistics and the binomial distribution, so no shape of
/// the samples' distribution is assumed. Infinite with fewer than six samples,
/// where no such interval exists.
double medianUncertainty(std::vector<double> samples);

/// The median over rounds of numerator[i] / denominator[i]: what changes
/// slowly, such as the clock, divides out. Both have one sample a round.
double medianRatio(const std::vector<double> &numerator,
                   const std::vector<double> &denominator);

} // namespace poly::runtime

#endif // POLY_RUNTIME_STATISTICS_H
