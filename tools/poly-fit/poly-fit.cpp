//===- poly-fit.cpp - Fit programs and write their tables -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "poly/Fit/PolynomialFit.h"
#include "poly/Fit/SfuFit.h"
#include "poly/Fit/Tables.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Print.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace poly;
using llvm::errs;
using llvm::outs;

namespace {

llvm::cl::OptionCategory category("poly-fit options");

llvm::cl::opt<std::string> functionName("function",
                                        llvm::cl::desc("sigmoid, tanh or silu"),
                                        llvm::cl::value_desc("name"),
                                        llvm::cl::cat(category));
llvm::cl::opt<std::string> form(
    "form",
    llvm::cl::desc("half: y*q(|y|); odd: y*q(y^2); ex2poly: 1/(1+e) in f32; "
                   "exp2: d1 to d4, hinge, d3free; "
                   "origin: tanh around 0 in f32 (default half)"),
    llvm::cl::value_desc("name"), llvm::cl::init("half"),
    llvm::cl::cat(category));
llvm::cl::opt<std::string> tail(
    "tail",
    llvm::cl::desc("exact (default): saturate to exactly 0 and 1; free: only "
                   "stay within them"),
    llvm::cl::value_desc("name"), llvm::cl::init("exact"),
    llvm::cl::cat(category));
llvm::cl::opt<unsigned> degree(
    "degree",
    llvm::cl::desc("Degree of y*q (default 3; odd: 5), or of 1/(1+e) (default: "
                   "the least that keeps the result within one ulp)"),
    llvm::cl::value_desc("n"), llvm::cl::init(0), llvm::cl::cat(category));
llvm::cl::opt<std::string>
    formatName("format", llvm::cl::desc("bf16 (default), f16; f32 for origin"),
               llvm::cl::value_desc("name"), llvm::cl::init("bf16"),
               llvm::cl::cat(category));
llvm::cl::opt<std::string>
    objective("objective",
              llvm::cl::desc("exp2: minimax (default) or least-squares"),
              llvm::cl::value_desc("name"), llvm::cl::init("minimax"),
              llvm::cl::cat(category));
llvm::cl::opt<uint64_t> seed("seed", llvm::cl::desc("Seed of the search"),
                             llvm::cl::value_desc("n"), llvm::cl::init(1),
                             llvm::cl::cat(category));
llvm::cl::opt<std::string>
    output("o", llvm::cl::desc("Also write the fit as a program file"),
           llvm::cl::value_desc("file.json"), llvm::cl::cat(category));
llvm::cl::opt<bool> all("all", llvm::cl::desc("Fit every shipped program"),
                        llvm::cl::cat(category));
llvm::cl::opt<std::string> tables(
    "tables",
    llvm::cl::desc("The folder of the tables that --all writes and --check "
                   "compares"),
    llvm::cl::value_desc("dir"), llvm::cl::cat(category));
llvm::cl::opt<std::string> certificates(
    "certificates",
    llvm::cl::desc("Certify every shipped program as compiled in and write "
                   "Certificates.inc to this folder"),
    llvm::cl::value_desc("dir"), llvm::cl::cat(category));
llvm::cl::opt<bool> checkOnly(
    "check",
    llvm::cl::desc("Compare the tables with a fresh fit and exit 1 on a "
                   "difference"),
    llvm::cl::cat(category));
llvm::cl::opt<bool> quick("quick",
                          llvm::cl::desc("--check: certify everything, refit "
                                         "only one row a table"),
                          llvm::cl::cat(category));

int fail(const llvm::Twine &message) {
  llvm::WithColor::error(errs(), "poly-fit") << message << "\n";
  return 1;
}

/// Writes all of \p text or nothing.
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

std::string number(double value, const char *format = "%.3e") {
  char text[40];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

int writeTables() {
  for (Function function : {Function::Sigmoid, Function::Tanh, Function::Silu})
    if (int rc = writeFile(tables + "/" + fit::tableName(function),
                           fit::functionTable(function)))
      return rc;
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

int fitPolynomial(Function function, Format format) {
  fit::PolynomialRequest request;
  request.function = function;
  request.odd = form == "odd";
  request.degree = degree.getNumOccurrences() ? degree : request.odd ? 5 : 3;
  request.format = format;
  request.seed = seed;
  if (tail != "exact" && tail != "free")
    return fail("unknown tail '" + tail + "': exact or free");
  request.exactTail = tail == "exact";
  if (std::string message = fit::check(request); !message.empty())
    return fail(message);
  fit::PolynomialFit fit = fit::fitPolynomial(request);
  Program program = buildPolynomial(fit.spec, format, ClampKind::XorSign);
  // The result is about 1 where the error of sigmoid and tanh is largest.
  double bound = fit::realMinimax(request);
  outs() << toString(program) << "\n"
         << toString(fit.certificate, program) << "\n"
         << "candidates: " << fit.candidates << "\n"
         << "lower bound: " << number(bound)
         << " in real arithmetic, half an ulp of the result at 1/2 is "
         << number(ulp(format, 0.5) / 2) << "\n";
  std::string text = "[" + fit::programFileEntry(fit.spec) + "]\n";
  if (output.empty())
    outs() << text;
  else if (output == "-")
    outs() << text;
  else
    return writeFile(output, text);
  return 0;
}

int fitSfu(Function function, Format format) {
  fit::SfuFit fit;
  if (form == "origin") {
    if (function != Function::Tanh || format != Format::F32)
      return fail("form 'origin' is for --function=tanh --format=f32");
    fit = fit::fitTanhOrigin();
  } else {
    if (format == Format::F32)
      return fail("form 'ex2poly' has bf16 and f16 results only");
    if (degree.getNumOccurrences() && (degree < fit::kMinReciprocalDegree ||
                                       degree > fit::kMaxReciprocalDegree))
      return fail("degree " + llvm::Twine(degree) +
                  " of form 'ex2poly' is out of range " +
                  llvm::Twine(fit::kMinReciprocalDegree) + " to " +
                  llvm::Twine(fit::kMaxReciprocalDegree));
    fit = fit::fitReciprocal(function, format, degree);
  }
  if (!output.empty())
    return fail("a program file holds forms 'half' and 'odd' only");
  outs() << fit.command << "\nerror: " << number(fit.error)
         << (form == "origin" ? " relative" : " half ulps of the result")
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
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "poly-fit: fits polynomial programs on their replayed error\n\n"
      "  poly-fit --function=sigmoid --form=half --degree=3 --format=bf16\n"
      "  poly-fit --all --tables=DIR        write the coefficient tables\n"
      "  poly-fit --certificates=DIR        write the certificates\n"
      "  poly-fit --check --tables=DIR      exit 1 when they are stale\n"
      "  poly-fit --function=exp2 --form=d1|hinge|d2|d3|d4|d3free\n"
      "  poly-fit softmax PROGRAM...        exponentials as attention sees "
      "them\n");

  if ((all || checkOnly) && tables.empty())
    return fail("--all and --check need --tables=DIR");
  if (all)
    return writeTables();
  if (!certificates.empty())
    return writeFile(certificates + "/Certificates.inc",
                     fit::certificateTable());
  if (checkOnly)
    return checkTables();

  if (functionName.empty())
    return fail("nothing to do: give --function, --all, --certificates or "
                "--check (see --help)");
  Function function;
  if (!parse(functionName, function))
    return fail("unknown function '" + functionName +
                "': sigmoid, tanh or silu");
  Format format;
  if (!parse(formatName, format) || elementBits(format) < 16)
    return fail("unknown format '" + formatName + "': bf16 or f16");
  if (function == Function::Exp2) {
    std::string message = fitExponential(
        form.getNumOccurrences() ? form.getValue() : "d3", formatName,
        formatName.getNumOccurrences() > 0, objective, outs());
    return message.empty() ? 0 : fail(message);
  }
  if (form == "half" || form == "odd")
    return fitPolynomial(function, format);
  if (form == "ex2poly" || form == "origin")
    return fitSfu(function, format);
  return fail("unknown form '" + form + "': half, odd, ex2poly or origin");
}
