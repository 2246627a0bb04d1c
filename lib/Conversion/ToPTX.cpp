//===- ToPTX.cpp - Lowered gpu.modules to PTX and cubin -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Conversion/ToPTX.h"

#include "poly/Conversion/LowerToNVVM.h"
#include "poly/Dialect/Poly/PolyDialect.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

using namespace mlir;
using mlir::poly::KernelDescription;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The CUDA folders that may hold tools and libdevice.
static SmallVector<std::string> cudaRoots() {
  SmallVector<std::string> roots;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto value = llvm::sys::Process::GetEnv(variable))
      roots.push_back(*value);
  roots.push_back("/usr/local/cuda");
  return roots;
}

static std::string findLibdevice(llvm::StringRef given) {
  if (!given.empty())
    return given.str();
  for (const std::string &root : cudaRoots()) {
    SmallString<128> path(root);
    llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const mlir::poly::ToPTXOptions &options,
                    llvm::Error &error) {
  static std::once_flag initialised;
  std::call_once(initialised, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target) {
    error = makeError("this LLVM has no NVPTX back end: " + message);
    return nullptr;
  }
  std::string features = options.features.empty()
                             ? mlir::poly::defaultFeatures(options.chip)
                             : options.features;
  auto level = static_cast<llvm::CodeGenOptLevel>(
      std::min<unsigned>(options.optLevel, 3));
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, options.chip, features, llvm::TargetOptions(), std::nullopt,
      std::nullopt, level));
}

/// Links the libdevice functions that the module calls and hides them.
static llvm::Error linkLibdevice(llvm::Module &module,
                                 const mlir::poly::ToPTXOptions &options) {
  std::string needed;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      needed = function.getName().str();
  if (needed.empty())
    return llvm::Error::success();
  std::string path = findLibdevice(options.libdevice);
  if (path.empty())
    return makeError("the code calls " + needed +
                     ", but libdevice.10.bc was not found; install a CUDA "
                     "toolkit, set CUDA_HOME, or pass --libdevice=PATH");
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library =
      llvm::parseIRFile(path, diagnostic, module.getContext());
  if (!library)
    return makeError("cannot read " + path + ": " + diagnostic.getMessage());
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(
          module, std::move(library), llvm::Linker::Flags::LinkOnlyNeeded,
          [](llvm::Module &linked, const llvm::StringSet<> &imported) {
            llvm::internalizeModule(
                linked, [&](const llvm::GlobalValue &value) {
                  return !value.hasName() ||
                         !imported.contains(value.getName());
                });
          }))
    return makeError("cannot link " + path);
  return llvm::Error::success();
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned optLevel) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel level = levels[std::min<unsigned>(optLevel, 3)];
  llvm::ModulePassManager passes =
      level == llvm::OptimizationLevel::O0
          ? builder.buildO0DefaultPipeline(level)
          : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

/// Line tables alone must not cost speed: ptxas does not optimise a module
/// whose target says `debug`, which the back end writes for them too.
static std::string withoutDebugTarget(std::string ptx,
                                      const llvm::Module &module) {
  for (const llvm::DICompileUnit *unit : module.debug_compile_units())
    if (unit->getEmissionKind() == llvm::DICompileUnit::FullDebug)
      return ptx;
  size_t line = ptx.find("\n.target ");
  size_t end = line == std::string::npos ? line : ptx.find('\n', line + 1);
  size_t flag = line == std::string::npos ? line : ptx.find(", debug", line);
  if (flag < end)
    ptx.erase(flag, llvm::StringRef(", debug").size());
  return ptx;
}

/// Adds what LLVM IR has no place for: the notes of the kernel's author, and
/// that a block size is the only one, of which LLVM IR keeps that it is the
/// largest.
static void addAuthorsNotes(ModuleOp module,
                            std::vector<KernelDescription> &kernels) {
  llvm::StringMap<LLVM::LLVMFuncOp> functions;
  module.walk([&](LLVM::LLVMFuncOp function) {
    functions[function.getSymName()] = function;
  });
  auto blockSizeName = module.getContext()
                           ->getLoadedDialect<gpu::GPUDialect>()
                           ->getKnownBlockSizeAttrHelper()
                           .getName();
  for (KernelDescription &kernel : kernels) {
    LLVM::LLVMFuncOp function = functions.lookup(kernel.name);
    if (!function)
      continue;
    kernel.info = function->getAttrOfType<DictionaryAttr>(
        mlir::poly::PolyDialect::kKernelAttr);
    auto known = function->getAttrOfType<DenseI32ArrayAttr>(blockSizeName);
    if (known && kernel.blockSize.empty())
      kernel.blockSize.assign(known.asArrayRef().begin(),
                              known.asArrayRef().end());
  }
}

llvm::Expected<std::string>
mlir::poly::translateToPTX(ModuleOp module, const ToPTXOptions &options,
                           std::vector<KernelDescription> *kernels) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> linked;
  WalkResult walk = module.walk([&](gpu::GPUModuleOp gpuModule) {
    std::unique_ptr<llvm::Module> translated =
        translateModuleToLLVMIR(gpuModule, context, gpuModule.getName());
    if (!translated)
      return WalkResult::interrupt();
    if (!linked) {
      linked = std::move(translated);
    } else if (llvm::Linker::linkModules(*linked, std::move(translated))) {
      gpuModule.emitError("cannot be linked with the gpu.modules before it: "
                          "give symbols of different modules different names");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return makeError("translation to LLVM IR failed");
  if (!linked)
    return makeError("the input has no gpu.module, so there is no device code "
                     "to compile");

  llvm::Expected<std::string> ptx = emitPTX(*linked, options, kernels);
  if (ptx && kernels)
    addAuthorsNotes(module, *kernels);
  return ptx;
}

llvm::Expected<std::string>
mlir::poly::emitPTX(llvm::Module &module, const ToPTXOptions &options,
                    std::vector<KernelDescription> *kernels) {
  llvm::Error error = llvm::Error::success();
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(options, error);
  if (error)
    return error;
  if (!machine)
    return makeError("cannot create the NVPTX target machine");
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  if (kernels)
    *kernels = describeKernels(module);
  if (llvm::Error linkError = linkLibdevice(module, options))
    return linkError;
  optimise(module, *machine, options.optLevel);

  llvm::SmallString<0> text;
  {
    llvm::raw_svector_ostream os(text);
    llvm::legacy::PassManager codegen;
    if (machine->addPassesToEmitFile(codegen, os, nullptr,
                                     llvm::CodeGenFileType::AssemblyFile))
      return makeError("the NVPTX back end cannot emit PTX");
    codegen.run(module);
  }
  return withoutDebugTarget(text.str().str(), module);
}

/// Looks for ptxas where CUDA installs it.
static std::string findPtxas(llvm::StringRef given) {
  if (!given.empty())
    return given.str();
  if (auto onPath = llvm::sys::findProgramByName("ptxas"))
    return *onPath;
  for (const std::string &root : cudaRoots()) {
    SmallString<128> path(root);
    llvm::sys::path::append(path, "bin", "ptxas");
    if (llvm::sys::fs::can_execute(path))
      return path.str().str();
  }
  return "";
}

llvm::Expected<std::string> mlir::poly::assembleCubin(llvm::StringRef ptx,
                                                      llvm::StringRef chip,
                                                      llvm::StringRef ptxas) {
  std::string tool = findPtxas(ptxas);
  if (tool.empty())
    return makeError("ptxas was not found; put it on PATH, set CUDA_HOME, pass "
                     "--ptxas=PATH, or write PTX by naming the output *.ptx");

  SmallString<128> ptxPath, cubinPath, logPath;
  for (auto [suffix, path] :
       {std::pair("ptx", &ptxPath), {"cubin", &cubinPath}, {"log", &logPath}})
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("poly", suffix, *path))
      return makeError("cannot create a temporary file: " + code.message());
  llvm::FileRemover removePtx(ptxPath), removeCubin(cubinPath),
      removeLog(logPath);
  if (llvm::Error writeError =
          llvm::writeToOutput(ptxPath, [&](llvm::raw_ostream &os) {
            os << ptx;
            return llvm::Error::success();
          }))
    return writeError;

  std::string arch = ("-arch=" + chip).str();
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), llvm::StringRef(logPath), llvm::StringRef(logPath)};
  std::string message;
  int code =
      llvm::sys::ExecuteAndWait(tool, {tool, arch, "-o", cubinPath, ptxPath},
                                std::nullopt, redirects, 0, 0, &message);
  if (code != 0) {
    if (auto log = llvm::MemoryBuffer::getFile(logPath))
      message += (*log)->getBuffer().trim();
    return makeError(tool + " rejects the PTX for " + chip + ": " + message);
  }
  auto cubin = llvm::MemoryBuffer::getFile(cubinPath, false, false);
  if (!cubin)
    return makeError("cannot read the cubin that ptxas wrote");
  return (*cubin)->getBuffer().str();
}
