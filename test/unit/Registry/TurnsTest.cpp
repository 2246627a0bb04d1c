//===- TurnsTest.cpp - Programs of sine and cosine ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "poly/Program/Certify.h"

#include <algorithm>

using namespace poly;
using namespace poly::test;

namespace {

template <typename Check>
void forEachTurn(Check check) {
  unsigned seen = 0;
  for (const RegisteredProgram &entry : shippedPrograms()) {
    if (!isTurn(entry.program.info().function))
      continue;
    SCOPED_TRACE(entry.program.name());
    check(entry);
    ++seen;
  }
  EXPECT_EQ(seen, 24u);
}

/// The f32 phases of a Q0.32 integer, as a kernel makes them, and its
/// neighbours at the zeros and extrema.
std::vector<float> phases() {
  std::vector<float> result;
  for (uint32_t i = 0; i < 1u << 16; ++i)
    result.push_back(float(int32_t(i * 0x9e3779b1u)) * 0x1p-32f);
  for (uint32_t corner : {0u, 1u << 30, 2u << 30, 3u << 30})
    for (int32_t step = -2000; step <= 2000; ++step)
      result.push_back(float(int32_t(corner + uint32_t(step))) * 0x1p-32f);
  return result;
}

} // namespace

TEST(Turns, ShipEveryForm) {
  for (const char *type : {"bf16x2", "f16x2"})
    for (const char *from : {"", "f32-"}) {
      std::string suffix = std::string("-") + from + type;
      std::string sine = type[0] == 'b' ? "odd7rf32" : "odd9rf32";
      EXPECT_NE(findProgram("sin_turn-" + sine + suffix), nullptr) << suffix;
      EXPECT_NE(findProgram("cos_turn-even8rf32" + suffix), nullptr) << suffix;
      EXPECT_NE(findProgram("sin_turn-sfu" + suffix), nullptr) << suffix;
      EXPECT_NE(findProgram("cos_turn-sfu" + suffix), nullptr) << suffix;
    }
  // The unit's absolute error is no f32 accuracy.
  EXPECT_EQ(findProgram("sin_turn-sfu-f32"), nullptr);
}

TEST(Turns, AreForHalfATurnEitherWay) {
  forEachTurn([](const RegisteredProgram &entry) {
    EXPECT_EQ(entry.program.info().domainLow, -0.5);
    EXPECT_EQ(entry.program.info().domainHigh, 0.5);
    EXPECT_TRUE(entry.certificate.symmetric);
    EXPECT_TRUE(entry.certificate.propagatesNaN);
  });
}

// Only the forms with a root are within an ulp, zeros included.
TEST(Turns, FormsWithARootAreWithinOneUlp) {
  forEachTurn([](const RegisteredProgram &entry) {
    bool hasRoot = entry.program.info().form.find('r') != std::string::npos;
    EXPECT_EQ(entry.certificate.maxUlp <= 0.75, hasRoot)
        << entry.certificate.maxUlp;
    EXPECT_EQ(entry.certificate.maxUlp <= 1, hasRoot);
  });
}

// The certificates are of a sample of f32; these are the phases that occur.
TEST(Turns, CertificatesHoldForFixedPointPhases) {
  std::vector<float> inputs = phases();
  forEachTurn([&](const RegisteredProgram &entry) {
    const ProgramInfo &info = entry.program.info();
    if (info.from != Format::F32 || info.roundsInput)
      return;
    double worst = 0;
    for (float x : inputs) {
      double y = at(entry.program, x), truth = reference(info.function, x);
      worst = std::max(worst, std::fabs(y - truth));
    }
    // Where a rounding tips over lies between two samples.
    EXPECT_LE(worst, 1.001 * entry.certificate.maxAbs);
    EXPECT_GT(worst, 0.9 * entry.certificate.maxAbs);
  });
}

TEST(Turns, QuartersAreExact) {
  forEachTurn([](const RegisteredProgram &entry) {
    const ProgramInfo &info = entry.program.info();
    if (info.form.find('r') == std::string::npos)
      return;
    bool sine = info.function == Function::SinTurn;
    EXPECT_EQ(at(entry.program, sine ? 0.5 : 0.25), 0.0);
    EXPECT_EQ(at(entry.program, sine ? 0.25 : 0.0), 1.0);
    EXPECT_EQ(at(entry.program, sine ? -0.25 : 0.5), -1.0);
  });
}

// What a sine and a cosine of one phase share: the square.
TEST(Turns, SineAndCosineHaveTheSquareInCommon) {
  auto squares = [](const Program &program) {
    return std::count_if(
        program.nodes().begin(), program.nodes().end(), [&](const Node &node) {
          return node.op == Op::Mul && node.operands[0] == node.operands[1] &&
                 program.node(node.operands[0]).op == Op::Input;
        });
  };
  EXPECT_EQ(squares(shipped("sin_turn-odd7rf32-f32-bf16x2")), 2);
  EXPECT_EQ(squares(shipped("cos_turn-even8rf32-f32-bf16x2")), 2);
}

// sin.approx of 2 pi x, the multiplication after the reduction.
TEST(Turns, SfuFormsMultiplyLast) {
  const Program &program = shipped("sin_turn-sfu-f32-bf16x2");
  EXPECT_EQ(instructionCount(program), 5u);
  EXPECT_EQ(at(program, 0.25), 1.0);
  // 2^-20.5 and half an ulp of 1.
  const Certificate &c = findProgram("sin_turn-sfu-f32-bf16x2")->certificate;
  EXPECT_TRUE(c.sfuModel);
  EXPECT_GT(c.maxAbs, 0x1p-9);
  EXPECT_LT(c.maxAbs, 0x1p-9 + 2 * 0x1p-20);
}
