//===- ThreadValues.h - Integers of every thread of a block ----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A kernel that says how many threads its blocks have has only so many values
/// of an index made from the thread's number. Working all of them out proves
/// more about who reads and writes what than algebra would, with less code.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_TRANSFORMS_ROWMAXIMUM_THREADVALUES_H
#define POLY_LIB_TRANSFORMS_ROWMAXIMUM_THREADVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <optional>
#include <vector>

namespace mlir::poly::bound {

constexpr unsigned kWarpSize = 32;

/// The threads of a block in each dimension, if \p kernel says how many.
std::optional<std::array<int64_t, 3>> getBlockSize(Operation *kernel);

/// Whether all threads of a block agree on \p value: it is made of constants,
/// arguments of \p kernel and the block's number.
bool isUniform(Value value, Operation *kernel, unsigned depth = 0);

/// One integer for each thread, where it is known.
struct ThreadIntegers {
  std::vector<int64_t> values; ///< Sign-extended.
  llvm::BitVector known;
};

/// Evaluates integers for all threads of a block.
class ThreadValues {
public:
  /// \p size is what getBlockSize() says of \p kernel.
  ThreadValues(Operation *kernel, std::array<int64_t, 3> size);

  unsigned numThreads() const { return threads; }
  const ThreadIntegers &get(Value value, unsigned depth = 0);
  /// The number that all threads have.
  std::optional<int64_t> getUniform(Value value);
  /// Where the i1 \p value is true; nothing if any thread is not known.
  std::optional<llvm::BitVector> getTrue(Value value);

private:
  void evaluate(Value value, ThreadIntegers &result, unsigned depth);
  bool evaluateThreadNumber(Value value, ThreadIntegers &result);

  Operation *kernel;
  std::array<int64_t, 3> size;
  unsigned threads;
  llvm::DenseMap<Value, ThreadIntegers> cache;
};

} // namespace mlir::poly::bound

#endif // POLY_LIB_TRANSFORMS_ROWMAXIMUM_THREADVALUES_H
