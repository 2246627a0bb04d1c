//===- Exp2Fit.cpp - Fitting 2^f on [0, 1] --------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/Exp2Fit.h"

#include "poly/Fit/Minimax.h"
#include "poly/Program/Certify.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Replay.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace poly;
using namespace poly::fit;

bool fit::parseExp2Form(std::string_view form, Exp2Request &request) {
  Exp2Request parsed = request;
  parsed.core = ExpCore::Horner;
  parsed.freeEnd = form == "d3free";
  if (form == "hinge")
    parsed.core = ExpCore::Hinge;
  else if (form == "d3free")
    parsed.degree = 3;
  else if (form.size() == 2 && form[0] == 'd' && form[1] >= '1' &&
           form[1] <= '4')
    parsed.degree = unsigned(form[1] - '0');
  else
    return false;
  request = parsed;
  return true;
}

std::string fit::exp2Form(const Exp2Request &request) {
  if (request.core == ExpCore::Hinge)
    return "hinge";
  return "d" + std::to_string(request.degree) + (request.freeEnd ? "free" : "");
}

namespace {

/// p is fixed(f) + sum of c_k * basis_k(f); with the end constraint the last
/// coefficient is what the others leave.
struct Family {
  const Exp2Request &request;

  bool isHinge() const { return request.core == ExpCore::Hinge; }
  size_t unknowns() const {
    if (isHinge())
      return 1;
    return request.freeEnd ? request.degree : request.degree - 1;
  }
  double fixed(double f) const {
    if (request.freeEnd)
      return 1;
    if (isHinge())
      return 1 + 2 * std::max(f - 0.5, 0.0);
    return 1 + std::pow(f, request.degree);
  }
  double basis(size_t k, double f) const {
    if (isHinge())
      return f - 2 * std::max(f - 0.5, 0.0);
    double power = std::pow(f, double(k + 1));
    return request.freeEnd ? power : power - std::pow(f, request.degree);
  }
  /// All of c1, c2, ... from the unknowns.
  std::vector<double> complete(std::vector<double> c) const {
    if (isHinge())
      return {c[0], 2 * (1 - c[0])};
    if (request.freeEnd)
      return c;
    double last = 1;
    for (double value : c)
      last -= value;
    c.push_back(last);
    return c;
  }
};

double evaluate(const Exp2Request &request, const std::vector<double> &c,
                double f) {
  if (request.core == ExpCore::Hinge)
    return 1 + c[0] * f + c[1] * std::max(f - 0.5, 0.0);
  double p = 0;
  for (size_t i = c.size(); i-- > 0;)
    p = (p + c[i]) * f;
  return 1 + p;
}

double gridPoint(unsigned i) { return double(i) / (kExp2Points - 1); }

double gridError(const Exp2Request &request, const std::vector<double> &c) {
  double worst = 0;
  for (unsigned i = 0; i < kExp2Points; ++i) {
    double f = gridPoint(i);
    worst =
        std::max(worst, std::fabs(evaluate(request, c, f) * std::exp2(-f) - 1));
  }
  return worst;
}

/// One unknown: the sampled maximum is a convex function of it.
double minimaxOfOne(const Family &family) {
  std::vector<double> constant(kExp2Points), slope(kExp2Points);
  for (unsigned i = 0; i < kExp2Points; ++i) {
    double f = gridPoint(i), scale = std::exp2(-f);
    constant[i] = family.fixed(f) * scale - 1;
    slope[i] = family.basis(0, f) * scale;
  }
  auto worst = [&](double a) {
    double high = 0;
    for (unsigned i = 0; i < kExp2Points; ++i)
      high = std::max(high, std::fabs(constant[i] + a * slope[i]));
    return high;
  };
  // Golden section; beyond this width the errors of the sums show.
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double low = 0, high = 1;
  double x = high - ratio, y = low + ratio;
  double atX = worst(x), atY = worst(y);
  while (high - low > 1e-12) {
    if (atX < atY) {
      high = y;
      y = x;
      atY = atX;
      x = high - ratio * (high - low);
      atX = worst(x);
    } else {
      low = x;
      x = y;
      atX = atY;
      y = low + ratio * (high - low);
      atY = worst(y);
    }
  }
  return (low + high) / 2;
}

/// The error of the core by replay, or infinity as soon as it is above
/// \p limit or an end is missed.
double coreError(const Exp2Request &request, const std::vector<double> &c,
                 double limit) {
  std::vector<double> all = c;
  all.insert(all.begin(), 1.0);
  Program core = buildExpCore(request.core, all, request.format);
  uint32_t one = encode(request.format, 1.0);
  bool ends = replayElement(core, 0) == one &&
              replayElement(core, one) == encode(request.format, 2.0);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (!ends && !request.freeEnd)
    return kInfinite;
  // Every f of a 16-bit format; few first, because most candidates fail early.
  uint32_t step = request.format == Format::F32 ? 8191 : 1;
  double worst = 0;
  std::vector<uint32_t> in, out;
  for (uint32_t stride : {step * 64, step}) {
    in.clear();
    for (uint32_t bits = 0; bits <= one; bits += stride)
      in.push_back(bits);
    out.resize(in.size());
    replayElements(core, in.data(), out.data(), in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      double truth = std::exp2(decode(request.format, in[i]));
      double value = decode(request.format, out[i]);
      worst = std::max(worst, std::fabs(value / truth - 1));
    }
    if (worst >= limit)
      return kInfinite;
  }
  return worst;
}

class Rounding {
public:
  Rounding(const Exp2Request &request, const std::vector<double> &real)
      : request(request), real(real) {}

  void run() {
    candidate = real;
    for (double &c : candidate)
      c = rounded(c);
    if (request.freeEnd || real.size() == 1) {
      best = candidate;
      error = coreError(request, best, HUGE_VAL);
      return;
    }
    // The first coefficient is found from the end constraint; the others are
    // tried around their real values, closer the more there are.
    search(1);
  }

  std::vector<double> best;
  double error = std::numeric_limits<double>::infinity();

private:
  double rounded(double c) const {
    return decode(request.format, encode(request.format, c));
  }
  void search(size_t index) {
    if (index == candidate.size()) {
      double rest = 0;
      for (size_t i = 1; i < candidate.size(); ++i)
        rest +=
            request.core == ExpCore::Hinge ? candidate[i] / 2 : candidate[i];
      double first = rounded(1 - rest), step = ulp(request.format, first);
      for (int move = -2; move <= 2; ++move) {
        candidate[0] = first + move * step;
        double found = coreError(request, candidate, error);
        if (found < error) {
          error = found;
          best = candidate;
        }
      }
      return;
    }
    int reach = request.format == Format::F32 ? 2
                : real.size() == 2            ? 24
                : real.size() == 3            ? 7
                                              : 3;
    double center = rounded(real[index]);
    double step = ulp(request.format, center);
    for (int move = -reach; move <= reach; ++move) {
      candidate[index] = center + move * step;
      search(index + 1);
    }
  }

  const Exp2Request &request;
  const std::vector<double> &real;
  std::vector<double> candidate;
};

} // namespace

std::vector<double> fit::fitExp2Real(const Exp2Request &request) {
  Family family{request};
  size_t unknowns = family.unknowns();
  if (unknowns == 0)
    return family.complete({});
  bool squares = request.objective == Exp2Objective::LeastSquares;
  if (unknowns == 1 && !squares)
    return family.complete({minimaxOfOne(family)});
  LinearProblem problem;
  std::vector<double> points = chebyshevNodes(0, 1, 2000);
  if (squares) {
    points.clear();
    for (unsigned i = 0; i < kExp2Points; ++i)
      points.push_back(gridPoint(i));
  }
  for (double f : points) {
    std::vector<double> row;
    for (size_t k = 0; k < unknowns; ++k)
      row.push_back(family.basis(k, f));
    problem.add(row, std::exp2(f) - family.fixed(f),
                squares ? 1.0 : std::exp2(-f));
  }
  if (squares)
    return family.complete(leastSquares(problem));
  return family.complete(minimax(problem, 1e-6, 4000).coefficients);
}

Exp2Fit fit::fitExp2(const Exp2Request &request) {
  Exp2Fit fit;
  fit.real = fitExp2Real(request);
  fit.realError = gridError(request, fit.real);
  Rounding rounding(request, fit.real);
  rounding.run();
  fit.error = rounding.error;
  fit.spec.core = request.core;
  fit.spec.form = exp2Form(request);
  fit.spec.arithmetic = request.format;
  fit.spec.coefficients = rounding.best;
  fit.spec.coefficients.insert(fit.spec.coefficients.begin(), 1.0);
  fit.spec.provenance = "poly-fit --function=exp2 --form=" + fit.spec.form +
                        " --format=" + std::string(name(request.format));
  if (request.objective == Exp2Objective::LeastSquares)
    fit.spec.provenance += " --objective=least-squares";
  return fit;
}

std::vector<Exp2Request> fit::shippedExp2Requests() {
  std::vector<Exp2Request> requests;
  for (Format format : {Format::F32, Format::F16, Format::BF16})
    for (const char *form : {"d1", "hinge", "d2", "d3", "d4", "d3free"}) {
      Exp2Request request;
      parseExp2Form(form, request);
      request.format = format;
      if (!request.freeEnd || format == Format::F32)
        requests.push_back(request);
    }
  return requests;
}
