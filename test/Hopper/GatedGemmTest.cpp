//===- GatedGemmTest.cpp - Gated GEMM kernels in the emulator -------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HopperRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace polytest;
using poly::Format;

namespace {

struct Case {
  const char *name;
  std::vector<std::string> kernel, compile;
  unsigned rows, depth, columns;
  /// Rows of each expert; none for one matrix of weights.
  std::vector<int32_t> experts;
  double limit;
  unsigned blocks = 2;
};

void PrintTo(const Case &item, std::ostream *stream) { *stream << item.name; }

class GatedGemm : public ::testing::TestWithParam<Case> {};

double silu(double x) { return x / (1 + std::exp(-x)); }

struct Arrays {
  std::vector<double> x, w;
  std::vector<int32_t> offsets;
  uint64_t output, arrivals;
};

size_t matricesOf(const Case &item) {
  return item.experts.empty() ? 1 : item.experts.size();
}

/// Uploads and names everything that \p kernel takes.
Arrays bind(HopperRun &run, const HopperKernel &kernel, const Case &item) {
  Arrays arrays;
  size_t matrices = matricesOf(item);
  arrays.x = run.randomNumbers(size_t(item.rows) * item.depth, 1, 1);
  arrays.w = run.randomNumbers(matrices * 2 * item.columns * item.depth,
                               1.5 / std::sqrt(double(item.depth)), 2);
  arrays.output = run.poisoned(size_t(item.rows) * item.columns, kernel.type);
  run.tensor("input", run.upload(arrays.x),
             {{"depth", item.depth}, {"rows", item.rows}},
             {{"rows", item.depth}})
      .tensor("weight", run.upload(arrays.w),
              {{"depth", item.depth},
               {"columns", item.columns},
               {"gateUp", 2},
               {"experts", matrices}},
              {{"columns", item.depth},
               {"gateUp", uint64_t(item.columns) * item.depth},
               {"experts", uint64_t(2) * item.columns * item.depth}})
      .tensor("output", arrays.output,
              {{"columns", item.columns}, {"rows", item.rows}},
              {{"rows", item.columns}})
      .integer("rows", item.rows)
      .integer("columns", item.columns)
      .integer("depth", item.depth);
  arrays.offsets = {3};
  for (int32_t count : item.experts)
    arrays.offsets.push_back(arrays.offsets.back() + count);
  run.pointer("offsets", run.uploadWords(arrays.offsets));
  uint64_t sums = uint64_t(kernel.metadata.integer("partialBytesPerBlock", 0) /
                           sizeof(float));
  arrays.arrivals = run.uploadWords(std::vector<int32_t>(item.blocks, 0));
  run.pointer("partialSums", run.poisoned(sums * item.blocks, Format::F32))
      .pointer("arrivals", arrays.arrivals);
  return arrays;
}

TEST_P(GatedGemm, IsRight) {
  const Case &item = GetParam();
  HopperKernel kernel = buildHopperKernel(item.name, item.kernel, item.compile);
  ASSERT_TRUE(kernel.module);
  HopperRun run(kernel);
  if (kernel.metadata.info.find("splitTiles"))
    run.allTogether();
  Arrays arrays = bind(run, kernel, item);
  ASSERT_EQ(run.run(item.blocks), "");
  // As the next launch wants them.
  EXPECT_EQ(run.download(arrays.arrivals, item.blocks, Format::F32),
            std::vector<double>(item.blocks, 0));

  const std::vector<double> &x = arrays.x, &w = arrays.w;
  const std::vector<int32_t> &offsets = arrays.offsets;
  size_t matrices = matricesOf(item);
  size_t outputs = size_t(item.rows) * item.columns;
  std::vector<double> results =
      run.download(arrays.output, outputs, kernel.type);
  std::vector<double> truth, computed;
  for (size_t matrix = 0; matrix < matrices; ++matrix) {
    unsigned first = item.experts.empty() ? 0 : unsigned(offsets[matrix]);
    unsigned end =
        item.experts.empty() ? item.rows : unsigned(offsets[matrix + 1]);
    for (unsigned row = first; row < end; ++row)
      for (unsigned column = 0; column < item.columns; ++column) {
        double sums[2] = {0, 0};
        for (unsigned part = 0; part < 2; ++part)
          for (unsigned d = 0; d < item.depth; ++d)
            sums[part] +=
                x[size_t(row) * item.depth + d] *
                w[((matrix * 2 + part) * item.columns + column) * item.depth +
                  d];
        truth.push_back(silu(sums[0]) * sums[1]);
        computed.push_back(results[size_t(row) * item.columns + column]);
      }
  }
  double error = relativeError(computed, truth);
  EXPECT_LE(error, item.limit);
  EXPECT_GE(error, item.limit / 3);
  if (item.experts.empty())
    return;
  // Rows of no expert keep what they had.
  for (unsigned row = 0; row < item.rows; ++row) {
    if (int32_t(row) >= offsets.front() && int32_t(row) < offsets.back())
      continue;
    for (unsigned column = 0; column < item.columns; ++column)
      EXPECT_TRUE(std::isnan(results[size_t(row) * item.columns + column]))
          << row;
  }
}

const Case kCases[] = {
    {"plain",
     {"swiglu-gemm", "--epilogue=plain", "--tile-columns=64"},
     {"--programs=silu-sfu-f32"},
     150,
     136,
     72,
     {},
     2.5e-3},
    // Two columns of tiles and two rows of them, on two blocks.
    {"deferred",
     {"swiglu-gemm", "--tile-columns=24"},
     {"--programs=silu-sfu-f32"},
     150,
     200,
     48,
     {},
     4.5e-3},
    {"pair",
     {"swiglu-gemm", "--tile-columns=24", "--cluster=2"},
     {"--programs=silu-sfu-f32"},
     150,
     136,
     32,
     {},
     4.5e-3},
    // A tall tile for each of the two blocks; of the third a half each, the
    // lower of which has 22 rows.
    {"tall",
     {"swiglu-gemm", "--epilogue=plain", "--tall-tiles", "--tile-columns=24"},
     {"--programs=silu-sfu-f32"},
     150,
     136,
     72,
     {},
     2.5e-3},
    // A whole tile for each of three blocks, which then share the fourth: a
    // third of its four steps and one of its three groups of columns each.
    {"split",
     {"swiglu-gemm", "--tile-columns=24", "--split-tiles"},
     {"--programs=silu-sfu-f32"},
     150,
     200,
     48,
     {},
     4.5e-3,
     3},
    // Ten parts of a tile that has nine groups of columns and ten steps: nine
    // blocks share it, more than one round of loads, and one has nothing to do.
    {"splitMany",
     {"swiglu-gemm", "--epilogue=plain", "--tile-columns=72", "--split-tiles"},
     {"--programs=silu-sfu-f32"},
     70,
     600,
     64,
     {},
     2.5e-3,
     10},
    // Three tiles for four blocks: nothing to share.
    {"splitNothing",
     {"swiglu-gemm", "--tile-columns=24", "--split-tiles"},
     {"--programs=silu-sfu-f32"},
     20,
     136,
     72,
     {},
     4.5e-3,
     4},
    {"experts",
     {"swiglu-gemm", "--tile-columns=64", "--experts=5"},
     {"--programs=silu-sfu-f32"},
     190,
     72,
     40,
     {0, 1, 130, 0, 50},
     4.5e-3},
};
INSTANTIATE_TEST_SUITE_P(Kernels, GatedGemm, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

/// The case that is called \p name.
const Case &caseOf(const std::string &name) {
  const Case *found =
      std::find_if(std::begin(kCases), std::end(kCases),
                   [&](const Case &c) { return c.name == name; });
  EXPECT_NE(found, std::end(kCases)) << name;
  return *found;
}

/// Replaces the instruction that begins with \p opcode.
void replaceOnce(std::string &text, const std::string &opcode,
                 const std::string &with) {
  size_t at = text.find(opcode);
  ASSERT_NE(at, std::string::npos) << opcode;
  EXPECT_EQ(text.find(opcode, at + 1), std::string::npos) << opcode;
  text.replace(at, opcode.size(), with);
}

TEST(SplitTiles, PartsAreAwaited) {
  const Case &item = caseOf("split");
  HopperKernel kernel =
      buildHopperKernel("split-awaited", item.kernel, item.compile);
  ASSERT_TRUE(kernel.module);
  // The last block's part is there only when it has run.
  HopperRun before(kernel);
  bind(before, kernel, item);
  std::string error = before.run(item.blocks);
  EXPECT_NE(error.find("deadlock"), std::string::npos) << error;

  // As if all had arrived: what is not there is NaN.
  std::string text = kernel.ptx;
  size_t load = text.find("ld.acquire.gpu.global.b32 ");
  ASSERT_NE(load, std::string::npos);
  size_t comma = text.find(',', load), end = text.find(';', load);
  text.replace(comma, end - comma, ", 1000");
  replaceOnce(text, "ld.acquire.gpu.global.b32 ", "mov.b32 ");
  kernel.module = PtxModule::parse(text, error, PtxDialect::WholeKernels);
  ASSERT_TRUE(kernel.module) << error;
  HopperRun run(kernel);
  Arrays arrays = bind(run, kernel, item);
  ASSERT_EQ(run.run(item.blocks), "");
  std::vector<double> results = run.download(
      arrays.output, size_t(item.rows) * item.columns, kernel.type);
  EXPECT_TRUE(std::any_of(results.begin(), results.end(),
                          [](double x) { return std::isnan(x); }));
}

TEST(SplitTiles, ResultsDoNotDependOnTiming) {
  const Case &item = caseOf("split");
  HopperKernel kernel =
      buildHopperKernel("split-timing", item.kernel, item.compile);
  ASSERT_TRUE(kernel.module);
  std::vector<double> first;
  for (uint32_t seed : {0u, 1u, 2u}) {
    HopperRun run(kernel);
    run.allTogether();
    Arrays arrays = bind(run, kernel, item);
    ASSERT_EQ(run.run(item.blocks, seed), "");
    std::vector<double> results = run.download(
        arrays.output, size_t(item.rows) * item.columns, kernel.type);
    if (first.empty())
      first = results;
    EXPECT_EQ(results, first);
  }
}

} // namespace
