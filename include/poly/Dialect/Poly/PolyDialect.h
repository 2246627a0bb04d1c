//===- PolyDialect.h - The poly dialect ------------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_DIALECT_POLY_POLYDIALECT_H
#define POLY_DIALECT_POLY_POLYDIALECT_H

#include "poly/Program/Certify.h"
#include "poly/Program/Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/RWMutex.h"

#include <memory>
#include <vector>

namespace mlir::poly {
class ProgramAttr;
} // namespace mlir::poly

#include "poly/Dialect/Poly/PolyDialect.h.inc"
#include "poly/Dialect/Poly/PolyEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "poly/Dialect/Poly/PolyAttrs.h.inc"

#define GET_OP_CLASSES
#include "poly/Dialect/Poly/PolyOps.h.inc"

namespace mlir::poly {

/// The function a poly function op computes, or nullopt for any other op.
std::optional<::poly::Function> getFunction(Operation *op);

/// Whether the dialect has an op for the function.
bool hasFunctionOp(::poly::Function function);

/// Creates the function op for \p function with operand and result type of
/// \p operand. \p original may be null. An exponential is plain and without a
/// bound until its role and bound are set.
Operation *createFunctionOp(OpBuilder &builder, Location loc,
                            ::poly::Function function, Value operand,
                            Value original, arith::FastMathFlags fastmath,
                            bool consent);

/// The poly format of f32, bf16, f16, or a vector of one; nullopt otherwise.
std::optional<::poly::Format> getFormat(Type type);

} // namespace mlir::poly

#endif // POLY_DIALECT_POLY_POLYDIALECT_H
