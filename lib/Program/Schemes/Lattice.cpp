//===- Lattice.cpp - Exponentials on a lattice of the output format -------===//
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
/// 1.5 * 2^23 and 2^10: in these binades f32 and f16 count ones.
constexpr double kMagic32 = 12582912.0;
constexpr uint32_t kMagic32Bits = 0x4b400000u;
constexpr double kMagic16 = 1024.0;
constexpr uint32_t kMagic16Bits = 0x6400u;

class Builder {
public:
  Builder(const LatticeSpec &spec, ProgramInfo info)
      : spec(spec), b(std::move(info)), bias(1 - traits(spec.to).minExponent),
        mantissa(unsigned(traits(spec.to).mantissaBits)),
        slope(spec.function == Function::Exp ? kLog2E : 1.0) {}

  Program build();

private:
  /// The f32 whose low bits are \p origin + round(2^k x), x clamped.
  NodeId count(NodeId x, double origin);
  NodeId f32Result();
  NodeId pairFromF32(NodeId lo, NodeId hi);
  NodeId pairFromF16(NodeId x);
  NodeId bytes();
  /// The f16x2 whose low bits are the bytes of two results.
  NodeId bytePair(NodeId x);

  const LatticeSpec &spec;
  ProgramBuilder b;
  int bias;
  unsigned mantissa;
  double slope; ///< Octaves per unit of x.
};

} // namespace

NodeId Builder::count(NodeId x, double origin) {
  double scale = std::ldexp(1.0, int(spec.steps));
  double zero = -bias; // The exponent of the pattern 0.
  switch (spec.clamp) {
  case LatticeClamp::Max:
    x = b.binary(Op::Max, x, b.constant(Type::F32, zero / slope));
    break;
  case LatticeClamp::Bare:
    break;
  case LatticeClamp::Sat: {
    // [pattern of +0, pattern of +Inf] onto [0, 1].
    double range = 2 * bias + 1;
    NodeId y = b.ternary(Op::FmaSat, x, b.constant(Type::F32, slope / range),
                         b.constant(Type::F32, bias / range));
    return b.fma(y, b.constant(Type::F32, range * scale),
                 b.constant(Type::F32, kMagic32 + origin - bias * scale));
  }
  }
  return b.fma(x, b.constant(Type::F32, scale * slope),
               b.constant(Type::F32, kMagic32 + origin));
}

NodeId Builder::f32Result() {
  NodeId x = b.input(Type::F32);
  // Counted from the pattern 0 where nothing has to be added afterwards.
  bool fromZero = spec.clamp == LatticeClamp::Sat;
  double origin = fromZero ? std::ldexp(bias, int(spec.steps)) : 0;
  NodeId n = b.bitcast(Type::B32, count(x, origin));
  unsigned shift = 23 - spec.steps; // The magic number shifts out.
  NodeId bits =
      fromZero
          ? b.shift(Op::Shl, n, shift)
          : b.ternary(Op::IMad, n, b.constant(Type::B32, uint32_t(1) << shift),
                      b.constant(Type::B32, 0x3f800000u));
  return b.bitcast(Type::F32, bits);
}

NodeId Builder::pairFromF32(NodeId lo, NodeId hi) {
  Type type = packedType(spec.to);
  unsigned shift = mantissa - spec.steps;
  if (spec.assembly == LatticeAssembly::Mad) {
    bool fromZero = spec.clamp == LatticeClamp::Sat;
    double origin = fromZero ? std::ldexp(bias, int(spec.steps)) : 0;
    NodeId first = b.bitcast(Type::B32, count(lo, origin));
    NodeId second = b.bitcast(Type::B32, count(hi, origin));
    uint32_t one = fromZero ? 0 : uint32_t(bias) << mantissa;
    uint32_t rest = (one | one << 16) - (kMagic32Bits << shift) -
                    (kMagic32Bits << (16 + shift));
    NodeId bits =
        b.ternary(Op::IMad, first, b.constant(Type::B32, uint32_t(1) << shift),
                  b.constant(Type::B32, rest));
    bits = b.ternary(Op::IMad, second,
                     b.constant(Type::B32, uint32_t(1) << (16 + shift)), bits);
    return b.bitcast(type, bits);
  }
  // Patterns counted from 0 fill the low half of each sum and nothing above.
  double origin = std::ldexp(bias, int(spec.steps));
  NodeId first = b.bitcast(Type::B32, count(lo, origin));
  NodeId second = b.bitcast(Type::B32, count(hi, origin));
  NodeId bits = b.prmt(first, second, 0x5410);
  if (shift)
    bits = b.shift(Op::Shl, bits, shift);
  return b.bitcast(type, bits);
}

NodeId Builder::pairFromF16(NodeId x) {
  Type type = Type::F16x2;
  double scale = std::ldexp(1.0, int(spec.steps));
  NodeId y = b.binary(Op::Max, x, b.constant(type, -bias / slope));
  NodeId t = b.fma(y, b.constant(type, scale * slope),
                   b.constant(type, kMagic16 + bias * scale));
  unsigned shift = mantissa - spec.steps;
  uint32_t rest = -(kMagic16Bits << shift) - (kMagic16Bits << (16 + shift));
  NodeId bits = b.ternary(Op::IMad, b.bitcast(Type::B32, t),
                          b.constant(Type::B32, uint32_t(1) << shift),
                          b.constant(Type::B32, rest));
  return b.bitcast(type, bits);
}

NodeId Builder::bytePair(NodeId x) {
  Type type = Type::F16x2;
  double scale = std::ldexp(1.0, int(spec.steps));
  NodeId pattern = b.ternary(Op::FmaRelu, x, b.constant(type, scale * slope),
                             b.constant(type, bias * scale));
  return b.bitcast(Type::B32, b.add(pattern, b.constant(type, kMagic16)));
}

NodeId Builder::bytes() {
  NodeId pairs[2];
  if (spec.from == Format::F16) {
    pairs[0] = b.input(Type::F16x2);
    pairs[1] = b.input(Type::F16x2);
  } else {
    NodeId x[4];
    for (NodeId &element : x)
      element = b.input(Type::F32);
    pairs[0] = b.cvtPack(Type::F16x2, x[0], x[1]);
    pairs[1] = b.cvtPack(Type::F16x2, x[2], x[3]);
  }
  NodeId first = bytePair(pairs[0]), second = bytePair(pairs[1]);
  return b.prmt(first, second, 0x6420);
}

Program Builder::build() {
  NodeId result;
  if (elementBits(spec.to) == 8) {
    result = bytes();
  } else if (spec.to == Format::F32) {
    result = f32Result();
  } else if (spec.from == Format::F16 && spec.steps <= 5) {
    result = pairFromF16(b.input(Type::F16x2));
  } else if (spec.from == Format::F16) {
    NodeId x = b.input(Type::F16x2);
    NodeId lo = b.unpack(0, x), hi = b.unpack(1, x);
    result = pairFromF32(lo, hi);
  } else {
    NodeId lo = b.input(Type::F32), hi = b.input(Type::F32);
    result = pairFromF32(lo, hi);
  }
  return b.finish(result);
}

Program poly::buildLattice(const LatticeSpec &spec) {
  const FormatTraits &to = traits(spec.to);
  assert(spec.steps <= 13 && int(spec.steps) <= to.mantissaBits);
  ProgramInfo info;
  info.function = spec.function;
  info.from = spec.from;
  info.to = spec.to;
  bool bytes = elementBits(spec.to) == 8;
  info.lanes = bytes ? 4 : spec.to == Format::F32 ? 1 : 2;
  info.form = spec.steps == 1 ? "h15" : "lattice" + std::to_string(spec.steps);
  if (spec.clamp == LatticeClamp::Sat)
    info.form += "sat";
  else if (spec.clamp == LatticeClamp::Bare)
    info.form += "bare";
  if (spec.assembly == LatticeAssembly::Mad)
    info.form += "mad";
  info.provenance = "construction, no fitted coefficients";
  double slope = spec.function == Function::Exp ? kLog2E : 1.0;
  // The last argument whose lattice point is a number, half a step early so
  // that no rounding of the constants matters.
  double step = std::ldexp(1.0, -int(spec.steps));
  double largest =
      bytes
          ? std::log2(decode(spec.to, to.infinity - (spec.to != Format::E4M3)))
          : to.maxExponent + 1;
  info.domainHigh = std::floor((largest - step) * 4) / 4 / slope;
  info.saturates = spec.clamp == LatticeClamp::Sat;
  info.weightsOnly = true;
  if (spec.clamp == LatticeClamp::Bare) {
    // An f32, so that a clamp in the source can be exactly it.
    float low = float((to.minExponent - 1) / slope);
    if (low * slope < to.minExponent - 1)
      low = std::nextafterf(low, 0.0f);
    info.domainLow = low;
  }
  info.name = std::string(poly::name(spec.function)) + "-" + info.form + "-";
  if (spec.from != Format::F32 && (bytes || spec.from != spec.to))
    info.name += "f16-";
  else if (spec.from == Format::F32 && spec.to != Format::F32)
    info.name += "f32-";
  info.name += bytes ? std::string(poly::name(spec.to)) + "x4"
               : spec.to == Format::F32
                   ? "f32"
                   : std::string(poly::name(packedType(spec.to)));
  return Builder(spec, std::move(info)).build();
}

Program poly::buildPowerOfTwo(unsigned tail, bool drop) {
  ProgramInfo info;
  info.function = Function::Exp2;
  info.form = "pot" + std::to_string(tail) + (drop ? "drop" : "");
  info.from = info.to = Format::F32;
  info.domainLow = -(tail + 0.5); // Where the tail begins.
  info.domainHigh = 126;
  info.saturates = true;
  info.weightsOnly = true;
  info.provenance = "construction, no fitted coefficients";
  info.name = "exp2-" + info.form + "-f32";
  ProgramBuilder b(std::move(info));
  NodeId x = b.input(Type::F32);
  // NaN goes with the smallest weights.
  NodeId distance =
      b.binary(Op::Min, b.neg(x), b.constant(Type::F32, double(tail) + 1));
  NodeId half = b.binary(Op::AddRm, distance, b.constant(Type::F32, 0.5));
  if (!drop)
    half = b.binary(Op::Min, half, b.constant(Type::F32, double(tail)));
  NodeId d = b.bitcast(
      Type::B32, b.binary(Op::AddRm, half, b.constant(Type::F32, kMagic32)));
  NodeId weight = b.bitcast(
      Type::F32,
      b.ternary(Op::IMad, d, b.constant(Type::B32, -(uint32_t(1) << 23)),
                b.constant(Type::B32, 0x3f800000u)));
  if (drop)
    weight = b.selp(
        b.setp(Op::SetpLt, half, b.constant(Type::F32, double(tail) + 1)),
        weight, b.constant(Type::F32, 0.0));
  return b.finish(weight);
}
