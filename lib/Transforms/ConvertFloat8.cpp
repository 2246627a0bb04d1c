//===- ConvertFloat8.cpp - Conversions of 8-bit floats --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Target/Target.h"
#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/Passes.h"
#include "poly/Transforms/Sites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::poly {
#define GEN_PASS_DEF_POLYCONVERTFLOAT8
#include "poly/Transforms/Passes.h.inc"
} // namespace mlir::poly

using namespace mlir;
using namespace mlir::poly;

namespace {
struct PolyConvertFloat8Pass
    : mlir::poly::impl::PolyConvertFloat8Base<PolyConvertFloat8Pass> {
  using PolyConvertFloat8Base::PolyConvertFloat8Base;
  void runOnOperation() override;
};

/// Rebuilds one conversion from instructions that convert two elements.
class Converter {
public:
  explicit Converter(Operation *op)
      : op(op), builder(op), loc(op->getLoc()),
        source(getElementTypeOrSelf(op->getOperand(0))),
        result(getElementTypeOrSelf(op->getResult(0))) {
    if (auto type = dyn_cast<VectorType>(op->getResult(0).getType()))
      count = type.getNumElements();
  }

  /// The narrowed operand, of the result's type.
  Value narrow();
  /// The widened operand, of the result's type.
  Value widen();

private:
  /// The operand as a vector of one dimension and an even length.
  Value evenOperand();
  Value pairOf(Value vector, int64_t first) {
    return vector::ExtractStridedSliceOp::create(
        builder, loc, vector, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{2},
        ArrayRef<int64_t>{1});
  }
  /// What \p even, of an even length, holds, in the result's shape.
  Value shaped(Value even);
  Value narrowPair(Value pair);

  Operation *op;
  OpBuilder builder;
  Location loc;
  Type source, result;
  int64_t count = 1;
};
} // namespace

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}
static bool isWider(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type>(
      getElementTypeOrSelf(type));
}

Value Converter::evenOperand() {
  Value operand = op->getOperand(0);
  auto type = dyn_cast<VectorType>(operand.getType());
  auto flat = VectorType::get({count}, source);
  if (type && type != flat)
    operand = vector::ShapeCastOp::create(builder, loc, flat, operand);
  if (type && count % 2 == 0)
    return operand;
  SmallVector<Value> elements;
  for (int64_t i = 0; type && i < count; ++i)
    elements.push_back(vector::ExtractOp::create(builder, loc, operand, i));
  if (!type)
    elements.push_back(operand);
  // The register is filled with a zero, never with garbage.
  elements.push_back(
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(source)));
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({count + 1}, source), elements);
}

Value Converter::shaped(Value even) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!type)
    return vector::ExtractOp::create(builder, loc, even, int64_t(0));
  if (cast<VectorType>(even.getType()).getNumElements() != count)
    even = vector::ExtractStridedSliceOp::create(
        builder, loc, even, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{count},
        ArrayRef<int64_t>{1});
  if (even.getType() != type)
    even = vector::ShapeCastOp::create(builder, loc, type, even);
  return even;
}

/// An i16 with the first element in its low byte.
Value Converter::narrowPair(Value pair) {
  Type half = builder.getI16Type();
  if (source.isF16())
    return NVVM::ConvertF16x2ToF8x2Op::create(builder, loc, half, pair,
                                              /*relu=*/false, result);
  // PTX names the high element first. Widening a bf16 is exact.
  Value elements[2];
  for (int64_t i : {0, 1}) {
    elements[i] = vector::ExtractOp::create(builder, loc, pair, i);
    if (source.isBF16())
      elements[i] = arith::ExtFOp::create(builder, loc, builder.getF32Type(),
                                          elements[i]);
  }
  return NVVM::ConvertF32x2ToF8x2Op::create(
      builder, loc, half, elements[1], elements[0], NVVM::FPRoundingMode::RN,
      NVVM::SaturationMode::SATFINITE, /*relu=*/false, result);
}

Value Converter::narrow() {
  Value operand = evenOperand();
  int64_t length = cast<VectorType>(operand.getType()).getNumElements();
  SmallVector<Value> halves;
  for (int64_t i = 0; i < length; i += 2)
    halves.push_back(narrowPair(pairOf(operand, i)));
  Value registers = vector::FromElementsOp::create(
      builder, loc, VectorType::get({length / 2}, builder.getI16Type()),
      halves);
  return shaped(vector::BitCastOp::create(
      builder, loc, VectorType::get({length}, result), registers));
}

Value Converter::widen() {
  Value operand = evenOperand();
  int64_t length = cast<VectorType>(operand.getType()).getNumElements();
  Value bytes = arith::BitcastOp::create(
      builder, loc, VectorType::get({length}, builder.getI8Type()), operand);
  auto half = VectorType::get({2}, builder.getF16Type());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < length; i += 2) {
    // Every 8-bit number is an f16.
    Value pair = NVVM::ConvertF8x2ToF16x2Op::create(
        builder, loc, half, pairOf(bytes, i), /*relu=*/false, source);
    for (int64_t k : {0, 1}) {
      Value element = vector::ExtractOp::create(builder, loc, pair, k);
      if (!result.isF16())
        element =
            arith::ExtFOp::create(builder, loc, builder.getF32Type(), element);
      // And a bf16: its exponents go further, its fraction has four bits more.
      if (result.isBF16())
        element = arith::TruncFOp::create(builder, loc, result, element);
      elements.push_back(element);
    }
  }
  return shaped(vector::FromElementsOp::create(
      builder, loc, VectorType::get({length}, result), elements));
}

void PolyConvertFloat8Pass::runOnOperation() {
  const ::poly::TargetModel *target = ::poly::findTarget(chip);
  if (!target) {
    getOperation()->emitError()
        << "unknown chip '" << chip << "'; known chips are "
        << ::poly::knownChips();
    return signalPassFailure();
  }
  bool failed = false;
  for (Operation *root : collectDeviceRoots(getOperation()))
    root->walk([&](Operation *op) {
      bool narrows = isa<arith::TruncFOp>(op) &&
                     isFloat8(op->getResult(0).getType()) &&
                     isWider(op->getOperand(0).getType());
      bool widens = isa<arith::ExtFOp>(op) &&
                    isFloat8(op->getOperand(0).getType()) &&
                    isWider(op->getResult(0).getType());
      if (!narrows && !widens)
        return;
      if (auto type = dyn_cast<VectorType>(op->getResult(0).getType());
          type && type.isScalable())
        return;
      if (target->sm < 89) {
        op->emitError() << "conversions of 8-bit floats need sm_89 or newer, "
                           "and the chip is "
                        << chip;
        failed = true;
        return;
      }
      if (narrows && !isPlainTruncation(op)) {
        op->emitError()
            << "conversions to 8-bit floats round to nearest even; drop the "
               "rounding mode";
        failed = true;
        return;
      }
      Converter converter(op);
      op->getResult(0).replaceAllUsesWith(narrows ? converter.narrow()
                                                  : converter.widen());
      op->erase();
      ++numConverted;
    });
  if (failed)
    signalPassFailure();
}
