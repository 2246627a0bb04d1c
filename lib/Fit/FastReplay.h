//===- FastReplay.h - Replay for a search -----------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lane 0 of a program on values instead of bit patterns, many inputs at a time
/// and with constants that change from run to run. Infinities, NaN, overflow
/// and sums that span more bits than a double holds are not those of Replay:
/// what a search finds this way, Replay must confirm.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_FIT_FASTREPLAY_H
#define POLY_LIB_FIT_FASTREPLAY_H

#include "poly/Program/Program.h"

#include <cstddef>
#include <vector>

namespace poly::fit::detail {

class FastReplay {
public:
  /// Inputs that run() takes at most.
  static constexpr size_t kBlock = 128;

  explicit FastReplay(const Program &program);

  /// False when the program has an instruction that a polynomial does not.
  bool isSupported() const { return supported; }

  /// The constants that have the value \p value in the program, in either sign:
  /// index for setConstant; -1 when there are none.
  int findConstant(double value) const;
  void setConstant(int slot, double value);
  /// Without rounding run() computes in double.
  void setRounding(bool on) { rounding = on; }

  /// Evaluates \p count values; result(i) then has those of result number i.
  void run(const double *x, size_t count);
  const double *result(unsigned index = 0) const {
    return row(resultRows[index]);
  }
  size_t results() const { return resultRows.size(); }

private:
  struct Step {
    Op op;
    Format format; ///< Of the rounding.
    uint16_t out, a, b, c;
  };
  struct Slot {
    double value;
    std::vector<std::pair<uint16_t, double>> rows; ///< Row and sign.
  };

  double *row(size_t index) { return values.data() + index * kBlock; }
  const double *row(size_t index) const {
    return values.data() + index * kBlock;
  }

  bool supported = true, rounding = true;
  std::vector<Step> steps;
  std::vector<Slot> slots;
  std::vector<uint16_t> inputRows;
  std::vector<uint16_t> resultRows;
  std::vector<double> values;
};

} // namespace poly::fit::detail

#endif // POLY_LIB_FIT_FASTREPLAY_H
