//===- Polynomial.cpp - Range-reduced polynomials -------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Schemes.h"

#include <algorithm>
#include <cassert>

using namespace poly;

std::string_view poly::name(Reduction reduction) {
  switch (reduction) {
  case Reduction::Odd:
    return "odd";
  case Reduction::Complement:
    return "complement";
  case Reduction::Gate:
    return "gate";
  case Reduction::Even:
    return "even";
  case Reduction::Whole:
    return "none";
  }
  return "";
}

bool poly::parse(std::string_view text, Reduction &reduction) {
  for (Reduction candidate :
       {Reduction::Odd, Reduction::Complement, Reduction::Gate, Reduction::Even,
        Reduction::Whole})
    if (text == name(candidate)) {
      reduction = candidate;
      return true;
    }
  return false;
}

Reduction poly::reductionOf(Function function) {
  switch (function) {
  case Function::Silu:
  case Function::GeluErf:
  case Function::GeluTanh:
    return Reduction::Gate;
  default:
    break;
  }
  switch (traits(function).symmetry) {
  case Symmetry::Odd:
    return Reduction::Odd;
  case Symmetry::Even:
    return Reduction::Even;
  case Symmetry::Complement:
    return Reduction::Complement;
  case Symmetry::None:
    break;
  }
  return Reduction::Whole;
}

Reduction poly::reductionOf(const PolynomialSpec &spec) {
  return spec.function == Function::Custom ? spec.reduction
                                           : reductionOf(spec.function);
}

bool poly::isNonNegative(Function function) {
  switch (function) {
  case Function::Sigmoid:
  case Function::Silu:
  case Function::GeluErf:
  case Function::GeluTanh:
  case Function::Exp:
  case Function::Exp2:
  case Function::DSigmoid:
  case Function::DTanh:
  case Function::SigmoidShift:
  case Function::DSigmoidShift:
    return true;
  default:
    return false;
  }
}

bool poly::hasSignedClamp(const PolynomialSpec &spec) {
  Reduction reduction = reductionOf(spec);
  return spec.clamp != 0 && spec.format != Format::F32 &&
         reduction != Reduction::Even && reduction != Reduction::Whole;
}

std::string poly::formName(const PolynomialSpec &spec) {
  // The factor of a root is of degree two.
  size_t count = spec.coefficients.size() + (spec.root != 0);
  std::string form;
  switch (reductionOf(spec)) {
  case Reduction::Odd:
  case Reduction::Complement:
  case Reduction::Gate:
    form = spec.odd ? "odd" + std::to_string(2 * count - 1)
                    : "half" + std::to_string(count);
    break;
  case Reduction::Even:
    form = spec.odd ? "even" + std::to_string(2 * count - 2)
                    : "half" + std::to_string(count - 1);
    break;
  case Reduction::Whole:
    form = "whole" + std::to_string(count - 1);
    break;
  }
  if (spec.center != 0)
    form += "c";
  if (spec.root != 0)
    form += "r";
  if (!spec.upper.empty())
    form += "x2";
  if (spec.squarings)
    form += "pow" + std::to_string(1u << spec.squarings);
  if (spec.to && *spec.to != spec.format)
    form += name(spec.format);
  return spec.exactTail ? form : form + "free";
}

namespace {

/// Builds one register's worth of lanes.
class PolynomialBuilder {
public:
  PolynomialBuilder(ProgramBuilder &b, const PolynomialSpec &spec,
                    ClampKind clamp)
      : b(b), spec(spec), clamp(clamp), reduction(reductionOf(spec)),
        type(spec.format == Format::F32 ? Type::F32 : packedType(spec.format)) {
  }

  /// The function, or for Gate its factor, of the register \p x.
  NodeId build(NodeId x) {
    NodeId y = reduce(x);
    if (reduction == Reduction::Whole)
      return power(horner(y, y, last()));
    bool even = reduction == Reduction::Even;
    NodeId variable = y;
    // A single coefficient is q itself.
    if (spec.coefficients.size() > 1 || !spec.upper.empty()) {
      if (spec.odd)
        variable = square(y);
      else if (!even)
        variable = b.abs(y);
      if (spec.center != 0)
        variable = b.binary(Op::Sub, variable, number(spec.center));
    }
    NodeId q = horner(variable, variable, even ? last() : Op::Fma);
    if (spec.root != 0) {
      NodeId factor = b.fma(y, y, number(-spec.root * spec.root));
      return b.mul(q, even ? factor : b.mul(y, factor));
    }
    if (even)
      return q;
    if (reduction == Reduction::Odd)
      return b.mul(q, y);
    return b.ternary(last(), q, y, number(0.5));
  }

private:
  NodeId number(double value) { return b.constant(type, value); }

  /// The last fma before the result.
  Op last() const {
    bool relu = type != Type::F32 && spec.squarings == 0 &&
                isNonNegative(spec.function);
    return relu ? Op::FmaRelu : Op::Fma;
  }

  NodeId reduce(NodeId x) {
    if (reduction == Reduction::Whole) {
      if (spec.clamp == spec.clampLow)
        return x;
      NodeId capped = b.binary(Op::MinNaN, x, number(spec.clamp));
      return b.binary(Op::MaxNaN, capped, number(spec.clampLow));
    }
    if (reduction == Reduction::Even) {
      if (spec.odd) // The square is clamped, the sign never matters.
        return x;
      NodeId magnitude = b.abs(x);
      return spec.clamp == 0
                 ? magnitude
                 : b.binary(Op::MinNaN, magnitude, number(spec.clamp));
    }
    if (spec.clamp == 0)
      return x;
    NodeId limit = number(spec.clamp);
    if (clamp == ClampKind::XorSign && type != Type::F32)
      return b.binary(Op::MinNaNXorSignAbs, x, limit);
    return b.binary(Op::MaxNaN, b.binary(Op::MinNaN, x, limit),
                    number(-spec.clamp));
  }

  NodeId square(NodeId y) {
    NodeId result = b.mul(y, y);
    if (reduction == Reduction::Even && spec.clamp != 0)
      result = b.binary(Op::MinNaN, result, number(spec.clamp));
    return result;
  }

  /// Horner from the highest coefficient, the last step by \p lastOp.
  NodeId horner(NodeId variable, NodeId selector, Op lastOp) {
    if (!spec.upper.empty())
      select(selector);
    size_t count = spec.coefficients.size();
    NodeId q = coefficient(count - 1);
    for (size_t i = count - 1; i-- > 0;)
      q = b.ternary(i == 0 ? lastOp : Op::Fma, q, variable, coefficient(i));
    return q;
  }

  void select(NodeId selector) {
    NodeId limit = number(spec.breakpoint);
    mask = type == Type::F32 ? b.setp(Op::SetpGe, selector, limit)
                             : b.binary(Op::SetGe, selector, limit);
  }

  /// Coefficient \p i of the lane's piece.
  NodeId coefficient(size_t i) {
    NodeId low = number(spec.coefficients[i]);
    if (spec.upper.empty() || spec.upper[i] == spec.coefficients[i])
      return low;
    NodeId high = number(spec.upper[i]);
    if (type == Type::F32)
      return b.selp(mask, high, low);
    // mask ? high : low.
    constexpr uint8_t kSelect = (0xf0 & 0xcc) | (0x0f & 0xaa);
    return b.bitcast(type, b.lop3(mask, b.bitcast(Type::B32, high),
                                  b.bitcast(Type::B32, low), kSelect));
  }

  NodeId power(NodeId q) {
    for (unsigned i = 0; i < spec.squarings; ++i)
      q = b.mul(q, q);
    return q;
  }

  ProgramBuilder &b;
  const PolynomialSpec &spec;
  ClampKind clamp;
  Reduction reduction;
  Type type;
  NodeId mask = 0;
};

ProgramInfo describe(const PolynomialSpec &spec, Format from, ClampKind clamp,
                     std::string form, std::string name) {
  Format to = resultFormat(spec);
  ProgramInfo info;
  info.function = spec.function;
  info.form = std::move(form);
  info.from = from;
  info.to = to;
  info.lanes = to == Format::F32 ? 1 : 2;
  info.roundsInput = from != to && spec.format != Format::F32;
  info.provenance = spec.provenance;
  info.definition = spec.definition;
  info.parameter = spec.parameter;
  info.expression = spec.expression;
  info.domainLow = spec.domainLow;
  info.domainHigh = spec.domainHigh;
  if (name.empty()) {
    name = std::string(poly::name(spec.function));
    if (spec.parameter != 0)
      name += std::to_string(long(spec.parameter));
    name += "-" + info.form + "-";
    if (from == Format::F32 && to != Format::F32)
      name += "f32-";
    name += to == Format::F32 ? "f32" : poly::name(packedType(to));
    if (hasSignedClamp(spec) && clamp == ClampKind::MinMax)
      name += "-sm80";
  }
  info.name = std::move(name);
  return info;
}

/// The argument register in the type of the arithmetic. `argument` is the one
/// that Gate multiplies, in the type of the result.
struct Arguments {
  NodeId x, argument;
};
Arguments packedArguments(ProgramBuilder &b, const PolynomialSpec &spec,
                          Format from) {
  Type type = packedType(spec.format), outer = packedType(resultFormat(spec));
  NodeId lo, hi, argument = 0;
  if (from == Format::F32) {
    lo = b.input(Type::F32);
    hi = b.input(Type::F32);
    NodeId x = b.cvtPack(type, lo, hi);
    if (type == outer)
      return {x, x};
    if (reductionOf(spec) == Reduction::Gate)
      argument = b.cvtPack(outer, lo, hi);
    return {x, argument};
  }
  argument = b.input(outer);
  if (type == outer)
    return {argument, argument};
  lo = b.unpack(0, argument);
  hi = b.unpack(1, argument);
  return {b.cvtPack(type, lo, hi), argument};
}

/// Converts from the arithmetic to the result's packed type.
NodeId packedResult(ProgramBuilder &b, const PolynomialSpec &spec, NodeId y) {
  Type outer = packedType(resultFormat(spec));
  if (b.typeOf(y) == outer)
    return y;
  return b.cvtPack(outer, b.unpack(0, y), b.unpack(1, y));
}

} // namespace

Program poly::buildPolynomial(const PolynomialSpec &spec, Format from,
                              ClampKind clamp, std::string name) {
  ProgramBuilder b(
      describe(spec, from, clamp, formName(spec), std::move(name)));
  PolynomialBuilder lanes(b, spec, clamp);
  bool gate = reductionOf(spec) == Reduction::Gate;
  if (spec.format != Format::F32) {
    Arguments arguments = packedArguments(b, spec, from);
    NodeId y = packedResult(b, spec, lanes.build(arguments.x));
    return b.finish(gate ? b.mul(arguments.argument, y) : y);
  }
  auto lane = [&](NodeId x) {
    NodeId y = lanes.build(x);
    return gate ? b.mul(x, y) : y;
  };
  Format to = resultFormat(spec);
  if (to == Format::F32)
    return b.finish(lane(b.input(Type::F32)));
  NodeId lo, hi;
  if (from == Format::F32) {
    lo = b.input(Type::F32);
    hi = b.input(Type::F32);
  } else {
    NodeId pair = b.input(packedType(from));
    lo = b.unpack(0, pair);
    hi = b.unpack(1, pair);
  }
  NodeId first = lane(lo);
  return b.finish(b.cvtPack(packedType(to), first, lane(hi)));
}

bool poly::hasAlgebraicDerivative(Function function) {
  return function == Function::Sigmoid || function == Function::Silu ||
         function == Function::Tanh || function == Function::SigmoidShift;
}

Program poly::buildCoupled(const CoupledSpec &coupled, Format from,
                           ClampKind clamp) {
  const PolynomialSpec &spec = coupled.value;
  assert(spec.format != Format::F32 && resultFormat(spec) == spec.format &&
         "coupled programs are packed, in one format");
  ProgramBuilder b(
      describe(spec, from, clamp, "coupled-" + formName(spec), {}));
  Type type = packedType(spec.format);
  NodeId x = packedArguments(b, spec, from).x;
  if (coupled.coupling == Coupling::SinCos) {
    NodeId square = b.mul(x, x);
    auto horner = [&](const std::vector<double> &c) {
      NodeId q = b.constant(type, c.back());
      for (size_t i = c.size() - 1; i-- > 0;)
        q = b.fma(q, square, b.constant(type, c[i]));
      return q;
    };
    NodeId sine = b.mul(horner(spec.coefficients), x);
    return b.finish({sine, horner(coupled.second)});
  }
  NodeId s = PolynomialBuilder(b, spec, clamp).build(x);
  if (reductionOf(spec) == Reduction::Odd)
    return b.finish({s, b.fma(b.neg(s), s, b.constant(type, 1.0))});
  NodeId rest = b.binary(Op::Sub, b.constant(type, 1.0), s);
  if (reductionOf(spec) != Reduction::Gate)
    return b.finish({s, b.mul(s, rest)});
  NodeId value = b.mul(x, s);
  return b.finish({value, b.fma(value, rest, s)});
}
