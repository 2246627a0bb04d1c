//===- Lanes.h - Vectors that are scalars side by side ---------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_NORMALIZE_LANES_H
#define POLY_TRANSFORMS_NORMALIZE_LANES_H

#include "mlir/IR/Operation.h"

namespace mlir::poly {

/// Computes lane by lane, in scalars, what \p root computes in vectors that
/// were put together from scalars or, in the LLVM dialect, are taken apart into
/// the operands of scalar functions. Returns the number of ops split.
unsigned splitLanes(Operation *root);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_NORMALIZE_LANES_H
