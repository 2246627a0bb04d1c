//===- Values.cpp - 16-bit values for benchmarks --------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>

using namespace poly;
using namespace poly::bench;
using poly::runtime::Buffer;
using poly::runtime::Driver;

Format poly::bench::parseElementType(const std::string &text) {
  if (text == "bf16")
    return Format::BF16;
  if (text == "f16")
    return Format::F16;
  if (text == "f32")
    return Format::F32;
  throw std::runtime_error("element type '" + text +
                           "' of a kernel is none of bf16, f16, f32");
}

unsigned poly::bench::bytesOf(Format format) {
  return format == Format::F32 ? 4 : 2;
}

Words poly::bench::normalValues(Format format, size_t count, double scale,
                                uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0, scale);
  Words words(count);
  for (uint32_t &word : words)
    word = encode(format, normal(engine));
  return words;
}

Words poly::bench::allPatterns() {
  Words words(0x10000);
  for (uint32_t i = 0; i < words.size(); ++i)
    words[i] = i;
  return words;
}

std::vector<unsigned char> poly::bench::toBytes(Format format,
                                                const Words &words) {
  unsigned width = bytesOf(format);
  std::vector<unsigned char> bytes(words.size() * width);
  for (size_t i = 0; i < words.size(); ++i)
    std::memcpy(bytes.data() + i * width, &words[i], width);
  return bytes;
}

Words poly::bench::fromBytes(Format format,
                             const std::vector<unsigned char> &bytes) {
  unsigned width = bytesOf(format);
  Words words(bytes.size() / width, 0);
  for (size_t i = 0; i < words.size(); ++i)
    std::memcpy(&words[i], bytes.data() + i * width, width);
  return words;
}

Buffer poly::bench::upload(Format format, const Words &words) {
  return uploadRepeated(format, words, words.size());
}

Buffer poly::bench::uploadRepeated(Format format, const Words &words,
                                   size_t count) {
  std::vector<unsigned char> bytes = toBytes(format, words);
  size_t total = count * bytesOf(format);
  Buffer buffer(total);
  size_t filled = std::min(bytes.size(), total);
  buffer.upload(bytes.data(), filled);
  const Driver &driver = Driver::get();
  // Copies of whole periods keep the pattern.
  for (size_t period = filled; filled < total;) {
    size_t step = std::min(filled / period * period, total - filled);
    driver.check(driver.cuMemcpyDtoDAsync_v2(buffer.address() + filled,
                                             buffer.address(), step, nullptr),
                 "cuMemcpyDtoDAsync_v2");
    filled += step;
  }
  driver.check(driver.cuCtxSynchronize(), "cuCtxSynchronize");
  return buffer;
}

Words poly::bench::download(Format format, const Buffer &buffer, size_t count) {
  std::vector<unsigned char> bytes(count * bytesOf(format));
  buffer.download(bytes.data(), bytes.size());
  return fromBytes(format, bytes);
}

void ErrorMeter::compare(Format format, uint32_t actual, double expected,
                         double allowed) {
  double result = decode(format, actual);
  if (std::isnan(expected) || std::isnan(result)) {
    wrong += std::isnan(expected) != std::isnan(result);
    return;
  }
  double rounded = decode(format, encode(format, expected));
  if (std::isinf(rounded) || std::isinf(result)) {
    // A finite true value at the end of the range may go to either side of it.
    double largestNumber = decode(format, traits(format).infinity - 1);
    bool atEnd = std::isfinite(expected) &&
                 std::fabs(rounded) >= largestNumber &&
                 std::fabs(result) >= largestNumber &&
                 std::signbit(rounded) == std::signbit(result);
    wrong += rounded != result && !atEnd;
    return;
  }
  double error = std::fabs(result - expected);
  // Half an ulp of whichever of the two has the larger ones.
  double rounding =
      ulp(format, std::max(std::fabs(result), std::fabs(expected))) / 2;
  wrong += !(error <= allowed + rounding);
  largest = std::max(largest, error);
  errorSquares += error * error;
  valueSquares += expected * expected;
}

double ErrorMeter::relativeNorm() const {
  return valueSquares > 0 ? std::sqrt(errorSquares / valueSquares) : 0;
}
