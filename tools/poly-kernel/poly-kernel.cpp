//===- poly-kernel.cpp - Writes kernels as MLIR ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `poly-kernel FAMILY --option=value... [-o FILE]` prints a kernel of
/// kernels/ for poly-compile.
///
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "poly/Dialect/Poly/PolyDialect.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <algorithm>

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "poly-kernel") << message << "\n";
  return 1;
}

using Families = std::vector<std::unique_ptr<Family>>;

static std::string familyNames(const Families &families) {
  std::string names;
  for (const auto &family : families)
    names += (names.empty() ? "" : ", ") + family->name().str();
  return names;
}

static void printHelp(const Families &families) {
  llvm::outs() << "usage: poly-kernel FAMILY [--option=value...] [-o FILE]\n"
                  "Writes a kernel as MLIR; - or no FILE is standard output. "
                  "Families and their options:\n";
  for (const auto &family : families) {
    llvm::outs() << "\n" << family->name() << ": " << family->summary() << "\n";
    OptionSet set;
    family->declare(set);
    set.print(llvm::outs());
  }
}

/// Takes `-o FILE` out of \p arguments. Returns what is wrong, or "".
static std::string takeOutput(std::vector<llvm::StringRef> &arguments,
                              llvm::StringRef &output) {
  for (size_t i = 0; i < arguments.size();) {
    if (arguments[i] != "-o") {
      ++i;
      continue;
    }
    if (i + 1 == arguments.size())
      return "-o needs a file name";
    output = arguments[i + 1];
    arguments.erase(arguments.begin() + std::ptrdiff_t(i),
                    arguments.begin() + std::ptrdiff_t(i) + 2);
  }
  return "";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Families families = createFamilies();
  std::vector<llvm::StringRef> arguments(argv + 1, argv + argc);
  if (arguments.empty())
    return fail("name a family of kernels: " + familyNames(families) +
                "; --help lists their options");
  for (llvm::StringRef argument : arguments)
    if (argument == "--help" || argument == "-h") {
      printHelp(families);
      return 0;
    }
  llvm::StringRef name = arguments.front();
  arguments.erase(arguments.begin());
  auto found =
      std::find_if(families.begin(), families.end(),
                   [&](const auto &family) { return family->name() == name; });
  if (found == families.end())
    return fail("unknown family '" + name + "'; families are " +
                familyNames(families));
  Family &family = **found;

  llvm::StringRef output = "-";
  OptionSet set;
  family.declare(set);
  if (std::string problem = takeOutput(arguments, output); !problem.empty())
    return fail(problem);
  if (std::string problem = set.parse(arguments); !problem.empty())
    return fail(name + ": " + problem);
  if (std::string problem = family.validate(); !problem.empty())
    return fail(name + ": " + problem);

  mlir::MLIRContext context;
  context.loadDialect<mlir::poly::PolyDialect>(); // Verifies `poly.kernel`.
  mlir::OwningOpRef<mlir::ModuleOp> module = family.build(context);
  if (mlir::failed(mlir::verify(*module)))
    return fail("the kernel is invalid; this is a mistake in its builder");
  if (llvm::Error error =
          llvm::writeToOutput(output, [&](llvm::raw_ostream &os) {
            module->print(os);
            os << "\n";
            return llvm::Error::success();
          }))
    return fail("cannot write '" + output +
                "': " + llvm::toString(std::move(error)));
  return 0;
}
