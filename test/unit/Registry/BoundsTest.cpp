//===- BoundsTest.cpp - Every bound is tight and tied to its constants ----===//
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

/// The polynomials from their own 16-bit format, in the newer of two forms.
template <typename Check>
void forEachPolynomial(Check check) {
  for (const RegisteredProgram &entry : shippedPrograms()) {
    const ProgramInfo &info = entry.program.info();
    if (!isPolynomial(info) || info.from == Format::F32 ||
        info.name.find("-sm80") != std::string::npos)
      continue;
    SCOPED_TRACE(info.name);
    check(entry);
  }
}

/// The program with constant node \p id one ulp further from zero.
Program nudged(const Program &program, NodeId id) {
  ProgramBuilder b(program.info());
  std::vector<NodeId> renamed;
  for (NodeId i = 0; i < program.nodes().size(); ++i) {
    const Node &node = program.node(i);
    auto operand = [&](unsigned k) { return renamed[node.operands[k]]; };
    NodeId result = 0;
    if (node.op == Op::Input)
      result = b.input(node.type);
    else if (node.op == Op::Const)
      result =
          b.constant(node.type, i == id ? node.imm + 0x00010001u : node.imm);
    else if (node.numOperands == 1)
      result = b.unary(node.op, operand(0));
    else if (node.numOperands == 2)
      result = b.binary(node.op, operand(0), operand(1));
    else
      result = b.ternary(node.op, operand(0), operand(1), operand(2));
    renamed.push_back(result);
  }
  return b.finish(renamed[program.result()]);
}

/// Whether the constant is a clamp. Where the polynomial is saturated, a clamp
/// may move by an ulp and leave every result as it was.
bool isClamp(const Program &program, NodeId id) {
  for (const Node &node : program.nodes())
    if (node.op == Op::MinNaNXorSignAbs || node.op == Op::MinNaN ||
        node.op == Op::MaxNaN || node.op == Op::Min || node.op == Op::Max)
      for (unsigned k = 0; k < node.numOperands; ++k)
        if (node.operands[k] == id)
          return true;
  return false;
}

} // namespace

TEST(Bounds, OnePercentLessIsNotMet) {
  unsigned seen = 0;
  forEachPolynomial([&](const RegisteredProgram &entry) {
    const Certificate &c = entry.certificate;
    Accuracy accuracy;
    double offender = 0;
    accuracy.atol = c.maxAbs;
    EXPECT_TRUE(meets(entry.program, accuracy));
    accuracy.atol = 0.99 * c.maxAbs;
    EXPECT_FALSE(meets(entry.program, accuracy, &offender));
    accuracy = {};
    accuracy.ulps = 0.99 * c.maxUlp;
    EXPECT_FALSE(meets(entry.program, accuracy));
    if (std::isfinite(c.maxUlp)) {
      accuracy.ulps = c.maxUlp * (1 + 1e-15);
      EXPECT_TRUE(meets(entry.program, accuracy));
    }
    ++seen;
  });
  EXPECT_GT(seen, 50u);
}

// A coefficient that is off by an ulp shows in the results of some input, and
// most show in the certificate itself.
TEST(Bounds, OneUlpOfAConstantShows) {
  unsigned constants = 0, certified = 0;
  forEachPolynomial([&](const RegisteredProgram &entry) {
    const Program &program = entry.program;
    // An ulp of f32 is nothing next to a 16-bit result's rounding.
    if (hasF32Arithmetic(program.info()))
      return;
    std::vector<uint32_t> inputs = allInputs(program.info());
    std::vector<uint32_t> outputs = replayAll(program, inputs);
    for (NodeId id = 0; id < program.nodes().size(); ++id) {
      if (program.node(id).op != Op::Const || isClamp(program, id))
        continue;
      ++constants;
      Program changed = nudged(program, id);
      ASSERT_FALSE(changed.nodes().empty());
      EXPECT_NE(replayAll(changed, inputs), outputs) << "constant " << id;
      Certificate c = certify(changed);
      certified += c.maxAbs != entry.certificate.maxAbs ||
                   c.maxRel != entry.certificate.maxRel ||
                   c.maxUlp != entry.certificate.maxUlp;
    }
  });
  EXPECT_GT(certified, constants * 8 / 10) << constants;
}
