//===- SharedAccess.h - Who touches shared memory, and when ----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the ops of a kernel do to memory that the threads of a block share, and
/// the stretches of code that all of these threads run exactly once.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_TRANSFORMS_ROWMAXIMUM_SHAREDACCESS_H
#define POLY_LIB_TRANSFORMS_ROWMAXIMUM_SHAREDACCESS_H

#include "ThreadValues.h"

#include <string>

namespace mlir::poly::bound {

/// A word is what is followed: one f32, or one register of 32 bits.
constexpr int64_t kWordBytes = 4;

/// Memory with a name. Two objects are apart, but all memory whose size is
/// known at launch only is one.
using SharedObject = const void *;

enum class SharedKind {
  None, ///< Leaves shared memory alone, or reads what nobody asks for.
  Load,
  Store,
  Barrier, ///< Of all threads of the block.
  Unknown, ///< May be anything.
};

/// What one op does.
struct SharedAccess {
  SharedAccess(SharedKind kind = SharedKind::None) : kind(kind) {}

  SharedKind kind;
  SharedObject object = nullptr; ///< Unknown for null.
  /// A word is stored or loaded. If not, any of the object may be.
  bool isWord = false;
  Value stored;    ///< Of a word store.
  Value predicate; ///< Of inline assembly, if any.
  /// The address is pointer + offset or, for a memref, the element at indices.
  Value pointer;
  int64_t offset = 0;
  llvm::SmallVector<Value, 2> indices;
};
SharedAccess getSharedAccess(Operation *op);

/// Whether \p value comes, unchanged, from a load of shared memory.
bool isSharedLoad(Value value);
/// Through bit casts of the same width and vectors of one element.
Value skipBitcasts(Value value);

/// The words that a word access touches, in each thread that runs it; nothing
/// if any is not known.
std::optional<std::vector<int64_t>> getWords(const SharedAccess &access,
                                             ThreadValues &values,
                                             const llvm::BitVector &active);

/// One access, and the threads that perform it.
struct SharedEvent {
  Operation *op;
  SharedAccess access;
  llvm::BitVector active;
};

/// Code that all threads of a block run together, with what is nested in it.
struct SharedTrace {
  std::vector<SharedEvent> events; ///< In order.
  llvm::DenseMap<Block *, llvm::BitVector> active;
  /// Code before, beside or after it may store to shared memory too.
  bool hasStoresOutside = false;
  /// It starts where the kernel starts.
  bool isFirst = false;
  bool isInLoop = false;
};

/// Finds such code around \p load. Otherwise says in \p whyNot what is not
/// known.
std::optional<SharedTrace> traceAround(Operation *load, Operation *kernel,
                                       ThreadValues &values,
                                       std::string &whyNot);

/// The kernel around \p op: a function that the host launches.
Operation *getKernelAround(Operation *op);

} // namespace mlir::poly::bound

#endif // POLY_LIB_TRANSFORMS_ROWMAXIMUM_SHAREDACCESS_H
