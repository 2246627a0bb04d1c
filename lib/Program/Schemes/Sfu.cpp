//===- Sfu.cpp - Programs on the special function unit --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All forms through ex2 use e = 2^(-c|x|) in [0, 1], which cannot overflow:
///
///   sigmoid(x) = (x >= 0 ? 1 : e) / (1 + e)       c = log2(e)
///   silu(x)    = x * sigmoid(x)
///   tanh(|x|)  = (1 - e) / (1 + e)                c = 2 log2(e)
///
/// Where e underflows sigmoid and silu would lose their tail: silu(-91) is a
/// normal number while e is not. An f32 result therefore keeps subnormals
/// (ex2.approx without .ftz, which costs a scaling on each side). A bf16 result
/// has the same range but needs few digits, so there the whole quotient is
/// scaled by an exact power of two: with E = 2^k e, which one fma in front of
/// ex2.approx.ftz gives for free,
///
///   sigmoid(x) = (x >= 0 ? 2^k : E) * (1 / (2^k + E))
///
/// and the divisor is never small, so neither instruction needs a slow path.
///
/// Sine and cosine of turns are sin.approx and cos.approx of 2 pi x: the
/// argument has been reduced in turns, where that is exact, and is in the range
/// for which the unit's error is documented.
///
//===----------------------------------------------------------------------===//

#include "poly/Program/Schemes.h"

#include <cmath>

using namespace poly;

std::string_view poly::name(SfuForm form) {
  switch (form) {
  case SfuForm::Sfu:
    return "sfu";
  case SfuForm::Tanh32:
    return "tanh32";
  case SfuForm::TanhPacked:
    return "tanhpacked";
  case SfuForm::Ex2Poly:
    return "ex2poly";
  }
  return "";
}

namespace {

constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr uint32_t kSign = 0x80000000u;
constexpr uint32_t kSignPacked = 0x80008000u;
/// lop3 truth table of a | (b & c), with a = 0xf0, b = 0xcc, c = 0xaa.
constexpr uint8_t kOrAnd = 0xf0 | (0xcc & 0xaa);
/// bf16 needs E = 2^k e normal down to the x where silu(x) is half the smallest
/// bf16 subnormal, 2^-134, and e = 2^-140.6; 16 leaves room for the error of
/// ex2.approx.
constexpr int kBF16Shift = 16;

bool isBasic(Function function) {
  return function == Function::Sigmoid || function == Function::Tanh ||
         function == Function::Silu;
}
/// Where |x| is below this, tanh(x) rounds to x within 2^-15.6 relative, an
/// eighth of half an f16 ulp; above it, the cancellation in 1 - e loses less.
constexpr double kTanhIsIdentity = 0x1p-7;

/// Builds the nodes of one lane in f32.
class LaneBuilder {
public:
  LaneBuilder(ProgramBuilder &b, const SfuSpec &spec)
      : b(b), spec(spec), shift(detail::sfuShift(spec)) {}

  /// The function of the f32 node \p x; for tanh through ex2 with
  /// \p magnitude, of |x|: the caller puts the sign back.
  NodeId build(NodeId x) {
    if (!isBasic(spec.function))
      return detail::buildSfuLane(b, spec, x);
    if (spec.form == SfuForm::Tanh32)
      return throughTanh(x);
    if (spec.function == Function::Tanh)
      return tanhMagnitude(x);
    NodeId result = sigmoid(x);
    return spec.function == Function::Silu ? b.mul(x, result) : result;
  }

private:
  NodeId number(double value) { return b.constant(Type::F32, value); }

  /// 2^(shift - scale |x|).
  NodeId exponential(NodeId magnitude, double scale) {
    NodeId factor = number(-scale);
    NodeId power = shift ? b.fma(magnitude, factor, number(shift))
                         : b.mul(magnitude, factor);
    // Only sigmoid and silu in f32 have a tail that flushing would lose.
    bool flush = spec.to != Format::F32 || spec.function == Function::Tanh;
    return b.unary(flush ? Op::Ex2ApproxFtz : Op::Ex2Approx, power);
  }

  NodeId reciprocal(NodeId e) { return detail::buildSfuReciprocal(b, spec, e); }

  NodeId sigmoid(NodeId x) {
    NodeId e = exponential(b.abs(x), kLog2E);
    NodeId r = reciprocal(e);
    // NaN takes the second value, which is NaN.
    NodeId positive = b.setp(Op::SetpGe, x, number(0.0));
    return b.mul(b.selp(positive, number(std::ldexp(1.0, shift)), e), r);
  }

  NodeId tanhMagnitude(NodeId x) {
    NodeId t = b.abs(x);
    NodeId e = exponential(t, 2 * kLog2E);
    NodeId r = reciprocal(e);
    // (1 - e) r in one rounding.
    NodeId far = b.fma(b.neg(e), r, r);
    bool isF32 = spec.to == Format::F32;
    NodeId near = t;
    if (isF32) {
      NodeId square = b.mul(t, t);
      NodeId q = number(spec.origin.back());
      for (size_t i = spec.origin.size() - 1; i-- > 0;)
        q = b.fma(q, square, number(spec.origin[i]));
      near = b.fma(b.mul(t, square), q, t);
    }
    NodeId limit = number(isF32 ? kTanhOrigin : kTanhIsIdentity);
    return b.selp(b.setp(Op::SetpLt, t, limit), near, far);
  }

  NodeId throughTanh(NodeId x) {
    if (spec.function == Function::Tanh)
      return b.unary(Op::TanhApprox, x);
    NodeId half = number(0.5);
    NodeId h = b.mul(x, half);
    NodeId t = b.unary(Op::TanhApprox, h);
    return spec.function == Function::Sigmoid ? b.fma(t, half, half)
                                              : b.fma(h, t, h);
  }

  ProgramBuilder &b;
  const SfuSpec &spec;
  int shift;
};

NodeId buildTanhPacked(ProgramBuilder &b, Function function, Type type,
                       NodeId x) {
  if (function == Function::Tanh)
    return b.unary(Op::TanhApprox, x);
  NodeId half = b.constant(type, 0.5);
  NodeId h = b.mul(x, half);
  NodeId t = b.unary(Op::TanhApprox, h);
  return function == Function::Sigmoid ? b.fma(t, half, half) : b.fma(h, t, h);
}

/// Gives \p magnitude (sign bits clear) the signs of \p x.
NodeId copySign(ProgramBuilder &b, NodeId magnitude, NodeId x) {
  Type type = b.typeOf(magnitude);
  NodeId mask = b.constant(Type::B32, type == Type::F32 ? kSign : kSignPacked);
  return b.bitcast(type, b.lop3(b.bitcast(Type::B32, magnitude),
                                b.bitcast(Type::B32, x), mask, kOrAnd));
}

} // namespace

int poly::detail::sfuShift(const SfuSpec &spec) {
  return spec.to == Format::BF16 && spec.function != Function::Tanh ? kBF16Shift
                                                                    : 0;
}

NodeId poly::detail::buildSfuReciprocal(ProgramBuilder &b, const SfuSpec &spec,
                                        NodeId e) {
  int shift = sfuShift(spec);
  auto number = [&](double value) { return b.constant(Type::F32, value); };
  // The divisor lies in [2^shift, 2^(shift + 1)]: nothing to flush.
  if (spec.form == SfuForm::Sfu)
    return b.unary(Op::RcpApproxFtz, b.add(e, number(std::ldexp(1.0, shift))));
  NodeId result = 0;
  for (size_t i = spec.reciprocal.size(); i-- > 0;) {
    NodeId coefficient =
        number(std::ldexp(spec.reciprocal[i], -shift * int(i + 1)));
    result = i + 1 == spec.reciprocal.size() ? coefficient
                                             : b.fma(result, e, coefficient);
  }
  return result;
}

Program poly::buildSfu(const SfuSpec &spec) {
  bool scalar = spec.to == Format::F32;
  Type type = scalar ? Type::F32 : packedType(spec.to);
  ProgramInfo info;
  info.function = spec.function;
  info.form = std::string(name(spec.form));
  info.parameter = spec.parameter;
  info.name = std::string(name(spec.function));
  if (spec.parameter != 0)
    info.name += std::to_string(long(spec.parameter));
  info.name += "-" + info.form + "-";
  if (spec.from == Format::F32 && !scalar)
    info.name += "f32-";
  info.name += name(type);
  info.from = spec.from;
  info.to = spec.to;
  info.lanes = scalar ? 1 : 2;
  info.roundsInput =
      spec.form == SfuForm::TanhPacked && spec.from == Format::F32;
  if (isTurn(spec.function)) {
    info.domainLow = -0.5;
    info.domainHigh = 0.5;
  }
  info.provenance = spec.provenance;

  ProgramBuilder b(std::move(info));
  // tanh through ex2 works on magnitudes. One lop3 puts the signs of a pair
  // back where the argument is a pair.
  bool signless = spec.function == Function::Tanh &&
                  (spec.form == SfuForm::Sfu || spec.form == SfuForm::Ex2Poly);
  LaneBuilder lane(b, spec);
  if (scalar) {
    NodeId x = b.input(Type::F32);
    NodeId result = lane.build(x);
    return b.finish(signless ? copySign(b, result, x) : result);
  }

  if (spec.from == Format::F32) {
    NodeId lo = b.input(Type::F32);
    NodeId hi = b.input(Type::F32);
    if (spec.form == SfuForm::TanhPacked)
      return b.finish(
          buildTanhPacked(b, spec.function, type, b.cvtPack(type, lo, hi)));
    NodeId results[2];
    for (unsigned i = 0; i < 2; ++i) {
      NodeId x = i == 0 ? lo : hi;
      results[i] = lane.build(x);
      if (signless)
        results[i] = copySign(b, results[i], x);
    }
    return b.finish(b.cvtPack(type, results[0], results[1]));
  }

  NodeId x = b.input(type);
  if (spec.form == SfuForm::TanhPacked)
    return b.finish(buildTanhPacked(b, spec.function, type, x));
  NodeId lo = lane.build(b.unpack(0, x));
  NodeId hi = lane.build(b.unpack(1, x));
  NodeId result = b.cvtPack(type, lo, hi);
  return b.finish(signless ? copySign(b, result, x) : result);
}
