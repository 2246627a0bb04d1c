//===- LowerToNVVM.cpp - gpu.module to the LLVM dialect -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Conversion/LowerToNVVM.h"

#include "poly/Target/Target.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

std::string mlir::poly::defaultFeatures(llvm::StringRef chip) {
  // PTX ISA release notes: the version that introduced each target. The packed
  // bf16 arithmetic of sm_90 needs 7.8, which is also the first with sm_90.
  const ::poly::TargetModel *model =
      ::poly::findTarget(std::string_view(chip.data(), chip.size()));
  unsigned sm = model ? model->sm : 90;
  bool specific = chip.ends_with("a");
  if (sm >= 120)
    return "+ptx87";
  if (sm >= 103)
    return "+ptx88";
  if (sm >= 100)
    return "+ptx86";
  if (sm >= 90)
    return specific ? "+ptx80" : "+ptx78";
  if (sm >= 89)
    return "+ptx78";
  // min.NaN.xorsign.abs came with sm_86 in 7.2.
  if (sm >= 80)
    return "+ptx72";
  return "+ptx70";
}

void mlir::poly::addLowerToNVVMPasses(OpPassManager &pm, llvm::StringRef chip,
                                      llvm::StringRef features,
                                      unsigned optLevel) {
  pm.addPass(createGpuKernelOutliningPass());

  GpuNVVMAttachTargetOptions target;
  target.chip = chip.str();
  target.features = features.empty() ? defaultFeatures(chip) : features.str();
  target.optLevel = optLevel;
  pm.addPass(createGpuNVVMAttachTarget(target));

  OpPassManager &gpuModule = pm.nest<gpu::GPUModuleOp>();
  gpuModule.addPass(createConvertVectorToSCFPass());
  gpuModule.addPass(createLowerAffinePass());
  gpuModule.addPass(createSCFToControlFlowPass());
  gpuModule.addPass(memref::createExpandStridedMetadataPass());
  gpuModule.addPass(createLowerAffinePass());
  gpuModule.addPass(createConvertGpuOpsToNVVMOps());
  gpuModule.addPass(createConvertVectorToLLVMPass());
  gpuModule.addPass(createArithToLLVMConversionPass());
  gpuModule.addPass(createConvertIndexToLLVMPass());
  gpuModule.addPass(createConvertNVVMToLLVMPass());
  gpuModule.addPass(createCanonicalizerPass());
  gpuModule.addPass(createCSEPass());
  gpuModule.addPass(createReconcileUnrealizedCastsPass());
}
