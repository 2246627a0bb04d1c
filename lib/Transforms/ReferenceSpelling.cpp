//===- ReferenceSpelling.cpp - Function ops as math ops -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceSpelling.h"

#include "poly/Dialect/Poly/PolyDialect.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::poly;

using ::poly::Function;

namespace {

/// Writes formulas with the type and the flags of one op.
class Writer {
public:
  Writer(Operation *op)
      : builder(op), loc(op->getLoc()), type(op->getResult(0).getType()),
        flags(cast<arith::ArithFastMathInterface>(op)
                  .getFastMathFlagsAttr()
                  .getValue()) {}

  Value write(Function function, Value x);

private:
  Value number(double value) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    TypedAttr attr = FloatAttr::get(element, value);
    if (auto vectorType = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vectorType, attr);
    return arith::ConstantOp::create(builder, loc, attr);
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b, flags);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b, flags);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b, flags);
  }
  Value exp(Value a) { return math::ExpOp::create(builder, loc, a, flags); }
  Value negate(Value a) {
    return arith::NegFOp::create(builder, loc, a, flags);
  }
  /// numerator / (1 + exp(-x))
  Value overSigmoid(Value numerator, Value x) {
    Value denominator = add(number(1), exp(negate(x)));
    return arith::DivFOp::create(builder, loc, numerator, denominator, flags);
  }
  Value sigmoid(Value x) { return overSigmoid(number(1), x); }
  /// s (1 - s) written so that it keeps its relative accuracy.
  Value sigmoidSlope(Value x) { return mul(sigmoid(x), sigmoid(negate(x))); }
  /// (1 + erf(x / sqrt(2))) / 2
  Value normal(Value x) {
    Value scaled = mul(x, number(0.70710678118654752440));
    Value erf = math::ErfOp::create(builder, loc, scaled, flags);
    return mul(number(0.5), add(number(1), erf));
  }
  /// 2u of GELU's tanh form.
  Value geluArgument(Value x) {
    Value cubic = mul(number(0.044715), mul(x, x));
    return mul(mul(number(kTwoSqrt2OverPi), x), add(number(1), cubic));
  }

  static constexpr double kTwoSqrt2OverPi = 1.59576912160573071176;

  OpBuilder builder;
  Location loc;
  Type type;
  arith::FastMathFlags flags;
};

} // namespace

Value Writer::write(Function function, Value x) {
  switch (function) {
  case Function::Sigmoid:
    return sigmoid(x);
  case Function::Tanh:
    return math::TanhOp::create(builder, loc, x, flags);
  case Function::Silu:
    return overSigmoid(x, x);
  case Function::GeluErf:
    return mul(x, normal(x));
  case Function::GeluTanh:
    return overSigmoid(x, geluArgument(x));
  case Function::Exp:
    return exp(x);
  case Function::Exp2:
    return math::Exp2Op::create(builder, loc, x, flags);
  case Function::DSigmoid:
    return sigmoidSlope(x);
  case Function::DTanh: {
    Value twice = add(x, x);
    return mul(number(4), sigmoidSlope(twice));
  }
  case Function::DSilu:
    return add(sigmoid(x), mul(x, sigmoidSlope(x)));
  case Function::DGeluErf: {
    Value density =
        mul(number(0.39894228040143267794), exp(mul(number(-0.5), mul(x, x))));
    return add(normal(x), mul(x, density));
  }
  case Function::DGeluTanh: {
    Value u = geluArgument(x);
    Value cubic = mul(number(3 * 0.044715), mul(x, x));
    Value slope = mul(number(kTwoSqrt2OverPi), add(number(1), cubic));
    return add(sigmoid(u), mul(mul(x, slope), sigmoidSlope(u)));
  }
  case Function::SinTurn:
  case Function::CosTurn:
  case Function::SigmoidShift:
  case Function::DSigmoidShift:
  case Function::Custom:
    break;
  }
  llvm_unreachable("a function without an op");
}

void mlir::poly::expandReference(Operation *op) {
  Value replacement =
      op->getNumOperands() > 1
          ? op->getOperand(1)
          : Writer(op).write(*getFunction(op), op->getOperand(0));
  op->getResult(0).replaceAllUsesWith(replacement);
  op->erase();
}
