//===- WarpgroupAssembly.cpp - Reads matrix products in PTX ---------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scale.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::poly;

namespace {
/// Reads what is between braces: "{$0, $1}".
std::optional<llvm::SmallVector<unsigned>> takeRegisters(StringRef &text) {
  text = text.ltrim();
  if (!text.consume_front("{"))
    return std::nullopt;
  auto [inside, behind] = text.split('}');
  llvm::SmallVector<unsigned> registers;
  llvm::SmallVector<StringRef> names;
  inside.split(names, ',');
  for (StringRef name : names) {
    unsigned number;
    name = name.trim();
    if (!name.consume_front("$") || name.getAsInteger(10, number))
      return std::nullopt;
    registers.push_back(number);
  }
  text = behind.ltrim();
  if (!text.consume_front(","))
    return std::nullopt;
  return registers;
}

class Reader {
public:
  explicit Reader(LLVM::InlineAsmOp op) : op(op) {}

  std::optional<WarpgroupAssembly> read() {
    if (!readConstraints())
      return std::nullopt;
    StringRef body = op.getAsmString().trim();
    if (body.consume_front("{") && !body.consume_back("}"))
      return std::nullopt;
    SmallVector<StringRef> statements;
    body.split(statements, ';');
    for (StringRef statement : statements)
      if (!readStatement(statement.trim()))
        return std::nullopt;
    if (products == 0 && !view.isWait)
      return std::nullopt;
    return view;
  }

private:
  bool readConstraints() {
    SmallVector<StringRef> constraints;
    StringRef(op.getConstraints()).split(constraints, ',');
    for (StringRef constraint : constraints)
      view.results += constraint.starts_with("=");
    view.startsFrom.assign(view.results, -1);
    if (constraints.size() != view.results + op->getNumOperands())
      return false;
    for (auto [i, constraint] :
         llvm::enumerate(ArrayRef(constraints).drop_front(view.results))) {
      unsigned tied;
      if (constraint.getAsInteger(10, tied))
        continue;
      if (tied >= view.results)
        return false;
      view.startsFrom[tied] = int(i);
    }
    return view.results > 0;
  }

  bool readStatement(StringRef statement) {
    if (statement.empty() || statement.starts_with(".reg ") ||
        statement.starts_with("add.s64 ") ||
        statement.starts_with("wgmma.fence.") ||
        statement.starts_with("wgmma.commit_group."))
      return true;
    if (statement.starts_with("wgmma.wait_group.")) {
      view.isWait = true;
      return true;
    }
    return readProduct(statement);
  }

  /// "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {D}, A, B, d, 1, 1,
  /// …": D = A * B + d * D.
  bool readProduct(StringRef statement) {
    auto [name, operands] = statement.split(' ');
    SmallVector<StringRef> parts;
    name.split(parts, '.');
    if (parts.size() != 8 || parts[0] != "wgmma" || parts[1] != "mma_async" ||
        !parts[4].starts_with("m64n") || parts[5] != "f32")
      return false;
    view.type = parts[6].str(); // Of A: weights.
    auto sums = takeRegisters(operands);
    if (!sums || sums->size() != view.results)
      return false;
    for (auto [i, number] : llvm::enumerate(*sums))
      if (number != i)
        return false;
    if (operands.ltrim().starts_with("{")) {
      auto fragment = takeRegisters(operands);
      if (!fragment || fragment->size() != 4)
        return false;
      std::array<unsigned, 4> registers;
      for (unsigned i = 0; i < 4; ++i) {
        if ((*fragment)[i] < view.results)
          return false;
        registers[i] = (*fragment)[i] - view.results;
        if (registers[i] >= op->getNumOperands())
          return false;
      }
      view.fragments.push_back(registers);
    } else {
      operands = operands.split(',').second;
    }
    SmallVector<StringRef> rest;
    operands.split(rest, ',');
    for (StringRef &operand : rest)
      operand = operand.trim();
    // The descriptor of B, whether to add to D, the factors of A and B.
    if (rest.size() < 4 || rest[2] != "1" || rest[3] != "1")
      return false;
    if (products++ > 0)
      return rest[1] == "1";
    bool startsFromZero =
        llvm::all_of(view.startsFrom, [](int operand) { return operand < 0; });
    return rest[1] == (startsFromZero ? "0" : "1");
  }

  LLVM::InlineAsmOp op;
  WarpgroupAssembly view;
  unsigned products = 0;
};
} // namespace

std::optional<WarpgroupAssembly>
mlir::poly::viewWarpgroupAssembly(Operation *op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!assembly || !assembly.getAsmString().contains("wgmma."))
    return std::nullopt;
  return Reader(assembly).read();
}
