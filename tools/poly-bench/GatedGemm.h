//===- GatedGemm.h - Gated GEMMs on the GPU ---------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A gated GEMM's arrays on both sides, and the check that comes before any
/// timing.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_GATEDGEMM_H
#define POLY_BENCH_GATEDGEMM_H

#include "Cases.h"
#include "GatedGemmReference.h"

#include <deque>

namespace poly::bench {

struct GatedProblem {
  Format type = Format::BF16;
  GatedGemmShape shape;
  /// Standard deviation of gate and up.
  double spread = 1.5;

  /// "bf16, 24576 x 2048 x 1280", with the number of experts.
  std::string name() const;
};

/// What \p kernel says that it computes.
GatedOperator operatorOf(const runtime::KernelMetadata &kernel);
/// Empty, or why \p kernel cannot take \p shape.
std::string problemOf(const runtime::KernelMetadata &kernel,
                      const GatedGemmShape &shape);

/// A problem's arrays and some rows of its true products.
class GatedData {
public:
  /// Inputs are drawn anew for each \p seed.
  GatedData(const GatedProblem &problem, uint32_t seed);

  GatedProblem problem;
  runtime::Buffer input, weight, output;
  std::optional<runtime::Buffer> offsets;
  GatedProducts products;

  /// The kernel's values for \p blocks blocks; tensor maps are encoded once.
  /// Throws std::invalid_argument for shapes that the kernel cannot take.
  runtime::Arguments bind(const runtime::KernelMetadata &kernel,
                          unsigned blocks);
  /// Makes all of the output NaN, and some rows behind it.
  void poison();
  /// The output's bytes, with the rows behind it.
  std::vector<unsigned char> download() const;
  /// What \p bytes have at the sampled rows.
  std::vector<double> sampled(const std::vector<unsigned char> &bytes) const;
  /// Empty, or what \p bytes show to be wrong wherever values are not compared:
  /// NaN in a row that has a result, or anything else in one that has none.
  std::string untouchedProblem(const std::vector<unsigned char> &bytes) const;

private:
  size_t rowBytes() const;
  runtime::Buffer &newWorkspace(size_t bytes, unsigned char value);

  /// What blocks leave for one another, of all kernels that were bound.
  std::deque<runtime::Buffer> workspaces;
};

/// Blocks to launch.
unsigned blocksFor(const runtime::KernelMetadata &kernel,
                   const GatedGemmShape &shape, int multiprocessors);

/// Runs the kernel and compares; reruns must agree in every bit. Sets the
/// case's fault, and its details when \p isDetailed.
void checkGated(Case &item, GatedData &data, const Session &session,
                unsigned reruns, bool isDetailed);
/// The problems that come before the one that is timed: tails in all
/// dimensions, more tiles than multiprocessors, two spreads of the gate; with
/// experts, empty ones, single rows, all rows in one, uneven ones.
void checkSmallProblems(std::vector<Case> &cases, Format type,
                        const Session &session, uint32_t seed);

} // namespace poly::bench

#endif // POLY_BENCH_GATEDGEMM_H
