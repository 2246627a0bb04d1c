//===- Activations.h - Elementwise kernels ---------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds kernels that apply an activation, or multiply a gradient by its
/// derivative, over dense arrays of any length.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ACTIVATIONS_ACTIVATIONS_H
#define POLY_KERNELS_ACTIVATIONS_ACTIVATIONS_H

#include "common/ElementwiseFunction.h"
#include "common/KernelBuilder.h"

namespace poly::kernels {

enum class Direction {
  Forward,           ///< (x, y, count): y = f(x).
  Backward,          ///< (x, dy, dx, count): dx = dy f'(x), from x.
  BackwardFromOutput ///< (y, dy, dx, count): the same from y = f(x).
};

llvm::StringRef name(Direction direction);

struct ActivationOptions {
  ElementwiseFunction function = ElementwiseFunction::Silu;
  Direction direction = Direction::Forward;
  ElementType type = ElementType::BF16;
  /// 16-byte accesses of a thread to each array, all loads before their use.
  int64_t vectors = 1;
  int64_t threads = 256;
  /// Backward in 16-bit types: the derivative is rounded to the type and the
  /// product formed in it. Otherwise the product is f32, rounded once.
  bool roundDerivative = false;
  /// `afn` on the arithmetic: consent to approximations.
  bool approximate = true;
};

/// What is wrong with the options and what to do, or "".
std::string validate(const ActivationOptions &options);

/// A module with one kernel, named by function, direction and type, e.g.
/// silu_backward_bf16. Arrays start on 16-byte boundaries; an output may be one
/// of the inputs. A block does elementsPerBlock (see `poly.kernel`) elements.
mlir::OwningOpRef<mlir::ModuleOp>
buildActivation(mlir::MLIRContext &context, const ActivationOptions &options);

} // namespace poly::kernels

#endif // POLY_KERNELS_ACTIVATIONS_ACTIVATIONS_H
