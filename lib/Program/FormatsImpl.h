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
};

struct F16 {
  static constexpr int mantissaBits = 10;
  static constexpr int bias = 15;
  static constexpr uint32_t infinity = 0x7c00;
};

/// The value of a 16-bit pattern; a NaN keeps its payload.
template <typename Layout>
inline double decode16(uint32_t bits);

template <>
inline double decode16<BF16>(uint32_t bits) {
  return asFloat((bits & 0xffffu) << 16);
}

template <>
inline double decode16<F16>(uint32_t bits) {
  // Read as f32 the exponent is too small by 127 - 15. The product is exact,
  // subnormals included, and leaves the sign of zero alone.
  uint32_t magnitude = bits & 0x7fffu;
  uint32_t infinity = magnitude >= F16::infinity ? 0xffu << 23 : 0;
  float scaled = asFloat(magnitude << 13) * 0x1p112f;
  return asFloat(bitCast<uint32_t>(scaled) | infinity | (bits & 0x8000u) << 16);
}

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
  uint64_t finite = ((bits >> 52) & 0x7ff) != 0x7ff;
  uint64_t inexact = low != 0;
  // An even last bit becomes odd in the direction of the rest: the truncation
  // of the sum is high itself or the double before it. No branch, because half
  // of all sums come here.
  uint64_t otherSign = (bits ^ bitCast<uint64_t>(low)) >> 63;
  uint64_t step = 1 - 2 * otherSign;
  bits += step & -(finite & inexact & (~bits & 1));
  return bitCast<double>(bits);
}

/// a * b + c with one rounding. The product of two 16-bit numbers has at most
/// 22 bits and an exponent well inside double's, so it is exact, and the double
/// addition is the only rounding before the final one. Rounding twice is wrong
/// only where the double sum is inexact and a tie; there, and for subnormal
/// results, the exact error of the addition decides.
template <typename Layout>
inline uint32_t fma16(uint32_t a, uint32_t b, uint32_t c) {
  constexpr int shift = 52 - Layout::mantissaBits;
  constexpr uint64_t minNormal = uint64_t(1024 - Layout::bias) << 52;
  double product = decode16<Layout>(a) * decode16<Layout>(b);
  double addend = decode16<Layout>(c);
  double high = product + addend;
  uint64_t bits = bitCast<uint64_t>(high);
  bool tie = (bits << (64 - shift)) == uint64_t(1) << 63;
  if (tie || (bits & ~(uint64_t(1) << 63)) < minNormal) {
    double part = high - product;
    high = roundToOdd(high, (product - (high - part)) + (addend - part));
  }
  return encode16<Layout>(high);
}

} // namespace poly::detail

#endif // POLY_LIB_PROGRAM_FORMATSIMPL_H
