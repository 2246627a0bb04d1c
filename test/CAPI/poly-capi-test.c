/*===- poly-capi-test.c - The C API, used from C ---------------------------===*\
|*                                                                            *|
|* Part of the poly project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "poly-c/Poly.h"

#include "mlir-c/Pass.h"
#include "mlir-c/RegisterEverything.h"

#include <stdio.h>
#include <string.h>

static const char *source =
    "gpu.module @m {\n"
    "  gpu.func @f(%x: vector<2xbf16>) -> vector<2xbf16> {\n"
    "    %y = poly.silu %x consent : vector<2xbf16>\n"
    "    gpu.return %y : vector<2xbf16>\n"
    "  }\n"
    "}\n";

static char text[1 << 16];
static size_t length;

static void append(MlirStringRef part, void *unused) {
  (void)unused;
  if (length + part.length < sizeof(text)) {
    memcpy(text + length, part.data, part.length);
    length += part.length;
  }
}

static int fail(const char *what) {
  fprintf(stderr, "poly-capi-test: %s\n", what);
  return 1;
}

int main(void) {
  MlirContext context = mlirContextCreate();
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__poly__(), context);
  mlirContextSetAllowUnregisteredDialects(context, true);
  polyRegisterPasses();

  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);

  MlirModule module = mlirModuleCreateParse(
      context, mlirStringRefCreateFromCString(source));
  if (mlirModuleIsNull(module))
    return fail("the module does not parse");
  MlirPassManager pm = mlirPassManagerCreate(context);
  if (mlirLogicalResultIsFailure(mlirOpPassManagerAddPipeline(
          mlirPassManagerGetAsOpPassManager(pm),
          mlirStringRefCreateFromCString(
              "poly-substitute{programs=silu-half3-bf16x2}"),
          append, NULL)))
    return fail("the pipeline does not parse");
  if (mlirLogicalResultIsFailure(
          mlirPassManagerRunOnOp(pm, mlirModuleGetOperation(module))))
    return fail("the pipeline fails");
  length = 0;
  mlirOperationPrint(mlirModuleGetOperation(module), append, NULL);
  if (!strstr(text, "llvm.nvvm.fma.rn.relu.bf16x2") || strstr(text, "poly."))
    return fail("the program was not written out");
  mlirPassManagerDestroy(pm);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return 0;
}
