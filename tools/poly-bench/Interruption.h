//===- Interruption.h - Ending a run early --------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Notes that the user (SIGINT) or a time limit (SIGTERM) wants a run to end,
/// so that what was measured until then is not lost.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_INTERRUPTION_H
#define POLY_BENCH_INTERRUPTION_H

#include <csignal>

namespace poly::bench {

/// While one exists, the first of these signals is only noted, and another one
/// of its kind has its default effect. A signal that was ignored before still
/// is. There can be one at a time.
class Interruption {
public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  /// Whether a signal has come since the last one was created.
  static bool wanted();

private:
  struct sigaction before[2];
};

} // namespace poly::bench

#endif // POLY_BENCH_INTERRUPTION_H
