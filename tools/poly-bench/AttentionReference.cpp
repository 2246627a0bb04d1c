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
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

using namespace poly;
using namespace poly::bench;

static constexpr double kLog2E = 1.4426950408889634;

double AttentionProblem::scale() const {
  return 1 / std::sqrt(double(headDim));
}
double AttentionProblem::bias() const { return -std::log(double(keyLength)); }

int64_t AttentionProblem::visible(int64_t row) const {
  if (!causal)
    return keyLength;
  return std::clamp(row + 1 + causalShift(), int64_t(0), keyLength);
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
  int64_t head = index / problem.queryLength % problem.heads;
  int64_t batch = index / problem.queryLength / problem.heads;
  int64_t keyHead = head / (problem.heads / problem.keyHeads);
  return array.data() +
         ((batch * problem.keyHeads + keyHead) * problem.keyLength + keyIndex) *
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

AttentionRow AttentionReference::truth(int64_t index) const {
  AttentionRow row;
  row.output.assign(size_t(problem.headDim), 0);
  std::vector<double> weights = products(index);
  bool isSoftmax = problem.score == "softmax" || problem.score == "softcap";
  double maximum = -std::numeric_limits<double>::infinity();
  for (double &weight : weights) {
    weight *= problem.scale();
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
  double norm = isSoftmax && sum != 0 ? 1 / sum : 1;
  for (size_t j = 0; j < weights.size(); ++j)
    accumulate(index, int64_t(j), weights[j] * norm, row.output);
  row.logSumExp = maximum + std::log(sum);
  return row;
}

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

AttentionRow AttentionReference::replayed(int64_t index, const Program &program,
                                          RowMaximum kind,
                                          int64_t tileKeys) const {
  AttentionRow row;
  row.output.assign(size_t(problem.headDim), 0);
  std::vector<double> scores = products(index);
  int64_t keys = int64_t(scores.size());
  float factor = float(problem.scale()) * float(kLog2E);
  if (kind == RowMaximum::Final)
    tileKeys = std::max(keys, int64_t(1));
  float maximum = -std::numeric_limits<float>::infinity();
  double sum = 0;
  std::vector<uint32_t> exponents, weights;
  for (int64_t tile = (keys - 1) / tileKeys; tile >= 0 && keys > 0; --tile) {
    int64_t begin = tile * tileKeys, end = std::min(keys, begin + tileKeys);
    float before = maximum;
    for (int64_t j = begin; j < end; ++j)
      maximum = std::max(maximum, float(scores[size_t(j)]));
    exponents.clear();
    for (int64_t j = begin; j < end; ++j)
      exponents.push_back(bitsOf(
          std::fma(float(scores[size_t(j)]), factor, -(maximum * factor))));
    weights.resize(exponents.size());
    replayElements(program, exponents.data(), weights.data(), weights.size());
    double correction = std::exp2(double((before - maximum) * factor));
    sum *= correction;
    for (double &element : row.output)
      element *= correction;
    for (int64_t j = begin; j < end; ++j) {
      double weight = decode(program.info().to, weights[size_t(j - begin)]);
      sum += weight;
      accumulate(index, j, weight, row.output);
    }
  }
  for (double &element : row.output)
    element = sum == 0 ? 0 : element / sum;
  row.logSumExp = double(maximum) * problem.scale() + std::log(sum);
  return row;
}

std::vector<AttentionRow>
poly::bench::computeRows(const std::vector<int64_t> &indices,
                         const std::function<AttentionRow(int64_t)> &row) {
  std::vector<AttentionRow> result(indices.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < indices.size();)
      result[i] = row(indices[i]);
  };
  size_t threads = std::min<size_t>(
      std::max(1u, std::thread::hardware_concurrency()), indices.size());
  std::vector<std::thread> pool;
  for (size_t i = 1; i < threads; ++i)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();
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
