//===- Cost.h - Issue slots of a Program on a target -----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_COST_H
#define POLY_PROGRAM_COST_H

#include "poly/Program/Program.h"
#include "poly/Target/Target.h"

#include <array>

namespace poly {

/// Throughput cost of one evaluation by one warp, in clocks of one of the four
/// sub-partitions of a multiprocessor. A pipe is busy 32 / (perClock / 4)
/// clocks for an instruction of a warp; the schedulers issue one a clock.
struct Cost {
  double issue = 0;
  std::array<double, static_cast<unsigned>(Pipe::NumPipes)> pipes = {};

  /// The clocks of the busiest resource: the steady-state time.
  double slots() const;
  /// What they take in real code on \p target: the busiest pipe, or the issue
  /// at the rate that mixed code sustains. `poly-bench rates` compares this
  /// with the GPU; slots() is what cannot be beaten.
  double expectedClocks(const TargetModel &target) const;
  void add(InstrClass instrClass, const TargetModel &target, double count = 1);
  Cost &operator+=(const Cost &other);
  Cost operator*(double factor) const;
};

/// Cost of one evaluation of \p program (all its lanes).
Cost cost(const Program &program, const TargetModel &target);

/// Slots per element.
double slotsPerElement(const Program &program, const TargetModel &target);

} // namespace poly

#endif // POLY_PROGRAM_COST_H
