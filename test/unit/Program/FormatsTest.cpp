//===- FormatsTest.cpp - Conversions between float formats ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Formats.h"

#include "Oracle.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace poly;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

class Narrow : public testing::TestWithParam<Format> {};

INSTANTIATE_TEST_SUITE_P(Formats, Narrow,
                         testing::Values(Format::BF16, Format::F16),
                         [](const auto &info) {
                           return std::string(name(info.param));
                         });

TEST_P(Narrow, DecodeAndEncodeRoundTripAllPatterns) {
  Format format = GetParam();
  uint32_t infinity = traits(format).infinity;
  for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
    double value = decode(format, bits);
    bool nan = (bits & 0x7fffu) > infinity;
    EXPECT_EQ(isNaN(format, bits), nan);
    EXPECT_EQ(isInf(format, bits), (bits & 0x7fffu) == infinity);
    if (nan) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_EQ(encode(format, value), 0x7fffu);
      continue;
    }
    ASSERT_EQ(value, oracle::decode(format, bits)) << std::hex << bits;
    ASSERT_EQ(std::signbit(value), bits >> 15);
    ASSERT_EQ(encode(format, value), bits);
  }
}

// Every boundary between two neighbours: the midpoint goes to the even one, the
// next double on either side to the nearer one. That is all of rounding.
TEST_P(Narrow, EncodeRoundsEveryBoundaryToNearestEven) {
  Format format = GetParam();
  uint32_t infinity = traits(format).infinity;
  for (uint32_t bits = 0; bits < infinity; ++bits) {
    double low = oracle::decode(format, bits);
    double high = bits + 1 == infinity
                      ? std::ldexp(1.0, traits(format).maxExponent + 1)
                      : oracle::decode(format, bits + 1);
    double middle = (low + high) / 2;
    uint32_t even = bits + (bits & 1);
    for (uint32_t sign : {0u, 0x8000u}) {
      double s = sign ? -1 : 1;
      ASSERT_EQ(encode(format, s * middle), sign | even) << std::hex << bits;
      ASSERT_EQ(encode(format, s * std::nextafter(middle, 0)), sign | bits);
      ASSERT_EQ(encode(format, s * std::nextafter(middle, kInf)),
                sign | (bits + 1));
      // The same boundary as an exact sum beyond double's precision.
      if (middle > 0) {
        double tiny = std::ldexp(middle, -60);
        ASSERT_EQ(encodeSum(format, s * middle, 0), sign | even);
        ASSERT_EQ(encodeSum(format, s * middle, s * tiny), sign | (bits + 1));
        ASSERT_EQ(encodeSum(format, s * middle, -s * tiny), sign | bits);
      }
    }
  }
}

TEST(Formats, EncodeAtTheEnds) {
  EXPECT_EQ(encode(Format::BF16, kInf), 0x7f80u);
  EXPECT_EQ(encode(Format::BF16, -kInf), 0xff80u);
  EXPECT_EQ(encode(Format::BF16, 1e300), 0x7f80u);
  EXPECT_EQ(encode(Format::BF16, -1e-300), 0x8000u);
  EXPECT_EQ(encode(Format::F16, 65504), 0x7bffu);
  EXPECT_EQ(encode(Format::F16, 65519.99), 0x7bffu);
  EXPECT_EQ(encode(Format::F16, 65520), 0x7c00u);
  EXPECT_EQ(encode(Format::F16, 0x1p-24), 1u);
  EXPECT_EQ(encode(Format::F16, 0x1p-25), 0u);
  EXPECT_EQ(encode(Format::F16, 0x1.8p-25), 1u);
  EXPECT_EQ(encode(Format::F32, std::nan("")), 0x7fffffffu);
  EXPECT_EQ(encode(Format::F32, -std::nan("")), 0x7fffffffu);
  EXPECT_EQ(encode(Format::F32, 1.0), 0x3f800000u);
  EXPECT_EQ(encode(Format::F32, 0x1p-149), 1u);
  EXPECT_EQ(encode(Format::F32, -0.0), 0x80000000u);
}

TEST(Formats, EncodeSumKeepsSpecialValues) {
  EXPECT_EQ(encodeSum(Format::BF16, kInf, std::nan("")), 0x7f80u);
  EXPECT_EQ(encodeSum(Format::BF16, -0.0, 0.0), 0x8000u);
  EXPECT_EQ(encodeSum(Format::F16, std::nan(""), 1.0), 0x7fffu);
  // A tie of f32 that only the low part breaks.
  EXPECT_EQ(encodeSum(Format::F32, 1 + 0x1p-24, 0), 0x3f800000u);
  EXPECT_EQ(encodeSum(Format::F32, 1 + 0x1p-24, 0x1p-80), 0x3f800001u);
}

TEST(Formats, Ulp) {
  EXPECT_EQ(ulp(Format::BF16, 1.0), 0x1p-7);
  EXPECT_EQ(ulp(Format::BF16, 1.99), 0x1p-7);
  EXPECT_EQ(ulp(Format::BF16, -2.0), 0x1p-6);
  EXPECT_EQ(ulp(Format::BF16, 0.0), 0x1p-133);
  EXPECT_EQ(ulp(Format::BF16, 0x1p-130), 0x1p-133);
  EXPECT_EQ(ulp(Format::F16, 0.75), 0x1p-11);
  EXPECT_EQ(ulp(Format::F16, 0x1p-14), 0x1p-24);
  EXPECT_EQ(ulp(Format::F16, 1e9), 32.0);
  EXPECT_EQ(ulp(Format::F32, 1.0), 0x1p-23);
  EXPECT_EQ(ulp(Format::F32, kInf), 0x1p104);
}

// The 8-bit formats: every pattern, every midpoint, saturation.
TEST(Formats, EightBits) {
  for (Format format : {Format::E4M3, Format::E5M2}) {
    SCOPED_TRACE(std::string(name(format)));
    uint32_t largest = format == Format::E4M3 ? 0x7e : 0x7b;
    EXPECT_EQ(decode(format, largest), format == Format::E4M3 ? 448 : 57344);
    EXPECT_EQ(decode(format, 1), format == Format::E4M3 ? 0x1p-9 : 0x1p-16);
    EXPECT_EQ(decode(format, uint32_t(1 - traits(format).minExponent)
                                 << traits(format).mantissaBits),
              1.0);
    for (uint32_t bits = 0; bits < largest; ++bits) {
      double low = decode(format, bits), high = decode(format, bits + 1);
      ASSERT_LT(low, high);
      ASSERT_EQ(encode(format, low), bits);
      ASSERT_EQ(encode(format, -low), bits | 0x80);
      double middle = (low + high) / 2;
      ASSERT_EQ(encode(format, middle), bits + (bits & 1)) << middle;
      ASSERT_EQ(encode(format, std::nextafter(middle, low)), bits);
      ASSERT_EQ(encode(format, std::nextafter(middle, high)), bits + 1);
    }
    for (double huge : {1e6, double(INFINITY)}) {
      EXPECT_EQ(encode(format, huge), largest);
      EXPECT_EQ(encode(format, -huge), largest | 0x80);
    }
    EXPECT_EQ(encode(format, std::nan("")), 0x7fu);
    EXPECT_TRUE(isNaN(format, 0x7f));
    EXPECT_TRUE(isNaN(format, 0xff));
    EXPECT_EQ(isInf(format, 0x7c), format == Format::E5M2);
    EXPECT_FALSE(isInf(format, 0x7e));
    EXPECT_EQ(elementBits(format), 8u);
  }
}

} // namespace
