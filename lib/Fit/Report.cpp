//===- Report.cpp - Tables and figures of what fits reach -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/Report.h"

#include "poly/Fit/Controls.h"
#include "poly/Program/Cost.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Polynomials.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include "RealFunction.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <sstream>

using namespace poly;
using namespace poly::fit;

namespace {

std::string print(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));
std::string print(const char *pattern, ...) {
  char text[600];
  va_list args;
  va_start(args, pattern);
  std::vsnprintf(text, sizeof(text), pattern, args);
  va_end(args);
  return text;
}

constexpr Function kCompared[] = {
    Function::Sigmoid,  Function::Tanh,     Function::Silu,  Function::GeluErf,
    Function::GeluTanh, Function::DSigmoid, Function::DTanh, Function::DSilu,
    Function::DGeluErf, Function::DGeluTanh};
constexpr Format kFormats[] = {Format::BF16, Format::F16};
constexpr const char *kTargets[] = {"sm_80", "sm_90", "sm_100", "sm_120"};

bool isGate(Function function) {
  return reductionOf(function) == Reduction::Gate;
}

/// Our programs of one degree: with an exact and a free tail, Horner at 0 and
/// around a center. Derivatives need no exact tail.
std::vector<PolynomialRequest> variants(Function function, Format format,
                                        unsigned degree) {
  bool saturates = function == Function::Sigmoid || function == Function::Tanh;
  std::vector<PolynomialRequest> requests;
  for (bool exact : {true, false})
    for (bool centered : {false, true}) {
      if (exact ? !(saturates || isGate(function)) : isGate(function))
        continue;
      // A center pays from degree 5 on; for these the exact tail's is as good.
      if (centered && (degree < 5 || (saturates && !exact)))
        continue;
      PolynomialRequest request;
      request.function = function;
      request.format = format;
      request.degree = degree;
      request.exactTail = exact;
      request.centered = centered;
      requests.push_back(request);
    }
  return requests;
}

std::string sciOr(double value, const char *otherwise) {
  return std::isfinite(value) ? print("%.2e", value) : otherwise;
}

std::string numericsTable(FitCache &cache, const SearchOptions &options,
                          const std::function<void(std::string)> &note) {
  std::string text =
      "<!-- Written by poly-fit report; do not edit -->\n\n"
      "# What each form reaches\n\n"
      "Largest absolute errors. *Minimax*: the best polynomial of the form in "
      "real arithmetic, with a free tail\nwhere there is one. *Bound*: the "
      "largest sum of that polynomial's error and half an ulp of the result. "
      "*Least\nsquares*: both ends pinned, coefficients rounded, the best "
      "interval and clamp by replay. *Sollya*: fpminimax\nof the same form, "
      "the "
      "best interval by replay. *Ours*: every input, replayed; *c* marks "
      "Horner around a center,\n*e* an exact tail. The controls are scored on "
      "|x| <= 12.\n";
  for (Function function : kCompared) {
    text += print("\n## %s\n\n| format | degree | minimax | bound | least "
                  "squares | Sollya | ours | ours / bound |\n"
                  "|---|---|---|---|---|---|---|---|\n",
                  std::string(name(function)).c_str());
    for (Format format : kFormats)
      for (unsigned degree = 3; degree <= kMaxHalfDegree; ++degree) {
        PolynomialRequest plain = variants(function, format, degree).back();
        plain.centered = false;
        note(commandLine(plain));
        RealBound bound = realBound(plain);
        Control squares = constrainedLeastSquaresControl(plain);
        std::string error;
        std::optional<Control> sollya = sollyaControl(plain, error);
        double ours = HUGE_VAL;
        std::string mark;
        for (const PolynomialRequest &request :
             variants(function, format, degree)) {
          Reached reached = cache.get(request, options);
          if (reached.maxAbs >= ours)
            continue;
          ours = reached.maxAbs;
          mark = request.centered ? " c" : "";
          if (request.exactTail)
            mark += " e";
        }
        text += print("| %s | %u | %.2e | %.2e | %.2e | %s | **%.2e**%s | %.2f "
                      "|\n",
                      std::string(name(format)).c_str(), degree, bound.minimax,
                      bound.withRounding, squares.replayed,
                      sciOr(sollya ? sollya->replayed : HUGE_VAL, "-").c_str(),
                      ours, mark.c_str(), ours / bound.withRounding);
      }
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// "error (instructions)".
std::string cell(double error, unsigned instructions) {
  return print("%.2e (%u)", error, instructions);
}

/// From the value, which the program's first result is.
std::string algebraicCell(const PolynomialSpec &spec) {
  if (!hasAlgebraicDerivative(spec.function))
    return "-";
  CoupledSpec both;
  both.value = spec;
  Program derivative =
      buildCoupled(both, spec.format, ClampKind::XorSign).singleResult(1);
  return cell(certify(derivative).maxAbs, instructionCount(derivative));
}

std::string derivativesTable(FitCache &cache, const SearchOptions &options,
                             const std::function<void(std::string)> &note) {
  std::string text =
      "<!-- Written by poly-fit report; do not edit -->\n\n"
      "# Three ways to a derivative\n\n"
      "Largest absolute error against the true derivative, replayed on every "
      "input, and in parentheses the\ninstructions for two elements. "
      "*Algebraic*: from the value that the shipped polynomial computes. "
      "*Differentiated*: the\npolynomial's derivative. *Direct*: a fit of the "
      "same form and degree to the derivative.\n\n"
      "| value | error of the value | algebraic | differentiated | direct |\n"
      "|---|---|---|---|---|\n";
  for (Function function : {Function::Sigmoid, Function::Tanh, Function::Silu,
                            Function::GeluErf, Function::GeluTanh})
    for (const PolynomialSpec &spec : shippedPolynomials(function)) {
      std::string error;
      std::optional<Control> control = differentiated(spec, error);
      if (!control)
        continue;
      Program value = buildPolynomial(spec, spec.format, ClampKind::XorSign);
      Program derivative =
          buildPolynomial(control->spec, spec.format, ClampKind::XorSign);
      PolynomialRequest request;
      request.function = control->spec.function;
      request.format = spec.format;
      request.exactTail = false;
      request.centered = spec.center != 0;
      request.degree = unsigned(spec.coefficients.size()) -
                       (reductionOf(control->spec) == Reduction::Even);
      note(commandLine(request));
      Reached direct = cache.get(request, options);
      text +=
          print("| %s | %s | %s | %s | %s |\n", value.name().c_str(),
                cell(certify(value).maxAbs, instructionCount(value)).c_str(),
                algebraicCell(spec).c_str(),
                cell(control->replayed, instructionCount(derivative)).c_str(),
                cell(direct.maxAbs, direct.instructions).c_str());
    }
  return text;
}

//===----------------------------------------------------------------------===//
// Pareto front
//===----------------------------------------------------------------------===//

struct Candidate {
  std::string name;
  double error;
  const Program *program;
};

/// The programs of the shipped ones that none beats in both error and slots.
std::vector<Candidate> paretoFront(Function function, Format format,
                                   const TargetModel &target) {
  std::vector<Candidate> all, front;
  for (const RegisteredProgram &entry : shippedPrograms()) {
    const ProgramInfo &info = entry.program.info();
    bool native = info.from == format && info.to == format;
    if (info.function == function && native &&
        minimumSm(entry.program) <= target.sm && entry.certificate.maxAbs < 1)
      all.push_back({info.name, entry.certificate.maxAbs, &entry.program});
  }
  std::sort(all.begin(), all.end(),
            [&](const Candidate &a, const Candidate &b) {
              double x = slotsPerElement(*a.program, target),
                     y = slotsPerElement(*b.program, target);
              return x < y || (x == y && a.error < b.error);
            });
  for (const Candidate &candidate : all)
    if (front.empty() || candidate.error < front.back().error)
      front.push_back(candidate);
  return front;
}

void addPareto(std::vector<ReportFile> &files) {
  std::string text =
      "<!-- Written by poly-fit report; do not edit -->\n\n"
      "# Error against issue slots\n\n"
      "The shipped programs from a 16-bit format to itself that no other beats "
      "in both. Slots are an element's, of the\nbusiest pipe.\n";
  const TargetModel &drawn = *findTarget("sm_90");
  for (Function function : kCompared) {
    Chart chart;
    chart.title = std::string(name(function)) + ": programs on sm_90";
    chart.xLabel = "issue slots an element";
    chart.yLabel = "largest absolute error";
    text += print("\n## %s\n\n![](pareto-%s.svg)\n\n| format | target | "
                  "program | slots | error |\n|---|---|---|---|---|\n",
                  std::string(name(function)).c_str(),
                  std::string(name(function)).c_str());
    for (Format format : kFormats) {
      for (const char *chip : kTargets) {
        const TargetModel *target = findTarget(chip);
        if (!target)
          continue;
        for (const Candidate &c : paretoFront(function, format, *target))
          text += print("| %s | %s | %s | %.2f | %.2e |\n",
                        std::string(name(format)).c_str(), chip, c.name.c_str(),
                        slotsPerElement(*c.program, *target), c.error);
      }
      Chart::Series steps, dots;
      steps.name = std::string(name(format)) + " front";
      dots.name = std::string(name(format)) + " programs";
      dots.markers = true;
      for (const Candidate &c : paretoFront(function, format, drawn)) {
        double slots = slotsPerElement(*c.program, drawn);
        if (!steps.points.empty())
          steps.points.emplace_back(slots, steps.points.back().second);
        steps.points.emplace_back(slots, c.error);
        dots.points.emplace_back(slots, c.error);
      }
      chart.series.push_back(steps);
      chart.series.push_back(dots);
    }
    files.push_back(
        {"pareto-" + std::string(name(function)) + ".svg", toSvg(chart)});
  }
  files.push_back({"pareto.md", text});
}

//===----------------------------------------------------------------------===//
// Error curves
//===----------------------------------------------------------------------===//

/// The program with every fma in two: a multiply and an add, both rounded.
Program split(const Program &program) {
  ProgramBuilder b(program.info());
  std::vector<NodeId> renamed;
  for (const Node &node : program.nodes()) {
    auto operand = [&](unsigned i) { return renamed[node.operands[i]]; };
    NodeId id = 0;
    switch (node.op) {
    case Op::Input:
      id = b.input(node.type);
      break;
    case Op::Const:
      id = b.constant(node.type, node.imm);
      break;
    case Op::Fma:
    case Op::FmaRelu:
      id = b.add(b.mul(operand(0), operand(1)), operand(2));
      if (node.op == Op::FmaRelu)
        id = b.binary(Op::MaxNaN, id, b.constant(node.type, 0.0));
      break;
    default:
      id = node.numOperands == 1 ? b.unary(node.op, operand(0))
                                 : b.binary(node.op, operand(0), operand(1));
    }
    renamed.push_back(id);
  }
  return b.finish(renamed[program.result()]);
}

/// |program(x) - f(x)| at the format's numbers on a grid of [-reach, reach];
/// the largest of a grid step, since the curve is a saw.
Chart::Series replayCurve(const Program &program, double reach,
                          std::string title) {
  constexpr int kSteps = 400, kInside = 12;
  const ProgramInfo &info = program.info();
  Chart::Series series;
  series.name = std::move(title);
  for (int i = 0; i < kSteps; ++i) {
    double worst = 0, middle = 0;
    for (int j = 0; j < kInside; ++j) {
      double t = (i + (j + 0.5) / kInside) / kSteps;
      uint32_t bits = encode(info.from, reach * (2 * t - 1));
      double x = decode(info.from, bits);
      double y = decode(info.to, replayElement(program, bits));
      worst = std::max(worst, std::fabs(y - reference(info, x)));
      middle = reach * (2 * t - 1);
    }
    series.points.emplace_back(middle, worst);
  }
  return series;
}

/// The stages of a fit: in real arithmetic, with rounded coefficients, replayed
/// with split and with fused multiply-adds, and ours.
std::string stages() {
  PolynomialRequest request;
  request.degree = 4;
  request.exactTail = false;
  Control control = constrainedLeastSquaresControl(request);
  fit::detail::RealFunction function(request);
  std::vector<double> exact =
      constrainedLeastSquares(request, control.interval);
  Chart chart;
  chart.title = "sigmoid, degree 4 in |x|, bf16: where the error comes from";
  chart.xLabel = "x";
  chart.yLabel = "absolute error";
  auto realCurve = [&](const std::vector<double> &q, const char *title) {
    Chart::Series series;
    series.name = title;
    for (int i = 0; i <= 400; ++i) {
      double x = -8 + 16.0 * i / 400;
      double y =
          function.evaluate(q, std::min(std::fabs(x), control.spec.clamp));
      series.points.emplace_back(x, std::fabs(y - function.core(std::fabs(x))));
    }
    chart.series.push_back(series);
  };
  realCurve(exact, "real fit");
  realCurve(control.spec.coefficients, "rounded coefficients");
  Program fused =
      buildPolynomial(control.spec, Format::BF16, ClampKind::XorSign, "fused");
  chart.series.push_back(replayCurve(split(fused), 8, "split multiply, add"));
  chart.series.push_back(replayCurve(fused, 8, "packed fma"));
  chart.series.push_back(replayCurve(
      findProgram("sigmoid-half4free-bf16x2")->program, 8, "ours, packed fma"));
  return toSvg(chart);
}

void addErrorCurves(std::vector<ReportFile> &files) {
  files.push_back({"stages-sigmoid.svg", stages()});
  files.push_back({"lattices.svg", latticeErrors()});
  for (Function function : kCompared) {
    Chart chart;
    chart.title = std::string(name(function)) + ": shipped bf16 polynomials";
    chart.xLabel = "x";
    chart.yLabel = "absolute error";
    for (const RegisteredProgram &entry : shippedPrograms()) {
      const ProgramInfo &info = entry.program.info();
      bool drawn = info.function == function && info.from == Format::BF16 &&
                   info.to == Format::BF16 && !entry.certificate.sfuModel &&
                   info.name.find("sm80") == std::string::npos;
      if (drawn)
        chart.series.push_back(replayCurve(entry.program, 10, info.form));
    }
    files.push_back(
        {"errors-" + std::string(name(function)) + ".svg", toSvg(chart)});
  }
}

} // namespace

std::string fit::latticeErrors() {
  Chart chart;
  chart.title = "exp2 on lattices: relative error over two octaves";
  chart.xLabel = "x";
  chart.yLabel = "relative error";
  // A logarithmic axis has no zero.
  constexpr double kLeast = 1e-4;
  constexpr int kPoints = 512;
  auto add = [&](const char *title, auto valueAt) {
    Chart::Series series;
    series.name = title;
    for (int i = 0; i < kPoints; ++i) {
      // Between the points of an f16, no lattice's own.
      double x = 2 + (2.0 * i + 1) / kPoints;
      double error = std::fabs(valueAt(x) / std::exp2(x) - 1);
      series.points.emplace_back(x, std::max(error, kLeast));
    }
    chart.series.push_back(std::move(series));
  };
  auto addProgram = [&](const char *title, const char *program) {
    const Program &replayed = findProgram(program)->program;
    const ProgramInfo &info = replayed.info();
    add(title, [&](double x) {
      uint32_t bits = uint32_t(encode(info.from, x));
      return decode(info.to, replayElement(replayed, bits));
    });
  };
  addProgram("two points an octave, H15", "exp2-h15-f32");
  addProgram("grid of e4m3, 8 points", "exp2-lattice3-f16-e4m3x4");
  add("correctly rounded to e4m3", [](double x) {
    return decode(Format::E4M3, encode(Format::E4M3, std::exp2(x)));
  });
  addProgram("grid of bf16, 128 points", "exp2-lattice7-f32");
  return toSvg(chart);
}

//===----------------------------------------------------------------------===//
// FitCache
//===----------------------------------------------------------------------===//

FitCache::FitCache(std::string path) : path(std::move(path)) {
  std::ifstream in(this->path);
  for (std::string line; std::getline(in, line);) {
    size_t tab = line.find('\t');
    if (tab == std::string::npos)
      continue;
    std::istringstream fields(line.substr(tab + 1));
    std::string error, slots;
    Reached reached;
    fields >> error >> reached.instructions >> slots;
    reached.maxAbs = std::strtod(error.c_str(), nullptr);
    reached.slots = std::strtod(slots.c_str(), nullptr);
    known[line.substr(0, tab)] = reached;
  }
}

Reached FitCache::get(const PolynomialRequest &request,
                      const SearchOptions &options) {
  std::string key = commandLine(request);
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  PolynomialFit fit = fitPolynomial(request, options);
  Program program = buildProgram(request, fit.spec);
  Reached reached{fit.certificate.maxAbs, instructionCount(program),
                  slotsPerElement(program, *findTarget("sm_90"))};
  known[key] = reached;
  if (!path.empty())
    std::ofstream(path, std::ios::app)
        << key << "\t"
        << print("%a %u %a\n", reached.maxAbs, reached.instructions,
                 reached.slots);
  return reached;
}

std::vector<PolynomialRequest> fit::reportRequests() {
  std::vector<PolynomialRequest> requests;
  for (Function function : kCompared)
    for (Format format : kFormats)
      for (unsigned degree = 3; degree <= kMaxHalfDegree; ++degree)
        for (const PolynomialRequest &request :
             variants(function, format, degree))
          requests.push_back(request);
  return requests;
}

std::vector<ReportFile>
fit::makeReport(FitCache &cache, const SearchOptions &options,
                const std::function<void(std::string)> &note, ReportPart part) {
  auto wanted = [&](ReportPart one) {
    return part == ReportPart::All || part == one;
  };
  std::vector<ReportFile> files;
  if (wanted(ReportPart::Curves))
    addErrorCurves(files);
  if (wanted(ReportPart::Pareto))
    addPareto(files);
  if (wanted(ReportPart::Derivatives))
    files.push_back({"derivatives.md", derivativesTable(cache, options, note)});
  if (wanted(ReportPart::Numerics))
    files.push_back({"numerics-table.md", numericsTable(cache, options, note)});
  return files;
}
