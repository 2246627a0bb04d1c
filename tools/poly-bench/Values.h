//===- Values.h - 16-bit values for benchmarks ------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_VALUES_H
#define POLY_BENCH_VALUES_H

#include "Device.h"

#include "poly/Program/Formats.h"

#include <cstdint>
#include <string>
#include <vector>

namespace poly::bench {

/// "bf16", "f16", "f32", "e4m3", "e5m2" as in kernel metadata. Throws
/// std::runtime_error.
Format parseElementType(const std::string &text);
unsigned bytesOf(Format format);

/// An array of elements of \p format, one pattern a word.
using Words = std::vector<uint32_t>;

/// \p count normally distributed numbers of standard deviation \p scale,
/// rounded to \p format. The same for the same \p seed.
const Words &normalValues(Format format, size_t count, double scale,
                          uint32_t seed);
/// All patterns of a 16-bit format in order.
Words allPatterns();
/// What the patterns of a format of at most 16 bits stand for, in order.
const std::vector<double> &numbersOf(Format format);

/// Elements to bytes and back.
std::vector<unsigned char> toBytes(Format format, const Words &words);
Words fromBytes(Format format, const std::vector<unsigned char> &bytes);

/// Device memory with \p words, repeated until \p count elements are there.
runtime::Buffer uploadRepeated(Format format, const Words &words, size_t count);
runtime::Buffer upload(Format format, const Words &words);
/// The first \p count elements.
Words download(Format format, const runtime::Buffer &buffer, size_t count);

/// Results against the real function, element by element.
class ErrorMeter {
public:
  /// Compares a result of type \p format with the true value: the error may be
  /// \p allowed, and the result's own rounding. NaN must meet NaN, and an
  /// overflow of the true value an infinity.
  void compare(Format format, double result, double expected, double allowed);

  bool ok() const { return wrong == 0; }
  size_t wrongResults() const { return wrong; }
  double maxAbs() const { return largest; }
  /// Root of the mean of squared errors over that of squared true values.
  double relativeNorm() const;

private:
  static bool isRounding(Format format, double result, double expected,
                         double allowed);

  size_t wrong = 0;
  double largest = 0;
  double errorSquares = 0, valueSquares = 0;
};

} // namespace poly::bench

#endif // POLY_BENCH_VALUES_H
