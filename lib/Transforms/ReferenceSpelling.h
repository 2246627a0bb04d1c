//===- ReferenceSpelling.h - Function ops as math ops ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_REFERENCESPELLING_H
#define POLY_TRANSFORMS_REFERENCESPELLING_H

#include "mlir/IR/Operation.h"

namespace mlir::poly {

/// Replaces a poly function op by the value that it says it replaces, which may
/// be a multiple of what the source computes, and erases it.
void replaceByOriginal(Operation *op);

/// Replaces a poly function op that no planner saw by the value it replaces,
/// or by arith and math ops when it replaces none.
void expandReference(Operation *op);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_REFERENCESPELLING_H
