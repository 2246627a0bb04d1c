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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// The PTX version (72 for 7.2) that introduced \p chip with the packed
/// instructions of its generation (PTX ISA release notes): the xorsign of sm_86
/// came in 7.2, sm_90 and its packed bf16 arithmetic in 7.8, what sm_90a adds
/// in 8.0 and vectors of reductions, which its kernels use, in 8.1.
static unsigned minimumPtxVersion(llvm::StringRef chip) {
  const ::poly::TargetModel *model =
      ::poly::findTarget(std::string_view(chip.data(), chip.size()));
  unsigned sm = model ? model->sm : 90;
  if (chip.ends_with("f")) // Family-specific targets.
    return 88;
  if (sm >= 120)
    return 87;
  if (sm >= 103)
    return 88;
  if (sm >= 100)
    return 86;
  if (sm >= 90)
    return chip.ends_with("a") ? 81 : 78;
  if (sm >= 89)
    return 78;
  if (sm >= 80)
    return 72;
  return 70;
}

std::string mlir::poly::defaultFeatures(llvm::StringRef chip) {
  return "+ptx" + std::to_string(minimumPtxVersion(chip));
}

std::string mlir::poly::checkFeatures(llvm::StringRef chip,
                                      llvm::StringRef features) {
  if (features.empty())
    return "";
  llvm::SmallVector<llvm::StringRef> parts;
  features.split(parts, ',');
  for (llvm::StringRef part : parts) {
    unsigned version = 0;
    llvm::StringRef rest = part.trim();
    if (!rest.consume_front("+ptx") || rest.getAsInteger(10, version))
      return ("unknown feature '" + part + "'; use +ptxNN, e.g. " +
              defaultFeatures(chip))
          .str();
    if (version < minimumPtxVersion(chip))
      return ("feature '" + part + "' is too old for " + chip + "; use " +
              defaultFeatures(chip) + " or newer")
          .str();
  }
  return "";
}

/// Where a gpu.func keeps what its arguments are on the way to llvm.func.
static constexpr llvm::StringLiteral kByValueAttr = "poly_by_value";

namespace {
/// The stock conversion drops `llvm.byval` of arguments; this keeps it.
struct KeepByValue : PassWrapper<KeepByValue, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepByValue)
  StringRef getArgument() const override { return "poly-keep-by-value"; }
  void runOnOperation() override {
    getOperation().walk([](gpu::GPUFuncOp function) {
      if (function.getNumArguments() != 0 && function.getAllArgAttrs() &&
          llvm::any_of(function.getAllArgAttrs(), [](Attribute attrs) {
            return cast<DictionaryAttr>(attrs).contains(
                LLVM::LLVMDialect::getByValAttrName());
          }))
        function->setAttr(kByValueAttr, function.getAllArgAttrs());
    });
  }
};

/// The stock conversion widens a 16-bit fma to f32; GPUs have it, for two
/// elements at a time.
struct KeepNarrowFma
    : PassWrapper<KeepNarrowFma, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepNarrowFma)
  StringRef getArgument() const override { return "poly-keep-narrow-fma"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([](math::FmaOp fma) {
      Type type = fma.getType();
      auto vectorType = dyn_cast<VectorType>(type);
      if (!isa<Float16Type, BFloat16Type>(getElementTypeOrSelf(type)) ||
          (vectorType &&
           (vectorType.getRank() != 1 || vectorType.isScalable())))
        return;
      OpBuilder builder(fma);
      Value result =
          LLVM::FMAOp::create(builder, fma.getLoc(), type, fma.getOperands());
      fma.replaceAllUsesWith(result);
      fma.erase();
    });
  }
};

/// Puts it back. A kernel's by-value argument that nobody writes, such as a
/// tensor map, is a grid constant, which gpu.func cannot state: without it
/// NVPTX copies the argument to local memory where its address is taken.
struct RestoreByValue
    : PassWrapper<RestoreByValue, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RestoreByValue)
  StringRef getArgument() const override { return "poly-restore-by-value"; }
  void runOnOperation() override {
    getOperation().walk([this](LLVM::LLVMFuncOp function) {
      auto kept = function->getAttrOfType<ArrayAttr>(kByValueAttr);
      if (!kept)
        return;
      function->removeAttr(kByValueAttr);
      // A memref becomes several arguments; then these are not the same.
      if (kept.size() != function.getNumArguments()) {
        function->emitError("has memref and by-value arguments; use pointers "
                            "instead of memrefs");
        return signalPassFailure();
      }
      bool isKernel =
          function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
        auto attrs = cast<DictionaryAttr>(kept[i]);
        if (!attrs.contains(LLVM::LLVMDialect::getByValAttrName()))
          continue;
        for (NamedAttribute attr : attrs)
          function.setArgAttr(i, attr.getName(), attr.getValue());
        if (isKernel &&
            attrs.contains(LLVM::LLVMDialect::getReadonlyAttrName()))
          function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                              UnitAttr::get(function.getContext()));
      }
    });
  }
};
} // namespace

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
  gpuModule.addPass(std::make_unique<KeepByValue>());
  gpuModule.addPass(std::make_unique<KeepNarrowFma>());
  gpuModule.addPass(createConvertGpuOpsToNVVMOps());
  gpuModule.addPass(std::make_unique<RestoreByValue>());
  gpuModule.addPass(createConvertVectorToLLVMPass());
  gpuModule.addPass(createArithToLLVMConversionPass());
  gpuModule.addPass(createConvertIndexToLLVMPass());
  gpuModule.addPass(createUBToLLVMConversionPass());
  gpuModule.addPass(createConvertNVVMToLLVMPass());
  gpuModule.addPass(createCanonicalizerPass());
  gpuModule.addPass(createCSEPass());
  gpuModule.addPass(createReconcileUnrealizedCastsPass());
}
