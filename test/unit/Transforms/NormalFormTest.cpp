//===- NormalFormTest.cpp - The algebra behind poly-raise -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir::poly;
using ::poly::Format;
using ::poly::Function;

namespace {

const double kPoints[] = {-9.5, -2.25, -1.0, -0.125, 0.0625, 0.75, 3.5, 11.0};

NormalForm x() { return NormalForm::linear(1); }
NormalForm number(double value) { return NormalForm::constant(value); }

NormalForm sigmoidOf(const NormalForm &argument) {
  return *NormalForm::div(
      number(1), *NormalForm::add(number(1), *argument.exponential(-1)));
}

void expectTarget(const NormalForm &form, Function function, bool negated) {
  std::optional<Target> target = matchTarget(form);
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->function, function);
  EXPECT_EQ(target->negated, negated);
}

TEST(NormalForm, KnowsItsTargets) {
  NormalForm minus = x().negated();
  expectTarget(sigmoidOf(x()), Function::Sigmoid, false);
  expectTarget(sigmoidOf(minus), Function::Sigmoid, true);
  expectTarget(*x().tanh(), Function::Tanh, false);
  expectTarget(*minus.tanh(), Function::Tanh, true);
  expectTarget(*NormalForm::mul(x(), sigmoidOf(x())), Function::Silu, false);
  expectTarget(*NormalForm::mul(minus, sigmoidOf(minus)), Function::Silu, true);
}

TEST(NormalForm, RejectsNeighboursOfItsTargets) {
  NormalForm s = sigmoidOf(x());
  EXPECT_FALSE(matchTarget(*NormalForm::mul(s, number(1 + 1e-7))));
  EXPECT_FALSE(matchTarget(*NormalForm::add(s, number(1e-9))));
  EXPECT_FALSE(matchTarget(sigmoidOf(NormalForm::linear(1 + 1e-7))));
  EXPECT_FALSE(matchTarget(*NormalForm::mul(x(), *x().tanh())));
  EXPECT_FALSE(matchTarget(x()));
  EXPECT_FALSE(matchTarget(number(0)));
}

TEST(NormalForm, ComparesFunctionsRatherThanShapes) {
  // (e^x - e^-x) / (e^x + e^-x) and 1 - 2 / (e^2x + 1).
  NormalForm p = *x().exponential(1), m = *x().exponential(-1);
  NormalForm ratio =
      *NormalForm::div(*NormalForm::sub(p, m), *NormalForm::add(p, m));
  NormalForm fraction = *NormalForm::sub(
      number(1),
      *NormalForm::div(number(2),
                       *NormalForm::add(*x().exponential(2), number(1))));
  EXPECT_TRUE(ratio.isSame(fraction));
  EXPECT_FALSE(ratio.isSame(sigmoidOf(x())));
}

TEST(NormalForm, KnowsPolynomialsInExponents) {
  const double c = 0.7978845608028654, k = 0.044715;
  NormalForm u = *NormalForm::add(NormalForm::linear(c),
                                  *NormalForm::mul(number(c * k), *x().pow(3)));
  NormalForm half = *NormalForm::mul(number(0.5), x());
  NormalForm gelu =
      *NormalForm::mul(half, *NormalForm::add(number(1), *u.tanh()));
  expectTarget(gelu, Function::GeluTanh, false);
  // The same through the sigmoid of 2u.
  NormalForm twice = *NormalForm::mul(number(2), u);
  expectTarget(*NormalForm::mul(x(), sigmoidOf(twice)), Function::GeluTanh,
               false);
  // Without the last digits of 0.044715 it is another function.
  NormalForm v = *NormalForm::add(
      NormalForm::linear(c), *NormalForm::mul(number(c * 0.0447), *x().pow(3)));
  NormalForm near =
      *NormalForm::mul(half, *NormalForm::add(number(1), *v.tanh()));
  EXPECT_FALSE(matchTarget(near));
  EXPECT_TRUE(getNearTarget(near));
}

TEST(NormalForm, KnowsTheErrorFunction) {
  const double r = 0.7071067811865476, density = 0.3989422804014327;
  NormalForm cdf = *NormalForm::mul(
      number(0.5), *NormalForm::add(number(1), *NormalForm::linear(r).erf()));
  expectTarget(*NormalForm::mul(x(), cdf), Function::GeluErf, false);
  // erf is odd.
  NormalForm mirrored = *NormalForm::mul(
      number(0.5), *NormalForm::sub(number(1), *NormalForm::linear(-r).erf()));
  EXPECT_TRUE(cdf.isSame(mirrored));
  NormalForm pdf =
      *NormalForm::mul(number(density), *x().pow(2)->exponential(-0.5));
  expectTarget(*NormalForm::add(cdf, *NormalForm::mul(x(), pdf)),
               Function::DGeluErf, false);
  EXPECT_FALSE(matchTarget(cdf));
}

TEST(NormalForm, KnowsDerivatives) {
  NormalForm s = sigmoidOf(x()), t = *x().tanh();
  NormalForm rest = *NormalForm::sub(number(1), s);
  NormalForm ds = *NormalForm::mul(s, rest);
  expectTarget(ds, Function::DSigmoid, false);
  expectTarget(*NormalForm::sub(s, *s.pow(2)), Function::DSigmoid, false);
  expectTarget(*NormalForm::sub(number(1), *t.pow(2)), Function::DTanh, false);
  // s (1 + x (1 - s)) and f + s (1 - f).
  expectTarget(*NormalForm::mul(
                   s, *NormalForm::add(number(1), *NormalForm::mul(x(), rest))),
               Function::DSilu, false);
  NormalForm f = *NormalForm::mul(x(), s);
  expectTarget(
      *NormalForm::add(f, *NormalForm::mul(s, *NormalForm::sub(number(1), f))),
      Function::DSilu, false);
}

TEST(NormalForm, FindsScaledArguments) {
  NormalForm scaled = sigmoidOf(NormalForm::linear(1.702));
  EXPECT_FALSE(matchTarget(scaled));
  std::optional<Target> sigmoid = matchTarget(scaled, {1.702});
  ASSERT_TRUE(sigmoid);
  EXPECT_EQ(sigmoid->function, Function::Sigmoid);
  EXPECT_EQ(sigmoid->scale, 1.702);
  EXPECT_FALSE(sigmoid->isProduct);
  std::optional<Target> swish =
      matchTarget(*NormalForm::mul(x(), scaled), {1.702});
  ASSERT_TRUE(swish);
  EXPECT_TRUE(swish->isProduct);
  // A hair beside 1 is a near miss.
  EXPECT_FALSE(matchTarget(sigmoidOf(NormalForm::linear(1.001)), {1.001}));
}

TEST(NormalForm, SplitsAtZero) {
  NormalForm magnitude = *x().abs();
  EXPECT_EQ(magnitude.evaluate(-3), 3);
  EXPECT_EQ(magnitude.evaluate(2), 2);
  EXPECT_FALSE(magnitude.isSame(x()));
  EXPECT_TRUE(NormalForm::copySign(magnitude, x())->isSame(x()));
  EXPECT_TRUE(NormalForm::mul(magnitude, magnitude)
                  ->isSame(*NormalForm::mul(x(), x())));
  // tanh(|x|) is positive, so its sign can be replaced by that of x.
  NormalForm t = *magnitude.tanh();
  expectTarget(*NormalForm::copySign(t, x()), Function::Tanh, false);
  // A select whose condition changes its sign elsewhere has no form.
  EXPECT_FALSE(NormalForm::select(x(), number(1), x(), x()));
  // exp(x) - 2 has a zero inside the right half, exp(-x) - 2 inside the left.
  EXPECT_FALSE(NormalForm::sub(*x().exponential(1), number(2))->abs());
  EXPECT_FALSE(NormalForm::sub(*x().exponential(-1), number(2))->abs());
}

TEST(NormalForm, LeavesItsAlgebraQuietly) {
  EXPECT_FALSE(NormalForm::div(x(), number(0)));
  EXPECT_FALSE(x().pow(4)->exponential(1));
  EXPECT_FALSE(x().pow(-1)->exponential(1));
  EXPECT_FALSE(x().pow(2)->erf());
  // Two error functions are not multiplied.
  EXPECT_FALSE(NormalForm::mul(*x().erf(), *NormalForm::linear(2).erf()));
  EXPECT_FALSE(x().exponential(1)->exponential(1));
  EXPECT_FALSE(number(1e6).exponential(1));
  EXPECT_FALSE(sigmoidOf(x()).tanh());
  // Powers grow without end.
  std::optional<NormalForm> power = x();
  for (int i = 0; i < 20 && power; ++i)
    power = NormalForm::mul(*power, x());
  EXPECT_FALSE(power);
  // So do sums.
  std::optional<NormalForm> sum = x();
  for (int i = 1; i < 30 && sum; ++i)
    sum = NormalForm::add(*sum, *x().exponential(i));
  EXPECT_FALSE(sum);
}

/// A random expression with its value at each point.
struct Expression {
  std::optional<NormalForm> form;
  std::array<double, std::size(kPoints)> values;
};

template <typename FormFn, typename NumberFn>
Expression apply(const Expression &a, const Expression &b, FormFn onForms,
                 NumberFn onNumbers) {
  Expression result;
  if (a.form && b.form)
    result.form = onForms(*a.form, *b.form);
  for (size_t i = 0; i < std::size(kPoints); ++i)
    result.values[i] = onNumbers(a.values[i], b.values[i]);
  return result;
}

Expression makeRandom(std::mt19937 &random, int depth) {
  auto leaf = [](const NormalForm &form) {
    Expression e{form, {}};
    for (size_t i = 0; i < std::size(kPoints); ++i)
      e.values[i] = form.evaluate(kPoints[i]);
    return e;
  };
  if (depth == 0) {
    const double constants[] = {-2, -1, -0.5, 0.5, 1, 2};
    return random() % 2 ? leaf(x()) : leaf(number(constants[random() % 6]));
  }
  Expression a = makeRandom(random, random() % depth);
  Expression b = makeRandom(random, random() % depth);
  using F = const NormalForm &;
  switch (random() % 9) {
  case 0:
    return apply(a, b, NormalForm::add, std::plus<>());
  case 1:
    return apply(a, b, NormalForm::sub, std::minus<>());
  case 2:
    return apply(a, b, NormalForm::mul, std::multiplies<>());
  case 3:
    return apply(a, b, NormalForm::div, std::divides<>());
  case 4:
    return apply(
        a, b, [](F f, F) { return f.exponential(1); },
        [](double v, double) { return std::exp(v); });
  case 5:
    return apply(
        a, b, [](F f, F) { return f.tanh(); },
        [](double v, double) { return std::tanh(v); });
  case 6:
    return apply(
        a, b, [](F f, F) { return f.abs(); },
        [](double v, double) { return std::abs(v); });
  case 7:
    return apply(a, b, NormalForm::copySign,
                 [](double v, double s) { return std::copysign(v, s); });
  default:
    return apply(
        a, b, [](F f, F g) { return NormalForm::select(f, g, f, g); },
        [](double v, double w) { return std::min(v, w); });
  }
}

TEST(NormalForm, MeansWhatTheExpressionMeans) {
  std::mt19937 random(1);
  int compared = 0;
  for (int i = 0; i < 40000; ++i) {
    Expression e = makeRandom(random, 5);
    if (!e.form)
      continue;
    for (size_t k = 0; k < std::size(kPoints); ++k) {
      double expected = e.values[k], got = e.form->evaluate(kPoints[k]);
      // Overflow and cancellation in either evaluation say nothing about the
      // form.
      if (!std::isfinite(expected) || !std::isfinite(got) ||
          std::abs(expected) > 1e6 || std::abs(expected) < 1e-6)
        continue;
      ++compared;
      ASSERT_NEAR(got, expected, 1e-4 * std::abs(expected))
          << "expression " << i << " at " << kPoints[k];
    }
  }
  EXPECT_GT(compared, 50000);
}

TEST(SnapConstant, WithinFourUlpsOfF32) {
  const double log2e = 1.4426950408889634, ln2 = 0.6931471805599453;
  auto ulpsFrom = [](float value, int ulps) {
    for (; ulps > 0; --ulps)
      value = std::nextafter(value, HUGE_VALF);
    for (; ulps < 0; ++ulps)
      value = std::nextafter(value, -HUGE_VALF);
    return double(value);
  };
  for (double exact : {1.0, 0.25, -2.0, log2e, -2 * log2e, 0.5 * log2e, ln2}) {
    for (int ulps : {-4, -1, 0, 1, 4})
      EXPECT_EQ(snapConstant(ulpsFrom(exact, ulps), Format::F32), exact);
    for (int ulps : {-5, 5, 100}) {
      double off = ulpsFrom(exact, ulps);
      EXPECT_EQ(snapConstant(off, Format::F32), off);
    }
  }
}

TEST(SnapConstant, ExactRoundingsIn16Bits) {
  const double log2e = 1.4426950408889634;
  EXPECT_EQ(snapConstant(1.4453125, Format::BF16), log2e);
  EXPECT_EQ(snapConstant(-2.890625, Format::BF16), -2 * log2e);
  EXPECT_EQ(snapConstant(1.4375, Format::BF16), 1.4375);
  EXPECT_EQ(snapConstant(1.4423828125, Format::F16), log2e);
  EXPECT_EQ(snapConstant(1.443359375, Format::F16), 1.443359375);
  EXPECT_EQ(snapConstant(1.0078125, Format::BF16), 1.0078125);
}

TEST(SnapConstant, LeavesTheRest) {
  for (double value : {0.0, 1.001, 0.499, 3.0, 1.4426, 0.044715, 1e-30})
    EXPECT_EQ(snapConstant(value, Format::F32), value);
  EXPECT_TRUE(std::isinf(snapConstant(HUGE_VAL, Format::F32)));
  EXPECT_TRUE(std::isnan(snapConstant(NAN, Format::F32)));
}

} // namespace
