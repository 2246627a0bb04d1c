//===- DeviceCode.cpp - Which code runs on the GPU ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Transforms/DeviceCode.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::poly {

bool isSymbolTable(Operation *op) {
  return SymbolTable::getNearestSymbolTable(op) == op;
}

bool isIsolated(Operation *op) {
  return isa<FunctionOpInterface>(op) || isSymbolTable(op);
}

bool isTerminator(Operation *op) {
  Block *block = op->getBlock();
  return block && block->mightHaveTerminator() && block->getTerminator() == op;
}

namespace {

/// Whether the symbol table \p op holds device code, host code, or what the
/// op around it holds (nullopt).
std::optional<bool> holdsDeviceCode(Operation *op) {
  if (isa<gpu::GPUModuleOp>(op))
    return true;
  auto triple = op->getAttrOfType<StringAttr>(
      LLVM::LLVMDialect::getTargetTripleAttrName());
  if (!triple || triple.getValue().empty())
    return std::nullopt;
  return triple.getValue().starts_with("nvptx");
}

/// Kernels say so themselves, wherever they are.
bool isKernel(Operation *op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  return function && (function.getCConv() == LLVM::CConv::PTX_Kernel ||
                      op->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()));
}

void collect(Operation *op, bool isDevice,
             llvm::SmallVector<Operation *> &roots) {
  if (isa<gpu::LaunchOp>(op)) {
    roots.push_back(op);
    return;
  }
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    if (isDevice || isKernel(op)) {
      if (!function.isExternal())
        roots.push_back(op);
      return;
    }
  } else if (isSymbolTable(op)) {
    isDevice = holdsDeviceCode(op).value_or(isDevice);
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &nested : block)
        if (nested.getNumRegions() != 0)
          collect(&nested, isDevice, roots);
}

/// Whether \p op lies inside device code, by what is around it.
bool isInsideDeviceCode(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<gpu::LaunchOp>(parent) || isKernel(parent))
      return true;
    if (isSymbolTable(parent))
      if (std::optional<bool> holds = holdsDeviceCode(parent))
        return *holds;
  }
  return false;
}

} // namespace

llvm::SmallVector<Operation *> collectDeviceRoots(Operation *op) {
  llvm::SmallVector<Operation *> roots;
  bool isInside = isInsideDeviceCode(op);
  // A module nested in device code is a container still.
  if (isInside && !isSymbolTable(op))
    roots.push_back(op);
  else
    collect(op, isInside, roots);
  return roots;
}

llvm::SmallVector<llvm::SmallVector<Operation *, 1>>
collectDeviceGroups(Operation *op) {
  llvm::MapVector<Operation *, llvm::SmallVector<Operation *, 1>> groups;
  for (Operation *root : collectDeviceRoots(op)) {
    Operation *isolated = root;
    while (isolated->getParentOp() && !isIsolated(isolated))
      isolated = isolated->getParentOp();
    groups[isolated].push_back(root);
  }
  llvm::SmallVector<llvm::SmallVector<Operation *, 1>> result;
  for (auto &group : groups)
    result.push_back(std::move(group.second));
  return result;
}

bool hasInherited(Operation *op, llvm::StringRef name) {
  for (; op; op = op->getParentOp())
    if (op->hasAttr(name))
      return true;
  return false;
}

} // namespace mlir::poly
