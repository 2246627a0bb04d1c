//===- ElementwiseFunction.cpp - Activations and derivatives --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/ElementwiseFunction.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace poly::kernels {

namespace {
// GELU (Hendrycks and Gimpel, arXiv:1606.08415) with its tanh form.
constexpr double kSqrtHalf = 0.70710678118654752440; // 1/sqrt(2)
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
constexpr double kInvSqrtTwoPi = 0.39894228040143267794; // 1/sqrt(2 pi)
constexpr double kGeluCubic = 0.044715;
} // namespace

llvm::StringRef name(ElementwiseFunction function) {
  switch (function) {
  case ElementwiseFunction::Copy:
    return "copy";
  case ElementwiseFunction::Sigmoid:
    return "sigmoid";
  case ElementwiseFunction::Tanh:
    return "tanh";
  case ElementwiseFunction::Silu:
    return "silu";
  case ElementwiseFunction::GeluErf:
    return "gelu-erf";
  case ElementwiseFunction::GeluTanh:
    return "gelu-tanh";
  case ElementwiseFunction::Exp2:
    return "exp2";
  }
  llvm_unreachable("unknown function");
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

FloatMath::FloatMath(ImplicitLocOpBuilder &builder, bool approximate)
    : b(builder), flags(approximate ? arith::FastMathFlags::afn
                                    : arith::FastMathFlags::none) {
  builder.getContext()->loadDialect<arith::ArithDialect, math::MathDialect>();
}

Value FloatMath::constant(double value, Value like) {
  Type type = like.getType();
  FloatAttr element = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b,
                                     SplatElementsAttr::get(vector, element));
  return arith::ConstantOp::create(b, element);
}

Value FloatMath::neg(Value a) { return arith::NegFOp::create(b, a, flags); }
Value FloatMath::add(Value x, Value y) {
  return arith::AddFOp::create(b, x, y, flags);
}
Value FloatMath::sub(Value x, Value y) {
  return arith::SubFOp::create(b, x, y, flags);
}
Value FloatMath::mul(Value x, Value y) {
  return arith::MulFOp::create(b, x, y, flags);
}
Value FloatMath::div(Value x, Value y) {
  return arith::DivFOp::create(b, x, y, flags);
}
Value FloatMath::exp(Value a) { return math::ExpOp::create(b, a, flags); }
Value FloatMath::exp2(Value a) { return math::Exp2Op::create(b, a, flags); }
Value FloatMath::tanh(Value a) { return math::TanhOp::create(b, a, flags); }
Value FloatMath::erf(Value a) { return math::ErfOp::create(b, a, flags); }

static Type withElement(Type type, FloatType element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.cloneWith(std::nullopt, element);
  return element;
}

Value FloatMath::widen(Value a) {
  Type type = withElement(a.getType(), b.getF32Type());
  if (type == a.getType())
    return a;
  return arith::ExtFOp::create(b, type, a);
}

Value FloatMath::narrow(Value a, FloatType element) {
  Type type = withElement(a.getType(), element);
  if (type == a.getType())
    return a;
  return arith::TruncFOp::create(b, type, a);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// 1 + exp(-x)
static Value logisticDenominator(FloatMath &math, Value x) {
  return math.add(math.exp(math.neg(x)), math.constant(1.0, x));
}

static Value sigmoid(FloatMath &math, Value x) {
  return math.div(math.constant(1.0, x), logisticDenominator(math, x));
}

/// (1 + erf(x / sqrt 2)) / 2
static Value normalCdf(FloatMath &math, Value x) {
  Value erf = math.erf(math.mul(x, math.constant(kSqrtHalf, x)));
  return math.mul(math.constant(0.5, x), math.add(math.constant(1.0, x), erf));
}

/// tanh(sqrt(2 / pi) (x + 0.044715 x^3))
static Value geluTanhInner(FloatMath &math, Value x, Value square) {
  Value cube = math.mul(square, x);
  Value sum = math.add(x, math.mul(math.constant(kGeluCubic, x), cube));
  return math.tanh(math.mul(math.constant(kSqrtTwoOverPi, x), sum));
}

Value evaluate(ElementwiseFunction function, FloatMath &math, Value x) {
  switch (function) {
  case ElementwiseFunction::Copy:
    return x;
  case ElementwiseFunction::Sigmoid:
    return sigmoid(math, x);
  case ElementwiseFunction::Tanh:
    return math.tanh(x);
  case ElementwiseFunction::Silu:
    return math.div(x, logisticDenominator(math, x));
  case ElementwiseFunction::GeluErf:
    return math.mul(x, normalCdf(math, x));
  case ElementwiseFunction::GeluTanh: {
    Value half = math.mul(math.constant(0.5, x), x);
    Value inner = geluTanhInner(math, x, math.mul(x, x));
    return math.mul(half, math.add(math.constant(1.0, x), inner));
  }
  case ElementwiseFunction::Exp2:
    return math.exp2(x);
  }
  llvm_unreachable("unknown function");
}

bool hasDerivative(ElementwiseFunction function) {
  return function != ElementwiseFunction::Copy &&
         function != ElementwiseFunction::Exp2;
}

/// The derivative of GELU's tanh form, product rule and chain rule in turn.
static Value geluTanhDerivative(FloatMath &math, Value x) {
  Value one = math.constant(1.0, x), half = math.constant(0.5, x);
  Value square = math.mul(x, x);
  Value t = geluTanhInner(math, x, square);
  Value left = math.mul(half, math.add(one, t));
  Value tanhDerivative = math.sub(one, math.mul(t, t));
  Value innerDerivative = math.mul(
      math.constant(kSqrtTwoOverPi, x),
      math.add(one, math.mul(math.constant(3 * kGeluCubic, x), square)));
  Value right =
      math.mul(math.mul(math.mul(half, x), tanhDerivative), innerDerivative);
  return math.add(left, right);
}

Value derivative(ElementwiseFunction function, FloatMath &math, Value x) {
  switch (function) {
  case ElementwiseFunction::Sigmoid:
  case ElementwiseFunction::Tanh:
    return derivativeFromOutput(function, math, evaluate(function, math, x));
  case ElementwiseFunction::Silu: {
    Value one = math.constant(1.0, x), s = sigmoid(math, x);
    return math.mul(s, math.add(one, math.mul(x, math.sub(one, s))));
  }
  case ElementwiseFunction::GeluErf: {
    Value square = math.mul(x, x);
    Value pdf = math.mul(math.exp(math.mul(math.constant(-0.5, x), square)),
                         math.constant(kInvSqrtTwoPi, x));
    return math.add(normalCdf(math, x), math.mul(x, pdf));
  }
  case ElementwiseFunction::GeluTanh:
    return geluTanhDerivative(math, x);
  case ElementwiseFunction::Copy:
  case ElementwiseFunction::Exp2:
    break;
  }
  llvm_unreachable("a function without a derivative here");
}

bool hasDerivativeFromOutput(ElementwiseFunction function) {
  return function == ElementwiseFunction::Sigmoid ||
         function == ElementwiseFunction::Tanh;
}

Value derivativeFromOutput(ElementwiseFunction function, FloatMath &math,
                           Value y) {
  Value one = math.constant(1.0, y);
  if (function == ElementwiseFunction::Sigmoid)
    return math.mul(y, math.sub(one, y));
  return math.sub(one, math.mul(y, y));
}

} // namespace poly::kernels
