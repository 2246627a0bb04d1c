//===- SfuDerived.cpp - GELU, derivatives and shifts on the SFU -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One f32 lane of what is made of a sigmoid s of an argument a, with e =
/// 2^(-|a| log2(e)) as in Sfu.cpp:
///
///   s = (a >= 0 ? 1 : e) / (1 + e)        s (1 - s) = e / (1 + e)^2
///   gelu_tanh  = x s, a = 2u              gelu_tanh' = s + x a' s (1 - s)
///   sigmoid'   = s (1 - s)                tanh' = 4 s (1 - s), a = 2x
///   silu'      = s + x s (1 - s)
///   sigmoid_shift = s, a = x - log(n)
///
/// and of the normal distribution, with w = e^(-x^2 / 2) and Phi(-|x|) = w r
/// q(r), r = 1 / (1 + slope |x|), which has no cancellation and no overflow:
///
///   gelu_erf = x Phi(x)                   gelu_erf' = Phi(x) + x w / sqrt(2
///   pi)
///
//===----------------------------------------------------------------------===//

#include "poly/Program/Schemes.h"

#include <cmath>

using namespace poly;

namespace {

constexpr double kLog2E = 0x1.71547652b82fep+0;
/// 2u = kGelu x (1 + kCube x^2): sqrt(2 / pi) and 0.044715 are those of GELU's
/// tanh form (Hendrycks and Gimpel, 2016).
constexpr double kGelu = 1.59576912160573071176;
constexpr double kCube = 0.044715;
constexpr double kInvSqrt2Pi = 0.39894228040143267794;
constexpr double kTwoPi = 6.28318530717958647693;
/// Beyond this |x| every e and w is zero, and before it x^3 is finite.
constexpr double kSaturated = 256;

class DerivedLane {
public:
  DerivedLane(ProgramBuilder &b, const SfuSpec &spec, NodeId x)
      : b(b), spec(spec), x(x), shift(detail::sfuShift(spec)) {}

  NodeId build() {
    if (spec.form == SfuForm::Tanh32)
      return throughTanh();
    switch (spec.function) {
    case Function::GeluErf:
      return b.mul(x, distribution());
    case Function::DGeluErf: {
      NodeId phi = distribution();
      NodeId density =
          b.mul(exponential, number(std::ldexp(kInvSqrt2Pi, -shift)));
      return b.fma(x, density, phi);
    }
    case Function::GeluTanh:
      sigmoidOf(b.mul(x, geluFactor(x)));
      return b.mul(x, sigmoid);
    case Function::DGeluTanh: {
      NodeId y = saturated();
      NodeId square = b.mul(y, y);
      sigmoidOf(b.mul(y, b.fma(square, number(kGelu * kCube * kLog2E),
                               number(kGelu * kLog2E))));
      NodeId slope = b.fma(square, number(3 * kGelu * kCube), number(kGelu));
      return b.fma(b.mul(y, slope), weight(1), sigmoid);
    }
    case Function::DSilu:
      sigmoidOf(b.mul(x, number(kLog2E)));
      return b.fma(x, weight(1), sigmoid);
    case Function::DSigmoid:
      sigmoidOf(b.mul(x, number(kLog2E)));
      return weight(1);
    case Function::DTanh:
      sigmoidOf(b.mul(x, number(2 * kLog2E)));
      return weight(4);
    case Function::SigmoidShift:
      sigmoidOf(shifted());
      return sigmoid;
    case Function::DSigmoidShift:
      sigmoidOf(shifted());
      return weight(1);
    case Function::SinTurn:
      return b.unary(Op::SinApprox, b.mul(x, number(kTwoPi)));
    case Function::CosTurn:
      return b.unary(Op::CosApprox, b.mul(x, number(kTwoPi)));
    default:
      return x;
    }
  }

private:
  NodeId number(double value) { return b.constant(Type::F32, value); }

  NodeId shifted() {
    return b.fma(x, number(kLog2E), number(-std::log2(spec.parameter)));
  }
  NodeId saturated() {
    NodeId capped = b.binary(Op::MinNaN, x, number(kSaturated));
    return b.binary(Op::MaxNaN, capped, number(-kSaturated));
  }
  /// 2u log2(e) / y.
  NodeId geluFactor(NodeId y) {
    return b.fma(b.mul(y, y), number(kGelu * kCube * kLog2E),
                 number(kGelu * kLog2E));
  }

  /// 2^power; only f32 results have a tail that flushing would lose.
  NodeId ex2(NodeId power) {
    return b.unary(spec.to == Format::F32 ? Op::Ex2Approx : Op::Ex2ApproxFtz,
                   power);
  }

  /// The sigmoid of an argument given times log2(e).
  void sigmoidOf(NodeId power) {
    NodeId negative = b.neg(b.abs(power));
    exponential = ex2(shift ? b.add(negative, number(shift)) : negative);
    reciprocal = detail::buildSfuReciprocal(b, spec, exponential);
    // NaN takes the second value, which is NaN.
    NodeId positive = b.setp(Op::SetpGe, power, number(0.0));
    if (spec.function != Function::DSigmoid &&
        spec.function != Function::DTanh &&
        spec.function != Function::DSigmoidShift)
      sigmoid =
          b.mul(b.selp(positive, number(std::ldexp(1.0, shift)), exponential),
                reciprocal);
  }

  /// factor * e / (1 + e)^2.
  NodeId weight(double factor) {
    NodeId share = b.mul(exponential, reciprocal);
    double scaled = std::ldexp(factor, shift);
    NodeId other = scaled == 1 ? reciprocal : b.mul(reciprocal, number(scaled));
    return b.mul(share, other);
  }

  /// Phi(x); `exponential` is 2^shift e^(-x^2 / 2).
  NodeId distribution() {
    NodeId magnitude = b.abs(x);
    NodeId square = b.mul(x, x);
    NodeId factor = number(-0.5 * kLog2E);
    exponential = ex2(shift ? b.fma(square, factor, number(shift))
                            : b.mul(square, factor));
    // The divisor is at least 1: nothing to flush but a quotient of an
    // argument so large that the exponential is zero.
    NodeId r = b.unary(Op::RcpApproxFtz,
                       b.fma(magnitude, number(spec.slope), number(1.0)));
    NodeId q = 0;
    for (size_t i = spec.normal.size(); i-- > 0;) {
      NodeId c = number(std::ldexp(spec.normal[i], -shift));
      q = i + 1 == spec.normal.size() ? c : b.fma(q, r, c);
    }
    NodeId tail = b.mul(exponential, b.mul(q, r));
    NodeId positive = b.setp(Op::SetpGe, x, number(0.0));
    return b.selp(positive, b.binary(Op::Sub, number(1.0), tail), tail);
  }

  /// By t = tanh.approx.f32: sigmoid'(x) = (1 - t^2) / 4 at t = tanh(x / 2).
  NodeId throughTanh() {
    auto tanh = [&](NodeId argument) {
      return b.unary(Op::TanhApprox, argument);
    };
    switch (spec.function) {
    case Function::DSigmoid: {
      NodeId t = tanh(b.mul(x, number(0.5)));
      return b.fma(b.mul(t, number(-0.25)), t, number(0.25));
    }
    case Function::DTanh: {
      NodeId t = tanh(x);
      return b.fma(b.neg(t), t, number(1.0));
    }
    default:
      return x;
    }
  }

  ProgramBuilder &b;
  const SfuSpec &spec;
  NodeId x;
  int shift;
  NodeId exponential = 0, reciprocal = 0, sigmoid = 0;
};

} // namespace

NodeId poly::detail::buildSfuLane(ProgramBuilder &b, const SfuSpec &spec,
                                  NodeId x) {
  return DerivedLane(b, spec, x).build();
}

bool poly::hasSfuForm(Function function, SfuForm form, Format to) {
  // At f32 accuracy the polynomial costs more than the reciprocal it saves.
  if (to == Format::F32 &&
      (form == SfuForm::TanhPacked || form == SfuForm::Ex2Poly))
    return false;
  switch (function) {
  case Function::Sigmoid:
  case Function::Tanh:
  case Function::Silu:
    return true;
  // x times the documented error of tanh.approx has no bound.
  case Function::GeluTanh:
    return form == SfuForm::Sfu || form == SfuForm::Ex2Poly;
  case Function::DSigmoid:
  case Function::DTanh:
    return form == SfuForm::Sfu || form == SfuForm::Tanh32;
  // The bound of the unit is absolute: no good for f32 results next to zero.
  case Function::SinTurn:
  case Function::CosTurn:
    return form == SfuForm::Sfu && to != Format::F32;
  case Function::GeluErf:
  case Function::DSilu:
  case Function::DGeluErf:
  case Function::DGeluTanh:
  case Function::SigmoidShift:
  case Function::DSigmoidShift:
    return form == SfuForm::Sfu;
  default:
    return false;
  }
}
