//===- poly-opt.cpp - mlir-opt with the poly dialect and passes -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Pipelines/Pipelines.h"
#include "poly/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<mlir::poly::PolyDialect>();

  mlir::registerAllPasses();
  mlir::poly::registerPolyPasses();
  mlir::poly::registerPolyPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "poly: certified replacements for transcendentals\n",
      registry));
}
