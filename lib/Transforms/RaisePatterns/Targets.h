//===- Targets.h - The functions that poly-raise knows ---------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The normal forms of the known functions and the constants they are spelled
/// with. Nothing here knows MLIR.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_RAISEPATTERNS_TARGETS_H
#define POLY_TRANSFORMS_RAISEPATTERNS_TARGETS_H

#include "NormalForm.h"

#include "llvm/ADT/ArrayRef.h"

namespace mlir::poly {

/// A function that poly-raise knows, of scale * x or of -scale * x.
struct Target {
  ::poly::Function function = ::poly::Function::Sigmoid;
  bool negated = false;
  double scale = 1;
  /// The form is x times the sigmoid of the scaled x: Swish, a multiple of
  /// SiLU.
  bool isProduct = false;
  /// The form is this multiple of the function.
  double factor = 1;
};

/// The target that \p form equals, if any. Sigmoid, tanh and Swish are also
/// looked for with x scaled by each of \p scales, and any multiple of sigmoid.
std::optional<Target> matchTarget(const NormalForm &form,
                                  llvm::ArrayRef<double> scales = {});

/// The known function that \p form is within a few percent of on a wide
/// interval, if any. A form that is so without being equal has a constant that
/// somebody chose or mistyped; either way it is no place for an approximation.
std::optional<::poly::Function> getNearTarget(const NormalForm &form);

/// Whether \p scale is the 1.702 of quick-GELU.
bool isQuickGeluScale(double scale);

/// What a literal \p value of type \p format stands for: a power of two times
/// one of the constants that the known functions are spelled with, when it is
/// within four ulps of that in f32 or exactly its rounding in a 16-bit format;
/// otherwise itself.
double snapConstant(double value, ::poly::Format format);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_RAISEPATTERNS_TARGETS_H
