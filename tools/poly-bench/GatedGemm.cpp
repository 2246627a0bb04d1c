//===- GatedGemm.cpp - Gated GEMMs beside a library's ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels of family "swiglu-gemm", Y = act(X Wg^T) (X Wu^T), for one matrix of
/// weights and for routed experts. First it is shown what the comparison with
/// float64 sees; then every kernel is compared; those that are right are timed,
/// interleaved with cuBLAS.
///
//===----------------------------------------------------------------------===//

#include "GatedPeers.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

namespace {
struct Sizes {
  int64_t rows, depth, columns;
};

constexpr Sizes kDense[] = {{24576, 2048, 1280},
                            {8192, 5120, 17408},
                            {1024, 5120, 17408},
                            {256, 5120, 17408}};
constexpr Sizes kRouted[] = {{24576, 2048, 1280}};
constexpr Sizes kQuick[] = {{1000, 512, 712}};
/// Of the uneven counts of rows that experts have when they are timed.
constexpr uint32_t kCountSeed = 3;
/// So long rounds reach the power limit.
constexpr double kHotMilliseconds = 20;
constexpr unsigned kColdRounds = 25;

/// The kernels of one suite that do the same work.
struct Work {
  GatedProblem problem;
  int64_t experts = 0;
  std::vector<const Entry *> entries;

  std::string name() const { return problem.name(); }
};

GatedGemmShape shapeOf(Sizes sizes, int64_t experts) {
  GatedGemmShape shape;
  shape.rows = sizes.rows;
  shape.depth = sizes.depth;
  shape.columns = sizes.columns;
  if (experts)
    shape.offsets = offsetsOf(unevenCounts(experts, sizes.rows, kCountSeed), 0);
  return shape;
}

/// Nothing for kernels of other families, such as the peers' activation.
std::optional<Work> workOf(const Entry &entry, Sizes sizes) {
  const KernelMetadata &kernel = entry.kernel;
  if (kernel.text("family") != "swiglu-gemm")
    return std::nullopt;
  Work work;
  work.problem.type = parseElementType(kernel.text("type"));
  work.experts = kernel.integer("experts", 0);
  work.problem.shape = shapeOf(sizes, work.experts);
  return work;
}

/// The sizes to measure. Throws UsageError on those that a kernel of the suite
/// cannot take; needs no GPU.
std::vector<Sizes> sizesOf(const Options &options, const std::string &suite,
                           bool isRouted) {
  if (options.gemmShapes.empty()) {
    if (options.quick)
      return {std::begin(kQuick), std::end(kQuick)};
    return isRouted ? std::vector<Sizes>(std::begin(kRouted), std::end(kRouted))
                    : std::vector<Sizes>(std::begin(kDense), std::end(kDense));
  }
  std::vector<Entry> entries = readSuite(options, suite);
  std::vector<Sizes> sizes;
  for (auto [rows, depth, columns] : options.gemmShapes) {
    sizes.push_back({rows, depth, columns});
    for (const Entry &entry : entries)
      if (std::optional<Work> work = workOf(entry, sizes.back()))
        if (std::string problem = problemOf(entry.kernel, work->problem.shape);
            !problem.empty())
          throw UsageError("--shape: kernel '" + entry.name + "': " + problem);
  }
  return sizes;
}

/// Device memory that the arrays and the peers' products need.
void checkMemory(const Session &session, const Work &work) {
  const GatedGemmShape &shape = work.problem.shape;
  double elements =
      double(shape.rows) * double(shape.depth) +
      2.0 * double(shape.experts() * shape.columns) * double(shape.depth) +
      3.0 * double(shape.rows) * double(shape.columns);
  double bytes = elements * bytesOf(work.problem.type);
  if (bytes > 0.9 * double(session.context.freeBytes()))
    throw std::runtime_error(work.name() + " needs " +
                             std::to_string(int64_t(bytes * 0x1p-20)) +
                             " MiB of device memory, and " +
                             std::to_string(session.context.freeBytes() >> 20) +
                             " are free; use a smaller --shape");
}

//===----------------------------------------------------------------------===//
// The instrument
//===----------------------------------------------------------------------===//

std::string describe(const GatedOperator &op) {
  return op.activation + (op.roundInputs ? " of rounded inputs" : "") +
         (op.roundActivation ? ", rounded" : "");
}

/// Shows what the comparison sees of \p op on the rows it compares, in the
/// results and on standard output. What is wrong with that.
std::string readAndReport(const GatedOperator &op, const GatedData &data,
                          Json &report) {
  InstrumentReading reading = readInstrument(op, data.products);
  Json json = Json::object();
  json.set("work", data.problem.name());
  json.set("operator", describe(op));
  json.set("comparedResults", data.products.count());
  json.set("marginOfFloatFactor", reading.asFloat);
  json.set("marginChangeByOneUlp", reading.nextUp - reading.asFloat);
  json.set("resultsChangedByOneUlp", reading.changedResults);
  std::printf("instrument: %s, %s: one f32 ulp of the factor changes %zu of "
              "%zu results, the margin from %.9f by %.1e;",
              data.problem.name().c_str(), describe(op).c_str(),
              reading.changedResults, data.products.count(), reading.asFloat,
              reading.nextUp - reading.asFloat);
  for (size_t i = 0; i < reading.coarse.size(); ++i) {
    unsigned levels = InstrumentReading::kLevels[i];
    json.set("marginOf" + std::to_string(levels) + "Levels", reading.coarse[i]);
    std::printf(" %u levels: %.3g", levels, reading.coarse[i]);
  }
  std::string problem = instrumentProblem(reading, kMarginLimit);
  std::printf("; %s\n", problem.empty() ? "ok" : problem.c_str());
  report.push(std::move(json));
  return problem;
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

struct Timed {
  std::vector<Measurement> hot, cold;
};

Timed measure(Session &session, const std::string &work,
              const std::vector<Contender> &contenders) {
  Timed timed;
  MeasureOptions options = session.measureOptions(work);
  options.shuffle = true;
  if (!session.options.quick)
    options.roundMilliseconds = kHotMilliseconds;
  timed.hot = session.meter.measure(contenders, options);
  options.temperature = Temperature::Cold;
  options.maxRounds = std::min(options.maxRounds, kColdRounds);
  options.minRounds = std::min(options.minRounds, options.maxRounds);
  timed.cold = session.meter.measure(contenders, options);
  return timed;
}

void addTimes(Session &session, ResultRow row, const Contender &contender,
              const Timed &timed, size_t index, double flops) {
  const Measurement &hot = timed.hot[index], &cold = timed.cold[index];
  row.samples = hot.microseconds;
  row.details.set("teraflops", flops / hot.median() * 1e-6);
  row.details.set("coldMicroseconds", cold.median());
  row.details.set("coldTeraflops", flops / cold.median() * 1e-6);
  row.details.set("throttledRounds", size_t(hot.throttledRounds));
  if (!hot.smClockMHz.empty())
    row.details.set("smClockMHz", summarize(hot.smClockMHz).median);
  if (!session.options.quick && !session.options.noEnergy)
    if (auto joules = session.meter.energy(contender, 1))
      row.details.set("joules", *joules);
  session.results.add(std::move(row));
}

ResultRow rowOf(const std::string &work, const Case &item) {
  ResultRow row;
  row.work = work;
  row.variant = item.entry->name;
  row.details.set("kind", item.entry->variant);
  row.details.set("program", item.entry->programs());
  const KernelMetadata &kernel = item.kernel->metadata();
  for (const char *name : {"activation", "epilogue", "tileColumns",
                           "clusterSize", "stages", "splitTiles"})
    if (const Json *value = kernel.info.find(name))
      row.details.set(name, *value);
  row.details.set("registers", item.kernel->registers());
  for (const std::string &name : item.details.names())
    row.details.set(name, item.details.at(name));
  return row;
}

ResultRow rowOf(const std::string &work, const GatedPeer &peer) {
  ResultRow row;
  row.work = work;
  row.variant = peer.name;
  row.details.set("kind", "peer");
  row.details.set("relativeNormError", peer.error.relative());
  row.details.set("margin", peer.error.margin());
  return row;
}

void addFault(Session &session, ResultRow row, const std::string &fault) {
  row.correct = false;
  row.details.set("fault", fault);
  std::fprintf(stderr, "poly-bench: %s: %s: %s\n", row.work.c_str(),
               row.variant.c_str(), fault.c_str());
  session.results.add(std::move(row));
}

const Entry *activationEntry(const Session &session, Format type) {
  for (const Entry &entry : session.entries)
    if (entry.kernel.text("family") == "swiglu" &&
        entry.kernel.text("direction") == "forward" &&
        entry.kernel.text("layout") == "packed" &&
        parseElementType(entry.kernel.text("type")) == type)
      return &entry;
  return nullptr;
}

struct Run {
  Session &session;
  std::optional<Cublas> cublas;
  uint32_t seed;
  Json instrument = Json::array();
  /// Kernels that the small problems found right or wrong, by name.
  std::map<std::string, std::string> faults;

  void work(const Work &work);
};

void Run::work(const Work &work) {
  std::string name = work.name();
  session.progress(name + ": checking");
  checkMemory(session, work);
  std::vector<Case> cases(work.entries.begin(), work.entries.end());
  // The small problems do not depend on the size that is timed.
  std::vector<Case> fresh;
  for (const Entry *entry : work.entries)
    if (!faults.count(entry->name))
      fresh.emplace_back(entry);
  checkSmallProblems(fresh, work.problem.type, session, seed);
  for (const Case &item : fresh)
    faults[item.entry->name] = item.fault;

  GatedData data(work.problem, seed + 1000);
  std::set<GatedOperator> operators;
  std::string blind;
  for (const Case &item : cases) {
    GatedOperator op = operatorOf(item.kernel->metadata());
    if (op.hasFactor() && operators.insert(op).second && blind.empty())
      blind = readAndReport(op, data, instrument);
  }
  GatedPeers peers(cublas ? &*cublas : nullptr,
                   activationEntry(session, work.problem.type), data, session);
  std::vector<Contender> contenders;
  for (const GatedPeer &peer : peers.list())
    if (peer.fault.empty())
      contenders.push_back({peer.name, peer.enqueue});
  for (Case &item : cases) {
    item.fault = faults.at(item.entry->name);
    if (item.fault.empty() && !blind.empty())
      item.fault = blind;
    if (item.ok())
      checkGated(item, data, session, 2, true);
    if (!item.ok())
      continue;
    const KernelMetadata &kernel = item.kernel->metadata();
    unsigned blocks = blocksFor(kernel, work.problem.shape,
                                session.context.multiprocessors());
    auto arguments = std::make_shared<Arguments>(data.bind(kernel, blocks));
    contenders.push_back(
        {item.entry->name,
         [kernel = item.kernel, arguments, blocks](StreamHandle stream) {
           kernel->launch(stream, Dim3{blocks, 1, 1}, *arguments);
         }});
  }
  Timed timed;
  if (!contenders.empty())
    timed = measure(session, name, contenders);
  double flops = work.problem.shape.flops();
  size_t next = 0;
  for (const GatedPeer &peer : peers.list())
    if (peer.fault.empty()) {
      addTimes(session, rowOf(name, peer), contenders[next], timed, next,
               flops);
      ++next;
    } else {
      // A peer's failure is no wrong result of ours.
      std::fprintf(stderr, "poly-bench: note: %s: %s left out: %s\n",
                   name.c_str(), peer.name.c_str(), peer.fault.c_str());
    }
  for (const Case &item : cases)
    if (item.ok()) {
      addTimes(session, rowOf(name, item), contenders[next], timed, next,
               flops);
      ++next;
    } else {
      addFault(session, rowOf(name, item), item.fault);
    }
}

uint32_t seedOf(const Options &options) {
  if (options.seed)
    return options.seed;
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return uint32_t(now / std::chrono::milliseconds(1)) % 1000000 + 1;
}

int runSuite(const Options &options, const std::string &suite, bool isRouted) {
  std::vector<Sizes> sizes = sizesOf(options, suite, isRouted);
  Session session(options, suite);
  Run run{session, std::nullopt, seedOf(options), Json::array(), {}};
  session.results.describe(
      "what",
      "hot: back-to-back runs from a replayed graph, rounds in random order; "
      "cold: single runs after the level-2 cache was overwritten; ratio is the "
      "first row's time over the row's; margin is the error over the "
      "unavoidable one; inputs are normally distributed");
  session.results.describe("seed", size_t(run.seed));
  try {
    run.cublas.emplace(options.cublas);
    session.results.describe("cublas", run.cublas->description());
  } catch (const std::runtime_error &error) {
    session.results.describe("cublas", "none");
    std::fprintf(stderr,
                 "poly-bench: note: no cuBLAS here, so peers are left out "
                 "(name its library with --cublas): %s\n",
                 error.what());
  }
  for (Sizes size : sizes)
    for (const Work &work : groupEntries<Work>(
             session, [&](const Entry &entry) { return workOf(entry, size); }))
      run.work(work);
  session.results.describe("instrument", std::move(run.instrument));
  return session.finish({"teraflops", "coldMicroseconds", "margin",
                         "relativeNormError", "program"});
}
} // namespace

int poly::bench::runSwigluGemm(const Options &options) {
  return runSuite(options, "swiglu-gemm", /*isRouted=*/false);
}
int poly::bench::runGroupedGemm(const Options &options) {
  return runSuite(options, "grouped", /*isRouted=*/true);
}
