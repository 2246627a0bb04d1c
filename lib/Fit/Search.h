//===- Search.h - Search over rounded coefficients --------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A local search over the bit patterns of a polynomial program's coefficients
/// and clamp that minimises the maximum absolute error of its replay.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_FIT_SEARCH_H
#define POLY_LIB_FIT_SEARCH_H

#include "poly/Program/Schemes.h"

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace poly::fit::detail {

/// Scores programs on the inputs that can be their worst.
class Scorer {
public:
  /// \p stride keeps every stride-th bit pattern only.
  Scorer(const PolynomialSpec &spec, unsigned stride);

  struct Score {
    /// The maximum absolute error, or 1 + the violation where the program does
    /// not saturate exactly or overshoots.
    double value = std::numeric_limits<double>::infinity();
    /// A mean of high powers of the errors: prefers fewer bad inputs.
    double tie = std::numeric_limits<double>::infinity();
    bool operator<(const Score &other) const {
      return value < other.value || (value == other.value && tie < other.tie);
    }
  };

  /// The score, or an infinite one as soon as it is known not to be below
  /// \p bound.
  Score score(const Program &program, const Score &bound);

private:
  void remember(size_t index);

  Function function;
  Format format;
  bool exactTail;
  std::vector<uint32_t> inputs;
  std::vector<double> expected;
  /// Recent worst inputs, tried first; the first two saturate.
  std::vector<uint32_t> hotInputs;
  std::vector<double> hotExpected;
  size_t nextHot = 0;
  std::vector<uint32_t> outputs;
};

class Search {
public:
  /// \p spec gives everything but clamp and coefficients.
  Search(const PolynomialSpec &spec, uint64_t seed);

  /// Descends from rounded coefficients and keeps the outcome.
  void start(const std::vector<double> &coefficients, double clamp);
  /// Walks on from the best outcomes so far, and descends from there, at last
  /// on all inputs. Call it once, after the starts.
  void refine();

  PolynomialSpec best() const;
  uint64_t candidates() const { return numCandidates; }

private:
  /// Coefficients and then the clamp, as bit patterns.
  using Point = std::vector<uint32_t>;
  struct Outcome {
    Point point;
    Scorer::Score score;
  };

  PolynomialSpec materialize(const Point &point) const;
  Scorer::Score evaluate(Scorer &scorer, const Point &point,
                         const Scorer::Score &bound);
  Outcome descend(Scorer &scorer, Point point);
  void keep(Outcome outcome);
  uint32_t below(uint32_t bound) { return uint32_t(random() % bound); }

  PolynomialSpec spec;
  /// A sample that decides most moves, and all inputs, that have the last word.
  Scorer sample, full;
  std::mt19937_64 random;
  std::vector<Outcome> outcomes; ///< Best first, distinct.
  uint64_t numCandidates = 0;
};

} // namespace poly::fit::detail

#endif // POLY_LIB_FIT_SEARCH_H
