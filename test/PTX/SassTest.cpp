//===- SassTest.cpp - What ptxas makes of the kernels that ship -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileTool.h"
#include "CudaTools.h"

#include "poly/Target/Target.h"

#include "gtest/gtest.h"

#include "llvm/Support/FileSystem.h"

#include <fstream>
#include <memory>
#include <regex>

using namespace polytest;

namespace {

const char *const kFiles[] = {"silu.mlir", "sigmoid.mlir", "tanh.mlir",
                              "silu_f32.mlir"};

std::string kernelFile(const std::string &name) {
  return std::string(POLY_KERNELS_DIR) + "/activations/" + name;
}

std::string join(const OpcodeCounts &counts) {
  std::string text;
  for (const auto &[opcode, count] : counts)
    text += opcode + " " + std::to_string(count) + "\n";
  return text;
}

/// Matches an instruction that does arithmetic on (packed) bf16.
bool hasBF16Math(const std::string &ptx) {
  static const std::regex math(
      "\\b(fma|add|sub|mul|min|max|abs|neg|ex2|tanh|set|setp)"
      "(\\.[A-Za-z0-9_]+)*\\.bf16(x2)?\\b");
  return std::regex_search(ptx, math);
}

TEST(PtxText, PatternFindsBF16Math) {
  EXPECT_TRUE(hasBF16Math("\tfma.rn.relu.bf16x2 \t%r1, %r2, %r3, %r4;"));
  EXPECT_TRUE(hasBF16Math("\tmin.NaN.xorsign.abs.bf16x2 \t%r1, %r2, %r3;"));
  EXPECT_TRUE(hasBF16Math("\tsetp.ge.bf16 \t%p1, %rs1, %rs2;"));
  EXPECT_FALSE(hasBF16Math("\tcvt.rn.bf16x2.f32 \t%r1, %r2, %r3;"));
  EXPECT_FALSE(hasBF16Math("\tfma.rn.f16x2 \t%r1, %r2, %r3, %r4;"));
}

//===----------------------------------------------------------------------===//
// The SiLU polynomial on sm_90
//===----------------------------------------------------------------------===//

struct Format {
  const char *name, *program;
  /// HFMA2 and HMUL2: three fma and one mul; |y| is an operand modifier in f16
  /// and an HFMA2 of its own in bf16.
  unsigned mathPerEvaluation;
};

class SiluPolynomial : public testing::TestWithParam<Format> {
protected:
  /// The kernel file compiled so that the bound, not a name, picks a program.
  void SetUp() override {
    tool = std::make_unique<CompileTool>(std::string("sass-silu-") +
                                         GetParam().name);
    result = tool->compileFile(kernelFile("silu.mlir"),
                               {"--chip=sm_90", "--budget=atol=5e-2"});
    ASSERT_EQ(result.exitCode, 0) << result.messages;
    kernel = std::string("silu_") + GetParam().name;
  }
  void TearDown() override {
    if (!HasFailure())
      tool->discard();
  }

  std::unique_ptr<CompileTool> tool;
  CompileResult result;
  std::string kernel;
};

TEST_P(SiluPolynomial, IsChosenByTheBudget) {
  unsigned sites = 0;
  for (const Decision &decision : result.decisions) {
    if (decision.function != kernel)
      continue;
    ++sites;
    EXPECT_EQ(decision.decision, "applied") << decision.reason;
    EXPECT_EQ(decision.program, GetParam().program);
  }
  EXPECT_EQ(sites, 2u); // The vector body and the scalar tail.
}

TEST_P(SiluPolynomial, PtxHasNoRoundTripsThroughF32) {
  EXPECT_EQ(result.ptx.find("cvt.f32."), std::string::npos);
  EXPECT_EQ(result.ptx.find("cvt.rn."), std::string::npos);
  EXPECT_EQ(result.ptx.find("ex2."), std::string::npos);
  EXPECT_EQ(result.ptx.find("call"), std::string::npos);
  EXPECT_NE(result.ptx.find("ld.global.v4.b32"), std::string::npos);
  EXPECT_NE(result.ptx.find("st.global.v4.b32"), std::string::npos);
}

TEST_P(SiluPolynomial, SassIsPackedMathOnly) {
  std::string ptxas = findCudaTool("ptxas");
  std::string nvdisasm = findCudaTool("nvdisasm");
  if (ptxas.empty())
    GTEST_SKIP() << "ptxas is not installed";
  if (nvdisasm.empty())
    GTEST_SKIP() << "nvdisasm is not installed";
  std::string cubin = tool->outputPath() + ".cubin", log;
  ASSERT_EQ(
      runTool(ptxas,
              {"-arch=sm_90", "-O3", "-v", tool->outputPath(), "-o", cubin},
              log),
      0)
      << log;
  EXPECT_EQ(log.find("error"), std::string::npos) << log;
  // Each kernel's line must say that nothing is spilled.
  std::regex spills("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, "
                    "([0-9]+) bytes spill loads");
  unsigned kernels = 0;
  for (std::sregex_iterator it(log.begin(), log.end(), spills), end; it != end;
       ++it, ++kernels)
    for (int group = 1; group <= 3; ++group)
      EXPECT_EQ((*it)[group].str(), "0") << log;
  EXPECT_EQ(kernels, 2u) << log;

  std::string listing;
  ASSERT_EQ(runTool(nvdisasm, {"-c", cubin}, listing), 0) << listing;
  llvm::sys::fs::remove(cubin);
  OpcodeCounts counts = countOpcodes(listing, kernel);
  SCOPED_TRACE(join(counts));
  for (const char *opcode :
       {"MUFU", "FCHK", "CALL", "F2F", "F2FP", "HADD2", "FFMA", "FMUL", "FADD",
        "LDL", "STL", "LD", "ST"}) {
    // HADD2.F32 is how half precision widens.
    EXPECT_EQ(total(counts, opcode), 0u) << opcode;
  }
  EXPECT_EQ(total(counts, "LDG.E.128"), 1u);
  EXPECT_EQ(total(counts, "STG.E.128"), 1u);
  // A clamp an evaluation: four in the vector body, the others in the tail.
  unsigned evaluations = total(counts, "HMNMX2");
  EXPECT_GE(evaluations, 5u);
  EXPECT_EQ(total(counts, "HFMA2") + total(counts, "HMUL2"),
            evaluations * GetParam().mathPerEvaluation);
}

INSTANTIATE_TEST_SUITE_P(Sm90, SiluPolynomial,
                         testing::Values(Format{"bf16", "silu-half3-bf16x2", 5},
                                         Format{"f16", "silu-half3-f16x2", 4}),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

//===----------------------------------------------------------------------===//
// All chips
//===----------------------------------------------------------------------===//

std::vector<std::string> allChips() {
  std::vector<std::string> chips;
  for (const poly::TargetModel *target : poly::allTargets())
    chips.emplace_back(target->chip);
  return chips;
}

class EveryChip : public testing::TestWithParam<std::string> {};

std::string chipName(const testing::TestParamInfo<std::string> &info) {
  return info.param;
}

/// Options under which the plan finds a program wherever the chip has one.
std::vector<std::string> generous(const std::string &chip) {
  return {"--chip=" + chip, "--policy=opt-in", "--round-inputs"};
}

TEST_P(EveryChip, PtxNamesTheChipAndFitsIt) {
  unsigned sm = poly::findTarget(GetParam())->sm;
  for (const char *file : kFiles) {
    SCOPED_TRACE(file);
    CompileTool tool("chip-" + GetParam() + "-" + file);
    CompileResult result =
        tool.compileFile(kernelFile(file), generous(GetParam()));
    ASSERT_EQ(result.exitCode, 0) << result.messages;
    EXPECT_NE(result.ptx.find(".target " + GetParam()), std::string::npos);
    if (sm < 80) {
      EXPECT_FALSE(hasBF16Math(result.ptx));
    }
    tool.discard();
  }
}

TEST_P(EveryChip, PtxasAccepts) {
  std::string ptxas = findCudaTool("ptxas"), log;
  if (ptxas.empty())
    GTEST_SKIP() << "ptxas is not installed";
  // An empty module tells a chip that this ptxas lacks from bad code.
  std::string empty = testing::TempDir() + "poly-empty-" + GetParam() + ".ptx";
  std::ofstream(empty) << ".version 8.0\n.target " << GetParam()
                       << "\n.address_size 64\n";
  runTool(ptxas, {"-arch=" + GetParam(), empty, "-o", empty + ".cubin"}, log);
  llvm::sys::fs::remove(empty);
  llvm::sys::fs::remove(empty + ".cubin");
  if (log.find("is not defined for option 'gpu-name'") != std::string::npos)
    GTEST_SKIP() << "the installed ptxas does not know " << GetParam();
  for (const char *file : kFiles) {
    SCOPED_TRACE(file);
    for (const char *policy : {"--policy=opt-in", "--policy=off"}) {
      SCOPED_TRACE(policy);
      CompileTool tool("ptxas-" + GetParam() + "-" + file);
      std::vector<std::string> options = generous(GetParam());
      options[1] = policy;
      CompileResult result = tool.compileFile(kernelFile(file), options);
      ASSERT_EQ(result.exitCode, 0) << result.messages;
      std::string cubin = tool.outputPath() + ".cubin";
      EXPECT_EQ(runTool(ptxas,
                        {"-arch=" + GetParam(), tool.outputPath(), "-o", cubin},
                        log),
                0)
          << log;
      llvm::sys::fs::remove(cubin);
      tool.discard();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, EveryChip, testing::ValuesIn(allChips()),
                         chipName);

//===----------------------------------------------------------------------===//
// The listing reader
//===----------------------------------------------------------------------===//

TEST(Sass, OpcodesAreCountedPerKernel) {
  const std::string listing =
      "\t.section\t.text.a,\"ax\",@progbits\n"
      "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
      "        /*0010*/              @!P0 LDG.E.128 R4, desc[UR4][R2.64] ;\n"
      ".L_x_0:\n"
      "        /*0020*/                   EXIT ;\n"
      "\t.section\t.text.ab,\"ax\",@progbits\n"
      "        /*0000*/                   MUFU.EX2 R1, R2 ;\n";
  OpcodeCounts counts = countOpcodes(listing, "a");
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_EQ(total(counts, "LDG.E"), 1u);
  EXPECT_EQ(total(counts, "LD"), 0u);
  EXPECT_EQ(total(counts, "MUFU"), 0u);
  EXPECT_EQ(total(countOpcodes(listing, "ab"), "MUFU"), 1u);
}

} // namespace
