//===- ExponentialSassTest.cpp - Instructions of the exponentials ---------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the lattices are for: no special function unit and no conversion, and
/// as many instructions as the cost model counts.
///
//===----------------------------------------------------------------------===//

#include "CompileTool.h"
#include "CudaTools.h"

#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

using namespace polytest;

namespace {

struct Case {
  const char *program, *source, *result;
  unsigned lanes;
  /// Of one evaluation. Integer multiply-adds by powers of two may be LEA, and
  /// shifts IMAD.SHL or SHF.
  unsigned fma, max, prmt, convert, integer;
};

const Case kCases[] = {
    {"exp2-h15-f32", "f32", "f32", 1, 1, 1, 0, 0, 1},
    {"exp2-h15mad-f32-bf16x2", "f32", "bf16", 2, 2, 2, 0, 0, 2},
    {"exp2-h15baremad-f32-bf16x2", "f32", "bf16", 2, 2, 0, 0, 0, 2},
    {"exp2-h15bare-f32-bf16x2", "f32", "bf16", 2, 2, 0, 1, 0, 1},
    {"exp2-lattice7-f32-bf16x2", "f32", "bf16", 2, 2, 2, 1, 0, 0},
    {"exp2-lattice7sat-f32-bf16x2", "f32", "bf16", 2, 4, 0, 1, 0, 0},
    {"exp2-lattice7bare-f32-bf16x2", "f32", "bf16", 2, 2, 0, 1, 0, 0},
    {"exp2-lattice3-f32-e4m3x4", "f32", "f8E4M3FN", 4, 0, 0, 1, 2, 0},
    {"exp2-lattice3-f16-e4m3x4", "f16", "f8E4M3FN", 4, 0, 0, 1, 0, 0}};

std::string kernelText(const Case &test) {
  auto typed = [&](const char *element) {
    return test.lanes == 1
               ? std::string(element)
               : "vector<" + std::to_string(test.lanes) + "x" + element + ">";
  };
  std::string in = std::string("memref<?x") + test.source + ">";
  std::string out = std::string("memref<?x") + test.result + ">";
  std::string text = "gpu.module @m {\n  gpu.func @run(%in: " + in +
                     ", %out: " + out +
                     ") kernel {\n    %i = arith.constant 0 : index\n";
  bool isVector = test.lanes > 1;
  text += isVector ? "    %x = vector.load %in[%i] {alignment = 8} : " + in +
                         ", " + typed(test.source) + "\n"
                   : "    %x = memref.load %in[%i] : " + in + "\n";
  text += std::string("    %y = poly.apply <\"") + test.program +
          "\"> %x : " + typed(test.source) + " to " + typed(test.result) + "\n";
  text += isVector ? "    vector.store %y, %out[%i] {alignment = 4} : " + out +
                         ", " + typed(test.result) + "\n"
                   : "    memref.store %y, %out[%i] : " + out + "\n";
  return text + "    gpu.return\n  }\n}\n";
}

class ExponentialSass : public testing::TestWithParam<Case> {};

TEST_P(ExponentialSass, HasNoSpecialFunctionAndNoConversion) {
  std::string ptxas = findCudaTool("ptxas");
  std::string nvdisasm = findCudaTool("nvdisasm");
  if (ptxas.empty() || nvdisasm.empty())
    GTEST_SKIP() << "ptxas or nvdisasm is not installed";
  const Case &test = GetParam();
  CompileTool tool(std::string("sass-") + test.program);
  CompileResult result = tool.compile(kernelText(test), {"--chip=sm_90"});
  ASSERT_EQ(result.exitCode, 0) << result.messages;
  std::string cubin = tool.outputPath() + ".cubin", log, listing;
  ASSERT_EQ(runTool(ptxas,
                    {"-arch=sm_90", "-O3", tool.outputPath(), "-o", cubin},
                    log),
            0)
      << log;
  ASSERT_EQ(runTool(nvdisasm, {"-c", cubin}, listing), 0) << listing;
  llvm::sys::fs::remove(cubin);
  OpcodeCounts counts = countOpcodes(listing, "run");
  std::string all;
  for (const auto &[opcode, count] : counts)
    all += opcode + " " + std::to_string(count) + "\n";
  SCOPED_TRACE(all);
  EXPECT_EQ(total(counts, "MUFU"), 0u);
  EXPECT_EQ(total(counts, "F2FP"), test.convert);
  EXPECT_EQ(total(counts, "F2F"), 0u);
  EXPECT_EQ(total(counts, "FFMA"), test.fma);
  EXPECT_EQ(total(counts, "FMNMX"), test.max);
  // A constant for both lanes may be made by one more.
  EXPECT_GE(total(counts, "PRMT"), test.prmt);
  EXPECT_LE(total(counts, "PRMT"), test.prmt + 1);
  // The rest of the kernel has a few integer moves of its own.
  EXPECT_GE(total(counts, "IMAD") + total(counts, "LEA") +
                total(counts, "SHF") + total(counts, "IADD3"),
            test.integer);
  tool.discard();
}

INSTANTIATE_TEST_SUITE_P(Sm90, ExponentialSass, testing::ValuesIn(kCases),
                         [](const auto &info) {
                           std::string name = info.param.program;
                           for (char &c : name)
                             if (c == '-')
                               c = '_';
                           return name;
                         });

} // namespace
