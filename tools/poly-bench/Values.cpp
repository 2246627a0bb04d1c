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
#include <map>
#include <random>
#include <stdexcept>
#include <tuple>

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
  if (text == "e4m3")
    return Format::E4M3;
  if (text == "e5m2")
    return Format::E5M2;
  throw std::runtime_error(
      "element type '" + text +
      "' of a kernel is none of bf16, f16, f32, e4m3, e5m2");
}

unsigned poly::bench::bytesOf(Format format) { return elementBits(format) / 8; }

const Words &poly::bench::normalValues(Format format, size_t count,
                                       double scale, uint32_t seed) {
  // Suites ask for the same values again and again.
  using Key = std::tuple<Format, size_t, double, uint32_t>;
  static std::map<Key, Words> known;
  Words &words = known[Key(format, count, scale, seed)];
  if (words.size() == count)
    return words;
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0, scale);
  words.resize(count);
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

const std::vector<double> &poly::bench::numbersOf(Format format) {
  static std::map<Format, std::vector<double>> known;
  std::vector<double> &numbers = known[format];
  if (numbers.empty())
    for (uint32_t bits = 0; bits < 1u << elementBits(format); ++bits)
      numbers.push_back(decode(format, bits));
  return numbers;
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

void ErrorMeter::compare(Format format, double result, double expected,
                         double allowed) {
  if (std::isnan(expected) || std::isnan(result)) {
    wrong += std::isnan(expected) != std::isnan(result);
    return;
  }
  double error = std::fabs(result - expected);
  // The rounding is dearer to compute than anything else here.
  if (!(error <= allowed) && !isRounding(format, result, expected, allowed))
    ++wrong;
  if (!std::isfinite(error))
    return;
  largest = std::max(largest, error);
  errorSquares += error * error;
  valueSquares += expected * expected;
}

bool ErrorMeter::isRounding(Format format, double result, double expected,
                            double allowed) {
  double rounded = decode(format, encode(format, expected));
  if (std::isinf(rounded) || std::isinf(result)) {
    // A finite true value at the end of the range may go to either side of it.
    double largestNumber = decode(format, traits(format).infinity - 1);
    return rounded == result ||
           (std::isfinite(expected) && std::fabs(rounded) >= largestNumber &&
            std::fabs(result) >= largestNumber &&
            std::signbit(rounded) == std::signbit(result));
  }
  // Half an ulp of whichever of the two has the larger ones.
  double larger = std::max(std::fabs(result), std::fabs(expected));
  return std::fabs(result - expected) <= allowed + ulp(format, larger) / 2;
}

double ErrorMeter::relativeNorm() const {
  return valueSquares > 0 ? std::sqrt(errorSquares / valueSquares) : 0;
}
