//===- Measure.h - Interleaved timing of contenders -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times several ways of doing the same work against each other. Each round
/// times every contender once; the order of the contenders turns around from
/// round to round, so that drifts of clock and temperature meet all of them.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_MEASURE_H
#define POLY_RUNTIME_MEASURE_H

#include "Device.h"
#include "Nvml.h"
#include "Statistics.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace poly::runtime {

struct Contender {
  std::string name;
  /// Enqueues the work once.
  std::function<void(StreamHandle)> enqueue;
};

enum class Temperature {
  /// The work is repeated back to back from a replayed graph: caches keep what
  /// fits, launches cost nothing on the host.
  Hot,
  /// Before each single run all of the level-2 cache is overwritten.
  Cold
};

struct MeasureOptions {
  Temperature temperature = Temperature::Hot;
  /// Rounds whose times are dropped.
  unsigned warmupRounds = 2;
  unsigned minRounds = 9;
  unsigned maxRounds = 45;
  /// Rounds end once the 95 % interval of every contender's median is this
  /// narrow, relative to the median and to either side of it.
  double tolerance = 0.005;
  /// Hot: repetitions in a graph are chosen to reach this time.
  double roundMilliseconds = 4;
  /// The order of each round is drawn anew: for work at the power limit, where
  /// what runs after a lighter neighbour gains from it.
  bool shuffle = false;
  /// Called after each round with the rounds done and the most there may be.
  std::function<void(unsigned, unsigned)> progress;
};

struct Measurement {
  std::string name;
  /// Of one run of the work, one entry a round.
  std::vector<double> microseconds;
  /// Repetitions that one sample is the mean of.
  unsigned repetitions = 1;
  /// Clock after each timed round, where NVML is there.
  std::vector<double> smClockMHz;
  /// Rounds after which the GPU said that power or heat held its clock down.
  unsigned throttledRounds = 0;

  double median() const { return summarize(microseconds).median; }
};

/// Owns what measuring needs; create it once a process.
class Meter {
public:
  explicit Meter(const Context &context);

  /// Measures all \p contenders in one interleaved run.
  std::vector<Measurement> measure(const std::vector<Contender> &contenders,
                                   const MeasureOptions &options);

  /// Joules of one run of the work, from replaying it for \p seconds; empty
  /// where the GPU does not count energy. Its counter moves in steps of tens of
  /// milliseconds, so \p seconds should be at least one.
  std::optional<double> energy(const Contender &contender, double seconds);

  const Nvml *nvml() const { return management.get(); }
  const Stream &stream() const { return queue; }

private:
  const Context &context;
  Stream queue;
  std::unique_ptr<Nvml> management;
};

/// The order of \p count contenders in \p round: forwards, backwards, in turn,
/// each pair of rounds started one contender later.
std::vector<size_t> roundOrder(size_t count, unsigned round);
/// The same drawn at random, always the same for one \p round.
std::vector<size_t> shuffledOrder(size_t count, unsigned round);

} // namespace poly::runtime

#endif // POLY_RUNTIME_MEASURE_H
