//===- Session.h - One run of a suite ---------------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the commands of poly-bench share: the GPU, the compiled suite, the
/// results and how a run ends.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_SESSION_H
#define POLY_BENCH_SESSION_H

#include "Interruption.h"
#include "Kernel.h"
#include "Options.h"
#include "Results.h"

#include <functional>

namespace poly::bench {

/// A compiled kernel of a suite.
struct Entry {
  std::string name;
  /// "native", "sfu", "polynomial", ...: how the site was compiled.
  std::string variant;
  std::string metadata; ///< The file that `image` was read from.
  runtime::ImageMetadata image;
  runtime::KernelMetadata kernel;
  /// The largest relative error that its results may have as a whole, where
  /// the suite states one; 0 otherwise.
  double errorLimit = 0;

  /// The decisions about this kernel that put a program in.
  std::vector<const runtime::Json *> appliedSites() const;
  /// Names of the programs put in, without repetition, joined by '+'; "-" when
  /// there are none.
  std::string programs() const;
  /// The largest certified absolute error of those programs; 0 without any.
  double certifiedError() const;
};

/// Reads DIR/<suite>/suite.json and the metadata it names. Needs no GPU, but
/// where there is neither says so first. Throws JsonError or std::runtime_error
/// with the path and what to do.
std::vector<Entry> readSuite(const Options &options, const std::string &suite);

class Session {
public:
  /// Throws where a kernel is none that the command can measure.
  using Check = std::function<void(const runtime::KernelMetadata &)>;

  /// Reads the suite and has \p check, if given, look at each of its kernels,
  /// sees that the files that were asked for can be written, then opens the
  /// GPU.
  Session(const Options &options, const std::string &suite,
          const Check &check = {});

  const Options &options;
  std::vector<Entry> entries;
  runtime::Context context;
  runtime::Meter meter;
  runtime::ResultSet results;

  /// True unless --only leaves the work's variant out.
  bool wanted(const std::string &work, const std::string &variant) const;
  /// Rounds by --rounds, --quick and the protocol of the suites: alternating
  /// order, nine rounds or more.
  runtime::MeasureOptions measureOptions(const std::string &work) const;
  /// A line on standard error, overwritten by the next where it is a terminal.
  /// Where the run is to end, throws, after the results so far were written.
  void progress(const std::string &text) const;

  /// Writes the files that were asked for and the table. The exit code: 1 when
  /// a result was wrong.
  int finish(const std::vector<std::string> &columns);

private:
  [[noreturn]] void endEarly() const;

  Interruption interruption;
};

// Commands. Each returns an exit code.
int runElementwise(const Options &options, const std::string &suite);
int runRates(const Options &options, const std::string &suite);
int runRope(const Options &options);
int runSwiglu(const Options &options);
int runAttention(const Options &options);
int runSwigluGemm(const Options &options);
int runGroupedGemm(const Options &options);
int runAttentionBackward(const Options &options);
int runTargets(const Options &options);
int runTune(const Options &options);
int runVerify(const Options &options);
int runTable(const Options &options);
int runCompare(const Options &options);
int runPlot(const Options &options);

} // namespace poly::bench

#endif // POLY_BENCH_SESSION_H
