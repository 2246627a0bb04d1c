//===- Merges.h - Values that control flow selects -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A branch on the sign of x whose sides give exp(x) and exp(-x) selects as a
/// select op does: the stable sigmoid is often written so.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_RAISEPATTERNS_MERGES_H
#define POLY_TRANSFORMS_RAISEPATTERNS_MERGES_H

#include "FloatView.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::poly {

/// Whether \p value is a block argument or a result of scf.if.
bool isMerge(Value value);

/// The view of a merge: a Select when one comparison of floats decides from
/// which of two sides it comes, otherwise Opaque.
FloatView viewMerge(Value value);

/// Calls \p fn with the results of the users of \p value, and with what it is
/// merged into.
void forEachDependent(Value value, llvm::function_ref<void(Value)> fn);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_RAISEPATTERNS_MERGES_H
