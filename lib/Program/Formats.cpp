//===- Formats.cpp - Conversions between float formats --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Formats.h"

#include "FormatsImpl.h"

#include <cmath>

using namespace poly;
using namespace poly::detail;

const FormatTraits &poly::traits(Format format) {
  static const FormatTraits f32 = {23,          8,           -126,       127,
                                   0x80000000u, 0x7f800000u, 0x7fffffffu};
  static const FormatTraits bf16 = {7, 8, -126, 127, 0x8000u, 0x7f80u, 0x7fffu};
  static const FormatTraits f16 = {10, 5, -14, 15, 0x8000u, 0x7c00u, 0x7fffu};
  switch (format) {
  case Format::F32:
    return f32;
  case Format::BF16:
    return bf16;
  case Format::F16:
    return f16;
  }
  return f32;
}

double poly::decode(Format format, uint32_t bits) {
  switch (format) {
  case Format::F32:
    return asFloat(bits);
  case Format::BF16:
    return decode16<BF16>(bits);
  case Format::F16:
    return decode16<F16>(bits);
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
  return (bits & (t.signMask - 1)) == t.infinity;
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
