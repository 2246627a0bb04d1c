//===- AttentionGates.cpp - What weights of 8 bits must be ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionGates.h"

#include "poly/Program/Formats.h"
#include "poly/Program/Replay.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace poly;
using namespace poly::bench;

/// How far the sum of a row's weights, each rounded to 16 bits, may be off.
static constexpr double kSumTolerance = 2e-2;
/// Weights below the greatest one by more are near e4m3's least numbers.
static constexpr double kOctavesOfRow = 7;

double poly::bench::weightOctaves(const Program *program) {
  // All of the octave from 1 to 2 that has 10 bits of fraction.
  constexpr uint32_t kSteps = 1024;
  std::vector<uint32_t> in, out(kSteps);
  for (uint32_t i = 0; i < kSteps; ++i)
    in.push_back(encode(program ? program->info().from : Format::F32,
                        double(i) / kSteps));
  if (program)
    replayElements(*program, in.data(), out.data(), kSteps);
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (uint32_t i = 0; i < kSteps; ++i) {
    double exponent = double(i) / kSteps;
    double weight =
        program ? decode(program->info().to, out[i]) : std::exp2(exponent);
    weight = decode(Format::E4M3, encode(Format::E4M3, weight));
    double ratio = std::log2(weight) - exponent;
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  return high - low;
}

bool poly::bench::keepsNaN(const Program *program) {
  if (!program)
    return true;
  const ProgramInfo &info = program->info();
  uint32_t in = traits(info.from).canonicalNaN, out = 0;
  replayElements(*program, &in, &out, 1);
  return isNaN(info.to, out);
}

std::string poly::bench::checkWeights(const std::vector<Weights> &found,
                                      const std::vector<Weights> &truth,
                                      double allowed, double &octaves) {
  octaves = 0;
  for (size_t row = 0; row < truth.size(); ++row) {
    const Weights &actual = found[row], &exact = truth[row];
    std::string where = " in row " + std::to_string(row);
    double sum = std::accumulate(actual.begin(), actual.end(), 0.0);
    if (std::all_of(exact.begin(), exact.end(),
                    [](double weight) { return weight == 0; })) {
      if (std::any_of(actual.begin(), actual.end(),
                      [](double weight) { return weight != 0; }))
        return "weights of no key" + where;
      continue;
    }
    if (!(std::fabs(sum - 1) <= kSumTolerance))
      return "weights sum to " + std::to_string(sum) + where;
    size_t top =
        size_t(std::max_element(exact.begin(), exact.end()) - exact.begin());
    if (actual[top] != *std::max_element(actual.begin(), actual.end()))
      return "the greatest score has not the greatest weight" + where;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t key = 0; key < exact.size(); ++key) {
      if (exact[key] == 0 && actual[key] != 0)
        return "a masked key has a weight" + where;
      if (exact[key] <= exact[top] * std::exp2(-kOctavesOfRow))
        continue;
      double ratio = std::log2(actual[key] / exact[key]);
      low = std::min(low, ratio);
      high = std::max(high, ratio);
    }
    octaves = std::max(octaves, high - low);
  }
  if (!(octaves <= allowed))
    return "weights spread over " + std::to_string(octaves) +
           " octaves, more than " + std::to_string(allowed);
  return "";
}

std::string poly::bench::checkNotNumbers(const std::vector<bool> &found,
                                         const std::vector<bool> &expected,
                                         const std::string &what) {
  for (size_t row = 0; row < expected.size(); ++row)
    if (found[row] != expected[row])
      return what + (found[row] ? " makes row " : " leaves row ") +
             std::to_string(row) +
             (found[row] ? " no number, which does not see it"
                         : " a number, which sees it");
  return "";
}

double poly::bench::biasOf(const std::vector<double> &found,
                           const std::vector<double> &truth) {
  double sum = 0;
  for (size_t i = 0; i < truth.size(); ++i)
    sum += (found[i] - truth[i]) / truth[i];
  return sum / double(truth.size());
}
