//===- ReferenceSpelling.cpp - Function ops as math ops -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceSpelling.h"

#include "poly/Dialect/Poly/RescaledAttr.h"

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
  // Every op is made by a statement of its own: C++ leaves the order of
  // arguments open, and the output must not depend on the compiler.

  /// numerator / (1 + exp(-x))
  Value overSigmoid(Value numerator, Value x) {
    Value e = exp(negate(x));
    Value denominator = add(number(1), e);
    return arith::DivFOp::create(builder, loc, numerator, denominator, flags);
  }
  Value sigmoid(Value x) { return overSigmoid(number(1), x); }
  /// s (1 - s) written so that it keeps its relative accuracy.
  Value sigmoidSlope(Value x) {
    Value s = sigmoid(x);
    Value complement = sigmoid(negate(x));
    return mul(s, complement);
  }
  /// (1 + erf(x / sqrt(2))) / 2
  Value normal(Value x) {
    Value scaled = mul(x, number(0.70710678118654752440));
    Value erf = math::ErfOp::create(builder, loc, scaled, flags);
    Value sum = add(number(1), erf);
    return mul(number(0.5), sum);
  }
  /// factor * x^2 + 1
  Value quadratic(Value x, double factor) {
    Value square = mul(x, x);
    Value scaled = mul(number(factor), square);
    return add(number(1), scaled);
  }
  /// 2u of GELU's tanh form.
  Value geluArgument(Value x) {
    Value scaled = mul(number(kTwoSqrt2OverPi), x);
    return mul(scaled, quadratic(x, 0.044715));
  }

  static constexpr double kTwoPi = 6.28318530717958647693;
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
    Value slope = sigmoidSlope(add(x, x));
    return mul(number(4), slope);
  }
  case Function::DSilu: {
    Value s = sigmoid(x);
    Value rise = mul(x, sigmoidSlope(x));
    return add(s, rise);
  }
  case Function::DGeluErf: {
    Value square = mul(x, x);
    Value half = mul(number(-0.5), square);
    Value e = exp(half);
    Value density = mul(number(0.39894228040143267794), e);
    Value rise = mul(x, density);
    Value phi = normal(x);
    return add(phi, rise);
  }
  case Function::DGeluTanh: {
    Value u = geluArgument(x);
    Value s = sigmoid(u);
    Value weight = sigmoidSlope(u);
    Value slope = mul(number(kTwoSqrt2OverPi), x);
    slope = mul(slope, quadratic(x, 3 * 0.044715));
    Value rise = mul(slope, weight);
    return add(s, rise);
  }
  case Function::SinTurn:
    return math::SinOp::create(builder, loc, mul(x, number(kTwoPi)), flags);
  case Function::CosTurn:
    return math::CosOp::create(builder, loc, mul(x, number(kTwoPi)), flags);
  case Function::SigmoidShift:
  case Function::DSigmoidShift:
  case Function::Custom:
    break;
  }
  llvm_unreachable("a function without an op");
}

void mlir::poly::replaceByOriginal(Operation *op) {
  Value original = op->getOperand(1);
  Operation *divided = original.getDefiningOp();
  if (divided && divided->hasAttr(kRescaledAttr))
    for (Operation *user :
         llvm::make_early_inc_range(op->getResult(0).getUsers()))
      if (user->hasAttr(kRescaledAttr)) {
        user->getResult(0).replaceAllUsesWith(divided->getOperand(0));
        user->erase();
      }
  op->getResult(0).replaceAllUsesWith(original);
  op->erase();
  if (divided && divided->hasAttr(kRescaledAttr) && divided->use_empty())
    divided->erase();
}

void mlir::poly::expandReference(Operation *op) {
  if (op->getNumOperands() > 1)
    return replaceByOriginal(op);
  Value replacement = Writer(op).write(*getFunction(op), op->getOperand(0));
  op->getResult(0).replaceAllUsesWith(replacement);
  op->erase();
}
