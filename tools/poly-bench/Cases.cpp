//===- Cases.cpp - Checked contenders of a piece of work ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <algorithm>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

Case::Case(const Entry *entry)
    : entry(entry), kernel(std::make_shared<Kernel>(
                        loadKernel(entry->image, entry->kernel.name))),
      allowedError(std::max(entry->certifiedError(), 0x1p-20)) {}

Dim3 Case::grid(size_t count) const {
  size_t perBlock = size_t(kernel->metadata().extent("elementsPerBlock"));
  return Dim3{unsigned((count + perBlock - 1) / perBlock), 1, 1};
}

/// The suite's copy of 16-bit elements.
static std::optional<Case> copyKernel(const Session &session) {
  for (const Entry &entry : session.entries)
    if (entry.kernel.text("function", "") == "copy" &&
        entry.kernel.text("type") != "f32")
      return Case(&entry);
  return std::nullopt;
}

void poly::bench::measureCases(Session &session, const std::string &work,
                               size_t bytes, const std::vector<Case> &cases) {
  size_t half = bytes / 2;
  Buffer source(half), target(half);
  source.fill(0x3c);
  std::vector<Contender> contenders;
  if (std::optional<Case> copy = copyKernel(session)) {
    size_t count = half / sizeof(uint16_t);
    contenders.push_back({"copy kernel", [&, copy, count](StreamHandle stream) {
                            Arguments arguments(copy->kernel->metadata());
                            arguments.array(source.address())
                                .array(target.address())
                                .integer(int64_t(count));
                            copy->kernel->launch(stream, copy->grid(count),
                                                 arguments);
                          }});
  }
  contenders.push_back(
      {"driver's copy", [&](StreamHandle stream) {
         const Driver &driver = Driver::get();
         driver.check(driver.cuMemcpyDtoDAsync_v2(
                          target.address(), source.address(), half, stream),
                      "cuMemcpyDtoDAsync_v2");
       }});
  size_t copies = contenders.size();
  for (const Case &item : cases)
    if (item.ok())
      contenders.push_back({item.entry->name, item.enqueue});
  std::vector<Measurement> measurements =
      session.meter.measure(contenders, session.measureOptions(work));

  auto addRow = [&](const Measurement &measurement) -> ResultRow & {
    ResultRow &row = session.results.add(work, measurement);
    row.details.set("gigabytesPerSecond",
                    double(bytes) * 1e-3 / measurement.median());
    return row;
  };
  for (size_t i = 0; i < copies; ++i)
    addRow(measurements[i]);
  size_t next = copies;
  for (const Case &item : cases) {
    ResultRow wrong;
    ResultRow *row = &wrong;
    if (item.ok()) {
      row = &addRow(measurements[next++]);
    } else {
      wrong.work = work;
      wrong.variant = item.entry->name;
      wrong.correct = false;
      wrong.details.set("wrongResults", item.error.wrongResults());
      wrong.details.set("fault", item.fault);
    }
    row->details.set("kind", item.entry->variant);
    row->details.set("program", item.entry->programs());
    row->details.set("maxAbsError", item.error.maxAbs());
    row->details.set("relativeNormError", item.error.relativeNorm());
    row->details.set("registers", item.kernel->registers());
    for (const std::string &name : item.details.names())
      row->details.set(name, item.details.at(name));
    if (!item.ok())
      session.results.add(std::move(wrong));
  }
}

Arguments NamedArguments::bind(const KernelMetadata &kernel) const {
  const Json *names = kernel.info.find("arguments");
  if (!names)
    throw JsonError("'arguments' of kernel '" + kernel.name + "' is missing");
  Arguments arguments(kernel);
  std::vector<TensorMapSpec> maps = tensorMapsOf(kernel);
  unsigned next = 0;
  for (const Json &item : names->asArray("arguments")) {
    const std::string &name = item.asString("arguments");
    unsigned own = next++;
    // A map may have the name of the array that it describes.
    auto map =
        std::find_if(maps.begin(), maps.end(),
                     [&](const TensorMapSpec &m) { return m.argument == own; });
    if (map != maps.end() && tensors.count(map->name))
      arguments.tensorMap(encodeTensorMap(*map, tensors.at(map->name)));
    else if (auto array = arrays.find(name); array != arrays.end())
      arguments.array(array->second);
    else if (auto value = integers.find(name); value != integers.end())
      arguments.integer(value->second);
    else if (auto real = numbers.find(name); real != numbers.end())
      arguments.number(real->second);
    else
      throw JsonError("kernel '" + kernel.name + "' has a parameter '" + name +
                      "', for which this suite has no value");
  }
  return arguments;
}

Buffer poly::bench::poisoned(Format format, size_t count) {
  Buffer buffer((count + kPadding) * bytesOf(format));
  buffer.fill(kPoison);
  return buffer;
}

Words poly::bench::resultsOf(Format format, const Buffer &buffer, size_t count,
                             std::string &fault) {
  std::vector<unsigned char> bytes(buffer.bytes());
  buffer.download(bytes.data(), bytes.size());
  auto end = bytes.begin() + std::ptrdiff_t(count * bytesOf(format));
  if (std::any_of(end, bytes.end(),
                  [](unsigned char byte) { return byte != kPoison; }))
    fault = "wrote outside its array";
  bytes.erase(end, bytes.end());
  return fromBytes(format, bytes);
}

Buffer poly::bench::uploadPadded(Format format, const Words &words) {
  Words padded = words;
  padded.resize(words.size() + kPadding);
  return upload(format, padded);
}
