//===- Passes.h - Passes of poly -------------------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_PASSES_H
#define POLY_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <functional>

namespace mlir::poly {

struct ReportRow;

/// Called with all decisions of a run of poly-plan that has succeeded.
using DecisionHandler = std::function<void(llvm::ArrayRef<ReportRow>)>;

#define GEN_PASS_DECL
#include "poly/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "poly/Transforms/Passes.h.inc"

/// poly-plan that also hands its decisions to \p handler.
std::unique_ptr<Pass> createPolyPlan(PolyPlanOptions options,
                                     DecisionHandler handler);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_PASSES_H
