//===- InlineAsm.cpp - Inline PTX of one instruction ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineAsm.h"

#include "llvm/ADT/StringExtras.h"

namespace mlir::poly {

/// "=f,f,f": one result, and operands that are neither tied nor immediate.
static bool hasPlainConstraints(StringRef constraints, unsigned numOperands) {
  SmallVector<StringRef, 4> parts;
  constraints.split(parts, ',');
  if (parts.size() != numOperands + 1 || !parts[0].consume_front("="))
    return false;
  return llvm::all_of(parts, [](StringRef part) {
    return part == "f" || part == "r" || part == "h";
  });
}

std::optional<PlainInstruction> getPlainInstruction(LLVM::InlineAsmOp op) {
  if (op.getHasSideEffects() || op->getNumResults() != 1 ||
      !hasPlainConstraints(op.getConstraints(), op->getNumOperands()))
    return std::nullopt;
  StringRef text = op.getAsmString().trim();
  if (text.consume_front("{")) {
    if (!text.consume_back("}"))
      return std::nullopt;
    text = text.trim();
  }
  text.consume_back(";");
  if (text.find_first_of(";{}@/|\n") != StringRef::npos)
    return std::nullopt;

  size_t blank = text.find_first_of(" \t");
  if (blank == StringRef::npos)
    return std::nullopt;
  PlainInstruction instruction;
  instruction.mnemonic = text.take_front(blank).str();
  SmallVector<StringRef, 4> parts;
  text.drop_front(blank).split(parts, ',');
  if (parts.size() != op->getNumOperands() + 1 || parts[0].trim() != "$0")
    return std::nullopt;
  for (StringRef part : llvm::drop_begin(parts)) {
    part = part.trim();
    unsigned number = 0;
    if (!part.consume_front("$") || part.getAsInteger(10, number) ||
        number == 0 || number > op->getNumOperands())
      return std::nullopt;
    instruction.operands.push_back(op->getOperand(number - 1));
  }
  return instruction;
}

std::string getAsmText(LLVM::InlineAsmOp op) {
  std::string text;
  SmallVector<StringRef, 8> lines;
  op.getAsmString().split(lines, '\n');
  for (StringRef line : lines) {
    text += line.take_front(line.find("//"));
    text += '\n';
  }
  return text;
}

} // namespace mlir::poly
