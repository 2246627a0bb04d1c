//===- Results.h - Result sets: JSON, table, chart, comparison --*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The outcome of one run of a suite. In the file, a row is one contender at
/// one piece of work:
///
///   {"version": 1, "suite": "functions", "date": "2026-01-31T12:00:00Z",
///    "device": {...}, "protocol": {...}, "rows": [
///     {"work": "silu forward f16, 4,194,304", "variant": "native",
///      "metric": "microseconds", "median": 5.1, "lowest": 5.0, "highest": 5.3,
///      "lower": 5.08, "upper": 5.12, "rounds": 9, "uncertainty": 0.002,
///      "ratio": 1.2, ...}]}
///
/// `ratio` compares with the work's first row, round by round: above one is
/// better than that row.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_RESULTS_H
#define POLY_RUNTIME_RESULTS_H

#include "Json.h"
#include "Measure.h"

namespace poly::runtime {

struct ResultRow {
  std::string work;
  std::string variant;
  /// "microseconds" (less is better) or a rate's unit (more is better).
  std::string metric = "microseconds";
  /// One a round.
  std::vector<double> samples;
  /// Against the first row of the same work; 0 before finish().
  double ratio = 0;
  /// False: the results were wrong. Timings of wrong results are not kept.
  bool correct = true;
  /// Whatever else belongs to the row: error, program, bytes a second, clocks.
  Json details = Json::object();

  bool lessIsBetter() const { return metric == "microseconds"; }
};

class ResultSet {
public:
  ResultSet(std::string suite, const Context &context);

  /// What the numbers mean: temperature, rounds, sizes.
  void describe(const std::string &key, Json value) {
    protocol.set(key, std::move(value));
  }
  ResultRow &add(ResultRow row);
  /// A timing with its clocks.
  ResultRow &add(const std::string &work, const Measurement &measurement);

  const std::vector<ResultRow> &rows() const { return results; }
  bool allCorrect() const;

  Json toJson() const;
  /// Rows as a table, with the columns that \p details names.
  std::string table(const std::vector<std::string> &details) const;

private:
  std::string suite;
  Json device = Json::object();
  Json protocol = Json::object();
  std::vector<ResultRow> results;
};

/// A table of the rows that two result files have in common: both medians, the
/// change, and whether it is larger than both uncertainties together. Throws
/// JsonError when a file is no result set or they share no row.
std::string compareResults(const Json &before, const std::string &beforePath,
                           const Json &after, const std::string &afterPath);

/// The rows of a result file whose work and variant contain \p only, as a
/// Markdown table; with the \p details named, which lie in the rows' details.
/// Throws JsonError when it is no result set or no row is left.
std::string tableOfResults(const Json &results, const std::string &path,
                           const std::string &only,
                           const std::vector<std::string> &details);

/// The rows of a result file as bars, one panel a piece of work, in SVG.
/// Throws JsonError when it is no result set.
std::string plotResults(const Json &results, const std::string &path);

} // namespace poly::runtime

#endif // POLY_RUNTIME_RESULTS_H
