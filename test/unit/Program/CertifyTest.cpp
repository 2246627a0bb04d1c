//===- CertifyTest.cpp - Certificates of programs with known errors -------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Certify.h"
#include "poly/Program/Formats.h"

#include "TestPrograms.h"

#include <cmath>

using namespace poly;

namespace {

ProgramInfo described(Function function, Format from, Format to,
                      unsigned lanes) {
  ProgramInfo info = named("hand-made");
  info.function = function;
  info.from = from;
  info.to = to;
  info.lanes = lanes;
  return info;
}

/// clamp(x, -1, 1) as an approximation of tanh; the error at 1 is 1 - tanh(1).
Program clampAsTanh(bool keepNaN = true) {
  return programOf(
      {Type::BF16x2},
      [=](ProgramBuilder &b, const NodeId *in) {
        NodeId one = b.constant(Type::BF16x2, 1.0);
        if (keepNaN)
          return b.binary(Op::MinNaNXorSignAbs, in[0], one);
        return b.binary(Op::Max, b.binary(Op::Min, in[0], one), b.neg(one));
      },
      described(Function::Tanh, Format::BF16, Format::BF16, 2));
}

TEST(Certify, KnownErrorOfAClamp) {
  Certificate c = certify(clampAsTanh());
  EXPECT_TRUE(c.exhaustive);
  EXPECT_FALSE(c.sfuModel);
  EXPECT_EQ(c.inputs, 2u * 0x7f80u);
  double error = 1 - std::tanh(1.0);
  EXPECT_DOUBLE_EQ(c.maxAbs, error);
  EXPECT_EQ(std::fabs(c.worstAbsInput), 1);
  EXPECT_DOUBLE_EQ(c.maxRel, error / std::tanh(1.0));
  EXPECT_EQ(std::fabs(c.worstRelInput), 1);
  EXPECT_DOUBLE_EQ(c.maxUlp, error / 0x1p-8); // tanh(1) is below one.
  EXPECT_TRUE(c.monotone);
  EXPECT_TRUE(c.symmetric);
  EXPECT_TRUE(c.propagatesNaN);
  EXPECT_EQ(c.special, (SpecialValues{0x7fff, 0x3f80, 0xbf80, 0, 0x8000}));
}

TEST(Certify, SeesLaunderedNaN) {
  Certificate c = certify(clampAsTanh(false));
  EXPECT_FALSE(c.propagatesNaN);
  // min(NaN, 1) is 1.
  EXPECT_EQ(c.special.atNaN, 0x3f80u);
  EXPECT_TRUE(c.symmetric);
}

TEST(Certify, MeetsAtItsOwnErrorAndNotBelow) {
  Program program = clampAsTanh();
  Certificate c = certify(program);
  auto meetsAtol = [&](double atol, double *offender) {
    return meets(program, Accuracy{atol, 0, 0}, offender);
  };
  double offender = 0;
  EXPECT_TRUE(meetsAtol(c.maxAbs, &offender));
  EXPECT_EQ(offender, 0);
  EXPECT_FALSE(meetsAtol(std::nextafter(c.maxAbs, 0), &offender));
  EXPECT_EQ(std::fabs(offender), 1);
  EXPECT_FALSE(meetsAtol(1e-6, nullptr));
  EXPECT_TRUE(meets(program, Accuracy{0, 0, c.maxUlp * (1 + 1e-12)}));
  EXPECT_FALSE(meets(program, Accuracy{0, 0, c.maxUlp * (1 - 1e-12)}));
  // The largest of the three counts.
  EXPECT_TRUE(meets(program, Accuracy{c.maxAbs, 1e-9, 1}));
}

TEST(Certify, MonotoneAndSymmetricAreChecked) {
  auto sigmoid = [](auto build) {
    return certify(
        programOf({Type::F16x2}, build,
                  described(Function::Sigmoid, Format::F16, Format::F16, 2)));
  };
  // 1/2 + clamp(x, -2, 2) / 4.
  auto line = [](ProgramBuilder &b, const NodeId *in) {
    NodeId y =
        b.binary(Op::MinNaNXorSignAbs, in[0], b.constant(Type::F16x2, 2.0));
    return b.fma(y, b.constant(Type::F16x2, 0.25),
                 b.constant(Type::F16x2, 0.5));
  };
  Certificate c = sigmoid(line);
  EXPECT_TRUE(c.monotone);
  EXPECT_TRUE(c.symmetric);
  EXPECT_EQ(c.special, (SpecialValues{0x7fff, 0x3c00, 0, 0x3800, 0x3800}));
  // Falling, and still symmetric.
  c = sigmoid([&](ProgramBuilder &b, const NodeId *in) {
    NodeId negated = b.neg(in[0]);
    return line(b, &negated);
  });
  EXPECT_FALSE(c.monotone);
  EXPECT_TRUE(c.symmetric);
  // Rising, but 1/2 + 2^-9 at zero: two of the 2^-10 that one ulp is, twice.
  c = sigmoid([&](ProgramBuilder &b, const NodeId *in) {
    return b.add(line(b, in), b.constant(Type::F16x2, 0x1p-9));
  });
  EXPECT_TRUE(c.monotone);
  EXPECT_FALSE(c.symmetric);
}

TEST(Certify, SiluIsNeitherMonotoneNorSymmetric) {
  // max(x, 0), whose error is largest at the fixed point of the derivative.
  Program relu = programOf(
      {Type::F32, Type::F32},
      [](ProgramBuilder &b, const NodeId *in) {
        NodeId packed = b.cvtPack(Type::F16x2, in[0], in[1]);
        return b.binary(Op::MaxNaN, packed, b.constant(Type::F16x2, 0.0));
      },
      described(Function::Silu, Format::F32, Format::F16, 2));
  Certificate c = certify(relu, 1u << 14);
  EXPECT_FALSE(c.exhaustive);
  EXPECT_FALSE(c.monotone);
  EXPECT_FALSE(c.symmetric);
  EXPECT_TRUE(c.propagatesNaN);
  EXPECT_GT(c.inputs, 1u << 16);
  // Infinity is the right f16 for SiLU of 1e30; half an ulp at 32768 is 16.
  EXPECT_GT(c.maxAbs, 0.278);
  EXPECT_LE(c.maxAbs, 16);
  EXPECT_EQ(c.special.atPosInf, 0x7c00u);
  EXPECT_TRUE(meets(relu, Accuracy{0.2785, 0, 0.5}, nullptr, 1u << 14));
  EXPECT_FALSE(meets(relu, Accuracy{0.278, 0, 0.5}, nullptr, 1u << 14));
}

TEST(Certify, InfinityOrNaNWhereTheTruthIsFiniteIsInfinitelyWrong) {
  auto certifyTanh = [](Op op, double c) {
    return certify(programOf(
        {Type::BF16x2},
        [=](ProgramBuilder &b, const NodeId *in) {
          return b.binary(op, in[0], b.constant(Type::BF16x2, c));
        },
        described(Function::Tanh, Format::BF16, Format::BF16, 2)));
  };
  EXPECT_TRUE(std::isinf(certifyTanh(Op::Mul, 4.0).maxAbs)); // Overflows.
  EXPECT_TRUE(std::isinf(certifyTanh(Op::Add, INFINITY).maxUlp));
  Certificate nan = certifyTanh(Op::Mul, INFINITY); // 0 * Inf.
  EXPECT_TRUE(std::isinf(nan.maxAbs));
  EXPECT_FALSE(nan.monotone);
}

TEST(Certify, SfuProgramsAreMarked) {
  Program tanh = programOf(
      {Type::F32},
      [](ProgramBuilder &b, const NodeId *in) {
        return b.unary(Op::TanhApprox, in[0]);
      },
      described(Function::Tanh, Format::F32, Format::F32, 1));
  Certificate c = certify(tanh, 1u << 12);
  EXPECT_TRUE(c.sfuModel);
  EXPECT_FALSE(c.exhaustive);
  // The model is correctly rounded; the unit may be 2^-11 off, 2^13 to 2^14
  // ulp.
  EXPECT_GE(c.maxUlp, 0x1p13);
  EXPECT_LE(c.maxUlp, 0x1p14 + 1);
  EXPECT_TRUE(c.monotone);
  EXPECT_TRUE(c.symmetric);
  EXPECT_TRUE(c.propagatesNaN);
}

} // namespace

// A relative budget speaks of normal results: below the smallest normal number
// no format holds a relative error.
TEST(Certify, RelativeBudgetBelowTheNormalNumbers) {
  ProgramInfo info;
  info.name = "tail";
  info.function = Function::Sigmoid;
  info.from = info.to = Format::BF16;
  info.lanes = 2;
  ProgramBuilder builder(info);
  builder.input(Type::BF16x2);
  // 2^-127 whatever the argument: half the smallest normal number.
  Program tiny = builder.finish(builder.constant(Type::BF16x2, 0x1p-127));
  ASSERT_FALSE(tiny.nodes().empty());
  // Wrong by 100 % wherever sigmoid is normal ...
  EXPECT_FALSE(meets(tiny, {0, 0.5, 0}));
  // ... and by far more where it is subnormal, but never by more than the
  // smallest normal number there.
  EXPECT_TRUE(meets(tiny, {0, 1.0, 0}));
}
