//===- poly-compile.cpp - MLIR or LLVM IR in, PTX, cubin or LLVM IR out ---===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Conversion/LLVMIR.h"
#include "poly/Conversion/LowerToNVVM.h"
#include "poly/Conversion/ToPTX.h"
#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Pipelines/Pipelines.h"
#include "poly/Target/Target.h"
#include "poly/Transforms/Passes.h"
#include "poly/Transforms/Report.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <cstdlib>

using namespace mlir;
namespace cl = llvm::cl;

static cl::OptionCategory category("poly-compile options");

static cl::opt<std::string>
    inputPath(cl::Positional, cl::desc("IN.mlir, IN.ll, IN.llir or IN.bc"),
              cl::Required, cl::cat(category));
static cl::opt<std::string>
    outputPath("o",
               cl::desc("Output: *.ptx, *.cubin, *.mlir (after the passes), "
                        "*.ll, *.llir or *.bc (from LLVM IR), or - for PTX on "
                        "standard output"),
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
static cl::opt<std::string> tuning(
    "tuning",
    cl::desc("Table of measured times (poly-bench tune) that decides between "
             "accurate programs in the kernels it knows"),
    cl::cat(category));
static cl::opt<double> fixMaximum(
    "fix-maximum",
    cl::desc("Replace the running maximum of capped scores by a constant; what "
             "softmax weights multiply is below this number in magnitude, e.g. "
             "1e19; 0 keeps the maximum"),
    cl::init(0), cl::cat(category));
static cl::opt<std::string>
    report("report",
           cl::desc("Write the decisions as JSON; - is standard "
                    "error"),
           cl::cat(category));
static cl::opt<std::string>
    metadataPath("metadata",
                 cl::desc("Write what a host needs to launch the kernels, and "
                          "the decisions, as JSON; - is standard error"),
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
static int writeFile(llvm::StringRef path, llvm::StringRef text) {
  if (llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
        os << text;
        return llvm::Error::success();
      }))
    return fail("cannot write '" + path +
                "': " + llvm::toString(std::move(error)));
  return 0;
}

static int writeOutput(llvm::StringRef text) {
  return writeFile(outputPath, text);
}

/// What becomes the metadata.
struct Description {
  std::vector<mlir::poly::KernelDescription> kernels;
  std::vector<mlir::poly::ReportRow> decisions;
};

/// The image's path for a reader of the metadata: from its folder, if the image
/// is there too.
static std::string imagePath() {
  if (outputPath == "-")
    return "";
  llvm::StringRef image = outputPath;
  if (llvm::sys::path::parent_path(image) ==
      llvm::sys::path::parent_path(metadataPath))
    return llvm::sys::path::filename(image).str();
  llvm::SmallString<128> absolute(image);
  if (llvm::sys::fs::make_absolute(absolute))
    return image.str();
  return absolute.str().str();
}

static std::string metadataText(const Description &description) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("chip", chip.getValue());
    json.attribute("image", imagePath());
    json.attribute("policy", policy.getValue());
    json.attribute("budget", budget.getValue());
    json.attributeArray("programs", [&] {
      for (const std::string &program : programs)
        json.value(program);
    });
    json.attributeArray("kernels", [&] {
      for (const mlir::poly::KernelDescription &kernel : description.kernels)
        mlir::poly::writeKernelJson(kernel, json);
    });
    json.attributeBegin("sites");
    mlir::poly::writeReportRows(description.decisions, json);
    json.attributeEnd();
  });
  json.flush();
  os << "\n";
  return text;
}

/// The metadata goes first, and goes away again if the code cannot be written:
/// it must not describe other code than that beside it.
static int writeWithMetadata(llvm::StringRef code,
                             const Description &description) {
  if (metadataPath.empty())
    return writeOutput(code);
  std::string text = metadataText(description);
  if (metadataPath == "-") {
    llvm::errs() << text;
    return writeOutput(code);
  }
  if (int status = writeFile(metadataPath, text))
    return status;
  int status = writeOutput(code);
  if (status != 0)
    llvm::sys::fs::remove(metadataPath);
  return status;
}

static mlir::poly::ToNVPTXOptions *pipelineOptions(Description &description) {
  auto *options = new mlir::poly::ToNVPTXOptions;
  options->onDecisions = [&](llvm::ArrayRef<mlir::poly::ReportRow> rows) {
    description.decisions.assign(rows.begin(), rows.end());
  };
  options->chip = chip;
  options->features = features;
  options->budget = budget;
  options->policy = policy;
  options->programs =
      std::vector<std::string>(programs.begin(), programs.end());
  options->roundInputs = roundInputs;
  options->tuning = tuning;
  options->fixMaximum = fixMaximum;
  options->report = report;
  options->table = table;
  options->optLevel = optLevel;
  return options;
}

static mlir::poly::ToPTXOptions ptxOptions() {
  return {chip, features, optLevel, libdevice};
}

enum class Output { Ptx, Cubin, Mlir, LLVMIR };

static int writeMlir(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return writeOutput(text);
}

/// Writes PTX, or the cubin that ptxas makes of it.
static int writeCode(llvm::Expected<std::string> ptx, Output output,
                     const Description &description) {
  if (!ptx)
    return fail(llvm::toString(ptx.takeError()));
  if (output == Output::Ptx)
    return writeWithMetadata(*ptx, description);
  llvm::Expected<std::string> cubin =
      mlir::poly::assembleCubin(*ptx, chip, ptxas);
  if (!cubin)
    return fail(llvm::toString(cubin.takeError()));
  return writeWithMetadata(*cubin, description);
}

/// The chip is in the IR when clang wrote it; a different one would need
/// another compilation from the source.
static std::string adoptChip(const mlir::poly::LLVMIRModule &input) {
  std::string compiled = input.chip();
  if (compiled.empty() || compiled == chip)
    return "";
  if (chip.getNumOccurrences() != 0)
    return "the input was compiled for " + compiled + ", not for " + chip +
           "; compile it for " + chip + ", or drop --chip";
  if (!::poly::findTarget(std::string_view(compiled)))
    return "the input was compiled for the unknown chip '" + compiled +
           "'; known chips are " + ::poly::knownChips();
  chip = compiled;
  return mlir::poly::checkFeatures(chip, features);
}

static int compileLLVMIR(const llvm::MemoryBuffer &file, MLIRContext &context,
                         Output output) {
  llvm::Expected<mlir::poly::LLVMIRModule> input =
      mlir::poly::LLVMIRModule::import(file.getMemBufferRef(), context);
  if (!input)
    return fail(llvm::toString(input.takeError()));
  if (std::string problem = adoptChip(*input); !problem.empty())
    return fail(problem);

  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  Description description;
  std::unique_ptr<mlir::poly::ToNVPTXOptions> options(
      pipelineOptions(description));
  PassManager choose(&context);
  mlir::poly::buildChoosePipeline(choose, *options);
  if (failed(choose.run(input->module())))
    return 1;
  llvm::SmallVector<std::string> planned =
      mlir::poly::plannedFunctions(input->module());
  PassManager write(&context);
  mlir::poly::PolyExpandOptions expand;
  expand.chip = chip;
  write.addPass(mlir::poly::createPolyExpand(expand));
  if (output != Output::Mlir)
    mlir::poly::addLowerToLLVMPasses(write);
  if (failed(write.run(input->module())))
    return 1;
  if (output == Output::Mlir)
    return writeMlir(input->module());

  if (llvm::Error error = input->graft(planned))
    return fail(llvm::toString(std::move(error)));
  if (output == Output::LLVMIR)
    return writeOutput(
        input->print(/*bitcode=*/llvm::StringRef(outputPath).ends_with(".bc")));
  return writeCode(mlir::poly::emitPTX(input->llvmModule(), ptxOptions(),
                                       &description.kernels),
                   output, description);
}

/// The backend gives up on what the chip does not have; nothing has been
/// written by then.
static void reportFatal(void *, const char *reason, bool) {
  fail(llvm::Twine("LLVM's NVPTX backend cannot compile this for ") + chip +
       ": " + reason +
       "; if the code uses instructions of one chip only, name it with --chip, "
       "e.g. --chip=sm_90a");
  std::_Exit(1);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_fatal_error_handler(reportFatal);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "poly-compile: GPU MLIR or LLVM IR in; PTX, cubin or LLVM IR with "
      "certified programs out\n");

  Output output = Output::Ptx;
  llvm::StringRef path = outputPath;
  if (path.ends_with(".cubin"))
    output = Output::Cubin;
  else if (path.ends_with(".mlir"))
    output = Output::Mlir;
  else if (mlir::poly::isLLVMIRPath(path))
    output = Output::LLVMIR;
  else if (path != "-" && !path.ends_with(".ptx"))
    return fail("cannot tell the format of '" + path +
                "'; name the output *.ptx, *.cubin, *.mlir, *.ll or *.bc");
  bool isLLVMInput = mlir::poly::isLLVMIRPath(inputPath);
  if (output == Output::LLVMIR && !isLLVMInput)
    return fail("LLVM IR is written for LLVM IR that was read; compile MLIR to "
                "*.ptx or *.cubin");
  if (!::poly::findTarget(std::string_view(chip)))
    return fail("unknown chip '" + chip + "'; known chips are " +
                ::poly::knownChips());
  if (std::string problem = mlir::poly::checkFeatures(chip, features);
      !problem.empty())
    return fail(problem);
  if (!report.empty() && report != "-" && report == outputPath)
    return fail("-o and --report name the same file");
  if (!metadataPath.empty()) {
    if (output != Output::Ptx && output != Output::Cubin)
      return fail(
          "--metadata describes compiled code; name the output *.ptx or "
          "*.cubin");
    if (metadataPath != "-" &&
        (metadataPath == outputPath || metadataPath == report))
      return fail("--metadata names the same file as " +
                  llvm::Twine(metadataPath == report ? "--report" : "-o"));
  }
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
  if (isLLVMInput)
    registerAllFromLLVMIRTranslations(registry);
  registry.insert<mlir::poly::PolyDialect>();
  MLIRContext context(registry);
  if (isLLVMInput)
    return compileLLVMIR(*file, context, output);
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

  Description description;
  std::unique_ptr<mlir::poly::ToNVPTXOptions> options(
      pipelineOptions(description));
  PassManager pm(&context);
  if (output == Output::Mlir)
    mlir::poly::buildSubstitutePipeline(pm, *options);
  else
    mlir::poly::buildToNVPTXPipeline(pm, *options);
  if (failed(pm.run(*module)))
    return 1;

  if (output == Output::Mlir)
    return writeMlir(*module);
  return writeCode(
      mlir::poly::translateToPTX(*module, ptxOptions(), &description.kernels),
      output, description);
}
