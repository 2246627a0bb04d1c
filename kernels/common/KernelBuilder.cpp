//===- KernelBuilder.cpp - Modules of kernels over arrays -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/KernelBuilder.h"

#include "common/Attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace poly::kernels {

namespace {
constexpr int64_t kChunkBytes = 16;
/// Of a global pointer in LLVM's NVPTX back end.
constexpr unsigned kGlobalMemory = 1;
constexpr int64_t kMaxThreads = 1024, kWarp = 32;
} // namespace

llvm::StringRef name(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return "bf16";
  case ElementType::F16:
    return "f16";
  case ElementType::F32:
    return "f32";
  }
  llvm_unreachable("unknown type");
}

FloatType floatType(ElementType type, MLIRContext &context) {
  switch (type) {
  case ElementType::BF16:
    return BFloat16Type::get(&context);
  case ElementType::F16:
    return Float16Type::get(&context);
  case ElementType::F32:
    return Float32Type::get(&context);
  }
  llvm_unreachable("unknown type");
}

int64_t elementsPerChunk(ElementType type) {
  return kChunkBytes / (type == ElementType::F32 ? 4 : 2);
}

std::string validateThreads(int64_t threads) {
  if (threads >= kWarp && threads <= kMaxThreads && threads % kWarp == 0)
    return "";
  return "threads must be a multiple of 32 from 32 to 1024, but is " +
         std::to_string(threads);
}

KernelBuilder::KernelBuilder(MLIRContext &context)
    : ImplicitLocOpBuilder(UnknownLoc::get(&context), &context) {
  context.loadDialect<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                      scf::SCFDialect, vector::VectorDialect>();
  module = ModuleOp::create(getLoc());
  setInsertionPointToEnd(module->getBody());
  gpuModule = gpu::GPUModuleOp::create(*this, "kernels");
}

gpu::GPUFuncOp KernelBuilder::beginKernel(llvm::StringRef name,
                                          llvm::ArrayRef<Type> parameters,
                                          int64_t threads,
                                          llvm::ArrayRef<NamedAttribute> info) {
  setInsertionPointToEnd(gpuModule.getBody());
  auto kernel =
      gpu::GPUFuncOp::create(*this, name, getFunctionType(parameters, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), getUnitAttr());
  kernel.setKnownBlockSize(llvm::ArrayRef<int32_t>{int32_t(threads), 1, 1});
  kernel->setAttr(kKernelAttr, getDictionaryAttr(info));
  setInsertionPointToEnd(&kernel.getBody().front());
  auto end = gpu::ReturnOp::create(*this);
  setInsertionPoint(end);
  return kernel;
}

OwningOpRef<ModuleOp> KernelBuilder::take() { return std::move(module); }

NamedAttribute KernelBuilder::note(llvm::StringRef name,
                                   llvm::StringRef value) {
  return getNamedAttr(name, getStringAttr(value));
}

NamedAttribute KernelBuilder::note(llvm::StringRef name, int64_t value) {
  return getNamedAttr(name, getI64IntegerAttr(value));
}

NamedAttribute KernelBuilder::noteFlag(llvm::StringRef name, bool value) {
  return getNamedAttr(name, getBoolAttr(value));
}

Type KernelBuilder::globalPointer() {
  return LLVM::LLVMPointerType::get(getContext(), kGlobalMemory);
}

//===----------------------------------------------------------------------===//
// Element numbers
//===----------------------------------------------------------------------===//

Value KernelBuilder::integer(int64_t value) {
  return arith::ConstantOp::create(*this, getI64IntegerAttr(value));
}

Value KernelBuilder::add(Value a, Value b) {
  return arith::AddIOp::create(*this, a, b);
}

Value KernelBuilder::mul(Value a, Value b) {
  return arith::MulIOp::create(*this, a, b);
}

Value KernelBuilder::isLess(Value a, Value b) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::ult, a, b);
}

Value KernelBuilder::isLessEqual(Value a, Value b) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::ule, a, b);
}

Value KernelBuilder::blockNumber() {
  return arith::IndexCastOp::create(
      *this, getI64Type(), gpu::BlockIdOp::create(*this, gpu::Dimension::x));
}

Value KernelBuilder::threadNumber() {
  return arith::IndexCastOp::create(
      *this, getI64Type(), gpu::ThreadIdOp::create(*this, gpu::Dimension::x));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value KernelBuilder::address(Value array, Value index, Type element) {
  return LLVM::GEPOp::create(*this, array.getType(), element, array,
                             llvm::ArrayRef<LLVM::GEPArg>{index});
}

static int64_t sizeInBytes(Type type) {
  int64_t bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto vector = dyn_cast<VectorType>(type);
  return bits / 8 * (vector ? vector.getNumElements() : 1);
}

Value KernelBuilder::load(Value array, Value index, Type element,
                          int64_t size) {
  Type type = size == 1 ? Type(element) : VectorType::get({size}, element);
  return LLVM::LoadOp::create(*this, type, address(array, index, element),
                              sizeInBytes(type));
}

void KernelBuilder::store(Value value, Value array, Value index) {
  Type type = value.getType();
  LLVM::StoreOp::create(*this, value,
                        address(array, index, getElementTypeOrSelf(type)),
                        sizeInBytes(type));
}

Value KernelBuilder::loadPart(Value array, Value index, Value end, Type element,
                              int64_t size) {
  Value zero = arith::ConstantOp::create(*this, getZeroAttr(element));
  llvm::SmallVector<Value> elements;
  for (int64_t i = 0; i < size; ++i) {
    Value at = add(index, integer(i));
    elements.push_back(choose(
        isLess(at, end), element, [&] { return load(array, at, element, 1); },
        [&] { return zero; }));
  }
  return vector::FromElementsOp::create(*this, VectorType::get({size}, element),
                                        elements);
}

void KernelBuilder::storePart(Value value, Value array, Value index,
                              Value end) {
  int64_t size = cast<VectorType>(value.getType()).getNumElements();
  for (int64_t i = 0; i < size; ++i) {
    Value at = add(index, integer(i));
    branch(isLess(at, end), [&] {
      store(vector::ExtractOp::create(*this, value, i), array, at);
    });
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void KernelBuilder::branch(Value condition, llvm::function_ref<void()> then,
                           llvm::function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(*this, condition, bool(otherwise));
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
  if (!otherwise)
    return;
  setInsertionPointToStart(op.elseBlock());
  otherwise();
}

Value KernelBuilder::choose(Value condition, Type type,
                            llvm::function_ref<Value()> then,
                            llvm::function_ref<Value()> otherwise) {
  auto op = scf::IfOp::create(*this, type, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  scf::YieldOp::create(*this, then());
  setInsertionPointToStart(op.elseBlock());
  scf::YieldOp::create(*this, otherwise());
  return op.getResult(0);
}

void KernelBuilder::loop(Value low, Value high, Value step,
                         llvm::function_ref<void(Value)> body) {
  auto op = scf::ForOp::create(*this, low, high, step);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

} // namespace poly::kernels
