//===- Pipelines.h - The pass pipelines of poly ----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_PIPELINES_PIPELINES_H
#define POLY_PIPELINES_PIPELINES_H

#include "poly/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::poly {

/// Options of poly-substitute. The meaning of each is that of the poly-plan
/// option of the same name.
struct SubstituteOptions : PassPipelineOptions<SubstituteOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("GPU to plan for, e.g. sm_90"),
                           llvm::cl::init("sm_90")};
  Option<std::string> budget{
      *this, "budget",
      llvm::cl::desc("Required accuracy, e.g. atol=1e-2 or atol=1e-4:rtol=1e-2 "
                     "or ulps=2; default: one ulp of the result type"),
      llvm::cl::init("")};
  Option<std::string> policy{
      *this, "policy",
      llvm::cl::desc("strict (ops must carry afn or opt in), opt-in (every "
                     "site consents) or off"),
      llvm::cl::init("strict")};
  ListOption<std::string> programs{
      *this, "programs",
      llvm::cl::desc("Names of programs to use, or .json files of programs")};
  Option<bool> roundInputs{
      *this, "round-inputs",
      llvm::cl::desc("Allow f32 arguments to be rounded to 16 bits"),
      llvm::cl::init(false)};
  Option<std::string> tuning{
      *this, "tuning",
      llvm::cl::desc("Table of measured times (poly-bench tune) that decides "
                     "between accurate programs in the kernels it knows"),
      llvm::cl::init("")};
  Option<double> fixMaximum{
      *this, "fix-maximum",
      llvm::cl::desc("Replace the running maximum of capped scores by a "
                     "constant; what softmax weights multiply is below this "
                     "number in magnitude, e.g. 1e19; 0 keeps the maximum"),
      llvm::cl::init(0)};
  Option<std::string> report{
      *this, "report",
      llvm::cl::desc("Write the decisions to this file as JSON; - is standard "
                     "error"),
      llvm::cl::init("")};
  Option<bool> table{
      *this, "table",
      llvm::cl::desc("Print the decisions as a table on standard error"),
      llvm::cl::init(false)};
  /// For callers from C++: gets the decisions themselves, if set.
  DecisionHandler onDecisions;
};

/// Options of poly-to-nvptx: those of poly-substitute and the NVPTX target's.
struct ToNVPTXOptions : SubstituteOptions {
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("NVPTX features, e.g. +ptx84; default: the lowest PTX "
                     "version that supports the chip and the programs"),
      llvm::cl::init("")};
  Option<unsigned> optLevel{*this, "opt-level",
                            llvm::cl::desc("LLVM optimisation level, 0 to 3"),
                            llvm::cl::init(3)};
};

/// Recognise, plan, pack: all but writing the chosen programs out.
void buildChoosePipeline(OpPassManager &pm, const SubstituteOptions &options);

/// Recognise, plan, pack, expand. Runs on any operation; host code is left.
void buildSubstitutePipeline(OpPassManager &pm,
                             const SubstituteOptions &options);

/// buildSubstitutePipeline, then lowers each gpu.module to the LLVM dialect
/// and attaches its NVVM target.
void buildToNVPTXPipeline(OpPassManager &pm, const ToNVPTXOptions &options);

/// Registers --poly-substitute and --poly-to-nvptx.
void registerPolyPipelines();

} // namespace mlir::poly

#endif // POLY_PIPELINES_PIPELINES_H
