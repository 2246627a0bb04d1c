//===- Emitter.cpp - Device arithmetic, tersely --------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace poly::kernels::hopper;

Value Emitter::constant(int64_t value) {
  return arith::ConstantOp::create(*this, getI32IntegerAttr(int32_t(value)));
}
Value Emitter::constant64(uint64_t value) {
  return arith::ConstantOp::create(*this, getI64IntegerAttr(int64_t(value)));
}
Value Emitter::constantF32(double value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(float(value)));
}

Value Emitter::add(Value a, Value b) {
  return arith::AddIOp::create(*this, a, b);
}
Value Emitter::sub(Value a, Value b) {
  return arith::SubIOp::create(*this, a, b);
}
Value Emitter::mul(Value a, Value b) {
  return arith::MulIOp::create(*this, a, b);
}
Value Emitter::divide(Value a, Value b) {
  return arith::DivUIOp::create(*this, a, b);
}
Value Emitter::andBits(Value a, int64_t mask) {
  return arith::AndIOp::create(*this, a, constant(mask));
}
Value Emitter::xorBits(Value a, Value b) {
  return arith::XOrIOp::create(*this, a, b);
}
Value Emitter::shiftLeft(Value a, int64_t bits) {
  return bits ? arith::ShLIOp::create(*this, a, constant(bits)) : a;
}
Value Emitter::shiftRight(Value a, int64_t bits) {
  return bits ? arith::ShRUIOp::create(*this, a, constant(bits)) : a;
}
Value Emitter::minSigned(Value a, Value b) {
  return arith::MinSIOp::create(*this, a, b);
}
Value Emitter::maxSigned(Value a, Value b) {
  return arith::MaxSIOp::create(*this, a, b);
}
Value Emitter::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(*this, predicate, a, b);
}
Value Emitter::isEqual(Value a, int64_t b) {
  return compare(arith::CmpIPredicate::eq, a, constant(b));
}
Value Emitter::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(*this, condition, a, b);
}
Value Emitter::widen(Value a) {
  return arith::ExtUIOp::create(*this, getI64Type(), a);
}

Value Emitter::sharedPointer(Value address) {
  return LLVM::IntToPtrOp::create(
      *this, LLVM::LLVMPointerType::get(getContext(), 3), address);
}

Value Emitter::offsetPointer(Value pointer, int64_t bytes) {
  if (!bytes)
    return pointer;
  return LLVM::GEPOp::create(*this, pointer.getType(), getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

LLVM::InlineAsmOp Emitter::ptx(Type result, ValueRange operands,
                               llvm::StringRef text,
                               llvm::StringRef constraints) {
  return LLVM::InlineAsmOp::create(
      *this, result, operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

Value Emitter::opaque(Value value) {
  return ptx(getI32Type(), value, "mov.b32 $0, $1;", "=r,r").getResult(0);
}

llvm::SmallVector<Value> Emitter::unpack(Value structure) {
  llvm::SmallVector<Value> fields;
  size_t count =
      cast<LLVM::LLVMStructType>(structure.getType()).getBody().size();
  for (size_t i = 0; i < count; ++i)
    fields.push_back(
        LLVM::ExtractValueOp::create(*this, structure, int64_t(i)));
  return fields;
}

void Emitter::ifThen(Value condition, llvm::function_ref<void()> body) {
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  body();
}

void Emitter::ifThenElse(Value condition, llvm::function_ref<void()> thenBody,
                         llvm::function_ref<void()> elseBody) {
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  thenBody();
  setInsertionPointToStart(op.elseBlock());
  elseBody();
}

llvm::SmallVector<Value> Emitter::loop(
    Value low, Value high, ValueRange carried,
    llvm::function_ref<llvm::SmallVector<Value>(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(*this, low, high, constant(1), carried);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.getBody());
  llvm::SmallVector<Value> next =
      body(op.getInductionVar(), op.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(*this, next);
  return llvm::SmallVector<Value>(op.getResults());
}
