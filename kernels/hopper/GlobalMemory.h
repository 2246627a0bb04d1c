//===- GlobalMemory.h - Dense arrays in global memory ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What kernels do to arrays without a tensor map: workspaces of one kernel for
/// the next one, sums that many blocks add to.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_GLOBALMEMORY_H
#define POLY_KERNELS_HOPPER_GLOBALMEMORY_H

#include "Emitter.h"

namespace poly::kernels::hopper {

mlir::Type globalPointerType(mlir::MLIRContext *context);

/// The pointer \p bytes (i64) after \p pointer.
Value advancePointer(Emitter &e, Value pointer, Value bytes);
/// \p number (i32, not negative) times \p bytes, i64.
Value byteDistance(Emitter &e, Value number, int64_t bytes);

/// Adds four f32 to those \p byteOffset after \p target, aligned to 16 bytes;
/// each sum is atomic, and their order is open.
void addFour(Emitter &e, Value target, int64_t byteOffset, ValueRange values);
/// Waits until the i32 at \p address is \p value or more. Then what the thread
/// that stored it by publish() knew of has happened, wherever that ran.
void awaitValue(Emitter &e, Value address, Value value);
void publish(Emitter &e, Value address, Value value);
/// Adds one to the i32 at \p address, which publishes as publish() does and
/// makes known what others published there before. Returns what it was.
Value countUp(Emitter &e, Value address);

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_GLOBALMEMORY_H
