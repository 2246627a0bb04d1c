//===- PolynomialFitTest.cpp - Fits of packed polynomials -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/PolynomialFit.h"
#include "poly/Fit/Tables.h"
#include "poly/Program/Formats.h"
#include "poly/Program/ProgramFile.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace poly;
using namespace poly::fit;

namespace {

PolynomialRequest request(Function function, bool odd, unsigned degree,
                          Format format = Format::BF16) {
  PolynomialRequest result;
  result.function = function;
  result.odd = odd;
  result.degree = degree;
  result.format = format;
  return result;
}

/// y * q(y or y^2).
double evaluate(const std::vector<double> &q, bool odd, double y) {
  double sum = 0, variable = odd ? y * y : y;
  for (size_t i = q.size(); i-- > 0;)
    sum = sum * variable + q[i];
  return y * sum;
}

} // namespace

TEST(PolynomialFit, LeastSquaresKeepsTheEndpoint) {
  for (bool odd : {false, true}) {
    auto q = constrainedLeastSquares(request(Function::Sigmoid, odd, 5), 6);
    EXPECT_EQ(q.size(), odd ? 3u : 5u);
    EXPECT_NEAR(evaluate(q, odd, 6), 0.5, 1e-12);
    double worst = 0;
    for (double y = 0; y < 6; y += 0.01)
      worst = std::fmax(
          worst, std::fabs(evaluate(q, odd, y) - 0.5 * std::tanh(y / 2)));
    EXPECT_LT(worst, odd ? 0.03 : 0.01);
  }
}

// Bounds of the half-domain forms in real arithmetic, to the digits known.
TEST(PolynomialFit, RealMinimaxOfHalfForms) {
  auto bound = [](Function function, unsigned degree) {
    PolynomialRequest r = request(function, false, degree);
    r.exactTail = false;
    return realMinimax(r);
  };
  EXPECT_NEAR(bound(Function::Sigmoid, 3), 5.3e-3, 0.05e-3);
  EXPECT_NEAR(bound(Function::Sigmoid, 4), 3.0e-3, 0.1e-3);
  EXPECT_NEAR(bound(Function::Tanh, 3), 1.06e-2, 0.01e-2);
  EXPECT_NEAR(bound(Function::Tanh, 4), 6.0e-3, 0.2e-3);
}

TEST(PolynomialFit, AnExactTailCosts) {
  PolynomialRequest r = request(Function::Sigmoid, false, 4);
  double exact = realMinimax(r);
  r.exactTail = false;
  EXPECT_GT(exact, 1.2 * realMinimax(r));
}

TEST(PolynomialFit, NoShippedProgramIsBelowItsLowerBound) {
  for (Function function : {Function::Sigmoid, Function::Tanh, Function::DTanh})
    for (const PolynomialRequest &r : shippedRequests(function)) {
      if (r.format != Format::BF16 || r.coupled || r.odd)
        continue;
      PolynomialSpec spec;
      spec.function = function;
      spec.exactTail = r.exactTail;
      spec.center = r.centered;
      spec.coefficients.resize(r.degree + (function == Function::DTanh));
      std::string program =
          std::string(name(function)) + "-" + formName(spec) + "-bf16x2";
      const RegisteredProgram *entry = findProgram(program);
      ASSERT_NE(entry, nullptr) << program;
      // The exact tail of a rounded program may stop an ulp short.
      EXPECT_GT(entry->certificate.maxAbs, 0.95 * realMinimax(r)) << program;
    }
}

TEST(PolynomialFit, ChecksRequests) {
  EXPECT_EQ(check(request(Function::Sigmoid, false, 3)), "");
  EXPECT_EQ(check(request(Function::Sigmoid, false, 9)),
            "degree 9 of form 'half' is out of range 2 to 6");
  EXPECT_EQ(check(request(Function::Sigmoid, false, 1)),
            "degree 1 of form 'half' is out of range 2 to 6");
  EXPECT_EQ(check(request(Function::Sigmoid, true, 4)),
            "form 'odd' has odd degrees only, not 4");
  PolynomialRequest free = request(Function::Silu, false, 3);
  free.exactTail = false;
  EXPECT_EQ(check(free), "silu needs an exact tail");
  PolynomialRequest shift = request(Function::SigmoidShift, false, 3);
  EXPECT_NE(check(shift).find("--parameter=n"), std::string::npos);
  shift.parameter = 4096;
  EXPECT_EQ(check(shift), "give the range of the arguments, "
                          "--domain=LOW,HIGH");
  shift.domainLow = -6;
  shift.domainHigh = 6;
  EXPECT_EQ(check(shift), "");
  EXPECT_NE(check(request(Function::Exp2, false, 3)), "");
}

// The table's row is what the command beside it makes, and twice the same,
// whatever the number of threads.
TEST(PolynomialFit, RemakesAShippedRow) {
  PolynomialRequest r = request(Function::Tanh, false, 3);
  SearchOptions one, three;
  one.threads = 1;
  three.threads = 3;
  PolynomialFit first = fitPolynomial(r, one), second = fitPolynomial(r, three);
  EXPECT_EQ(tableRow(first.spec), tableRow(second.spec));
  EXPECT_EQ(first.candidates, second.candidates);
  EXPECT_EQ(first.spec.provenance, "poly-fit --function=tanh --form=half "
                                   "--degree=3 --format=bf16 --seed=1");
  const RegisteredProgram *entry = findProgram("tanh-half3-bf16x2");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->certificate.maxAbs, first.certificate.maxAbs);
  // What the search saw is what Replay gives.
  EXPECT_EQ(first.error, first.certificate.maxAbs);
  Program program =
      buildPolynomial(first.spec, Format::BF16, ClampKind::XorSign);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    ASSERT_EQ(replayElement(program, bits),
              replayElement(entry->program, bits));
  // Saturated, whatever the input.
  EXPECT_EQ(decode(Format::BF16, replayElement(program, 0x7f00)), 1.0);
}

TEST(PolynomialFit, ProgramFileReadsBackAsTheSameProgram) {
  ProgramFileEntry entry;
  entry.name = "mine";
  PolynomialSpec &spec = entry.spec;
  spec.function = Function::Silu;
  spec.clamp = 5.25;
  spec.coefficients = {0.28125, -0.0537109375, 0.0034332275390625};
  spec.provenance = "by hand";
  auto programs = parseProgramFile(programFileText({entry}), "fit.json");
  ASSERT_TRUE(bool(programs)) << llvm::toString(programs.takeError());
  ASSERT_EQ(programs->size(), 2u); // And the form for sm_80.
  Program expected = buildPolynomial(spec, Format::BF16, ClampKind::XorSign);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    ASSERT_EQ(replayElement(programs->front(), bits),
              replayElement(expected, bits));
}
