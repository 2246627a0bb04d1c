//===- StorageGridTest.cpp - Lattices of 16- and 8-bit formats ------------===//
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

const double kInfinity = std::numeric_limits<double>::infinity();

/// The pattern that Schraudolph's construction gives x in \p format on its own
/// grid: round(2^m (x + bias)), ties to even.
uint32_t gridPattern(Format format, double x) {
  const FormatTraits &t = traits(format);
  double biased = x + (1 - t.minExponent);
  return uint32_t(quantized(std::max(biased, 0.0), unsigned(t.mantissaBits)) *
                  std::ldexp(1.0, t.mantissaBits));
}

// The same values straight into packed registers: two lanes by two integer
// multiply-adds or by one byte permutation, with each clamp.
TEST(StorageGrid, PackedH15IsTheF32LatticeRounded) {
  const Program &reference = entry("exp2-h15-f32").program;
  for (const char *name :
       {"exp2-h15-f32-bf16x2", "exp2-h15mad-f32-bf16x2",
        "exp2-h15bare-f32-bf16x2", "exp2-h15baremad-f32-bf16x2",
        "exp2-h15-f32-f16x2", "exp2-h15bare-f32-f16x2"}) {
    const Program &p = entry(name).program;
    SCOPED_TRACE(name);
    double low = std::max(-14.0, p.info().domainLow);
    if (p.info().to == Format::BF16)
      low = -126;
    std::vector<uint32_t> inputs = spread(low, p.info().domainHigh);
    std::vector<uint32_t> outputs = replayAll(p, inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      ASSERT_EQ(decode(p.info().to, outputs[i]),
                decode(Format::F32, replayElement(reference, inputs[i])))
          << decode(Format::F32, inputs[i]);
  }
}

TEST(StorageGrid, SaturatingFormsDifferAtEdgesOnly) {
  for (const char *name :
       {"exp2-h15satmad-f32-bf16x2", "exp2-h15sat-f32-bf16x2",
        "exp2-h15sat-f32-f16x2", "exp2-lattice7sat-f32-bf16x2",
        "exp2-lattice10sat-f32-f16x2"}) {
    const Program &p = entry(name).program;
    SCOPED_TRACE(name);
    // Neighbouring lattice points at most, and only beside an edge.
    std::string clampedName = name;
    clampedName.erase(clampedName.find("sat"), 3);
    const Program &clamped = entry(clampedName).program;
    unsigned k = p.info().form[0] == 'h'                         ? 1
                 : p.info().form.find("10") != std::string::npos ? 10
                                                                 : 7;
    std::vector<uint32_t> inputs =
        spread(p.info().to == Format::F16 ? -15 : -127, p.info().domainHigh);
    std::vector<uint32_t> a = replayAll(p, inputs),
                          b = replayAll(clamped, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      double x = decode(Format::F32, inputs[i]);
      double scaled = std::ldexp(std::fabs(x), int(k));
      double toEdge =
          std::ldexp(std::fabs(std::fmod(scaled, 1.0) - 0.5), -int(k));
      if (toEdge > 0x1p-16) {
        ASSERT_EQ(a[i], b[i]) << x;
      }
    }
    // Both ends, and NaN.
    EXPECT_EQ(at(p, kInfinity), kInfinity);
    EXPECT_EQ(at(p, 1e9), kInfinity);
    EXPECT_EQ(bitsAt(p, -kInfinity), 0u);
    EXPECT_EQ(replayElement(p, 0x7fc00000u), 0u);
    EXPECT_TRUE(p.info().saturates);
  }
}

// S7 and S10: the bf16 pattern is round(128 x + 16256), the f16 pattern
// round(1024 x + 15360).
TEST(StorageGrid, S7AndS10) {
  struct Case {
    const char *name;
    Format format;
  } cases[] = {{"exp2-lattice7-f32-bf16x2", Format::BF16},
               {"exp2-lattice7bare-f32-bf16x2", Format::BF16},
               {"exp2-lattice7-f16-bf16x2", Format::BF16},
               {"exp2-lattice10-f32-f16x2", Format::F16},
               {"exp2-lattice10bare-f32-f16x2", Format::F16},
               {"exp2-lattice10-f16x2", Format::F16}};
  for (auto [name, format] : cases) {
    const Program &p = entry(name).program;
    SCOPED_TRACE(name);
    std::vector<uint32_t> inputs;
    double low = format == Format::BF16 ? -127 : -15;
    if (p.info().from == Format::F32) {
      inputs = spread(low, p.info().domainHigh);
    } else {
      for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        double x = decode(Format::F16, bits);
        if (x >= low && x <= p.info().domainHigh)
          inputs.push_back(bits);
      }
    }
    std::vector<uint32_t> outputs = replayAll(p, inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      ASSERT_EQ(outputs[i],
                gridPattern(format, decode(p.info().from, inputs[i])))
          << decode(p.info().from, inputs[i]);
    if (p.info().form.find("bare") == std::string::npos) {
      EXPECT_EQ(bitsAt(p, -kInfinity), 0u);
    }
  }
  // Their cost: an fma each (and its clamp), and one prmt a pair.
  EXPECT_EQ(instructionCount(entry("exp2-lattice7bare-f32-bf16x2").program),
            3u);
  EXPECT_EQ(instructionCount(entry("exp2-lattice7-f32-bf16x2").program), 5u);
  EXPECT_EQ(instructionCount(entry("exp2-lattice7sat-f32-bf16x2").program), 5u);
}

TEST(StorageGrid, FewerStepsInF16Arithmetic) {
  for (unsigned k : {1u, 5u}) {
    const Program &p = entry("exp2-" + latticeForm(k) + "-f16x2").program;
    std::vector<uint32_t> inputs;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      double x = decode(Format::F16, bits);
      if (x >= -15 && x <= p.info().domainHigh)
        inputs.push_back(bits);
    }
    std::vector<uint32_t> outputs = replayAll(p, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      double q = quantized(decode(Format::F16, inputs[i]), k);
      // The first step below the normal range is half of one.
      ASSERT_EQ(outputs[i], uint32_t(gridPattern(Format::F16, q))) << q;
    }
    EXPECT_EQ(bitsAt(p, -kInfinity), 0u);
    EXPECT_EQ(replayElement(p, 0x7e00u), 0u);
  }
}

// E8: byte = round(8 x + 56) for 2^x; held as 2^(x + 8) that is 8 x + 120.
TEST(StorageGrid, E8AndItsE5M2Sister) {
  struct Case {
    const char *name;
    Format format;
    /// Rounding x to f16 and 2^m (x + bias) to f16 moves the edges by less.
    double slack;
  } cases[] = {{"exp2-lattice3-f16-e4m3x4", Format::E4M3, 1.0 / 16},
               {"exp2-lattice3-f32-e4m3x4", Format::E4M3, 3.0 / 32},
               {"exp2-lattice2-f16-e5m2x4", Format::E5M2, 1.0 / 16},
               {"exp2-lattice2-f32-e5m2x4", Format::E5M2, 3.0 / 32}};
  for (auto [name, format, slack] : cases) {
    const RegisteredProgram &e = entry(name);
    const Program &p = e.program;
    SCOPED_TRACE(name);
    EXPECT_EQ(p.info().lanes, 4u);
    int m = traits(format).mantissaBits, bias = 1 - traits(format).minExponent;
    std::vector<uint32_t> inputs;
    for (uint32_t bits : spread(-40, p.info().domainHigh))
      inputs.push_back(p.info().from == Format::F32
                           ? bits
                           : encode(Format::F16, decode(Format::F32, bits)));
    std::vector<uint32_t> outputs = replayAll(p, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      double x = decode(p.info().from, inputs[i]);
      double exact = std::max(0.0, std::ldexp(x + bias, m));
      ASSERT_LE(std::fabs(outputs[i] - exact), 0.5 + slack) << x;
      // The same bytes wherever the element sits.
      ASSERT_EQ(replayElement(p, inputs[i]), outputs[i]) << x;
    }
    EXPECT_EQ(bitsAt(p, 0), uint32_t(bias) << m);
    EXPECT_EQ(bitsAt(p, -kInfinity), 0u);
    EXPECT_EQ(bitsAt(p, -60000), 0u);
    // A NaN stays one and leaves its neighbours alone.
    uint32_t nan = p.info().from == Format::F16 ? 0x7e00u : 0x7fc00000u;
    uint32_t one = encode(p.info().from, 1.0);
    std::vector<uint32_t> mixed = {one, nan, one, one};
    std::vector<uint32_t> out = replayAll(p, mixed);
    EXPECT_TRUE(isNaN(format, out[1]));
    for (size_t i : {0, 2, 3})
      EXPECT_EQ(decode(format, out[i]), 2.0);
  }
  EXPECT_EQ(instructionCount(entry("exp2-lattice3-f16-e4m3x4").program), 5u);
  EXPECT_EQ(instructionCount(entry("exp2-lattice3-f32-e4m3x4").program), 7u);
}

// Against the rounding of the exact 2^x to the same grid, which is what a
// conversion gives: at most one step of the grid apart.
TEST(StorageGrid, AgainstTheRoundedExponential) {
  struct Case {
    const char *name;
    double low, high; ///< Envelope in octaves of normal results.
    unsigned steps;   ///< Largest distance in units of the grid.
  } cases[] = {{"exp2-lattice3-f16-e4m3x4", -0.0665, 0.1514, 1},
               {"exp2-lattice3-f32-e4m3x4", -0.0683, 0.1533, 1},
               {"exp2-lattice7-f32-bf16x2", -0.00391, 0.08998, 12},
               {"exp2-lattice10-f32-f16x2", -0.00049, 0.08657, 89}};
  for (auto [name, low, high, steps] : cases) {
    const RegisteredProgram &e = entry(name);
    const ProgramInfo &info = e.program.info();
    SCOPED_TRACE(name);
    EXPECT_GE(e.certificate.octaveLow, low);
    EXPECT_LT(e.certificate.octaveLow, low * 0.98);
    EXPECT_LE(e.certificate.octaveHigh, high);
    EXPECT_GT(e.certificate.octaveHigh, high * 0.99);
    unsigned furthest = 0;
    double normal = traits(info.to).minExponent;
    for (uint32_t bits : spread(normal, info.domainHigh - 0.5)) {
      double x = decode(Format::F32, bits);
      uint32_t in = encode(info.from, x);
      uint32_t rounded = encode(info.to, std::exp2(decode(info.from, in)));
      int distance = int(replayElement(e.program, in)) - int(rounded);
      furthest = std::max(furthest, unsigned(std::abs(distance)));
    }
    EXPECT_EQ(furthest, steps);
  }
}

} // namespace
