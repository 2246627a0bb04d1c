//===- TailTest.cpp - Small values are not lost ---------------------------===//
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

const double kMinNormalBF16 = 0x1p-126;

/// The error of the result at \p x in ulps of bf16, after rounding to bf16.
double bf16Ulps(const Program &program, double x) {
  double y = at(program, x);
  double rounded = decode(Format::BF16, encode(Format::BF16, y));
  double truth = reference(program.info().function, x);
  return std::fabs(rounded - truth) / ulp(Format::BF16, truth);
}

/// Every f32 in a fine sweep of the interval, its ends included.
template <typename Visit>
void sweep(double low, double high, unsigned count, Visit visit) {
  for (unsigned i = 0; i <= count; ++i)
    visit(double(float(low + (high - low) * i / count)));
}

class Tail : public testing::TestWithParam<const char *> {};
class F32Tail : public Tail {};

std::string testName(const testing::TestParamInfo<const char *> &info) {
  std::string name = info.param;
  for (char &c : name)
    c = c == '-' ? '_' : c;
  return name;
}

} // namespace

// For every x whose silu is a normal bf16 number.
TEST_P(Tail, EveryBF16InputIsWithinOneUlp) {
  const Program &program = shipped(GetParam());
  unsigned tested = 0;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double x = decode(Format::BF16, bits);
    if (!std::isfinite(x) ||
        std::fabs(reference(Function::Silu, x)) < kMinNormalBF16)
      continue;
    ++tested;
    ASSERT_LE(bf16Ulps(program, x), 1.0) << x;
  }
  EXPECT_GT(tested, 48000u);
}

TEST_P(F32Tail, TheDeepTailOfF32IsWithinOneUlp) {
  const Program &program = shipped(GetParam());
  // silu(-91.85) is just above the smallest normal number.
  double edge = -93;
  sweep(-93, -80, 200000, [&](double x) {
    if (std::fabs(reference(Function::Silu, x)) < kMinNormalBF16)
      return;
    edge = edge == -93 ? x : edge;
    ASSERT_LE(bf16Ulps(program, x), 1.0) << x;
  });
  EXPECT_NEAR(edge, -91.85, 0.01);
}

TEST_P(F32Tail, OtherF32InputsAreWithinOneUlp) {
  const Program &program = shipped(GetParam());
  auto check = [&](double x) { ASSERT_LE(bf16Ulps(program, x), 1.0) << x; };
  sweep(-80, 100, 60000, check);
  sweep(-1, 1, 30000, check);
  for (int exponent = -126; exponent < 127; ++exponent) {
    double scale = std::ldexp(1.0, exponent);
    sweep(scale, 2 * scale, 64, check);
    if (scale <= 32)
      sweep(-2 * scale, -scale, 64, check);
  }
}

INSTANTIATE_TEST_SUITE_P(Silu, Tail,
                         testing::Values("silu-sfu-f32", "silu-sfu-bf16x2",
                                         "silu-sfu-f32-bf16x2",
                                         "silu-ex2poly-bf16x2",
                                         "silu-ex2poly-f32-bf16x2"),
                         testName);
INSTANTIATE_TEST_SUITE_P(Silu, F32Tail,
                         testing::Values("silu-sfu-f32", "silu-sfu-f32-bf16x2",
                                         "silu-ex2poly-f32-bf16x2"),
                         testName);

// What ex2.approx.ftz would lose without the scaling: bf16 numbers whose silu
// is still normal but whose e^x is not.
TEST(TailOfSilu, IsNotFlushed) {
  for (const char *name :
       {"silu-sfu-f32", "silu-sfu-bf16x2", "silu-ex2poly-bf16x2"}) {
    for (double x : {-87.5, -88.0, -90.0, -91.5}) {
      double truth = reference(Function::Silu, x);
      EXPECT_NEAR(at(shipped(name), x) / truth, 1.0, 0x1p-8) << name << x;
    }
  }
}

// bf16 subnormals are results too.
TEST(TailOfSilu, SubnormalResultsAreWithinOneUlp) {
  for (const char *name :
       {"silu-sfu-bf16x2", "silu-sfu-f32-bf16x2", "silu-ex2poly-bf16x2",
        "sigmoid-sfu-bf16x2", "sigmoid-ex2poly-bf16x2"})
    for (double x = -100; x <= -86; x += 0.5)
      EXPECT_LE(bf16Ulps(shipped(name), x), 1.0) << name << " at " << x;
}

// Guard-free and short-polynomial forms, on every 16-bit input.
TEST(OneUlp, SfuAndEx2PolyInSixteenBits) {
  for (const RegisteredProgram &entry : shippedPrograms()) {
    const ProgramInfo &info = entry.program.info();
    if (info.to == Format::F32 ||
        (info.form != "sfu" && info.form != "ex2poly"))
      continue;
    // The bound of the unit's sine is absolute: many ulps next to a zero.
    if (isTurn(info.function))
      continue;
    // Near a zero of the derivative an absolute error of f32 is some ulps.
    bool crossesZero = info.function == Function::DSilu ||
                       info.function == Function::DGeluErf ||
                       info.function == Function::DGeluTanh;
    double sfu = crossesZero                          ? 0.9
                 : info.function == Function::GeluErf ? 0.56
                                                      : 0.51;
    EXPECT_LE(entry.certificate.maxUlp, info.form == "sfu" ? sfu : 0.98)
        << info.name;
  }
}

TEST(SmallArguments, TanhKeepsRelativeAccuracy) {
  const Program &program = shipped("tanh-sfu-f32");
  for (int exponent = -149; exponent < 3; ++exponent)
    for (double m : {1.0, 1.25, 1.5, 1.9375})
      for (double sign : {-1.0, 1.0}) {
        double x = float(sign * std::ldexp(m, exponent));
        double truth = std::tanh(x);
        EXPECT_LE(std::fabs(at(program, x) - truth),
                  2 * ulp(Format::F32, truth))
            << x;
      }
}
