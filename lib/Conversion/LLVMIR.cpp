//===- LLVMIR.cpp - LLVM IR into the passes and back ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Conversion/LLVMIR.h"

#include "poly/Dialect/Poly/PolyDialect.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/Import.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <map>

using namespace mlir;
using namespace mlir::poly;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

bool mlir::poly::isLLVMIRPath(llvm::StringRef path) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  return extension == ".ll" || extension == ".llir" || extension == ".bc";
}

//===----------------------------------------------------------------------===//
// What the import loses
//===----------------------------------------------------------------------===//

// The LLVM dialect has no place for the attributes of an inline-assembly call
// (`convergent` above all) or for its source location. They are restored on the
// grafted call. One with side effects is found again by a comment that its
// assembly carries through the passes, one without by its text: equal pure
// assembly is one function.

static constexpr llvm::StringLiteral kTag = " // poly.asm.";

namespace {
struct CallExtras {
  llvm::AttributeList attributes;
  SmallVector<std::pair<unsigned, llvm::MDNode *>> metadata;

  explicit CallExtras(const llvm::CallBase &call)
      : attributes(call.getAttributes()) {
    call.getAllMetadataOtherThanDebugLoc(metadata);
  }
  void restore(llvm::CallBase &call) const {
    call.setAttributes(attributes);
    for (auto [kind, node] : metadata)
      call.setMetadata(kind, node);
  }
};

struct AsmExtras {
  SmallVector<CallExtras> effects; ///< In the order of their tags.
  std::map<std::pair<std::string, std::string>, CallExtras> pure;
};
} // namespace

/// Calls \p fn for each call of inline assembly in \p module, in an order that
/// a clone of the module shares.
template <typename Fn>
static void forEachAsm(llvm::Module &module, Fn fn) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = dyn_cast<llvm::CallBase>(&instruction))
        if (auto *code = dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
          fn(*call, *code);
}

static void setAsmText(llvm::CallBase &call, const llvm::InlineAsm &code,
                       llvm::StringRef text) {
  call.setCalledOperand(llvm::InlineAsm::get(
      code.getFunctionType(), text, code.getConstraintString(),
      code.hasSideEffects(), code.isAlignStack(), code.getDialect(),
      code.canThrow()));
}

static void tagAsm(llvm::Module &module) {
  unsigned tag = 0;
  forEachAsm(module, [&](llvm::CallBase &call, llvm::InlineAsm &code) {
    if (code.hasSideEffects())
      setAsmText(call, code,
                 (code.getAsmString() + kTag + llvm::Twine(tag++)).str());
  });
}

static AsmExtras collectAsm(llvm::Module &module) {
  AsmExtras extras;
  forEachAsm(module, [&](llvm::CallBase &call, llvm::InlineAsm &code) {
    if (code.hasSideEffects())
      extras.effects.emplace_back(call);
    else
      extras.pure.try_emplace({std::string(code.getAsmString()),
                               std::string(code.getConstraintString())},
                              call);
  });
  return extras;
}

static void restoreAsm(llvm::Function &function, const AsmExtras &extras) {
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *call = dyn_cast<llvm::CallBase>(&instruction);
    auto *code =
        call ? dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
    if (!code)
      continue;
    llvm::StringRef text = code->getAsmString();
    auto [body, number] = text.rsplit(kTag);
    unsigned tag = 0;
    if (!number.empty() && !number.getAsInteger(10, tag) &&
        tag < extras.effects.size()) {
      extras.effects[tag].restore(*call);
      setAsmText(*call, *code, body);
      continue;
    }
    auto it = extras.pure.find({text.str(), code->getConstraintString().str()});
    if (it != extras.pure.end()) {
      it->second.restore(*call);
    } else if (!code->hasSideEffects()) {
      // Ours: a single instruction over registers.
      call->setDoesNotThrow();
      call->setDoesNotAccessMemory();
    }
  }
}

namespace {
/// The exporter's copy of an identified struct has a number appended to the
/// name, because both live in one context.
class StructRemapper : public llvm::ValueMapTypeRemapper {
public:
  llvm::Type *remapType(llvm::Type *type) override {
    if (auto *array = dyn_cast<llvm::ArrayType>(type))
      return llvm::ArrayType::get(remapType(array->getElementType()),
                                  array->getNumElements());
    auto *structType = dyn_cast<llvm::StructType>(type);
    if (!structType || !structType->hasName())
      return type;
    auto [base, number] = structType->getName().rsplit('.');
    unsigned value = 0;
    if (number.getAsInteger(10, value))
      return type;
    auto *named = llvm::StructType::getTypeByName(type->getContext(), base);
    return named && named->isLayoutIdentical(structType) ? named : type;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

namespace {
/// Runs passes over functions, with the analyses that they need.
class FunctionPasses {
public:
  FunctionPasses() {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
  }
  template <typename Pass>
  void add(Pass pass) {
    passes.addPass(std::move(pass));
  }
  void run(llvm::Function &function) { passes.run(function, functions); }

private:
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  llvm::FunctionPassManager passes;
};
} // namespace

/// What __nvvm_reflect("__CUDA_FTZ") gives: libdevice asks whether subnormals
/// are flushed, and the back end answers from a flag of the module.
static bool answerReflect(llvm::Module &module) {
  llvm::Function *reflect = module.getFunction("__nvvm_reflect");
  if (!reflect)
    return false;
  auto *flag = llvm::mdconst::extract_or_null<llvm::ConstantInt>(
      module.getModuleFlag("nvvm-reflect-ftz"));
  bool changed = false;
  for (llvm::User *user : llvm::make_early_inc_range(reflect->users())) {
    auto *call = dyn_cast<llvm::CallInst>(user);
    llvm::StringRef question;
    if (!call || call->arg_size() != 1 ||
        !llvm::getConstantStringInfo(call->getArgOperand(0), question) ||
        question != "__CUDA_FTZ")
      continue;
    call->replaceAllUsesWith(llvm::ConstantInt::get(
        call->getType(), flag ? flag->getZExtValue() : 0));
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}

/// Brings what is imported into the form that the passes read. Functions in
/// which nothing is replaced are not written back.
static void prepare(llvm::Module &module) {
  if (!answerReflect(module))
    return;
  FunctionPasses passes;
  passes.add(llvm::InstSimplifyPass());
  passes.add(llvm::SimplifyCFGPass());
  passes.add(llvm::EarlyCSEPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function);
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

static llvm::Error checkTriple(const llvm::Module &module,
                               llvm::StringRef name) {
  const llvm::Triple &triple = module.getTargetTriple();
  if (triple.isNVPTX())
    return llvm::Error::success();
  if (!triple.empty())
    return makeError(name + ": its target is " + triple.str() +
                     ", but poly works on GPU code; compile it for "
                     "nvptx64-nvidia-cuda (clang: --cuda-device-only)");
  if (llvm::any_of(module, [](const llvm::Function &function) {
        return function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
      }))
    return llvm::Error::success();
  return makeError(name + ": it has neither a target triple nor a ptx_kernel "
                          "function, so nothing says that it is GPU code; add "
                          "target triple = \"nvptx64-nvidia-cuda\"");
}

llvm::Expected<LLVMIRModule> LLVMIRModule::import(llvm::MemoryBufferRef buffer,
                                                  MLIRContext &context) {
  LLVMIRModule result;
  result.llvmContext = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  result.original = llvm::parseIR(buffer, diagnostic, *result.llvmContext);
  if (!result.original) {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostic.print(nullptr, os, /*ShowColors=*/false);
    return makeError(llvm::StringRef(text).trim());
  }
  std::string name = buffer.getBufferIdentifier().str();
  if (llvm::Error error = checkTriple(*result.original, name))
    return error;
  // Symbols are what the graft connects the two modules by.
  for (llvm::GlobalValue &value : result.original->global_values())
    if (!value.hasName())
      value.setName("unnamed");

  std::unique_ptr<llvm::Module> clone = llvm::CloneModule(*result.original);
  clone->setTargetTriple(llvm::Triple("nvptx64-nvidia-cuda"));
  prepare(*clone);
  tagAsm(*clone);
  context.loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect, DLTIDialect>();
  {
    // Warnings tell of what the importer leaves out; it stays in `original`.
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() == DiagnosticSeverity::Warning);
    });
    result.imported =
        translateLLVMIRToModule(std::move(clone), &context,
                                /*emitExpensiveWarnings=*/false,
                                /*dropDICompositeTypeElements=*/false,
                                /*loadAllDialects=*/false);
  }
  if (!result.imported)
    return makeError(name + ": cannot be imported into MLIR's LLVM dialect");
  return result;
}

std::string LLVMIRModule::chip() const {
  for (const llvm::Function &function : *original)
    if (!function.isDeclaration() && function.hasFnAttribute("target-cpu"))
      return function.getFnAttribute("target-cpu").getValueAsString().str();
  return "";
}

//===----------------------------------------------------------------------===//
// Graft
//===----------------------------------------------------------------------===//

/// The value of \p to that stands for the symbol \p value of another module.
static llvm::GlobalValue *mapSymbol(llvm::Module &to,
                                    llvm::GlobalValue &value) {
  if (llvm::GlobalValue *known = to.getNamedValue(value.getName()))
    return known;
  // Only declarations are new: of the intrinsics that programs use.
  auto *function = dyn_cast<llvm::Function>(&value);
  if (!function)
    return nullptr;
  auto *declared = llvm::Function::Create(function->getFunctionType(),
                                          llvm::GlobalValue::ExternalLinkage,
                                          function->getName(), &to);
  declared->copyAttributesFrom(function);
  return declared;
}

static void mapDebugInfo(llvm::ValueToValueMapTy &map,
                         const llvm::Function &from, const llvm::Function &to) {
  llvm::DISubprogram *theirs = from.getSubprogram();
  llvm::DISubprogram *ours = to.getSubprogram();
  if (!theirs || !ours)
    return;
  map.MD()[theirs].reset(ours);
  if (theirs->getUnit() && ours->getUnit())
    map.MD()[theirs->getUnit()].reset(ours->getUnit());
}

/// Removes what the graft left without a use, such as both arms of a branch
/// whose merged value is computed by a program now.
static void tidy(llvm::ArrayRef<llvm::Function *> functions) {
  FunctionPasses passes;
  passes.add(llvm::EarlyCSEPass());
  passes.add(llvm::ADCEPass());
  passes.add(llvm::SimplifyCFGPass());
  for (llvm::Function *function : functions)
    passes.run(*function);
}

llvm::Error LLVMIRModule::graft(llvm::ArrayRef<std::string> names) {
  if (names.empty())
    return llvm::Error::success();
  std::unique_ptr<llvm::Module> exported =
      translateModuleToLLVMIR(*imported, *llvmContext);
  if (!exported)
    return makeError("translation to LLVM IR failed");

  AsmExtras extras = collectAsm(*original);
  StructRemapper types;
  llvm::ValueToValueMapTy map;
  for (llvm::GlobalValue &value : exported->global_values())
    if (llvm::GlobalValue *symbol = mapSymbol(*original, value))
      map[&value] = symbol;
  for (llvm::Function &from : *exported)
    if (const llvm::Function *to = original->getFunction(from.getName()))
      mapDebugInfo(map, from, *to);

  SmallVector<llvm::Function *> changed;
  for (const std::string &name : names) {
    llvm::Function *from = exported->getFunction(name);
    llvm::Function *to = original->getFunction(name);
    if (!from || !to)
      return makeError("function '" + name + "' was lost by the passes");
    // deleteBody() drops these with the body.
    SmallVector<std::pair<unsigned, llvm::MDNode *>> metadata;
    to->getAllMetadata(metadata);
    llvm::GlobalValue::LinkageTypes linkage = to->getLinkage();
    auto visibility = to->getVisibility();
    llvm::Comdat *comdat = to->getComdat();
    bool isLocal = to->isDSOLocal();
    to->deleteBody();
    to->setLinkage(linkage);
    to->setVisibility(visibility);
    to->setComdat(comdat);
    to->setDSOLocal(isLocal);
    to->splice(to->begin(), from);
    for (auto [theirs, ours] : llvm::zip_equal(from->args(), to->args()))
      map[&theirs] = &ours;
    llvm::RemapFunction(*to, map, llvm::RF_IgnoreMissingLocals, &types);
    for (auto [kind, node] : metadata)
      to->setMetadata(kind, node);
    restoreAsm(*to, extras);
    changed.push_back(to);
  }
  exported.reset();

  std::string problem;
  llvm::raw_string_ostream os(problem);
  if (llvm::verifyModule(*original, &os))
    return makeError("the grafted module is broken: " + problem);
  tidy(changed);
  return llvm::Error::success();
}

std::string LLVMIRModule::print(bool bitcode) const {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  if (bitcode) {
    llvm::WriteBitcodeToFile(*original, os);
    return text.str().str();
  }
  // For readers of another age, as the LLVM in Triton: reading gives intrinsics
  // their attributes, not all of which it may know, so they are not written;
  // and every reader takes the older name of an intrinsic.
  std::unique_ptr<llvm::Module> clone = llvm::CloneModule(*original);
  for (llvm::Function &function : *clone) {
    if (!function.isIntrinsic())
      continue;
    function.setAttributes(llvm::AttributeList());
    llvm::StringRef name = function.getName();
    if (name == "llvm.nvvm.ex2.approx.f32" ||
        name == "llvm.nvvm.ex2.approx.ftz.f32")
      function.setName(name.drop_back(2).str());
  }
  clone->print(os, nullptr);
  return text.str().str();
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

llvm::SmallVector<std::string> mlir::poly::plannedFunctions(ModuleOp module) {
  llvm::SmallVector<std::string> names;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    WalkResult walk = function.walk([](Operation *op) {
      return isa<ApplyOp>(op) || op->hasAttr("program")
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      names.push_back(function.getName().str());
  }
  return names;
}

void mlir::poly::addLowerToLLVMPasses(OpPassManager &pm) {
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}
