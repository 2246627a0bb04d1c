//===- Report.h - Tables and figures of what fits reach ---------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_FIT_REPORT_H
#define POLY_FIT_REPORT_H

#include "poly/Fit/PolynomialFit.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace poly::fit {

/// A line chart as SVG, y logarithmic.
struct Chart {
  struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;
    bool markers = false; ///< Points instead of a line.
  };
  std::string title, xLabel, yLabel;
  std::vector<Series> series;
};
std::string toSvg(const Chart &chart);

/// What a fit of a request reached.
struct Reached {
  double maxAbs = 0;
  unsigned instructions = 0;
  double slots = 0; ///< An element, on sm_90.
};

/// Fits that a file remembers by their command lines.
class FitCache {
public:
  explicit FitCache(std::string path);
  /// Fits the request unless the file has it.
  Reached get(const PolynomialRequest &request, const SearchOptions &options);

private:
  std::string path;
  std::map<std::string, Reached> known;
};

struct ReportFile {
  std::string name, text;
};

/// The chart lattices.svg: relative errors of lattice programs, replayed, and
/// of correct rounding to e4m3.
std::string latticeErrors();

/// The requests whose fits a report compares: degrees 3 to 6 of every function
/// with controls, in both 16-bit formats.
std::vector<PolynomialRequest> reportRequests();

enum class ReportPart : uint8_t { All, Curves, Pareto, Derivatives, Numerics };

/// numerics-table.md (each form's bound, both controls and ours),
/// derivatives.md (three ways to each), pareto.md and pareto-<function>.svg
/// (error against issue slots), and the error curves stages-sigmoid.svg,
/// lattices.svg and errors-<function>.svg. \p note is told what is being done.
std::vector<ReportFile> makeReport(FitCache &cache,
                                   const SearchOptions &options,
                                   const std::function<void(std::string)> &note,
                                   ReportPart part = ReportPart::All);

} // namespace poly::fit

#endif // POLY_FIT_REPORT_H
