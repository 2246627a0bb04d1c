//===- Float8Attention.h - Attention of 8-bit numbers to run ----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A problem for attention kernels of 8-bit numbers in the emulator: its arrays
/// and factors, which a test may change before it runs the kernel, and the
/// results.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_HOPPER_FLOAT8ATTENTION_H
#define POLY_TEST_HOPPER_FLOAT8ATTENTION_H

#include "AttentionReference.h"
#include "HopperRun.h"

namespace polytest {

struct Float8Shape {
  unsigned batches, heads, keyHeads, queries, keys;
  double spread; ///< Of the queries.
};

/// V [B, S, H, D] as the kernels read it, [B, H, D, S padded to 16], its keys
/// in the order that kernels/attention/Values.h says.
std::vector<double> transposedValues(const std::vector<double> &v,
                                     const Float8Shape &shape, unsigned dim);
unsigned paddedKeys(unsigned keys);

class Float8Attention {
public:
  /// Numbers that are normally distributed; factors of each head of Q, of each
  /// key head of K, and one for all of V.
  Float8Attention(const HopperKernel &kernel, const Float8Shape &shape);

  const Float8Shape shape;
  const unsigned dim;
  const bool hasLogs; ///< Whether the kernel writes the log-sum-exp.
  /// [batch, length, heads, dim]. Infinities need a type that has them.
  std::vector<double> q, k, v;
  std::vector<float> queryScales, keyScales, valueScales = {0.5f};
  double cap = 50;
  /// No weight of a sigmoid comes near 448 / 512.
  double weightScale = 512;

  /// Runs two blocks; "" or what went wrong.
  std::string run();

  /// In the order of rows: batches, heads and queries, the last ones fastest.
  std::vector<poly::bench::AttentionRow> rows;
  size_t rowCount() const {
    return size_t(shape.batches) * shape.heads * shape.queries;
  }
  /// Of exact weights, and of a program's.
  poly::bench::AttentionReference reference() const;
  poly::bench::AttentionProblem problem() const;

private:
  const HopperKernel &kernel;
};

} // namespace polytest

#endif // POLY_TEST_HOPPER_FLOAT8ATTENTION_H
