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

#include "AttentionReference.h"
#include "Cases.h"

#include "poly/Program/Registry.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <tuple>

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
  AttentionProblem of(const std::string &score, double cap) const {
    AttentionProblem problem;
    problem.score = score;
    problem.causal = causal;
    problem.batch = shape.batch;
    problem.queryLength = shape.queryLength;
    problem.keyLength = shape.keyLength;
    problem.heads = shape.heads;
    problem.keyHeads = shape.keyHeads;
    problem.headDim = headDim;
    problem.cap = cap;
    return problem;
  }
  double flops() const {
    AttentionProblem problem = of("", 0);
    double pairs = 0;
    for (int64_t row = 0; row < shape.queryLength; ++row)
      pairs += double(problem.visible(row));
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

/// The kernel's values: tensor maps are encoded once.
Arguments bind(const Case &item, const Problem &problem, const Data &data) {
  const Shape &shape = problem.shape;
  AttentionProblem attention = problem.of("", kCap);
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
      .integer("causalShift", attention.causalShift())
      .number("scale", attention.scale())
      .number("cap", attention.cap)
      .number("bias", attention.bias());
  return values.bind(item.kernel->metadata());
}

/// True results of one problem's sampled rows, each computed once.
class Sample {
public:
  Sample(const Problem &problem, const Data &data)
      : problem(problem), data(data) {
    int64_t rows = problem.of("", 0).rows();
    // A step without common factors meets all heads and positions in tiles.
    int64_t step = rows <= kMostRows ? 1 : rows / kMostRows | 1;
    for (int64_t i = 0; i < rows; i += step)
      indices.push_back(i);
  }

  /// \p cap counts for the score "softcap".
  const std::vector<AttentionRow> &truth(const std::string &score, double cap) {
    return computed(score, cap, "truth", &AttentionReference::truth);
  }
  const std::vector<AttentionRow> &
  replayed(const Program &program, RowMaximum maximum, int64_t tileKeys) {
    bool isFinal = maximum == RowMaximum::Final;
    return computed("softmax", 0,
                    program.name() + (isFinal ? "" : std::to_string(tileKeys)),
                    [&](const AttentionReference &reference, int64_t index) {
                      return reference.replayed(index, program, maximum,
                                                tileKeys);
                    });
  }

  std::vector<int64_t> indices;

private:
  static constexpr int64_t kMostRows = 400;

  std::vector<float> numbers(const Words &words) const {
    const std::vector<double> &table = numbersOf(problem.type);
    std::vector<float> result;
    result.reserve(words.size());
    for (uint32_t bits : words)
      result.push_back(float(table[bits]));
    return result;
  }

  template <typename Row>
  const std::vector<AttentionRow> &
  computed(const std::string &score, double cap, std::string name, Row row) {
    auto [found, isNew] = rows.try_emplace({score, cap, std::move(name)});
    if (isNew) {
      AttentionReference reference(problem.of(score, cap), numbers(data.query),
                                   numbers(data.key), numbers(data.value));
      found->second = computeRows(indices, [&](int64_t index) {
        return std::invoke(row, reference, index);
      });
    }
    return found->second;
  }

  const Problem &problem;
  const Data &data;
  std::map<std::tuple<std::string, double, std::string>,
           std::vector<AttentionRow>>
      rows;
};

/// The program that gives all weights of the kernel's softmax; null if there is
/// none, or the weights are summed before they are rounded.
const Program *weightProgram(const Case &item) {
  const KernelMetadata &kernel = item.kernel->metadata();
  if (kernel.text("score") != "softmax" || !kernel.flag("matrixSum"))
    return nullptr;
  const RegisteredProgram *found = findProgram(item.entry->programs());
  if (!found || found->program.info().function != Function::Exp2 ||
      found->program.info().from != Format::F32)
    return nullptr;
  return &found->program;
}

/// Compares with the operator that the kernel's program defines, whatever its
/// error: with the maxima of the tiles so far only the output's rounding may
/// differ. Notes what the error is of the operator with the final maximum.
void checkOperator(Case &item, const Problem &problem, Sample &sample,
                   const std::vector<AttentionRow> &actual,
                   const std::string &name) {
  const Program *program = weightProgram(item);
  if (!program)
    return;
  int64_t tileKeys = item.kernel->metadata().integer("keyRows");
  double distance = relativeError(
      actual, sample.replayed(*program, RowMaximum::Running, tileKeys));
  if (!(distance <= kErrorLimit))
    item.fault = "is off by " + std::to_string(distance) +
                 " from what its program computes on " + name;
  item.details.set("operatorDistance:" + name, distance);
  item.details.set(
      "wholeRowOperatorError:" + name,
      relativeError(sample.replayed(*program, RowMaximum::Final, tileKeys),
                    sample.truth("softmax", 0)));
}

/// Runs the kernel and compares: no poison left, rows right, reruns equal.
void check(Case &item, const Problem &problem, Data &data, Sample &sample,
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

  bool hasSum = item.kernel->metadata().flag("logSumExp");
  Words sums = download(Format::F32, data.logSumExp,
                        problem.queryCount() / size_t(problem.headDim));
  double cap =
      score == "softcap" ? item.kernel->metadata().number("cap", kCap) : 0;
  const std::vector<AttentionRow> &truth = sample.truth(score, cap);
  AttentionReference places(problem.of(score, cap), {}, {}, {});
  std::vector<AttentionRow> rows;
  double worstSum = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    int64_t index = sample.indices[i];
    AttentionRow row;
    const uint32_t *bits = actual.data() + places.offset(index);
    for (int64_t d = 0; d < problem.headDim; ++d)
      row.output.push_back(numbers[bits[d]]);
    rows.push_back(std::move(row));
    if (!hasSum)
      continue;
    // The rows' order is the log-sum-exp's.
    double sum = decode(Format::F32, sums[size_t(index)]);
    if (std::isfinite(sum) || std::isfinite(truth[i].logSumExp))
      worstSum = std::max(worstSum, std::fabs(sum - truth[i].logSumExp));
  }
  double relative = relativeError(rows, truth);
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
  std::string name = problem.name(score) + spread;
  item.details.set("relativeNormError:" + name, relative);
  checkOperator(item, problem, sample, rows, name);
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
  for (Case &item : cases)
    item.details.set("blocks", size_t(session.context.multiprocessors()));
  for (Shape shape : kChecks)
    for (double spread : {1.0, 4.0}) {
      Problem small = group.problem;
      small.shape = shape;
      small.spread = spread;
      Data smallData(small);
      Sample sample(small, smallData);
      for (Case &item : cases)
        if (item.ok())
          check(item, small, smallData, sample, group.score, stream, 2);
    }
  Sample sample(group.problem, data);
  for (Case &item : cases) {
    if (item.ok())
      check(item, group.problem, data, sample, group.score, stream, 20);
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
    if (!session.options.quick && !session.options.noEnergy)
      if (auto joules = session.meter.energy(contenders[next], 1))
        row.details.set("joules", *joules);
    ++next;
    session.results.add(std::move(row));
  }
}

} // namespace

/// The shapes to measure. Throws UsageError on one that no kernel can take.
static std::vector<Shape> shapesOf(const Options &options) {
  if (options.shapes.empty() && options.quick)
    return {{1, 1000, 1000, 8, 2}};
  if (options.shapes.empty())
    return {std::begin(kTimed), std::end(kTimed)};
  std::vector<Shape> shapes;
  for (auto [batches, queries, keys, heads, keyHeads] : options.shapes) {
    std::pair<const char *, unsigned> sizes[] = {{"batches", batches},
                                                 {"queries", queries},
                                                 {"keys", keys},
                                                 {"heads", heads},
                                                 {"key heads", keyHeads}};
    for (auto [name, size] : sizes)
      if (size == 0)
        throw UsageError(std::string("--shape: the number of ") + name +
                         " is 0; kernels need at least 1, so do not launch any "
                         "where there is nothing to compute");
    if (heads % keyHeads)
      throw UsageError("--shape: " + std::to_string(heads) +
                       " heads are no multiple of " + std::to_string(keyHeads) +
                       " key heads");
    shapes.push_back({batches, queries, keys, heads, keyHeads});
  }
  return shapes;
}

int poly::bench::runAttention(const Options &options) {
  std::vector<Shape> shapes = shapesOf(options);
  Session session(options, "attention");
  session.results.describe(
      "what", "hot: back-to-back runs from a replayed graph; cold: single runs "
              "after the level-2 cache was overwritten; ratio is the first "
              "variant's time over the row's; inputs are normally distributed");
  for (Shape shape : shapes)
    for (const Group &group :
         groupEntries<Group>(session, [&](const Entry &entry) {
           return std::optional<Group>(groupOf(entry, shape));
         }))
      runGroup(session, group);
  return session.finish(
      {"teraflops", "coldTeraflops", "relativeNormError", "joules", "program"});
}
