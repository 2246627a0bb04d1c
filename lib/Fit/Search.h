//===- Search.h - Search over rounded constants -----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A local search over the bit patterns of a program's constants that minimises
/// the maximum error of its replay. It knows nothing of polynomials.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_LIB_FIT_SEARCH_H
#define POLY_LIB_FIT_SEARCH_H

#include "FastReplay.h"

#include "poly/Fit/SearchOptions.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace poly::fit::detail {

/// What a search minimises: over all inputs and results,
/// |result - expected| * scale.
struct Objective {
  /// The program with a constant of its own for every parameter.
  Program shape;
  /// The magnitudes of these constants, in the order of a Point.
  std::vector<double> placeholders;
  Format format = Format::BF16; ///< Of the parameters.

  std::vector<double> inputs;
  struct Goal {
    std::vector<double> expected, scale;
  };
  std::vector<Goal> goals; ///< One for every result of the program.

  /// The first result must be exactly this, whatever the error.
  struct Exact {
    double input, output;
  };
  std::vector<Exact> exact;
  /// The first result must not be above this, or (gate) above |input|.
  double most = std::numeric_limits<double>::infinity();
  bool gate = false;
};

struct Score {
  /// The maximum error, or far above 1 where a demand is not met.
  double value = std::numeric_limits<double>::infinity();
  /// A sum of high powers of the errors: prefers fewer bad inputs.
  double tie = std::numeric_limits<double>::infinity();
  bool operator<(const Score &other) const {
    return value < other.value || (value == other.value && tie < other.tie);
  }
};

/// Bit patterns of the parameters.
using Point = std::vector<uint32_t>;

/// Scores points on every stride-th input.
class Scorer {
public:
  Scorer(const Objective &objective, unsigned stride);

  /// The score, or an infinite one as soon as it is known not to be below
  /// \p bound.
  Score score(const Point &point, const Score &bound = {});

  /// What one ulp up of each parameter changes in the results, unrounded and
  /// scaled, at a sample of inputs.
  std::vector<std::vector<double>> sensitivities(const Point &point);

private:
  void remember(size_t index);
  double worstOf(size_t first, size_t count, const Score &bound,
                 size_t &worstIndex, double &tie, double &overshoot);

  const Objective &objective;
  FastReplay replay;
  std::vector<int> slots;
  Point current;
  std::vector<double> inputs;
  std::vector<Objective::Goal> goals;
  /// Recent worst inputs, tried first.
  std::vector<uint32_t> hot;
  size_t nextHot = 0;
};

class SearchState;

/// The outcome depends on objective, seed and starts only, not on the number of
/// threads or on what was resumed.
class Search {
public:
  /// \p clamp is the parameter that tells neighbourhoods apart; -1 for none.
  Search(const Objective &objective, uint64_t seed, int clamp,
         const SearchOptions &options);

  void addStart(const std::vector<double> &values);
  /// Descends from all starts, walks on from the best, and descends at last on
  /// all inputs.
  void run();

  std::vector<double> best() const;
  Score bestScore() const { return outcomes.front().score; }
  uint64_t candidates() const { return numCandidates; }

private:
  struct Outcome {
    Point point;
    Score score;
    uint64_t candidates = 0;
  };

  /// Ulps of every parameter.
  using Move = std::vector<int>;
  std::vector<Move> movesAt(Scorer &scorer, const Point &point) const;
  Outcome descend(Scorer &scorer, Point point, std::mt19937_64 &random) const;
  Outcome walk(Scorer &scorer, const Outcome &from,
               std::mt19937_64 &random) const;
  void keep(Outcome outcome);
  /// Runs \p work for each index of a phase, in parallel, and keeps the
  /// outcomes in the order of the indices.
  template <typename Work>
  void phase(SearchState &state, const std::string &name, size_t count,
             unsigned stride, double weight, Work work);

  const Objective &objective;
  uint64_t seed;
  int clamp;
  SearchOptions options;
  std::vector<Point> starts;
  std::vector<Outcome> outcomes; ///< Best first, distinct.
  uint64_t numCandidates = 0;
  double progressBase = 0;
};

} // namespace poly::fit::detail

#endif // POLY_LIB_FIT_SEARCH_H
