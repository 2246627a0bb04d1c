//===- SoftFloatTest.cpp - Soft floats against the host
//--------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// The host's IEEE f32 arithmetic, and double arithmetic where it is exact or
/// innocuously rounded twice, check the integer arithmetic of the oracles.
///
//===----------------------------------------------------------------------===//

#include "SoftFloat.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace polytest;

namespace {

float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
uint32_t asBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return std::isnan(value) ? 0x7fffffffu : bits;
}

/// Patterns with many special and near-equal exponents.
struct Patterns {
  uint64_t state = 0x9e3779b97f4a7c15ull;
  uint32_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint32_t bits = uint32_t(state >> 16);
    switch (state % 8) {
    case 0: { // Exponents near the middle cancel and align often.
      return (bits & 0x807fffffu) | (120 + bits % 16) << 23;
    }
    case 1: {
      static const uint32_t special[] = {0,          0x80000000, 0x7f800000,
                                         0xff800000, 0x7fc00001, 1,
                                         0x807fffff, 0x00800000, 0x7f7fffff,
                                         0x3f800000, 0xbf800000, 0x33800000};
      return special[bits % 12];
    }
    case 2:
      return bits & 0x80ffffffu; // Subnormal or barely normal.
    default:
      return bits;
    }
  }
};

TEST(SoftFloat, F32ArithmeticEqualsTheHost) {
  Patterns patterns;
  for (unsigned i = 0; i < 2000000; ++i) {
    uint32_t a = patterns.next(), b = patterns.next(), c = patterns.next();
    volatile float x = asFloat(a), y = asFloat(b), z = asFloat(c);
    volatile float sum = x + y, difference = x - y, product = x * y,
                   quotient = x / y;
    ASSERT_EQ(softAdd(kF32, a, b), asBits(sum)) << std::hex << a << ' ' << b;
    ASSERT_EQ(softSub(kF32, a, b), asBits(difference))
        << std::hex << a << ' ' << b;
    ASSERT_EQ(softMul(kF32, a, b), asBits(product))
        << std::hex << a << ' ' << b;
    ASSERT_EQ(softDiv(kF32, a, b), asBits(quotient))
        << std::hex << a << ' ' << b;
    ASSERT_EQ(softFma(kF32, a, b, c), asBits(std::fmaf(x, y, z)))
        << std::hex << a << ' ' << b << ' ' << c;
  }
}

/// A double rounded to a 16-bit format by scaling and nearbyint.
uint32_t roundByScaling(SoftFormat format, double value) {
  if (std::isnan(value))
    return format.nan();
  uint32_t sign = std::signbit(value) ? format.sign() : 0;
  value = std::fabs(value);
  int exponent = 0;
  std::frexp(value, &exponent); // value = m * 2^exponent, m in [1/2, 1).
  int quantum = exponent - 1 - int(format.fractionBits);
  if (value == 0 || quantum < format.minQuantum())
    quantum = format.minQuantum();
  if (std::isinf(value) || exponent > 200)
    return sign | format.infinity();
  double units = std::nearbyint(std::ldexp(value, -quantum));
  double bits = std::ldexp(double(quantum - format.minQuantum()),
                           int(format.fractionBits)) +
                units;
  return sign |
         (bits >= format.infinity() ? format.infinity() : uint32_t(bits));
}

class Narrow : public testing::TestWithParam<SoftFormat> {};

TEST_P(Narrow, ConversionsEqualScaling) {
  SoftFormat format = GetParam();
  Patterns patterns;
  for (unsigned i = 0; i < 1000000; ++i) {
    uint32_t a = patterns.next();
    ASSERT_EQ(softConvert(kF32, format, a), roundByScaling(format, asFloat(a)))
        << std::hex << a;
  }
  // Widening is exact and comes back.
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    uint32_t wide = softConvert(format, kF32, bits);
    if (softIsNaN(format, bits)) {
      ASSERT_EQ(wide, 0x7fffffffu);
    } else {
      ASSERT_EQ(softConvert(kF32, format, wide), bits);
    }
  }
}

TEST_P(Narrow, ArithmeticEqualsScaling) {
  SoftFormat format = GetParam();
  Patterns patterns;
  for (unsigned i = 0; i < 1000000; ++i) {
    uint32_t a = patterns.next() >> 16, b = patterns.next() >> 16;
    uint32_t c = patterns.next() >> 16;
    double x = asFloat(softConvert(format, kF32, a));
    double y = asFloat(softConvert(format, kF32, b));
    double z = asFloat(softConvert(format, kF32, c));
    ASSERT_EQ(softMul(format, a, b), roundByScaling(format, x * y));
    // The double sum is exact unless the exponents are far apart; then leave
    // it out.
    double exact = x * y, sum = exact + z;
    if (sum - exact == z && sum - z == exact) {
      ASSERT_EQ(softFma(format, a, b, c), roundByScaling(format, sum))
          << std::hex << a << ' ' << b << ' ' << c;
    }
    if ((x + y) - x == y && (x + y) - y == x) {
      ASSERT_EQ(softAdd(format, a, b), roundByScaling(format, x + y));
    }
    Order order = softCompare(format, a, b);
    ASSERT_EQ(order == Order::Less, x < y);
    ASSERT_EQ(order == Order::Equal, x == y);
    ASSERT_EQ(order == Order::Greater, x > y);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Narrow, testing::Values(kBF16, kF16),
                         [](const auto &info) {
                           return info.param == kBF16 ? "bf16" : "f16";
                         });

TEST(SoftFloat, OneRoundingWhereTwoDiffer) {
  // In bf16: 1.0078125 * 1.0078125 + 2^-24. Rounded through f32 the product's
  // neighbourhood of a tie loses the addend; exactly it decides the tie.
  uint32_t a = 0x3f88; // 1.0625, squared 1.12890625: a tie in bf16.
  uint32_t tiny = 0x2f80, minusTiny = 0xaf80;
  uint32_t below = softFma(kBF16, a, a, minusTiny);
  uint32_t above = softFma(kBF16, a, a, tiny);
  EXPECT_EQ(below + 1, above);
}

TEST(SoftFloat, RoundingDown) {
  auto bits = [](float value) { return asBits(value); };
  Patterns patterns;
  for (int i = 0; i < 200000; ++i) {
    uint32_t a = patterns.next(), b = patterns.next();
    float x = asFloat(a), y = asFloat(b), sum = x + y;
    uint32_t down = softAddDown(kF32, a, b);
    if (!std::isfinite(sum))
      continue;
    // The nearest sum, or the number below it, and never above the exact sum:
    // a double holds the rounding error.
    float big = std::fabs(x) < std::fabs(y) ? y : x;
    float small = std::fabs(x) < std::fabs(y) ? x : y;
    double error = double(small) - (double(sum) - double(big));
    float expected = error < 0 ? std::nextafterf(sum, -INFINITY) : sum;
    if (expected == 0) {
      ASSERT_EQ(asFloat(down), 0);
    } else {
      ASSERT_EQ(down, bits(expected)) << x << " + " << y;
    }
  }
  EXPECT_EQ(softAddDown(kF32, bits(1), bits(-1)), 0x80000000u);
  EXPECT_EQ(softAddDown(kF32, 0, 0), 0u);
  EXPECT_EQ(softAddDown(kF32, 0x7f7fffff, 0x7f7fffff), 0x7f7fffffu);
  EXPECT_EQ(softAddDown(kF32, 0xff7fffff, 0xff7fffff), 0xff800000u);
  EXPECT_EQ(softAddDown(kF32, 0x7f800000, 0xff800000), 0x7fffffffu);
  for (float x :
       {0.5f, -0.5f, 3.25f, -3.25f, 1e-40f, -1e-40f, 8388609.0f, -2.0f})
    EXPECT_EQ(softFloor(kF32, bits(x)), bits(std::floor(x))) << x;
  EXPECT_EQ(softFloor(kF32, 0x80000000), 0x80000000u);
  EXPECT_EQ(softFloor(kF32, 0xff800000), 0xff800000u);
  EXPECT_EQ(softFloor(kF32, 0xff800001), 0x7fffffffu);
}

TEST(SoftFloat, MinMaxAndSigns) {
  EXPECT_EQ(softMinMax(kF32, 0, 0x80000000, {false, false, false}),
            0x80000000u);
  EXPECT_EQ(softMinMax(kF32, 0x80000000, 0, {true, false, false}), 0u);
  EXPECT_EQ(softMinMax(kBF16, 0xffc0, 0x3f80, {true, false, false}), 0x3f80u);
  EXPECT_EQ(softMinMax(kBF16, 0xffc0, 0x3f80, {true, true, false}), 0x7fffu);
  EXPECT_EQ(softMinMax(kBF16, 0xffc0, 0x7fc1, {true, false, false}), 0x7fffu);
  EXPECT_EQ(softMinMax(kF16, 0xc500, 0xc200, {false, true, true}), 0x4200u);
  EXPECT_EQ(softCopySign(kBF16, 0xbf80, 0x0001), 0x3f80u);
  EXPECT_EQ(softNeg(kF16, 0x7e00), 0xfe00u);
  EXPECT_EQ(softAbs(kF32, 0xffc00000), 0x7fc00000u);
}

TEST(SoftFloat, Clamps) {
  EXPECT_EQ(softFma(kBF16, 0x8000, 0x3f80, 0x8000, Clamp::Relu), 0u);
  EXPECT_EQ(softFma(kBF16, 0x7fc0, 0x3f80, 0, Clamp::Relu), 0x7fffu);
  EXPECT_EQ(softFma(kF16, 0x7e00, 0x3c00, 0, Clamp::Sat), 0u);
  EXPECT_EQ(softAdd(kF16, 0x3c00, 0x0001, Clamp::Sat), 0x3c00u);
}

} // namespace
