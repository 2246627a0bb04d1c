//===- Helpers.h - References of the exponential programs -------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the programs are compared with is written anew here, in integers and
/// exact doubles, from the definitions in the papers.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_UNIT_EXPONENTIAL_HELPERS_H
#define POLY_TEST_UNIT_EXPONENTIAL_HELPERS_H

#include "poly/Program/Exponentials.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>
#include <string>

namespace poly::test {

inline const RegisteredProgram &entry(std::string_view name) {
  const RegisteredProgram *found = findProgram(name);
  if (found)
    return *found;
  ADD_FAILURE() << "no program " << name;
  return shippedPrograms().front();
}

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The result bits for \p x, which is representable.
inline uint32_t bitsAt(const Program &program, double x) {
  return replayElement(program, encode(program.info().from, x));
}
inline double at(const Program &program, double x) {
  return decode(program.info().to, bitsAt(program, x));
}

/// S(q) = 2^floor(q) (1 + q - floor(q)); exact for a q with few bits.
inline double interpolated(double q) {
  double whole = std::floor(q);
  return std::ldexp(1 + (q - whole), int(whole));
}

/// 2^-k round(2^k x), ties to even.
inline double quantized(double x, unsigned k) {
  double scaled = std::ldexp(x, int(k));
  double low = std::floor(scaled), rest = scaled - low;
  bool up = rest > 0.5 || (rest == 0.5 && std::fmod(low, 2.0) != 0);
  return std::ldexp(low + up, -int(k));
}

/// The inputs of arXiv:2609.33586, B.2: uniform draws, the integers and the
/// multiples of 7 * 2^-14, all in [-126, 0].
inline std::vector<uint32_t> paperInputs(unsigned draws) {
  std::vector<uint32_t> inputs;
  std::mt19937_64 random(20260929);
  for (unsigned i = 0; i < draws; ++i)
    inputs.push_back(
        bitsOf(float(-126.0 * (double(random() >> 11) * 0x1p-53))));
  for (int i = 0; i <= 126; ++i)
    inputs.push_back(bitsOf(float(-i)));
  for (int i = 0; i * 7 <= 126 << 14; ++i)
    inputs.push_back(bitsOf(float(-i * 7) * 0x1p-14f));
  return inputs;
}

/// Every 977th f32 from \p low to \p high and all multiples of 1/256.
inline std::vector<uint32_t> spread(double low, double high) {
  std::vector<uint32_t> inputs;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 97 * 977) {
    double x = decode(Format::F32, uint32_t(bits));
    if (x >= low && x <= high)
      inputs.push_back(uint32_t(bits));
  }
  for (int i = int(std::ceil(low * 256)); i <= high * 256; ++i)
    inputs.push_back(bitsOf(float(i) / 256));
  return inputs;
}

inline std::vector<uint32_t> replayAll(const Program &program,
                                       const std::vector<uint32_t> &inputs) {
  std::vector<uint32_t> outputs(inputs.size());
  replayElements(program, inputs.data(), outputs.data(), inputs.size());
  return outputs;
}

inline std::string latticeForm(unsigned k) {
  return k == 1 ? "h15" : "lattice" + std::to_string(k);
}

} // namespace poly::test

#endif // POLY_TEST_UNIT_EXPONENTIAL_HELPERS_H
