//===- Controls.cpp - Published methods to compare with -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/Controls.h"

#include "poly/Fit/Minimax.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Replay.h"

#include "RealFunction.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

using namespace poly;
using namespace poly::fit;
using namespace poly::fit::detail;

namespace {

/// Where the published search scores.
constexpr double kScored = 12;

PolynomialSpec specOf(const PolynomialRequest &request,
                      const std::vector<double> &q, double clamp) {
  PolynomialSpec spec;
  spec.function = request.function;
  spec.exactTail = request.exactTail;
  spec.format = request.format;
  for (double c : q)
    spec.coefficients.push_back(
        decode(request.format, encode(request.format, c)));
  spec.clamp = decode(request.format, encode(request.format, clamp));
  return spec;
}

/// Inputs of the format up to kScored, and what the function is there.
struct Inputs {
  std::vector<uint32_t> bits;
  std::vector<double> x, expected;

  explicit Inputs(const RealFunction &function) {
    Format format = function.request.format;
    uint32_t last = encode(format, kScored);
    for (uint32_t b = encode(format, 0x1p-7); b <= last; ++b)
      for (uint32_t sign : {0u, traits(format).signMask}) {
        bits.push_back(b | sign);
        x.push_back(decode(format, b | sign));
        expected.push_back(function(x.back()));
      }
  }
};

double replayedError(const Inputs &inputs, const PolynomialSpec &spec) {
  Program program =
      buildPolynomial(spec, spec.format, ClampKind::XorSign, "control");
  std::vector<uint32_t> outputs(inputs.bits.size());
  replayElements(program, inputs.bits.data(), outputs.data(), outputs.size());
  double worst = 0;
  for (size_t i = 0; i < outputs.size(); ++i)
    worst = std::max(
        worst, std::fabs(decode(spec.format, outputs[i]) - inputs.expected[i]));
  return worst;
}

/// In real arithmetic the tail is the function's limit, or the clamped value
/// where that is better, which an exact tail costs nothing here.
double realError(const RealFunction &function, const PolynomialSpec &spec) {
  double worst = 0, tail = 0, clamped = 0;
  constexpr int kPoints = 8000;
  for (int i = 0; i <= kPoints; ++i) {
    double x = kScored * i / kPoints, exact = function.core(x);
    double factor = function.reduction == Reduction::Gate ? x : 1;
    double value =
        function.evaluate(spec.coefficients, std::min(x, spec.clamp));
    double error = factor * std::fabs(value - exact);
    if (x <= spec.clamp) {
      worst = std::max(worst, error);
      continue;
    }
    clamped = std::max(clamped, error);
    tail = std::max(tail, factor * std::fabs(function.limit() - exact));
  }
  return std::max(worst, std::min(tail, clamped));
}

/// q of P(t) = f(0) + t (f(L) - f(0)) / L + sum a_j (t^j - t L^(j-1)), where
/// P = t q but for even functions. Every term after the second is zero at both
/// ends.
std::vector<double> bothEnds(const RealFunction &function, double end) {
  bool even = function.reduction == Reduction::Even;
  double start = even ? function.core(0) : 0;
  double slope = (function.core(end) - start) / end;
  unsigned degree = function.request.degree;
  LinearProblem problem;
  for (double t : chebyshevNodes(0, end, 2000)) {
    std::vector<double> row;
    for (unsigned j = 2; j <= degree; ++j)
      row.push_back(std::pow(t, j) - t * std::pow(end, j - 1.0));
    problem.add(row, function.core(t) - start - slope * t,
                function.reduction == Reduction::Gate ? t : 1);
  }
  std::vector<double> a = leastSquares(problem);
  std::vector<double> p = {start, slope};
  for (unsigned j = 2; j <= degree; ++j) {
    p[1] -= a[j - 2] * std::pow(end, j - 1.0);
    p.push_back(a[j - 2]);
  }
  if (!even)
    p.erase(p.begin());
  return p;
}

double gridStart(const RealFunction &function) {
  return std::max(1.0, std::floor(4 * function.clampLow) / 4);
}

/// The real part of the function as Sollya writes it.
std::string sollyaCore(Function function) {
  const std::string sigmoid = "(1/(1+exp(-x)))";
  const std::string gelu = "(2*sqrt(2/pi)*(x+0.044715*x^3))";
  const std::string geluSigmoid = "(1/(1+exp(-" + gelu + ")))";
  const std::string density = "(exp(-x^2/2)/sqrt(2*pi))";
  switch (function) {
  case Function::Sigmoid:
  case Function::Silu:
    return sigmoid + "-1/2";
  case Function::Tanh:
    return "tanh(x)";
  case Function::GeluErf:
    return "erf(x/sqrt(2))/2";
  case Function::GeluTanh:
    return geluSigmoid + "-1/2";
  case Function::DSigmoid:
    return "exp(-x)/(1+exp(-x))^2";
  case Function::DTanh:
    return "1-tanh(x)^2";
  case Function::DSilu:
    return sigmoid + "+x*exp(-x)/(1+exp(-x))^2-1/2";
  case Function::DGeluErf:
    return "erf(x/sqrt(2))/2+x*" + density;
  case Function::DGeluTanh:
    return geluSigmoid + "+x*(2*sqrt(2/pi)*(1+3*0.044715*x^2))*exp(-" + gelu +
           ")/(1+exp(-" + gelu + "))^2-1/2";
  default:
    return "";
  }
}

/// The intervals that Sollya is asked to fit on.
std::vector<double> sollyaIntervals(const PolynomialRequest &request) {
  RealFunction function(request);
  double best = realBound(request).clamp;
  std::vector<double> intervals;
  for (double factor : {0.85, 0.92, 0.96, 1.0, 1.04, 1.08, 1.15}) {
    double end = best * factor;
    intervals.push_back(decode(request.format, encode(request.format, end)));
  }
  return intervals;
}

} // namespace

bool fit::hasControls(const PolynomialRequest &request) {
  return request.format != Format::F32 && !request.odd && !request.to &&
         request.pieces == 1 && !sollyaCore(request.function).empty();
}

Control fit::constrainedLeastSquaresControl(const PolynomialRequest &request,
                                            bool real) {
  RealFunction function(request);
  Inputs inputs(function);
  Control best;
  best.real = best.replayed = HUGE_VAL;
  double low = gridStart(function);
  for (double end = low; end <= function.clampHigh; end += 0.25) {
    std::vector<double> q = bothEnds(function, end);
    for (double clamp = low; clamp <= end + 1; clamp += 0.25) {
      Control candidate;
      candidate.spec = specOf(request, q, clamp);
      candidate.interval = end;
      candidate.real = realError(function, candidate.spec);
      if (real && candidate.real >= best.real)
        continue;
      candidate.replayed = replayedError(inputs, candidate.spec);
      if (real || candidate.replayed < best.replayed)
        best = candidate;
    }
  }
  return best;
}

/// Why the polynomial has no derivative in one of our forms, or nothing.
static std::string refusesDerivative(const PolynomialSpec &value) {
  if (resultFunction(value.function, 1) == Function::Custom ||
      reductionOf(value) == Reduction::Whole || value.root != 0)
    return "only polynomials of sigmoid, tanh, silu, gelu_erf and gelu_tanh "
           "have a derivative that programs exist for";
  if (value.format == Format::F32 || resultFormat(value) != value.format)
    return "only polynomials of 16-bit formats can be scored on all inputs";
  if (!value.upper.empty())
    return "a polynomial in two pieces has no derivative between them; "
           "differentiate one in one piece";
  return "";
}

std::optional<Control> fit::differentiated(const PolynomialSpec &value,
                                           std::string &error) {
  error = refusesDerivative(value);
  if (!error.empty())
    return std::nullopt;
  PolynomialRequest request;
  request.function = resultFunction(value.function, 1);
  request.format = value.format;
  request.exactTail = false;
  request.odd = value.odd;
  RealFunction function(request);

  // (t^m q(t - c))' / t^(m - 1) = m q + (u + c) q' in u = t - c: m is 2 where
  // x is a factor beside y. With q of t^2, t q' counts twice.
  double factors = reductionOf(value) == Reduction::Gate ? 2 : 1;
  double inner = value.odd ? 2 : 1;
  const std::vector<double> &c = value.coefficients;
  PolynomialSpec spec = value;
  spec.function = request.function;
  spec.exactTail = false;
  spec.provenance = "differentiated, of: " + value.provenance;
  for (size_t k = 0; k < c.size(); ++k) {
    double next = k + 1 < c.size() ? c[k + 1] : 0;
    double derivative = (factors + inner * double(k)) * c[k] +
                        value.center * double(k + 1) * next;
    spec.coefficients[k] =
        decode(value.format, encode(value.format, derivative));
  }

  // An even polynomial in y^2 has its square clamped.
  bool squared = value.odd && reductionOf(spec) == Reduction::Even;
  auto clampAt = [&](double clamp) {
    return encode(value.format, squared ? clamp * clamp : clamp);
  };
  Inputs inputs(function);
  Control best;
  best.replayed = HUGE_VAL;
  best.interval = value.clamp;
  auto search = [&](uint32_t low, uint32_t high, uint32_t step) {
    for (uint32_t bits = low; bits <= high; bits += step) {
      spec.clamp = decode(value.format, bits);
      double replayed = replayedError(inputs, spec);
      if (replayed >= best.replayed)
        continue;
      best.replayed = replayed;
      best.spec = spec;
    }
  };
  // In steps of bf16, then around the best.
  uint32_t low = clampAt(value.clamp / 2), high = clampAt(value.clamp);
  uint32_t step = value.format == Format::BF16 ? 1 : 8;
  search(low, high, step);
  uint32_t found = encode(value.format, best.spec.clamp);
  if (step > 1)
    search(std::max(low, found - step), std::min(high, found + step), 1);
  // The search leaves the inputs next to 0 out, where all clamps are alike.
  best.replayed =
      certify(buildPolynomial(best.spec, value.format, ClampKind::XorSign))
          .maxAbs;
  spec = best.spec;
  if (squared)
    spec.clamp = std::sqrt(spec.clamp);
  best.real = realError(function, spec);
  return best;
}

std::string fit::sollyaScript(const PolynomialRequest &request) {
  RealFunction function(request);
  bool even = function.reduction == Reduction::Even;
  bool gate = function.reduction == Reduction::Gate;
  unsigned first = even ? 0 : gate ? 2 : 1;
  unsigned last = request.degree + gate;
  std::string monomials, formats;
  for (unsigned k = first; k <= last; ++k) {
    monomials += (k == first ? "" : ",") + std::to_string(k);
    formats += (k == first ? "" : ",") +
               std::to_string(traits(request.format).mantissaBits + 1);
  }
  // x times the function's odd part, where x times its error counts.
  std::string core = sollyaCore(request.function);
  std::ostringstream script;
  script << "prec = 120!;\nverbosity = 0!;\ndisplay = hexadecimal!;\nf = "
         << (gate ? "x*(" + core + ")" : core) << ";\n";
  for (double end : sollyaIntervals(request)) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.17g", end);
    script << "p = fpminimax(f, [|" << monomials << "|], [|" << formats
           << "|], [1b-20; " << text << "], floating, absolute);\n"
           << "print(\"interval\", " << text << ");\n";
    for (unsigned k = first; k <= last; ++k)
      script << "print(coeff(p, " << k << "));\n";
  }
  script << "quit;\n";
  return script.str();
}

std::optional<Control> fit::sollyaControl(const PolynomialRequest &request,
                                          std::string &error) {
  llvm::SmallString<128> file;
  if (std::error_code failed =
          llvm::sys::fs::createTemporaryFile("poly-fit", "sollya", file)) {
    error = "cannot write a temporary file: " + failed.message();
    return std::nullopt;
  }
  llvm::FileRemover remover(file);
  std::string path(file);
  std::ofstream(path) << sollyaScript(request);
  std::unique_ptr<FILE, int (*)(FILE *)> pipe(
      popen(("sollya '" + path + "' 2>/dev/null").c_str(), "r"), pclose);
  std::string text;
  if (pipe)
    for (int c; (c = std::fgetc(pipe.get())) != EOF;)
      text += char(c);

  RealFunction function(request);
  Inputs inputs(function);
  std::optional<Control> best;
  std::istringstream words(text);
  std::string word;
  size_t count = function.coefficients();
  while (words >> word) {
    if (word != "interval")
      continue;
    std::string digits;
    words >> digits;
    double end = std::strtod(digits.c_str(), nullptr);
    std::vector<double> q;
    while (q.size() < count && words >> word && word != "error")
      q.push_back(std::strtod(word.c_str(), nullptr));
    if (q.size() < count)
      break;
    for (double over : {0.0, 0.125, 0.25}) {
      Control candidate;
      candidate.spec = specOf(request, q, end + over);
      candidate.interval = end;
      candidate.real = realError(function, candidate.spec);
      candidate.replayed = replayedError(inputs, candidate.spec);
      if (!best || candidate.replayed < best->replayed)
        best = candidate;
    }
  }
  if (!best)
    error = text.empty() ? "sollya is not installed or printed nothing"
                         : "sollya printed no polynomial";
  return best;
}

Program fit::publishedSigmoidAttention(bool coupled) {
  // The bit patterns of the two listings ("Fast Polynomial Transcendentals",
  // B3, n = 4096), each with the value where the score is at least 1.25 first.
  constexpr uint32_t kBreak = 0x3fa0, kHigh = 0x40c0, kLow = 0xc0c0;
  constexpr uint32_t kCubic[4][2] = {
      {0x3a09, 0x37e8}, {0xbb11, 0x3909}, {0x3b8c, 0x3987}, {0xbb09, 0x3980}};
  constexpr uint32_t kSlope[2] = {0xbb38, 0xbc10}, kOne[2] = {0x3f81, 0x3f80};
  ProgramInfo info;
  info.function = Function::SigmoidShift;
  info.parameter = 4096;
  info.name = coupled ? "published-coupled" : "published-forward";
  info.form = "published";
  info.from = Format::F32;
  info.to = Format::BF16;
  info.lanes = 2;
  info.roundsInput = true;
  info.provenance = "published listing";
  ProgramBuilder b(info);
  auto both = [&](Type type, uint32_t bits) {
    return b.constant(type, bits | bits << 16);
  };
  NodeId lo = b.input(Type::F32), hi = b.input(Type::F32);
  NodeId x = b.cvtPack(Type::BF16x2, lo, hi);
  NodeId mask = b.binary(Op::SetGe, x, both(Type::BF16x2, kBreak));
  NodeId y = b.binary(Op::Min, x, both(Type::BF16x2, kHigh));
  y = b.binary(Op::Max, y, both(Type::BF16x2, kLow));
  auto pick = [&](const uint32_t (&row)[2]) {
    return b.bitcast(Type::BF16x2, b.lop3(mask, both(Type::B32, row[0]),
                                          both(Type::B32, row[1]), 0xca));
  };
  NodeId value = pick(kCubic[0]);
  for (unsigned i = 1; i < 4; ++i)
    value = b.fma(y, value, pick(kCubic[i]));
  value = b.binary(Op::Max, value, both(Type::BF16x2, 0));
  if (!coupled)
    return b.finish(value);
  NodeId factor = b.fma(y, pick(kSlope), pick(kOne));
  return b.finish({value, b.mul(value, factor)});
}
