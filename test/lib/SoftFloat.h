//===- SoftFloat.h - Integer-only float arithmetic for tests ---*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arithmetic on f32, bf16 and f16 bit patterns in exact 128-bit integers with
/// one rounding at the end. Replay computes in the host's double; the oracles
/// of the tests share none of that code and no host floating point, so a
/// mistake in either shows as a difference.
///
/// Results follow the PTX ISA: round to nearest even, subnormals kept, NaN
/// results are 0x7fffffff (f32) or 0x7fff (16-bit).
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_SOFTFLOAT_H
#define POLY_TEST_LIB_SOFTFLOAT_H

#include <cstdint>

namespace polytest {

/// An IEEE-like binary interchange format with a sign, an all-ones exponent
/// for Inf and NaN, and subnormals.
struct SoftFormat {
  unsigned exponentBits;
  unsigned fractionBits;

  constexpr unsigned width() const { return 1 + exponentBits + fractionBits; }
  constexpr uint32_t sign() const { return 1u << (width() - 1); }
  constexpr uint32_t infinity() const {
    return ((1u << exponentBits) - 1) << fractionBits;
  }
  /// PTX's canonical NaN: every bit but the sign.
  constexpr uint32_t nan() const { return sign() - 1; }
  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  /// Weight of the last fraction bit of a subnormal, as a power of two.
  constexpr int minQuantum() const { return 1 - bias() - int(fractionBits); }
  constexpr uint32_t one() const { return uint32_t(bias()) << fractionBits; }

  bool operator==(const SoftFormat &other) const {
    return exponentBits == other.exponentBits &&
           fractionBits == other.fractionBits;
  }
  bool operator!=(const SoftFormat &other) const { return !(*this == other); }
};

inline constexpr SoftFormat kF32{8, 23};
inline constexpr SoftFormat kBF16{8, 7};
inline constexpr SoftFormat kF16{5, 10};

/// What happens to a result after its rounding.
enum class Clamp : uint8_t {
  None,
  Relu, ///< Negative results and -0 become +0; NaN stays.
  Sat,  ///< Clamp to [0, 1]; NaN becomes +0.
};

bool softIsNaN(SoftFormat format, uint32_t bits);

uint32_t softFma(SoftFormat format, uint32_t a, uint32_t b, uint32_t c,
                 Clamp clamp = Clamp::None);
uint32_t softMul(SoftFormat format, uint32_t a, uint32_t b,
                 Clamp clamp = Clamp::None);
uint32_t softAdd(SoftFormat format, uint32_t a, uint32_t b,
                 Clamp clamp = Clamp::None);
uint32_t softSub(SoftFormat format, uint32_t a, uint32_t b,
                 Clamp clamp = Clamp::None);
/// The sum rounded towards minus infinity; an exact zero of two signs is -0.
uint32_t softAddDown(SoftFormat format, uint32_t a, uint32_t b);
/// The largest integer that is not above the number.
uint32_t softFloor(SoftFormat format, uint32_t a);
uint32_t softDiv(SoftFormat format, uint32_t a, uint32_t b);

/// Flip or clear the sign bit, of a NaN too.
uint32_t softNeg(SoftFormat format, uint32_t a);
uint32_t softAbs(SoftFormat format, uint32_t a);
/// The magnitude of \p magnitude with the sign of \p sign.
uint32_t softCopySign(SoftFormat format, uint32_t magnitude, uint32_t sign);

struct MinMaxOptions {
  bool isMax = false;
  bool propagateNaN = false; ///< .NaN; otherwise the number wins.
  /// .xorsign.abs: the magnitudes are compared; the sign is the exclusive or.
  bool xorSignAbs = false;
};
uint32_t softMinMax(SoftFormat format, uint32_t a, uint32_t b,
                    MinMaxOptions options);

enum class Order : uint8_t { Less, Equal, Greater, Unordered };
Order softCompare(SoftFormat format, uint32_t a, uint32_t b);

/// Rounds (or widens exactly) from one format to another.
uint32_t softConvert(SoftFormat from, SoftFormat to, uint32_t bits,
                     Clamp clamp = Clamp::None);

} // namespace polytest

#endif // POLY_TEST_LIB_SOFTFLOAT_H
