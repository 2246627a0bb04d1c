//===- LLVMIR.h - LLVM IR into the passes and back -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM IR of a GPU compiler (CUDA C++ from clang, Triton's .llir) is imported
/// into the LLVM dialect, where the passes run, and comes back function by
/// function: a function that a pass rewrote gets its new body grafted into the
/// module that was read. Everything else in that module, from kernel metadata
/// to functions in which nothing was found, never takes the detour and stays
/// as it was.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_CONVERSION_LLVMIR_H
#define POLY_CONVERSION_LLVMIR_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::poly {

/// Whether a file of this name holds LLVM IR: *.ll, *.llir (Triton) or *.bc.
bool isLLVMIRPath(llvm::StringRef path);

/// A module of LLVM IR with its form in the LLVM dialect.
class LLVMIRModule {
public:
  /// Reads textual IR or bitcode. Without a target triple (as Triton writes
  /// it), a module that defines a ptx_kernel is taken for NVPTX code.
  static llvm::Expected<LLVMIRModule> import(llvm::MemoryBufferRef buffer,
                                             MLIRContext &context);

  /// The module for the passes.
  ModuleOp module() { return *imported; }

  /// The chip that the functions were compiled for (their target-cpu), or "".
  std::string chip() const;

  /// Replaces the bodies of the functions \p names by those that module() has
  /// now; all of its ops must be in the LLVM dialect. Calling conventions,
  /// attributes, debug locations, address spaces and module metadata stay.
  llvm::Error graft(llvm::ArrayRef<std::string> names);

  /// The module as it is after graft().
  llvm::Module &llvmModule() { return *original; }
  /// As text, or as bitcode.
  std::string print(bool bitcode = false) const;

private:
  std::unique_ptr<llvm::LLVMContext> llvmContext;
  std::unique_ptr<llvm::Module> original;
  OwningOpRef<ModuleOp> imported;
};

/// The functions of \p module that the planner put a program into, between
/// poly-plan and poly-expand.
llvm::SmallVector<std::string> plannedFunctions(ModuleOp module);

/// Adds the upstream passes that bring what the expansion left of vector and
/// arith in LLVM-dialect functions to the LLVM dialect.
void addLowerToLLVMPasses(OpPassManager &pm);

} // namespace mlir::poly

#endif // POLY_CONVERSION_LLVMIR_H
