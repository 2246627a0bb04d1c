//===- Measure.cpp - Interleaved timing of contenders ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

using namespace poly::runtime;

namespace {

/// Milliseconds of \p work in \p stream.
template <typename Work>
double timed(const Stream &stream, Work work) {
  Event start, end;
  start.record(stream.handle());
  work();
  end.record(stream.handle());
  return end.millisecondsSince(start);
}

/// How often \p contender runs in \p milliseconds.
unsigned repetitionsFor(const Stream &stream, const Contender &contender,
                        double milliseconds) {
  double once = timed(stream, [&] { contender.enqueue(stream.handle()); });
  constexpr double kMost = 20000;
  return static_cast<unsigned>(
      std::clamp(std::ceil(milliseconds / std::max(once, 1e-4)), 1.0, kMost));
}

std::unique_ptr<Graph> repeated(const Stream &stream,
                                const Contender &contender,
                                unsigned repetitions) {
  return std::make_unique<Graph>(stream, [&](StreamHandle handle) {
    for (unsigned i = 0; i < repetitions; ++i)
      contender.enqueue(handle);
  });
}

bool converged(const std::vector<Measurement> &measurements, double tolerance) {
  return std::all_of(measurements.begin(), measurements.end(),
                     [&](const Measurement &measurement) {
                       return medianUncertainty(measurement.microseconds) <=
                              tolerance;
                     });
}

/// Adds what NVML says after a round.
void watch(const Nvml *nvml, Measurement &measurement) {
  if (!nvml)
    return;
  GpuState state = nvml->read();
  if (state.smClockMHz)
    measurement.smClockMHz.push_back(*state.smClockMHz);
  measurement.throttledRounds += state.throttled();
}

} // namespace

std::vector<size_t> poly::runtime::roundOrder(size_t count, unsigned round) {
  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i)
    order[i] = (i + round / 2) % count;
  if (round % 2)
    std::reverse(order.begin(), order.end());
  return order;
}

std::vector<size_t> poly::runtime::shuffledOrder(size_t count, unsigned round) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t(0));
  // Its own draws, as std::shuffle's differ between libraries.
  std::minstd_rand engine(round + 1);
  engine.discard(8); // The first ones of near seeds are near.
  for (size_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[engine() % left]);
  return order;
}

Meter::Meter(const Context &context)
    : context(context), management(Nvml::open(context.pciBusId())) {}

std::vector<Measurement>
Meter::measure(const std::vector<Contender> &contenders,
               const MeasureOptions &options) {
  bool cold = options.temperature == Temperature::Cold;
  std::vector<Measurement> result(contenders.size());
  std::vector<std::unique_ptr<Graph>> graphs(contenders.size());
  for (size_t i = 0; i < contenders.size(); ++i) {
    const Contender &contender = contenders[i];
    result[i].name = contender.name;
    contender.enqueue(queue.handle());
    queue.synchronize();
    if (cold)
      continue;
    // The second run is without first-use costs.
    result[i].repetitions =
        repetitionsFor(queue, contender, options.roundMilliseconds);
    graphs[i] = repeated(queue, contender, result[i].repetitions);
  }

  // Twice the cache, so that no replacement policy keeps anything else.
  std::optional<Buffer> flush;
  if (cold)
    flush.emplace(2 * context.l2Bytes());
  const Driver &driver = Driver::get();
  auto runOnce = [&](size_t i) {
    if (!cold)
      return timed(queue, [&] { graphs[i]->launch(queue); });
    driver.check(driver.cuMemsetD8Async(flush->address(), 0, flush->bytes(),
                                        queue.handle()),
                 "cuMemsetD8Async");
    return timed(queue, [&] { contenders[i].enqueue(queue.handle()); });
  };
  unsigned total = options.warmupRounds + options.maxRounds;
  for (unsigned round = 0; round < total; ++round) {
    for (size_t i : options.shuffle ? shuffledOrder(contenders.size(), round)
                                    : roundOrder(contenders.size(), round)) {
      double milliseconds = runOnce(i);
      if (round < options.warmupRounds)
        continue;
      result[i].microseconds.push_back(milliseconds * 1e3 /
                                       result[i].repetitions);
      watch(management.get(), result[i]);
    }
    if (options.progress)
      options.progress(round + 1, total);
    unsigned timedRounds =
        round + 1 - std::min(round + 1, options.warmupRounds);
    if (timedRounds >= options.minRounds &&
        converged(result, options.tolerance))
      break;
  }
  return result;
}

std::optional<double> Meter::energy(const Contender &contender,
                                    double seconds) {
  if (!management)
    return std::nullopt;
  contender.enqueue(queue.handle());
  queue.synchronize();
  constexpr double kGraphMilliseconds = 20;
  unsigned repetitions = repetitionsFor(queue, contender, kGraphMilliseconds);
  std::unique_ptr<Graph> graph = repeated(queue, contender, repetitions);
  double once = timed(queue, [&] { graph->launch(queue); });
  unsigned launches = static_cast<unsigned>(
      std::max(std::ceil(seconds * 1e3 / std::max(once, 1e-3)), 1.0));
  std::optional<double> before = management->read().energyJoules;
  for (unsigned i = 0; i < launches; ++i)
    graph->launch(queue);
  queue.synchronize();
  std::optional<double> after = management->read().energyJoules;
  if (!before || !after)
    return std::nullopt;
  return (*after - *before) / (double(launches) * repetitions);
}
