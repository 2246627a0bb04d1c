//===- Frame.cpp - What the kernels of the backward pass share -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

#include "common/Attributes.h"
#include "hopper/GlobalMemory.h"
#include "hopper/TensorMap.h"
#include "hopper/Warps.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::hopper;

Value poly::kernels::queryBlocks(Emitter &e, Value queryLength) {
  return e.divide(e.add(queryLength, kQueryBlock - 1), kQueryBlock);
}

Value QuerySums::firstQuery(Emitter &e, Value warp) const {
  if (!splitsQueries())
    return e.constant(0);
  return e.mul(e.divide(warp, kWarpsPerGroup), queriesPerConsumer());
}

Value QuerySums::firstDimension(Emitter &e, Value warp) const {
  Value part = splitsQueries() ? e.andBits(warp, kWarpsPerGroup - 1) : warp;
  return e.mul(part, 16);
}

Type poly::kernels::elementType(Emitter &e,
                                const AttentionBackwardOptions &options) {
  return options.type == AttentionType::BF16 ? Type(e.getBF16Type())
                                             : Type(e.getF16Type());
}

void KernelFrame::parameter(llvm::StringRef name, Type type, Value &slot) {
  names.push_back(name);
  types.push_back(type);
  slots.push_back(&slot);
}

void KernelFrame::pointer(llvm::StringRef name, Value &slot) {
  parameter(name, globalPointerType(e.getContext()), slot);
}

void KernelFrame::tensorMap(DictionaryAttr description, Value &slot) {
  mapIndices.push_back(unsigned(types.size()));
  maps.push_back(description);
  parameter(cast<StringAttr>(description.get("name")).getValue(),
            tensorMapType(e.getContext()), slot);
}

gpu::GPUFuncOp KernelFrame::declare(llvm::StringRef name, int64_t threads,
                                    int64_t sharedBytes) {
  llvm::StringRef score[] = {"softmax", "softcap", "sigmoid"};
  bool isBF16 = options.type == AttentionType::BF16;
  note("family", "attention-backward");
  note("direction", "backward");
  note("stage", stage);
  note("score", score[int(options.score)]);
  note("type", isBF16 ? "bf16" : "f16");
  note("headDim", options.headDim);
  note("causal", e.getBoolAttr(options.causal));
  note("queryRows", kQueryBlock);
  note("keyRows", kKeyBlock);
  note("arguments", e.getStrArrayAttr(names));
  if (!maps.empty())
    note("tensorMaps", e.getArrayAttr(maps));
  note("dynamicSharedBytes", sharedBytes);
  if (options.deterministic)
    note("deterministic", e.getBoolAttr(true));
  if (options.cap)
    note("cap", e.getF64FloatAttr(*options.cap));

  auto function =
      gpu::GPUFuncOp::create(e, name, e.getFunctionType(types, TypeRange()));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), e.getUnitAttr());
  function.setKnownBlockSizeAttr(
      e.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  function->setAttr(kKernelAttr, e.getDictionaryAttr(notes));
  for (unsigned index : mapIndices)
    markTensorMap(function, index);
  for (auto [slot, value] : llvm::zip(slots, function.getArguments()))
    *slot = value;
  e.setInsertionPointToStart(&function.getBody().front());
  auto end = gpu::ReturnOp::create(e);
  e.setInsertionPoint(end);
  return function;
}
