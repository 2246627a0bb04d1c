//===- GatedGemmReference.cpp - Gated GEMMs, row by row -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatedGemmReference.h"
#include "Parallel.h"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

using namespace poly;
using namespace poly::bench;

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

double GateGrade::operator()(double factor) const {
  switch (kind) {
  case Exact:
    return factor;
  case Float:
    return double(float(factor));
  case NextUp:
    return double(
        std::nextafter(float(factor), std::numeric_limits<float>::infinity()));
  case Coarse:
    return std::nearbyint(factor * (levels - 1)) / (levels - 1);
  }
  return factor;
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The factor of the gate that \p activation has; of "sigmoid", all of it.
static double factorOf(const std::string &activation, double beta,
                       double gate) {
  if (activation == "silu" || activation == "sigmoid")
    return sigmoid(gate);
  if (activation == "swish")
    return sigmoid(beta * gate);
  if (activation == "clamped")
    return sigmoid(1.702 * gate);
  if (activation == "gelu-erf")
    return std::erfc(-gate * std::sqrt(0.5)) / 2;
  if (activation == "gelu-tanh") {
    // (1 + tanh(y)) / 2 is the sigmoid of 2 y.
    double root = std::sqrt(2 / std::acos(-1.0));
    return sigmoid(2 * root * (gate + 0.044715 * gate * gate * gate));
  }
  if (activation == "identity")
    return 1;
  throw std::runtime_error("activation '" + activation +
                           "' of a gated GEMM is not known");
}

static double roundTo(Format type, double value) {
  return decode(type, encode(type, value));
}

double GatedOperator::apply(double gate, double up, GateGrade grade) const {
  if (activation == "clamped") {
    gate = std::min(gate, 7.0);
    up = std::clamp(up, -7.0, 7.0) + 1;
  }
  double factor = factorOf(activation, beta, gate);
  if (hasFactor())
    factor = grade(factor);
  double activated = activation == "sigmoid" ? factor : gate * factor;
  if (roundActivation)
    activated = roundTo(type, activated);
  return activated * up;
}

double GatedOperator::rounded(double gate, double up, GateGrade grade) const {
  if (roundInputs) {
    gate = roundTo(type, gate);
    up = roundTo(type, up);
  }
  return roundTo(type, apply(gate, up, grade));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

int64_t GatedGemmShape::expertOf(int64_t row) const {
  if (offsets.empty())
    return 0;
  auto behind = std::upper_bound(offsets.begin(), offsets.end(), row);
  return behind - offsets.begin() - 1;
}

std::vector<int64_t> poly::bench::unevenCounts(int64_t experts, int64_t rows,
                                               uint32_t seed) {
  // Exponentially distributed, and one in seven none.
  std::mt19937 engine(seed);
  auto uniform = [&] { return (double(engine()) + 0.5) * 0x1p-32; };
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = 0; i < experts; ++i) {
    double weight = -std::log(uniform());
    weights.push_back(uniform() < 1.0 / 7 ? 0 : weight);
    sum += weights.back();
  }
  std::vector<int64_t> counts;
  int64_t left = rows;
  for (double weight : weights) {
    counts.push_back(sum > 0 ? int64_t(weight / sum * double(rows)) : 0);
    left -= counts.back();
  }
  counts[size_t(engine()) % counts.size()] += left;
  return counts;
}

std::vector<int32_t> poly::bench::offsetsOf(const std::vector<int64_t> &counts,
                                            int64_t first) {
  std::vector<int32_t> offsets = {int32_t(first)};
  for (int64_t count : counts)
    offsets.push_back(int32_t(offsets.back() + count));
  return offsets;
}

std::string poly::bench::offsetsProblem(const std::vector<int32_t> &offsets,
                                        int64_t experts, int64_t rows) {
  if (int64_t(offsets.size()) != experts + 1)
    return "the kernel is for " + std::to_string(experts) +
           " experts and needs " + std::to_string(experts + 1) +
           " offsets, not " + std::to_string(offsets.size());
  if (offsets.front() < 0)
    return "offset 0 is " + std::to_string(offsets.front()) +
           "; the first expert's rows begin at 0 or behind";
  for (size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1])
      return "offset " + std::to_string(i) + " is " +
             std::to_string(offsets[i]) + ", less than the " +
             std::to_string(offsets[i - 1]) +
             " before it; sort the rows by expert";
  if (offsets.back() > rows)
    return "the last offset is " + std::to_string(offsets.back()) +
           ", but there are " + std::to_string(rows) + " rows";
  return "";
}

std::string poly::bench::shapeProblem(const GatedGemmShape &shape,
                                      int64_t columnMultiple,
                                      int64_t depthMultiple, int64_t tileRows,
                                      int64_t tileColumns) {
  struct Size {
    const char *name;
    int64_t value, multiple;
  };
  for (auto [name, value, multiple] :
       {Size{"rows", shape.rows, 1},
        {"depth", shape.depth, depthMultiple},
        {"columns", shape.columns, columnMultiple}}) {
    if (value <= 0)
      return std::string("the number of ") + name + " is " +
             std::to_string(value) +
             "; kernels need at least 1, so do not launch any where there is "
             "nothing to compute";
    if (value % multiple)
      return std::string(name) + " must be a multiple of " +
             std::to_string(multiple) + ", not " + std::to_string(value) +
             ": rows of the arrays begin at multiples of 16 bytes; pad it";
  }
  // Kernels count in 32 bits; experts may add a tile each.
  int64_t tiles = ((shape.rows + tileRows - 1) / tileRows + shape.experts()) *
                  ((shape.columns + tileColumns - 1) / tileColumns);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (tiles > kMost)
    return std::to_string(tiles) + " tiles are more than kernels count (" +
           std::to_string(kMost) + "); split the rows";
  return "";
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

RepeatedArray::RepeatedArray(Format type, const Words &words, size_t longestRun)
    : period(words.size()) {
  values.reserve(period + longestRun);
  for (uint32_t bits : words)
    values.push_back(float(decode(type, bits)));
  for (size_t i = 0; i < longestRun; ++i)
    values.push_back(values[i]);
}

std::vector<int64_t> poly::bench::sampleRows(const GatedGemmShape &shape,
                                             int64_t most) {
  int64_t begin = shape.firstRow(), count = shape.endRow() - begin;
  // An odd step meets all places of a tile.
  int64_t step = count <= most ? 1 : count / most | 1;
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < count; row += step)
    rows.push_back(begin + row);
  for (int64_t i = 0; i < int64_t(shape.offsets.size()) - 1; ++i)
    if (shape.offsets[size_t(i)] < shape.offsets[size_t(i) + 1]) {
      rows.push_back(shape.offsets[size_t(i)]);
      rows.push_back(shape.offsets[size_t(i) + 1] - 1);
    }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

static double dot(const float *a, const float *b, int64_t count) {
  // Sums apart, which the compiler may keep in the lanes of a register.
  constexpr int64_t kLanes = 8;
  double sums[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      sums[lane] += double(a[i + lane]) * double(b[i + lane]);
  for (; i < count; ++i)
    sums[0] += double(a[i]) * double(b[i]);
  double sum = 0;
  for (double part : sums)
    sum += part;
  return sum;
}

GatedProducts poly::bench::productsOf(const GatedGemmShape &shape,
                                      const RepeatedArray &input,
                                      const RepeatedArray &weight,
                                      std::vector<int64_t> rows) {
  GatedProducts products;
  products.columns = shape.columns;
  products.rows = std::move(rows);
  products.gate.resize(products.rows.size() * size_t(shape.columns));
  products.up.resize(products.gate.size());
  inParallel(products.rows.size(), [&](size_t i) {
    int64_t row = products.rows[i];
    const float *x = input.from(size_t(row * shape.depth));
    int64_t first = 2 * shape.columns * shape.expertOf(row);
    for (int64_t column = 0; column < shape.columns; ++column) {
      size_t to = i * size_t(shape.columns) + size_t(column);
      auto times = [&](int64_t weightRow) {
        return dot(x, weight.from(size_t(weightRow * shape.depth)),
                   shape.depth);
      };
      products.gate[to] = times(first + column);
      products.up[to] = times(first + shape.columns + column);
    }
  });
  return products;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Of two norms, the first over the second.
static double ratioOf(double squares, double others) {
  if (others > 0)
    return std::sqrt(squares / others);
  return squares > 0 ? std::numeric_limits<double>::infinity() : 1;
}

double GatedError::relative() const {
  return truths > 0 || errors > 0 ? ratioOf(errors, truths) : 0;
}
double GatedError::margin() const { return ratioOf(errors, unavoidable); }
double GatedError::overOutputRounding() const {
  return ratioOf(errors, outputs);
}

static double square(double x) { return x * x; }

GatedError poly::bench::compare(const GatedOperator &op,
                                const GatedProducts &products,
                                const std::vector<double> &results) {
  GatedOperator exact = op;
  exact.roundInputs = exact.roundActivation = false;
  size_t columns = size_t(products.columns);
  std::vector<GatedError> parts(products.rows.size());
  inParallel(parts.size(), [&](size_t row) {
    GatedError &part = parts[row];
    for (size_t i = row * columns; i < (row + 1) * columns; ++i) {
      double gate = products.gate[i], up = products.up[i];
      double truth = exact.apply(gate, up);
      part.truths += square(truth);
      part.unavoidable += square(op.rounded(gate, up) - truth);
      part.outputs += square(roundTo(op.type, truth) - truth);
      if (std::isnan(results[i]))
        ++part.notNumbers;
      else
        part.errors += square(results[i] - truth);
    }
  });
  // In order, so that the same results give the same sums.
  GatedError sum;
  for (const GatedError &part : parts) {
    sum.errors += part.errors;
    sum.unavoidable += part.unavoidable;
    sum.outputs += part.outputs;
    sum.truths += part.truths;
    sum.notNumbers += part.notNumbers;
  }
  return sum;
}

std::vector<double> poly::bench::replay(const GatedOperator &op,
                                        const GatedProducts &products,
                                        GateGrade grade) {
  std::vector<double> results(products.count());
  size_t columns = size_t(products.columns);
  inParallel(products.rows.size(), [&](size_t row) {
    for (size_t i = row * columns; i < (row + 1) * columns; ++i)
      results[i] = op.rounded(products.gate[i], products.up[i], grade);
  });
  return results;
}

InstrumentReading poly::bench::readInstrument(const GatedOperator &op,
                                              const GatedProducts &products) {
  InstrumentReading reading;
  std::vector<double> asFloat = replay(op, products, {GateGrade::Float});
  std::vector<double> nextUp = replay(op, products, {GateGrade::NextUp});
  reading.asFloat = compare(op, products, asFloat).margin();
  reading.nextUp = compare(op, products, nextUp).margin();
  for (size_t i = 0; i < asFloat.size(); ++i)
    reading.changedResults += asFloat[i] != nextUp[i];
  for (size_t i = 0; i < reading.coarse.size(); ++i)
    reading.coarse[i] =
        compare(op, products,
                replay(op, products,
                       {GateGrade::Coarse, InstrumentReading::kLevels[i]}))
            .margin();
  return reading;
}

std::string poly::bench::instrumentProblem(const InstrumentReading &reading,
                                           double limit) {
  if (reading.nextUp == reading.asFloat)
    return "the comparison does not see one f32 ulp of the sigmoid; compare "
           "more rows";
  for (size_t i = 0; i < reading.coarse.size(); ++i)
    if (!(reading.coarse[i] > limit))
      return "a sigmoid of " + std::to_string(InstrumentReading::kLevels[i]) +
             " levels would pass: its margin is " +
             std::to_string(reading.coarse[i]);
  return "";
}
