//===- ExpPolynomial.cpp - Exponentials with a polynomial fraction --------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Exponentials.h"

#include "poly/Program/Formats.h"

#include <cassert>
#include <cmath>

using namespace poly;

namespace {

constexpr double kLog2E = 1.4426950408889634074;
/// 1.5 * 2^23: in this binade an f32 counts ones, and its low bits are the
/// two's complement of what was added.
constexpr double kMagic = 12582912.0;
constexpr uint32_t kMagicBits = 0x4b400000u;

class Builder {
public:
  Builder(const ExpPolynomialSpec &spec, ProgramInfo info)
      : spec(spec), b(std::move(info)) {}

  Program build();
  Program buildCore();

private:
  /// The base-two exponent of an argument.
  NodeId exponent(NodeId x) {
    return spec.function == Function::Exp2
               ? x
               : b.mul(x, b.constant(b.typeOf(x), kLog2E));
  }
  /// p(f) in the type of f.
  NodeId polynomial(NodeId f);
  /// 2^x from one f32.
  NodeId f32Element(NodeId x);
  /// 2^x from two f32, p in packed arithmetic.
  NodeId packedFromF32(NodeId lo, NodeId hi);
  /// 2^x on two f16 lanes.
  NodeId packedF16(NodeId x);
  /// The largest power below the format's normal range, where weights are zero.
  double zeroAt(Format format) { return traits(format).minExponent - 1; }

  const ExpPolynomialSpec &spec;
  ProgramBuilder b;
};

} // namespace

NodeId Builder::polynomial(NodeId f) {
  Type type = b.typeOf(f);
  const std::vector<double> &c = spec.coefficients;
  if (spec.core == ExpCore::Hinge) {
    NodeId line = b.fma(f, b.constant(type, c[1]), b.constant(type, c[0]));
    NodeId hinge;
    if (type == Type::F32) {
      NodeId moved = b.add(f, b.constant(type, -0.5));
      hinge = b.binary(Op::Max, moved, b.constant(type, 0.0));
    } else {
      hinge = b.ternary(Op::FmaRelu, f, b.constant(type, 1.0),
                        b.constant(type, -0.5));
    }
    return b.fma(hinge, b.constant(type, c[2]), line);
  }
  size_t degree = c.size() - 1;
  // An fma by one is an addition.
  if (degree == 1 && c[1] == 1)
    return b.add(f, b.constant(type, c[0]));
  NodeId p = b.constant(type, c[degree]);
  for (size_t i = degree; i-- > 0;)
    p = b.fma(p, f, b.constant(type, c[i]));
  return p;
}

NodeId Builder::f32Element(NodeId x) {
  NodeId y = exponent(x);
  NodeId low = b.constant(Type::F32, zeroAt(Format::F32));
  if (spec.weight) {
    y = b.binary(Op::Max, y, low);
  } else {
    y = b.binary(Op::MaxNaN, y, low);
    y = b.binary(Op::MinNaN, y, b.constant(Type::F32, 128.0));
  }
  NodeId magic = b.constant(Type::F32, kMagic);
  NodeId t = b.binary(Op::AddRm, y, magic);
  NodeId f = b.binary(Op::Sub, y, b.binary(Op::Sub, t, magic));
  NodeId p = polynomial(f);
  NodeId shift = b.constant(Type::B32, uint32_t(1) << 23);
  NodeId n = b.bitcast(Type::B32, t);
  if (spec.weight) // The magic number has no bit below 2^9: it shifts out.
    return b.bitcast(Type::F32,
                     b.ternary(Op::IMad, n, shift, b.bitcast(Type::B32, p)));
  // A product lets the NaN of p through; 2^-127 and 2^128 are 0 and Inf.
  NodeId one = b.constant(Type::B32, 0x3f800000u);
  NodeId scale = b.bitcast(Type::F32, b.ternary(Op::IMad, n, shift, one));
  return b.mul(p, scale);
}

NodeId Builder::packedFromF32(NodeId lo, NodeId hi) {
  Type type = packedType(spec.arithmetic);
  unsigned mantissa = unsigned(traits(spec.arithmetic).mantissaBits);
  // The magic number's bits that the low lane's shift moves into the high half
  // are taken back by the high lane's own magic number.
  uint32_t spill = kMagicBits << mantissa;
  assert((spill & ((1u << (16 + mantissa)) - 1)) == 0);
  double highMagic = kMagic + double(-spill >> (16 + mantissa));
  NodeId fraction[2], count[2];
  for (unsigned lane = 0; lane < 2; ++lane) {
    NodeId y = exponent(lane ? hi : lo);
    y = b.binary(Op::Max, y, b.constant(Type::F32, zeroAt(spec.arithmetic)));
    NodeId magic = b.constant(Type::F32, lane ? highMagic : kMagic);
    NodeId t = b.binary(Op::AddRm, y, magic);
    fraction[lane] = b.binary(Op::Sub, y, b.binary(Op::Sub, t, magic));
    count[lane] = b.bitcast(Type::B32, t);
  }
  NodeId p = polynomial(b.cvtPack(type, fraction[0], fraction[1]));
  // Both patterns stay positive, so no lane borrows from the other.
  NodeId bits = b.ternary(Op::IMad, count[0],
                          b.constant(Type::B32, uint32_t(1) << mantissa),
                          b.bitcast(Type::B32, p));
  bits = b.ternary(Op::IMad, count[1],
                   b.constant(Type::B32, uint32_t(1) << (16 + mantissa)), bits);
  return b.bitcast(type, bits);
}

NodeId Builder::packedF16(NodeId x) {
  Type type = Type::F16x2;
  // f16 has no rounding down: x - 1/2 is rounded to nearest. At an integer the
  // tie may go either way, and p(0) = 1 and p(1) = 2 give the same result.
  NodeId y =
      b.binary(Op::Max, exponent(x), b.constant(type, zeroAt(Format::F16)));
  NodeId moved = b.add(y, b.constant(type, -0.5));
  NodeId magic = b.constant(type, 1536.0);
  NodeId t = b.add(moved, magic);
  NodeId f = b.binary(Op::Sub, y, b.binary(Op::Sub, t, magic));
  NodeId p = b.bitcast(Type::B32, polynomial(f));
  // 0x6600 in the low lane reaches the high half when shifted by ten.
  NodeId bits = b.ternary(Op::IMad, b.bitcast(Type::B32, t),
                          b.constant(Type::B32, uint32_t(1) << 10),
                          b.constant(Type::B32, -(uint32_t(0x6600) << 10)));
  return b.bitcast(type, b.binary(Op::IAdd, bits, p));
}

Program Builder::build() {
  NodeId result;
  if (spec.from == Format::F16) {
    result = packedF16(b.input(Type::F16x2));
  } else if (spec.arithmetic != Format::F32) {
    NodeId lo = b.input(Type::F32), hi = b.input(Type::F32);
    result = packedFromF32(lo, hi);
  } else if (spec.to != Format::F32) {
    NodeId lo = b.input(Type::F32), hi = b.input(Type::F32);
    NodeId first = f32Element(lo), second = f32Element(hi);
    result = b.cvtPack(packedType(spec.to), first, second);
  } else {
    result = f32Element(b.input(Type::F32));
  }
  return b.finish(result);
}

Program Builder::buildCore() {
  NodeId f = b.input(spec.to == Format::F32 ? Type::F32 : packedType(spec.to));
  return b.finish(polynomial(f));
}

Program poly::buildExpCore(ExpCore core,
                           const std::vector<double> &coefficients,
                           Format format) {
  ExpPolynomialSpec spec;
  spec.core = core;
  spec.coefficients = coefficients;
  spec.to = format;
  ProgramInfo info;
  info.name = "exp2-core";
  info.function = Function::Exp2;
  info.from = info.to = format;
  info.lanes = format == Format::F32 ? 1 : 2;
  info.domainLow = 0;
  info.domainHigh = 1;
  return Builder(spec, std::move(info)).buildCore();
}

Program poly::buildExpPolynomial(const ExpPolynomialSpec &spec) {
  bool packed = spec.arithmetic != Format::F32;
  assert((!packed || (spec.weight && spec.to == spec.arithmetic)) &&
         (spec.from == Format::F32 ||
          (spec.from == Format::F16 && spec.arithmetic == Format::F16)) &&
         "no such program");
  ProgramInfo info;
  info.function = spec.function;
  info.form = spec.form + (packed ? "packed" : spec.weight ? "weight" : "");
  info.from = spec.from;
  info.to = spec.to;
  info.lanes = spec.to == Format::F32 ? 1 : 2;
  info.provenance = spec.provenance;
  info.weightsOnly = spec.weight;
  if (spec.weight) {
    // Short of where p(f) could round up to infinity.
    info.domainHigh = packed && spec.arithmetic == Format::F16 ? 15.75 : 127.75;
    if (spec.function == Function::Exp)
      info.domainHigh = std::floor(info.domainHigh / kLog2E);
  }
  info.name = std::string(poly::name(spec.function)) + "-" + info.form + "-";
  if (spec.from == Format::F32 && spec.to != Format::F32)
    info.name += "f32-";
  info.name += spec.to == Format::F32 ? "f32" : poly::name(packedType(spec.to));
  return Builder(spec, std::move(info)).build();
}
