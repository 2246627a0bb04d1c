//===- InterruptionTest.cpp - Ending a run early --------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interruption.h"

#include "gtest/gtest.h"

using poly::bench::Interruption;

namespace {

/// Whatever runs the tests may have had signals ignored.
class InterruptionTest : public ::testing::Test {
protected:
  InterruptionTest() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
};
using InterruptionDeathTest = InterruptionTest;

TEST_F(InterruptionTest, NotesTheFirstSignal) {
  for (int signal : {SIGINT, SIGTERM}) {
    Interruption interruption;
    EXPECT_FALSE(Interruption::wanted());
    raise(signal);
    EXPECT_TRUE(Interruption::wanted());
  }
}

TEST_F(InterruptionTest, LeavesIgnoredSignalsIgnored) {
  std::signal(SIGINT, SIG_IGN);
  {
    Interruption interruption;
    raise(SIGINT);
    EXPECT_FALSE(Interruption::wanted());
  }
  EXPECT_EQ(std::signal(SIGINT, SIG_DFL), SIG_IGN);
}

TEST_F(InterruptionDeathTest, TheSecondOneEnds) {
  EXPECT_EXIT(
      {
        Interruption interruption;
        raise(SIGTERM);
        raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST_F(InterruptionDeathTest, AfterItSignalsEnd) {
  EXPECT_EXIT(
      {
        {
          Interruption interruption;
        }
        raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

} // namespace
