//===- Formats.cpp - Conversions between float formats --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Formats.h"

#include "FormatsImpl.h"

#include <algorithm>
#include <cmath>

using namespace poly;
using namespace poly::detail;

const FormatTraits &poly::traits(Format format) {
  static const FormatTraits f32 = {23,          8,           -126,       127,
                                   0x80000000u, 0x7f800000u, 0x7fffffffu};
  static const FormatTraits bf16 = {7, 8, -126, 127, 0x8000u, 0x7f80u, 0x7fffu};
  static const FormatTraits f16 = {10, 5, -14, 15, 0x8000u, 0x7c00u, 0x7fffu};
  // The largest finite e4m3 number stands where others have their infinity.
  static const FormatTraits e4m3 = {3, 4, -6, 8, 0x80u, 0x7eu, 0x7fu};
  static const FormatTraits e5m2 = {2, 5, -14, 15, 0x80u, 0x7cu, 0x7fu};
  switch (format) {
  case Format::F32:
    return f32;
  case Format::BF16:
    return bf16;
  case Format::F16:
    return f16;
  case Format::E4M3:
    return e4m3;
  case Format::E5M2:
    return e5m2;
  }
  return f32;
}

static double decode8(Format format, uint32_t bits) {
  const FormatTraits &t = traits(format);
  uint32_t magnitude = bits & 0x7fu;
  double sign = (bits & 0x80u) ? -1 : 1;
  if (poly::isNaN(format, bits))
    return std::nan("");
  if (poly::isInf(format, bits))
    return sign * HUGE_VAL;
  int exponent = int(magnitude >> t.mantissaBits);
  uint32_t mantissa = magnitude & ((1u << t.mantissaBits) - 1);
  if (exponent > 0)
    mantissa |= 1u << t.mantissaBits;
  int scale =
      t.minExponent - t.mantissaBits + (exponent > 0 ? exponent - 1 : 0);
  return sign * std::ldexp(mantissa, scale);
}

/// Rounds as cvt.rn.satfinite does: overflow and Inf give the largest number.
static uint32_t encode8(Format format, double value) {
  const FormatTraits &t = traits(format);
  if (std::isnan(value))
    return t.canonicalNaN;
  uint32_t sign = std::signbit(value) ? 0x80u : 0;
  uint32_t largest = format == Format::E4M3 ? 0x7eu : t.infinity - 1;
  double magnitude = std::fabs(value);
  if (std::isinf(value))
    return sign | largest;
  // Counted in the spacing at the value; a carry moves to the next binade.
  int exponent = magnitude > 0 ? std::ilogb(magnitude) : t.minExponent;
  exponent = std::max(exponent, t.minExponent);
  double quanta =
      std::nearbyint(std::ldexp(magnitude, t.mantissaBits - exponent));
  double pattern =
      std::ldexp(double(exponent - t.minExponent), t.mantissaBits) + quanta;
  return sign | uint32_t(std::min(pattern, double(largest)));
}

double poly::decode(Format format, uint32_t bits) {
  switch (format) {
  case Format::F32:
    return asFloat(bits);
  case Format::BF16:
    return decode16<BF16>(bits);
  case Format::F16:
    return decode16<F16>(bits);
  case Format::E4M3:
  case Format::E5M2:
    return decode8(format, bits);
  }
  return 0;
}

uint32_t poly::encode(Format format, double value) {
  switch (format) {
  case Format::F32:
    return fromFloat(static_cast<float>(value));
  case Format::BF16:
    return encode16<BF16>(value);
  case Format::F16:
    return encode16<F16>(value);
  case Format::E4M3:
  case Format::E5M2:
    return encode8(format, value);
  }
  return 0;
}

uint32_t poly::encodeSum(Format format, double high, double low) {
  return encode(format, roundToOdd(high, low));
}

bool poly::isNaN(Format format, uint32_t bits) {
  const FormatTraits &t = traits(format);
  return (bits & (t.signMask - 1)) > t.infinity;
}

bool poly::isInf(Format format, uint32_t bits) {
  const FormatTraits &t = traits(format);
  return format != Format::E4M3 && (bits & (t.signMask - 1)) == t.infinity;
}

double poly::ulp(Format format, double value) {
  const FormatTraits &t = traits(format);
  int exponent = t.minExponent;
  if (!std::isfinite(value))
    exponent = t.maxExponent;
  else if (value != 0)
    exponent = std::ilogb(value);
  if (exponent < t.minExponent)
    exponent = t.minExponent;
  if (exponent > t.maxExponent)
    exponent = t.maxExponent;
  return std::ldexp(1.0, exponent - t.mantissaBits);
}
