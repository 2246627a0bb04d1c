//===- ValuesTest.cpp - Special values and saturation ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace poly;
using namespace poly::test;

namespace {

/// Calls \p check with every shipped program.
template <typename Check>
void forEachProgram(Check check) {
  for (const RegisteredProgram &entry : activations()) {
    SCOPED_TRACE(entry.program.name());
    check(entry.program);
  }
}

} // namespace

TEST(Values, SaturateExactly) {
  forEachProgram([](const Program &program) {
    const ProgramInfo &info = program.info();
    double largest = decode(info.from, traits(info.from).infinity - 1);
    // tanh32 and tanhpacked saturate too: tanh.approx of a large number is 1.
    if (!hasExactTail(info))
      return;
    for (double x : {200.0, 1000.0, largest}) {
      // A bf16 or f16 result of an f32 argument may overflow, as it should.
      double identity = decode(info.to, encode(info.to, x));
      switch (info.function) {
      case Function::Sigmoid:
        EXPECT_EQ(at(program, x), 1.0);
        EXPECT_EQ(at(program, -x), 0.0);
        break;
      case Function::Tanh:
        EXPECT_EQ(at(program, x), 1.0);
        EXPECT_EQ(at(program, -x), -1.0);
        break;
      case Function::Silu:
      case Function::GeluErf:
      case Function::GeluTanh:
        EXPECT_EQ(at(program, x), identity) << x;
        if (std::isfinite(identity)) {
          EXPECT_EQ(at(program, -x), 0.0) << x;
        }
        break;
      default:
        break;
      }
    }
  });
}

TEST(Values, FreeTailsStayWithinTheRangeAndTheBound) {
  unsigned seen = 0;
  forEachProgram([&](const Program &program) {
    const ProgramInfo &info = program.info();
    bool saturates =
        info.function == Function::Sigmoid || info.function == Function::Tanh;
    if (hasExactTail(info) || !saturates)
      return;
    ++seen;
    double bound = findProgram(info.name)->certificate.maxAbs;
    double high = at(program, 1000), low = at(program, -1000);
    EXPECT_LE(high, 1.0);
    EXPECT_GE(high, 1.0 - bound);
    double limit = info.function == Function::Tanh ? -1.0 : 0.0;
    EXPECT_GE(low, limit);
    EXPECT_LE(low, limit + bound);
  });
  EXPECT_GT(seen, 0u);
}

TEST(Values, NaNGivesNaN) {
  forEachProgram([](const Program &program) {
    const ProgramInfo &info = program.info();
    const FormatTraits &from = traits(info.from);
    for (uint32_t payload : {from.canonicalNaN, from.infinity + 1,
                             (from.infinity | from.infinity >> 1)})
      for (uint32_t sign : {0u, from.signMask}) {
        uint32_t bits = payload | sign;
        EXPECT_TRUE(isNaN(info.to, replayElement(program, bits)))
            << std::hex << bits;
      }
  });
}

TEST(Values, Zeros) {
  forEachProgram([](const Program &program) {
    const ProgramInfo &info = program.info();
    const FormatTraits &from = traits(info.from), &to = traits(info.to);
    uint32_t plus = replayElement(program, 0);
    uint32_t minus = replayElement(program, from.signMask);
    switch (info.function) {
    case Function::Sigmoid:
      EXPECT_EQ(plus, encode(info.to, 0.5));
      EXPECT_EQ(minus, encode(info.to, 0.5));
      break;
    case Function::Tanh:
      EXPECT_EQ(plus, 0u);
      EXPECT_EQ(minus, to.signMask);
      break;
    case Function::Silu: {
      // h tanh(h) + h is +0 at h = -0, by IEEE 754's rule for sums.
      bool throughTanh = info.form.rfind("tanh", 0) == 0;
      EXPECT_EQ(plus, 0u);
      EXPECT_EQ(minus, throughTanh ? 0u : to.signMask);
      break;
    }
    default:
      break;
    }
  });
}

TEST(Values, Infinities) {
  forEachProgram([](const Program &program) {
    const ProgramInfo &info = program.info();
    const FormatTraits &from = traits(info.from), &to = traits(info.to);
    uint32_t plus = replayElement(program, from.infinity);
    uint32_t minus = replayElement(program, from.infinity | from.signMask);
    if (isGate(info)) {
      EXPECT_EQ(plus, to.infinity);
      // -Inf * 0, as in x / (1 + exp(-x)).
      EXPECT_TRUE(isNaN(info.to, minus));
      return;
    }
    // x' * 0, as in s + x s (1 - s).
    bool product = (info.function == Function::DSilu ||
                    info.function == Function::DGeluErf) &&
                   info.form == "sfu";
    if (product) {
      EXPECT_TRUE(isNaN(info.to, plus));
      EXPECT_TRUE(isNaN(info.to, minus));
      return;
    }
    // Nothing is said of infinite turns.
    if (info.function == Function::SinTurn ||
        info.function == Function::CosTurn)
      return;
    // An infinity is as good as a large number.
    EXPECT_EQ(decode(info.to, plus), at(program, 1000));
    EXPECT_EQ(decode(info.to, minus), at(program, -1000));
  });
}

TEST(Values, NeverLeaveTheRange) {
  forEachProgram([](const Program &program) {
    const ProgramInfo &info = program.info();
    std::vector<uint32_t> inputs = allInputs(info);
    std::vector<uint32_t> outputs = replayAll(program, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      double x = decode(info.from, inputs[i]);
      double y = decode(info.to, outputs[i]);
      if (!std::isfinite(x))
        continue;
      double low = 0, high = 1;
      switch (info.function) {
      case Function::Tanh:
        low = -1;
        break;
      case Function::Silu:
      case Function::GeluErf:
      case Function::GeluTanh:
        low = info.function == Function::Silu ? -0.3125 : -0.1953125;
        high = std::fmax(x, 0.0);
        break;
      case Function::DSigmoid:
        high = 0.2656;
        break;
      case Function::DTanh:
        high = 1.0625;
        break;
      case Function::DSilu:
      case Function::DGeluErf:
      case Function::DGeluTanh:
        low = -0.16;
        high = 1.16;
        break;
      case Function::SinTurn:
      case Function::CosTurn:
        if (std::fabs(x) > 0.5)
          continue;
        low = -1.01;
        high = 1.01;
        break;
      default:
        break;
      }
      if (y < low || y > high) {
        ADD_FAILURE() << "f(" << x << ") = " << y;
        return;
      }
    }
  });
}

TEST(Values, LanesAreIndependent) {
  forEachProgram([](const Program &program) {
    const ProgramInfo &info = program.info();
    if (info.lanes != 2)
      return;
    // Every input in either lane, beside a partner that shares nothing with it.
    std::vector<uint32_t> inputs = allInputs(info), pairs, alone;
    for (size_t i = 0; i < inputs.size(); ++i) {
      uint32_t partner = inputs[(i * 40503 + 12345) & 0xffff];
      pairs.push_back(inputs[i]);
      pairs.push_back(partner);
      alone.push_back(inputs[i]);
      alone.push_back(0);
    }
    std::vector<uint32_t> together = replayAll(program, pairs);
    std::vector<uint32_t> first = replayAll(program, alone);
    for (uint32_t &bits : alone)
      bits = 0;
    for (size_t i = 0; i < inputs.size(); ++i)
      alone[2 * i + 1] = pairs[2 * i + 1];
    std::vector<uint32_t> second = replayAll(program, alone);
    for (size_t i = 0; i < pairs.size(); i += 2) {
      if (together[i] != first[i] || together[i + 1] != second[i + 1]) {
        ADD_FAILURE() << std::hex << pairs[i] << " beside " << pairs[i + 1];
        return;
      }
    }
  });
}

TEST(Values, F32ArgumentsGiveTheSixteenBitResult) {
  unsigned seen = 0;
  forEachProgram([&](const Program &program) {
    const ProgramInfo &info = program.info();
    size_t at = info.name.find("-f32-");
    if (at == std::string::npos)
      return;
    ++seen;
    std::string narrow = info.name;
    narrow.erase(at, 4);
    const Program &other = shipped(narrow);
    std::vector<uint32_t> wide = allInputs(info);
    std::vector<uint32_t> outputs = replayAll(program, wide);
    std::vector<uint32_t> expected = replayAll(other, allInputs(other.info()));
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      // Which NaN is the business of the instruction.
      bool same =
          outputs[bits] == expected[bits] ||
          (isNaN(info.to, outputs[bits]) && isNaN(info.to, expected[bits]));
      if (!same) {
        ADD_FAILURE() << std::hex << bits << ": " << outputs[bits] << ", not "
                      << expected[bits];
        return;
      }
    }
  });
  EXPECT_GT(seen, 20u);
}

TEST(Values, BothClampsGiveTheSameBits) {
  forEachProgram([](const Program &program) {
    const ProgramInfo &info = program.info();
    size_t at = info.name.find("-sm80");
    if (at == std::string::npos)
      return;
    std::vector<uint32_t> inputs = allInputs(info);
    EXPECT_EQ(replayAll(program, inputs),
              replayAll(shipped(info.name.substr(0, at)), inputs));
  });
}

TEST(Values, TanhIsOddBitForBit) {
  forEachProgram([](const Program &program) {
    const ProgramInfo &info = program.info();
    if (info.function != Function::Tanh)
      return;
    std::vector<uint32_t> inputs = allInputs(info);
    std::vector<uint32_t> outputs = replayAll(program, inputs);
    for (uint32_t bits = 0; bits < 0x8000; ++bits) {
      if (std::isnan(decode(info.from, inputs[bits])))
        continue;
      if (outputs[bits | 0x8000] !=
          (outputs[bits] ^ traits(info.to).signMask)) {
        ADD_FAILURE() << std::hex << bits;
        return;
      }
    }
  });
}
