//===- DeviceCode.h - Which code runs on the GPU ---------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_DEVICECODE_H
#define POLY_TRANSFORMS_DEVICECODE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::poly {

/// The device-code roots nested in (or equal to) \p op, in program order:
/// function-like ops inside a gpu.module, gpu.launch ops in host code,
/// function-like ops of a module whose llvm.target_triple is nvptx, and LLVM
/// functions that say themselves that they are kernels (nvvm.kernel or
/// ptx_kernelcc). No root contains another, but launches of one host function
/// may capture the same values. When \p op itself lies inside device code it is
/// a root.
llvm::SmallVector<Operation *> collectDeviceRoots(Operation *op);

/// The roots of collectDeviceRoots(), grouped by the isolated op around them:
/// launches of one host function may capture the same values, whose use lists
/// are not safe to change from two threads. Groups may run in parallel.
llvm::SmallVector<llvm::SmallVector<Operation *, 1>>
collectDeviceGroups(Operation *op);

// Traits are not asked for through Operation::hasTrait: the identity of a trait
// is a name that each compiler spells its own way, so a plugin built by another
// compiler than MLIR would never find one.

/// True for modules, gpu.modules and other ops with a symbol table.
bool isSymbolTable(Operation *op);

/// True for functions and symbol tables, which no value enters from outside.
bool isIsolated(Operation *op);

/// True for the terminator of a block.
bool isTerminator(Operation *op);

/// True when \p op, a parent function or a parent module carries the unit
/// attribute \p name.
bool hasInherited(Operation *op, llvm::StringRef name);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_DEVICECODE_H
