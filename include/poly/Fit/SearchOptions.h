//===- SearchOptions.h - How a search runs ----------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_FIT_SEARCHOPTIONS_H
#define POLY_FIT_SEARCHOPTIONS_H

#include <functional>
#include <string>

namespace poly::fit {

/// Nothing here changes what a search finds.
struct SearchOptions {
  unsigned threads = 0; ///< 0: one a core.
  /// A file that keeps what is done, one line a descent. A later search of the
  /// same request takes its lines as done; another request's file is begun
  /// anew. Empty: none.
  std::string stateFile;
  std::string stateKey; ///< What the file is for; set by the fitter.
  /// Called with the fraction done, by one thread at a time.
  std::function<void(double)> progress;
};

} // namespace poly::fit

#endif // POLY_FIT_SEARCHOPTIONS_H
