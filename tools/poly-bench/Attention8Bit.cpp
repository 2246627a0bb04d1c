//===- Attention8Bit.cpp - Fused attention of 8-bit numbers ---------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels of family "attention" with 8-bit operands, beside those of 16 bits
/// that the suite has. V is prepared by a kernel of family "attention-values".
/// Results are compared with float64 on the numbers that the operands stand
/// for; the weights themselves are read back; numbers that are none must reach
/// the rows that see them, and only these; a long sum must have no bias.
///
//===----------------------------------------------------------------------===//

#include "AttentionGates.h"
#include "AttentionMetadata.h"
#include "AttentionRun.h"

#include "poly/Program/Formats.h"

#include <algorithm>
#include <cmath>
#include <iterator>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

/// Lengths that are no whole tiles, fewer and more queries than keys, grouped
/// heads, more tiles than multiprocessors.
static constexpr AttentionShape kChecks[] = {
    {2, 512, 512, 4, 2}, {1, 1008, 1008, 2, 1}, {3, 77, 77, 3, 3},
    {2, 333, 517, 8, 2}, {1, 517, 333, 2, 2},   {1, 1, 129, 2, 2},
    {1, 130, 1, 2, 1},   {1, 640, 640, 40, 40}};
static constexpr AttentionShape kTimed[] = {{1, 4096, 4096, 16, 16},
                                            {1, 8192, 8192, 16, 16},
                                            {1, 16384, 16384, 16, 16}};

namespace {
struct Group {
  AttentionWork work;
  std::vector<const Entry *> entries;

  std::string name() const { return work.name(); }
};

/// The checks of one group's kernels.
class Checks {
public:
  Checks(const Session &session, const AttentionWork &work,
         const ValuesKernels &values)
      : session(session), work(work), values(values) {}

  void readBack(Case &item) const;
  void notNumbers(Case &item) const;
  void longSum(Case &item) const;

private:
  AttentionWork shaped(AttentionShape shape, double spread) const {
    AttentionWork result = work;
    result.shape = shape;
    result.spread = spread;
    return result;
  }
  /// All results of a launch.
  std::vector<double> run(const Case &item, AttentionData &data) const;
  /// Rows, of all heads, that hold something that is no number.
  std::vector<bool> badRows(const Case &item, AttentionData &data) const;

  const Session &session;
  const AttentionWork &work;
  const ValuesKernels &values;
};
} // namespace

std::vector<double> Checks::run(const Case &item, AttentionData &data) const {
  data.output.fill(0xff);
  runOnce(session, item, data, values);
  Format type = AttentionTypes(item.kernel->metadata()).output;
  const std::vector<double> &numbers = numbersOf(type);
  std::vector<double> results;
  for (uint32_t bits : download(type, data.output, data.work.queryCount()))
    results.push_back(numbers[bits]);
  return results;
}

/// Values that are one for a single key give its weights, one key for each
/// element of a head.
void Checks::readBack(Case &item) const {
  // A sigmoid's have no sum, and are compared by their output alone.
  if (work.score == "sigmoid")
    return;
  const Program *program = exponentialOf(item);
  double allowed = readBackLimit(program), worst = 0;
  double cap = item.kernel->metadata().number("cap", kAttentionCap);
  int64_t dim = work.headDim;
  for (int64_t keys : {dim, 4 * dim}) { // One tile of keys, and several.
    constexpr int64_t kQueries = 256;
    AttentionWork small = shaped({1, kQueries, keys, 1, 1}, 2);
    AttentionData data(small, AttentionTypes(item.kernel->metadata()));
    AttentionReference reference = data.reference(cap);
    std::vector<Weights> truth, found(kQueries);
    for (int64_t row = 0; row < kQueries; ++row)
      truth.push_back(reference.weights(row));
    double factor = double(data.problem(cap).valueFactor(0));
    for (int64_t first = 0; first < keys; first += dim) {
      data.value.assign(data.value.size(), 0);
      for (int64_t d = 0; d < dim; ++d)
        data.value[size_t((first + d) * dim + d)] =
            encode(data.types.keyValue, 1);
      data.valueBuffer = upload(data.types.keyValue, data.value);
      std::vector<double> results = run(item, data);
      for (size_t i = 0; i < results.size(); ++i)
        found[i / size_t(dim)].push_back(results[i] / factor);
    }
    double octaves;
    std::string fault = checkWeights(found, truth, allowed, octaves);
    if (!fault.empty())
      item.fault = fault + " on " + small.name();
    worst = std::max(worst, octaves);
  }
  item.details.set("octaves", worst);
}

std::vector<bool> Checks::badRows(const Case &item, AttentionData &data) const {
  std::vector<double> results = run(item, data);
  AttentionProblem problem = data.problem(0);
  AttentionReference places(problem, {}, {}, {});
  std::vector<bool> bad;
  for (int64_t row = 0; row < problem.rows(); ++row) {
    auto first = results.begin() + int64_t(places.offset(row));
    bad.push_back(!std::all_of(first, first + problem.headDim,
                               [](double x) { return std::isfinite(x); }));
  }
  return bad;
}

void Checks::notNumbers(Case &item) const {
  constexpr int64_t kLength = 300, kHeads = 2, kRow = 37, kKey = 200;
  AttentionTypes types(item.kernel->metadata());
  AttentionWork small = shaped({1, kLength, kLength, kHeads, 1}, 1);
  size_t rows = size_t(kLength * kHeads);
  auto check = [&](AttentionData &data, const std::vector<bool> &expected,
                   const std::string &what) {
    std::string fault = checkNotNumbers(badRows(item, data), expected, what);
    if (!fault.empty())
      item.fault = fault;
  };
  std::vector<bool> ofQuery(rows, false), ofKey(rows);
  ofQuery[size_t(kLength + kRow)] = true;
  for (size_t row = 0; row < rows; ++row)
    ofKey[row] = !work.causal || int64_t(row) % kLength >= kKey;
  bool hasNaN = keepsNaN(exponentialOf(item));
  for (bool isInfinity : {false, true}) {
    const char *name = isInfinity ? "an infinity" : "a NaN";
    auto pattern = [&](Format format) {
      const FormatTraits &form = traits(format);
      return isInfinity ? form.infinity : form.canonicalNaN;
    };
    // e4m3 has no infinity, and a cap or a sigmoid makes a number of one.
    if (hasNaN && (!isInfinity ||
                   (types.query == Format::E5M2 && work.score == "softmax"))) {
      AttentionData data(small, types);
      data.query[data.work.queries().row(1, kRow) + 5] = pattern(types.query);
      data.queryBuffer = upload(types.query, data.query);
      check(data, ofQuery, std::string(name) + " in Q");
    }
    if (isInfinity && types.keyValue == Format::E4M3)
      continue;
    AttentionData data(small, types);
    size_t place = data.work.keys().row(0, kKey) + 5;
    // An infinity in K makes scores of either sign.
    if (hasNaN && !isInfinity) {
      uint32_t before = data.key[place];
      data.key[place] = pattern(types.keyValue);
      data.keyBuffer = upload(types.keyValue, data.key);
      check(data, ofKey, "a NaN in K");
      data.key[place] = before;
      data.keyBuffer = upload(types.keyValue, data.key);
    }
    // A tile's product takes masked keys with weights of zero.
    std::vector<bool> ofValue(rows);
    int64_t tileKeys = item.kernel->metadata().extent("keyRows");
    int64_t tileQueries = item.kernel->metadata().extent("queryRows");
    for (size_t row = 0; row < rows; ++row) {
      int64_t last =
          int64_t(row) % kLength / tileQueries * tileQueries + tileQueries - 1;
      ofValue[row] = !work.causal || last >= kKey / tileKeys * tileKeys;
    }
    data.value[place] = pattern(types.keyValue);
    data.valueBuffer = upload(types.keyValue, data.value);
    check(data, ofValue, std::string(name) + " in V");
  }
}

void Checks::longSum(Case &item) const {
  int64_t length = session.options.quick ? 2048 : 16384;
  AttentionWork large = shaped({1, length, length, 2, 2}, 1);
  large.valueMean = 1;
  AttentionData data(large, AttentionTypes(item.kernel->metadata()));
  AttentionSample sample(data);
  std::vector<double> results = run(item, data), found, truth;
  double cap = item.kernel->metadata().number("cap", kAttentionCap);
  const std::vector<AttentionRow> &rows = sample.truth(cap);
  AttentionReference places(data.problem(0), {}, {}, {});
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t d = 0; d < rows[i].output.size(); ++d) {
      truth.push_back(rows[i].output[d]);
      found.push_back(results[places.offset(sample.indices[i]) + d]);
    }
  double bias = biasOf(found, truth);
  item.details.set("longBias", bias);
  if (!item.kernel->metadata().flag("runningSum"))
    item.fault = checkBias(bias, work.score, length);
}

static Group groupOf(const Entry &entry, AttentionShape shape) {
  Group group{AttentionWork(entry.kernel, shape), {}};
  // Operands of different types share their arrays.
  group.work.label = "8-bit";
  return group;
}

/// The norm of rows of Q and K that keeps all promises of the group's kernels;
/// 0 if there are none.
static double greatestNormOf(const Group &group) {
  double bound = 0;
  for (const Entry *entry : group.entries)
    if (double promised = entry->kernel.number("scoreBound", 0))
      bound = bound > 0 ? std::min(bound, promised) : promised;
  return std::sqrt(bound);
}

static void runGroup(Session &session, Group group,
                     const ValuesKernels &values) {
  group.work.greatestNorm = greatestNormOf(group);
  std::string name = group.name();
  std::vector<Case> cases(group.entries.begin(), group.entries.end());
  unsigned number = 0;
  for (AttentionShape shape : kChecks)
    for (double spread : {1.0, 4.0}) {
      AttentionWork small = group.work;
      small.shape = shape;
      small.spread = spread;
      small.factors = ++number % 2 ? FactorsFor::Head : FactorsFor::Tensor;
      AttentionInputs inputs(small);
      session.progress(name + ": checking " + small.name());
      for (Case &item : cases)
        if (item.ok())
          checkAttention(session, item, inputs, values, 2);
    }
  Checks checks(session, group.work, values);
  session.progress(name + ": checking weights");
  for (Case &item : cases) {
    if (!AttentionTypes(item.kernel->metadata()).areFloat8())
      continue;
    for (auto check :
         {&Checks::readBack, &Checks::notNumbers, &Checks::longSum})
      if (item.ok())
        (checks.*check)(item);
  }
  session.progress(name + ": checking");
  measureAttention(session, cases, group.work, values);
}

int poly::bench::runAttention8Bit(const Options &options) {
  std::vector<AttentionShape> shapes = givenShapes(options);
  if (shapes.empty() && options.quick)
    shapes = {{1, 1000, 1000, 8, 2}};
  if (shapes.empty())
    shapes = {std::begin(kTimed), std::end(kTimed)};
  Session session(options, "attention-fp8", checkAttention8Bit);
  session.results.describe(
      "what",
      "hot: back-to-back runs from a replayed graph, in rounds of random "
      "order; "
      "cold: single runs after the level-2 cache was overwritten; V is "
      "prepared "
      "beforehand, by the kernel that has a row of its own; ratio is the first "
      "variant's time over the row's; inputs are normally distributed, and "
      "errors those against float64 on what the operands stand for");
  ValuesKernels values = valuesKernels(session);
  for (const Entry &entry : session.entries)
    if (entry.kernel.text("family") == "attention" &&
        AttentionTypes(entry.kernel).areFloat8() &&
        !values.count(entry.kernel.extent("headDim")))
      throw JsonError("'" + entry.name +
                      "' needs a kernel of family attention-values of its head "
                      "dimension, and the suite has none");
  for (AttentionShape shape : shapes)
    for (const Group &group : groupEntries<Group>(
             session, [&](const Entry &entry) -> std::optional<Group> {
               if (entry.kernel.text("family", "") != "attention")
                 return std::nullopt;
               return groupOf(entry, shape);
             }))
      runGroup(session, group, values);
  return session.finish({"teraflops", "coldTeraflops", "relativeNormError",
                         "octaves", "longBias", "joules", "program"});
}
