//===- ProgramFileTest.cpp - Programs from JSON ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/ProgramFile.h"
#include "poly/Program/Certify.h"

#include "poly/Program/Replay.h"

#include "gtest/gtest.h"

using namespace poly;

namespace {

/// A valid entry with \p replaced text changed, to break one thing at a time.
std::string entry(const std::string &from = "", const std::string &to = "") {
  std::string text = R"({"name": "sigmoid-mine", "function": "sigmoid",
 "form": "half", "format": "bf16", "clamp": 5.25,
 "coefficients": [0.25, 0.003, -0.01], "provenance": "by hand"})";
  if (!from.empty()) {
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string errorOf(const std::string &text) {
  llvm::Expected<std::vector<Program>> programs =
      parseProgramFile(text, "my.json");
  if (programs)
    return "";
  return llvm::toString(programs.takeError());
}

void expectError(const std::string &text, const std::string &part) {
  std::string error = errorOf(text);
  EXPECT_NE(error.find(part), std::string::npos)
      << "expected: " << part << "\nactual: " << error;
  EXPECT_EQ(error.find("my.json:"), 0u) << error;
}

/// The error of a file whose second program is the changed entry.
void expectMistake(const std::string &from, const std::string &to,
                   const std::string &part) {
  std::string first = entry("sigmoid-mine", "first");
  expectError("[" + first + "," + entry(from, to) + "]",
              "my.json: program 2 ('sigmoid-mine'): " + part);
}

TEST(ProgramFile, ReadsPrograms) {
  std::string text = "[" + entry() + "," +
                     entry("sigmoid-mine\", \"function\": \"sigmoid\",",
                           "t\", \"function\": \"tanh\", \"from\": \"f32\",") +
                     "]";
  llvm::Expected<std::vector<Program>> programs =
      parseProgramFile(text, "my.json");
  ASSERT_TRUE(bool(programs)) << llvm::toString(programs.takeError());
  // Each in its own form and in that for chips before sm_86.
  ASSERT_EQ(programs->size(), 4u);
  const Program &sigmoid = (*programs)[0], &tanh = (*programs)[2];
  EXPECT_EQ((*programs)[1].name(), "sigmoid-mine-sm80");
  EXPECT_EQ(minimumSm((*programs)[0]), 86u);
  EXPECT_EQ(minimumSm((*programs)[1]), 80u);
  for (uint32_t bits = 0; bits < 0x10000u; ++bits)
    ASSERT_EQ(replayElement((*programs)[0], bits),
              replayElement((*programs)[1], bits));
  EXPECT_EQ(sigmoid.name(), "sigmoid-mine");
  EXPECT_EQ(sigmoid.info().form, "half3");
  EXPECT_EQ(sigmoid.info().provenance, "by hand");
  EXPECT_EQ(sigmoid.info().from, Format::BF16);
  EXPECT_EQ(replayElement(sigmoid, 0), 0x3f00u);
  EXPECT_EQ(tanh.info().function, Function::Tanh);
  EXPECT_EQ(tanh.info().from, Format::F32);
  EXPECT_EQ(tanh.info().to, Format::BF16);
  EXPECT_TRUE(tanh.info().roundsInput);
}

TEST(ProgramFile, ACustomFunctionIsWrittenAndReadBack) {
  ProgramFileEntry written;
  written.name = "softsign";
  written.from = Format::F16;
  PolynomialSpec &spec = written.spec;
  spec.function = Function::Custom;
  spec.expression = "x/(1+abs(x))";
  spec.reduction = Reduction::Odd;
  spec.format = Format::F16;
  spec.clamp = 4;
  spec.domainLow = -8;
  spec.domainHigh = 8;
  spec.coefficients = {0.75, -0.25};
  spec.upper = {0.5, -0.0625};
  spec.breakpoint = 1.5;
  std::string text = programFileText({written});
  llvm::Expected<std::vector<Program>> programs =
      parseProgramFile(text, "my.json");
  ASSERT_TRUE(bool(programs)) << llvm::toString(programs.takeError());
  ASSERT_EQ(programs->size(), 2u);
  const ProgramInfo &info = programs->front().info();
  EXPECT_EQ(info.function, Function::Custom);
  EXPECT_EQ(info.expression, "x/(1+abs(x))");
  EXPECT_EQ(info.domainHigh, 8);
  EXPECT_EQ(info.form, "half2x2");
  EXPECT_EQ(reference(info, 3.0), 0.75);
  Program expected = buildPolynomial(spec, Format::F16, ClampKind::XorSign);
  for (uint32_t bits = 0; bits < 0x10000u; ++bits)
    ASSERT_EQ(replayElement(programs->front(), bits),
              replayElement(expected, bits));
  // A changed coefficient breaks the contract.
  size_t at = text.find("0.75");
  text.replace(at, 4, "0.7505");
  expectError(text, "my.json: program 1 ('softsign'): the contract says ");
}

TEST(ProgramFile, DepthIsLimited) {
  // The JSON parser recurses, so this would overflow the stack.
  expectError(std::string(200000, '['), "nested too deeply");
}

TEST(ProgramFile, SyntaxErrorsGiveTheLine) {
  expectError("[{\"name\": \"x\",\n \"clamp\": }]", "my.json:2:");
  expectError("", "my.json:1:");
  std::string nan = "[\n" + entry("0.003", "NaN") + "]";
  expectError(nan, "my.json:4:");
  expectError(nan, "JSON has no NaN");
  expectError("[" + entry("0.003", "nan") + "]", "JSON has no NaN");
  expectError("[" + entry("0.003", "-Infinity") + "]", "JSON has no NaN");
}

TEST(ProgramFile, RejectsWrongShapes) {
  expectError("{}", "my.json: expected an array of programs");
  expectError("{\"poly_program_file\": 2, \"programs\": []}",
              "my.json: 'poly_program_file' must be 1");
  expectError("{\"poly_program_file\": 1}",
              "my.json: the key 'programs' must be an array");
  expectError("[]", "my.json: the array holds no programs");
  expectError("[3]", "my.json: program 1: expected an object");
  expectError("[" + entry() + "," + entry() + "]",
              "program 2 ('sigmoid-mine'): the name is used twice");
  expectError("[" + entry("\"name\": \"sigmoid-mine\",", "") + "]",
              "program 1: the key 'name' is missing");
}

TEST(ProgramFile, RejectsBadNumbers) {
  expectMistake("0.003", "\"nan\"", "coefficient 1 is NaN");
  expectMistake("0.003", "\"-NaN\"", "coefficient 1 is NaN");
  expectMistake("0.003", "null", "coefficient 1 is NaN (null)");
  expectMistake("0.003", "1e999", "coefficient 1 is infinite");
  expectMistake("0.25", "\"inf\"", "coefficient 0 is infinite");
  expectMistake("0.25", "\"0.25\"",
                "coefficient 0 must be a number, without quotes");
  expectMistake("-0.01", "true", "coefficient 2 must be a number");
  expectMistake("-0.01", "1e39", "coefficient 2 = 1e+39 overflows bf16");
  expectMistake("-0.01", "1e-60",
                "coefficient 2 = 1e-60 rounds to zero in bf16");
  expectMistake("5.25", "0", "the clamp must be above zero");
  expectMistake("5.25", "-1", "the clamp must be above zero");
  expectMistake("5.25", "null", "the clamp is NaN");
  expectMistake("5.25", "1e999", "the clamp is infinite");
}

TEST(ProgramFile, RejectsBadKeysAndValues) {
  expectMistake("\"clamp\": 5.25,", "", "the key 'clamp' is missing");
  expectMistake("\"form\": \"half\",", "", "the key 'form' is missing");
  expectMistake("\"clamp\"", "\"Clamp\"", "unknown key 'Clamp'");
  expectMistake("\"sigmoid\"", "\"gelu\"", "unknown function 'gelu'");
  expectMistake("\"half\"", "\"horner\"", "unknown form 'horner'");
  expectMistake("\"half\"", "3", "'form' must be a string");
  expectMistake("\"bf16\"", "\"fp16\"", "unknown format 'fp16'");
  expectMistake("\"bf16\"", "\"bf16\", \"to\": \"f16\"",
                "'to' must be narrower than the arithmetic (bf16)");
  expectMistake("\"bf16\"", "\"f32\", \"from\": \"bf16\"",
                "'from' must be f32");
  expectMistake("\"clamp\"", "\"from\": \"f16\", \"clamp\"",
                "'from' must be f32 or the format itself (bf16)");
  expectMistake("[0.25, 0.003, -0.01]", "[]",
                "there must be 1 to 8 coefficients, not 0");
  expectMistake("[0.25, 0.003, -0.01]", "[1,1,1,1,1,1,1,1,1]",
                "there must be 1 to 8 coefficients, not 9");
  expectMistake("[0.25, 0.003, -0.01]", "0.25",
                "'coefficients' must be an array");
  expectMistake("\"sigmoid\"", "\"custom\"",
                "the function 'custom' needs an expression");
  expectMistake("\"sigmoid\"", "\"sigmoid\", \"expression\": \"x\"",
                "an expression goes with the function 'custom'");
  expectMistake("\"sigmoid\"", "\"sigmoid\", \"parameter\": 3",
                "the function 'sigmoid' has no parameter");
  expectMistake("\"sigmoid\"", "\"sigmoid_shift\"",
                "the function 'sigmoid_shift' needs a 'parameter'");
  expectMistake("\"half\"", "\"whole\"", "form 'whole' does not go with");
  expectMistake("\"clamp\"", "\"squarings\": 2, \"clamp\"",
                "'squarings' must be 0 to 4, and 0 but for form 'whole'");
  expectMistake("\"clamp\"", "\"domain\": [3, 1], \"clamp\"",
                "the domain must start below its end");
  expectMistake("\"clamp\"", "\"upper\": [1, 1, 1], \"clamp\"",
                "'upper' needs a 'breakpoint'");
  expectMistake("\"clamp\"", "\"upper\": [1, 1], \"breakpoint\": 2, \"clamp\"",
                "'upper' must have as many coefficients");
  expectMistake("\"clamp\"", "\"breakpoint\": 2, \"clamp\"",
                "'breakpoint' goes with 'upper'");
  expectMistake("\"clamp\"", "\"contract\": {\"inputs\": 65280}, \"clamp\"",
                "the contract lacks the number 'max_abs'");
  expectMistake("\"clamp\"",
                "\"contract\": {\"inputs\": 65280, \"max_abs\": 0.001, "
                "\"max_rel\": 1, \"max_ulp\": 3}, \"clamp\"",
                "the contract says max_abs = 0.001, but the program has ");
  expectError("[" + entry("sigmoid-mine", "a b") + "]",
              "the name must be letters");
  expectError("[" + entry("sigmoid-mine", "") + "]",
              "the name must be letters");
}

} // namespace
