//===- RunningMaxima.h - Maxima that rows are scaled by ---------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds running maxima: a maximum over a row's scores, joined with that of
/// other threads and with the one that a loop carries. Each value that such a
/// maximum has on its way is one version of it.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_TRANSFORMS_FIXMAXIMUM_RUNNINGMAXIMA_H
#define POLY_LIB_TRANSFORMS_FIXMAXIMUM_RUNNINGMAXIMA_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace mlir::poly {

/// The distance of a butterfly that \p value is, over whole warps, and what it
/// exchanges.
struct Butterfly {
  Value value;
  unsigned distance;
};
std::optional<Butterfly> viewButterfly(Value value);

/// The maximum that \p value is unless the maximum is -inf, when it is a
/// number: that of a row without a live element, whose weights are all zero.
Value guardedMaximum(Value value);

class RunningMaxima {
public:
  /// Those of the function (or launch) \p root, f32 scalars.
  explicit RunningMaxima(Operation *root);

  bool contains(Value value) const { return lanes.contains(value); }
  bool empty() const { return lanes.empty(); }
  /// All versions, in the order in which they were found.
  auto versions() const { return llvm::make_first_range(lanes); }
  /// The same for all versions that are joined with \p version.
  const void *leader(Value version) const {
    return joined.getLeaderValue(version.getAsOpaquePointer());
  }
  /// The distances d, as bits, for which lanes l and l ^ d hold the same value.
  unsigned uniformDistances(Value version) const {
    return lanes.lookup(version);
  }
  /// Takes the maximum away that \p version belongs to.
  void remove(Value version);

  /// All distances: a constant.
  static constexpr unsigned kAllDistances = 31;

private:
  void collect(Operation *root);
  void follow(Value version);
  bool isWhole(Value version) const;
  bool isVersionOrNumber(Value value) const;
  unsigned uniformOf(Value value) const;
  unsigned computeUniform(Value version) const;

  llvm::MapVector<Value, unsigned> lanes;
  llvm::EquivalenceClasses<const void *> joined;
};

/// The values that become \p value where control flow meets: the initial and
/// the yielded value of what an scf.for carries (of its result too), both
/// branches' of a result of scf.if; empty for anything else.
SmallVector<Value, 2> incomingValues(Value value);

} // namespace mlir::poly

#endif // POLY_LIB_TRANSFORMS_FIXMAXIMUM_RUNNINGMAXIMA_H
