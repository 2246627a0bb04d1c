//===- PolynomialFit.cpp - Fitting range-reduced polynomials --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/PolynomialFit.h"

#include "poly/Fit/Minimax.h"
#include "poly/Program/Expression.h"
#include "poly/Program/Formats.h"

#include "RealFunction.h"
#include "Search.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace poly;
using namespace poly::fit;
using namespace poly::fit::detail;

std::string_view fit::name(Measure measure) {
  return measure == Measure::Absolute   ? "absolute"
         : measure == Measure::Relative ? "relative"
                                        : "normal";
}

bool fit::parse(std::string_view text, Measure &measure) {
  for (Measure candidate :
       {Measure::Absolute, Measure::Relative, Measure::Normal})
    if (text == name(candidate)) {
      measure = candidate;
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

namespace {

std::string decimal(double value) {
  char text[40];
  for (int precision = 1; precision <= 17; ++precision) {
    std::snprintf(text, sizeof(text), "%.*g", precision, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  return text;
}

std::string checkDomain(const PolynomialRequest &request, Reduction reduction) {
  double low = request.domainLow, high = request.domainHigh;
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
    return "the domain must be two finite numbers, the lower one first";
  if (std::max(std::fabs(low), std::fabs(high)) > 256)
    return "the domain must lie in [-256, 256]; scale the argument";
  if (reduction != Reduction::Whole && low != -high)
    return "a function with a parity needs a domain -L,L";
  RealFunction function(request);
  constexpr int kSamples = 4096;
  double size = 0;
  for (int i = 0; i <= kSamples; ++i) {
    double x = low + (high - low) * i / kSamples;
    double y = function(x);
    if (!std::isfinite(y))
      return "the function is not finite at x = " + decimal(x);
    if (std::fabs(y) > 60000)
      return "the function is " + decimal(y) + " at x = " + decimal(x) +
             ", too large for 16 bits";
    size = std::max(size, std::fabs(y));
  }
  // A parity that the function does not have would only show as a large error.
  for (int i = 0; i <= kSamples && reduction != Reduction::Whole; ++i) {
    double x = high * i / kSamples, y = function(x), mirrored = function(-x);
    double expected = reduction == Reduction::Odd          ? -y
                      : reduction == Reduction::Even       ? y
                      : reduction == Reduction::Complement ? 1 - y
                                                           : y - x;
    if (std::fabs(mirrored - expected) > 1e-9 * std::max(size, 1.0))
      return "the function does not have the parity '" +
             std::string(name(reduction)) + "': f(" + decimal(x) +
             ") = " + decimal(y) + ", f(-" + decimal(x) +
             ") = " + decimal(mirrored);
  }
  return "";
}

} // namespace

std::string fit::check(const PolynomialRequest &request) {
  Reduction reduction = request.function == Function::Custom
                            ? request.reduction
                            : reductionOf(request.function);
  bool whole = reduction == Reduction::Whole,
       even = reduction == Reduction::Even;
  unsigned high = request.odd ? kMaxOddDegree : kMaxHalfDegree;
  std::string form = !request.odd ? (whole ? "whole" : "half")
                     : even       ? "even"
                                  : "odd";
  // x times the error of its sigmoid has no bound.
  if (reduction == Reduction::Gate && !request.exactTail)
    return std::string(name(request.function)) + " needs an exact tail";
  if (request.odd && whole)
    return "a function without a symmetry has no polynomial in y^2";
  if (request.degree < kMinDegree || request.degree > high)
    return "degree " + std::to_string(request.degree) + " of form '" + form +
           "' is out of range " + std::to_string(kMinDegree) + " to " +
           std::to_string(high);
  if (request.odd && request.degree % 2 != unsigned(!even))
    return "form '" + form + "' has " + (even ? "even" : "odd") +
           " degrees only, not " + std::to_string(request.degree);
  if (request.pieces < 1 || request.pieces > 2)
    return "there can be 1 or 2 pieces, not " + std::to_string(request.pieces);
  if (request.centered && (request.odd || whole || request.pieces > 1))
    return "only polynomials in |x|, of one piece, have a center";
  if (request.root != 0) {
    if (!request.odd || request.pieces > 1 ||
        (reduction != Reduction::Odd && reduction != Reduction::Even))
      return "only odd and even polynomials in x^2, of one piece, have a root";
    if (request.degree < 4)
      return "with a root the degree is 4 or more";
    if (!(request.root > 0 && request.root <= request.domainHigh))
      return "the root must be in the domain, above zero";
    RealFunction function(request);
    if (std::fabs(function(request.root)) > 1e-12)
      return "the function is " + decimal(function(request.root)) +
             " at the root " + decimal(request.root) + ", not 0";
  }
  if (request.squarings > 4)
    return "there can be at most 4 squarings";
  if (request.squarings && !whole)
    return "only functions without a symmetry can be fitted as a power";
  if (request.to && *request.to == request.format)
    return "the inner and the outer format are the same";
  if (request.format == Format::BF16 && request.to)
    return "bf16 arithmetic has bf16 results";
  if (request.format == Format::F16 && request.to &&
      *request.to != Format::BF16)
    return "f16 arithmetic has f16 or bf16 results";
  if ((request.function == Function::SigmoidShift ||
       request.function == Function::DSigmoidShift) &&
      !(request.parameter >= 1 && request.parameter <= 1e9))
    return "sigmoid_shift needs --parameter=n, the number of keys, from 1 to "
           "1e9";
  if (request.function == Function::Exp || request.function == Function::Exp2)
    return std::string(name(request.function)) +
           " is not a polynomial's: its programs are exp2 schemes";
  if (request.function == Function::Custom) {
    Expression expression;
    std::string error;
    if (!Expression::parse(request.expression, expression, error))
      return "in '" + request.expression + "': " + error;
  }
  if (request.coupled && !hasAlgebraicDerivative(request.function))
    return "the value of " + std::string(name(request.function)) +
           " does not give its derivative; sigmoid, silu, tanh and "
           "sigmoid_shift can be coupled";
  if (request.coupled && (request.format == Format::F32 || request.to))
    return "coupled programs compute and return one 16-bit format";
  bool needsDomain = whole || request.function == Function::Custom ||
                     request.function == Function::SinTurn ||
                     request.function == Function::CosTurn;
  if (needsDomain && request.domainLow == request.domainHigh)
    return "give the range of the arguments, --domain=LOW,HIGH";
  if (request.domainLow != request.domainHigh || needsDomain)
    if (std::string error = checkDomain(request, reduction); !error.empty())
      return error;
  if (request.squarings) {
    RealFunction function(request);
    for (double x = request.domainLow; x <= request.domainHigh; x += 0.125)
      if (!(function(x) > 0))
        return "a power needs a function above zero, but it is " +
               decimal(function(x)) + " at x = " + decimal(x);
  }
  return "";
}

std::string fit::commandLine(const PolynomialRequest &request) {
  PolynomialRequest plain;
  std::string text = "poly-fit --function=";
  text += request.function == Function::Custom
              ? "'" + request.expression + "'"
              : std::string(name(request.function));
  Reduction reduction = request.function == Function::Custom
                            ? request.reduction
                            : reductionOf(request.function);
  if (request.function == Function::Custom)
    text += " --parity=" + std::string(name(request.reduction));
  if (request.parameter != 0)
    text += " --parameter=" + decimal(request.parameter);
  if (request.domainLow != request.domainHigh)
    text += " --domain=" + decimal(request.domainLow) + "," +
            decimal(request.domainHigh);
  text += " --form=";
  text += reduction == Reduction::Whole  ? "whole"
          : !request.odd                 ? "half"
          : reduction == Reduction::Even ? "even"
                                         : "odd";
  text += " --degree=" + std::to_string(request.degree) +
          " --format=" + std::string(name(request.format));
  if (request.to)
    text += " --to=" + std::string(name(*request.to));
  if (!request.exactTail)
    text += " --tail=free";
  if (request.pieces != 1)
    text += " --pieces=" + std::to_string(request.pieces);
  if (request.squarings)
    text += " --squarings=" + std::to_string(request.squarings);
  if (request.centered)
    text += " --centered";
  if (request.root != 0)
    text += " --root=" + decimal(request.root);
  if (request.measure != Measure::Absolute)
    text += " --measure=" + std::string(name(request.measure));
  if (request.coupled)
    text += " --coupled";
  return text + " --seed=" + std::to_string(request.seed);
}

//===----------------------------------------------------------------------===//
// Real arithmetic
//===----------------------------------------------------------------------===//

namespace {

/// A polynomial of one or two pieces in real arithmetic.
struct RealFit {
  double clamp = 0, breakpoint = 0;
  std::vector<double> low, high; ///< Coefficients of q; high for 2 pieces.
  double lowerBound = 0, error = 0;
};

std::vector<double> solve(const RealFunction &function, double low, double high,
                          double clamp, bool pinned, bool tail,
                          double tolerance, unsigned iterations,
                          MinimaxResult *result = nullptr) {
  LinearProblem problem = function.problem(low, high, clamp, pinned, tail, 160);
  MinimaxResult best;
  if (problem.columns > 0)
    best = minimax(problem, tolerance, iterations);
  if (result)
    *result = best;
  return pinned ? function.unpin(best.coefficients, clamp) : best.coefficients;
}

/// The best maximum error with the argument clamped to \p clamp. Two pieces
/// meet where their errors are equal.
RealFit realFit(const RealFunction &function, double clamp, double tolerance,
                unsigned iterations) {
  RealFit fit;
  fit.clamp = clamp;
  bool pinned = function.canPin();
  double from =
      function.reduction == Reduction::Whole ? function.request.domainLow : 0;
  MinimaxResult first, second;
  if (function.request.pieces == 1) {
    fit.low = solve(function, from, clamp, clamp, pinned, true, tolerance,
                    iterations, &first);
    fit.lowerBound = first.lowerBound;
    fit.error = first.error;
    return fit;
  }
  double below = from, above = clamp;
  for (int i = 0; i < 8; ++i) {
    double middle = (below + above) / 2;
    fit.breakpoint = middle;
    fit.low = solve(function, from, middle, clamp, false, false, tolerance,
                    iterations / 2, &first);
    fit.high = solve(function, middle, clamp, clamp, pinned, true, tolerance,
                     iterations / 2, &second);
    (first.error < second.error ? below : above) = middle;
  }
  fit.lowerBound = std::min(first.lowerBound, second.lowerBound);
  fit.error = std::max(first.error, second.error);
  return fit;
}

/// The clamp with the least lower bound: the error is close to unimodal in it,
/// so a grid, then finer ones.
RealFit bestRealFit(const RealFunction &function) {
  double low = function.clampLow, high = function.clampHigh;
  RealFit best;
  best.lowerBound = HUGE_VAL;
  double step = (high - low) / 32;
  auto scan = [&](double from, double to) {
    for (double clamp = from; clamp <= to + step / 2; clamp += step) {
      RealFit fit = realFit(function, clamp, 2e-3, 400);
      if (fit.lowerBound < best.lowerBound)
        best = fit;
      if (step == 0)
        break;
    }
  };
  scan(low, high);
  for (unsigned level = 0; level < 3 && step > 0; ++level) {
    double around = step;
    step /= 4;
    scan(std::max(low, best.clamp - around),
         std::min(high, best.clamp + around));
  }
  return best;
}

} // namespace

std::vector<double>
fit::constrainedLeastSquares(const PolynomialRequest &request, double limit) {
  RealFunction function(request);
  bool pinned = function.reduction != Reduction::Whole;
  double from = pinned ? 0 : request.domainLow;
  LinearProblem problem =
      function.problem(from, limit, limit, pinned, false, 2000);
  std::vector<double> c;
  if (problem.columns > 0)
    c = leastSquares(problem);
  return pinned ? function.unpin(c, limit) : c;
}

RealBound fit::realBound(const PolynomialRequest &request) {
  RealFunction function(request);
  RealFit fit = bestRealFit(function);
  RealBound bound;
  bound.minimax = fit.lowerBound;
  bound.clamp = fit.clamp;
  Format to = request.to ? *request.to : request.format;
  bool whole = function.reduction == Reduction::Whole;
  double low = whole ? request.domainLow : 0;
  // A squared q: the error of the power, to first order.
  constexpr int kSamples = 8192;
  for (int i = 0; i <= kSamples; ++i) {
    double x = low + (fit.clamp - low) * i / kSamples;
    const std::vector<double> &q =
        !fit.high.empty() && x >= fit.breakpoint ? fit.high : fit.low;
    double error = std::fabs(function.evaluate(q, x) - function.core(x)) *
                   function.weight(x);
    // Next to a zero nothing is lost by rounding.
    double half =
        function(x) == 0 ? 0 : ulp(to, function(x)) / 2 * function.scale(x);
    bound.withRounding = std::max(bound.withRounding, error + half);
  }
  return bound;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {

/// Between these |x| the error can be largest. Below, y * q is tiny and its
/// rounding too.
constexpr double kSmallest = 0x1p-7;

PolynomialSpec baseSpec(const PolynomialRequest &request) {
  PolynomialSpec spec;
  spec.function = request.function;
  spec.odd = request.odd;
  spec.exactTail = request.exactTail;
  spec.format = request.format;
  spec.to = request.to;
  spec.reduction = request.reduction;
  spec.squarings = request.squarings;
  spec.center = request.centered ? 1 : 0; // Searched.
  spec.root = request.root;
  spec.parameter = request.parameter;
  spec.expression = request.expression;
  if (request.domainLow != request.domainHigh) {
    spec.domainLow = request.domainLow;
    spec.domainHigh = request.domainHigh;
  }
  spec.provenance = commandLine(request);
  return spec;
}

/// The coefficients in v - center of the polynomial in v.
void shiftBy(std::vector<double> &c, double center) {
  for (size_t i = 0; i + 1 < c.size(); ++i)
    for (size_t k = c.size() - 1; k-- > i;)
      c[k] += center * c[k + 1];
}

/// Which constants of a spec are searched, in the order of a point: the
/// coefficients of each piece, the clamp, the center, the breakpoint.
class Layout {
public:
  Layout(const RealFunction &function)
      : function(function), spec(baseSpec(function.request)),
        count(function.coefficients()) {
    const PolynomialRequest &request = function.request;
    pieces = request.pieces;
    bool turn = request.function == Function::SinTurn ||
                request.function == Function::CosTurn;
    if (function.reduction == Reduction::Whole) {
      spec.clampLow = request.domainLow;
      spec.clamp = request.domainHigh;
    } else if (!turn) {
      searchesClamp = true;
    }
    parameters =
        count * pieces + searchesClamp + (spec.center != 0) + (pieces > 1);
  }

  int clampIndex() const { return searchesClamp ? int(count * pieces) : -1; }
  size_t size() const { return parameters; }

  PolynomialSpec specOf(const std::vector<double> &values) const {
    PolynomialSpec result = spec;
    auto next = values.begin();
    result.coefficients.assign(next, next + long(count));
    next += long(count);
    if (pieces > 1) {
      result.upper.assign(next, next + long(count));
      next += long(count);
    }
    if (searchesClamp)
      result.clamp = *next++;
    if (spec.center != 0)
      result.center = *next++;
    if (pieces > 1)
      result.breakpoint = *next++;
    return result;
  }

  /// Of a fit in real arithmetic whose argument the program clamps to \p clamp.
  std::vector<double> valuesOf(const RealFit &fit, double clamp) const {
    std::vector<double> values = fit.low;
    double center = decode(spec.format, encode(spec.format, clamp / 2));
    if (spec.center != 0)
      shiftBy(values, center);
    values.insert(values.end(), fit.high.begin(), fit.high.end());
    if (searchesClamp) {
      bool square = function.reduction == Reduction::Even && spec.odd;
      values.push_back(square ? clamp * clamp : clamp);
    }
    if (spec.center != 0)
      values.push_back(center);
    if (pieces > 1)
      values.push_back(spec.odd ? fit.breakpoint * fit.breakpoint
                                : fit.breakpoint);
    return values;
  }

private:
  const RealFunction &function;
  PolynomialSpec spec;
  size_t count, pieces = 1, parameters = 0;
  bool searchesClamp = false;
};

/// Every number of the argument format that can be the worst.
std::vector<double> searchInputs(const RealFunction &function) {
  const PolynomialRequest &request = function.request;
  Format from = request.to ? *request.to : request.format;
  // An odd or even program is so bit for bit, so one sign is enough.
  bool bothSigns = function.reduction != Reduction::Odd &&
                   function.reduction != Reduction::Even;
  double low = function.bounded ? request.domainLow : -function.reach;
  double high = function.bounded ? request.domainHigh : function.reach;
  std::vector<double> inputs;
  uint32_t last = encode(from, std::max(std::fabs(low), std::fabs(high)));
  for (uint32_t bits = encode(from, kSmallest); bits <= last; ++bits) {
    double x = decode(from, bits);
    if (x >= low && x <= high)
      inputs.push_back(x);
    if (bothSigns && -x >= low && -x <= high)
      inputs.push_back(-x);
  }
  if (low <= 0 && high >= 0)
    inputs.push_back(0);
  if (!function.bounded && function.reduction != Reduction::Gate) {
    inputs.push_back(kFar);
    if (bothSigns)
      inputs.push_back(-kFar);
  }
  return inputs;
}

Objective makeObjective(const RealFunction &function, const Layout &layout) {
  const PolynomialRequest &request = function.request;
  Objective objective;
  objective.format = request.format;
  // Distinct, and none of the constants that the scheme itself has.
  for (size_t i = 0; i < layout.size(); ++i)
    objective.placeholders.push_back(std::ldexp(129 + 2 * double(i), -10));
  objective.shape =
      buildProgram(request, layout.specOf(objective.placeholders));

  objective.inputs = searchInputs(function);
  objective.goals.resize(request.coupled ? 2 : 1);
  Function derivative = resultFunction(request.function, 1);
  for (double x : objective.inputs) {
    objective.goals[0].expected.push_back(function(x));
    objective.goals[0].scale.push_back(function.scale(x));
    if (!request.coupled)
      continue;
    double slope = reference(derivative, x, request.parameter);
    objective.goals[1].expected.push_back(slope);
    objective.goals[1].scale.push_back(request.measure == Measure::Relative
                                           ? 1 / std::fabs(slope)
                                           : function.scale(x));
  }

  objective.gate = function.reduction == Reduction::Gate;
  if (traits(request.function).increasing &&
      function.reduction != Reduction::Whole)
    objective.most = 1;
  if (function.canPin()) {
    double at = function(kFar), before = function(-kFar);
    if (objective.gate) {
      at = kFar;
      before = 0;
    }
    objective.exact = {{kFar, at}, {-kFar, before}};
  }
  return objective;
}

/// Fits in real arithmetic that the search starts from.
void addStarts(Search &search, const RealFunction &function,
               const Layout &layout) {
  const PolynomialRequest &request = function.request;
  double low = function.clampLow, high = function.clampHigh;
  auto add = [&](const RealFit &fit, double clamp) {
    search.addStart(layout.valuesOf(fit, clamp));
  };
  if (layout.clampIndex() < 0) {
    // Only the coefficients move: the descents' random orders make the starts
    // differ.
    RealFit best = realFit(function, high, 1e-3, 1000);
    RealFit mean;
    mean.breakpoint = best.breakpoint;
    mean.low = constrainedLeastSquares(request, high);
    mean.high = request.pieces > 1 ? mean.low : std::vector<double>();
    for (int i = 0; i < 24; ++i)
      add(best, high);
    for (int i = 0; i < 8; ++i)
      add(mean, high);
    return;
  }
  constexpr int kSteps = 24;
  double step = (high - low) / kSteps;
  if (request.pieces == 1)
    // The fit's interval and the clamp are tried apart.
    for (int i = 0; i <= kSteps; ++i) {
      RealFit fit;
      fit.low = constrainedLeastSquares(request, low + step * i);
      for (int j = -3; j <= 4; ++j)
        if (double clamp = low + step * (i + j); clamp >= low && clamp <= high)
          add(fit, clamp);
    }
  int fine = request.pieces == 1 ? 4 * kSteps : 2 * kSteps;
  for (int i = 0; i <= fine; ++i) {
    double clamp = low + (high - low) * i / fine;
    add(realFit(function, clamp, 1e-2, 100), clamp);
  }
}

} // namespace

Program fit::buildProgram(const PolynomialRequest &request,
                          const PolynomialSpec &spec) {
  if (request.coupled) {
    CoupledSpec coupled;
    coupled.value = spec;
    return buildCoupled(coupled, resultFormat(spec), ClampKind::XorSign);
  }
  return buildPolynomial(spec,
                         resultFormat(spec) == Format::F32 ||
                                 spec.format == Format::F32
                             ? Format::F32
                             : resultFormat(spec),
                         ClampKind::XorSign);
}

PolynomialFit fit::fitPolynomial(const PolynomialRequest &request,
                                 const SearchOptions &options) {
  RealFunction function(request);
  Layout layout(function);
  PolynomialFit result;
  if (request.format == Format::F32) {
    // f32 roundings are far below the polynomial's error.
    RealFit fit = bestRealFit(function);
    std::vector<double> values = layout.valuesOf(fit, fit.clamp);
    for (double &value : values)
      value = double(float(value));
    result.spec = layout.specOf(values);
    result.candidates = 1;
  } else {
    Objective objective = makeObjective(function, layout);
    SearchOptions own = options;
    own.stateKey = commandLine(request);
    Search search(objective, request.seed, layout.clampIndex(), own);
    addStarts(search, function, layout);
    search.run();
    result.spec = layout.specOf(search.best());
    result.error = search.bestScore().value;
    result.candidates = search.candidates();
  }
  result.certificate =
      certify(buildProgram(request, result.spec).singleResult(0));
  return result;
}
