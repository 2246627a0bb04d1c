//===- TargetTest.cpp - GPU pipe models -----------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Target/Names.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace poly;

TEST(Target, FindsEveryChipAndNoOther) {
  unsigned last = 0;
  for (const TargetModel *target : allTargets()) {
    EXPECT_EQ(findTarget(target->chip), target);
    EXPECT_EQ(target->chip, "sm_" + std::to_string(target->sm));
    EXPECT_GT(target->sm, last);
    last = target->sm;
  }
  for (const char *unknown :
       {"", "sm_", "sm_91", "sm90", "SM_90", "sm_90b", "sm_9", "sm_900", "a",
        "sm_80a", "sm_90f", "sm_90aa", " sm_90"})
    EXPECT_EQ(findTarget(unknown), nullptr) << unknown;
}

TEST(Target, SuffixesShareTheBase) {
  EXPECT_EQ(findTarget("sm_90a"), findTarget("sm_90"));
  EXPECT_EQ(findTarget("sm_100a"), findTarget("sm_100"));
  EXPECT_EQ(findTarget("sm_100f"), findTarget("sm_100"));
  EXPECT_EQ(findTarget("sm_120f"), findTarget("sm_120"));
}

TEST(Target, KnownChipsListsAll) {
  EXPECT_EQ(knownChips(), "sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, "
                          "sm_103, sm_120");
}

TEST(Target, EveryRateIsPositiveAndHasASource) {
  for (const TargetModel *target : allTargets()) {
    EXPECT_EQ(target->issuePerClock, 128u);
    for (const InstrRate &rate : target->rates) {
      EXPECT_GT(rate.perClock, 0u) << target->chip;
      EXPECT_LE(rate.perClock, target->issuePerClock) << target->chip;
      ASSERT_NE(rate.source, nullptr);
      EXPECT_GT(std::strlen(rate.source), 5u) << target->chip;
      EXPECT_LT(unsigned(rate.pipe), unsigned(Pipe::NumPipes));
    }
  }
}

TEST(Target, HopperFigures) {
  const TargetModel &hopper = *findTarget("sm_90");
  EXPECT_EQ(hopper.rate(InstrClass::F32Fma).perClock, 128u);
  EXPECT_EQ(hopper.rate(InstrClass::PackedFma).perClock, 128u);
  EXPECT_EQ(hopper.rate(InstrClass::PackedFmaB).perClock, 128u);
  EXPECT_EQ(hopper.rate(InstrClass::PackedUnary).perClock, 64u);
  EXPECT_EQ(hopper.rate(InstrClass::PackedMinMax).perClock, 64u);
  EXPECT_EQ(hopper.rate(InstrClass::Logic).perClock, 64u);
  EXPECT_EQ(hopper.rate(InstrClass::Convert).perClock, 64u);
  EXPECT_EQ(hopper.rate(InstrClass::IntAdd).perClock, 128u);
  EXPECT_EQ(hopper.sustainedIssuePerClock, 110u);
  EXPECT_EQ(hopper.rate(InstrClass::Sfu).perClock, 16u);
  EXPECT_EQ(hopper.rate(InstrClass::Sfu).pipe, Pipe::Xu);
  EXPECT_EQ(hopper.rate(InstrClass::PackedMinMax).pipe, Pipe::Alu);
}

TEST(Target, NamesOfClassesAreReadBack) {
  for (unsigned i = 0; i < unsigned(InstrClass::NumClasses); ++i) {
    InstrClass instrClass = InstrClass(i);
    EXPECT_FALSE(name(instrClass).empty());
    EXPECT_EQ(parseInstrClass(name(instrClass)), instrClass);
  }
  EXPECT_EQ(name(InstrClass::PackedFmaB), "PackedFmaB");
  EXPECT_FALSE(parseInstrClass("fma"));
  EXPECT_FALSE(parseInstrClass(""));
}

TEST(Target, GenerationsDiffer) {
  // A100 runs bf16x2 at half its f16x2 rate; Blackwell Ultra doubles the SFU.
  const TargetModel &ampere = *findTarget("sm_80");
  EXPECT_EQ(ampere.rate(InstrClass::PackedFma).perClock,
            2 * ampere.rate(InstrClass::PackedFmaB).perClock);
  EXPECT_EQ(findTarget("sm_103")->rate(InstrClass::Sfu).perClock,
            2 * findTarget("sm_100")->rate(InstrClass::Sfu).perClock);
}
