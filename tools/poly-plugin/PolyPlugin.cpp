//===- PolyPlugin.cpp - poly as a plugin of mlir-opt ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The two entry points that mlir-opt looks up:
///
///   mlir-opt-22 --load-pass-plugin=poly-plugin.so
///     --load-dialect-plugin=poly-plugin.so
///     --pass-pipeline='builtin.module(poly-substitute)' in.mlir
///
//===----------------------------------------------------------------------===//

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Pipelines/Pipelines.h"
#include "poly/Transforms/Passes.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "poly", LLVM_VERSION_STRING, [] {
            mlir::poly::registerPolyPasses();
            mlir::poly::registerPolyPipelines();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "poly", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            registry->insert<mlir::poly::PolyDialect>();
          }};
}
