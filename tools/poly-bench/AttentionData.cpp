//===- AttentionData.cpp - Attention's arrays and their truth -------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionGates.h"
#include "AttentionRun.h"

#include <cmath>
#include <functional>
#include <stdexcept>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

/// No weight of a sigmoid exceeds one, and no e4m3 448.
static constexpr double kWeightScale = 256;

AttentionWork::AttentionWork(const KernelMetadata &kernel, AttentionShape shape)
    : score(kernel.text("score")), label(kernel.text("type")),
      headDim(kernel.extent("headDim")), causal(kernel.flag("causal")),
      shape(shape) {}

AttentionProblem AttentionWork::problem(double cap) const {
  AttentionProblem problem;
  problem.score = score;
  problem.causal = causal;
  problem.batch = shape.batch;
  problem.queryLength = shape.queryLength;
  problem.keyLength = shape.keyLength;
  problem.heads = shape.heads;
  problem.keyHeads = shape.keyHeads;
  problem.headDim = headDim;
  problem.cap = score == "softcap" ? cap : 0;
  return problem;
}

double AttentionWork::flops() const {
  AttentionProblem attention = problem(0);
  double pairs = 0;
  for (int64_t row = 0; row < shape.queryLength; ++row)
    pairs += double(attention.visible(row));
  return 4.0 * double(shape.batch * shape.heads * headDim) * pairs;
}

std::string AttentionWork::name() const {
  std::string lengths = std::to_string(shape.queryLength);
  if (shape.keyLength != shape.queryLength)
    lengths += "x" + std::to_string(shape.keyLength);
  std::string heads = std::to_string(shape.heads);
  if (shape.keyHeads != shape.heads)
    heads += "/" + std::to_string(shape.keyHeads);
  return score + (causal ? " causal " : " full ") + label + " D" +
         std::to_string(headDim) + ", B" + std::to_string(shape.batch) + " S" +
         lengths + " H" + heads;
}

AttentionTypes::AttentionTypes(const KernelMetadata &kernel)
    : query(parseElementType(kernel.text("type"))),
      keyValue(
          parseElementType(kernel.text("keyValueType", kernel.text("type")))),
      output(parseElementType(kernel.text("outputType", kernel.text("type")))) {
}

/// The numbers that arrays are rounded from, the same for all types.
static std::vector<float> sourceNumbers(size_t count, double spread,
                                        double mean, uint32_t seed) {
  const Words &words = normalValues(Format::F32, count, spread, seed);
  std::vector<float> numbers;
  numbers.reserve(count);
  for (uint32_t bits : words)
    numbers.push_back(float(decode(Format::F32, bits) + mean));
  return numbers;
}

static Words rounded(const std::vector<float> &numbers, Format format) {
  Words words(numbers.size());
  constexpr size_t kPiece = 1 << 16;
  inParallel((words.size() + kPiece - 1) / kPiece, [&](size_t piece) {
    size_t end = std::min(words.size(), (piece + 1) * kPiece);
    for (size_t i = piece * kPiece; i < end; ++i)
      words[i] = encode(format, double(numbers[i]));
  });
  return words;
}

Words AttentionData::quantised(const std::vector<float> &numbers,
                               const ArrayShape &shape, Format format,
                               double greatestNorm, std::vector<float> &factors,
                               Buffer &buffer) const {
  if (!types.areFloat8())
    return rounded(numbers, format);
  Quantised result =
      quantise(numbers, shape, format, work.factors, greatestNorm);
  factors = result.expanded(shape.allHeads());
  buffer = Buffer(result.factors.size() * sizeof(float));
  buffer.upload(result.factors.data(), buffer.bytes());
  return std::move(result.elements);
}

AttentionData::AttentionData(const AttentionWork &work,
                             const AttentionTypes &types)
    : work(work), types(types),
      output(poisoned(types.output, work.queryCount())),
      logSumExp(
          poisoned(Format::F32, work.queryCount() / size_t(work.headDim))) {
  ArrayShape queries = work.queries(), keys = work.keys();
  auto numbers = [&](const ArrayShape &shape, double spread, double mean,
                     uint32_t seed) {
    return sourceNumbers(shape.elements(), spread, mean, seed);
  };
  query = quantised(numbers(queries, work.spread, 0, 1), queries, types.query,
                    work.greatestNorm, queryFactors, queryFactorBuffer);
  key = quantised(numbers(keys, 1, 0, 2), keys, types.keyValue,
                  work.greatestNorm, keyFactors, keyFactorBuffer);
  value = quantised(numbers(keys, 1, work.valueMean, 3), keys, types.keyValue,
                    0, valueFactors, valueFactorBuffer);
  queryBuffer = upload(types.query, query);
  keyBuffer = upload(types.keyValue, key);
  valueBuffer = upload(types.keyValue, value);
  if (!types.areFloat8())
    return;
  transposed = Buffer(size_t(keys.allHeads() * keys.headDim * paddedKeys()));
}

void AttentionData::transpose(const Case &values, StreamHandle stream) const {
  ArrayShape keys = work.keys();
  NamedArguments arguments;
  arguments.array("values", valueBuffer)
      .array("transposed", transposed)
      .integer("keyLength", keys.length)
      .integer("paddedKeys", paddedKeys())
      .integer("keyStride", keys.heads * keys.headDim)
      .integer("headStride", keys.headDim)
      .integer("batchStride", keys.length * keys.heads * keys.headDim);
  const KernelMetadata &kernel = values.kernel->metadata();
  int64_t perBlock = kernel.extent("keysPerBlock");
  Dim3 grid{unsigned((paddedKeys() + perBlock - 1) / perBlock),
            unsigned(keys.heads), unsigned(keys.batch)};
  Arguments bound = arguments.bind(kernel);
  values.kernel->launch(stream, grid, bound);
}

TensorArray poly::bench::attentionArray(AttentionRole role,
                                        const ArrayShape &shape,
                                        const Buffer &buffer, Format format) {
  bool isKey = role == AttentionRole::Key;
  const char *lengthName = isKey ? "keyLength" : "queryLength";
  const char *headsName = isKey ? "keyHeads" : "heads";
  TensorArray array;
  array.address = buffer.address();
  array.elementType = name(format);
  array.sizes = {{"headDim", uint64_t(shape.headDim)},
                 {lengthName, uint64_t(shape.length)},
                 {headsName, uint64_t(shape.heads)},
                 {"batch", uint64_t(shape.batch)}};
  array.strides = {
      {headsName, uint64_t(shape.headDim)},
      {lengthName, uint64_t(shape.heads * shape.headDim)},
      {"batch", uint64_t(shape.length * shape.heads * shape.headDim)}};
  return array;
}

void poly::bench::addProblem(NamedArguments &values,
                             const AttentionProblem &problem) {
  values.integer("queryLength", problem.queryLength)
      .integer("keyLength", problem.keyLength)
      .integer("batches", problem.batch)
      .integer("heads", problem.heads)
      .integer("headsPerKeyHead", problem.heads / problem.keyHeads)
      .integer("causalShift", problem.causalShift())
      .number("scale", problem.scale())
      .number("cap", problem.cap)
      .number("bias", problem.bias());
}

Arguments AttentionData::bind(const Case &item) const {
  const KernelMetadata &kernel = item.kernel->metadata();
  ArrayShape queries = work.queries(), keys = work.keys();
  NamedArguments values;
  auto query = [&](const Buffer &buffer, Format format) {
    return attentionArray(AttentionRole::Query, queries, buffer, format);
  };
  auto key = [&](const Buffer &buffer) {
    return attentionArray(AttentionRole::Key, keys, buffer, types.keyValue);
  };
  TensorArray value = key(valueBuffer);
  if (types.areFloat8()) {
    uint64_t padded = uint64_t(paddedKeys()), dim = uint64_t(keys.headDim);
    value.address = transposed.address();
    value.sizes = {{"paddedKeys", padded},
                   {"headDim", dim},
                   {"keyHeads", uint64_t(keys.heads)},
                   {"batch", uint64_t(keys.batch)}};
    value.strides = {{"headDim", padded},
                     {"keyHeads", padded * dim},
                     {"batch", padded * dim * uint64_t(keys.heads)}};
  }
  checkPromises(kernel);
  bool isShared = work.factors == FactorsFor::Tensor;
  addProblem(values, problem(kAttentionCap));
  values.tensor("query", query(queryBuffer, types.query))
      .tensor("key", key(keyBuffer))
      .tensor("value", value)
      .tensor("output", query(output, AttentionTypes(kernel).output))
      .array("logSumExp", logSumExp)
      .number("weightScale", kWeightScale)
      .array("queryDescale", queryFactorBuffer)
      .array("keyDescale", keyFactorBuffer)
      .array("valueDescale", valueFactorBuffer)
      .integer("queryDescaleStride", !isShared)
      .integer("keyDescaleStride", !isShared)
      .integer("valueDescaleStride", !isShared);
  return values.bind(kernel);
}

void AttentionData::checkPromises(const KernelMetadata &kernel) const {
  double promised = kernel.number("scoreBound", 0);
  if (promised <= 0)
    return;
  ArrayShape queries = work.queries(), keys = work.keys();
  double bound = productBound(rowNorms(query, queries, types.query),
                              rowNorms(key, keys, types.keyValue),
                              queries.heads, keys.heads);
  if (!(bound <= promised))
    throw std::runtime_error(
        "kernel '" + kernel.name + "' is promised products of at most " +
        std::to_string(promised) + ", and the norms of " + work.name() +
        " allow " + std::to_string(bound) + "; use one without score-bound");
  AttentionProblem attention = problem(0);
  double factor = 0;
  for (int64_t head = 0; head < queries.allHeads(); ++head)
    factor = std::max(
        factor, double(attention.scoreFactor(head * work.shape.queryLength)));
  double octaves = attention.scale() * factor * kLog2E * promised;
  if (!fitsExponents(types.areFloat8(), octaves))
    throw std::runtime_error("kernel '" + kernel.name +
                             "' computes exponents without a clamp, and "
                             "scores of " +
                             work.name() + " reach " + std::to_string(octaves) +
                             " octaves; use one without score-bound");
}

AttentionProblem AttentionData::problem(double cap) const {
  AttentionProblem problem = work.problem(cap);
  problem.queryFactors = queryFactors;
  problem.keyFactors = keyFactors;
  problem.valueFactors = valueFactors;
  problem.hasE4M3Weights = types.areFloat8();
  return problem;
}

AttentionReference AttentionData::reference(double cap) const {
  auto numbers = [](Format format, const Words &words) {
    const std::vector<double> &table = numbersOf(format);
    std::vector<float> result;
    result.reserve(words.size());
    for (uint32_t bits : words)
      result.push_back(float(table[bits]));
    return result;
  };
  return AttentionReference(problem(cap), numbers(types.query, query),
                            numbers(types.keyValue, key),
                            numbers(types.keyValue, value));
}

AttentionSample::AttentionSample(const AttentionData &data) : data(data) {
  constexpr int64_t kMostRows = 400;
  int64_t all = data.work.problem(0).rows();
  // A step without common factors meets all heads and positions in tiles.
  int64_t step = all <= kMostRows ? 1 : all / kMostRows | 1;
  for (int64_t i = 0; i < all; i += step)
    indices.push_back(i);
}

template <typename Row>
const std::vector<AttentionRow> &
AttentionSample::computed(double cap, const std::string &name, Row row) {
  if (data.work.score != "softcap")
    cap = 0;
  auto [found, isNew] = rows.try_emplace({cap, name});
  if (isNew) {
    auto known = references.find(cap);
    if (known == references.end())
      known = references.emplace(cap, data.reference(cap)).first;
    const AttentionReference &reference = known->second;
    found->second = computeRows(
        indices, [&](int64_t index) { return row(reference, index); });
  }
  return found->second;
}

const std::vector<AttentionRow> &AttentionSample::truth(double cap) {
  return computed(cap, "truth",
                  [](const AttentionReference &reference, int64_t index) {
                    return reference.truth(index);
                  });
}

const std::vector<AttentionRow> &
AttentionSample::replayed(const Program &program, RowMaximum maximum,
                          int64_t tileKeys) {
  bool isFinal = maximum == RowMaximum::Final;
  return computed(0, program.name() + (isFinal ? "" : std::to_string(tileKeys)),
                  [&](const AttentionReference &reference, int64_t index) {
                    return reference.replayed(index, program, maximum,
                                              tileKeys);
                  });
}

AttentionInputs::Typed &AttentionInputs::of(const Case &item) {
  AttentionTypes types(item.kernel->metadata());
  std::unique_ptr<Typed> &typed = known[{types.query, types.keyValue}];
  if (!typed)
    typed = std::make_unique<Typed>(work, types);
  return *typed;
}
