//===- Float8Attention.cpp - Attention of 8-bit numbers to run ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float8Attention.h"

#include <cmath>

using namespace polytest;
using poly::Format;
using poly::bench::AttentionProblem;
using poly::bench::AttentionReference;

static unsigned keyAt(unsigned position) {
  unsigned e = position % 4, q = position / 4 % 4;
  return position / 16 * 16 + 8 * (e >> 1) + 2 * q + (e & 1);
}

unsigned polytest::paddedKeys(unsigned keys) { return (keys + 15) / 16 * 16; }

std::vector<double> polytest::transposedValues(const std::vector<double> &v,
                                               const Float8Shape &s,
                                               unsigned dim) {
  unsigned keys = paddedKeys(s.keys);
  std::vector<double> result(size_t(s.batches) * s.keyHeads * dim * keys, 0);
  for (unsigned b = 0; b < s.batches; ++b)
    for (unsigned h = 0; h < s.keyHeads; ++h)
      for (unsigned d = 0; d < dim; ++d)
        for (unsigned p = 0; p < keys; ++p)
          if (keyAt(p) < s.keys)
            result[((size_t(b) * s.keyHeads + h) * dim + d) * keys + p] =
                v[((size_t(b) * s.keys + keyAt(p)) * s.keyHeads + h) * dim + d];
  return result;
}

Float8Attention::Float8Attention(const HopperKernel &kernel,
                                 const Float8Shape &shape)
    : shape(shape), dim(unsigned(kernel.metadata.integer("headDim"))),
      hasLogs(kernel.metadata.flag("logSumExp")), kernel(kernel) {
  HopperRun run(kernel);
  size_t queries = rowCount() * dim;
  size_t keys = size_t(shape.batches) * shape.keys * shape.keyHeads * dim;
  q = run.randomNumbers(queries, shape.spread, 1);
  k = run.randomNumbers(keys, 1, 2, kernel.keyValueType);
  v = run.randomNumbers(keys, 1, 3, kernel.keyValueType);
  for (unsigned i = 0; i < shape.batches * shape.heads; ++i)
    queryScales.push_back(i % 2 ? 0.5f : 2.0f);
  for (unsigned i = 0; i < shape.batches * shape.keyHeads; ++i)
    keyScales.push_back(i % 2 ? 1.5f : 0.75f);
}

std::string Float8Attention::run() {
  const Float8Shape &s = shape;
  HopperRun run(kernel);
  uint64_t output = run.poisoned(q.size(), kernel.outputType);
  uint64_t sums = run.poisoned(rowCount(), Format::F32);
  run.attentionArray("query", run.upload(q), s.batches, s.queries, s.heads, dim)
      .attentionArray("key", run.upload(k, kernel.keyValueType), s.batches,
                      s.keys, s.keyHeads, dim)
      .attentionArray("output", output, s.batches, s.queries, s.heads, dim);
  uint64_t keys = paddedKeys(s.keys);
  run.tensor("value",
             run.upload(transposedValues(v, s, dim), kernel.keyValueType),
             {{"paddedKeys", keys},
              {"headDim", dim},
              {"keyHeads", s.keyHeads},
              {"batch", s.batches}},
             {{"headDim", keys},
              {"keyHeads", keys * dim},
              {"batch", keys * dim * s.keyHeads}});
  run.pointer("logSumExp", sums)
      .pointer("queryDescale", run.uploadFloats(queryScales))
      .pointer("keyDescale", run.uploadFloats(keyScales))
      .pointer("valueDescale", run.uploadFloats(valueScales))
      .integer("queryDescaleStride", 1)
      .integer("keyDescaleStride", 1)
      .integer("valueDescaleStride", 0)
      .integer("queryLength", s.queries)
      .integer("keyLength", s.keys)
      .integer("batches", s.batches)
      .integer("heads", s.heads)
      .integer("headsPerKeyHead", s.heads / s.keyHeads)
      .integer("causalShift", int64_t(s.keys) - s.queries)
      .number("scale", problem().scale())
      .number("bias", -std::log(double(s.keys)))
      .number("weightScale", weightScale)
      .number("cap", cap);
  if (std::string fault = run.run(2); !fault.empty())
    return fault;
  std::vector<double> results =
      run.download(output, q.size(), kernel.outputType);
  std::vector<double> logs = run.download(sums, rowCount(), Format::F32);
  AttentionReference places(problem(), {}, {}, {});
  rows.clear();
  for (size_t row = 0; row < rowCount(); ++row) {
    auto first = results.begin() + int64_t(places.offset(int64_t(row)));
    rows.push_back({{first, first + int64_t(dim)}, hasLogs ? logs[row] : 0});
  }
  return "";
}

AttentionProblem Float8Attention::problem() const {
  AttentionProblem problem;
  problem.score = kernel.metadata.text("score");
  problem.causal = kernel.metadata.flag("causal");
  problem.batch = shape.batches;
  problem.queryLength = shape.queries;
  problem.keyLength = shape.keys;
  problem.heads = shape.heads;
  problem.keyHeads = shape.keyHeads;
  problem.headDim = dim;
  problem.cap = cap;
  problem.queryFactors = queryScales;
  problem.keyFactors = keyScales;
  problem.valueFactors.assign(keyScales.size(), valueScales[0]);
  problem.hasE4M3Weights = true;
  return problem;
}

AttentionReference Float8Attention::reference() const {
  auto floats = [](const std::vector<double> &numbers) {
    return std::vector<float>(numbers.begin(), numbers.end());
  };
  return AttentionReference(problem(), floats(q), floats(k), floats(v));
}
