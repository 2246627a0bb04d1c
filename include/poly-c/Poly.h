/*===- poly-c/Poly.h - C API of poly ----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the poly project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef POLY_C_POLY_H
#define POLY_C_POLY_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The handle of the poly dialect, for mlirDialectHandleRegisterDialect(). */
MLIR_CAPI_EXPORTED MlirDialectHandle mlirGetDialectHandle__poly__(void);

/** Registers every pass and pipeline of poly with the global registry, so that
 *  mlirParsePassPipeline() knows them. Call it once. */
MLIR_CAPI_EXPORTED void polyRegisterPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* POLY_C_POLY_H */
