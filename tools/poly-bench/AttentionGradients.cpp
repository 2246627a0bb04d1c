//===- AttentionGradients.cpp - Gradients of attention, float64 -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionGradients.h"

#include "Parallel.h"

#include <cmath>
#include <map>

using namespace poly::bench;

AttentionGradients::AttentionGradients(const AttentionProblem &problem,
                                       std::vector<float> query,
                                       std::vector<float> key,
                                       std::vector<float> value,
                                       std::vector<float> outputGradient)
    : problem(problem), forward(problem, query, key, value),
      query(std::move(query)), key(std::move(key)), value(std::move(value)),
      outputGradient(std::move(outputGradient)) {}

size_t AttentionGradients::keyOffset(int64_t index) const {
  int64_t place = index % problem.keyLength;
  int64_t head = index / problem.keyLength % problem.keyHeads;
  int64_t batch = index / problem.keyLength / problem.keyHeads;
  return size_t(
      ((batch * problem.keyLength + place) * problem.keyHeads + head) *
      problem.headDim);
}

int64_t AttentionGradients::firstKeyOf(int64_t query) const {
  int64_t head = query / problem.queryLength % problem.heads;
  int64_t batch = query / problem.queryLength / problem.heads;
  int64_t keyHead = head / (problem.heads / problem.keyHeads);
  return (batch * problem.keyHeads + keyHead) * problem.keyLength;
}

double AttentionGradients::dot(const float *a, const float *b) const {
  // Sums apart, which the compiler may keep in the lanes of a register.
  constexpr int64_t kLanes = 8;
  double sums[kLanes] = {};
  int64_t d = 0;
  for (; d + kLanes <= problem.headDim; d += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      sums[lane] += double(a[d + lane]) * double(b[d + lane]);
  for (; d < problem.headDim; ++d)
    sums[0] += double(a[d]) * double(b[d]);
  double sum = 0;
  for (double part : sums)
    sum += part;
  return sum;
}

AttentionGradients::RowValues
AttentionGradients::rowValues(int64_t index) const {
  RowValues values;
  if (problem.score == "sigmoid")
    return values;
  AttentionRow row = forward.truth(index);
  values.logSumExp = row.logSumExp;
  const float *gradient = outputGradient.data() + queryOffset(index);
  for (size_t d = 0; d < row.output.size(); ++d)
    values.delta += row.output[d] * double(gradient[d]);
  return values;
}

AttentionGradients::Weight
AttentionGradients::weigh(double score, const RowValues &row) const {
  if (problem.score == "sigmoid") {
    double weight = 1 / (1 + std::exp(-score - problem.bias()));
    return {weight, weight * (1 - weight)};
  }
  if (problem.score == "softcap") {
    double t = std::tanh(score / problem.cap);
    double weight = std::exp(problem.cap * t - row.logSumExp);
    return {weight, weight * (1 - t * t)};
  }
  double weight = std::exp(score - row.logSumExp);
  return {weight, weight};
}

AttentionGradients::Pair
AttentionGradients::pairOf(int64_t query, int64_t key,
                           const RowValues &row) const {
  const float *q = this->query.data() + queryOffset(query);
  const float *gradient = outputGradient.data() + queryOffset(query);
  const float *k = this->key.data() + keyOffset(key);
  const float *v = value.data() + keyOffset(key);
  Weight weight = weigh(problem.scale() * dot(q, k), row);
  return {weight.weight,
          problem.scale() * weight.slope * (dot(gradient, v) - row.delta)};
}

static void addScaled(std::vector<double> &sums, double factor,
                      const float *numbers) {
  for (size_t d = 0; d < sums.size(); ++d)
    sums[d] += factor * double(numbers[d]);
}

std::vector<double> AttentionGradients::ofQuery(int64_t index) const {
  std::vector<double> result(size_t(problem.headDim), 0);
  int64_t visible = problem.visible(index % problem.queryLength);
  if (visible == 0)
    return result;
  RowValues row = rowValues(index);
  int64_t first = firstKeyOf(index);
  for (int64_t j = first; j < first + visible; ++j)
    addScaled(result, pairOf(index, j, row).gradient,
              key.data() + keyOffset(j));
  return result;
}

std::vector<AttentionGradients::OfKey>
AttentionGradients::ofKeys(const std::vector<int64_t> &indices) const {
  std::map<int64_t, std::vector<size_t>> byHead; // Of places in the list.
  for (size_t i = 0; i < indices.size(); ++i)
    byHead[indices[i] / problem.keyLength].push_back(i);
  int64_t group = problem.heads / problem.keyHeads;
  std::vector<OfKey> results(indices.size());
  for (const auto &[head, places] : byHead) {
    // The queries of the heads that read this one follow one another.
    int64_t first = head * group * problem.queryLength;
    std::vector<RowValues> rows(size_t(group * problem.queryLength));
    inParallel(rows.size(), [&](size_t i) {
      if (problem.visible(int64_t(i) % problem.queryLength))
        rows[i] = rowValues(first + int64_t(i));
    });
    inParallel(places.size(), [&](size_t at) {
      int64_t index = indices[places[at]], place = index % problem.keyLength;
      OfKey &result = results[places[at]];
      result.key.assign(size_t(problem.headDim), 0);
      result.value.assign(size_t(problem.headDim), 0);
      for (size_t i = 0; i < rows.size(); ++i) {
        int64_t query = first + int64_t(i);
        if (place >= problem.visible(query % problem.queryLength))
          continue;
        Pair pair = pairOf(query, index, rows[i]);
        addScaled(result.key, pair.gradient,
                  this->query.data() + queryOffset(query));
        addScaled(result.value, pair.weight,
                  outputGradient.data() + queryOffset(query));
      }
    });
  }
  return results;
}
