//===- Rates.h - Functions evaluated out of registers ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels that show how many values of a function a multiprocessor computes
/// when memory plays no part. See Frame.h for how they are run.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_THROUGHPUT_RATES_H
#define POLY_KERNELS_THROUGHPUT_RATES_H

#include "common/ElementwiseFunction.h"
#include "common/KernelBuilder.h"

namespace poly::kernels {

struct RateOptions {
  ElementwiseFunction function = ElementwiseFunction::Silu;
  /// Of the result; a pair of 16-bit results is one register.
  ElementType type = ElementType::BF16;
  /// The arguments are f32 and only the result is rounded to the type.
  bool wideArguments = false;
  /// Values of a thread: its independent chains of evaluations.
  int64_t elements = 32;
  int64_t threads = 1024;
  bool approximate = true; ///< As in ActivationOptions.
};

/// What is wrong with the options and what to do, or "".
std::string validate(const RateOptions &options);

/// A module with one kernel, e.g. rate_silu_bf16. In an iteration, a thread
/// evaluates the function at each of its values, and one bit of a result goes
/// into the value for the next iteration (one lop3 a register), so that nothing
/// can be left out or computed before the loop.
mlir::OwningOpRef<mlir::ModuleOp> buildRate(mlir::MLIRContext &context,
                                            const RateOptions &options);

} // namespace poly::kernels

#endif // POLY_KERNELS_THROUGHPUT_RATES_H
