//===- Pair.cpp - Forward and backward in one module ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

#include "common/Attributes.h"

using namespace mlir;
using namespace poly::kernels;

OwningOpRef<ModuleOp>
poly::kernels::buildAttentionPair(MLIRContext &context,
                                  const AttentionBackwardOptions &options) {
  OwningOpRef<ModuleOp> pair = buildAttentionBackward(context, options);
  AttentionOptions forwards = forwardOptions(options);
  forwards.name = options.name + "_forward";
  OwningOpRef<ModuleOp> other = buildAttention(context, forwards);
  auto target = *pair->getOps<gpu::GPUModuleOp>().begin();
  auto source = *other->getOps<gpu::GPUModuleOp>().begin();
  // Both address shared memory by the one symbol that target has.
  for (gpu::GPUFuncOp kernel :
       llvm::make_early_inc_range(source.getOps<gpu::GPUFuncOp>()))
    kernel->moveBefore(target.getBody(), target.getBody()->end());
  for (gpu::GPUFuncOp kernel : target.getOps<gpu::GPUFuncOp>()) {
    NamedAttrList notes(kernel->getAttrOfType<DictionaryAttr>(kKernelAttr));
    notes.set("pair", StringAttr::get(&context, options.name));
    kernel->setAttr(kKernelAttr, notes.getDictionary(&context));
  }
  return pair;
}
