//===- Pipelines.cpp - The pass pipelines of poly -------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Pipelines/Pipelines.h"

#include "poly/Conversion/LowerToNVVM.h"
#include "poly/Transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::poly;

void mlir::poly::buildChoosePipeline(OpPassManager &pm,
                                     const SubstituteOptions &options) {
  if (options.fixMaximum != 0) {
    PolyFixMaximumOptions fix;
    fix.valueLimit = options.fixMaximum;
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createPolyFixMaximum(fix));
    pm.addPass(createCanonicalizerPass());
  }
  pm.addPass(createPolyNormalize());
  pm.addPass(createPolyIdentify());
  pm.addPass(createPolyRaise());
  PolyPlanOptions plan;
  plan.chip = options.chip;
  plan.budget = options.budget;
  plan.policy = options.policy;
  plan.programs.assign(options.programs.begin(), options.programs.end());
  plan.roundInputs = options.roundInputs;
  plan.tuning = options.tuning;
  plan.report = options.report;
  plan.table = options.table;
  pm.addPass(createPolyPlan(plan, options.onDecisions));
  pm.addPass(createPolyPack());
}

void mlir::poly::buildSubstitutePipeline(OpPassManager &pm,
                                         const SubstituteOptions &options) {
  buildChoosePipeline(pm, options);
  PolyExpandOptions expand;
  expand.chip = options.chip;
  pm.addPass(createPolyExpand(expand));
}

void mlir::poly::buildToNVPTXPipeline(OpPassManager &pm,
                                      const ToNVPTXOptions &options) {
  buildSubstitutePipeline(pm, options);
  pm.addPass(createPolyCheckAccess());
  PolyConvertFloat8Options float8;
  float8.chip = options.chip;
  pm.addPass(createPolyConvertFloat8(float8));
  addLowerToNVVMPasses(pm, options.chip, options.features, options.optLevel);
}

void mlir::poly::registerPolyPipelines() {
  PassPipelineRegistration<SubstituteOptions>(
      "poly-substitute",
      "Recognise sigmoid, tanh and SiLU in device code and replace them by "
      "certified programs where that pays",
      buildSubstitutePipeline);
  PassPipelineRegistration<ToNVPTXOptions>(
      "poly-to-nvptx",
      "poly-substitute, then lower each gpu.module to the LLVM dialect with an "
      "NVVM target attached",
      buildToNVPTXPipeline);
}
