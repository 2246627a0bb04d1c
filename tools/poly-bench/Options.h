//===- Options.h - Command line of poly-bench -------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_OPTIONS_H
#define POLY_BENCH_OPTIONS_H

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace poly::bench {

/// A mistake on the command line. Exit code 2.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string command;
  /// Arguments that are no options.
  std::vector<std::string> files;
  /// Folder of compiled suites: DIR/<suite>/suite.json.
  std::string kernels;
  std::string result;
  std::string plot;
  /// Only pieces of work and variants whose name contains this.
  std::string only;
  bool quick = false;
  int device = 0;
  /// Most rounds; 0 is the suite's own choice.
  unsigned rounds = 0;
  /// Leaves the joules of a run out, which take a second a variant.
  bool noEnergy = false;
  /// Attention: batches, queries, keys, heads and key heads, instead of the
  /// suite's own.
  std::vector<std::array<unsigned, 5>> shapes;
  /// Attention: "fp8" for the suite of 8-bit numbers.
  std::string dtype;
  /// Gated GEMMs: rows, depth and columns, instead of the suite's own.
  std::vector<std::array<unsigned, 3>> gemmShapes;
  /// Gated GEMMs: what random inputs start from; 0 for the clock.
  unsigned seed = 0;
  /// The library of cuBLAS, or empty for the system's.
  std::string cublas;
  /// Attention: gradients.
  bool backward = false;
  bool help = false;
};

/// Throws UsageError.
Options parseOptions(int argc, char **argv);

/// The text about options for --help.
extern const char *const kOptionsHelp;

} // namespace poly::bench

#endif // POLY_BENCH_OPTIONS_H
