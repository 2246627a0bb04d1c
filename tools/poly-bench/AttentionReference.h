//===- AttentionReference.h - Attention, row by row -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What attention kernels are compared with: the true result of a row, in
/// float64; and the result with weights that a Program computes, which is what
/// a kernel that has that program must reproduce.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_ATTENTIONREFERENCE_H
#define POLY_BENCH_ATTENTIONREFERENCE_H

#include "Parallel.h"

#include "poly/Program/Program.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace poly::bench {

constexpr double kLog2E = 1.4426950408889634;

/// Arrays are [batch, length, heads, headDim].
struct AttentionProblem {
  std::string score; ///< softmax, softcap, sigmoid or identity.
  bool causal = false;
  int64_t batch = 1, queryLength = 1, keyLength = 1, heads = 1, keyHeads = 1;
  int64_t headDim = 1;
  double cap = 0; ///< Of a softcap.
  /// What arrays of 8-bit numbers are multiplied by, for each [batch, head] or
  /// [batch, keyHead]; empty for ones.
  std::vector<float> queryFactors, keyFactors, valueFactors;
  /// Weights are e4m3, scaled by powers of two as the kernels do.
  bool hasE4M3Weights = false;
  /// What a row's exponents have in common is a whole number of octaves, as it
  /// always is with weights of e4m3.
  bool hasWholeOffsets = false;

  double scale() const;
  double bias() const; ///< Of a sigmoid: -log(keyLength).
  int64_t causalShift() const { return keyLength - queryLength; }
  /// Keys that query \p row sees.
  int64_t visible(int64_t row) const;
  int64_t rows() const { return batch * heads * queryLength; }
  /// Of the row's head in the arrays of factors, [B, H] and [B, Hk].
  int64_t headOf(int64_t index) const { return index / queryLength; }
  int64_t keyHeadOf(int64_t index) const;
  /// The factors of the row's products of queries and keys, and of its values.
  float scoreFactor(int64_t index) const;
  float valueFactor(int64_t index) const;
};

struct AttentionRow {
  std::vector<double> output;
  double logSumExp = 0; ///< Of softmax and softcap.
};

/// Which maximum a softmax subtracts when a program computes its weights.
enum class RowMaximum {
  Final,  ///< The row's, for all keys: the operator as papers write it.
  Running ///< That of the tiles so far, the last tile first, as kernels do.
};

class AttentionReference {
public:
  /// The arrays' elements must be exact in f32.
  AttentionReference(const AttentionProblem &problem, std::vector<float> query,
                     const std::vector<float> &key,
                     const std::vector<float> &value)
      : problem(problem), query(std::move(query)), key(byHead(key)),
        value(byHead(value)) {}

  /// Row \p index counts batches, heads and queries, the last ones fastest.
  AttentionRow truth(int64_t index) const;
  /// The row's weights of all keys, zero for those that it does not see.
  std::vector<double> weights(int64_t index) const;
  /// With the weights of \p program (exp2), rounded to its result type, or to
  /// e4m3, before they are summed; scores and exponents are of its argument's
  /// type, f32 or f16. \p tileKeys counts for a running maximum. Of score
  /// softmax.
  AttentionRow replayed(int64_t index, const Program &program,
                        RowMaximum maximum, int64_t tileKeys) const;

  /// Where the row's output begins in an array like the query's.
  size_t offset(int64_t index) const;

private:
  /// [batch, keyHeads, keyLength, headDim]: a row reads one head, from end to
  /// end.
  std::vector<float> byHead(const std::vector<float> &array) const;
  /// The scores that count, with neither scale nor cap.
  std::vector<double> products(int64_t index) const;
  /// \p keyIndex's elements in \p array, of the head that the row's head reads.
  const float *at(const std::vector<float> &array, int64_t index,
                  int64_t keyIndex) const;
  /// What the row's visible keys weigh, and the log-sum-exp.
  std::vector<double> visibleWeights(int64_t index, double &logSumExp) const;
  void accumulate(int64_t index, int64_t keyIndex, double weight,
                  std::vector<double> &output) const;

  AttentionProblem problem;
  std::vector<float> query, key, value;
};

/// \p row of each of \p indices, computed by all of the machine's threads.
std::vector<AttentionRow>
computeRows(const std::vector<int64_t> &indices,
            const std::function<AttentionRow(int64_t)> &row);

/// The Frobenius norm of the rows' difference over that of \p truth.
double relativeError(const std::vector<AttentionRow> &rows,
                     const std::vector<AttentionRow> &truth);

} // namespace poly::bench

#endif // POLY_BENCH_ATTENTIONREFERENCE_H
