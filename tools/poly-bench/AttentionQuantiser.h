//===- AttentionQuantiser.h - Operands of 8 bits ----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arrays [batch, length, heads, headDim] as 8-bit numbers and factors that
/// give them back, and what the norms of their rows promise about scores.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_ATTENTIONQUANTISER_H
#define POLY_BENCH_ATTENTIONQUANTISER_H

#include "poly/Program/Program.h"

#include <cstdint>
#include <vector>

namespace poly::bench {

enum class FactorsFor { Tensor, Head };

struct ArrayShape {
  int64_t batch, length, heads, headDim;

  int64_t allHeads() const { return batch * heads; }
  size_t elements() const { return size_t(allHeads() * length * headDim); }
  /// Where row \p place of \p head, of [batch, heads], begins.
  size_t row(int64_t head, int64_t place) const;
};

struct Quantised {
  std::vector<uint32_t> elements; ///< Patterns.
  std::vector<float> factors;     ///< One, or one of each [batch, head].

  /// One of each [batch, head].
  std::vector<float> expanded(int64_t heads) const;
};

/// Rounds \p values to \p format, after dividing them by factors that use its
/// range: the greatest element becomes its greatest number; or, with a
/// \p greatestNorm, the norm of no row exceeds that. Throws std::runtime_error
/// where a value is not finite.
Quantised quantise(const std::vector<float> &values, const ArrayShape &shape,
                   Format format, FactorsFor share, double greatestNorm = 0);

/// The greatest norm of a row of each head, as stored, of the elements that are
/// finite: scores of others are not numbers, and no bound is about them.
std::vector<double> rowNorms(const std::vector<uint32_t> &elements,
                             const ArrayShape &shape, Format format);

/// What no product of rows of Q and K exceeds, as stored: by Cauchy and
/// Schwarz the greatest product of norms over the heads.
double productBound(const std::vector<double> &queryNorms,
                    const std::vector<double> &keyNorms, int64_t heads,
                    int64_t keyHeads);

} // namespace poly::bench

#endif // POLY_BENCH_ATTENTIONQUANTISER_H
