//===- TensorMap.cpp - The tensor copy engine ----------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"

using namespace mlir;
using namespace poly::kernels::hopper;

Type poly::kernels::hopper::tensorMapType(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context);
}

void poly::kernels::hopper::markTensorMap(gpu::GPUFuncOp function,
                                          unsigned index) {
  MLIRContext *context = function.getContext();
  Type bytes =
      LLVM::LLVMArrayType::get(IntegerType::get(context, 8), kTensorMapBytes);
  function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(bytes));
  function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                      Builder(context).getI64IntegerAttr(kTensorMapAlignment));
  function.setArgAttr(index, LLVM::LLVMDialect::getReadonlyAttrName(),
                      UnitAttr::get(context));
}

DictionaryAttr poly::kernels::hopper::describeTensorMap(
    Emitter &e, int64_t argument, llvm::StringRef name,
    ArrayRef<llvm::StringRef> dims, ArrayRef<int64_t> box, bool swizzled) {
  auto entry = [&](llvm::StringRef key, Attribute value) {
    return e.getNamedAttr(key, value);
  };
  return e.getDictionaryAttr(
      {entry("argument", e.getI64IntegerAttr(argument)),
       entry("name", e.getStringAttr(name)),
       entry("dims", e.getStrArrayAttr(dims)),
       entry("box", e.getI64ArrayAttr(box)),
       entry("swizzle", e.getI64IntegerAttr(swizzled ? 128 : 0)),
       entry("outOfBounds", e.getStringAttr("zero"))});
}

void poly::kernels::hopper::prefetchTensorMap(Emitter &e, Value map) {
  NVVM::PrefetchOp::create(e, NVVM::PrefetchCacheLevelAttr(),
                           NVVM::CacheEvictionPriorityAttr(), map, Value(),
                           /*tensormap=*/true);
}

void poly::kernels::hopper::loadBox(Emitter &e, Value map, Value destination,
                                    Value barrier, ValueRange coordinates) {
  // A block's own shared memory has the same addresses in the window of its
  // cluster; that form of the instruction needs no newer PTX than wgmma.
  Value pointer = LLVM::IntToPtrOp::create(
      e,
      LLVM::LLVMPointerType::get(
          e.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster)),
      destination);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      e, pointer, map, coordinates, e.sharedPointer(barrier), ValueRange(),
      Value(), Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
      NVVM::CTAGroupKindAttr(), Value());
}

void poly::kernels::hopper::loadBoxMulticast(Emitter &e, Value map,
                                             Value destination, Value barrier,
                                             ValueRange coordinates,
                                             int64_t mask) {
  Value pointer = LLVM::IntToPtrOp::create(
      e,
      LLVM::LLVMPointerType::get(
          e.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster)),
      destination);
  Value blocks =
      arith::ConstantOp::create(e, e.getI16IntegerAttr(int16_t(mask)));
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      e, pointer, map, coordinates, e.sharedPointer(barrier), ValueRange(),
      blocks, Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
      NVVM::CTAGroupKindAttr(), Value());
}

void poly::kernels::hopper::storeBox(Emitter &e, Value map, Value source,
                                     ValueRange coordinates) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      e, map, e.sharedPointer(source), coordinates, Value(),
      NVVM::TMAStoreMode::TILE, Value());
}

void poly::kernels::hopper::commitStores(Emitter &e) {
  NVVM::CpAsyncBulkCommitGroupOp::create(e);
}

void poly::kernels::hopper::waitStores(Emitter &e, unsigned pending,
                                       bool readOnly) {
  NVVM::CpAsyncBulkWaitGroupOp::create(e, pending,
                                       readOnly ? e.getUnitAttr() : UnitAttr());
}
