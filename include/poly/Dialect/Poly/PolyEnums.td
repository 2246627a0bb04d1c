//===- PolyEnums.td - Enumerations of the dialect ----------*- tablegen -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_DIALECT_POLY_POLYENUMS
#define POLY_DIALECT_POLY_POLYENUMS

include "mlir/IR/EnumAttr.td"

def Poly_ExpRole : I32EnumAttr<"ExpRole", "What an exponential is for", [
    I32EnumAttrCase<"Plain", 0, "plain">,
    I32EnumAttrCase<"Weight", 1, "weight">,
    I32EnumAttrCase<"Correction", 2, "correction">,
    I32EnumAttrCase<"LogSumExp", 3, "lse">,
    I32EnumAttrCase<"Scale", 4, "scale">]> {
  let cppNamespace = "::mlir::poly";
  let genSpecializedAttr = 0;
}
#endif // POLY_DIALECT_POLY_POLYENUMS
