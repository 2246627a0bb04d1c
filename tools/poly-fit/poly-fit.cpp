//===- poly-fit.cpp - Fit programs and write their tables -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "poly/Fit/Controls.h"
#include "poly/Fit/PolynomialFit.h"
#include "poly/Fit/Report.h"
#include "poly/Fit/SfuFit.h"
#include "poly/Fit/Tables.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Print.h"
#include "poly/Program/ProgramFile.h"
#include "poly/Program/Registry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace poly;
using llvm::errs;
using llvm::outs;

namespace {

namespace cl = llvm::cl;

cl::OptionCategory category("poly-fit options");

/// An option of this tool.
template <typename T>
struct Option : cl::opt<T> {
  template <typename... Mods>
  Option(llvm::StringRef name, llvm::StringRef text, const Mods &...mods)
      : cl::opt<T>(name, cl::desc(text), cl::cat(category), mods...) {}
  using cl::opt<T>::operator=;
};

Option<std::string> functionName(
    "function",
    "A function's name (sigmoid, gelu_erf, dsilu, ...) or a formula "
    "in x, such as 'x/(1+abs(x))'",
    cl::value_desc("name or formula"));
Option<std::string> parity(
    "parity",
    "Of a formula: odd; even; complement, f(-x) = 1 - f(x); gate, x times such "
    "a function; none (default)",
    cl::value_desc("name"), cl::init("none"));
Option<std::string> domain("domain",
                           "The arguments to fit on, LOW,HIGH; beyond them the "
                           "argument is clamped",
                           cl::value_desc("low,high"));
Option<double> parameter("parameter", "sigmoid_shift: n, the number of keys",
                         cl::value_desc("n"), cl::init(0));
Option<std::string> form(
    "form",
    "half: a polynomial in |x|; odd, even: in x^2; whole: without a symmetry "
    "(default: half or whole); ex2poly: 1/(1+e) in f32; origin: tanh around 0; "
    "normal: the normal distribution",
    cl::value_desc("name"));
Option<std::string>
    tail("tail",
         "exact (default): saturate to exactly the limits, as 0 "
         "and 1; free: only stay within them",
         cl::value_desc("name"), cl::init("exact"));
Option<std::string> degree(
    "degree",
    "Degree of the polynomial, or a range 3..6 (default 3; odd: 5; even: 4), "
    "or "
    "of 1/(1+e) (default: the least that keeps the result within one ulp)",
    cl::value_desc("n or n..m"));
Option<std::string> pieces("pieces",
                           "1 (default), 2, or 1..2: pieces picked by a mask",
                           cl::value_desc("n or n..m"), cl::init("1"));
Option<unsigned>
    squarings("squarings",
              "form whole: the result is the polynomial to the power 2^n",
              cl::value_desc("n"), cl::init(0));
Option<bool> centered("centered", "The polynomial takes |x| less a center: for "
                                  "high degrees");
Option<double> root("root",
                    "odd, even: the form has the factor x^2 - root^2, for a "
                    "function that is 0 there",
                    cl::value_desc("x"), cl::init(0));
Option<std::string>
    formatName("format",
               "Of the arithmetic: bf16 (default), f16, f32; bf16x2 and f16x2 "
               "are the same",
               cl::value_desc("name"), cl::init("bf16"));
Option<std::string> toName("to", "Of the results, where it is narrower",
                           cl::value_desc("name"));
Option<std::string> measureName(
    "measure",
    "The error to minimise: absolute (default), relative, or normal, weighted "
    "by the normal density of the arguments",
    cl::value_desc("name"), cl::init("absolute"));
Option<std::string> objective("objective",
                              "exp2: minimax (default) or least-squares",
                              cl::value_desc("name"), cl::init("minimax"));
Option<bool> coupled("coupled", "Fit the derivative that shares the reduction "
                                "together with the value");
Option<uint64_t> seed("seed", "Seed of the search", cl::value_desc("n"),
                      cl::init(1));
Option<unsigned> jobs("jobs", "Threads of the search (default: all)",
                      cl::value_desc("n"), cl::init(0));
Option<std::string> stateFile("state",
                              "Keep what is done in this file, and go on from "
                              "it when it is of the same request",
                              cl::value_desc("file"));
Option<bool> showProgress("progress", "Show a progress bar (default: on a "
                                      "terminal)");
Option<std::string> output("o", "Also write the fits as a program file",
                           cl::value_desc("file.json"));
Option<bool> attribute("attribute",
                       "Print the parameters of #poly.program for "
                       "each fit only: its name and its definition");
Option<bool> rowOnly("row", "Print each fit as the row of a table only");
Option<bool> all("all", "Fit every shipped program");
Option<std::string>
    tables("tables",
           "The folder of the tables that --all writes and --check compares",
           cl::value_desc("dir"));
Option<std::string> certificates("certificates",
                                 "Certify every shipped program as compiled in "
                                 "and write Certificates.inc to this folder",
                                 cl::value_desc("dir"));
Option<bool> checkOnly("check",
                       "Compare the tables with a fresh fit and exit 1 "
                       "on a difference");
Option<bool> quick("quick", "--check: certify everything, refit only one row a "
                            "table");
cl::opt<std::string> command(cl::Positional, cl::desc("[report]"),
                             cl::cat(category));
Option<std::string> cacheFile("cache",
                              "report: a file that remembers fits, so "
                              "that it can go on where it stopped",
                              cl::value_desc("file"));
cl::opt<fit::ReportPart> reportPart(
    "part", cl::desc("report: what to write"), cl::cat(category),
    cl::values(clEnumValN(fit::ReportPart::All, "all", "everything (default)"),
               clEnumValN(fit::ReportPart::Curves, "curves", "error curves"),
               clEnumValN(fit::ReportPart::Pareto, "pareto",
                          "error against slots"),
               clEnumValN(fit::ReportPart::Derivatives, "derivatives",
                          "three ways to each derivative"),
               clEnumValN(fit::ReportPart::Numerics, "numerics",
                          "bounds, controls and ours")),
    cl::init(fit::ReportPart::All));
Option<bool> controls("controls", "Also fit by pinned least squares and by "
                                  "Sollya, and replay what they give");
Option<bool> list("list", "Print the names of the shipped programs");

} // namespace

int fail(const llvm::Twine &message) {
  llvm::WithColor::error(errs(), "poly-fit") << message << "\n";
  return 1;
}

int writeFile(const std::string &path, const std::string &text) {
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_Text);
  if (error)
    return fail("cannot write '" + path + "': " + error.message());
  file.os() << text;
  file.os().flush();
  if (file.os().has_error()) {
    std::string message = file.os().error().message();
    file.os().clear_error();
    return fail("cannot write '" + path + "': " + message);
  }
  file.keep();
  return 0;
}

namespace {

std::string number(double value, const char *format = "%.3e") {
  char text[40];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

/// A bar on the standard error, for terminals.
void drawProgress(double done) {
  constexpr int kWidth = 40;
  int filled = std::min(kWidth, int(done * kWidth + 0.5));
  errs() << "\r[" << std::string(size_t(filled), '#')
         << std::string(size_t(kWidth - filled), ' ') << "] "
         << number(100 * done, "%3.0f") << " %" << (done >= 1 ? "\n" : "");
}

fit::SearchOptions searchOptions() {
  fit::SearchOptions options;
  options.threads = jobs;
  options.stateFile = stateFile;
  if (showProgress || llvm::sys::Process::StandardErrIsDisplayed()) {
    // Redrawn only when it moves.
    auto last = std::make_shared<int>(-1);
    options.progress = [last](double done) {
      int percent = int(100 * done + 1e-6);
      if (percent != *last)
        drawProgress(done);
      *last = percent;
    };
  }
  return options;
}

int writeTables() {
  for (Function function : fit::tabledFunctions()) {
    errs() << name(function) << "\n";
    if (int rc = writeFile(tables + "/" + fit::tableName(function),
                           fit::functionTable(function, searchOptions())))
      return rc;
  }
  if (int rc = writeFile(tables + "/Sfu.inc", fit::sfuTable()))
    return rc;
  if (int rc = writeFile(tables + "/Exp2.inc", fit::exp2Table()))
    return rc;
  outs() << "wrote " << tables
         << "; rebuild, then run poly-fit --certificates=" << tables << "\n";
  return 0;
}

int checkTables() {
  unsigned differences = fit::checkTables(
      tables, quick, [](const std::string &line) { outs() << line << "\n"; });
  if (differences)
    return fail(llvm::Twine(differences) + " differences in '" + tables +
                "'; run poly-fit --all, rebuild, run poly-fit --certificates");
  outs() << tables << ": up to date\n";
  return 0;
}

/// "3" or "3..6".
bool parseRange(llvm::StringRef text, unsigned &low, unsigned &high) {
  auto [first, second] = text.split("..");
  bool range = text.contains("..");
  if (first.getAsInteger(10, low))
    return false;
  high = low;
  return !range || (!second.getAsInteger(10, high) && low <= high);
}

/// The request of the options but for degree and pieces. Returns an exit code.
int readRequest(fit::PolynomialRequest &request) {
  llvm::StringRef formula = functionName;
  bool isName = llvm::all_of(
      formula, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!parse(functionName, request.function) ||
      request.function == Function::Custom) {
    if (isName && formula != "x") {
      std::string names;
      for (Function function : fit::tabledFunctions())
        names += (names.empty() ? "" : ", ") + std::string(name(function));
      return fail("unknown function '" + functionName +
                  "': a formula in x or " + names);
    }
    request.function = Function::Custom;
    request.expression = functionName;
    if (!parse(parity, request.reduction))
      return fail("unknown parity '" + parity +
                  "': odd, even, complement, gate or none");
  } else if (parity.getNumOccurrences()) {
    return fail("--parity is for formulas; the symmetry of " + functionName +
                " is known");
  }
  std::string inner = llvm::StringRef(formatName).str();
  if (llvm::StringRef(inner).ends_with("x2"))
    inner.resize(inner.size() - 2);
  if (!parse(inner, request.format))
    return fail("unknown format '" + formatName + "': bf16, f16 or f32");
  if (toName.getNumOccurrences()) {
    Format to;
    if (!parse(toName, to))
      return fail("unknown format '" + toName + "': bf16 or f16");
    request.to = to;
  }
  if (domain.getNumOccurrences()) {
    auto [low, high] = llvm::StringRef(domain).split(',');
    if (low.getAsDouble(request.domainLow) ||
        high.getAsDouble(request.domainHigh) ||
        !(request.domainLow < request.domainHigh))
      return fail("the domain '" + domain +
                  "' must be LOW,HIGH, the lower number first");
  }
  request.parameter = parameter;
  request.squarings = squarings;
  request.centered = centered;
  request.root = root;
  request.coupled = coupled;
  request.seed = seed;
  if (tail != "exact" && tail != "free")
    return fail("unknown tail '" + tail + "': exact or free");
  request.exactTail = tail == "exact";
  if (!parse(measureName, request.measure))
    return fail("unknown measure '" + measureName +
                "': absolute, relative or normal");
  return 0;
}

void printControls(const fit::PolynomialRequest &request) {
  if (!fit::hasControls(request)) {
    outs() << "controls: none for this form\n";
    return;
  }
  auto show = [](const char *title, const fit::Control &control) {
    outs() << title << ": " << number(control.real, "%.4e")
           << " in real arithmetic, " << number(control.replayed, "%.4e")
           << " replayed, on [0, " << number(control.interval, "%g")
           << "], clamp " << number(control.spec.clamp, "%g") << "\n";
  };
  show("least squares, best in real arithmetic",
       fit::constrainedLeastSquaresControl(request, /*real=*/true));
  show("least squares, best replayed",
       fit::constrainedLeastSquaresControl(request));
  std::string error;
  if (std::optional<fit::Control> sollya = fit::sollyaControl(request, error))
    show("Sollya, best replayed", *sollya);
  else
    outs() << "Sollya: " << error << "\n";
}

std::string entryName(const fit::PolynomialRequest &request,
                      const PolynomialSpec &spec) {
  std::string title(name(request.function));
  if (request.parameter != 0)
    title += std::to_string(long(request.parameter));
  return title + "-" + formName(spec) + "-" +
         std::string(name(resultFormat(spec))) + "-fit";
}

/// f32 arithmetic takes f32 arguments.
Format argumentFormat(const PolynomialSpec &spec) {
  return spec.format == Format::F32 ? Format::F32 : resultFormat(spec);
}

/// <"name", "definition"> as MLIR reads it, through the program file's reader.
void printAttribute(const PolynomialSpec &spec, const std::string &entry) {
  ProgramFileEntry written;
  written.name = entry;
  written.spec = spec;
  written.from = argumentFormat(spec);
  llvm::Expected<std::vector<Program>> programs =
      parseProgramFile(programFileText({written}), entry);
  if (!programs) {
    fail(llvm::toString(programs.takeError()));
    return;
  }
  outs() << "<\"" << entry << "\", \"";
  llvm::printEscapedString(programs->front().info().definition, outs());
  outs() << "\">\n";
}

int fitPolynomials() {
  fit::PolynomialRequest base;
  if (int rc = readRequest(base))
    return rc;
  Reduction reduction = base.function == Function::Custom
                            ? base.reduction
                            : reductionOf(base.function);
  bool whole = reduction == Reduction::Whole;
  std::string shape = form;
  if (shape.empty())
    shape = whole ? "whole" : "half";
  if ((shape == "whole") != whole ||
      (shape == "even" && reduction != Reduction::Even) ||
      (shape == "odd" && reduction == Reduction::Even))
    return fail("form '" + shape + "' does not go with the parity '" +
                llvm::StringRef(name(reduction)) + "' of the function");
  base.odd = shape == "odd" || shape == "even";
  unsigned lowDegree = shape == "odd" ? 5 : shape == "even" ? 4 : 3;
  unsigned highDegree = lowDegree, lowPieces = 1, highPieces = 1;
  if (degree.getNumOccurrences() && !parseRange(degree, lowDegree, highDegree))
    return fail("the degree '" + degree + "' must be a number or a range 3..6");
  if (!parseRange(pieces, lowPieces, highPieces))
    return fail("the pieces '" + pieces + "' must be 1, 2 or 1..2");

  std::vector<fit::PolynomialRequest> requests;
  for (unsigned p = lowPieces; p <= highPieces; ++p)
    for (unsigned d = lowDegree; d <= highDegree; ++d) {
      fit::PolynomialRequest request = base;
      request.pieces = p;
      request.degree = d;
      // A range of odd or of even polynomials steps over the others.
      bool other = base.odd && lowDegree != highDegree &&
                   d % 2 != unsigned(shape == "odd");
      if (other)
        continue;
      if (std::string message = fit::check(request); !message.empty())
        return fail(message);
      requests.push_back(request);
    }

  std::vector<ProgramFileEntry> entries;
  for (const fit::PolynomialRequest &request : requests) {
    fit::SearchOptions options = searchOptions();
    if (requests.size() > 1 && !options.stateFile.empty())
      options.stateFile += "." + std::to_string(request.degree) + "." +
                           std::to_string(request.pieces);
    fit::PolynomialFit fit = fit::fitPolynomial(request, options);
    if (rowOnly) {
      outs() << fit::tableRow(fit.spec, request.coupled) << "\n";
      continue;
    }
    if (attribute) {
      printAttribute(fit.spec, entryName(request, fit.spec));
      continue;
    }
    Program program = fit::buildProgram(request, fit.spec);
    fit::RealBound bound = fit::realBound(request);
    outs() << toString(program) << "\n"
           << toString(fit.certificate, program) << "\n"
           << "candidates: " << fit.candidates << "\n";
    if (program.results().size() > 1) {
      Program second = program.singleResult(1);
      outs() << toString(certify(second), second) << "\n";
    }
    outs() << "lower bound: " << number(bound.minimax)
           << " in real arithmetic, " << number(bound.withRounding)
           << " with half an ulp of the result\n";
    if (controls)
      printControls(request);
    outs() << "\n";
    ProgramFileEntry entry;
    entry.spec = fit.spec;
    entry.from = argumentFormat(fit.spec);
    entry.name = entryName(request, fit.spec);
    entries.push_back(entry);
  }
  if (rowOnly || attribute)
    return 0;
  if (coupled && !output.empty())
    return fail("a program file holds programs with one result only");
  std::string text = programFileText(entries);
  if (output.empty() || output == "-") {
    if (!coupled)
      outs() << text;
    return 0;
  }
  return writeFile(output, text);
}

int writeReport() {
  if (output.empty())
    return fail("report needs -o DIR, the folder of its files");
  fit::FitCache cache(cacheFile);
  std::vector<fit::ReportFile> files = fit::makeReport(
      cache, searchOptions(),
      [](const std::string &line) { errs() << line << "\n"; }, reportPart);
  for (const fit::ReportFile &file : files)
    if (int rc = writeFile(output + "/" + file.name, file.text))
      return rc;
  outs() << "wrote " << files.size() << " files to " << output << "\n";
  return 0;
}

int fitSfu() {
  Function function;
  if (!parse(functionName, function))
    return fail("form '" + form + "' is for functions with a name");
  Format format;
  if (!parse(formatName, format))
    return fail("unknown format '" + formatName + "': bf16, f16 or f32");
  fit::SfuFit fit;
  const char *unit = " relative";
  if (form == "origin") {
    if (function != Function::Tanh || format != Format::F32)
      return fail("form 'origin' is for --function=tanh --format=f32");
    fit = fit::fitTanhOrigin();
  } else if (form == "normal") {
    if (function != Function::GeluErf)
      return fail("form 'normal' is for --function=gelu_erf");
    fit = fit::fitNormal(format);
  } else {
    if (format == Format::F32)
      return fail("form 'ex2poly' has bf16 and f16 results only");
    unsigned low = 0, high = 0;
    if (degree.getNumOccurrences() &&
        (!parseRange(degree, low, high) || low != high ||
         low < fit::kMinReciprocalDegree || low > fit::kMaxReciprocalDegree))
      return fail("degree " + degree + " of form 'ex2poly' is out of range " +
                  llvm::Twine(fit::kMinReciprocalDegree) + " to " +
                  llvm::Twine(fit::kMaxReciprocalDegree));
    unit = " half ulps of the result";
    fit = fit::fitReciprocal(function, format, low);
  }
  if (!output.empty())
    return fail("a program file holds polynomials only");
  outs() << fit.command << "\nerror: " << number(fit.error) << unit
         << "\ncoefficients, ascending:";
  for (double c : fit.coefficients)
    outs() << " " << number(c, "%a");
  outs() << "\n";
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (argc > 1 && llvm::StringRef(argv[1]) == "softmax")
    return softmaxMain(argc - 1, argv + 1);
  if (argc > 1 && llvm::StringRef(argv[1]) == "differentiate")
    return differentiateMain(argc - 1, argv + 1);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "poly-fit: fits polynomial programs on their replayed error\n\n"
      "  poly-fit --function=sigmoid --form=half --degree=3 --format=bf16\n"
      "  poly-fit --function='x/(1+abs(x))' --parity=odd --domain=-8,8 \\\n"
      "           --format=bf16x2 --degree=3..6 --pieces=1..2 -o prog.json\n"
      "  poly-fit report -o DIR             tables and figures\n"
      "  poly-fit --all --tables=DIR        write the coefficient tables\n"
      "  poly-fit --certificates=DIR        write the certificates\n"
      "  poly-fit --check --tables=DIR      exit 1 when they are stale\n"
      "  poly-fit --function=exp2 --form=d1|hinge|d2|d3|d4|d3free\n"
      "  poly-fit differentiate PROGRAM...  the derivatives of polynomials\n"
      "  poly-fit softmax PROGRAM...        exponentials as attention sees "
      "them\n");

  if (list) {
    for (const RegisteredProgram &entry : shippedPrograms())
      outs() << entry.program.name() << "\n";
    return 0;
  }
  if ((all || checkOnly) && tables.empty())
    return fail("--all and --check need --tables=DIR");
  if (all)
    return writeTables();
  if (!certificates.empty())
    return writeFile(certificates + "/Certificates.inc",
                     fit::certificateTable());
  if (checkOnly)
    return checkTables();

  if (command == "report")
    return writeReport();
  if (!command.empty())
    return fail("unknown command '" + command + "': report, or none");
  if (functionName.empty())
    return fail("nothing to do: give --function, --all, --certificates or "
                "--check (see --help)");
  if (functionName == "exp2") {
    std::string message = fitExponential(
        form.empty() ? std::string("d3") : form.getValue(), formatName,
        formatName.getNumOccurrences() > 0, objective, outs());
    return message.empty() ? 0 : fail(message);
  }
  if (form.empty() || form == "half" || form == "odd" || form == "even" ||
      form == "whole")
    return fitPolynomials();
  if (form == "ex2poly" || form == "origin" || form == "normal")
    return fitSfu();
  return fail("unknown form '" + form +
              "': half, odd, even, whole, ex2poly, origin or normal");
}
