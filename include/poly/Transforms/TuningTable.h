//===- TuningTable.h - Measured times of kernels with programs --*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Issue slots say what a program costs by itself. Where other work overlaps
/// it, as matrix products do in attention, only a measurement tells which of
/// several is the fastest. A table has such measurements for kernels that say
/// what they are (`poly.kernel`); `poly-bench tune` writes it:
///
///   {"version": 1, "chip": "sm_90", "kernels": [
///     {"kernel": {"family": "attention", "score": "softcap", ...},
///      "variants": [{"programs": [], "time": 1.6},
///                   {"programs": ["tanh-tanh32-f32"], "time": 1.0}]}]}
///
/// A kernel is meant when its `poly.kernel` has all entries of "kernel". Times
/// are relative to one another. No programs: everything as the source has it.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_TUNINGTABLE_H
#define POLY_TRANSFORMS_TUNINGTABLE_H

#include "poly/Program/Program.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace mlir::poly {

class PolyDialect;

class TuningTable {
public:
  /// The times of the programs of one function; "" is the source's own form.
  using Times = std::map<std::string, double>;

  /// Reads \p text; errors name \p path. All programs must be known to
  /// \p dialect.
  static llvm::Expected<TuningTable> parse(StringRef text, StringRef path,
                                           PolyDialect &dialect);

  const std::string &chip() const { return chipName; }

  /// What was measured of \p function in the kernel around \p op; null if
  /// nothing was.
  const Times *find(Operation *op, ::poly::Function function) const;

private:
  struct Kernel {
    llvm::json::Object description;
    std::map<::poly::Function, Times> times;
  };

  std::string chipName;
  std::vector<Kernel> kernels;
};

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_TUNINGTABLE_H
