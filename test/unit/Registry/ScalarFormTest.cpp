//===- ScalarFormTest.cpp - A lone lane through the same program ----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Formats.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

using namespace poly;

static unsigned sfuCount(const Program &program) {
  return static_cast<unsigned>(
      std::count_if(program.nodes().begin(), program.nodes().end(),
                    [](const Node &node) { return isSfu(node.op); }));
}

/// Elements that replayElements() gives to one evaluation.
static size_t elementsPerEvaluation(const Program &program) {
  return program.inputs().size() * (isPacked(program.inputs()[0]) ? 2 : 1);
}

// A value must not depend on whether it found a partner: bit for bit, on every
// 16-bit-valued input, whatever the other lane of the full form holds.
TEST(ScalarForm, LaneZeroHasTheSameBits) {
  for (const RegisteredProgram &registered : shippedPrograms()) {
    const Program &full = registered.program;
    if (full.info().lanes != 2)
      continue;
    Program scalar = full.scalarForm();
    bool fromF32 = full.info().from == Format::F32;
    // Patterns are of the argument's format, or of f32 values of the result's.
    Format pattern = fromF32 ? full.info().to : full.info().from;
    auto isFor = [&](uint32_t bits) {
      double x = decode(pattern, bits);
      return !(x < full.info().domainLow || x > full.info().domainHigh);
    };
    auto encoded = [&](uint32_t bits) {
      return fromF32 ? encode(Format::F32, decode(pattern, bits)) : bits;
    };
    size_t lanes = elementsPerEvaluation(scalar);
    std::vector<uint32_t> alone, pairs;
    for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
      uint32_t other = bits * 0x9e37u & 0xffffu;
      if (!isFor(bits) || !isFor(other))
        continue;
      alone.push_back(encoded(bits));
      alone.resize(alone.size() + lanes - 1);
      pairs.push_back(encoded(bits));
      pairs.push_back(encoded(other));
    }
    std::vector<uint32_t> one(alone.size()), both(pairs.size());
    replayElements(scalar, alone.data(), one.data(), one.size());
    replayElements(full, pairs.data(), both.data(), both.size());
    ASSERT_FALSE(pairs.empty()) << full.name();
    for (size_t i = 0; 2 * i < both.size(); ++i)
      ASSERT_EQ(one[i * lanes], both[2 * i])
          << full.name() << " at " << std::hex << pairs[2 * i];
  }
}

TEST(ScalarForm, HalvesTheSpecialFunctionWork) {
  unsigned halved = 0;
  for (const RegisteredProgram &registered : shippedPrograms()) {
    const Program &full = registered.program;
    if (full.info().lanes != 2)
      continue;
    Program scalar = full.scalarForm();
    EXPECT_EQ(scalar.info().lanes, 1u);
    EXPECT_LE(instructionCount(scalar), instructionCount(full));
    // One instruction for both lanes.
    bool packedSfu =
        full.info().form == "tanhpacked" || full.info().form == "ex2packed";
    if (sfuCount(full) == 0 || packedSfu)
      continue;
    EXPECT_EQ(2 * sfuCount(scalar), sfuCount(full)) << full.name();
    ++halved;
  }
  EXPECT_GE(halved, 18u);
}

TEST(ScalarForm, OneLaneProgramsAreTheirOwn) {
  const RegisteredProgram *one = findProgram("silu-sfu-f32");
  ASSERT_NE(one, nullptr);
  EXPECT_TRUE(identical(one->program.scalarForm(), one->program));
}
