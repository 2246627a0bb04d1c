//===- Attention.cpp - Fused attention ------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels of family "attention", forward: O = P V, P from the scores
/// s = scale q k by softmax, by softmax of cap tanh(s / cap), or by
/// sigmoid(s + bias). Arrays are [batch, length, heads, headDim]. Results are
/// compared with float64 on all rows of small problems, on some of large ones.
///
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

namespace {

struct Shape {
  int64_t batch, queryLength, keyLength, heads, keyHeads;
};

/// What kernels are checked with: lengths that are no whole tiles, fewer and
/// more queries than keys, grouped heads, more tiles than multiprocessors.
constexpr Shape kChecks[] = {{1, 128, 128, 1, 1},
                             {2, 77, 200, 4, 2},
                             {1, 300, 129, 6, 2},
                             {3, 1, 515, 8, 8},
                             {2, 1111, 1111, 10, 5}};
constexpr Shape kTimed[] = {{4, 1024, 1024, 32, 8},    {2, 2048, 2048, 16, 16},
                            {1, 4096, 4096, 32, 8},    {1, 8192, 8192, 16, 16},
                            {1, 16384, 16384, 16, 16}, {1, 32768, 32768, 8, 8}};
/// The softcap that Gemma 2 uses for attention scores, for kernels that take it
/// as an argument.
constexpr double kCap = 50;
/// Relative error of results in 16-bit types with exact weights; see
/// docs/Benchmarking.md.
constexpr double kErrorLimit = 4e-3;

struct Problem {
  Format type;
  std::string typeName;
  int64_t headDim;
  bool causal;
  Shape shape;
  double spread;

  size_t queryCount() const {
    return size_t(shape.batch * shape.queryLength * shape.heads * headDim);
  }
  size_t keyCount() const {
    return size_t(shape.batch * shape.keyLength * shape.keyHeads * headDim);
  }
  int64_t causalShift() const { return shape.keyLength - shape.queryLength; }
  /// Keys that query \p row sees.
  int64_t visible(int64_t row) const {
    if (!causal)
      return shape.keyLength;
    return std::clamp(row + 1 + causalShift(), int64_t(0), shape.keyLength);
  }
  double flops() const {
    double pairs = 0;
    for (int64_t row = 0; row < shape.queryLength; ++row)
      pairs += double(visible(row));
    return 4.0 * double(shape.batch * shape.heads * headDim) * pairs;
  }
  std::string name(const std::string &score) const {
    return score + (causal ? " causal " : " full ") + typeName + " D" +
           std::to_string(headDim) + ", B" + std::to_string(shape.batch) +
           " S" + std::to_string(shape.queryLength) +
           (shape.keyLength != shape.queryLength
                ? "x" + std::to_string(shape.keyLength)
                : "") +
           " H" + std::to_string(shape.heads) +
           (shape.keyHeads != shape.heads ? "/" + std::to_string(shape.keyHeads)
                                          : "");
  }
};

/// The arrays of a problem, on both sides.
struct Data {
  explicit Data(const Problem &problem)
      : query(normalValues(problem.type, problem.queryCount(), problem.spread,
                           1)),
        key(normalValues(problem.type, problem.keyCount(), 1, 2)),
        value(normalValues(problem.type, problem.keyCount(), 1, 3)),
        queryBuffer(upload(problem.type, query)),
        keyBuffer(upload(problem.type, key)),
        valueBuffer(upload(problem.type, value)),
        output(poisoned(problem.type, problem.queryCount())),
        logSumExp(poisoned(Format::F32,
                           problem.queryCount() / size_t(problem.headDim))) {}

  Words query, key, value;
  Buffer queryBuffer, keyBuffer, valueBuffer, output, logSumExp;
};

TensorArray arrayOf(const Problem &problem, const Buffer &buffer,
                    int64_t length, const char *lengthName, int64_t heads,
                    const char *headsName) {
  TensorArray array;
  array.address = buffer.address();
  array.elementType = problem.typeName;
  array.sizes = {{"headDim", uint64_t(problem.headDim)},
                 {lengthName, uint64_t(length)},
                 {headsName, uint64_t(heads)},
                 {"batch", uint64_t(problem.shape.batch)}};
  array.strides = {{headsName, uint64_t(problem.headDim)},
                   {lengthName, uint64_t(heads * problem.headDim)},
                   {"batch", uint64_t(length * heads * problem.headDim)}};
  return array;
}

double biasOf(const Problem &problem) {
  return -std::log(double(problem.shape.keyLength));
}
double scaleOf(const Problem &problem) {
  return 1 / std::sqrt(double(problem.headDim));
}

/// The kernel's values: tensor maps are encoded once.
Arguments bind(const Case &item, const Problem &problem, const Data &data) {
  const Shape &shape = problem.shape;
  NamedArguments values;
  auto query = [&](const Buffer &buffer) {
    return arrayOf(problem, buffer, shape.queryLength, "queryLength",
                   shape.heads, "heads");
  };
  auto key = [&](const Buffer &buffer) {
    return arrayOf(problem, buffer, shape.keyLength, "keyLength",
                   shape.keyHeads, "keyHeads");
  };
  values.tensor("query", query(data.queryBuffer))
      .tensor("key", key(data.keyBuffer))
      .tensor("value", key(data.valueBuffer))
      .tensor("output", query(data.output))
      .array("logSumExp", data.logSumExp)
      .integer("queryLength", shape.queryLength)
      .integer("keyLength", shape.keyLength)
      .integer("batches", shape.batch)
      .integer("heads", shape.heads)
      .integer("headsPerKeyHead", shape.heads / shape.keyHeads)
      .integer("causalShift", problem.causalShift())
      .number("scale", scaleOf(problem))
      .number("cap", kCap)
      .number("bias", biasOf(problem));
  return values.bind(item.kernel->metadata());
}

/// A row's true result, in float64.
class Truth {
public:
  /// \p cap counts for the score "softcap".
  Truth(const Problem &problem, const Data &data, const std::string &score,
        double cap)
      : problem(problem), score(score), cap(cap), query(numbers(data.query)),
        key(numbers(data.key)), value(numbers(data.value)) {}

  /// Fills \p output with the row's result; its log-sum-exp.
  double row(int64_t batch, int64_t row, int64_t head,
             std::vector<double> &output) const;

private:
  std::vector<double> numbers(const Words &words) const {
    const std::vector<double> &table = numbersOf(problem.type);
    std::vector<double> result;
    result.reserve(words.size());
    for (uint32_t bits : words)
      result.push_back(table[bits]);
    return result;
  }

  const Problem &problem;
  const std::string &score;
  double cap;
  std::vector<double> query, key, value;
};

double Truth::row(int64_t batch, int64_t row, int64_t head,
                  std::vector<double> &output) const {
  const Shape &shape = problem.shape;
  int64_t dim = problem.headDim;
  int64_t keyHead = head / (shape.heads / shape.keyHeads);
  const double *q =
      query.data() +
      ((batch * shape.queryLength + row) * shape.heads + head) * dim;
  auto keyAt = [&](const std::vector<double> &array, int64_t k) {
    return array.data() +
           ((batch * shape.keyLength + k) * shape.keyHeads + keyHead) * dim;
  };
  int64_t keys = problem.visible(row);
  std::vector<double> weights(size_t(keys), 0);
  double maximum = -std::numeric_limits<double>::infinity();
  for (int64_t k = 0; k < keys; ++k) {
    const double *kRow = keyAt(key, k);
    double s = 0;
    for (int64_t d = 0; d < dim; ++d)
      s += q[d] * kRow[d];
    s *= scaleOf(problem);
    if (score == "softcap")
      s = cap * std::tanh(s / cap);
    weights[size_t(k)] = s;
    maximum = std::max(maximum, s);
  }
  double sum = 0;
  bool isSoftmax = score == "softmax" || score == "softcap";
  for (double &weight : weights) {
    if (score == "sigmoid")
      weight = 1 / (1 + std::exp(-weight - biasOf(problem)));
    else if (isSoftmax)
      weight = std::exp(weight - maximum);
    sum += weight;
  }
  double norm = isSoftmax && sum != 0 ? 1 / sum : 1;
  output.assign(size_t(dim), 0);
  for (int64_t k = 0; k < keys; ++k) {
    const double *vRow = keyAt(value, k);
    double weight = weights[size_t(k)] * norm;
    for (int64_t d = 0; d < dim; ++d)
      output[size_t(d)] += weight * vRow[d];
  }
  return maximum + std::log(sum);
}

/// Runs the kernel and compares: no poison left, rows right, reruns equal.
void check(Case &item, const Problem &problem, Data &data,
           const std::string &score, const Stream &stream, unsigned reruns) {
  data.output.fill(0xff); // NaN in all types.
  data.logSumExp.fill(0xff);
  Arguments arguments = bind(item, problem, data);
  unsigned blocks = unsigned(item.details.at("blocks").asNumber("blocks"));
  size_t count = problem.queryCount();
  auto run = [&] {
    item.kernel->launch(stream.handle(), Dim3{blocks, 1, 1}, arguments);
    stream.synchronize();
    std::vector<unsigned char> bytes(count * bytesOf(problem.type));
    data.output.download(bytes.data(), bytes.size());
    return bytes;
  };
  std::vector<unsigned char> bytes = run();
  Words actual = fromBytes(problem.type, bytes);
  const std::vector<double> &numbers = numbersOf(problem.type);
  for (uint32_t bits : actual)
    if (std::isnan(numbers[bits])) {
      item.fault = "left results unwritten, or NaN, on " + problem.name(score);
      return;
    }
  for (unsigned i = 0; i < reruns && item.fault.empty(); ++i)
    if (run() != bytes)
      item.fault = "differs from run to run on " + problem.name(score);

  const Shape &shape = problem.shape;
  bool hasSum = item.kernel->metadata().flag("logSumExp");
  Words sums = download(Format::F32, data.logSumExp,
                        problem.queryCount() / size_t(problem.headDim));
  int64_t rows = shape.batch * shape.heads * shape.queryLength;
  constexpr int64_t kMostRows = 400;
  // A step without common factors meets all heads and positions in tiles.
  int64_t step = rows <= kMostRows ? 1 : rows / kMostRows | 1;
  Truth truth(problem, data, score,
              item.kernel->metadata().number("cap", kCap));
  std::vector<double> expected;
  double errors = 0, squares = 0, worstSum = 0;
  for (int64_t i = 0; i < rows; i += step) {
    int64_t row = i % shape.queryLength;
    int64_t head = i / shape.queryLength % shape.heads;
    int64_t batch = i / shape.queryLength / shape.heads;
    double sum = truth.row(batch, row, head, expected);
    const uint32_t *bits =
        actual.data() +
        ((batch * shape.queryLength + row) * shape.heads + head) *
            problem.headDim;
    for (int64_t d = 0; d < problem.headDim; ++d) {
      double difference = numbers[bits[d]] - expected[size_t(d)];
      errors += difference * difference;
      squares += expected[size_t(d)] * expected[size_t(d)];
    }
    if (!hasSum)
      continue;
    double actualSum = decode(
        Format::F32,
        sums[size_t((batch * shape.heads + head) * shape.queryLength + row)]);
    if (std::isfinite(sum) || std::isfinite(actualSum))
      worstSum = std::max(worstSum, std::fabs(actualSum - sum));
  }
  double relative =
      squares > 0 ? std::sqrt(errors / squares) : std::sqrt(errors);
  double limit =
      item.entry->errorLimit > 0 ? item.entry->errorLimit : kErrorLimit;
  if (!(relative <= limit))
    item.fault = "relative error " + std::to_string(relative) + " on " +
                 problem.name(score);
  // A weight off by a factor 1 + e moves the log-sum-exp by at most e.
  if (!(worstSum <= std::max(1e-3, limit)))
    item.fault = "log-sum-exp off by " + std::to_string(worstSum) + " on " +
                 problem.name(score);
  std::string spread =
      problem.spread == 1
          ? ""
          : ", spread " + std::to_string(int(std::lround(problem.spread)));
  item.details.set("relativeNormError:" + problem.name(score) + spread,
                   relative);
}

struct Group {
  std::string score;
  Problem problem;
  std::vector<const Entry *> entries;

  std::string name() const { return problem.name(score); }
};

Group groupOf(const Entry &entry, Shape shape) {
  const KernelMetadata &kernel = entry.kernel;
  return {kernel.text("score"),
          {parseElementType(kernel.text("type")), kernel.text("type"),
           kernel.integer("headDim"), kernel.flag("causal"), shape, 1},
          {}};
}

void runGroup(Session &session, const Group &group) {
  std::string work = group.name();
  session.progress(work + ": checking");
  const Stream &stream = session.meter.stream();
  Data data(group.problem);
  std::vector<Case> cases(group.entries.begin(), group.entries.end());
  std::vector<Contender> contenders;
  for (Case &item : cases) {
    item.details.set("blocks", size_t(session.context.multiprocessors()));
    for (Shape shape : kChecks)
      for (double spread : {1.0, 4.0}) {
        if (!item.ok())
          continue;
        Problem small = group.problem;
        small.shape = shape;
        small.spread = spread;
        Data smallData(small);
        check(item, small, smallData, group.score, stream, 2);
      }
    if (item.ok())
      check(item, group.problem, data, group.score, stream, 20);
    if (!item.ok())
      continue;
    auto arguments =
        std::make_shared<Arguments>(bind(item, group.problem, data));
    unsigned blocks = unsigned(session.context.multiprocessors());
    contenders.push_back(
        {item.entry->name, [&item, arguments, blocks](StreamHandle handle) {
           item.kernel->launch(handle, Dim3{blocks, 1, 1}, *arguments);
         }});
  }
  std::vector<Measurement> hot, cold;
  if (!contenders.empty()) {
    MeasureOptions options = session.measureOptions(work);
    options.roundMilliseconds *= 5; // Long enough to reach the power limit.
    hot = session.meter.measure(contenders, options);
    options.temperature = Temperature::Cold;
    options.maxRounds = std::min(options.maxRounds, 25u);
    cold = session.meter.measure(contenders, options);
  }
  size_t next = 0;
  for (Case &item : cases) {
    ResultRow row;
    row.work = work;
    row.variant = item.entry->name;
    row.details.set("program", item.entry->programs());
    row.details.set("registers", item.kernel->registers());
    for (const std::string &name : item.details.names())
      row.details.set(name, item.details.at(name));
    if (const Json *error = item.details.find("relativeNormError:" + work))
      row.details.set("relativeNormError", *error);
    if (!item.ok()) {
      row.correct = false;
      row.details.set("fault", item.fault);
      session.results.add(std::move(row));
      continue;
    }
    row.samples = hot[next].microseconds;
    double flops = group.problem.flops();
    row.details.set("teraflops", flops / hot[next].median() * 1e-6);
    row.details.set("coldMicroseconds", cold[next].median());
    row.details.set("coldTeraflops", flops / cold[next].median() * 1e-6);
    row.details.set("throttledRounds", size_t(hot[next].throttledRounds));
    if (!hot[next].smClockMHz.empty())
      row.details.set("smClockMHz", summarize(hot[next].smClockMHz).median);
    if (!session.options.quick)
      if (auto joules = session.meter.energy(contenders[next], 1))
        row.details.set("joules", *joules);
    ++next;
    session.results.add(std::move(row));
  }
}

} // namespace

int poly::bench::runAttention(const Options &options) {
  Session session(options, "attention");
  session.results.describe(
      "what", "hot: back-to-back runs from a replayed graph; cold: single runs "
              "after the level-2 cache was overwritten; ratio is the first "
              "variant's time over the row's; inputs are normally distributed");
  std::vector<Shape> shapes(std::begin(kTimed), std::end(kTimed));
  if (options.quick)
    shapes = {{1, 1000, 1000, 8, 2}};
  for (Shape shape : shapes)
    for (const Group &group :
         groupEntries<Group>(session, [&](const Entry &entry) {
           return std::optional<Group>(groupOf(entry, shape));
         }))
      runGroup(session, group);
  return session.finish(
      {"teraflops", "coldTeraflops", "relativeNormError", "joules", "program"});
}
