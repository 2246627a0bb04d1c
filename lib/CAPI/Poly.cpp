//===- Poly.cpp - C API of poly -------------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly-c/Poly.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Pipelines/Pipelines.h"
#include "poly/Transforms/Passes.h"

#include "mlir/CAPI/Registration.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Poly, poly, mlir::poly::PolyDialect)

void polyRegisterPasses(void) {
  mlir::poly::registerPolyPasses();
  mlir::poly::registerPolyPipelines();
}
