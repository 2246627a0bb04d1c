//===- PolynomialTest.cpp - Exponentials with a polynomial fraction -------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "poly/Program/Certify.h"

using namespace poly;
using namespace poly::test;

namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

/// All exp2 programs with a polynomial fraction, sorted by what they promise.
std::vector<const RegisteredProgram *> fractions(bool endpointExact) {
  std::vector<const RegisteredProgram *> found;
  for (const RegisteredProgram &candidate : shippedPrograms()) {
    const ProgramInfo &info = candidate.program.info();
    bool polynomial = info.form[0] == 'd' || info.form.rfind("hinge", 0) == 0;
    bool exact = info.form.find("free") == std::string::npos;
    if (info.function == Function::Exp2 && polynomial && exact == endpointExact)
      found.push_back(&candidate);
  }
  return found;
}

/// The f32 (or f16) just below \p x.
double below(Format format, double x) {
  uint32_t bits = encode(format, x);
  if (x > 0)
    return decode(format, bits - 1);
  if (x < 0)
    return decode(format, bits + 1);
  return -decode(format, 1);
}

TEST(Exp2Fraction, EndpointsAreExactAfterRounding) {
  ASSERT_EQ(fractions(true).size(), 24u);
  for (const RegisteredProgram *candidate : fractions(true)) {
    const Program &p = candidate->program;
    const ProgramInfo &info = p.info();
    SCOPED_TRACE(info.name);
    // 2^n exactly at every integer means p(0) = 1; the result directly below is
    // p(f) for the largest f, which rounds to p(1) = 2 or stays under it.
    int low = traits(info.to).minExponent, high = traits(info.to).maxExponent;
    if (info.from == Format::F16)
      low = -14, high = 15;
    double unit = ulp(info.to, 1.0);
    for (int n = low + 1; n <= high; ++n) {
      double exact = std::ldexp(1.0, n);
      ASSERT_EQ(at(p, n), exact) << n;
      double left = at(p, below(info.from, n));
      // Continuous: no step of more than the format's own spacing at the
      // largest f that the argument's format has there.
      double x = below(info.from, n);
      double gap = (n - x) * std::log(2.0) * 1.5 + 2 * unit;
      ASSERT_LE(std::fabs(left / exact - 1), gap) << n;
      ASSERT_LE(left, exact) << n;
    }
  }
}

TEST(Exp2Fraction, TheUnconstrainedCubicJumps) {
  const Program &jumps = entry("exp2-d3freeweight-f32").program;
  const Program &joins = entry("exp2-d3weight-f32").program;
  auto step = [](const Program &p, int n) {
    return at(p, n) / at(p, below(Format::F32, n)) - 1;
  };
  for (int n : {-100, -7, -1, 0, 3, 20}) {
    EXPECT_GT(step(jumps, n), 8e-5) << n;
    EXPECT_LT(std::fabs(step(joins, n)), 1e-5) << n;
  }
  // The coefficients that FlashAttention-4 uses, arXiv:2610.00049 Eq. (19).
  Program published =
      buildExpCore(ExpCore::Horner,
                   {1, 0.6951461434, 0.2275643945, 0.0771190897}, Format::F32);
  EXPECT_EQ(at(published, 0), 1.0);
  EXPECT_LT(at(published, 1), 2.0 - 1.5e-4);
  Certificate c = certify(published);
  EXPECT_NEAR(c.maxRel, 8.8e-5, 0.1e-5);
}

TEST(Exp2Fraction, HingeOfThePaperInF16) {
  // arXiv:2610.00049, B.1: a = 0.7978515625 and 2(1 - a) as 0.40380859375 keep
  // both ends after rounding, with a maximum relative error of 1.132e-2.
  Program published = buildExpCore(
      ExpCore::Hinge, {1, 0.7978515625, 0.40380859375}, Format::F16);
  EXPECT_EQ(at(published, 0), 1.0);
  EXPECT_EQ(at(published, 1), 2.0);
  // Measured as there: f on a dense grid, its rounding to f16 included.
  double worst = 0;
  for (unsigned i = 0; i <= 1000000; ++i) {
    double f = i * 1e-6;
    worst = std::max(worst, std::fabs(at(published, f) * std::exp2(-f) - 1));
  }
  EXPECT_NEAR(worst, 1.132e-2, 0.0005e-2);
  // The shipped one searched on this error.
  const Program &ours = entry("exp2-hingepacked-f32-f16x2").program;
  EXPECT_LE(certify(ours.within(-1, 0)).maxRel, 1.132e-2);
}

TEST(Exp2Weight, SpecialValuesAndEnds) {
  for (const RegisteredProgram *candidate : fractions(true)) {
    const Program &p = candidate->program;
    const ProgramInfo &info = p.info();
    if (!info.weightsOnly)
      continue;
    SCOPED_TRACE(info.name);
    bool halfRange =
        info.form.find("packed") != std::string::npos && info.to == Format::F16;
    double lowest = halfRange ? -15 : -127;
    EXPECT_EQ(bitsAt(p, -kInfinity), 0u);
    EXPECT_EQ(bitsAt(p, lowest), 0u);
    EXPECT_EQ(bitsAt(p, 2 * lowest), 0u);
    EXPECT_EQ(
        replayElement(p, info.from == Format::F16 ? 0x7e00u : 0x7fc00000u), 0u);
    EXPECT_EQ(info.domainHigh, halfRange ? 15.75 : 127.75);
    EXPECT_TRUE(std::isfinite(candidate->certificate.maxRel) ||
                info.to == Format::F16); // cvt to f16 overflows from 2^16 on.
    EXPECT_TRUE(candidate->certificate.monotone ||
                info.to != Format::F32) // 16-bit p may step back by an ulp.
        << "not monotone";
    // On a line to zero.
    double normal = std::exp2(lowest + 1);
    for (double x = lowest; x <= lowest + 1; x += 1.0 / 64)
      EXPECT_NEAR(at(p, x), std::exp2(x), normal / 2 + ulp(info.to, 0)) << x;
  }
}

TEST(Exp2Full, WholeLineAndNaN) {
  for (const char *name :
       {"exp2-d3-f32", "exp2-d4-f32", "exp-d3-f32", "exp-d4-f32",
        "exp2-d2-f32-bf16x2", "exp2-d3-f32-f16x2", "exp-d2-f32-bf16x2",
        "exp-d3-f32-f16x2"}) {
    const RegisteredProgram &e = entry(name);
    const ProgramInfo &info = e.program.info();
    SCOPED_TRACE(name);
    EXPECT_TRUE(e.certificate.propagatesNaN);
    EXPECT_TRUE(e.certificate.monotone);
    EXPECT_FALSE(info.weightsOnly);
    EXPECT_EQ(info.domainHigh, kInfinity);
    for (double x : {kInfinity, 1e30, 128.5, 129.0, 200.0})
      EXPECT_EQ(at(e.program, x), kInfinity) << x;
    for (double x : {-kInfinity, -1e30, -200.0})
      EXPECT_EQ(bitsAt(e.program, x), 0u) << x;
    EXPECT_EQ(at(e.program, 0.0), 1.0);
  }
  // Subnormal results are flushed.
  const Program &p = entry("exp2-d3-f32").program;
  EXPECT_EQ(at(p, -126.0), 0x1p-126);
  EXPECT_EQ(bitsAt(p, -126.001), 0u);
  EXPECT_EQ(bitsAt(p, -140.0), 0u);
  // ... and kept by the special function unit's program.
  EXPECT_GT(at(entry("exp2-sfu-f32").program, -140.0), 0);
}

// Each bound fails if it is loosened: the error is within a hundredth of it.
TEST(Exp2Fraction, ErrorBounds) {
  const std::pair<const char *, double> bounds[] = {
      {"exp2-d1weight-f32", 6.148e-2},
      {"exp2-hingeweight-f32", 1.074e-2},
      {"exp2-d2weight-f32", 2.679e-3},
      {"exp2-d3weight-f32", 1.031e-4},
      {"exp2-d4weight-f32", 3.395e-6},
      {"exp2-d3freeweight-f32", 8.565e-5},
      {"exp2-hingepacked-f32-f16x2", 1.105e-2},
      {"exp2-d2packed-f32-f16x2", 3.179e-3},
      {"exp2-d3packed-f32-f16x2", 6.36e-4},
      {"exp2-d4packed-f32-f16x2", 5.8e-4},
      {"exp2-hingepacked-f32-bf16x2", 1.414e-2},
      {"exp2-d2packed-f32-bf16x2", 6.29e-3},
      {"exp2-d3packed-f32-bf16x2", 5.08e-3}};
  for (auto [name, bound] : bounds) {
    double error = entry(name).certificate.maxRel;
    EXPECT_LE(error, bound) << name;
    EXPECT_GE(error, 0.99 * bound) << name;
  }
}

// floor by the magic sum is floor by conversion.
TEST(Exp2Fraction, FloorOfTheMagicSum) {
  ProgramInfo info;
  info.name = "floor";
  ProgramBuilder b(info);
  NodeId x = b.input(Type::F32), magic = b.constant(Type::F32, 12582912.0);
  NodeId sum = b.binary(Op::AddRm, x, magic);
  Program byMagic = b.finish(b.binary(Op::Sub, sum, magic));
  ProgramBuilder c(info);
  NodeId y = c.input(Type::F32);
  Program byConversion = c.finish(c.unary(Op::Floor, y));
  for (uint32_t bits : spread(-127, 128)) {
    double x = decode(Format::F32, bits);
    ASSERT_EQ(at(byMagic, x), std::floor(x)) << x;
    ASSERT_EQ(at(byConversion, x), std::floor(x)) << x;
  }
}

} // namespace
