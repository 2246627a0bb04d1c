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

using namespace poly;

static unsigned sfuCount(const Program &program) {
  return static_cast<unsigned>(
      std::count_if(program.nodes().begin(), program.nodes().end(),
                    [](const Node &node) { return isSfu(node.op); }));
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
    for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
      uint32_t other = bits * 0x9e37u & 0xffffu;
      if (!isFor(bits) || !isFor(other))
        continue;
      uint32_t args[2] = {bits | other << 16, 0};
      uint32_t alone[2] = {bits, 0};
      if (fromF32) {
        args[0] = alone[0] = encode(Format::F32, decode(full.info().to, bits));
        args[1] = encode(Format::F32, decode(full.info().to, other));
      }
      ASSERT_EQ(replay(scalar, alone) & 0xffffu, replay(full, args) & 0xffffu)
          << full.name() << " at " << bits;
    }
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
    bool packedSfu = full.info().form == "tanhpacked";
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
