//===- FitTest.cpp - The constants of 2^f ---------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "poly/Fit/Exp2Fit.h"

using namespace poly;
using namespace poly::fit;
using namespace poly::test;

namespace {

Exp2Request request(const char *form,
                    Exp2Objective objective = Exp2Objective::Minimax,
                    Format format = Format::F32) {
  Exp2Request result;
  EXPECT_TRUE(parseExp2Form(form, result)) << form;
  result.objective = objective;
  result.format = format;
  return result;
}

// arXiv:2610.00049, B.1, to all the digits that it gives.
TEST(Exp2Fit, RecoversThePublishedConstants) {
  EXPECT_NEAR(fitExp2Real(request("hinge"))[0], 0.7980513010, 0.6e-10);
  EXPECT_NEAR(fitExp2Real(request("d2"))[0], 0.6602339719, 0.6e-10);
  EXPECT_NEAR(fitExp2Real(request("hinge", Exp2Objective::LeastSquares))[0],
              0.7852775264, 0.6e-10);
  EXPECT_NEAR(fitExp2Real(request("d2", Exp2Objective::LeastSquares))[0],
              0.6563658611, 0.6e-10);
}

TEST(Exp2Fit, RealFitsMeetBothEnds) {
  for (const char *form : {"d1", "d2", "d3", "d4"}) {
    double sum = 1;
    for (double c : fitExp2Real(request(form)))
      sum += c;
    EXPECT_NEAR(sum, 2, 1e-14) << form;
  }
}

TEST(Exp2Fit, AFreeEndBuysLittle) {
  // What the constraint costs: a fifth of the error, for continuity.
  Exp2Fit constrained = fitExp2(request("d3")),
          loose = fitExp2(request("d3free"));
  EXPECT_LT(loose.realError, constrained.realError);
  EXPECT_LT(constrained.realError, 1.25 * loose.realError);
}

TEST(Exp2Fit, RoundedFitsKeepTheEnds) {
  for (Format format : {Format::F32, Format::F16, Format::BF16})
    for (const char *form : {"d1", "hinge", "d2", "d3"}) {
      Exp2Fit fit = fitExp2(request(form, Exp2Objective::Minimax, format));
      Program core = buildExpCore(fit.spec.core, fit.spec.coefficients, format);
      EXPECT_EQ(at(core, 0), 1.0) << form;
      EXPECT_EQ(at(core, 1), 2.0) << form;
      // Rounding costs at most two ulps of the result.
      EXPECT_LE(fit.error, fit.realError + 2 * ulp(format, 1.0)) << form;
    }
}

TEST(Exp2Fit, UnknownForms) {
  Exp2Request kept = request("d2");
  for (const char *form : {"", "d", "d0", "d5", "d33", "hinges", "half"})
    EXPECT_FALSE(parseExp2Form(form, kept)) << form;
  EXPECT_EQ(exp2Form(kept), "d2");
}

} // namespace
