//===- Libdevice.h - Tell what a body computes -----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_SEMANTIC_LIBDEVICE_H
#define POLY_TRANSFORMS_SEMANTIC_LIBDEVICE_H

#include "ValueGraph.h"

#include <string>
#include <unordered_map>

namespace mlir::poly {

/// How a body was found to be a function.
enum class Evidence : uint8_t {
  None,
  /// By a dense set of arguments and by the library's own constants.
  Sampled,
  /// On every value that the argument can have.
  Exhaustive,
};

struct Recognised {
  StringRef function; ///< As `poly.inlined` names it.
  Evidence evidence = Evidence::None;
};

/// Compares \p body, whose argument has values of format \p from, with the
/// known functions: on all arguments for a format of 16 bits or fewer;
/// otherwise on a dense set, and then a fingerprint must match too. Results may
/// be off by the error of an accurate single-precision library function.
/// Remembers what it has compared; not thread safe.
class BodyComparer {
public:
  Recognised compare(const UnaryBody &body, ::poly::Format from);

private:
  std::unordered_map<std::string, Recognised> seen;
};

/// Whether \p bits is a constant that only a known library function has; where
/// to start looking.
bool isKeyConstant(uint32_t bits);

/// Arguments that decide whether two single-precision functions are the same:
/// all special values, 48 significands in each binade of either sign, and the
/// neighbours of \p centers.
std::vector<uint32_t> denseArguments(ArrayRef<uint32_t> centers);

/// Whether the f32 pattern \p got is \p expected within \p ulps of it; results
/// below the normal range may be flushed.
bool isAccurate(uint32_t got, double expected, double ulps);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_SEMANTIC_LIBDEVICE_H
