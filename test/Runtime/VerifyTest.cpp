//===- VerifyTest.cpp - What the runner does before a GPU is needed -------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include <gtest/gtest.h>

#include <limits>

using namespace poly::runtime;

namespace {

constexpr uint64_t kFar = std::numeric_limits<uint64_t>::max();

TEST(UlpDistance, CountsRepresentableValues) {
  EXPECT_EQ(ulpDistance(ElementFormat::BF16, 0x3f80, 0x3f80), 0u);
  EXPECT_EQ(ulpDistance(ElementFormat::BF16, 0x3f80, 0x3f7f), 1u);
  EXPECT_EQ(ulpDistance(ElementFormat::F16, 0x0001, 0x8001), 3u);
  EXPECT_EQ(ulpDistance(ElementFormat::F32, 0x00000000, 0x80000000), 1u);
  EXPECT_EQ(ulpDistance(ElementFormat::F32, 0x7f7fffff, 0x7f800000), 1u);
  EXPECT_EQ(ulpDistance(ElementFormat::F32, 0xff800000, 0x7f800000),
            2u * 0x7f800000u + 1u);
}

TEST(UlpDistance, SeparatesNaNFromNumbers) {
  EXPECT_EQ(ulpDistance(ElementFormat::BF16, 0x7fff, 0x3f80), kFar);
  EXPECT_EQ(ulpDistance(ElementFormat::BF16, 0x7f80, 0x7f81), kFar);
  EXPECT_EQ(ulpDistance(ElementFormat::F16, 0x7c01, 0x7fff), 0x3feu);
}

TEST(VerifyResult, DifferencesFromAModelAreNoFailure) {
  VerifyResult result;
  result.mismatches = 1;
  EXPECT_FALSE(result.ok(/*sfuModel=*/false));
  EXPECT_TRUE(result.ok(/*sfuModel=*/true));
  result.wroteOutside = true;
  EXPECT_FALSE(result.ok(/*sfuModel=*/true));
}

} // namespace
