//===- poly-compile.cpp - MLIR in, PTX or cubin out -----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Conversion/LowerToNVVM.h"
#include "poly/Conversion/ToPTX.h"
#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Pipelines/Pipelines.h"
#include "poly/Target/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
namespace cl = llvm::cl;

static cl::OptionCategory category("poly-compile options");

static cl::opt<std::string> inputPath(cl::Positional, cl::desc("IN.mlir"),
                                      cl::Required, cl::cat(category));
static cl::opt<std::string>
    outputPath("o",
               cl::desc("Output: *.ptx, *.cubin, *.mlir (after the "
                        "passes), or - for PTX on standard output"),
               cl::init("-"), cl::cat(category));
static cl::opt<std::string> chip("chip", cl::desc("GPU, e.g. sm_90"),
                                 cl::init("sm_90"), cl::cat(category));
static cl::opt<std::string> features("features",
                                     cl::desc("NVPTX features, e.g. +ptx84"),
                                     cl::cat(category));
static cl::opt<std::string>
    budget("budget",
           cl::desc("Required accuracy: atol=, rtol=, ulps=, joined by ','"),
           cl::cat(category));
static cl::opt<std::string> policy("policy",
                                   cl::desc("strict (default), opt-in or off"),
                                   cl::init("strict"), cl::cat(category));
static cl::list<std::string>
    programs("programs", cl::CommaSeparated,
             cl::desc("Programs to use: names, or .json files"),
             cl::cat(category));
static cl::opt<bool>
    roundInputs("round-inputs",
                cl::desc("Allow f32 arguments to be rounded to 16 bits"),
                cl::cat(category));
static cl::opt<std::string>
    report("report",
           cl::desc("Write the decisions as JSON; - is standard "
                    "error"),
           cl::cat(category));
static cl::opt<bool> table("table",
                           cl::desc("Print the decisions as a table on "
                                    "standard error"),
                           cl::cat(category));
static cl::opt<unsigned> optLevel("O", cl::Prefix,
                                  cl::desc("LLVM optimisation level"),
                                  cl::init(3), cl::cat(category));
static cl::opt<std::string> libdevice("libdevice",
                                      cl::desc("Path of libdevice.10.bc"),
                                      cl::cat(category));
static cl::opt<std::string> ptxas("ptxas", cl::desc("Path of ptxas"),
                                  cl::cat(category));

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "poly-compile") << message << "\n";
  return 1;
}

/// Writes the whole file or nothing.
static int writeOutput(llvm::StringRef text) {
  if (llvm::Error error =
          llvm::writeToOutput(outputPath, [&](llvm::raw_ostream &os) {
            os << text;
            return llvm::Error::success();
          }))
    return fail("cannot write '" + outputPath +
                "': " + llvm::toString(std::move(error)));
  return 0;
}

static mlir::poly::ToNVPTXOptions *pipelineOptions() {
  auto *options = new mlir::poly::ToNVPTXOptions;
  options->chip = chip;
  options->features = features;
  options->budget = budget;
  options->policy = policy;
  options->programs =
      std::vector<std::string>(programs.begin(), programs.end());
  options->roundInputs = roundInputs;
  options->report = report;
  options->table = table;
  options->optLevel = optLevel;
  return options;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "poly-compile: GPU MLIR in, PTX or cubin with certified programs out\n");

  enum class Output { Ptx, Cubin, Mlir } output = Output::Ptx;
  llvm::StringRef path = outputPath;
  if (path.ends_with(".cubin"))
    output = Output::Cubin;
  else if (path.ends_with(".mlir"))
    output = Output::Mlir;
  else if (path != "-" && !path.ends_with(".ptx"))
    return fail("cannot tell the format of '" + path +
                "'; name the output *.ptx, *.cubin or *.mlir");
  if (!::poly::findTarget(std::string_view(chip)))
    return fail("unknown chip '" + chip + "'; known chips are " +
                ::poly::knownChips());
  if (std::string problem = mlir::poly::checkFeatures(chip, features);
      !problem.empty())
    return fail(problem);
  if (!report.empty() && report != "-" && report == outputPath)
    return fail("-o and --report name the same file");
  if (optLevel > 3)
    return fail("-O takes 0 to 3");

  std::string message;
  auto file = openInputFile(inputPath, &message);
  if (!file)
    return fail(message);

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registry.insert<mlir::poly::PolyDialect>();
  MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);

  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1; // The parser has said where and why.

  WalkResult nested = module->walk([&](gpu::GPUModuleOp gpuModule) {
    if (gpuModule->getParentOp() == module->getOperation())
      return WalkResult::advance();
    gpuModule.emitError("inside another module; poly-compile takes gpu.modules "
                        "at the top level, so move it there");
    return WalkResult::interrupt();
  });
  if (nested.wasInterrupted())
    return 1;

  std::unique_ptr<mlir::poly::ToNVPTXOptions> options(pipelineOptions());
  PassManager pm(&context);
  if (output == Output::Mlir)
    mlir::poly::buildSubstitutePipeline(pm, *options);
  else
    mlir::poly::buildToNVPTXPipeline(pm, *options);
  if (failed(pm.run(*module)))
    return 1;

  if (output == Output::Mlir) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return writeOutput(text);
  }
  mlir::poly::ToPTXOptions ptxOptions{chip, features, optLevel, libdevice};
  llvm::Expected<std::string> ptx =
      mlir::poly::translateToPTX(*module, ptxOptions);
  if (!ptx)
    return fail(llvm::toString(ptx.takeError()));
  if (output == Output::Ptx)
    return writeOutput(*ptx);
  llvm::Expected<std::string> cubin =
      mlir::poly::assembleCubin(*ptx, chip, ptxas);
  if (!cubin)
    return fail(llvm::toString(cubin.takeError()));
  return writeOutput(*cubin);
}
