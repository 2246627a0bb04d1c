//===- AttentionReference.cpp - Attention, row by row ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionReference.h"

#include "poly/Program/Formats.h"
#include "poly/Program/Replay.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

using namespace poly;
using namespace poly::bench;

double AttentionProblem::scale() const {
  return 1 / std::sqrt(double(headDim));
}
double AttentionProblem::bias() const { return -std::log(double(keyLength)); }

int64_t AttentionProblem::visible(int64_t row) const {
  if (!causal)
    return keyLength;
  return std::clamp(row + 1 + causalShift(), int64_t(0), keyLength);
}

int64_t AttentionProblem::keyHeadOf(int64_t index) const {
  int64_t head = headOf(index);
  return head / heads * keyHeads + head % heads / (heads / keyHeads);
}

static float factorOf(const std::vector<float> &factors, int64_t head) {
  return factors.empty() ? 1 : factors[size_t(head)];
}
float AttentionProblem::scoreFactor(int64_t index) const {
  return factorOf(queryFactors, headOf(index)) *
         factorOf(keyFactors, keyHeadOf(index));
}
float AttentionProblem::valueFactor(int64_t index) const {
  return factorOf(valueFactors, keyHeadOf(index));
}

size_t AttentionReference::offset(int64_t index) const {
  int64_t row = index % problem.queryLength;
  int64_t head = index / problem.queryLength % problem.heads;
  int64_t batch = index / problem.queryLength / problem.heads;
  return size_t(((batch * problem.queryLength + row) * problem.heads + head) *
                problem.headDim);
}

std::vector<float>
AttentionReference::byHead(const std::vector<float> &array) const {
  std::vector<float> result(array.size());
  int64_t rows = int64_t(array.size()) / problem.headDim;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t head = i % problem.keyHeads;
    int64_t place = i / problem.keyHeads % problem.keyLength;
    int64_t batch = i / problem.keyHeads / problem.keyLength;
    int64_t to = (batch * problem.keyHeads + head) * problem.keyLength + place;
    std::copy_n(array.data() + i * problem.headDim, problem.headDim,
                result.data() + to * problem.headDim);
  }
  return result;
}

const float *AttentionReference::at(const std::vector<float> &array,
                                    int64_t index, int64_t keyIndex) const {
  return array.data() +
         (problem.keyHeadOf(index) * problem.keyLength + keyIndex) *
             problem.headDim;
}

std::vector<double> AttentionReference::products(int64_t index) const {
  // Sums apart, which the compiler may keep in the lanes of a register.
  constexpr int64_t kLanes = 8;
  const float *q = query.data() + offset(index);
  std::vector<double> result;
  int64_t keys = problem.visible(index % problem.queryLength);
  result.reserve(size_t(keys));
  for (int64_t j = 0; j < keys; ++j) {
    const float *k = at(key, index, j);
    double sums[kLanes] = {};
    int64_t d = 0;
    for (; d + kLanes <= problem.headDim; d += kLanes)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        sums[lane] += double(q[d + lane]) * double(k[d + lane]);
    for (; d < problem.headDim; ++d)
      sums[0] += double(q[d]) * double(k[d]);
    double sum = 0;
    for (double part : sums)
      sum += part;
    result.push_back(sum);
  }
  return result;
}

void AttentionReference::accumulate(int64_t index, int64_t keyIndex,
                                    double weight,
                                    std::vector<double> &output) const {
  const float *v = at(value, index, keyIndex);
  double *sums = output.data();
  for (int64_t d = 0; d < problem.headDim; ++d)
    sums[d] += weight * double(v[d]);
}

std::vector<double>
AttentionReference::visibleWeights(int64_t index, double &logSumExp) const {
  std::vector<double> weights = products(index);
  bool isSoftmax = problem.score == "softmax" || problem.score == "softcap";
  double scale = problem.scale() * double(problem.scoreFactor(index));
  double maximum = -std::numeric_limits<double>::infinity();
  for (double &weight : weights) {
    weight *= scale;
    if (problem.score == "softcap")
      weight = problem.cap * std::tanh(weight / problem.cap);
    maximum = std::max(maximum, weight);
  }
  double sum = 0;
  for (double &weight : weights) {
    if (problem.score == "sigmoid")
      weight = 1 / (1 + std::exp(-weight - problem.bias()));
    else if (isSoftmax)
      weight = std::exp(weight - maximum);
    sum += weight;
  }
  if (isSoftmax && sum != 0)
    for (double &weight : weights)
      weight /= sum;
  logSumExp = maximum + std::log(sum);
  return weights;
}

std::vector<double> AttentionReference::weights(int64_t index) const {
  double logSumExp;
  std::vector<double> result = visibleWeights(index, logSumExp);
  result.resize(size_t(problem.keyLength), 0);
  return result;
}

AttentionRow AttentionReference::truth(int64_t index) const {
  AttentionRow row;
  row.output.assign(size_t(problem.headDim), 0);
  std::vector<double> weights = visibleWeights(index, row.logSumExp);
  double factor = double(problem.valueFactor(index));
  for (size_t j = 0; j < weights.size(); ++j)
    accumulate(index, int64_t(j), weights[j] * factor, row.output);
  return row;
}

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

namespace {
/// Exponents of softmax's weights as kernels compute them.
class Exponents {
public:
  /// With \p octaves, that weights are scaled by, offsets are whole numbers.
  Exponents(Format type, float scale, std::optional<float> octaves)
      : type(type), scale(float(rounded(scale))), octaves(octaves) {}

  /// What a maximum adds to every exponent of its row.
  float offset(float maximum) const {
    float exact = -(maximum * scale);
    return octaves ? std::floor(exact + *octaves) : exact;
  }
  /// The pattern of a score's exponent.
  uint32_t of(double score, float offset) const {
    if (type == Format::F32)
      return bitsOf(std::fma(float(score), scale, offset));
    return encode(
        type, std::fma(rounded(score), double(scale), rounded(double(offset))));
  }
  /// A score as maxima see it.
  float score(double score) const { return float(rounded(score)); }
  /// By how much earlier weights are too large, in octaves.
  double growth(float before, float maximum) const {
    return octaves ? double(offset(maximum)) - double(offset(before))
                   : double((before - maximum) * scale);
  }

private:
  double rounded(double value) const {
    return type == Format::F32 ? double(float(value))
                               : decode(type, encode(type, value));
  }

  Format type;
  float scale;
  std::optional<float> octaves;
};
} // namespace

/// The octaves that weights of e4m3 have above one.
static constexpr float kE4M3Octaves = 8;

AttentionRow AttentionReference::replayed(int64_t index, const Program &program,
                                          RowMaximum kind,
                                          int64_t tileKeys) const {
  AttentionRow row;
  row.output.assign(size_t(problem.headDim), 0);
  std::vector<double> scores = products(index);
  int64_t keys = int64_t(scores.size());
  float scale = float(problem.scale()) * problem.scoreFactor(index);
  std::optional<float> octaves;
  if (problem.hasE4M3Weights)
    octaves = kE4M3Octaves;
  else if (problem.hasWholeOffsets)
    octaves = 0;
  Exponents exponent(program.info().from, scale * float(kLog2E), octaves);
  if (kind == RowMaximum::Final)
    tileKeys = std::max(keys, int64_t(1));
  float maximum = -std::numeric_limits<float>::infinity();
  double sum = 0;
  std::vector<uint32_t> exponents, weights;
  for (int64_t tile = (keys - 1) / tileKeys; tile >= 0 && keys > 0; --tile) {
    int64_t begin = tile * tileKeys, end = std::min(keys, begin + tileKeys);
    float before = maximum;
    for (int64_t j = begin; j < end; ++j)
      maximum = std::max(maximum, exponent.score(scores[size_t(j)]));
    exponents.clear();
    for (int64_t j = begin; j < end; ++j)
      exponents.push_back(
          exponent.of(scores[size_t(j)], exponent.offset(maximum)));
    weights.resize(exponents.size());
    replayElements(program, exponents.data(), weights.data(), weights.size());
    double correction = std::exp2(exponent.growth(before, maximum));
    sum *= correction;
    for (double &element : row.output)
      element *= correction;
    for (int64_t j = begin; j < end; ++j) {
      double weight = decode(program.info().to, weights[size_t(j - begin)]);
      if (problem.hasE4M3Weights)
        weight = decode(Format::E4M3, encode(Format::E4M3, weight));
      sum += weight;
      accumulate(index, j, weight, row.output);
    }
  }
  double factor = double(problem.valueFactor(index));
  for (double &element : row.output)
    element = sum == 0 ? 0 : element / sum * factor;
  row.logSumExp = (std::log2(sum) - double(exponent.offset(maximum))) / kLog2E;
  return row;
}

std::vector<AttentionRow>
poly::bench::computeRows(const std::vector<int64_t> &indices,
                         const std::function<AttentionRow(int64_t)> &row) {
  std::vector<AttentionRow> result(indices.size());
  inParallel(indices.size(), [&](size_t i) { result[i] = row(indices[i]); });
  return result;
}

double poly::bench::relativeError(const std::vector<AttentionRow> &rows,
                                  const std::vector<AttentionRow> &truth) {
  double errors = 0, squares = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t d = 0; d < rows[i].output.size(); ++d) {
      double difference = rows[i].output[d] - truth[i].output[d];
      errors += difference * difference;
      squares += truth[i].output[d] * truth[i].output[d];
    }
  return squares > 0 ? std::sqrt(errors / squares) : std::sqrt(errors);
}
