//===- Activation.cpp - What happens to gate and up -----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activation.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace poly::kernels;
using poly::kernels::hopper::Emitter;

// Of the gpt-oss models: their configuration and reference code.
static constexpr double kClampLimit = 7.0;
static constexpr double kClampSlope = 1.702;
// sqrt(2 / pi), sqrt(1 / 2) and the cubic term of GELU's tanh form (Hendrycks
// and Gimpel, "Gaussian Error Linear Units", 2016).
static constexpr double kSqrt2OverPi = 0.7978845608028654;
static constexpr double kSqrtHalf = 0.7071067811865476;
static constexpr double kGeluCubic = 0.044715;

FloatType poly::kernels::elementType(MLIRContext *context, GemmType type) {
  if (type == GemmType::BF16)
    return BFloat16Type::get(context);
  return Float16Type::get(context);
}

GateArithmetic::GateArithmetic(Emitter &e, const SwigluGemmOptions &options,
                               Value beta)
    : e(e), options(options), beta(beta),
      flags(options.approximate
                ? arith::FastMathFlags::afn | arith::FastMathFlags::contract
                : arith::FastMathFlags::none) {}

Value GateArithmetic::mul(Value a, Value b) const {
  return arith::MulFOp::create(e, a, b, flags);
}
Value GateArithmetic::add(Value a, Value b) const {
  return arith::AddFOp::create(e, a, b, flags);
}
Value GateArithmetic::splat(double value, Value like) const {
  auto type = cast<VectorType>(like.getType());
  return arith::ConstantOp::create(e,
                                   DenseElementsAttr::get(type, float(value)));
}

Value GateArithmetic::onePlusExp(Value x, Value slope) const {
  Value argument = slope ? mul(x, slope) : x;
  Value negated = arith::NegFOp::create(e, argument, flags);
  return add(splat(1.0, x), math::ExpOp::create(e, negated, flags));
}

Value GateArithmetic::activate(Value gate) const {
  auto divide = [&](Value a, Value b) -> Value {
    return arith::DivFOp::create(e, a, b, flags);
  };
  auto sigmoid = [&](Value slope) {
    return divide(splat(1.0, gate), onePlusExp(gate, slope));
  };
  switch (options.activation) {
  case GateActivation::Identity:
    return gate;
  case GateActivation::Sigmoid:
    return sigmoid(Value());
  case GateActivation::Silu:
    return divide(gate, onePlusExp(gate, Value()));
  case GateActivation::Swish: {
    Value slope = options.beta
                      ? splat(*options.beta, gate)
                      : vector::BroadcastOp::create(e, gate.getType(), beta);
    return mul(gate, sigmoid(slope));
  }
  case GateActivation::GeluErf: {
    Value erf =
        math::ErfOp::create(e, mul(gate, splat(kSqrtHalf, gate)), flags);
    return mul(mul(splat(0.5, gate), gate), add(splat(1.0, gate), erf));
  }
  case GateActivation::GeluTanh: {
    Value cube = mul(mul(gate, gate), gate);
    Value inner = add(gate, mul(splat(kGeluCubic, gate), cube));
    Value tanh =
        math::TanhOp::create(e, mul(splat(kSqrt2OverPi, gate), inner), flags);
    return mul(mul(splat(0.5, gate), gate), add(splat(1.0, gate), tanh));
  }
  case GateActivation::Clamped:
    return mul(gate, sigmoid(splat(kClampSlope, gate)));
  }
  llvm_unreachable("unknown activation");
}

Value GateArithmetic::round(Value value) const {
  auto type = cast<VectorType>(value.getType());
  return arith::TruncFOp::create(
      e, type.clone(elementType(e.getContext(), options.type)), value);
}

Value GateArithmetic::apply(Value gate, Value up) const {
  if (options.activation == GateActivation::Clamped) {
    // As torch.clamp: a NaN stays one.
    gate = arith::MinimumFOp::create(e, gate, splat(kClampLimit, gate));
    up = arith::MinimumFOp::create(e, up, splat(kClampLimit, up));
    up = arith::MaximumFOp::create(e, up, splat(-kClampLimit, up));
    return round(mul(activate(gate), add(up, splat(1.0, up))));
  }
  Value activated = activate(gate);
  // The product of two rounded values, rounded once.
  if (options.roundActivation)
    return arith::MulFOp::create(e, round(activated), round(up));
  return round(mul(activated, up));
}
