//===- MistakesTest.cpp - What the emulator finds in wrong kernels --------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HopperRun.h"

#include "gtest/gtest.h"

using namespace polytest;

namespace {

constexpr unsigned kRows = 130, kDepth = 264, kColumns = 72;

/// The gated GEMM, built once; tests change a copy of its text.
const HopperKernel &original() {
  // Each test may run in a process of its own, at the same time.
  static const HopperKernel kernel = buildHopperKernel(
      std::string("mistakes-") +
          ::testing::UnitTest::GetInstance()->current_test_info()->name(),
      {"swiglu-gemm", "--epilogue=plain", "--tile-columns=64"},
      {"--programs=silu-sfu-f32"});
  return kernel;
}

/// What running \p text says, "" if nothing; its output goes to
/// \p results.
std::string runText(const std::string &text, uint32_t seed = 0,
                    std::vector<double> *results = nullptr) {
  HopperKernel kernel;
  std::string error;
  kernel.metadata = original().metadata;
  kernel.type = original().type;
  kernel.module = PtxModule::parse(text, error, PtxDialect::WholeKernels);
  if (!kernel.module)
    return error;
  HopperRun run(kernel);
  size_t outputs = size_t(kRows) * kColumns;
  uint64_t output = run.poisoned(outputs, kernel.type);
  run.tensor("input", run.upload(run.randomNumbers(kRows * kDepth, 1, 1)),
             {{"depth", kDepth}, {"rows", kRows}}, {{"rows", kDepth}})
      .tensor("weight",
              run.upload(run.randomNumbers(2 * kColumns * kDepth, 0.1, 2)),
              {{"depth", kDepth}, {"columns", kColumns}, {"gateUp", 2}},
              {{"columns", kDepth}, {"gateUp", kColumns * kDepth}})
      .tensor("output", output, {{"columns", kColumns}, {"rows", kRows}},
              {{"rows", kColumns}})
      .integer("rows", kRows)
      .integer("columns", kColumns)
      .integer("depth", kDepth);
  error = run.run(2, seed);
  if (results)
    *results = run.download(output, outputs, kernel.type);
  return error;
}

/// The kernel without the instructions that begin with \p opcode.
std::string without(const std::string &opcode) {
  return withoutInstructions(original().ptx, opcode);
}

TEST(Mistakes, OrderOfWarpsDoesNotMatter) {
  ASSERT_TRUE(original().module);
  std::vector<double> first, other;
  EXPECT_EQ(runText(original().ptx, 0, &first), "");
  for (uint32_t seed : {1u, 2u, 3u}) {
    EXPECT_EQ(runText(original().ptx, seed, &other), "");
    EXPECT_EQ(first, other);
  }
}

TEST(Mistakes, MissingWaitForProducts) {
  std::string error = runText(without("wgmma.wait_group"));
  EXPECT_NE(error.find("wgmma in flight"), std::string::npos) << error;
}

TEST(Mistakes, MissingFenceBeforeTheCopyEngine) {
  std::string error = runText(without("fence.proxy.async"));
  EXPECT_NE(error.find("fence"), std::string::npos) << error;
}

TEST(Mistakes, MissingCommit) {
  EXPECT_NE(runText(without("wgmma.commit_group")), "");
}

TEST(Mistakes, NothingArrives) {
  std::string error = runText(without("mbarrier.arrive.expect_tx"));
  EXPECT_NE(error.find("wait"), std::string::npos) << error;
}

TEST(Mistakes, BuffersAreNeverReleased) {
  // Two tiles of a block have more steps than the pipeline has stages.
  std::string error = runText(without("mbarrier.arrive.shared"));
  EXPECT_NE(error.find("wait"), std::string::npos) << error;
}

TEST(Mistakes, BarrierIsNotInitialised) {
  EXPECT_NE(runText(without("mbarrier.init")), "");
}

TEST(Mistakes, UnknownInstructionsAreErrors) {
  std::string text = original().ptx;
  size_t at = text.find("wgmma.commit_group");
  text.replace(at, 18, "wgmma.commit_gruop");
  std::string error = runText(text);
  EXPECT_NE(error.find("line "), std::string::npos) << error;
}

} // namespace
