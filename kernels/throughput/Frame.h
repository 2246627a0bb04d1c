//===- Frame.h - Loops over registers with a clock -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The frame of throughput kernels, (in, out, n): thread t of the grid reads
/// its own `valuesPerThread` (see `poly.kernel`) f32 values of `in`, repeats
/// a body n times on values that stay in registers, and stores three 32-bit
/// words at out[3 t]: the multiprocessor's clock before and after, and a value
/// that depends on all results. One block is meant to run on a multiprocessor.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_THROUGHPUT_FRAME_H
#define POLY_KERNELS_THROUGHPUT_FRAME_H

#include "common/KernelBuilder.h"

namespace poly::kernels {

class ThroughputFrame {
public:
  using Value = mlir::Value;

  /// Starts the kernel; words() are the values that a thread has read.
  ThroughputFrame(KernelBuilder &builder, llvm::StringRef name, int64_t threads,
                  int64_t valuesPerThread,
                  llvm::SmallVector<mlir::NamedAttribute> info);

  llvm::ArrayRef<Value> words() const { return loaded; }

  /// Repeats \p body, which takes the i32 values of an iteration to those of
  /// the next, between two readings of the clock, and ends the kernel.
  void
  repeat(mlir::ValueRange seeds,
         llvm::function_ref<llvm::SmallVector<Value>(mlir::ValueRange)> body);

  // 32-bit integers.
  Value constant(int64_t value);
  Value asInteger(Value value); ///< The bits of an f32 or a pair.
  Value asType(Value bits, mlir::Type type);

private:
  Value clock();

  KernelBuilder &b;
  Value out, count, thread;
  llvm::SmallVector<Value> loaded;
};

} // namespace poly::kernels

#endif // POLY_KERNELS_THROUGHPUT_FRAME_H
