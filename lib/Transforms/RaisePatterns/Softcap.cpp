//===- Softcap.cpp - A tanh scaled inside and outside ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Idioms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

namespace mlir::poly {

namespace {

/// What passes on the number, rounded at most.
Value skipCasts(Value value) {
  for (unsigned step = 0; step < 8; ++step) {
    Operation *op = value.getDefiningOp();
    if (!op)
      break;
    if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
      value = broadcast.getSource();
    else if (isa<arith::ExtFOp, arith::TruncFOp, LLVM::FPExtOp,
                 LLVM::FPTruncOp>(op))
      value = op->getOperand(0);
    else
      break;
  }
  return value;
}

/// Whether \p argument divides by \p cap, be it by a product.
bool isDividedBy(Value argument, Value cap) {
  Operation *op = skipCasts(argument).getDefiningOp();
  FloatView view = op ? getFloatView(op) : FloatView();
  if (view.kind == FloatKind::Div)
    return skipCasts(view.operands[1]) == cap;
  if (view.kind != FloatKind::Mul)
    return false;
  for (Value factor : view.getOperands()) {
    Operation *inverse = skipCasts(factor).getDefiningOp();
    FloatView inverseView = inverse ? getFloatView(inverse) : FloatView();
    bool isOneOver = inverseView.kind == FloatKind::Div &&
                     getConstantNumber(inverseView.operands[0]) == 1.0 &&
                     skipCasts(inverseView.operands[1]) == cap;
    if (isOneOver || (inverseView.kind == FloatKind::Rcp &&
                      skipCasts(inverseView.operands[0]) == cap))
      return true;
  }
  return false;
}

/// The factor by which the argument of a tanh was scaled.
double getArgumentScale(const Idiom &idiom) {
  Operation *op = skipCasts(idiom.base).getDefiningOp();
  FloatView view = op ? getFloatView(op) : FloatView();
  double scale = idiom.target.scale;
  if (view.kind == FloatKind::Mul) {
    for (Value operand : view.getOperands())
      if (std::optional<double> number = getLiteralNumber(operand))
        return scale * *number;
  } else if (view.kind == FloatKind::Div) {
    if (std::optional<double> number = getLiteralNumber(view.operands[1]))
      return scale / *number;
  }
  return scale;
}

} // namespace

bool isSoftcap(const Idiom &idiom) {
  SmallVector<Operation *> users(idiom.root->getUsers());
  for (unsigned i = 0; i < users.size() && i < 16; ++i) {
    Operation *user = users[i];
    if (isa<arith::ExtFOp, arith::TruncFOp, LLVM::FPExtOp, LLVM::FPTruncOp>(
            user)) {
      llvm::append_range(users, user->getUsers());
      continue;
    }
    FloatView view = getFloatView(user);
    if (view.kind != FloatKind::Mul)
      continue;
    for (Value factor : view.getOperands()) {
      if (skipCasts(factor) == idiom.root->getResult(0))
        continue;
      std::optional<double> cap = getLiteralNumber(factor);
      if (!cap) {
        if (isDividedBy(idiom.base, skipCasts(factor)))
          return true;
        continue;
      }
      double ulp = getElementFormat(factor.getType()) == ::poly::Format::F32
                       ? 0x1p-23
                       : 0x1p-7;
      if (*cap > 0 && *cap != 1 &&
          std::abs(*cap * getArgumentScale(idiom) - 1) <= 4 * ulp)
        return true;
    }
  }
  return false;
}

} // namespace mlir::poly
