//===- Polynomial.cpp - Packed range-reduced polynomials ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Schemes.h"

using namespace poly;

std::string poly::formName(const PolynomialSpec &spec) {
  size_t count = spec.coefficients.size();
  std::string form = spec.odd ? "odd" + std::to_string(2 * count - 1)
                              : "half" + std::to_string(count);
  return spec.exactTail ? form : form + "free";
}

Program poly::buildPolynomial(const PolynomialSpec &spec, Format from,
                              ClampKind clamp, std::string name) {
  Type type = packedType(spec.format);
  ProgramInfo info;
  info.function = spec.function;
  info.form = formName(spec);
  info.from = from;
  info.to = spec.format;
  info.lanes = 2;
  info.roundsInput = from != spec.format;
  info.provenance = spec.provenance;
  if (name.empty()) {
    name = std::string(poly::name(spec.function)) + "-" + info.form + "-";
    if (from == Format::F32)
      name += "f32-";
    name += poly::name(type);
    if (clamp == ClampKind::MinMax)
      name += "-sm80";
  }
  info.name = std::move(name);

  ProgramBuilder b(std::move(info));
  NodeId x;
  if (from == Format::F32) {
    NodeId lo = b.input(Type::F32);
    NodeId hi = b.input(Type::F32);
    x = b.cvtPack(type, lo, hi);
  } else {
    x = b.input(type);
  }

  NodeId limit = b.constant(type, spec.clamp);
  NodeId y;
  if (clamp == ClampKind::XorSign) {
    y = b.binary(Op::MinNaNXorSignAbs, x, limit);
  } else {
    y = b.binary(Op::MaxNaN, b.binary(Op::MinNaN, x, limit),
                 b.constant(type, -spec.clamp));
  }

  // Horner from the highest coefficient. A single coefficient is q itself.
  NodeId q = b.constant(type, spec.coefficients.back());
  if (spec.coefficients.size() > 1) {
    NodeId variable = spec.odd ? b.mul(y, y) : b.abs(y);
    for (size_t i = spec.coefficients.size() - 1; i-- > 0;)
      q = b.fma(q, variable, b.constant(type, spec.coefficients[i]));
  }

  NodeId result;
  if (spec.function == Function::Tanh)
    result = b.mul(q, y);
  else
    result = b.ternary(Op::FmaRelu, q, y, b.constant(type, 0.5));
  if (spec.function == Function::Silu)
    result = b.mul(x, result);
  return b.finish(result);
}
