//===- AttentionBackward.cpp - Gradients of attention, Hopper ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace poly::kernels;

OwningOpRef<ModuleOp>
poly::kernels::buildAttentionBackward(MLIRContext &context,
                                      const AttentionBackwardOptions &options) {
  context.loadDialect<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                      math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect,
                      vector::VectorDialect>();
  Emitter e(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> root = ModuleOp::create(e.getLoc());
  e.setInsertionPointToStart(root->getBody());
  auto module = gpu::GPUModuleOp::create(e, options.name + "_module");
  e.setInsertionPointToStart(module.getBody());
  // As in the forward kernel: exp2 flushes subnormals at no cost.
  Attribute flush = LLVM::ModuleFlagAttr::get(
      e.getContext(), LLVM::ModFlagBehavior::Override,
      e.getStringAttr("nvvm-reflect-ftz"), e.getI32IntegerAttr(1));
  LLVM::ModuleFlagsOp::create(e, e.getArrayAttr({flush}));
  for (auto *build : {buildPrepare, buildMain, buildFinish}) {
    e.setInsertionPointToEnd(module.getBody());
    build(e, module, options);
  }
  return root;
}
