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

/// Relative error of results in 16-bit types with exact weights; see
/// docs/Benchmarking.md.
static constexpr double kErrorLimit = 4e-3;
/// Relative error of a result in the octaves that its weights spread over: if
/// their errors were spread evenly it would be ln 2 / sqrt(12).
static constexpr double kErrorPerOctave = 0.2;
/// What a running sum of 8-bit products may add to the error, as a factor; its
/// bias is stated, not hidden.
static constexpr double kRunningSumFactor = 2;
/// The least limit of a log-sum-exp: that of exact weights.
static constexpr double kLogSumExpLimit = 1e-3;
/// How far 8-bit kernels may be from what their program computes: tensor cores
/// keep some 13 bits of a sum of 8-bit products, which moves single weights to
/// the neighbouring number.
static constexpr double kFloat8OperatorDistance = 2e-2;
/// The same for a few rows, where one great weight may be all of the
/// difference: half a step of e4m3.
static constexpr double kFloat8DistanceOfFewRows = 6.25e-2;
static constexpr size_t kFewRows = 64;
/// Octaves that reading back adds to the spread of weights: its results have 16
/// bits, and exponents of f16 are rounded.
static constexpr double kReadBackOctaves = 0.02;
/// Relative bias of a sum of values with mean 1.
static constexpr double kBiasLimit = 3e-3;
/// That of a sigmoid, whose programs have absolute errors beside weights of
/// 1 / n.
static constexpr double kSigmoidBiasLimit = 1e-2;
/// Exponents of f16 have whole numbers as offsets, which f16 has up to 2^11.
static constexpr double kGreatestHalfExponent = 2040;
/// Of other types, where exponents must not be below -126: a score and its
/// row's maximum may differ by twice as much.
static constexpr double kGreatestBoundedScore = 62.5;
/// How far the sum of a row's weights, each rounded to 16 bits, may be off.
static constexpr double kSumTolerance = 2e-2;
/// Weights below the greatest one by more are near e4m3's least numbers.
static constexpr double kOctavesOfRow = 7;

double poly::bench::errorLimit(const AttentionForm &form) {
  if (form.statedLimit > 0)
    return form.statedLimit;
  if (!form.areFloat8)
    return kErrorLimit;
  return kErrorPerOctave * weightOctaves(form.exponential) *
         (form.hasRunningSum ? kRunningSumFactor : 1);
}

double poly::bench::logSumExpLimit(const AttentionForm &form) {
  double limit = form.areFloat8
                     ? weightOctaves(form.exponential) * std::log(2.0)
                     : errorLimit(form);
  return std::max(kLogSumExpLimit, limit);
}

double poly::bench::operatorLimit(bool areFloat8, size_t rows) {
  if (!areFloat8)
    return kErrorLimit;
  return rows < kFewRows ? kFloat8DistanceOfFewRows : kFloat8OperatorDistance;
}

double poly::bench::readBackLimit(const Program *program) {
  return weightOctaves(program) + kReadBackOctaves;
}

std::string poly::bench::checkBias(double bias, const std::string &score,
                                   int64_t keys) {
  double limit = score == "sigmoid" ? kSigmoidBiasLimit : kBiasLimit;
  if (std::fabs(bias) <= limit)
    return "";
  return "a sum over " + std::to_string(keys) + " keys has a bias of " +
         std::to_string(bias);
}

double poly::bench::logSumExpDistance(double found, double truth) {
  if (found == truth)
    return 0;
  double distance = std::fabs(found - truth);
  // A NaN must not hide behind a comparison.
  return std::isnan(distance) ? HUGE_VAL : distance;
}

bool poly::bench::fitsExponents(bool areFloat8, double octaves) {
  return areFloat8 ? octaves < kGreatestHalfExponent
                   : octaves <= kGreatestBoundedScore;
}

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
