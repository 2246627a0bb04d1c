//===- SourceCost.h - Issue slots of the source's spelling -----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_SOURCECOST_H
#define POLY_TRANSFORMS_SOURCECOST_H

#include "poly/Program/Cost.h"
#include "poly/Transforms/Sites.h"

namespace mlir::poly {

/// The operations that die when the function op of \p site no longer needs the
/// value it replaces: those whose every use is the site or another of them.
llvm::SmallVector<Operation *> idiomOps(const Site &site);

/// Cost per element of the spelling that a rewrite of \p site would remove, as
/// the stock lowering compiles it, with the conversions around it. A function
/// op that replaces nothing costs its reference spelling.
::poly::Cost sourceCost(const Site &site, const ::poly::TargetModel &target);

/// The same of what both spellings need and neither rewrite alone would remove,
/// such as the sigmoid of SiLU and of its derivative.
::poly::Cost sharedSourceCost(const Site &first, const Site &second,
                              const ::poly::TargetModel &target);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_SOURCECOST_H
