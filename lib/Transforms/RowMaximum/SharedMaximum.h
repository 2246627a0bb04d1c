//===- SharedMaximum.h - Maxima through shared memory ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The maximum of a row that several warps hold goes through shared memory:
/// each warp stores its own, all wait, and all read what the others stored. A
/// proof has to say for every thread that what it reads is at least its own
/// score. So for every value of every thread, the set of threads is computed
/// whose scores the value is not below: a store, a barrier and a load carry the
/// set with the value, a shuffle exchanges sets, and a maximum joins them.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_TRANSFORMS_ROWMAXIMUM_SHAREDMAXIMUM_H
#define POLY_LIB_TRANSFORMS_ROWMAXIMUM_SHAREDMAXIMUM_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace mlir::poly::bound {

/// The loads of shared memory that \p value is one of or the maximum of, be it
/// among lanes.
SmallVector<Operation *> getSharedLoads(Value value);

/// All that the kernel stores to where \p load loads from; nothing if that is
/// not known.
std::optional<SmallVector<Value>> getSharedStores(Operation *load);

/// A value of another lane of the warp.
struct Shuffle {
  enum Mode { Xor, Up, Down, Index } mode;
  Value value, offset;
  /// The clamp and segment operand of PTX, or the width.
  Value clamp, width, mask;
};

/// The shuffle that \p value, the result of an op, is.
std::optional<Shuffle> viewShuffle(Value value);

/// Whether in every thread \p maximum is at least that thread's score.
/// \p isAtLeast says so of a value that the same thread computed. Otherwise
/// \p whyNot has the reason.
bool isMaximumOfAll(Value maximum, llvm::function_ref<bool(Value)> isAtLeast,
                    std::string &whyNot);

} // namespace mlir::poly::bound

#endif // POLY_LIB_TRANSFORMS_ROWMAXIMUM_SHAREDMAXIMUM_H
