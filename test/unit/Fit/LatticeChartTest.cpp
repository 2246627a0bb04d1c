//===- LatticeChartTest.cpp - The picture of lattices' errors -------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/Report.h"

#include "gtest/gtest.h"

#include <fstream>
#include <sstream>

// docs/figures/lattices.svg is what is computed now.
TEST(LatticeChart, IsFresh) {
  std::ifstream file(POLY_FIGURES "/lattices.svg");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == poly::fit::latticeErrors())
      << "write it anew: poly-fit report -o docs/figures";
}
