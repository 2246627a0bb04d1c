//===- GatedGemmCheck.cpp - Are gated GEMMs right? ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatedGemm.h"

#include <cmath>
#include <cstring>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

namespace {
/// Of swish, for kernels that take it as an argument.
constexpr double kBeta = 1.25;
/// Rows of the output behind the last one, which must stay as they are.
constexpr int64_t kRowsBehind = 40;
/// With experts, rows before the first one's.
constexpr int64_t kRowsBefore = 5;
/// A relative error that no program has; all that can be said of results that
/// are too few for a mean.
constexpr double kGrossError = 0.3;
constexpr size_t kEnoughResults = 10000;

/// Compared elements: enough that one f32 ulp of the sigmoid changes some.
constexpr int64_t kSampledElements = int64_t(1) << 20;
constexpr int64_t kLeastRows = 48, kMostRows = 1024;

/// Inputs repeat after this many elements: a prime.
constexpr size_t kGatedPeriod = (size_t(1) << 20) - 3;

size_t elements(int64_t a, int64_t b) { return size_t(a) * size_t(b); }
} // namespace

std::string GatedProblem::name() const {
  std::string text(poly::name(type));
  if (!shape.offsets.empty())
    text += ", " + std::to_string(shape.experts()) + " experts";
  return text + ", " + std::to_string(shape.endRow() - shape.firstRow()) +
         " x " + std::to_string(shape.depth) + " x " +
         std::to_string(shape.columns);
}

GatedOperator poly::bench::operatorOf(const KernelMetadata &kernel) {
  GatedOperator op;
  op.activation = kernel.text("activation");
  op.beta = kernel.number("beta", kBeta);
  op.type = parseElementType(kernel.text("type"));
  op.roundInputs = kernel.flag("roundInputs");
  op.roundActivation = kernel.flag("roundActivation");
  return op;
}

std::string poly::bench::problemOf(const KernelMetadata &kernel,
                                   const GatedGemmShape &shape) {
  const Json *multiples = kernel.info.find("multiples");
  auto multiple = [&](const char *name) {
    const Json *value = multiples ? multiples->find(name) : nullptr;
    return value ? int64_t(value->asNumber(name)) : 1;
  };
  int64_t experts = kernel.integer("experts", 0);
  std::string problem;
  if (experts)
    problem = offsetsProblem(shape.offsets, experts, shape.rows);
  if (problem.empty())
    problem =
        shapeProblem(shape, multiple("columns"), multiple("depth"),
                     kernel.extent("tileRows"), kernel.extent("tileColumns"));
  return problem;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static const Words &inputWords(const GatedProblem &problem, uint32_t seed) {
  const GatedGemmShape &shape = problem.shape;
  return normalValues(problem.type,
                      std::min(elements(shape.rows, shape.depth), kGatedPeriod),
                      1, 2 * seed);
}

/// Products have the problem's spread.
static const Words &weightWords(const GatedProblem &problem, uint32_t seed) {
  const GatedGemmShape &shape = problem.shape;
  size_t count = elements(2 * shape.experts() * shape.columns, shape.depth);
  return normalValues(problem.type, std::min(count, kGatedPeriod),
                      problem.spread / std::sqrt(double(shape.depth)),
                      2 * seed + 1);
}

static std::optional<Buffer> uploadOffsets(const GatedGemmShape &shape) {
  if (shape.offsets.empty())
    return std::nullopt;
  Buffer buffer(shape.offsets.size() * sizeof(int32_t));
  buffer.upload(shape.offsets.data(), buffer.bytes());
  return buffer;
}

static int64_t rowsToCompare(const GatedGemmShape &shape) {
  return std::clamp(kSampledElements / shape.columns, kLeastRows, kMostRows);
}

GatedData::GatedData(const GatedProblem &problem, uint32_t seed)
    : problem(problem),
      input(uploadRepeated(problem.type, inputWords(problem, seed),
                           elements(problem.shape.rows, problem.shape.depth))),
      weight(uploadRepeated(
          problem.type, weightWords(problem, seed),
          elements(2 * problem.shape.experts() * problem.shape.columns,
                   problem.shape.depth))),
      output(elements(problem.shape.rows + kRowsBehind, problem.shape.columns) *
             bytesOf(problem.type)),
      offsets(uploadOffsets(problem.shape)) {
  const GatedGemmShape &shape = problem.shape;
  size_t run = size_t(shape.depth);
  products = productsOf(
      shape, RepeatedArray(problem.type, inputWords(problem, seed), run),
      RepeatedArray(problem.type, weightWords(problem, seed), run),
      sampleRows(shape, rowsToCompare(shape)));
}

size_t GatedData::rowBytes() const {
  return size_t(problem.shape.columns) * bytesOf(problem.type);
}

Buffer &GatedData::newWorkspace(size_t bytes, unsigned char value) {
  workspaces.emplace_back(bytes);
  workspaces.back().fill(value);
  return workspaces.back();
}

Arguments GatedData::bind(const KernelMetadata &kernel, unsigned blocks) {
  const GatedGemmShape &shape = problem.shape;
  if (std::string wrong = problemOf(kernel, shape); !wrong.empty())
    throw std::invalid_argument("kernel '" + kernel.name + "' on " +
                                problem.name() + ": " + wrong);
  auto tensor = [&](const Buffer &buffer) {
    TensorArray array;
    array.address = buffer.address();
    array.elementType = poly::name(problem.type);
    return array;
  };
  uint64_t rows = uint64_t(shape.rows), depth = uint64_t(shape.depth),
           columns = uint64_t(shape.columns);
  TensorArray x = tensor(input), w = tensor(weight), y = tensor(output);
  x.sizes = {{"depth", depth}, {"rows", rows}};
  x.strides = {{"rows", depth}};
  w.sizes = {{"depth", depth},
             {"columns", columns},
             {"gateUp", 2},
             {"experts", uint64_t(shape.experts())}};
  w.strides = {{"columns", depth},
               {"gateUp", columns * depth},
               {"experts", 2 * columns * depth}};
  y.sizes = {{"columns", columns}, {"rows", rows}};
  y.strides = {{"rows", columns}};
  NamedArguments values;
  values.tensor("input", x).tensor("weight", w).tensor("output", y);
  values.integer("rows", shape.rows)
      .integer("columns", shape.columns)
      .integer("depth", shape.depth)
      .number("beta", kBeta);
  if (offsets)
    values.array("offsets", *offsets);
  if (int64_t bytes = kernel.integer("partialBytesPerBlock", 0)) {
    // Sums that a kernel read before they were written would be NaN.
    values.array("partialSums", newWorkspace(size_t(bytes) * blocks, 0xff));
    values.array("arrivals", newWorkspace(sizeof(int32_t) * blocks, 0));
  }
  return values.bind(kernel);
}

void GatedData::poison() { output.fill(0xff); } // NaN in both types.

std::vector<unsigned char> GatedData::download() const {
  std::vector<unsigned char> bytes(output.bytes());
  output.download(bytes.data(), bytes.size());
  return bytes;
}

std::vector<double>
GatedData::sampled(const std::vector<unsigned char> &bytes) const {
  const std::vector<double> &numbers = numbersOf(problem.type);
  std::vector<double> results;
  results.reserve(products.count());
  for (int64_t row : products.rows) {
    const unsigned char *from = bytes.data() + size_t(row) * rowBytes();
    for (int64_t i = 0; i < products.columns; ++i) {
      uint16_t bits;
      std::memcpy(&bits, from + size_t(i) * sizeof bits, sizeof bits);
      results.push_back(numbers[bits]);
    }
  }
  return results;
}

std::string
GatedData::untouchedProblem(const std::vector<unsigned char> &bytes) const {
  auto begin = bytes.begin() +
               std::ptrdiff_t(size_t(problem.shape.firstRow()) * rowBytes());
  auto end = bytes.begin() +
             std::ptrdiff_t(size_t(problem.shape.endRow()) * rowBytes());
  auto isWritten = [](unsigned char byte) { return byte != 0xff; };
  if (std::any_of(bytes.begin(), begin, isWritten) ||
      std::any_of(end, bytes.end(), isWritten))
    return "wrote rows that have no result";
  uint32_t infinity = traits(problem.type).infinity;
  size_t count = 0;
  for (auto at = begin; at != end; at += 2) {
    uint16_t bits;
    std::memcpy(&bits, &*at, sizeof bits);
    count += (bits & 0x7fffu) > infinity;
  }
  return count ? "left " + std::to_string(count) + " results unwritten, or NaN"
               : "";
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

unsigned poly::bench::blocksFor(const KernelMetadata &kernel,
                                const GatedGemmShape &shape,
                                int multiprocessors) {
  int64_t cluster =
      kernel.info.find("clusterSize") ? kernel.extent("clusterSize") : 1;
  int64_t most = multiprocessors / cluster * cluster;
  // With experts the device counts the tiles; others share them.
  if (!shape.offsets.empty() || kernel.integer("partialBytesPerBlock", 0))
    return unsigned(most);
  int64_t tileRows = kernel.extent("tileRows") * cluster;
  int64_t tileColumns = kernel.extent("tileColumns");
  int64_t units = (shape.rows + tileRows - 1) / tileRows;
  int64_t tiles = (shape.columns + tileColumns - 1) / tileColumns;
  return unsigned(std::min(units * tiles * cluster, most));
}

void poly::bench::checkGated(Case &item, GatedData &data,
                             const Session &session, unsigned reruns,
                             bool isDetailed) {
  const KernelMetadata &kernel = item.kernel->metadata();
  std::string where = " on " + data.problem.name() + ", spread " +
                      std::to_string(data.problem.spread).substr(0, 3);
  unsigned blocks =
      blocksFor(kernel, data.problem.shape, session.context.multiprocessors());
  Arguments arguments = data.bind(kernel, blocks);
  const Stream &stream = session.meter.stream();
  auto run = [&] {
    data.poison();
    item.kernel->launch(stream.handle(), Dim3{blocks, 1, 1}, arguments);
    stream.synchronize();
    return data.download();
  };
  std::vector<unsigned char> bytes = run();
  item.fault = data.untouchedProblem(bytes);
  for (unsigned i = 0; i < reruns && item.fault.empty(); ++i)
    if (run() != bytes)
      item.fault = "differs from run to run";
  if (!item.fault.empty()) {
    item.fault += where;
    return;
  }
  if (data.products.count() == 0)
    return;
  GatedOperator op = operatorOf(kernel);
  GatedError error = compare(op, data.products, data.sampled(bytes));
  double relative = error.relative(), limit = item.entry->errorLimit;
  bool isMean = data.products.count() >= kEnoughResults;
  bool isRight = !isMean     ? relative <= kGrossError
                 : limit > 0 ? relative <= limit
                             : error.margin() <= kMarginLimit;
  if (!isRight)
    item.fault = "relative error " + std::to_string(relative) + ", " +
                 std::to_string(error.margin()) +
                 " times the unavoidable one," + where;
  if (!isDetailed)
    return;
  item.details.set("relativeNormError", relative);
  item.details.set("margin", error.margin());
  item.details.set("overOutputRounding", error.overOutputRounding());
  item.details.set("comparedResults", data.products.count());
}

static std::vector<GatedGemmShape> smallShapes() {
  std::vector<GatedGemmShape> shapes;
  constexpr int64_t kSizes[][3] = {
      {128, 64, 128},    {1, 8, 8},         {77, 200, 136},    {129, 584, 520},
      {333, 1000, 1288}, {1000, 2048, 712}, {4136, 1024, 2560}};
  for (auto [rows, depth, columns] : kSizes) {
    GatedGemmShape shape;
    shape.rows = rows;
    shape.depth = depth;
    shape.columns = columns;
    shapes.push_back(shape);
  }
  return shapes;
}

static std::vector<GatedGemmShape> smallExpertShapes(int64_t experts) {
  size_t count = size_t(experts);
  std::vector<std::vector<int64_t>> counts(4, std::vector<int64_t>(count, 0));
  // None at all, all in the first, all in the last, a single row in each.
  counts[1].front() = 300;
  counts[2].back() = 129;
  counts[3].assign(count, 1);
  counts.push_back(unevenCounts(experts, 3000, 1));
  counts.push_back(unevenCounts(experts, 4096, 2));
  std::vector<GatedGemmShape> shapes;
  for (const std::vector<int64_t> &rows : counts) {
    GatedGemmShape shape;
    bool isOdd = shapes.size() % 2;
    shape.depth = isOdd ? 1024 : 584;
    shape.columns = isOdd ? 328 : 200;
    shape.offsets = offsetsOf(rows, kRowsBefore);
    shape.rows = shape.offsets.back() + kRowsBehind;
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

void poly::bench::checkSmallProblems(std::vector<Case> &cases, Format type,
                                     const Session &session, uint32_t seed) {
  if (cases.empty())
    return;
  int64_t experts = cases.front().kernel->metadata().integer("experts", 0);
  std::vector<GatedGemmShape> shapes =
      experts ? smallExpertShapes(experts) : smallShapes();
  for (size_t i = 0; i < shapes.size(); ++i)
    for (double spread : {1.5, 8.0}) {
      GatedData data({type, shapes[i], spread}, seed + uint32_t(i));
      bool isLargest = i + 1 == shapes.size();
      for (Case &item : cases)
        if (item.ok())
          checkGated(item, data, session, isLargest && spread < 2 ? 20 : 2,
                     false);
    }
}
