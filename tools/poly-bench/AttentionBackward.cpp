//===- AttentionBackward.cpp - Gradients of attention ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels of family "attention-backward", each behind the forward kernel that
/// it is trained with: gradients of Q, K and V are compared with float64, on
/// all rows and keys of small problems, on some of large ones. TFLOP/s count
/// five matrix products backward and seven in both directions.
///
//===----------------------------------------------------------------------===//

#include "AttentionBackwardData.h"
#include "AttentionMetadata.h"
#include "Parallel.h"

#include <cmath>
#include <iterator>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

namespace {

struct Check {
  AttentionShape shape;
  double spread; ///< Of the queries.
};

/// Lengths that are no whole tiles, one query and one key, fewer and more
/// queries than keys, grouped heads, more tiles than multiprocessors.
constexpr Check kChecks[] = {
    {{2, 512, 512, 4, 2}, 1}, {{1, 1000, 1000, 2, 1}, 3},
    {{3, 77, 77, 3, 3}, 6},   {{2, 333, 517, 8, 2}, 2},
    {{1, 517, 333, 2, 2}, 4}, {{1, 1, 129, 2, 2}, 1},
    {{1, 130, 1, 2, 1}, 1},   {{3, 1500, 1500, 8, 4}, 5}};
constexpr AttentionShape kTimed[] = {{4, 1024, 1024, 32, 8},
                                     {1, 4096, 4096, 32, 8},
                                     {1, 8192, 8192, 16, 16},
                                     {1, 16384, 16384, 16, 16}};
/// Relative errors of gradients with exact weights; see docs/Benchmarking.md.
constexpr double kErrorLimits[] = {6e-3, 1.5e-3}; // bf16, f16.
constexpr const char *kGradients[] = {"queryGradient", "keyGradient",
                                      "valueGradient"};

struct Group {
  AttentionWork work;
  std::vector<const Entry *> entries;

  std::string name() const { return work.name(); }
};

/// True gradients of some queries and keys, computed once.
class GradientSample {
public:
  explicit GradientSample(const BackwardData &data);

  std::vector<int64_t> queries, keys;
  std::vector<std::vector<double>> ofQueries;
  std::vector<AttentionGradients::OfKey> ofKeys;
  std::vector<size_t> queryOffsets, keyOffsets;
};

/// Relative errors of dQ, dK and dV.
using Errors = std::array<double, 3>;

} // namespace

static std::optional<Group> groupOf(const Entry &entry, AttentionShape shape) {
  if (entry.kernel.text("family", "") != "attention-backward")
    return std::nullopt;
  return Group{AttentionWork(entry.kernel, shape), {}};
}

GradientSample::GradientSample(const BackwardData &data) {
  constexpr int64_t kMost = 400, kMostKeys = 96;
  AttentionProblem problem = data.work.problem(data.cap);
  int64_t rows = problem.rows(), heads = problem.batch * problem.keyHeads;
  // A step without common factors meets all heads and positions in tiles.
  int64_t step = rows <= kMost ? 1 : rows / kMost | 1;
  for (int64_t i = 0; i < rows; i += step)
    queries.push_back(i);
  // A key needs all queries of its head: of large problems the last head
  // serves.
  bool isLarge = double(rows) * double(problem.keyLength) > 3e7;
  step = problem.keyLength <= kMostKeys ? 1 : problem.keyLength / kMostKeys | 1;
  for (int64_t head = 0; head < heads; ++head)
    if (!isLarge || head + 1 == heads)
      for (int64_t j = 0; j < problem.keyLength; j += step)
        keys.push_back(head * problem.keyLength + j);
  AttentionGradients reference = data.reference();
  ofQueries.resize(queries.size());
  inParallel(queries.size(),
             [&](size_t i) { ofQueries[i] = reference.ofQuery(queries[i]); });
  ofKeys = reference.ofKeys(keys);
  for (int64_t index : queries)
    queryOffsets.push_back(reference.queryOffset(index));
  for (int64_t index : keys)
    keyOffsets.push_back(reference.keyOffset(index));
}

/// The Frobenius norm of the difference over that of the truth; where that is
/// next to nothing, as when one key has all weight, of the difference alone.
static double norm(double errors, double squares, size_t count) {
  bool isRelative = squares > 1e-10 * double(count);
  return std::sqrt(isRelative ? errors / squares : errors);
}

static Errors errorsOf(const BackwardData &data, const GradientSample &sample,
                       const std::array<std::vector<unsigned char>, 3> &bytes) {
  const std::vector<double> &numbers = numbersOf(data.type);
  Errors errors;
  for (size_t which = 0; which < 3; ++which) {
    Words words = fromBytes(data.type, bytes[which]);
    double difference = 0, squares = 0;
    size_t count = 0;
    auto compare = [&](const std::vector<double> &truth, size_t offset) {
      for (size_t d = 0; d < truth.size(); ++d, ++count) {
        double error = numbers[words[offset + d]] - truth[d];
        difference += error * error;
        squares += truth[d] * truth[d];
      }
    };
    for (size_t i = 0; which == 0 && i < sample.ofQueries.size(); ++i)
      compare(sample.ofQueries[i], sample.queryOffsets[i]);
    for (size_t i = 0; which > 0 && i < sample.ofKeys.size(); ++i)
      compare(which == 1 ? sample.ofKeys[i].key : sample.ofKeys[i].value,
              sample.keyOffsets[i]);
    errors[which] = norm(difference, squares, count);
  }
  return errors;
}

/// How far two results of dQ are apart, relative to the first.
static double spreadOf(Format type, const std::vector<unsigned char> &first,
                       const std::vector<unsigned char> &second) {
  const std::vector<double> &numbers = numbersOf(type);
  Words a = fromBytes(type, first), b = fromBytes(type, second);
  double errors = 0, squares = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double error = numbers[a[i]] - numbers[b[i]];
    errors += error * error;
    squares += numbers[a[i]] * numbers[a[i]];
  }
  return norm(errors, squares, a.size());
}

/// "", or what is wrong with results as such: poison, and gradients of what
/// sees nothing.
static std::string
findFault(const BackwardData &data,
          const std::array<std::vector<unsigned char>, 3> &bytes) {
  const std::vector<double> &numbers = numbersOf(data.type);
  for (size_t which = 0; which < 3; ++which)
    for (uint32_t bits : fromBytes(data.type, bytes[which]))
      if (std::isnan(numbers[bits]))
        return std::string("left ") + kGradients[which] +
               " unwritten, or NaN, on ";
  AttentionProblem problem = data.work.problem(data.cap);
  if (problem.visible(0) > 0)
    return "";
  // The first queries see nothing; their rows come first in each batch.
  AttentionReference places(problem, {}, {}, {});
  Words words = fromBytes(data.type, bytes[0]);
  for (int64_t i = 0; i < problem.rows(); ++i)
    if (problem.visible(i % problem.queryLength) == 0)
      for (int64_t d = 0; d < problem.headDim; ++d)
        if (numbers[words[places.offset(i) + size_t(d)]] != 0)
          return "gave queries that see no key a gradient, on ";
  return "";
}

static double limitOf(const BackwardCase &item) {
  if (item.main.entry->errorLimit > 0)
    return item.main.entry->errorLimit;
  return kErrorLimits[item.type() == Format::BF16 ? 0 : 1];
}

/// Runs forward and backward and compares; all reruns of the latter on the same
/// inputs.
static void check(BackwardCase &item, BackwardData &data,
                  const GradientSample &sample, const Stream &stream,
                  unsigned reruns) {
  std::string name = data.work.name();
  data.forward(item)(stream.handle());
  BackwardData::Launch backward = data.backward(item);
  auto run = [&] {
    data.poison();
    backward(stream.handle());
    stream.synchronize();
    return data.download();
  };
  auto bytes = run();
  std::string fault = findFault(data, bytes);
  if (!fault.empty()) {
    item.main.fault = fault + name;
    return;
  }
  double spread = 0;
  for (unsigned i = 0; i < reruns && item.main.fault.empty(); ++i) {
    auto again = run();
    if (again[1] != bytes[1] || again[2] != bytes[2])
      item.main.fault = "dK or dV differ from run to run on " + name;
    else if (again[0] != bytes[0])
      spread = std::max(spread, spreadOf(data.type, bytes[0], again[0]));
  }
  if (spread > 0 && item.isDeterministic())
    item.main.fault = "is called deterministic, and dQ differs from run to "
                      "run on " +
                      name;
  Errors errors = errorsOf(data, sample, bytes);
  double worst = 0;
  for (size_t which = 0; which < 3; ++which) {
    worst = std::max(worst, errors[which]);
    item.main.details.set(kGradients[which] + ("Error:" + name), errors[which]);
    if (!(errors[which] <= limitOf(item)))
      item.main.fault = std::string("error ") + std::to_string(errors[which]) +
                        " of " + kGradients[which] + " on " + name;
  }
  item.main.details.set("relativeNormError:" + name, worst);
  item.main.details.set("rerunSpread:" + name, spread);
}

static ResultRow rowOf(const BackwardCase &item, const std::string &work) {
  ResultRow row;
  row.work = work;
  row.variant = item.main.entry->name;
  row.details.set("program", item.main.entry->programs());
  row.details.set("registers", item.main.kernel->registers());
  for (const std::string &name : item.main.details.names())
    row.details.set(name, item.main.details.at(name));
  for (const char *name : {"relativeNormError", "rerunSpread"})
    if (const Json *value = item.main.details.find(name + (":" + work)))
      row.details.set(name, *value);
  row.correct = item.main.ok();
  if (!row.correct)
    row.details.set("fault", item.main.fault);
  return row;
}

static void addTimes(ResultRow &row, double flops, const Measurement &hot,
                     const Measurement &cold) {
  row.samples = hot.microseconds;
  row.details.set("teraflops", flops / hot.median() * 1e-6);
  row.details.set("coldTeraflops", flops / cold.median() * 1e-6);
  row.details.set("coldMicroseconds", cold.median());
  row.details.set("throttledRounds", size_t(hot.throttledRounds));
  if (!hot.smClockMHz.empty())
    row.details.set("smClockMHz", summarize(hot.smClockMHz).median);
}

/// Backward alone, and behind the forward kernel as another row.
static void measure(Session &session, std::vector<BackwardCase> &cases,
                    BackwardData &data) {
  std::string name = data.work.name();
  double flops = data.work.flops() / 2; // Of one product.
  std::vector<Contender> contenders;
  std::vector<ResultRow> rows, wrong;
  std::vector<double> work;
  for (BackwardCase &item : cases) {
    if (!item.main.ok()) {
      wrong.push_back(rowOf(item, name));
      continue;
    }
    auto backward = data.backward(item), forward = data.forward(item);
    contenders.push_back({item.main.entry->name, backward});
    rows.push_back(rowOf(item, name));
    work.push_back(5 * flops);
    contenders.push_back({item.main.entry->name + " with forward",
                          [forward, backward](StreamHandle stream) {
                            forward(stream);
                            backward(stream);
                          }});
    rows.push_back(rows.back());
    rows.back().work += ", both directions";
    work.push_back(7 * flops);
  }
  if (!contenders.empty()) {
    MeasureOptions options = session.measureOptions(name);
    options.roundMilliseconds *= 5; // Long enough to reach the power limit.
    options.shuffle = true;
    std::vector<Measurement> hot = session.meter.measure(contenders, options);
    options.temperature = Temperature::Cold;
    options.maxRounds = std::min(options.maxRounds, 25u);
    std::vector<Measurement> cold = session.meter.measure(contenders, options);
    for (size_t i = 0; i < rows.size(); ++i) {
      addTimes(rows[i], work[i], hot[i], cold[i]);
      if (!session.options.quick && !session.options.noEnergy)
        if (auto joules = session.meter.energy(contenders[i], 1))
          rows[i].details.set("joules", *joules);
    }
  }
  // Rows of one piece of work follow one another.
  std::stable_sort(
      rows.begin(), rows.end(),
      [](const ResultRow &a, const ResultRow &b) { return a.work < b.work; });
  for (std::vector<ResultRow> *list : {&rows, &wrong})
    for (ResultRow &row : *list)
      session.results.add(std::move(row));
}

static void runGroup(Session &session, const Group &group) {
  session.progress(group.name() + ": checking");
  std::vector<BackwardCase> cases;
  for (const Entry *entry : group.entries)
    cases.emplace_back(session, *entry);
  unsigned blocks = session.context.multiprocessors();
  auto checkAll = [&](BackwardData &data, unsigned reruns) {
    GradientSample sample(data);
    for (BackwardCase &item : cases)
      if (item.main.ok())
        check(item, data, sample, session.meter.stream(), reruns);
  };
  Format type = cases.front().type();
  double cap = cases.front().cap();
  for (const Check &one : kChecks) {
    AttentionWork small = group.work;
    small.shape = one.shape;
    small.spread = one.spread;
    BackwardData data(small, type, cap, blocks);
    checkAll(data, 5);
  }
  BackwardData data(group.work, type, cap, blocks);
  checkAll(data, 20);
  measure(session, cases, data);
}

int poly::bench::runAttentionBackward(const Options &options) {
  std::vector<AttentionShape> shapes = givenShapes(options);
  if (shapes.empty() && options.quick)
    shapes = {{1, 1000, 1000, 8, 2}};
  if (shapes.empty())
    shapes = {std::begin(kTimed), std::end(kTimed)};
  Session session(options, "attention-backward", checkAttentionBackward);
  session.results.describe(
      "what", "gradients of Q, K and V, all kernels counted; hot: back-to-back "
              "runs from a replayed graph; cold: single runs after the level-2 "
              "cache was overwritten; ratio is the first variant's time over "
              "the row's; inputs are normally distributed");
  for (AttentionShape shape : shapes)
    for (const Group &group :
         groupEntries<Group>(session, [&](const Entry &entry) {
           return groupOf(entry, shape);
         }))
      runGroup(session, group);
  return session.finish({"teraflops", "coldTeraflops", "relativeNormError",
                         "rerunSpread", "joules", "program"});
}
