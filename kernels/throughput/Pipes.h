//===- Pipes.h - Issue rates of single instructions ------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels that show how often a multiprocessor issues a PTX instruction: eight
/// independent dependence chains of it a thread. See Frame.h for how they are
/// run.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_THROUGHPUT_PIPES_H
#define POLY_KERNELS_THROUGHPUT_PIPES_H

#include "common/KernelBuilder.h"

#include <vector>

namespace poly::kernels {

struct PipeOptions {
  std::string instruction = "fma.rn.f32";
  int64_t threads = 1024;
};

/// The names that PipeOptions::instruction may have. One with a plus is a mix
/// whose instructions are independent or alternate. `poly.kernel` says how many
/// instructions an iteration has (`perIteration`) and of which classes (`mix`).
std::vector<std::string> pipeInstructions();

/// What is wrong with the options and what to do, or "".
std::string validate(const PipeOptions &options);

/// A module with one kernel, e.g. pipe_fma_rn_f32.
mlir::OwningOpRef<mlir::ModuleOp> buildPipe(mlir::MLIRContext &context,
                                            const PipeOptions &options);

} // namespace poly::kernels

#endif // POLY_KERNELS_THROUGHPUT_PIPES_H
