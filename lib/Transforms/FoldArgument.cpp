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

/// What one register holds: a scalar or one element of a vector, or two
/// neighbours of a vector or one scalar in both lanes.
struct Element {
  Value value;
  std::optional<int64_t> index;
  bool isPair = false;

  /// Follows extraction and assembly to what really computes the element.
  void resolve();
  /// The element as a scalar, a pair as a vector of two.
  Value materialize(OpBuilder &builder, Location loc) const;
};

} // namespace

Value Element::materialize(OpBuilder &builder, Location loc) const {
  if (!isPair)
    return index ? Value(vector::ExtractOp::create(builder, loc, value, *index))
                 : value;
  auto vectorType = dyn_cast<VectorType>(value.getType());
  if (!vectorType)
    return vector::BroadcastOp::create(
        builder, loc, VectorType::get({2}, value.getType()), value);
  if (vectorType.getNumElements() == 2)
    return value;
  return vector::ExtractStridedSliceOp::create(
      builder, loc, value, ArrayRef<int64_t>{*index}, ArrayRef<int64_t>{2},
      ArrayRef<int64_t>{1});
}

void Element::resolve() {
  while (Operation *def = value.getDefiningOp()) {
    if (auto extract = dyn_cast<vector::ExtractOp>(def)) {
      if (isPair || index || extract.hasDynamicPosition() ||
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
      if (isPair || !index || build.getType().getRank() != 1)
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

/// \p value, in both lanes if \p type has two.
static Value number(OpBuilder &builder, Location loc, Type type, float value) {
  auto attr = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto vectorType = dyn_cast<VectorType>(type))
    return LLVM::ConstantOp::create(
        builder, loc, type,
        DenseElementsAttr::get(vectorType, attr.getValue()));
  return LLVM::ConstantOp::create(builder, loc, type, attr);
}

/// Whether \p value is a number of the element type of \p type.
static bool isExact(Type type, double value) {
  APFloat number(value);
  bool losesInfo = false;
  number.convert(
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics(),
      APFloat::rmNearestTiesToEven, &losesInfo);
  return !losesInfo;
}

std::optional<FoldedFma>
mlir::poly::foldArgument(OpBuilder &builder, Location loc, Value x, float scale,
                         float offset, bool integerOffset, bool fixedOnly) {
  Type type = x.getType();
  bool isPair = isa<VectorType>(type);
  Element argument{x, std::nullopt, isPair};
  if (isPair)
    argument.index = 0;
  argument.resolve();
  Operation *def = argument.value.getDefiningOp();
  if (!def)
    return std::nullopt;
  auto operand = [&](unsigned i) {
    Element part{def->getOperand(i), argument.index, isPair};
    part.resolve();
    return part;
  };
  auto isUsable = [&](Element c) {
    return !fixedOnly || constantOf(c) ||
           c.value.getParentBlock() != def->getBlock();
  };
  /// c * scale, as a constant where c is one.
  auto scaled = [&](const Element &c) -> Value {
    if (std::optional<float> value = constantOf(c))
      return number(builder, loc, type, *value * scale);
    return LLVM::FMulOp::create(builder, loc, c.materialize(builder, loc),
                                number(builder, loc, type, scale));
  };
  if (isa<arith::MulFOp, LLVM::FMulOp>(def)) {
    if (!allows(def, /*sum=*/false))
      return std::nullopt;
    // The constant, if there is one, takes the scale.
    unsigned constant = constantOf(operand(0)) ? 0 : 1;
    if (!isUsable(operand(constant)))
      return std::nullopt;
    return FoldedFma{operand(1 - constant).materialize(builder, loc),
                     scaled(operand(constant)),
                     number(builder, loc, type, offset)};
  }
  if (isa<arith::AddFOp, LLVM::FAddOp>(def)) {
    unsigned constant = constantOf(operand(0)) ? 0 : 1;
    std::optional<float> k = constantOf(operand(constant));
    if (!k || !allows(def, /*sum=*/true))
      return std::nullopt;
    double sum = double(*k) * scale + offset;
    if ((integerOffset || isPair) && !isExact(type, sum))
      return std::nullopt;
    return FoldedFma{operand(1 - constant).materialize(builder, loc),
                     number(builder, loc, type, scale),
                     number(builder, loc, type, float(sum))};
  }
  if (isa<math::FmaOp, LLVM::FMAOp>(def)) {
    if (integerOffset || !allows(def, /*sum=*/false) || !isUsable(operand(1)) ||
        !isUsable(operand(2)))
      return std::nullopt;
    // Without an offset a product, which keeps the sign of zero.
    Value b = operand(2).materialize(builder, loc);
    Value factor = number(builder, loc, type, scale);
    Value addend =
        offset == 0
            ? Value(LLVM::FMulOp::create(builder, loc, b, factor))
            : LLVM::FMAOp::create(
                  builder, loc, type,
                  ValueRange{b, factor, number(builder, loc, type, offset)});
    return FoldedFma{operand(0).materialize(builder, loc), scaled(operand(1)),
                     addend};
  }
  return std::nullopt;
}
