//===- SfuModelTest.cpp - Model of the special function unit --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/SfuModel.h"

#include "Oracle.h"
#include "TestPrograms.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Replay.h"

#include <cmath>
#include <mpfr.h>

using namespace poly;

namespace {

constexpr uint32_t kNaN = 0x7fffffffu, kInf = 0x7f800000u;

TEST(SfuModel, Ex2SpecialValuesAndFlushing) {
  for (bool ftz : {false, true}) {
    EXPECT_EQ(sfu::ex2F32(0xffc00001u, ftz), kNaN);
    EXPECT_EQ(sfu::ex2F32(kInf, ftz), kInf);
    EXPECT_EQ(sfu::ex2F32(kInf | 0x80000000u, ftz), 0u);
    EXPECT_EQ(sfu::ex2F32(0x80000000u, ftz), 0x3f800000u);
    EXPECT_EQ(sfu::ex2F32(0x007fffffu, ftz), 0x3f800000u);
    EXPECT_EQ(sfu::ex2F32(0x43000000u, ftz), kInf);        // 128.
    EXPECT_EQ(sfu::ex2F32(0xc2fc0000u, ftz), 0x00800000u); // -126.
  }
  EXPECT_EQ(sfu::ex2F32(0xc2fe0000u, false), 0x00400000u); // -127.
  EXPECT_EQ(sfu::ex2F32(0xc2fe0000u, true), 0u);
}

TEST(SfuModel, RcpSpecialValuesAndFlushing) {
  for (bool ftz : {false, true}) {
    EXPECT_EQ(sfu::rcpF32(0xffc00001u, ftz), kNaN);
    EXPECT_EQ(sfu::rcpF32(kInf, ftz), 0u);
    EXPECT_EQ(sfu::rcpF32(kInf | 0x80000000u, ftz), 0x80000000u);
    EXPECT_EQ(sfu::rcpF32(0, ftz), kInf);
    EXPECT_EQ(sfu::rcpF32(0x80000000u, ftz), kInf | 0x80000000u);
    EXPECT_EQ(sfu::rcpF32(0x40400000u, ftz), 0x3eaaaaabu); // 1/3.
  }
  EXPECT_EQ(sfu::rcpF32(0x80400000u, false), 0xff000000u); // -2^-127.
  EXPECT_EQ(sfu::rcpF32(0x80400000u, true), kInf | 0x80000000u);
  EXPECT_EQ(sfu::rcpF32(0x7f000000u, false), 0x00400000u); // 2^127.
  EXPECT_EQ(sfu::rcpF32(0x7f000000u, true), 0u);
}

TEST(SfuModel, SixteenBitSpecialValues) {
  EXPECT_EQ(sfu::tanhBF16(0xffc1u), 0x7fffu);
  EXPECT_EQ(sfu::tanhBF16(0x7f80u), 0x3f80u);
  EXPECT_EQ(sfu::tanhBF16(0x8000u), 0x8000u);
  EXPECT_EQ(sfu::tanhF16(0xfc00u), 0xbc00u);
  EXPECT_EQ(sfu::tanhF16(0x0001u), 0x0001u);
  EXPECT_EQ(sfu::tanhF32(0x80000001u), 0x80000001u);
  EXPECT_EQ(sfu::tanhF32(kInf | 0x80000000u), 0xbf800000u);
  EXPECT_EQ(sfu::ex2BF16(0x007fu), 0x3f80u);
  EXPECT_EQ(sfu::ex2BF16(0xc2feu), 0u); // 2^-127 is flushed.
  EXPECT_EQ(sfu::ex2BF16(0xc2fcu), 0x0080u);
  EXPECT_EQ(sfu::ex2F16(0xcb80u), 0x0200u); // 2^-15 is kept.
  EXPECT_EQ(sfu::ex2F16(0x7e00u), 0x7fffu);
}

// All 65,536 patterns against MPFR, correctly rounded.
TEST(SfuModel, SixteenBitFunctionsAreCorrectlyRounded) {
  mpfr_t x;
  mpfr_init2(x, 200);
  auto rounded = [&](Format format) {
    // Far more bits than double: the middle rounding is to odd by hand.
    double low = mpfr_get_d(x, MPFR_RNDZ);
    mpfr_sub_d(x, x, low, MPFR_RNDN);
    return encodeSum(format, low, mpfr_get_d(x, MPFR_RNDN));
  };
  for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
    uint16_t half = uint16_t(bits);
    for (Format format : {Format::BF16, Format::F16}) {
      double value = oracle::decode(format, bits);
      if (!std::isfinite(value) || std::fabs(value) > 200)
        continue;
      mpfr_set_d(x, value, MPFR_RNDN);
      mpfr_tanh(x, x, MPFR_RNDN);
      if (value != 0) {
        ASSERT_EQ(format == Format::BF16 ? sfu::tanhBF16(half)
                                         : sfu::tanhF16(half),
                  rounded(format))
            << std::hex << bits;
      }
      mpfr_set_d(x, value, MPFR_RNDN);
      mpfr_exp2(x, x, MPFR_RNDN);
      uint32_t expected = rounded(format);
      if (format == Format::BF16 && expected < 0x0080u)
        expected = 0;
      ASSERT_EQ(format == Format::BF16 ? sfu::ex2BF16(half) : sfu::ex2F16(half),
                expected)
          << std::hex << bits;
    }
  }
  mpfr_clear(x);
}

TEST(SfuModel, ReplayUsesIt) {
  uint32_t x = 0x40500000u;
  EXPECT_EQ(replayElement(single(Op::Ex2Approx, Type::F32, 1), x),
            sfu::ex2F32(x, false));
  EXPECT_EQ(replayElement(single(Op::Ex2ApproxFtz, Type::F32, 1), 0xc2fe0000u),
            0u);
  EXPECT_EQ(replayElement(single(Op::RcpApprox, Type::F32, 1), x),
            sfu::rcpF32(x, false));
  EXPECT_EQ(replayElement(single(Op::RcpApproxFtz, Type::F32, 1), 1), kInf);
  EXPECT_EQ(replayElement(single(Op::TanhApprox, Type::F32, 1), x),
            sfu::tanhF32(x));
  uint32_t pair = 0xbf803f00u;
  EXPECT_EQ(replay(single(Op::TanhApprox, Type::BF16x2, 1), &pair),
            sfu::tanhBF16(0x3f00u) | uint32_t(sfu::tanhBF16(0xbf80u)) << 16);
  EXPECT_EQ(replay(single(Op::Ex2Approx, Type::F16x2, 1), &pair),
            sfu::ex2F16(0x3f00u) | uint32_t(sfu::ex2F16(0xbf80u)) << 16);
}

TEST(SfuModel, SineAndCosineSpecialValues) {
  EXPECT_EQ(sfu::sinF32(0), 0u);
  EXPECT_EQ(sfu::sinF32(0x80000000u), 0x80000000u);
  EXPECT_EQ(sfu::cosF32(0x80000000u), 0x3f800000u);
  for (uint32_t bits : {kInf, kInf | 0x80000000u, kNaN, 0xffc00001u}) {
    EXPECT_TRUE(isNaN(Format::F32, sfu::sinF32(bits)));
    EXPECT_TRUE(isNaN(Format::F32, sfu::cosF32(bits)));
  }
  EXPECT_EQ(sfu::sinF32(0x00000001u), 0x00000001u); // Kept.
}

// On the range for which the bound is documented, against MPFR.
TEST(SfuModel, SineAndCosineAreCorrectlyRounded) {
  mpfr_t x, y;
  mpfr_init2(x, 24);
  mpfr_init2(y, 24);
  for (uint32_t i = 0; i <= 40000; ++i) {
    float angle = float((double(i) / 20000 - 1) * 6.2831853);
    uint32_t bits = encode(Format::F32, angle);
    mpfr_set_d(x, angle, MPFR_RNDN);
    mpfr_sin(y, x, MPFR_RNDN);
    ASSERT_EQ(decode(Format::F32, sfu::sinF32(bits)), mpfr_get_d(y, MPFR_RNDN))
        << angle;
    mpfr_cos(y, x, MPFR_RNDN);
    ASSERT_EQ(decode(Format::F32, sfu::cosF32(bits)), mpfr_get_d(y, MPFR_RNDN))
        << angle;
  }
  mpfr_clear(x);
  mpfr_clear(y);
}

// 2^-20.5 either way, through zero if need be; more than two ulps of 2^-22
// either side of that would be another bound.
TEST(SfuModel, SineAndCosineDeviateByTheDocumentedBound) {
  Node node;
  node.type = Type::F32;
  for (Op op : {Op::SinApprox, Op::CosApprox}) {
    node.op = op;
    for (double value : {1.0, -0.5, 1e-3, 1e-7, -1e-12})
      for (int direction : {-1, 1}) {
        sfu::Deviation deviation;
        deviation.trig = direction;
        uint32_t bits = encode(Format::F32, value);
        double exact = decode(Format::F32, bits);
        double moved =
            decode(Format::F32, sfu::deviate(node, bits, deviation)) - exact;
        EXPECT_NEAR(moved * direction, std::exp2(-20.5), 0x1p-24) << value;
      }
    sfu::Deviation deviation;
    deviation.trig = 1;
    EXPECT_EQ(sfu::deviate(node, 0x80000000u, deviation), 0x80000000u);
    EXPECT_EQ(sfu::deviate(node, kNaN, deviation), kNaN);
  }
}

} // namespace
