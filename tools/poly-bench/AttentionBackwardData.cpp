//===- AttentionBackwardData.cpp - Arrays and kernels, backward -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBackwardData.h"

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

/// Queries of a block of the workspaces (queryRows of the kernels).
static constexpr int64_t kQueryBlock = 64;
static constexpr unsigned char kNaNs = 0xff; // NaN in all types.

static bool belongs(const KernelMetadata &forward,
                    const KernelMetadata &backward) {
  if (forward.text("family", "") != "attention")
    return false;
  for (const char *key : {"score", "type"})
    if (forward.text(key) != backward.text(key))
      return false;
  return forward.integer("headDim") == backward.integer("headDim") &&
         forward.flag("causal") == backward.flag("causal") &&
         forward.number("cap", 0) == backward.number("cap", 0);
}

BackwardCase::BackwardCase(const Session &session, const Entry &entry)
    : main(&entry) {
  for (const KernelMetadata &kernel : entry.image.kernels)
    stages.push_back(
        std::make_shared<Kernel>(loadKernel(entry.image, kernel.name)));
  const Entry *found = nullptr;
  for (const Entry &other : session.entries)
    if (belongs(other.kernel, entry.kernel) &&
        (!found || other.variant == entry.variant))
      found = &other;
  if (!found) {
    main.fault = "has no forward kernel in the suite";
    return;
  }
  forward =
      std::make_shared<Kernel>(loadKernel(found->image, found->kernel.name));
  forwardName = found->name;
  main.details.set("forward", forwardName);
}

Format BackwardCase::type() const {
  return parseElementType(main.kernel->metadata().text("type"));
}

double BackwardCase::cap() const {
  const KernelMetadata &kernel = main.kernel->metadata();
  return kernel.text("score") == "softcap" ? kernel.number("cap", kAttentionCap)
                                           : 0;
}

int64_t BackwardData::queryBlocks() const {
  const AttentionShape &shape = work.shape;
  return shape.batch * shape.heads *
         ((shape.queryLength + kQueryBlock - 1) / kQueryBlock);
}

BackwardData::BackwardData(const AttentionWork &work, Format type, double cap,
                           unsigned multiprocessors)
    : work(work), type(type), cap(cap), multiprocessors(multiprocessors),
      query(normalValues(type, work.queryCount(), work.spread, 1)),
      key(normalValues(type, work.keyCount(), 1, 2)),
      value(normalValues(type, work.keyCount(), 1, 3)),
      outputGradient(normalValues(type, work.queryCount(), 1, 4)),
      queryBuffer(upload(type, query)), keyBuffer(upload(type, key)),
      valueBuffer(upload(type, value)),
      outputGradientBuffer(upload(type, outputGradient)),
      output(poisoned(type, work.queryCount())),
      logSumExp(
          poisoned(Format::F32, work.queryCount() / size_t(work.headDim))),
      queryGradient(poisoned(type, work.queryCount())),
      keyGradient(poisoned(type, work.keyCount())),
      valueGradient(poisoned(type, work.keyCount())),
      offsets(poisoned(Format::F32, size_t(queryBlocks() * kQueryBlock))),
      deltas(poisoned(Format::F32, size_t(queryBlocks() * kQueryBlock))),
      sums(poisoned(Format::F32,
                    size_t(queryBlocks() * kQueryBlock * work.headDim))),
      turns(poisoned(Format::F32, size_t(queryBlocks()))) {}

Arguments BackwardData::bind(const Kernel &kernel) const {
  NamedArguments values;
  auto tensor = [&](const char *name, const Buffer &buffer, bool isKey) {
    ArrayShape shape = isKey ? work.keys() : work.queries();
    auto role = isKey ? AttentionRole::Key : AttentionRole::Query;
    values.tensor(name, attentionArray(role, shape, buffer, type));
    // Kernels that stream rows take pointers and strides.
    int64_t row = shape.heads * shape.headDim;
    values.array(name, buffer)
        .integer(name + std::string("RowStride"), row)
        .integer(name + std::string("HeadStride"), shape.headDim)
        .integer(name + std::string("BatchStride"), shape.length * row);
  };
  tensor("query", queryBuffer, false);
  tensor("key", keyBuffer, true);
  tensor("value", valueBuffer, true);
  tensor("output", output, false);
  tensor("outputGradient", outputGradientBuffer, false);
  tensor("queryGradient", queryGradient, false);
  tensor("keyGradient", keyGradient, true);
  tensor("valueGradient", valueGradient, true);
  // Written through pointers, read through maps.
  auto ofQueries = [&](const char *name, const Buffer &buffer) {
    TensorArray array;
    array.address = buffer.address();
    array.elementType = "f32";
    array.sizes = {{"queryInBlock", uint64_t(kQueryBlock)},
                   {"queryBlock", uint64_t(queryBlocks())}};
    array.strides = {{"queryBlock", uint64_t(kQueryBlock)}};
    values.tensor(name, array).array(name, buffer);
  };
  ofQueries("queryOffsets", offsets);
  ofQueries("queryDeltas", deltas);
  addProblem(values, work.problem(cap));
  values.array("logSumExp", logSumExp)
      .array("querySums", sums)
      .array("queryTurns", turns);
  return values.bind(kernel.metadata());
}

BackwardData::Launch BackwardData::forward(const BackwardCase &item) const {
  auto arguments = std::make_shared<Arguments>(bind(*item.forward));
  return [kernel = item.forward, arguments,
          blocks = multiprocessors](StreamHandle stream) {
    kernel->launch(stream, Dim3{blocks, 1, 1}, *arguments);
  };
}

BackwardData::Launch BackwardData::backward(const BackwardCase &item) const {
  struct Stage {
    std::shared_ptr<Kernel> kernel;
    std::shared_ptr<Arguments> arguments;
    unsigned blocks;
  };
  std::vector<Stage> launches;
  for (const std::shared_ptr<Kernel> &kernel : item.stages) {
    const KernelMetadata &metadata = kernel->metadata();
    unsigned blocks = multiprocessors;
    if (metadata.text("grid") == "queryBlocks")
      blocks = unsigned(queryBlocks() * metadata.extent("blocksPerQueryBlock"));
    launches.push_back(
        {kernel, std::make_shared<Arguments>(bind(*kernel)), blocks});
  }
  return [launches](StreamHandle stream) {
    for (const Stage &stage : launches)
      stage.kernel->launch(stream, Dim3{stage.blocks, 1, 1}, *stage.arguments);
  };
}

void BackwardData::poison() {
  for (Buffer *buffer : {&queryGradient, &keyGradient, &valueGradient, &offsets,
                         &deltas, &sums, &turns})
    buffer->fill(kNaNs);
}

std::array<std::vector<unsigned char>, 3> BackwardData::download() const {
  std::array<std::vector<unsigned char>, 3> results;
  const Buffer *buffers[] = {&queryGradient, &keyGradient, &valueGradient};
  size_t counts[] = {work.queryCount(), work.keyCount(), work.keyCount()};
  for (size_t i = 0; i < 3; ++i) {
    results[i].resize(counts[i] * bytesOf(type));
    buffers[i]->download(results[i].data(), results[i].size());
  }
  return results;
}

AttentionGradients BackwardData::reference() const {
  const std::vector<double> &table = numbersOf(type);
  auto numbers = [&](const Words &words) {
    std::vector<float> result;
    result.reserve(words.size());
    for (uint32_t bits : words)
      result.push_back(float(table[bits]));
    return result;
  };
  return {work.problem(cap), numbers(query), numbers(key), numbers(value),
          numbers(outputGradient)};
}
