//===- SfuModel.cpp - Model of the special function unit ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/SfuModel.h"

#include "FormatsImpl.h"

#include "poly/Program/Formats.h"

#include <algorithm>
#include <cmath>

using namespace poly;
using namespace poly::detail;

// The functions below are evaluated in double and rounded once to the result
// format. Double libm results are within one double ulp, so they differ from
// the correctly rounded result only where the real value lies within 2^-29 of
// an f32 spacing from a tie.

namespace {

constexpr uint32_t kSignMask32 = 0x80000000u;

/// 2^-20.5 (PTX ISA, sin and cos, for arguments in [-2 pi, 2 pi]).
constexpr double kTrigonometricError = 6.74349576e-7;

uint32_t flushF32(uint32_t bits) {
  return (bits & 0x7f800000u) == 0 ? bits & kSignMask32 : bits;
}

uint32_t flushBF16(uint32_t bits) {
  return (bits & BF16::infinity) == 0 ? bits & 0x8000u : bits;
}

} // namespace

uint32_t poly::sfu::ex2F32(uint32_t bits, bool ftz) {
  if (ftz)
    bits = flushF32(bits);
  uint32_t result =
      fromFloat(static_cast<float>(std::exp2(double(asFloat(bits)))));
  return ftz ? flushF32(result) : result;
}

uint32_t poly::sfu::rcpF32(uint32_t bits, bool ftz) {
  if (ftz)
    bits = flushF32(bits);
  // A double quotient has more than twice f32's precision, so rounding it again
  // is innocuous.
  uint32_t result = fromFloat(static_cast<float>(1.0 / double(asFloat(bits))));
  return ftz ? flushF32(result) : result;
}

uint32_t poly::sfu::tanhF32(uint32_t bits) {
  return fromFloat(static_cast<float>(std::tanh(double(asFloat(bits)))));
}

uint32_t poly::sfu::sinF32(uint32_t bits) {
  return fromFloat(static_cast<float>(std::sin(double(asFloat(bits)))));
}

uint32_t poly::sfu::cosF32(uint32_t bits) {
  return fromFloat(static_cast<float>(std::cos(double(asFloat(bits)))));
}

uint16_t poly::sfu::tanhBF16(uint16_t bits) {
  return uint16_t(encode16<BF16>(std::tanh(decode16<BF16>(bits))));
}

uint16_t poly::sfu::tanhF16(uint16_t bits) {
  return uint16_t(encode16<F16>(std::tanh(decode16<F16>(bits))));
}

uint16_t poly::sfu::ex2BF16(uint16_t bits) {
  double value = decode16<BF16>(flushBF16(bits));
  return uint16_t(flushBF16(encode16<BF16>(std::exp2(value))));
}

uint16_t poly::sfu::ex2F16(uint16_t bits) {
  return uint16_t(encode16<F16>(std::exp2(decode16<F16>(bits))));
}

/// Moves a finite nonzero magnitude \p steps ulps away from zero, up to
/// \p limit.
static uint32_t moveMagnitude(Format format, uint32_t bits, int steps,
                              uint32_t limit) {
  const FormatTraits &t = traits(format);
  uint32_t sign = bits & t.signMask, magnitude = bits & ~t.signMask;
  if (magnitude == 0 || magnitude >= t.infinity)
    return bits;
  int64_t moved = int64_t(magnitude) + steps;
  moved = std::min<int64_t>(std::max<int64_t>(moved, 0), limit);
  return sign | uint32_t(moved);
}

uint32_t poly::sfu::deviate(const Node &node, uint32_t bits,
                            const Deviation &deviation) {
  if (node.op == Op::SinApprox || node.op == Op::CosApprox) {
    double value = asFloat(bits);
    // The sine of zero alone is zero.
    if (deviation.trig == 0 || value == 0 || std::isnan(value))
      return bits;
    return fromFloat(
        static_cast<float>(value + deviation.trig * kTrigonometricError));
  }
  bool isTanh = node.op == Op::TanhApprox;
  bool isEx2 = node.op == Op::Ex2Approx || node.op == Op::Ex2ApproxFtz;
  int direction = isTanh  ? deviation.tanh
                  : isEx2 ? deviation.ex2
                          : deviation.rcp;
  if (direction == 0)
    return bits;
  Format format = elementFormat(node.type);
  const FormatTraits &t = traits(format);
  // 1/x rounds to a power of two only where x is one.
  if (!isTanh && !isEx2 && (bits & 0x007fffffu) == 0)
    return bits;
  uint32_t limit = isTanh ? encode(format, 1.0) : t.infinity - 1;
  if (format == Format::F32) {
    // 2^-11 of a number with 24 significant bits is at most 2^13 ulp.
    int bound = isTanh ? 1 << 13 : isEx2 ? 2 : 1;
    return moveMagnitude(format, bits, direction * bound, limit);
  }
  return moveMagnitude(format, bits & 0xffffu, direction, limit) |
         moveMagnitude(format, bits >> 16, direction, limit) << 16;
}
