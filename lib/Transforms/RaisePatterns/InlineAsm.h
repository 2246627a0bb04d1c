//===- InlineAsm.h - Inline PTX of one instruction -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_RAISEPATTERNS_INLINEASM_H
#define POLY_TRANSFORMS_RAISEPATTERNS_INLINEASM_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <optional>
#include <string>

namespace mlir::poly {

/// One instruction over registers with one result.
struct PlainInstruction {
  std::string mnemonic; ///< E.g. "ex2.approx.ftz.f32".
  /// The operands of the op in the order of the instruction.
  llvm::SmallVector<Value, 3> operands;
};

/// The instruction that \p op is, whatever braces and white space stand around
/// it; nullopt for volatile assembly, for several instructions, immediates,
/// predicates, tied operands and clobbers.
std::optional<PlainInstruction> getPlainInstruction(LLVM::InlineAsmOp op);

/// The text of \p op without comments: one that goes with volatile assembly
/// from LLVM IR carries it through the passes.
std::string getAsmText(LLVM::InlineAsmOp op);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_RAISEPATTERNS_INLINEASM_H
