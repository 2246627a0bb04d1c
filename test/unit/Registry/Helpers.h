//===- Helpers.h - What the tests of programs share -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_UNIT_REGISTRY_HELPERS_H
#define POLY_TEST_UNIT_REGISTRY_HELPERS_H

#include "poly/Program/Formats.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include "gtest/gtest.h"

#include <cmath>
#include <string>
#include <vector>

namespace poly::test {

inline bool isPolynomial(const ProgramInfo &info) {
  for (const char *scheme : {"half", "odd", "even", "whole"})
    if (info.form.rfind(scheme, 0) == 0)
      return true;
  return false;
}

/// A polynomial in f32 with narrower results.
inline bool hasF32Arithmetic(const ProgramInfo &info) {
  return info.form.find("f32") != std::string::npos;
}

/// x times a function that goes from 0 to 1.
inline bool isGate(const ProgramInfo &info) {
  return info.function == Function::Silu ||
         info.function == Function::GeluErf ||
         info.function == Function::GeluTanh;
}

/// The programs of sigmoid, tanh and their like. Exponentials have tests of
/// their own.
inline const std::vector<RegisteredProgram> &activations() {
  static const std::vector<RegisteredProgram> programs = [] {
    std::vector<RegisteredProgram> kept;
    for (const RegisteredProgram &entry : shippedPrograms()) {
      Function function = entry.program.info().function;
      if (function != Function::Exp && function != Function::Exp2)
        kept.push_back(entry);
    }
    return kept;
  }();
  return programs;
}

/// False for the forms that may be off by the bound in the tail.
inline bool hasExactTail(const ProgramInfo &info) {
  return info.form.find("free") == std::string::npos;
}

/// All bit patterns of a 16-bit argument format, or those of the values that an
/// f32 argument of the program can have after rounding.
inline std::vector<uint32_t> allInputs(const ProgramInfo &info) {
  std::vector<uint32_t> inputs(0x10000);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    inputs[bits] =
        info.from != Format::F32
            ? bits
            : encode(Format::F32,
                     decode(info.to == Format::F32 ? Format::BF16 : info.to,
                            bits));
  return inputs;
}

inline std::vector<uint32_t> replayAll(const Program &program,
                                       const std::vector<uint32_t> &inputs) {
  std::vector<uint32_t> outputs(inputs.size());
  replayElements(program, inputs.data(), outputs.data(), inputs.size());
  return outputs;
}

/// The result at \p x, as a number.
inline double at(const Program &program, double x) {
  return decode(program.info().to,
                replayElement(program, encode(program.info().from, x)));
}

/// The shipped program called \p name; a failure when there is none.
inline const Program &shipped(std::string_view name) {
  const RegisteredProgram *entry = findProgram(name);
  if (!entry) {
    ADD_FAILURE() << "no program " << name;
    return shippedPrograms().front().program;
  }
  return entry->program;
}

} // namespace poly::test

#endif // POLY_TEST_UNIT_REGISTRY_HELPERS_H
