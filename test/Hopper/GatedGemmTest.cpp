//===- GatedGemmTest.cpp - Gated GEMM kernels in the emulator -------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HopperRun.h"

#include "gtest/gtest.h"

#include <cmath>
#include <numeric>

using namespace polytest;

namespace {

struct Case {
  const char *name;
  std::vector<std::string> kernel, compile;
  unsigned rows, depth, columns;
  /// Rows of each expert; none for one matrix of weights.
  std::vector<int32_t> experts;
  double limit;
};

void PrintTo(const Case &item, std::ostream *stream) { *stream << item.name; }

class GatedGemm : public ::testing::TestWithParam<Case> {};

double silu(double x) { return x / (1 + std::exp(-x)); }

TEST_P(GatedGemm, IsRight) {
  const Case &item = GetParam();
  HopperKernel kernel = buildHopperKernel(item.name, item.kernel, item.compile);
  ASSERT_TRUE(kernel.module);
  HopperRun run(kernel);
  size_t matrices = item.experts.empty() ? 1 : item.experts.size();
  size_t inputs = size_t(item.rows) * item.depth;
  size_t outputs = size_t(item.rows) * item.columns;
  size_t weights = matrices * 2 * item.columns * item.depth;
  std::vector<double> x = run.randomNumbers(inputs, 1, 1);
  std::vector<double> w =
      run.randomNumbers(weights, 1.5 / std::sqrt(double(item.depth)), 2);
  uint64_t output = run.poisoned(outputs, kernel.type);
  run.tensor("input", run.upload(x),
             {{"depth", item.depth}, {"rows", item.rows}},
             {{"rows", item.depth}})
      .tensor("weight", run.upload(w),
              {{"depth", item.depth},
               {"columns", item.columns},
               {"gateUp", 2},
               {"experts", matrices}},
              {{"columns", item.depth},
               {"gateUp", uint64_t(item.columns) * item.depth},
               {"experts", uint64_t(2) * item.columns * item.depth}})
      .tensor("output", output,
              {{"columns", item.columns}, {"rows", item.rows}},
              {{"rows", item.columns}})
      .integer("rows", item.rows)
      .integer("columns", item.columns)
      .integer("depth", item.depth);
  std::vector<int32_t> offsets = {3};
  for (int32_t count : item.experts)
    offsets.push_back(offsets.back() + count);
  run.pointer("offsets", run.uploadWords(offsets));
  ASSERT_EQ(run.run(2), "");

  std::vector<double> results = run.download(output, outputs, kernel.type);
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

} // namespace
