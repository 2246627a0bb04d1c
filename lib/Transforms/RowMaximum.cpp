//===- RowMaximum.cpp - Upper bounds of exponents -------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMaximum.h"

#include "RowMaximum/BoundProof.h"
#include "RowMaximum/SharedAccess.h"
#include "RowMaximum/SharedMaximum.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

namespace mlir::poly {

using namespace bound;

namespace {

/// The value that a scaled, guarded or converted one was made from.
Value stripScaling(Value value) {
  for (unsigned step = 0; step < 12; ++step) {
    value = resolveLane({value, -1, 1}).value;
    Operation *op = value.getDefiningOp();
    if (!op)
      return value;
    FloatView view = getFloatView(op);
    if (view.kind == FloatKind::Mul || view.kind == FloatKind::Div) {
      if (getLiteralNumber(view.operands[1]))
        value = view.operands[0];
      else if (view.kind == FloatKind::Mul &&
               getLiteralNumber(view.operands[0]))
        value = view.operands[1];
      else
        return value;
      continue;
    }
    if (isa<arith::SelectOp, LLVM::SelectOp>(op)) {
      // A guard of a value.
      bool first = getLiteralNumber(op->getOperand(1)).has_value();
      bool second = getLiteralNumber(op->getOperand(2)).has_value();
      if (first == second)
        return value;
      value = op->getOperand(first ? 2 : 1);
      continue;
    }
    if (isa<arith::TruncFOp, LLVM::FPTruncOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    return value;
  }
  return value;
}

/// The values that a loop may pass to \p argument from its end.
SmallVector<Value> carriedValues(BlockArgument argument) {
  SmallVector<Value> values;
  Block *block = argument.getOwner();
  if (auto loop = dyn_cast_or_null<LoopLikeOpInterface>(block->getParentOp())) {
    if (OpOperand *yielded = loop.getTiedLoopYieldedValue(argument))
      values.push_back(yielded->get());
    return values;
  }
  for (auto it = block->pred_begin(), end = block->pred_end(); it != end; ++it)
    if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator()))
      if (Value passed = branch.getSuccessorOperands(
              it.getSuccessorIndex())[argument.getArgNumber()])
        values.push_back(passed);
  return values;
}

/// Whether \p value is itself a maximum of many: a running one that a loop
/// carries, or a reduced one.
bool isMaximum(Value value, unsigned depth = 0) {
  if (depth > 8)
    return false;
  value = stripScaling(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    for (Value next : carriedValues(argument)) {
      // What a loop only passes on is no running maximum.
      Value stripped = stripScaling(next);
      if (stripped == value)
        continue;
      Prover prover;
      double slack = 0;
      if (prover.atMost({value, -1, 1}, Factor(), {next, -1, 1}, slack))
        return true;
    }
    return false;
  }
  Operation *op = value.getDefiningOp();
  if (viewMaxReduction(op) || viewRowReduction(value))
    return true;
  // What a loop has collected.
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    BlockArgument carried =
        loop.getTiedLoopRegionIterArg(cast<OpResult>(value));
    return carried && isMaximum(carried, depth + 1);
  }
  FloatView view = getFloatView(op);
  return view.kind == FloatKind::Max &&
         (isMaximum(view.operands[0], depth + 1) ||
          isMaximum(view.operands[1], depth + 1));
}

bool isInteger(Value value, unsigned depth = 0) {
  if (depth > 6)
    return false;
  if (std::optional<double> number = getLiteralNumber(value))
    return std::isfinite(*number) && *number == std::floor(*number);
  value = resolveLane({value, -1, 1}).value;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::SIToFPOp, arith::UIToFPOp, LLVM::SIToFPOp, LLVM::UIToFPOp,
          math::CeilOp, math::FloorOp, math::RoundOp, math::RoundEvenOp,
          math::TruncOp, LLVM::FCeilOp, LLVM::FFloorOp, LLVM::RoundEvenOp,
          LLVM::RintOp, LLVM::NearbyintOp, LLVM::FTruncOp>(op))
    return true;
  FloatView view = getFloatView(op);
  switch (view.kind) {
  case FloatKind::Add:
  case FloatKind::Sub:
  case FloatKind::Mul:
  case FloatKind::Min:
  case FloatKind::Max:
    return isInteger(view.operands[0], depth + 1) &&
           isInteger(view.operands[1], depth + 1);
  case FloatKind::Neg:
  case FloatKind::Abs:
  case FloatKind::Ext:
    return isInteger(view.operands[0], depth + 1);
  default:
    return false;
  }
}

bool isLogarithm(Operation *op) {
  if (isa<math::LogOp, math::Log2Op, math::Log1pOp, LLVM::LogOp, LLVM::Log2Op>(
          op))
    return true;
  StringRef callee;
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    callee = call.getCallee().value_or("");
  else if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    callee = call.getIntrin();
  return callee.starts_with("__nv_log") ||
         callee.starts_with("__nv_fast_log") ||
         callee.starts_with("llvm.nvvm.lg2");
}

/// Whether \p value is or contains a logarithm.
bool hasLogarithm(Value value, unsigned depth = 0) {
  if (depth > 6)
    return false;
  value = resolveLane({value, -1, 1}).value;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isLogarithm(op))
    return true;
  FloatView view = getFloatView(op);
  return view.kind != FloatKind::Opaque && !isTranscendental(view.kind) &&
         llvm::any_of(view.getOperands(), [&](Value operand) {
           return hasLogarithm(operand, depth + 1);
         });
}

bool isLoaded(Value value) {
  value = stripScaling(value);
  Operation *op = value.getDefiningOp();
  return op && getFloatView(op).kind == FloatKind::Opaque &&
         op->getNumRegions() == 0 && hasEffect<MemoryEffects::Read>(op);
}

/// Whether a maximum that covers \p minuend is stored to the memory that
/// \p address points into. That is no proof, as other threads store as well.
bool isMaximumStored(Value minuend, Value address) {
  constexpr unsigned kMaxUsers = 512;
  while (auto gep = address.getDefiningOp<LLVM::GEPOp>())
    address = gep.getBase();
  llvm::SmallSetVector<Operation *, 16> users(address.user_begin(),
                                              address.user_end());
  for (unsigned i = 0; i < users.size() && i < kMaxUsers; ++i) {
    Operation *user = users[i];
    if (isa<LLVM::GEPOp>(user)) {
      users.insert(user->user_begin(), user->user_end());
      continue;
    }
    if (user->getNumResults() != 0 && !isa<LLVM::InlineAsmOp>(user))
      continue;
    for (Value operand : user->getOperands()) {
      Operation *op = operand.getDefiningOp();
      // One element in a vector is how some stores want it.
      if (op && isa<LLVM::BitcastOp, arith::BitcastOp>(op))
        operand = op->getOperand(0);
      if (!getElementFormat(operand.getType()))
        continue;
      Prover prover;
      double slack = 0;
      if (prover.atMost({minuend, -1, 1}, Factor(), {operand, -1, 1}, slack))
        return true;
    }
  }
  return false;
}

/// minuend - subtrahend, for the questions that need no proof.
struct Difference {
  Value minuend, subtrahend;
  bool isScaled = false; ///< The minuend is a product inside an fma.
};

std::optional<Difference> viewDifference(Value argument) {
  Value value = stripScaling(argument);
  Operation *op = value.getDefiningOp();
  FloatView view = op ? getFloatView(op) : FloatView();
  if (view.kind == FloatKind::Sub)
    return Difference{view.operands[0], view.operands[1]};
  if (view.kind != FloatKind::Add && view.kind != FloatKind::Fma)
    return std::nullopt;
  Value last = view.operands[view.kind == FloatKind::Fma ? 2 : 1];
  Operand negated = resolveLane({last, -1, 1});
  FloatView lastView = viewOf(negated.value);
  std::optional<double> scale = lastView.kind == FloatKind::Mul
                                    ? getLiteralNumber(lastView.operands[1])
                                    : std::nullopt;
  if (negated.sign > 0 && !(scale && *scale < 0))
    return std::nullopt;
  return Difference{view.operands[0], negated.value,
                    view.kind == FloatKind::Fma};
}

} // namespace

ExponentFacts analyzeExponent(Value argument) {
  ExponentFacts facts;
  Prover prover;
  facts.bound = prover.upperBound({argument, -1, 1});
  if (facts.bound && !std::isfinite(*facts.bound))
    facts.bound.reset(); // An infinite literal.
  if (facts.bound == 0)
    facts.bound = 0.0; // Not a negative zero.
  if (isInteger(argument)) {
    facts.use = ExponentUse::Scale;
    return facts;
  }
  if (facts.bound && prover.provedMinuend.value) {
    facts.use =
        prover.provedMinuend.sign > 0 && isMaximum(prover.provedMinuend.value)
            ? ExponentUse::Correction
            : ExponentUse::Weight;
    return facts;
  }
  std::optional<Difference> difference = viewDifference(argument);
  if (!difference || facts.bound)
    return facts;
  SmallVector<Operation *> loads =
      getSharedLoads(stripScaling(difference->subtrahend));
  if (!loads.empty()) {
    if (llvm::any_of(loads, [&](Operation *load) {
          Value address = getSharedAccess(load).pointer;
          return address && isMaximumStored(difference->minuend, address);
        })) {
      facts.use = ExponentUse::Weight;
      facts.whyNot = "the maximum passes through shared memory: " +
                     (prover.whyNotShared.empty()
                          ? "what is read is used in a way that is not followed"
                          : prover.whyNotShared);
    } else {
      facts.whyNot = "what is subtracted was read from shared memory, and no "
                     "maximum of these scores is stored there";
    }
    return facts;
  }
  bool isStored = isLoaded(difference->subtrahend) &&
                  (difference->isScaled || !isLoaded(difference->minuend));
  if (hasLogarithm(difference->subtrahend) || isStored) {
    facts.use = ExponentUse::LogSumExp;
    if (!hasLogarithm(difference->subtrahend))
      facts.whyNot = "what is subtracted is loaded from memory that others may "
                     "store to";
    return facts;
  }
  facts.whyNot = prover.whyNot.empty()
                     ? "what is subtracted is not known to be the maximum of "
                       "the row"
                     : prover.whyNot;
  return facts;
}

} // namespace mlir::poly
