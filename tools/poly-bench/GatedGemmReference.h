//===- GatedGemmReference.h - Gated GEMMs, row by row -----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What gated GEMMs, Y = act(X Wg^T) (X Wu^T), are compared with, in float64;
/// how an error is quoted; and what shows that the comparison sees errors.
///
/// An error is the Frobenius norm of what a result differs by from the truth.
/// Its margin is that norm over the unavoidable one, which an exact computation
/// has whose only errors are the roundings that the kernel says it does: of the
/// output, and of gate and up where it keeps them in the type.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_GATEDGEMMREFERENCE_H
#define POLY_BENCH_GATEDGEMMREFERENCE_H

#include "Values.h"

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace poly::bench {

/// The factor of the gate in an activation (the sigmoid of SiLU, the normal
/// distribution function of GELU), or one that is worse on purpose.
struct GateGrade {
  enum Kind {
    Exact,
    Float,  ///< Rounded to f32.
    NextUp, ///< One f32 ulp above that.
    Coarse  ///< Rounded to one of `levels` levels from 0 to 1.
  };
  Kind kind = Exact;
  unsigned levels = 0;

  double operator()(double factor) const;
};

/// Margins above this are a fault of kernels whose activation is f32; what a
/// program with a larger error may cost is the suite's errorLimit.
constexpr double kMarginLimit = 1.05;

/// What a kernel says that it computes.
struct GatedOperator {
  /// silu, swish, gelu-erf, gelu-tanh, sigmoid, clamped or identity.
  std::string activation = "silu";
  double beta = 1; ///< Of swish.
  Format type = Format::BF16;
  /// Gate and up are rounded before the activation, it before the product.
  bool roundInputs = false, roundActivation = false;

  /// False for the identity, which has no factor to be wrong.
  bool hasFactor() const { return activation != "identity"; }
  /// Throws std::runtime_error for an unknown activation.
  double apply(double gate, double up, GateGrade grade = {}) const;
  /// The same with the roundings, and the result's.
  double rounded(double gate, double up, GateGrade grade = {}) const;

  bool operator<(const GatedOperator &other) const {
    return key() < other.key();
  }

private:
  std::tuple<const std::string &, double, Format, bool, bool> key() const {
    return {activation, beta, type, roundInputs, roundActivation};
  }
};

/// X is [rows, depth], W [experts, 2, columns, depth] and Y [rows, columns].
struct GatedGemmShape {
  int64_t rows = 0, depth = 0, columns = 0;
  /// Expert i has the rows from offset i on, below offset i + 1; empty where
  /// one matrix of weights serves all rows.
  std::vector<int32_t> offsets;

  int64_t experts() const {
    return offsets.empty() ? 1 : int64_t(offsets.size()) - 1;
  }
  int64_t firstRow() const { return offsets.empty() ? 0 : offsets.front(); }
  int64_t endRow() const { return offsets.empty() ? rows : offsets.back(); }
  /// The expert of a row between those two.
  int64_t expertOf(int64_t row) const;
  double flops() const {
    return 4.0 * double(endRow() - firstRow()) * double(depth) *
           double(columns);
  }
};

/// Rows of \p experts experts that add up to \p rows, very different, some of
/// them none. The same for the same \p seed.
std::vector<int64_t> unevenCounts(int64_t experts, int64_t rows, uint32_t seed);
/// Offsets of experts with \p counts rows, the first of them at \p first.
std::vector<int32_t> offsetsOf(const std::vector<int64_t> &counts,
                               int64_t first);
/// Empty, or what is wrong with offsets that say which rows each of \p experts
/// experts has.
std::string offsetsProblem(const std::vector<int32_t> &offsets, int64_t experts,
                           int64_t rows);
/// Empty, or why a kernel with tiles of \p tileRows x \p tileColumns whose
/// columns and depth must be multiples of those given cannot take \p shape.
std::string shapeProblem(const GatedGemmShape &shape, int64_t columnMultiple,
                         int64_t depthMultiple, int64_t tileRows,
                         int64_t tileColumns);

/// An array whose values repeat: element i is value i modulo their number.
class RepeatedArray {
public:
  /// Runs of up to \p longestRun elements can be read. Values must be exact in
  /// f32.
  RepeatedArray(Format type, const Words &words, size_t longestRun);
  /// The elements from number \p first on.
  const float *from(size_t first) const {
    return values.data() + first % period;
  }

private:
  size_t period;
  std::vector<float> values;
};

/// Some rows of both products, exact but for float64.
struct GatedProducts {
  int64_t columns = 0;
  std::vector<int64_t> rows;
  /// One after the other for each of the rows.
  std::vector<double> gate, up;

  size_t count() const { return gate.size(); }
};

/// The rows to compare: at most \p most of all, and with experts also the first
/// and the last of each.
std::vector<int64_t> sampleRows(const GatedGemmShape &shape, int64_t most);
GatedProducts productsOf(const GatedGemmShape &shape,
                         const RepeatedArray &input,
                         const RepeatedArray &weight,
                         std::vector<int64_t> rows);

/// Sums of squares over the sampled elements.
struct GatedError {
  double errors = 0;
  double unavoidable = 0; ///< The roundings that the kernel says it does.
  double outputs = 0;     ///< The output's rounding alone.
  double truths = 0;
  size_t notNumbers = 0; ///< Results that are NaN where the truth is none.

  /// Relative to the truth.
  double relative() const;
  double margin() const;
  double overOutputRounding() const;
};

/// Compares \p results, one for each element of \p products.
GatedError compare(const GatedOperator &op, const GatedProducts &products,
                   const std::vector<double> &results);
/// What an exact computation with the operator's roundings gives, but for the
/// grade of its factor.
std::vector<double> replay(const GatedOperator &op,
                           const GatedProducts &products, GateGrade grade);

/// What the comparison says of computations that are a little or very wrong.
struct InstrumentReading {
  static constexpr std::array<unsigned, 4> kLevels = {256, 64, 16, 4};

  /// Margins with the factor rounded to f32, and with one f32 ulp more.
  double asFloat = 1, nextUp = 1;
  /// Elements whose result that ulp changes.
  size_t changedResults = 0;
  /// Margins with a factor of 256, 64, 16 and 4 levels.
  std::array<double, 4> coarse = {};
};
InstrumentReading readInstrument(const GatedOperator &op,
                                 const GatedProducts &products);
/// Empty, or which of these computations would pass as right with margins up to
/// \p limit.
std::string instrumentProblem(const InstrumentReading &reading, double limit);

} // namespace poly::bench

#endif // POLY_BENCH_GATEDGEMMREFERENCE_H
