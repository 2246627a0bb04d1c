//===- CertificateTest.cpp - Certificates that ship -----------------------===//
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

void expectSame(const Certificate &a, const Certificate &b) {
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.exhaustive, b.exhaustive);
  EXPECT_EQ(a.sfuModel, b.sfuModel);
  EXPECT_EQ(a.maxAbs, b.maxAbs);
  EXPECT_EQ(a.worstAbsInput, b.worstAbsInput);
  EXPECT_EQ(a.maxRel, b.maxRel);
  EXPECT_EQ(a.worstRelInput, b.worstRelInput);
  EXPECT_EQ(a.maxUlp, b.maxUlp);
  EXPECT_EQ(a.worstUlpInput, b.worstUlpInput);
  EXPECT_EQ(a.monotone, b.monotone);
  EXPECT_EQ(a.symmetric, b.symmetric);
  EXPECT_EQ(a.propagatesNaN, b.propagatesNaN);
  EXPECT_TRUE(a.special == b.special);
}

} // namespace

// All of them are recomputed by AllCertificatesTest.
TEST(Certificates, OfSomeProgramsAreRecomputed) {
  for (const char *name :
       {"sigmoid-half3-bf16x2", "tanh-half6c-f16x2", "silu-half4-f32-bf16x2",
        "silu-sfu-bf16x2", "sigmoid-ex2poly-bf16x2"}) {
    SCOPED_TRACE(name);
    const RegisteredProgram *entry = findProgram(name);
    ASSERT_NE(entry, nullptr);
    expectSame(entry->certificate, certify(entry->program));
  }
}

// The worst input does have the error that the certificate states. With special
// function nodes the worst is that of a corner of the unit's bounds, and the
// model itself is no worse.
TEST(Certificates, AreAttained) {
  for (const RegisteredProgram &entry : shippedPrograms()) {
    const ProgramInfo &info = entry.program.info();
    SCOPED_TRACE(info.name);
    const Certificate &c = entry.certificate;
    auto expectAttained = [&](double attained, double stated) {
      if (c.sfuModel) {
        EXPECT_LE(attained, stated);
      } else {
        EXPECT_EQ(attained, stated);
      }
    };
    double x = c.worstAbsInput;
    expectAttained(std::fabs(at(entry.program, x) - reference(info, x)),
                   c.maxAbs);
    x = c.worstRelInput;
    double truth = reference(info, x);
    expectAttained(std::fabs(at(entry.program, x) - truth) / std::fabs(truth),
                   c.maxRel);
    x = c.worstUlpInput;
    truth = reference(info, x);
    expectAttained(std::fabs(at(entry.program, x) - truth) /
                       ulp(info.to, truth),
                   c.maxUlp);
  }
}

TEST(Certificates, SayWhatTheyCover) {
  for (const RegisteredProgram &entry : activations()) {
    const ProgramInfo &info = entry.program.info();
    const Certificate &c = entry.certificate;
    EXPECT_TRUE(c.propagatesNaN) << info.name;
    EXPECT_EQ(c.exhaustive, info.from != Format::F32 || info.roundsInput)
        << info.name;
    EXPECT_EQ(c.sfuModel, !isPolynomial(info)) << info.name;
    Symmetry symmetry = traits(info.function).symmetry;
    if (symmetry == Symmetry::Odd || symmetry == Symmetry::Even) {
      EXPECT_TRUE(c.symmetric) << info.name;
    }
  }
}

// What f32 sites may use: bounded relative error everywhere, the largest number
// and the tail included. The worst is where ex2.approx gives subnormals.
TEST(Certificates, GuardFreeF32FormsAreBounded) {
  const std::pair<const char *, double> bounds[] = {{"sigmoid-sfu-f32", 4.1e-6},
                                                    {"silu-sfu-f32", 2.7e-5},
                                                    {"tanh-sfu-f32", 3.7e-7}};
  for (auto [name, bound] : bounds) {
    const RegisteredProgram *entry = findProgram(name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_LE(entry->certificate.maxRel, bound) << name;
    EXPECT_GE(entry->certificate.maxRel, 0.9 * bound) << name;
    EXPECT_TRUE(std::isfinite(entry->certificate.maxUlp)) << name;
  }
}

// An f32 argument that rounding leaves alone meets the same program.
TEST(Certificates, OfRoundedArgumentsAreThoseOfTheNarrowProgram) {
  for (const RegisteredProgram &entry : shippedPrograms()) {
    const ProgramInfo &info = entry.program.info();
    if (!info.roundsInput)
      continue;
    std::string narrow = info.name;
    narrow.erase(narrow.find("-f32-"), 4);
    const RegisteredProgram *other = findProgram(narrow);
    ASSERT_NE(other, nullptr) << narrow;
    SCOPED_TRACE(info.name);
    Certificate expected = other->certificate;
    // The NaNs differ in nothing that counts.
    expected.special = entry.certificate.special;
    expectSame(entry.certificate, expected);
  }
}

struct Bound {
  const char *name;
  double maxAbs;
};

// What was reached by the first search for these forms; ours must be below.
TEST(Certificates, BeatTheFirstSearch) {
  const Bound bounds[] = {
      {"sigmoid-half3-bf16x2", 8.4e-3}, {"sigmoid-half4free-bf16x2", 5.2e-3},
      {"tanh-half3-bf16x2", 1.6e-2},    {"tanh-half4free-bf16x2", 9.3e-3},
      {"sigmoid-half3-f16x2", 5.8e-3},  {"sigmoid-half4free-f16x2", 3.3e-3},
      {"tanh-half3-f16x2", 1.15e-2},    {"tanh-half4free-f16x2", 6.6e-3}};
  for (const Bound &bound : bounds) {
    const RegisteredProgram *entry = findProgram(bound.name);
    ASSERT_NE(entry, nullptr) << bound.name;
    EXPECT_LT(entry->certificate.maxAbs, bound.maxAbs) << bound.name;
  }
}
