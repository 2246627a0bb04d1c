//===- Derivative.cpp - Derivatives of fitted polynomials -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "poly/Fit/Controls.h"
#include "poly/Program/Certify.h"
#include "poly/Program/Polynomials.h"
#include "poly/Program/Print.h"
#include "poly/Program/ProgramFile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace poly;
using llvm::outs;

static const char *const kHelp =
    "usage: poly-fit differentiate PROGRAM... [-o FILE.json]\n\n"
    "Writes the derivative of each polynomial as a program of its own, with\n"
    "what it errs against the true derivative. PROGRAM is a program file or\n"
    "the name of a shipped polynomial of sigmoid, tanh, silu or gelu from a\n"
    "16-bit format to itself, sigmoid-half3-bf16x2 for example.\n";

static std::string nameOf(const PolynomialSpec &spec) {
  return buildPolynomial(spec, resultFormat(spec), ClampKind::XorSign).name();
}

/// The polynomials that \p argument means. Prints what is wrong with it.
static bool readPolynomials(const std::string &argument,
                            std::vector<ProgramFileEntry> &entries) {
  for (Function function : {Function::Sigmoid, Function::Tanh, Function::Silu,
                            Function::GeluErf, Function::GeluTanh})
    for (const PolynomialSpec &spec : shippedPolynomials(function))
      if (nameOf(spec) == argument) {
        entries.push_back({argument, spec, resultFormat(spec)});
        return true;
      }
  auto buffer = llvm::MemoryBuffer::getFile(argument, /*IsText=*/true);
  if (!buffer) {
    fail("'" + argument +
         "' is neither a file that can be read nor a shipped polynomial of "
         "sigmoid, tanh, silu or gelu; poly-fit --list names the shipped "
         "programs");
    return false;
  }
  auto read = parseProgramFileEntries((*buffer)->getBuffer(), argument);
  if (!read) {
    fail(llvm::toString(read.takeError()));
    return false;
  }
  entries.insert(entries.end(), read->begin(), read->end());
  return true;
}

int differentiateMain(int argc, char **argv) {
  std::string output;
  std::vector<ProgramFileEntry> values, derivatives;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      outs() << kHelp;
      return 0;
    }
    if (argument == "-o") {
      if (++i == argc)
        return fail("-o needs a file");
      output = argv[i];
      continue;
    }
    if (argument.starts_with("-"))
      return fail("unknown option '" + argument +
                  "'; see poly-fit differentiate --help");
    if (!readPolynomials(argument.str(), values))
      return 1;
  }
  if (values.empty())
    return fail("differentiate what? Give programs; see poly-fit "
                "differentiate --help");
  for (const ProgramFileEntry &value : values) {
    std::string error;
    std::optional<fit::Control> control =
        fit::differentiated(value.spec, error);
    if (!control)
      return fail("'" + value.name + "': " + error);
    ProgramFileEntry derivative{value.name + "-differentiated", control->spec,
                                value.spec.format};
    Program program = buildPolynomial(control->spec, derivative.from,
                                      ClampKind::XorSign, derivative.name);
    outs() << toString(program) << "\n"
           << toString(certify(program), program) << "\n";
    derivatives.push_back(derivative);
  }
  return output.empty() ? 0 : writeFile(output, programFileText(derivatives));
}
