//===- AllCertificatesTest.cpp - Recompute every certificate --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace poly;

// Equality, so a bound that was loosened in the table fails as well as one that
// the program no longer keeps.
TEST(AllCertificates, AreRecomputed) {
  for (const RegisteredProgram &entry : shippedPrograms()) {
    SCOPED_TRACE(entry.program.name());
    Certificate c = certify(entry.program);
    const Certificate &stored = entry.certificate;
    EXPECT_EQ(stored.inputs, c.inputs);
    EXPECT_EQ(stored.maxAbs, c.maxAbs);
    EXPECT_EQ(stored.worstAbsInput, c.worstAbsInput);
    EXPECT_EQ(stored.maxRel, c.maxRel);
    EXPECT_EQ(stored.maxUlp, c.maxUlp);
    EXPECT_EQ(stored.monotone, c.monotone);
    EXPECT_EQ(stored.symmetric, c.symmetric);
    EXPECT_EQ(stored.propagatesNaN, c.propagatesNaN);
    EXPECT_TRUE(stored.special == c.special);
  }
}
