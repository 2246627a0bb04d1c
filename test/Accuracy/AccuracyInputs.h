//===- AccuracyInputs.h - What every program is run on ---------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_ACCURACY_ACCURACYINPUTS_H
#define POLY_TEST_ACCURACY_ACCURACYINPUTS_H

#include "poly/Program/Exponentials.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include "SoftFloat.h"

#include "gtest/gtest.h"

#include <limits>
#include <string>
#include <vector>

namespace polytest {

/// All programs, without their certificates.
inline const std::vector<poly::Program> &allPrograms() {
  static const std::vector<poly::Program> programs =
      poly::buildShippedPrograms();
  return programs;
}

inline std::vector<std::string> allProgramNames() {
  std::vector<std::string> names;
  for (const poly::Program &program : allPrograms())
    names.push_back(program.name());
  return names;
}

inline const poly::Program &programNamed(const std::string &name) {
  for (const poly::Program &program : allPrograms())
    if (program.name() == name)
      return program;
  ADD_FAILURE() << "no program " << name;
  return allPrograms().front();
}

/// GoogleTest's names hold letters, digits and underscores only.
inline std::string
programTestName(const testing::TestParamInfo<std::string> &info) {
  std::string name = info.param;
  for (char &c : name)
    if (c == '-')
      c = '_';
  return name;
}

/// Every pattern of a 16-bit format. For f32: every bf16 and f16 value and
/// 2^16 patterns spread over all exponents, both signs, and so NaNs and
/// subnormals too.
inline std::vector<uint32_t> accuracyInputs(poly::Format format) {
  std::vector<uint32_t> inputs;
  if (format != poly::Format::F32) {
    for (uint32_t bits = 0; bits < 65536; ++bits)
      inputs.push_back(bits);
    return inputs;
  }
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    inputs.push_back(bits << 16);
    inputs.push_back(softConvert(kF16, kF32, bits));
    // The upper half counts through signs and exponents; the lower one mixes.
    inputs.push_back(bits << 16 | ((bits * 0x9e37u + 0x79b9u) & 0xffff));
  }
  return inputs;
}

/// The inputs above that the program is for, and NaN unless it has no clamp:
/// others may disturb their neighbour. Exponentials with f32 arguments get
/// every eleventh input: the lattices are many and alike.
inline std::vector<uint32_t> accuracyInputs(const poly::ProgramInfo &info) {
  std::vector<uint32_t> all = accuracyInputs(info.from), inputs;
  if (!poly::isExponential(info.function))
    return all;
  size_t step = info.from == poly::Format::F32 ? 11 : 1;
  bool clamps = info.domainLow == -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < all.size(); i += step) {
    double x = poly::decode(info.from, all[i]);
    bool isNaN = x != x;
    if (isNaN ? clamps : x >= info.domainLow && x <= info.domainHigh)
      inputs.push_back(all[i]);
  }
  return inputs;
}

/// The elements' results by replay, which is what everything is compared with.
inline std::vector<uint32_t> replayAll(const poly::Program &program,
                                       const std::vector<uint32_t> &inputs) {
  std::vector<uint32_t> outputs(inputs.size());
  poly::replayElements(program, inputs.data(), outputs.data(), inputs.size());
  return outputs;
}

inline unsigned formatBytes(poly::Format format) {
  return poly::elementBits(format) / 8;
}

inline std::string hex(uint32_t bits) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", bits);
  return text;
}

} // namespace polytest

#endif // POLY_TEST_ACCURACY_ACCURACYINPUTS_H
