//===- SoftFloat.cpp - Integer-only float arithmetic for tests ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftFloat.h"

namespace polytest {
namespace {

__extension__ typedef unsigned __int128 Wide;

enum class Class : uint8_t { Zero, Finite, Inf, NaN };

/// sign * magnitude * 2^exponent. A finite nonzero number keeps its leading
/// one at bit 63, so that two numbers align by their exponents alone.
struct Unpacked {
  Class kind = Class::Zero;
  bool negative = false;
  uint64_t magnitude = 0;
  int exponent = 0;
};

Unpacked unpack(SoftFormat format, uint32_t bits) {
  Unpacked result;
  result.negative = bits & format.sign();
  uint32_t fraction = bits & ((1u << format.fractionBits) - 1);
  uint32_t biased = (bits & ~format.sign()) >> format.fractionBits;
  uint32_t allOnes = (1u << format.exponentBits) - 1;
  if (biased == allOnes) {
    result.kind = fraction ? Class::NaN : Class::Inf;
    return result;
  }
  if (biased == 0 && fraction == 0)
    return result;
  result.kind = Class::Finite;
  result.magnitude =
      biased ? (fraction | (1u << format.fractionBits)) : fraction;
  result.exponent = format.minQuantum() + (biased ? int(biased) - 1 : 0);
  int lead = __builtin_clzll(result.magnitude);
  result.magnitude <<= lead;
  result.exponent -= lead;
  return result;
}

int bitLength(Wide value) {
  uint64_t high = uint64_t(value >> 64), low = uint64_t(value);
  if (high)
    return 128 - __builtin_clzll(high);
  return low ? 64 - __builtin_clzll(low) : 0;
}

enum class Rounding { Nearest, Down };

/// The one rounding: value * 2^exponent to nearest, ties to even, or towards
/// minus infinity. The lowest bit of \p value may stand for "something more
/// below".
uint32_t round(SoftFormat format, bool negative, Wide value, int exponent,
               Rounding rounding = Rounding::Nearest) {
  uint32_t sign = negative ? format.sign() : 0;
  if (value == 0)
    return sign;
  // The quantum of the result: that of its binade, or the subnormal one.
  int quantum = exponent + bitLength(value) - 1 - int(format.fractionBits);
  if (quantum < format.minQuantum())
    quantum = format.minQuantum();
  int drop = quantum - exponent;
  uint64_t kept;
  if (drop <= 0) {
    kept = uint64_t(value << -drop);
  } else if (drop > 127) {
    // Below half of the smallest subnormal.
    kept = rounding == Rounding::Down && negative;
  } else {
    Wide half = Wide(1) << (drop - 1);
    Wide rest = value & ((half << 1) - 1);
    kept = uint64_t(value >> drop);
    bool up = rest > half || (rest == half && (kept & 1));
    if (rounding == Rounding::Down)
      up = negative && rest != 0;
    if (up)
      ++kept;
  }
  // Adding (not or-ing) the fraction carries into the exponent when the
  // rounding reached the next binade, up to infinity.
  uint32_t binade = uint32_t(quantum - format.minQuantum());
  uint64_t bits = (uint64_t(binade) << format.fractionBits) + kept;
  if (bits >= format.infinity())
    bits = format.infinity() - (rounding == Rounding::Down && !negative);
  return sign | uint32_t(bits);
}

/// a + b where either may be zero; magnitudes carry at most 48 significant
/// bits, so bits below 2^16 of an aligned operand are free for a sticky bit.
uint32_t addFinite(SoftFormat format, Unpacked a, Unpacked b,
                   Rounding rounding = Rounding::Nearest) {
  bool down = rounding == Rounding::Down;
  if (a.kind == Class::Zero && b.kind == Class::Zero) {
    bool negative = down ? a.negative || b.negative : a.negative && b.negative;
    return negative ? format.sign() : 0;
  }
  if (a.kind == Class::Zero)
    return round(format, b.negative, b.magnitude, b.exponent, rounding);
  if (b.kind == Class::Zero)
    return round(format, a.negative, a.magnitude, a.exponent, rounding);
  if (a.exponent < b.exponent) {
    Unpacked swap = a;
    a = b;
    b = swap;
  }
  int distance = a.exponent - b.exponent;
  Wide high, low;
  int exponent;
  if (distance <= 62) {
    high = Wide(a.magnitude) << distance;
    low = b.magnitude;
    exponent = b.exponent;
  } else {
    // b is under two units of a's last place, of which the lowest sixteen are
    // zero bits: only its sign matters.
    high = Wide(a.magnitude) << 2;
    low = 1;
    exponent = a.exponent - 2;
  }
  if (a.negative == b.negative)
    return round(format, a.negative, high + low, exponent, rounding);
  if (high == low) // Exact cancellation is +0 when rounding to nearest.
    return down ? format.sign() : 0;
  return high > low ? round(format, a.negative, high - low, exponent, rounding)
                    : round(format, b.negative, low - high, exponent, rounding);
}

Unpacked multiply(const Unpacked &a, const Unpacked &b) {
  Unpacked product;
  product.negative = a.negative != b.negative;
  if (a.kind == Class::NaN || b.kind == Class::NaN) {
    product.kind = Class::NaN;
  } else if (a.kind == Class::Inf || b.kind == Class::Inf) {
    bool zero = a.kind == Class::Zero || b.kind == Class::Zero;
    product.kind = zero ? Class::NaN : Class::Inf;
  } else if (a.kind == Class::Finite && b.kind == Class::Finite) {
    // At most 24 bits each, at the top of the word: the product of the upper
    // halves is exact.
    uint64_t wide = (a.magnitude >> 32) * (b.magnitude >> 32);
    int lead = __builtin_clzll(wide);
    product.kind = Class::Finite;
    product.magnitude = wide << lead;
    product.exponent = a.exponent + b.exponent + 64 - lead;
  }
  return product;
}

uint32_t sum(SoftFormat format, const Unpacked &a, const Unpacked &b,
             Rounding rounding = Rounding::Nearest) {
  if (a.kind == Class::NaN || b.kind == Class::NaN)
    return format.nan();
  if (a.kind == Class::Inf && b.kind == Class::Inf && a.negative != b.negative)
    return format.nan();
  if (a.kind == Class::Inf || b.kind == Class::Inf) {
    bool negative = a.kind == Class::Inf ? a.negative : b.negative;
    return format.infinity() | (negative ? format.sign() : 0);
  }
  return addFinite(format, a, b, rounding);
}

uint32_t applyClamp(SoftFormat format, uint32_t bits, Clamp clamp) {
  if (clamp == Clamp::None)
    return bits;
  if (softIsNaN(format, bits))
    return clamp == Clamp::Sat ? 0 : format.nan();
  if (bits & format.sign())
    return 0;
  // Positive patterns are ordered like their numbers.
  if (clamp == Clamp::Sat && bits > format.one())
    return format.one();
  return bits;
}

/// A key that orders patterns like numbers, -0 below +0.
int64_t orderKey(SoftFormat format, uint32_t bits) {
  int64_t magnitude = bits & ~format.sign();
  return bits & format.sign() ? -1 - magnitude : magnitude;
}

} // namespace

bool softIsNaN(SoftFormat format, uint32_t bits) {
  return (bits & ~format.sign()) > format.infinity();
}

uint32_t softFma(SoftFormat format, uint32_t a, uint32_t b, uint32_t c,
                 Clamp clamp) {
  Unpacked product = multiply(unpack(format, a), unpack(format, b));
  return applyClamp(format, sum(format, product, unpack(format, c)), clamp);
}

uint32_t softMul(SoftFormat format, uint32_t a, uint32_t b, Clamp clamp) {
  Unpacked product = multiply(unpack(format, a), unpack(format, b));
  uint32_t sign = product.negative ? format.sign() : 0;
  uint32_t result = format.nan();
  if (product.kind == Class::Zero)
    result = sign;
  else if (product.kind == Class::Inf)
    result = sign | format.infinity();
  else if (product.kind == Class::Finite)
    result =
        round(format, product.negative, product.magnitude, product.exponent);
  return applyClamp(format, result, clamp);
}

uint32_t softAdd(SoftFormat format, uint32_t a, uint32_t b, Clamp clamp) {
  return applyClamp(format, sum(format, unpack(format, a), unpack(format, b)),
                    clamp);
}

uint32_t softSub(SoftFormat format, uint32_t a, uint32_t b, Clamp clamp) {
  return softAdd(format, a, b ^ format.sign(), clamp);
}

uint32_t softAddDown(SoftFormat format, uint32_t a, uint32_t b) {
  return sum(format, unpack(format, a), unpack(format, b), Rounding::Down);
}

uint32_t softFloor(SoftFormat format, uint32_t a) {
  Unpacked value = unpack(format, a);
  if (value.kind == Class::NaN)
    return format.nan();
  if (value.kind != Class::Finite || value.exponent >= 0)
    return a;
  // The leading one is bit 63: further down there is no integer part.
  unsigned down = unsigned(-value.exponent);
  uint64_t whole = down < 64 ? value.magnitude >> down : 0;
  uint64_t rest = down < 64 ? value.magnitude << (64 - down) : 1;
  return round(format, value.negative, whole + (value.negative && rest), 0);
}

uint32_t softDiv(SoftFormat format, uint32_t a, uint32_t b) {
  Unpacked n = unpack(format, a), d = unpack(format, b);
  bool negative = n.negative != d.negative;
  uint32_t sign = negative ? format.sign() : 0;
  if (n.kind == Class::NaN || d.kind == Class::NaN ||
      (n.kind == d.kind && n.kind != Class::Finite))
    return format.nan();
  if (n.kind == Class::Inf || d.kind == Class::Zero)
    return sign | format.infinity();
  if (n.kind == Class::Zero || d.kind == Class::Inf)
    return sign;
  Wide numerator = Wide(n.magnitude) << 63;
  Wide quotient = (numerator / d.magnitude) << 1;
  if (numerator % d.magnitude != 0)
    quotient |= 1;
  return round(format, negative, quotient, n.exponent - d.exponent - 64);
}

uint32_t softNeg(SoftFormat format, uint32_t a) { return a ^ format.sign(); }

uint32_t softAbs(SoftFormat format, uint32_t a) { return a & ~format.sign(); }

uint32_t softCopySign(SoftFormat format, uint32_t magnitude, uint32_t sign) {
  return (magnitude & ~format.sign()) | (sign & format.sign());
}

uint32_t softMinMax(SoftFormat format, uint32_t a, uint32_t b,
                    MinMaxOptions options) {
  uint32_t resultSign = 0;
  if (options.xorSignAbs) {
    resultSign = (a ^ b) & format.sign();
    a = softAbs(format, a);
    b = softAbs(format, b);
  }
  bool nanA = softIsNaN(format, a), nanB = softIsNaN(format, b);
  if ((nanA && nanB) || (options.propagateNaN && (nanA || nanB)))
    return format.nan();
  uint32_t chosen;
  if (nanA || nanB)
    chosen = nanA ? b : a;
  else if ((orderKey(format, a) < orderKey(format, b)) != options.isMax)
    chosen = a;
  else
    chosen = b;
  return options.xorSignAbs ? chosen | resultSign : chosen;
}

Order softCompare(SoftFormat format, uint32_t a, uint32_t b) {
  if (softIsNaN(format, a) || softIsNaN(format, b))
    return Order::Unordered;
  if (((a | b) & ~format.sign()) == 0)
    return Order::Equal; // Both are zeros.
  int64_t left = orderKey(format, a), right = orderKey(format, b);
  return left < right    ? Order::Less
         : left == right ? Order::Equal
                         : Order::Greater;
}

uint32_t softConvert(SoftFormat from, SoftFormat to, uint32_t bits,
                     Clamp clamp) {
  Unpacked value = unpack(from, bits);
  uint32_t sign = value.negative ? to.sign() : 0;
  uint32_t result = to.nan();
  if (value.kind == Class::Zero)
    result = sign;
  else if (value.kind == Class::Inf)
    result = sign | to.infinity();
  else if (value.kind == Class::Finite)
    result = round(to, value.negative, value.magnitude, value.exponent);
  return applyClamp(to, result, clamp);
}

} // namespace polytest
