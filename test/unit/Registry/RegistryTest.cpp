//===- RegistryTest.cpp - Names, shapes and costs of the programs ---------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "poly/Program/Schemes.h"

#include <algorithm>
#include <set>

using namespace poly;
using namespace poly::test;

TEST(Registry, FindsEveryProgramByItsUniqueName) {
  std::set<std::string> names;
  for (const RegisteredProgram &entry : shippedPrograms()) {
    EXPECT_TRUE(names.insert(entry.program.name()).second)
        << entry.program.name();
    EXPECT_EQ(findProgram(entry.program.name()), &entry);
    EXPECT_FALSE(entry.program.nodes().empty()) << entry.program.name();
    EXPECT_FALSE(entry.program.info().provenance.empty())
        << entry.program.name();
  }
}

TEST(Registry, UnknownNamesAreNull) {
  EXPECT_EQ(findProgram(""), nullptr);
  EXPECT_EQ(findProgram("sigmoid"), nullptr);
  EXPECT_EQ(findProgram("sigmoid-half3-bf16x2 "), nullptr);
}

TEST(Registry, ShipsEveryForm) {
  for (const char *function : {"sigmoid", "tanh", "silu"}) {
    std::string prefix = std::string(function) + "-";
    for (const char *type : {"bf16x2", "f16x2"}) {
      for (const char *from : {"", "f32-"}) {
        std::string suffix = std::string("-") + from + type;
        for (const char *form : {"half3", "half4"})
          for (const char *clamp : {"", "-sm80"})
            EXPECT_NE(findProgram(prefix + form + suffix + clamp), nullptr)
                << prefix << form << suffix << clamp;
        for (const char *form : {"sfu", "tanh32", "tanhpacked", "ex2poly"})
          EXPECT_NE(findProgram(prefix + form + suffix), nullptr)
              << prefix << form << suffix;
      }
    }
    EXPECT_NE(findProgram(prefix + "sfu-f32"), nullptr);
    EXPECT_NE(findProgram(prefix + "tanh32-f32"), nullptr);
  }
}

TEST(Registry, NameSaysFormatsAndInfoAgrees) {
  for (const RegisteredProgram &entry : activations()) {
    const ProgramInfo &info = entry.program.info();
    bool scalar = info.to == Format::F32;
    EXPECT_EQ(info.lanes, scalar ? 1u : 2u) << info.name;
    size_t arguments = info.from == Format::F32 && !scalar ? 2 : 1;
    EXPECT_EQ(entry.program.inputs().size(), arguments) << info.name;
    EXPECT_EQ(info.name.rfind(name(info.function), 0), 0u) << info.name;
    EXPECT_EQ(entry.program.resultType(),
              scalar ? Type::F32 : packedType(info.to))
        << info.name;
    EXPECT_EQ(info.name.find("-f32-") != std::string::npos, arguments == 2)
        << info.name;
    bool rounds = info.from == Format::F32 && !scalar &&
                  ((isPolynomial(info) && !hasF32Arithmetic(info)) ||
                   info.form == "tanhpacked");
    EXPECT_EQ(info.roundsInput, rounds) << info.name;
  }
}

// Clamp, |y|, its distance from a center if there is one, one fma a coefficient
// (tanh: the last one is a mul), and for silu and gelu the product with x; cvt
// for f32 arguments; sm_80 clamps in two.
TEST(Registry, PolynomialsHaveTheirInstructionCount) {
  for (const RegisteredProgram &entry : shippedPrograms()) {
    const ProgramInfo &info = entry.program.info();
    bool basic = info.function == Function::Sigmoid ||
                 info.function == Function::Tanh || isGate(info);
    if (!isPolynomial(info) || !basic || info.to == Format::F32)
      continue;
    bool sm80 = info.name.find("-sm80") != std::string::npos;
    ASSERT_EQ(info.form.rfind("half", 0), 0u) << info.name;
    unsigned coefficients = unsigned(info.form[4] - '0');
    bool centered = info.form.size() > 5 && info.form[5] == 'c';
    unsigned expected = 2 + coefficients + isGate(info) + centered +
                        (info.from == Format::F32) + sm80;
    EXPECT_EQ(instructionCount(entry.program), expected) << info.name;
    EXPECT_EQ(minimumSm(entry.program), sm80 ? 80u : 86u) << info.name;
  }
  EXPECT_EQ(instructionCount(shipped("sigmoid-half3-bf16x2")), 5u);
  EXPECT_EQ(instructionCount(shipped("sigmoid-half3-bf16x2-sm80")), 6u);
}

TEST(Registry, SfuFormsSpendTheSfuInstructionsTheyClaim) {
  for (const RegisteredProgram &entry : activations()) {
    const ProgramInfo &info = entry.program.info();
    const auto &nodes = entry.program.nodes();
    auto count = std::count_if(nodes.begin(), nodes.end(),
                               [](const Node &n) { return isSfu(n.op); });
    unsigned expected = isPolynomial(info)          ? 0
                        : info.form == "tanhpacked" ? 1
                        : isTurn(info.function)     ? info.lanes
                        : info.form == "sfu"        ? 2 * info.lanes
                                                    : info.lanes;
    EXPECT_EQ(count, expected) << info.name;
  }
}

// Packed bf16 math starts with sm_80, so older chips have f32 programs only.
TEST(Registry, OldChipsHaveTheScalarForms) {
  for (const char *name : {"sigmoid-sfu-f32", "tanh-sfu-f32", "silu-sfu-f32"})
    EXPECT_EQ(minimumSm(shipped(name)), 70u) << name;
}

TEST(Schemes, FormNames) {
  PolynomialSpec spec;
  spec.coefficients = {0.25, 0.5, 0.125};
  EXPECT_EQ(formName(spec), "half3");
  spec.odd = true;
  EXPECT_EQ(formName(spec), "odd5");
  spec.exactTail = false;
  EXPECT_EQ(formName(spec), "odd5free");
}

TEST(Schemes, AGivenNameIsKept) {
  PolynomialSpec spec;
  spec.function = Function::Tanh;
  spec.clamp = 2;
  spec.coefficients = {0.5};
  Program program =
      buildPolynomial(spec, Format::BF16, ClampKind::MinMax, "mine");
  EXPECT_EQ(program.name(), "mine");
  // A single coefficient needs no power of y.
  EXPECT_EQ(instructionCount(program), 3u);
  EXPECT_EQ(at(program, 1.0), 0.5);
  EXPECT_EQ(at(program, 9.0), 1.0);
}
