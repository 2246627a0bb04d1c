//===- FoldArgument.cpp - Scales and offsets before a Program -------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldArgument.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::poly;

namespace {

/// A scalar, or one element of a vector.
struct Element {
  Value value;
  std::optional<int64_t> index;

  /// Follows extraction and assembly to what really computes the element.
  void resolve();
  /// The element as a scalar.
  Value scalar(OpBuilder &builder, Location loc) const {
    return index ? Value(vector::ExtractOp::create(builder, loc, value, *index))
                 : value;
  }
};

} // namespace

void Element::resolve() {
  while (Operation *def = value.getDefiningOp()) {
    if (auto extract = dyn_cast<vector::ExtractOp>(def)) {
      if (index || extract.hasDynamicPosition() ||
          extract.getStaticPosition().size() != 1)
        return;
      index = extract.getStaticPosition()[0];
      value = extract.getSource();
    } else if (auto slice = dyn_cast<vector::ExtractStridedSliceOp>(def)) {
      if (!index || slice.getOffsets().size() != 1)
        return;
      *index += cast<IntegerAttr>(slice.getOffsets()[0]).getInt();
      value = slice.getSource();
    } else if (auto build = dyn_cast<vector::FromElementsOp>(def)) {
      if (!index || build.getType().getRank() != 1)
        return;
      value = build.getElements()[size_t(*index)];
      index.reset();
    } else if (auto splat = dyn_cast<vector::BroadcastOp>(def)) {
      if (!index || isa<VectorType>(splat.getSourceType()))
        return;
      value = splat.getSource();
      index.reset();
    } else {
      return;
    }
  }
}

/// LLVM's flags have an enum of their own.
static bool allows(Operation *op, bool sum) {
  if (auto llvmOp = dyn_cast<LLVM::FastmathFlagsInterface>(op)) {
    LLVM::FastmathFlags flags = llvmOp.getFastmathAttr().getValue();
    return bitEnumContainsAny(flags, LLVM::FastmathFlags::afn) ||
           (!sum && bitEnumContainsAny(flags, LLVM::FastmathFlags::contract));
  }
  auto arithOp = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!arithOp)
    return false;
  arith::FastMathFlags flags = arithOp.getFastMathFlagsAttr().getValue();
  return bitEnumContainsAny(flags, arith::FastMathFlags::afn) ||
         (!sum && bitEnumContainsAny(flags, arith::FastMathFlags::contract));
}

static std::optional<float> constantOf(Element element) {
  element.resolve();
  Attribute attr;
  if (!matchPattern(element.value, m_Constant(&attr)))
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    if (!element.index)
      return std::nullopt;
    attr = dense.getValues<Attribute>()[size_t(*element.index)];
  }
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValue().convertToFloat();
  return std::nullopt;
}

static Value number(OpBuilder &builder, Location loc, float value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getF32Type(),
                                  builder.getF32FloatAttr(value));
}

std::optional<FoldedFma> mlir::poly::foldArgument(OpBuilder &builder,
                                                  Location loc, Value x,
                                                  float scale, float offset,
                                                  bool integerOffset) {
  Element argument{x, std::nullopt};
  argument.resolve();
  Operation *def = argument.value.getDefiningOp();
  if (!def)
    return std::nullopt;
  auto operand = [&](unsigned i) {
    Element part{def->getOperand(i), argument.index};
    part.resolve();
    return part;
  };
  /// c * scale, as a constant where c is one.
  auto scaled = [&](const Element &c) -> Value {
    if (std::optional<float> value = constantOf(c))
      return number(builder, loc, *value * scale);
    return LLVM::FMulOp::create(builder, loc, c.scalar(builder, loc),
                                number(builder, loc, scale));
  };
  if (isa<arith::MulFOp, LLVM::FMulOp>(def)) {
    if (!allows(def, /*sum=*/false))
      return std::nullopt;
    // The constant, if there is one, takes the scale.
    unsigned constant = constantOf(operand(0)) ? 0 : 1;
    return FoldedFma{operand(1 - constant).scalar(builder, loc),
                     scaled(operand(constant)), number(builder, loc, offset)};
  }
  if (isa<arith::AddFOp, LLVM::FAddOp>(def)) {
    unsigned constant = constantOf(operand(0)) ? 0 : 1;
    std::optional<float> k = constantOf(operand(constant));
    if (!k || !allows(def, /*sum=*/true))
      return std::nullopt;
    double sum = double(*k) * scale + offset;
    if (integerOffset && double(float(sum)) != sum)
      return std::nullopt;
    return FoldedFma{operand(1 - constant).scalar(builder, loc),
                     number(builder, loc, scale),
                     number(builder, loc, float(sum))};
  }
  if (isa<math::FmaOp, LLVM::FMAOp>(def)) {
    if (integerOffset || !allows(def, /*sum=*/false))
      return std::nullopt;
    Value addend = LLVM::FMAOp::create(
        builder, loc, builder.getF32Type(),
        ValueRange{operand(2).scalar(builder, loc), number(builder, loc, scale),
                   number(builder, loc, offset)});
    return FoldedFma{operand(0).scalar(builder, loc), scaled(operand(1)),
                     addend};
  }
  return std::nullopt;
}
