//===- Swiglu.h - Gated SiLU and its gradients -----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds y = silu(g) u, and from (g, u, dy) both gradients in one pass, over
/// matrices of rows x columns.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_SWIGLU_SWIGLU_H
#define POLY_KERNELS_SWIGLU_SWIGLU_H

#include "common/KernelBuilder.h"

namespace poly::kernels {

enum class SwigluLayout {
  Separate, ///< g and u are arrays [rows, columns].
  Packed    ///< Row r of one array [rows, 2 columns] is that of g, then of u.
};

struct SwigluOptions {
  bool backward = false;
  SwigluLayout layout = SwigluLayout::Separate;
  ElementType type = ElementType::BF16; ///< Not F32.
  /// silu(g) is rounded to the type before it is multiplied, and backward also
  /// dy u: what separate kernels for silu and the product compute.
  bool roundActivation = false;
  /// Backward: the sigmoid is rounded, which both gradients are made of.
  bool roundSigmoid = false;
  /// Backward: silu'(g) is rounded, too.
  bool roundDerivative = false;
  int64_t threads = 256;
  bool approximate = true; ///< As in ActivationOptions.
};

/// What is wrong with the options and what to do, or "".
std::string validate(const SwigluOptions &options);

/// A module with one kernel, e.g. swiglu_forward_separate_bf16. Parameters, all
/// arrays on 16-byte boundaries (`arguments` in `poly.kernel` names them):
///   forward  (g, u, y, rows, columns)           or (gu, y, rows, columns)
///   backward (g, u, dy, dg, du, rows, columns)  or (gu, dy, dgu, rows,
///   columns)
/// An output may be an input of its own shape. rows * columns is less than
/// 2^34. A block does elementsPerBlock of the rows * columns elements; packed
/// rows of a length that is no multiple of 8 take a slower path.
mlir::OwningOpRef<mlir::ModuleOp> buildSwiglu(mlir::MLIRContext &context,
                                              const SwigluOptions &options);

} // namespace poly::kernels

#endif // POLY_KERNELS_SWIGLU_SWIGLU_H
