//===- TrainingPairs.h - Forward and backward kernels together -*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The forward and the backward kernels of one operator name a common `pair`
/// in poly.kernel, beside their `direction`. Training follows the function that
/// is evaluated only if both agree on it:
///
///  * a function that the backward pass evaluates again, to make its derivative
///    of the value, has there the program of the forward pass, or none in both,
///    or what follows for the derivative from its error meets the budget;
///  * a derivative that is a site of its own has no program, or one whose
///    certified error against the true derivative meets a budget.
///
/// Otherwise the function and its derivative are left in the whole pair.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_TRANSFORMS_TRAININGPAIRS_H
#define POLY_LIB_TRANSFORMS_TRAININGPAIRS_H

#include "poly/Transforms/Report.h"
#include "poly/Transforms/Sites.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::poly {

/// What is remembered of a site until all of a module are planned.
struct TrainingSite {
  std::string pair; ///< Empty in no pair.
  bool isBackward = false;
  /// Its accuracy is bounded: by a budget, or as no program was asked for.
  bool hasBudget = false;
  /// Of the budget that was stated, or 0.
  double allowed = 0;
  /// May not change whatever is asked for, so it is no part of an agreement.
  bool staysExact = false;
  ::poly::Function function = ::poly::Function::Sigmoid;
  /// Gone where no program was applied.
  Operation *op = nullptr;
};

/// Reports pairs that lack a direction, and malformed names of pairs.
LogicalResult verifyTrainingPairs(Operation *root);

/// The pair of the function around \p site, if any.
TrainingSite trainingSite(const Site &site);

/// Leaves, by \p restore, what the directions of a pair do not agree on, and
/// writes down in the rows of all sites what they do. \p rows are those of
/// \p sites.
void reconcilePairs(llvm::ArrayRef<TrainingSite> sites,
                    llvm::ArrayRef<ReportRow *> rows,
                    llvm::function_ref<void(Operation *)> restore);

} // namespace mlir::poly

#endif // POLY_LIB_TRANSFORMS_TRAININGPAIRS_H
