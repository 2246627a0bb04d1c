//===- Targets.cpp - The functions that poly-raise knows ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace mlir::poly {

using ::poly::Function;

namespace {

constexpr double kSqrt2OverPi = 0.79788456080286535588;   // sqrt(2/pi)
constexpr double kInvSqrt2Pi = 0.39894228040143267794;    // 1/sqrt(2 pi)
constexpr double kTwoOverSqrtPi = 1.12837916709551257390; // 2/sqrt(pi)
/// The coefficient of the cube in GELU's tanh form (Hendrycks and Gimpel 2016).
constexpr double kGeluCube = 0.044715;
/// The slope of the sigmoid approximation of GELU (the same paper).
constexpr double kQuickGelu = 1.702;
/// f32 rounding of a literal and of the products it went through.
constexpr double kLiteralTolerance = 5e-7;

/// Where forms are compared as numbers first, which is quicker. Any point will
/// do at which the known functions differ.
constexpr double kProbe = 0.75;
/// Where a near miss is near.
constexpr double kWideProbes[] = {-3, -0.75, 0.75, 3};

std::array<double, 4> evaluateWide(const NormalForm &form) {
  std::array<double, 4> values;
  for (unsigned i = 0; i < 4; ++i)
    values[i] = form.evaluate(kWideProbes[i]);
  return values;
}

struct KnownForm {
  Target target;
  NormalForm form;
  double atProbe;
  std::array<double, 4> atWideProbes;
  /// Looked for with a scaled argument as well.
  bool scales;
};

NormalForm operator+(const NormalForm &a, const NormalForm &b) {
  return *NormalForm::add(a, b);
}
NormalForm operator*(const NormalForm &a, const NormalForm &b) {
  return *NormalForm::mul(a, b);
}
NormalForm operator*(double a, const NormalForm &b) {
  return NormalForm::constant(a) * b;
}
NormalForm operator-(double a, const NormalForm &b) {
  return *NormalForm::sub(NormalForm::constant(a), b);
}

/// The known functions. The negated ones come second: tanh(-x) of a source
/// that negates its argument is a site as much as tanh(x) is. Even functions
/// are known once.
std::vector<KnownForm> buildTargets() {
  std::vector<KnownForm> known;
  NormalForm one = NormalForm::constant(1);
  for (bool negated : {false, true}) {
    auto add = [&](Function function, const NormalForm &form,
                   bool scales = false) {
      known.push_back({{function, negated, 1, false},
                       form,
                       form.evaluate(kProbe),
                       evaluateWide(form),
                       scales});
    };
    NormalForm x = NormalForm::linear(negated ? -1 : 1);
    auto logistic = [&](const NormalForm &argument) {
      return *NormalForm::div(one, one + *argument.exponential(-1));
    };
    NormalForm s = logistic(x);
    add(Function::Sigmoid, s, true);
    NormalForm tanh = *x.tanh();
    add(Function::Tanh, tanh, true);
    add(Function::Silu, x * s);
    NormalForm cdf = 0.5 * (one + *((1 / llvm::numbers::sqrt2) * x).erf());
    add(Function::GeluErf, x * cdf);
    NormalForm xx = x * x;
    NormalForm twice = (2 * kSqrt2OverPi) * (x + kGeluCube * (x * xx));
    NormalForm g = logistic(twice);
    add(Function::GeluTanh, x * g);
    add(Function::DSilu, s + x * (s * (1 - s)), true);
    add(Function::DGeluErf, cdf + x * (kInvSqrt2Pi * *xx.exponential(-0.5)));
    NormalForm slope = (2 * kSqrt2OverPi) * (one + (3 * kGeluCube) * xx);
    add(Function::DGeluTanh, g + x * (slope * (g * (1 - g))));
    if (negated)
      continue;
    add(Function::DSigmoid, s * (1 - s), true);
    add(Function::DTanh, 1 - tanh * tanh, true);
  }
  return known;
}

const std::vector<KnownForm> &targets() {
  static const std::vector<KnownForm> known = buildTargets();
  return known;
}

std::optional<Target> matchScaled(const NormalForm &form, double scale) {
  NormalForm stretched = form.stretched(scale);
  // x f(scale x) is z f(z) / scale.
  NormalForm product = scale * stretched;
  double atProbe = stretched.evaluate(kProbe);
  for (const KnownForm &candidate : targets()) {
    bool isSilu = candidate.target.function == Function::Silu;
    if (!candidate.scales && !isSilu)
      continue;
    double value = isSilu ? scale * atProbe : atProbe;
    if (std::abs(candidate.atProbe - value) < 1e-6 &&
        candidate.form.isSame(isSilu ? product : stretched)) {
      Target target = candidate.target;
      target.scale = scale;
      target.isProduct = isSilu;
      if (isSilu)
        target.factor = 1 / scale;
      return target;
    }
  }
  return std::nullopt;
}

/// A multiple of the sigmoid of the scaled variable.
std::optional<Target> matchMultiple(const NormalForm &form, double scale) {
  NormalForm stretched = form.stretched(scale);
  // The sigmoid of 0 is a half.
  double factor = 2 * stretched.evaluate(0);
  bool isMultiple = std::abs(factor - 1) > 0.02 && std::abs(factor) > 1e-6;
  if (!std::isfinite(factor) || !isMultiple)
    return std::nullopt;
  double atProbe = stretched.evaluate(kProbe) / factor;
  for (const KnownForm &candidate : targets())
    if (candidate.target.function == Function::Sigmoid &&
        std::abs(candidate.atProbe - atProbe) < 1e-6 &&
        (factor * candidate.form).isSame(stretched)) {
      Target target = candidate.target;
      target.scale = scale;
      target.factor = factor;
      return target;
    }
  return std::nullopt;
}

} // namespace

std::optional<Target> matchTarget(const NormalForm &form,
                                  llvm::ArrayRef<double> scales) {
  double atProbe = form.evaluate(kProbe);
  for (const KnownForm &candidate : targets())
    if (std::abs(candidate.atProbe - atProbe) < 1e-6 &&
        candidate.form.isSame(form))
      return candidate.target;
  // A scale a little off a known one is a near miss.
  if (!form.hasDenominator() || getNearTarget(form))
    return std::nullopt;
  for (double scale : scales)
    if (std::optional<Target> target = matchScaled(form, scale))
      return target;
  constexpr double kKnownScales[] = {1, 2, 0.5};
  for (double scale :
       scales.empty() ? llvm::ArrayRef<double>(kKnownScales) : scales)
    if (std::optional<Target> target = matchMultiple(form, scale))
      return target;
  return std::nullopt;
}

std::optional<Function> getNearTarget(const NormalForm &form) {
  if (!form.hasDenominator())
    return std::nullopt;
  std::array<double, 4> values = evaluateWide(form);
  auto isNear = [&](const KnownForm &known) {
    for (unsigned i = 0; i < 4; ++i)
      if (!(std::abs(values[i] - known.atWideProbes[i]) <=
            0.02 * std::abs(known.atWideProbes[i])))
        return false;
    return true;
  };
  auto it = std::find_if(targets().begin(), targets().end(), isNear);
  return it == targets().end() ? std::nullopt
                               : std::optional(it->target.function);
}

bool isQuickGeluScale(double scale) {
  return std::abs(scale - kQuickGelu) <= kLiteralTolerance * kQuickGelu;
}

double snapConstant(double value, ::poly::Format format) {
  constexpr int kMaxUlps = 4;
  // Powers of two first: they are exact in every format.
  constexpr double kFamilies[] = {
      1.0,
      llvm::numbers::log2e,
      llvm::numbers::ln2,
      llvm::numbers::log10e,
      llvm::numbers::sqrt2,
      kSqrt2OverPi,
      kGeluCube,
      kGeluCube * kSqrt2OverPi,
      3 * kGeluCube,
      3 * kGeluCube * kSqrt2OverPi,
      kInvSqrt2Pi,
      kTwoOverSqrtPi,
      kQuickGelu,
      llvm::numbers::log2e * kQuickGelu,
      llvm::numbers::log2e * kSqrt2OverPi,
      llvm::numbers::log2e * kSqrt2OverPi * kGeluCube,
  };
  if (value == 0 || !std::isfinite(value))
    return value;
  double magnitude = std::abs(value);
  int64_t bits = ::poly::encode(format, magnitude);
  for (double family : kFamilies) {
    int exponent = static_cast<int>(std::lround(std::log2(magnitude / family)));
    double exact = std::ldexp(family, exponent);
    int64_t ulps = std::abs(bits - int64_t(::poly::encode(format, exact)));
    if (ulps <= (format == ::poly::Format::F32 ? kMaxUlps : 0))
      return std::copysign(exact, value);
  }
  return value;
}

} // namespace mlir::poly
