//===- FormatsImpl.h - Inline conversions between formats -------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inline versions of the conversions in Formats.h for inner loops. A 16-bit
/// format is a type with its layout as constants, so that loops over lanes
/// compile to straight code.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_PROGRAM_FORMATSIMPL_H
#define POLY_LIB_PROGRAM_FORMATSIMPL_H

#include <cstdint>
#include <cstring>

namespace poly::detail {

template <typename To, typename From>
inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "sizes must match");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

constexpr uint32_t kCanonicalNaN32 = 0x7fffffffu;
constexpr uint32_t kCanonicalNaN16 = 0x7fffu;

inline float asFloat(uint32_t bits) { return bitCast<float>(bits); }
inline bool isNaN32(uint32_t bits) {
  return (bits & 0x7fffffffu) > 0x7f800000u;
}

/// The bits of an f32 result, with PTX's canonical NaN.
inline uint32_t fromFloat(float value) {
  return value == value ? bitCast<uint32_t>(value) : kCanonicalNaN32;
}

struct BF16 {
  static constexpr int mantissaBits = 7;
  static constexpr int bias = 127;
  static constexpr uint32_t infinity = 0x7f80;

  static double decode(uint32_t bits) {
    return bitCast<float>((bits & 0xffffu) << 16);
  }
};

struct F16 {
  static constexpr int mantissaBits = 10;
  static constexpr int bias = 15;
  static constexpr uint32_t infinity = 0x7c00;

  static double decode(uint32_t bits) {
    uint32_t sign = (bits & 0x8000u) << 16;
    uint32_t magnitude = (bits & 0x7fffu) << 13;
    if (magnitude >= infinity << 13) // Inf and NaN keep their payload.
      return bitCast<float>(sign | 0x7f800000u | magnitude);
    // Read as f32 the exponent is too small by 127 - 15; the product is exact,
    // subnormals included.
    return bitCast<float>(sign | magnitude) * 0x1p112f;
  }
};

/// Rounds to nearest even once. The subnormal branch adds the power of two
/// whose double spacing is the format's subnormal spacing, so that the addition
/// rounds and its low bits are the result.
template <typename Layout>
inline uint32_t encode16(double value) {
  constexpr int shift = 52 - Layout::mantissaBits;
  constexpr int minExponent = 1 - Layout::bias;
  constexpr uint64_t minNormal = uint64_t(1023 + minExponent) << 52;
  constexpr uint64_t magic =
      uint64_t(1023 + minExponent - Layout::mantissaBits + 52) << 52;
  constexpr uint64_t rebias = uint64_t(1023 - Layout::bias)
                              << Layout::mantissaBits;

  uint64_t bits = bitCast<uint64_t>(value);
  uint32_t sign = uint32_t(bits >> 48) & 0x8000u;
  bits &= ~(uint64_t(1) << 63);
  if (bits >= minNormal) {
    if (bits > uint64_t(0x7ff) << 52)
      return kCanonicalNaN16;
    bits += ((uint64_t(1) << (shift - 1)) - 1) + ((bits >> shift) & 1);
    uint64_t result = (bits >> shift) - rebias;
    return sign |
           uint32_t(result < Layout::infinity ? result : Layout::infinity);
  }
  double sum = bitCast<double>(bits) + bitCast<double>(magic);
  return sign | uint32_t(bitCast<uint64_t>(sum) - magic);
}

/// Rounds high + low to odd in double: exact when low is 0, else truncated with
/// the last bit set. Rounding that to at most 51 bits is rounding the exact
/// sum, because no tie and no exact value can be mistaken.
inline double roundToOdd(double high, double low) {
  uint64_t bits = bitCast<uint64_t>(high);
  bool finite = ((bits >> 52) & 0x7ff) != 0x7ff;
  if (low != 0 && finite && (bits & 1) == 0) {
    // The truncation of the sum is high itself or the double before it.
    bool sameSign = ((bits ^ bitCast<uint64_t>(low)) >> 63) == 0;
    bits = sameSign ? bits | 1 : bits - 1;
  }
  return bitCast<double>(bits);
}

/// a * b + c with one rounding. The product of two 16-bit numbers has at most
/// 22 bits and an exponent well inside double's, so it is exact; the two-sum
/// gives the exact error of the addition. A plain double addition would round
/// twice.
template <typename Layout>
inline double fmaToOdd(uint32_t a, uint32_t b, uint32_t c) {
  double product = Layout::decode(a) * Layout::decode(b);
  double addend = Layout::decode(c);
  double high = product + addend;
  double part = high - product;
  double low = (product - (high - part)) + (addend - part);
  return roundToOdd(high, low);
}

} // namespace poly::detail

#endif // POLY_LIB_PROGRAM_FORMATSIMPL_H
