//===- ReferenceTest.cpp - The real functions against MPFR ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Certify.h"

#include "gtest/gtest.h"

#include <mpfr.h>

#include <cmath>
#include <limits>

using namespace poly;

namespace {

/// A 300-bit number with value semantics.
class Real {
public:
  Real(double value = 0) {
    mpfr_init2(number, 300);
    mpfr_set_d(number, value, MPFR_RNDN);
  }
  Real(const Real &other) : Real() {
    mpfr_set(number, other.number, MPFR_RNDN);
  }
  Real &operator=(const Real &other) {
    mpfr_set(number, other.number, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(number); }

  double toDouble() const { return mpfr_get_d(number, MPFR_RNDN); }

  friend Real operator+(const Real &a, const Real &b) {
    return apply(mpfr_add, a, b);
  }
  friend Real operator-(const Real &a, const Real &b) {
    return apply(mpfr_sub, a, b);
  }
  friend Real operator*(const Real &a, const Real &b) {
    return apply(mpfr_mul, a, b);
  }
  friend Real operator/(const Real &a, const Real &b) {
    return apply(mpfr_div, a, b);
  }
  friend Real exp(const Real &a) { return apply(mpfr_exp, a); }
  friend Real exp2(const Real &a) { return apply(mpfr_exp2, a); }
  friend Real tanh(const Real &a) { return apply(mpfr_tanh, a); }
  friend Real erfc(const Real &a) { return apply(mpfr_erfc, a); }
  friend Real sqrt(const Real &a) { return apply(mpfr_sqrt, a); }
  friend Real log(const Real &a) { return apply(mpfr_log, a); }
  friend Real sin(const Real &a) { return apply(mpfr_sin, a); }
  friend Real cos(const Real &a) { return apply(mpfr_cos, a); }
  static Real pi() {
    Real r;
    mpfr_const_pi(r.number, MPFR_RNDN);
    return r;
  }

private:
  template <typename Fn>
  static Real apply(Fn fn, const Real &a) {
    Real r;
    fn(r.number, a.number, MPFR_RNDN);
    return r;
  }
  template <typename Fn>
  static Real apply(Fn fn, const Real &a, const Real &b) {
    Real r;
    fn(r.number, a.number, b.number, MPFR_RNDN);
    return r;
  }
  mpfr_t number;
};

constexpr double kKeys = 4096;

Real sigmoid(const Real &x) { return Real(1) / (Real(1) + exp(Real(0) - x)); }

/// The definitions, as in a textbook. The derivatives are symmetric
/// differences in 300 bits, so that no formula is trusted twice.
Real exact(Function function, const Real &x) {
  auto derivative = [&](Function of) {
    Real h(0x1p-80);
    return (exact(of, x + h) - exact(of, x - h)) / (h + h);
  };
  switch (function) {
  case Function::Sigmoid:
    return sigmoid(x);
  case Function::Tanh:
    return tanh(x);
  case Function::Silu:
    return x * sigmoid(x);
  case Function::GeluErf:
    return x * erfc(Real(0) - x / sqrt(Real(2))) / Real(2);
  case Function::GeluTanh: {
    Real cube = Real(44715) / Real(1000000) * x * x * x;
    return x * (Real(1) + tanh(sqrt(Real(2) / Real::pi()) * (x + cube))) /
           Real(2);
  }
  case Function::Exp:
    return exp(x);
  case Function::Exp2:
    return exp2(x);
  case Function::DSigmoid:
    return derivative(Function::Sigmoid);
  case Function::DTanh:
    return derivative(Function::Tanh);
  case Function::DSilu:
    return derivative(Function::Silu);
  case Function::DGeluErf:
    return derivative(Function::GeluErf);
  case Function::DGeluTanh:
    return derivative(Function::GeluTanh);
  case Function::SinTurn:
    return sin(Real(2) * Real::pi() * x);
  case Function::CosTurn:
    return cos(Real(2) * Real::pi() * x);
  case Function::SigmoidShift:
    return sigmoid(x - log(Real(kKeys)));
  case Function::DSigmoidShift:
    return derivative(Function::SigmoidShift);
  case Function::Custom:
    break;
  }
  return Real(std::numeric_limits<double>::quiet_NaN());
}

/// The inputs over which a function is worth comparing: where 300 bits hold
/// its cancellations and a double its value.
double reach(Function function) {
  switch (function) {
  case Function::Sigmoid:
  case Function::Tanh:
  case Function::Silu:
  case Function::Exp:
  case Function::Exp2:
  case Function::SigmoidShift:
  case Function::SinTurn:
  case Function::CosTurn:
    return 351; // Past every 16-bit and f32 tail.
  case Function::GeluErf:
  case Function::GeluTanh:
    return 12;
  default:
    return 8;
  }
}

class ReferenceOf : public testing::TestWithParam<unsigned> {};

TEST_P(ReferenceOf, IsWithinAFewDoubleUlps) {
  Function function = Function(GetParam());
  auto check = [&](double x) {
    double truth = exact(function, Real(x)).toDouble();
    // Rounding the argument of an exponential costs |argument| half ulps of
    // it; functions with a zero off the origin keep an absolute error there.
    bool cubic =
        function == Function::GeluTanh || function == Function::DGeluTanh;
    double argument = cubic ? std::fabs(x * x * x) + 2 : x * x + 2;
    if (function == Function::SigmoidShift ||
        function == Function::DSigmoidShift)
      argument += std::log(kKeys);
    bool plain = function == Function::Sigmoid || function == Function::Tanh ||
                 function == Function::Silu || function == Function::Exp ||
                 function == Function::Exp2;
    double ulps = plain ? 4 : 4 + 2 * argument;
    bool crossesZero =
        function >= Function::DSilu && function <= Function::CosTurn;
    double absolute = crossesZero ? 0x1p-52 : 0;
    ASSERT_NEAR(reference(function, x, kKeys), truth,
                std::fmax(ulps * std::ldexp(std::fabs(truth), -53), absolute))
        << name(function) << " at " << x;
  };
  double limit = reach(function);
  for (int i = -3000; i <= 3000; ++i)
    check(i * limit / 3000);
  for (int e = -60; e < 3; ++e)
    for (double s : {-1.0, 1.0}) {
      check(s * std::ldexp(1.37, e));
      check(s * std::ldexp(1.0, e));
    }
}

// Custom functions have a meaning only with their formula.
INSTANTIATE_TEST_SUITE_P(All, ReferenceOf,
                         testing::Range(0u, kNumFunctions - 1),
                         [](const testing::TestParamInfo<unsigned> &info) {
                           return std::string(name(Function(info.param)));
                         });

TEST(Traits, TellTheTruth) {
  for (unsigned i = 0; i + 1 < kNumFunctions; ++i) {
    Function function = Function(i);
    const FunctionTraits &t = traits(function);
    Function parsed = Function::Custom;
    ASSERT_TRUE(parse(t.name, parsed));
    EXPECT_EQ(parsed, function);
    bool increasing = true, odd = true, even = true, complement = true;
    double last = -std::numeric_limits<double>::infinity();
    for (int k = -800; k <= 800; ++k) {
      double x = k * 0.0137, y = reference(function, x, kKeys),
             z = reference(function, -x, kKeys);
      increasing &= y >= last;
      last = y;
      odd &= std::fabs(y + z) < 1e-13;
      even &= std::fabs(y - z) < 1e-13;
      complement &= std::fabs(y + z - 1) < 1e-13;
    }
    EXPECT_EQ(t.increasing, increasing) << t.name;
    EXPECT_EQ(t.symmetry == Symmetry::Odd, odd) << t.name;
    EXPECT_EQ(t.symmetry == Symmetry::Even, even) << t.name;
    EXPECT_EQ(t.symmetry == Symmetry::Complement, complement) << t.name;
  }
}

TEST(Reference, Limits) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reference(Function::Sigmoid, -inf), 0);
  EXPECT_EQ(reference(Function::Sigmoid, inf), 1);
  EXPECT_EQ(reference(Function::Tanh, -inf), -1);
  EXPECT_EQ(reference(Function::Silu, inf), inf);
  EXPECT_EQ(reference(Function::Silu, -inf), 0);
  EXPECT_TRUE(std::signbit(reference(Function::Silu, -inf)));
  EXPECT_TRUE(std::signbit(reference(Function::Silu, -0.0)));
  EXPECT_TRUE(std::signbit(reference(Function::Silu, -3e38)));
  EXPECT_TRUE(std::signbit(reference(Function::Tanh, -0.0)));
  EXPECT_TRUE(std::isnan(reference(Function::Silu, std::nan(""))));
  // SiLU at -87.5 is a normal bf16 that flushing forms lose.
  EXPECT_NEAR(reference(Function::Silu, -87.5), -8.7e-37, 1e-38);
  for (Function function : {Function::GeluErf, Function::GeluTanh}) {
    EXPECT_EQ(reference(function, inf), inf);
    EXPECT_EQ(reference(function, -inf), 0);
    EXPECT_TRUE(std::signbit(reference(function, -0.0)));
  }
  for (Function function :
       {Function::DSilu, Function::DGeluErf, Function::DGeluTanh}) {
    EXPECT_EQ(reference(function, inf), 1) << name(function);
    EXPECT_EQ(reference(function, -inf), 0) << name(function);
    EXPECT_EQ(reference(function, 3e38), 1) << name(function);
    EXPECT_EQ(reference(function, -3e38), 0) << name(function);
  }
  for (Function function : {Function::DSigmoid, Function::DTanh}) {
    EXPECT_EQ(reference(function, inf), 0) << name(function);
    EXPECT_EQ(reference(function, -inf), 0) << name(function);
  }
  for (double k : {0.0, 0.5, 1.0, 1.5, 1e9}) {
    EXPECT_EQ(reference(Function::SinTurn, k), 0);
    EXPECT_EQ(std::fabs(reference(Function::CosTurn, k)), 1);
  }
  EXPECT_EQ(reference(Function::SinTurn, 0.25), 1);
  EXPECT_EQ(reference(Function::CosTurn, 0.75), 0);
  EXPECT_TRUE(std::isnan(reference(Function::Custom, 1)));
}

} // namespace
