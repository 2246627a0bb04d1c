//===- Statistics.cpp - Robust summaries of timings -----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

using namespace poly::runtime;

namespace {

/// The quantile of sorted samples.
double sortedQuantile(const std::vector<double> &sorted, double q) {
  if (sorted.empty())
    return std::numeric_limits<double>::quiet_NaN();
  double place = q * static_cast<double>(sorted.size() - 1);
  size_t below = static_cast<size_t>(place);
  size_t above = std::min(below + 1, sorted.size() - 1);
  double fraction = place - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

} // namespace

double poly::runtime::quantile(std::vector<double> samples, double q) {
  std::sort(samples.begin(), samples.end());
  return sortedQuantile(samples, q);
}

Summary poly::runtime::summarize(const std::vector<double> &samples) {
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  Summary summary;
  summary.count = sorted.size();
  summary.median = sortedQuantile(sorted, 0.5);
  summary.lowest = sortedQuantile(sorted, 0);
  summary.highest = sortedQuantile(sorted, 1);
  summary.lower = sortedQuantile(sorted, 0.25);
  summary.upper = sortedQuantile(sorted, 0.75);
  return summary;
}

double poly::runtime::medianUncertainty(std::vector<double> samples) {
  // The k-th lowest and the k-th highest of n samples do not enclose the median
  // with probability 2 P(Binomial(n, 1/2) < k). The largest k that keeps this
  // below 5 %: none of five samples.
  double n = static_cast<double>(samples.size());
  double term = std::pow(0.5, n), outside = 0;
  size_t k = 0;
  while (outside + term <= 0.025) {
    outside += term;
    ++k;
    term *= (n - static_cast<double>(k) + 1) / static_cast<double>(k);
  }
  if (k == 0)
    return std::numeric_limits<double>::infinity();
  std::sort(samples.begin(), samples.end());
  double width = samples[samples.size() - k] - samples[k - 1];
  return width / 2 / sortedQuantile(samples, 0.5);
}

double poly::runtime::medianRatio(const std::vector<double> &numerator,
                                  const std::vector<double> &denominator) {
  if (numerator.size() != denominator.size())
    throw std::invalid_argument("medianRatio: the rounds differ in number");
  std::vector<double> ratios(numerator.size());
  for (size_t i = 0; i < ratios.size(); ++i)
    ratios[i] = numerator[i] / denominator[i];
  return quantile(std::move(ratios), 0.5);
}
