//===- LatticeTest.cpp - The f32 lattices against their definitions -------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace poly;
using namespace poly::test;

namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

class Lattice : public testing::TestWithParam<unsigned> {
protected:
  unsigned k() const { return GetParam(); }
  const Program &program() const {
    return entry("exp2-" + latticeForm(k()) + "-f32").program;
  }
};

INSTANTIATE_TEST_SUITE_P(Steps, Lattice, testing::Range(0u, 14u));

TEST_P(Lattice, IsSOfTheQuantizedExponent) {
  std::vector<uint32_t> inputs = paperInputs(2000000);
  ASSERT_GT(inputs.size(), 2295000u);
  std::vector<uint32_t> outputs = replayAll(program(), inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    double x = decode(Format::F32, inputs[i]);
    ASSERT_EQ(outputs[i], bitsOf(float(interpolated(quantized(x, k())))))
        << "k = " << k() << ", x = " << x;
  }
}

TEST_P(Lattice, PositiveExponentsToo) {
  for (uint32_t bits : spread(0, 127)) {
    double x = decode(Format::F32, bits);
    ASSERT_EQ(replayElement(program(), bits),
              bitsOf(float(interpolated(quantized(x, k())))))
        << x;
  }
}

// q - x is at most half a step, and log2 S(q) - q is between 0 and 0.0861.
TEST_P(Lattice, OctaveEnvelope) {
  const Certificate &c = entry("exp2-" + latticeForm(k()) + "-f32").certificate;
  double step = std::ldexp(1.0, -int(k()));
  double highest = 0; // Of log2 S(q) - q over the lattice.
  for (int i = 0; i < 1 << k(); ++i)
    highest = std::max(highest, std::log2(1 + i * step) - i * step);
  EXPECT_GE(c.octaveLow, -step / 2 - 1e-9);
  EXPECT_LE(c.octaveHigh, highest + step / 2 + 1e-9);
  // No looser than what occurs.
  EXPECT_LT(c.octaveLow, -step / 2 * 0.99);
  EXPECT_GT(c.octaveHigh, (highest + step / 2) * 0.99 - 1e-4);
  EXPECT_TRUE(c.monotone);
}

TEST_P(Lattice, EndsAndSpecialValues) {
  const Program &p = program();
  EXPECT_EQ(at(p, 0.0), 1.0);
  EXPECT_EQ(bitsAt(p, -0.0), bitsOf(1.0f));
  EXPECT_EQ(bitsAt(p, -kInfinity), 0u); // A masked entry is exactly +0.
  EXPECT_EQ(bitsAt(p, -127.0), 0u);
  EXPECT_EQ(bitsAt(p, -1e30), 0u);
  EXPECT_EQ(at(p, -126.0), 0x1p-126);
  // Below the normal range results fall to zero within one smallest normal.
  for (double x = -127; x <= -126; x += 0x1p-10) {
    EXPECT_LE(at(p, x), 0x1p-126);
    EXPECT_NEAR(at(p, x), std::exp2(x), 0x1p-126);
  }
  for (uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0x7fffffffu})
    EXPECT_EQ(replayElement(p, nan), 0u);
  for (int n = -126; n <= 127; ++n)
    EXPECT_EQ(at(p, n), std::ldexp(1.0, n)) << n;
  EXPECT_GE(p.info().domainHigh, 127);
  EXPECT_LT(p.info().domainHigh, 128);
  EXPECT_EQ(p.info().domainLow, -kInfinity);
  EXPECT_FALSE(p.info().saturates);
  EXPECT_TRUE(p.info().weightsOnly);
}

TEST(RowmaxH15, TheFormulaOfThePaper) {
  // Eq. (5): (1 + (n mod 2) / 2) * 2^floor(n / 2), n = RNE(2x); n = -3 gives
  // 1.5 * 2^-2.
  const Program &p = entry("exp2-h15-f32").program;
  EXPECT_EQ(at(p, -1.5), 1.5 * 0.25);
  for (uint32_t bits : spread(-126, 127)) {
    double x = decode(Format::F32, bits);
    long n = std::lrint(2 * x);
    long odd = n & 1, half = (n - odd) / 2;
    ASSERT_EQ(decode(Format::F32, replayElement(p, bits)),
              (1 + odd / 2.0) * std::ldexp(1.0, int(half)))
        << x;
  }
  const Certificate &c = entry("exp2-h15-f32").certificate;
  EXPECT_GE(c.octaveLow, -0.25);
  EXPECT_LE(c.octaveHigh, std::log2(1.5) - 0.25);
  // One clamp, one fma, one integer multiply-add.
  EXPECT_EQ(instructionCount(p), 3u);
}

TEST(RowmaxH15, SaturatingClampStaysDefinedEverywhere) {
  const Program &p = entry("exp2-h15sat-f32").program;
  const Program &clamped = entry("exp2-h15-f32").program;
  EXPECT_EQ(bitsAt(p, kInfinity), 0x7f800000u);
  EXPECT_EQ(bitsAt(p, 1000.0), 0x7f800000u);
  EXPECT_EQ(bitsAt(p, -kInfinity), 0u);
  EXPECT_EQ(bitsAt(p, -127.0), 0u);
  EXPECT_EQ(replayElement(p, 0x7fc00000u), 0u);
  EXPECT_TRUE(p.info().saturates);
  // The same lattice; only arguments within 2^-16 of an edge may go the other
  // way.
  for (uint32_t bits : spread(-127, 127)) {
    double x = decode(Format::F32, bits);
    double toEdge = std::fabs(std::fmod(std::fabs(2 * x), 1.0) - 0.5) / 2;
    if (toEdge > 0x1p-16) {
      ASSERT_EQ(replayElement(p, bits), replayElement(clamped, bits)) << x;
    }
  }
}

TEST(Schraudolph, IsDegreeOne) {
  // S(x) itself: f and 1 + f each rounded to f32, then the exponent.
  const Program &p = entry("exp2-d1weight-f32").program;
  for (uint32_t bits : spread(-126, 127)) {
    double x = decode(Format::F32, bits);
    double whole = std::floor(x);
    float sum = float(1 + double(float(x - whole)));
    ASSERT_EQ(replayElement(p, bits), bitsOf(std::ldexp(sum, int(whole)))) << x;
  }
  const Certificate &c = entry("exp2-d1weight-f32").certificate;
  EXPECT_NEAR(c.octaveHigh, 0.0860713, 1e-5);
  EXPECT_GT(c.octaveLow, -1e-6);
}

TEST(PowerOfTwo, ClampAndDrop) {
  const Program &clamp = entry("exp2-pot20-f32").program;
  const Program &drop = entry("exp2-pot20drop-f32").program;
  for (uint32_t bits : spread(-126, 0)) {
    double x = decode(Format::F32, bits);
    double d = std::floor(0.5 - x); // Exact: x has at most 24 bits.
    if (x > -0x1p-24)
      d = 0;
    ASSERT_EQ(decode(Format::F32, replayElement(clamp, bits)),
              std::exp2(-std::min(d, 20.0)))
        << x;
    ASSERT_EQ(decode(Format::F32, replayElement(drop, bits)),
              d > 20 ? 0 : std::exp2(-d))
        << x;
  }
  // Half an octave goes down, in both directions of even.
  EXPECT_EQ(at(clamp, -0.5), 0.5);
  EXPECT_EQ(at(clamp, -1.5), 0.25);
  EXPECT_EQ(at(clamp, -kInfinity), 0x1p-20);
  EXPECT_EQ(bitsAt(drop, -kInfinity), 0u);
  EXPECT_EQ(replayElement(drop, 0x7fc00000u), 0u);
  EXPECT_EQ(at(drop, -20.4), 0x1p-20);
  EXPECT_EQ(at(drop, -20.5), 0.0);
}

// The tail index is a parameter of the construction.
TEST(PowerOfTwo, OtherTails) {
  for (unsigned tail : {12u, 16u, 32u}) {
    Program program = buildPowerOfTwo(tail, true);
    EXPECT_EQ(at(program, -double(tail)), std::exp2(-double(tail)));
    EXPECT_EQ(at(program, -double(tail) - 0.5), 0.0);
  }
}

} // namespace
