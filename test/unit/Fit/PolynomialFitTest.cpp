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
  for (Function function : {Function::Sigmoid, Function::Tanh, Function::Silu})
    for (const PolynomialRequest &r : shippedRequests(function)) {
      if (r.format != Format::BF16)
        continue;
      PolynomialSpec spec;
      spec.odd = r.odd;
      spec.exactTail = r.exactTail;
      spec.coefficients.resize(r.odd ? 3 : r.degree);
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
  EXPECT_NE(check(request(Function::Sigmoid, false, 3, Format::F32)), "");
  PolynomialRequest free = request(Function::Silu, false, 3);
  free.exactTail = false;
  EXPECT_EQ(check(free), "silu needs an exact tail");
}

// The table's row is what the command beside it makes, and twice the same.
TEST(PolynomialFit, RemakesAShippedRow) {
  PolynomialRequest r = request(Function::Tanh, true, 5);
  PolynomialFit first = fitPolynomial(r), second = fitPolynomial(r);
  EXPECT_EQ(tableRow(first.spec), tableRow(second.spec));
  EXPECT_EQ(first.spec.provenance, "poly-fit --function=tanh --form=odd "
                                   "--degree=5 --format=bf16 --seed=1");
  const RegisteredProgram *entry = findProgram("tanh-odd5-bf16x2");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->certificate.maxAbs, first.certificate.maxAbs);
  Program program =
      buildPolynomial(first.spec, Format::BF16, ClampKind::XorSign);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    ASSERT_EQ(replayElement(program, bits),
              replayElement(entry->program, bits));
  // Saturated, whatever the input.
  EXPECT_EQ(decode(Format::BF16, replayElement(program, 0x7f00)), 1.0);
}

TEST(PolynomialFit, ProgramFileReadsBackAsTheSameProgram) {
  PolynomialSpec spec;
  spec.function = Function::Silu;
  spec.clamp = 5.25;
  spec.coefficients = {0.28125, -0.0537109375, 0.0034332275390625};
  spec.provenance = "by hand";
  auto programs =
      parseProgramFile("[" + programFileEntry(spec) + "]", "fit.json");
  ASSERT_TRUE(bool(programs)) << llvm::toString(programs.takeError());
  ASSERT_EQ(programs->size(), 2u); // And the form for sm_80.
  Program expected = buildPolynomial(spec, Format::BF16, ClampKind::XorSign);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    ASSERT_EQ(replayElement(programs->front(), bits),
              replayElement(expected, bits));
}
