//===- Families.h - The kernels that poly-kernel can write -----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TOOLS_POLYKERNEL_FAMILIES_H
#define POLY_TOOLS_POLYKERNEL_FAMILIES_H

#include "Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <vector>

/// A builder of kernels with its options.
class Family {
public:
  virtual ~Family() = default;

  virtual llvm::StringRef name() const = 0;
  virtual llvm::StringRef summary() const = 0;
  /// Binds the options, which live in the family.
  virtual void declare(OptionSet &set) = 0;
  /// What is wrong with the options together, or "".
  virtual std::string validate() const = 0;
  virtual mlir::OwningOpRef<mlir::ModuleOp>
  build(mlir::MLIRContext &context) const = 0;
};

/// All families, in the order of the help text. To add one, write a file that
/// defines its create function and name that in the table of Families.cpp.
std::vector<std::unique_ptr<Family>> createFamilies();

std::unique_ptr<Family> createAttentionBackwardFamily();
std::unique_ptr<Family> createAttentionFamily();
std::unique_ptr<Family> createAttentionValuesFamily();
std::unique_ptr<Family> createElementwiseFamily();
std::unique_ptr<Family> createSwigluFamily();
std::unique_ptr<Family> createRatesFamily();
std::unique_ptr<Family> createPipesFamily();
std::unique_ptr<Family> createRopeFamily();
std::unique_ptr<Family> createSwigluGemmFamily();

#endif // POLY_TOOLS_POLYKERNEL_FAMILIES_H
