//===- Target.h - GPU pipe models ------------------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Throughput models of NVIDIA GPUs as data: results per clock and
/// multiprocessor for each class of instruction, with the source of each
/// figure. Cost is derived from these tables alone.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TARGET_TARGET_H
#define POLY_TARGET_TARGET_H

#include <string>
#include <string_view>
#include <vector>

namespace poly {

/// Instruction classes that share a throughput figure.
enum class InstrClass : unsigned {
  F32Fma,      ///< add, mul, fma, neg and abs in f32.
  PackedFma,   ///< add, mul, fma on f16x2.
  PackedFmaB,  ///< the same on bf16x2.
  PackedUnary, ///< neg and abs on bf16x2, and f16 -> f32.
  PackedMinMax,
  F32MinMax, ///< min, max, compare, select in f32.
  Logic,     ///< lop3, shift, byte permutation.
  IntMul,    ///< 32-bit integer multiply-add.
  Convert,   ///< cvt.rn.{bf16x2,f16x2}.f32.
  Sfu,       ///< ex2, rcp, tanh on f32; one lane of the packed forms.
  IntAdd,    ///< 32-bit integer add.
  NumClasses
};

/// Execution pipes that instructions of different classes may contend for.
enum class Pipe : unsigned { Fma, Alu, Xu, NumPipes };

struct InstrRate {
  Pipe pipe;
  /// Thread instructions per clock and multiprocessor.
  unsigned perClock;
  /// Where the figure comes from.
  const char *source;
};

/// One GPU generation.
struct TargetModel {
  std::string_view chip; ///< "sm_90".
  unsigned sm;           ///< 90.
  std::string_view description;
  /// Thread instructions the schedulers of one multiprocessor issue per clock.
  unsigned issuePerClock;
  /// What they issue on average in real code, which mixes pipes: below the
  /// above, because pipes that take a warp every other clock collide.
  unsigned sustainedIssuePerClock;
  InstrRate rates[static_cast<unsigned>(InstrClass::NumClasses)];

  const InstrRate &rate(InstrClass instrClass) const {
    return rates[static_cast<unsigned>(instrClass)];
  }
};

/// The model for \p chip ("sm_90", "sm_90a", "sm_100f"); architecture-specific
/// suffixes share the model of their base. Null when the chip is unknown.
const TargetModel *findTarget(std::string_view chip);

/// All models in ascending order.
const std::vector<const TargetModel *> &allTargets();

/// "sm_70, sm_75, ...", for messages.
std::string knownChips();

} // namespace poly

#endif // POLY_TARGET_TARGET_H
