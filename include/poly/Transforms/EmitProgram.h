//===- EmitProgram.h - Programs as LLVM-dialect ops ------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_EMITPROGRAM_H
#define POLY_TRANSFORMS_EMITPROGRAM_H

#include "poly/Program/Program.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::poly {

/// Constants already emitted in a region, by register type and bits.
using ConstantCache = llvm::DenseMap<std::pair<unsigned, uint32_t>, Value>;

enum class FoldArguments {
  Never,
  Exact, ///< Not where an addend would be rounded to the program's lattice.
  RoundOffsets,
  /// Only a scale that is a power of two, into factors and addends that the
  /// source holds fixed: exact, so that the program keeps its certificate.
  PowersOfTwo,
};

/// Emits \p program at the builder's insertion point, one op per node, each
/// reaching PTX as the node's instruction. \p inputs holds one value per
/// program register: f32, or vector<2xbf16> or vector<2xf16>; the result is of
/// the same kind. With \p cache, constants are taken from it, and new ones are
/// created at \p constantPoint and added; otherwise they are created in place.
/// With \p fold, a scale or offset that the source applies to an f32 argument,
/// in an op that allows contraction, becomes part of the program's first fma,
/// which saves that op and its rounding.
Value emitProgram(OpBuilder &builder, Location loc,
                  const ::poly::Program &program, ValueRange inputs,
                  ConstantCache *cache = nullptr,
                  OpBuilder *constantPoint = nullptr,
                  FoldArguments fold = FoldArguments::Never);
/// The same, but the instruction that gives the result stands in front of each
/// of \p points, which the builder's insertion point dominates. Returns one
/// result for each.
SmallVector<Value>
emitProgramInTwoPlaces(OpBuilder &builder, Location loc,
                       const ::poly::Program &program, ValueRange inputs,
                       ArrayRef<Operation *> points, ConstantCache *cache,
                       OpBuilder *constantPoint, FoldArguments fold);
/// The same with all results of the program.
SmallVector<Value>
emitProgramResults(OpBuilder &builder, Location loc,
                   const ::poly::Program &program, ValueRange inputs,
                   ConstantCache *cache = nullptr,
                   OpBuilder *constantPoint = nullptr,
                   FoldArguments fold = FoldArguments::Never);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_EMITPROGRAM_H
