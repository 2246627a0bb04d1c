//===- RunningMaxima.cpp - Maxima that rows are scaled by -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunningMaxima.h"

#include "../RaisePatterns/FloatView.h"
#include "../RowMaximum/BoundProof.h"
#include "../RowMaximum/SharedMaximum.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::poly;

static std::optional<int64_t> constantOf(Value value) {
  IntegerAttr attr;
  if (!value || !matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return attr.getValue().getSExtValue();
}

std::optional<Butterfly> mlir::poly::viewButterfly(Value value) {
  if (!value.getDefiningOp())
    return std::nullopt;
  std::optional<bound::Shuffle> shuffle = bound::viewShuffle(value);
  if (!shuffle || shuffle->mode != bound::Shuffle::Xor)
    return std::nullopt;
  std::optional<int64_t> distance = constantOf(shuffle->offset);
  bool isWhole = shuffle->width ? constantOf(shuffle->width) == 32
                                : constantOf(shuffle->clamp) == 31 &&
                                      constantOf(shuffle->mask) == -1;
  if (!isWhole || !distance || *distance < 1 || *distance > 31)
    return std::nullopt;
  return Butterfly{shuffle->value, unsigned(*distance)};
}

SmallVector<Value, 2> mlir::poly::incomingValues(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument.getArgNumber() == 0)
      return {};
    unsigned i = argument.getArgNumber() - 1;
    return {loop.getInitArgs()[i], loop.getYieldedValues()[i]};
  }
  unsigned i = cast<OpResult>(value).getResultNumber();
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return {loop.getInitArgs()[i], loop.getYieldedValues()[i]};
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return {branch.thenYield().getOperand(i), branch.elseYield().getOperand(i)};
  return {};
}

/// The values that \p use makes its value part of, where control flow meets.
static SmallVector<Value, 2> outgoingValues(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned i = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    unsigned first = loop.getNumControlOperands();
    if (i < first)
      return {};
    return {loop.getRegionIterArg(i - first), loop.getResult(i - first)};
  }
  if (!isa<scf::YieldOp>(user))
    return {};
  if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp()))
    return {loop.getRegionIterArg(i), loop.getResult(i)};
  if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp()))
    return {branch.getResult(i)};
  return {};
}

/// The operands of a maximum of scalars, reductions included; of the elements
/// of a vector, nothing.
static SmallVector<Value, 2> scalarOperands(Value maximum) {
  Operation *op = maximum.getDefiningOp();
  if (!op)
    return {};
  if (auto reduction = bound::viewMaxReduction(op)) {
    SmallVector<Value, 2> operands;
    for (Value operand : {reduction->elements, reduction->other})
      if (operand && bound::isScalar(operand))
        operands.push_back(operand);
    return operands;
  }
  FloatView view = getFloatView(op);
  if (view.kind == FloatKind::Max)
    return {view.operands[0], view.operands[1]};
  return {};
}

Value mlir::poly::guardedMaximum(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<arith::SelectOp, LLVM::SelectOp>(op) ||
      !getLiteralNumber(op->getOperand(1)))
    return {};
  Operation *compare = op->getOperand(0).getDefiningOp();
  bool isEqual = false;
  if (auto cmp = dyn_cast_or_null<arith::CmpFOp>(compare))
    isEqual = cmp.getPredicate() == arith::CmpFPredicate::OEQ;
  else if (auto cmp = dyn_cast_or_null<LLVM::FCmpOp>(compare))
    isEqual = cmp.getPredicate() == LLVM::FCmpPredicate::oeq;
  if (!isEqual)
    return {};
  for (unsigned side : {0u, 1u}) {
    std::optional<double> number =
        getLiteralNumber(compare->getOperand(1 - side));
    if (number && *number == -INFINITY &&
        compare->getOperand(side) == op->getOperand(2))
      return op->getOperand(2);
  }
  return {};
}

static bool isMaximum(Operation *op) {
  return bound::viewMaxReduction(op) || getFloatView(op).kind == FloatKind::Max;
}

RunningMaxima::RunningMaxima(Operation *root) {
  collect(root);
  // Where something else comes in, the maximum is not only that.
  bool changed = true;
  while (changed) {
    changed = false;
    for (Value version : llvm::to_vector(versions()))
      if (contains(version) && !isWhole(version)) {
        remove(version);
        changed = true;
      }
  }
  // From all distances downwards, as loops feed themselves.
  changed = true;
  while (changed) {
    changed = false;
    for (Value version : llvm::to_vector(versions())) {
      unsigned now = computeUniform(version);
      unsigned &known = lanes[version];
      changed |= (known & now) != known;
      known &= now;
    }
  }
}

void RunningMaxima::collect(Operation *root) {
  SmallVector<Value> pending;
  auto add = [&](Value version, Value joinedWith) {
    if (!version.getType().isF32())
      return;
    if (lanes.insert({version, kAllDistances}).second)
      pending.push_back(version);
    joined.insert(version.getAsOpaquePointer());
    if (joinedWith)
      joined.unionSets(version.getAsOpaquePointer(),
                       joinedWith.getAsOpaquePointer());
  };
  root->walk([&](Operation *op) {
    if (op->getNumResults() == 0 || !isMaximum(op))
      return;
    bool reducesElements = false;
    if (auto reduction = bound::viewMaxReduction(op))
      reducesElements = !bound::isScalar(reduction->elements);
    bool isCarried =
        llvm::any_of(scalarOperands(op->getResult(0)), [](Value operand) {
          return isa<BlockArgument>(operand) &&
                 !incomingValues(operand).empty();
        });
    if (reducesElements || isCarried)
      add(op->getResult(0), Value());
  });
  while (!pending.empty()) {
    Value version = pending.pop_back_val();
    for (OpOperand &use : version.getUses()) {
      for (Value next : outgoingValues(use))
        add(next, version);
      Operation *user = use.getOwner();
      if (user->getNumResults() == 0)
        continue;
      Value result = user->getResult(0);
      std::optional<Butterfly> butterfly = viewButterfly(result);
      if ((butterfly && butterfly->value == version) ||
          llvm::is_contained(scalarOperands(result), version) ||
          guardedMaximum(result) == version)
        add(result, version);
    }
  }
}

void RunningMaxima::remove(Value version) {
  const void *whole = leader(version);
  lanes.remove_if(
      [&](const auto &entry) { return leader(entry.first) == whole; });
}

bool RunningMaxima::isVersionOrNumber(Value value) const {
  return contains(value) || getLiteralNumber(value);
}

bool RunningMaxima::isWhole(Value version) const {
  return llvm::all_of(incomingValues(version),
                      [&](Value value) { return isVersionOrNumber(value); });
}

unsigned RunningMaxima::uniformOf(Value value) const {
  if (contains(value))
    return uniformDistances(value);
  return getLiteralNumber(value) ? kAllDistances : 0;
}

unsigned RunningMaxima::computeUniform(Value version) const {
  SmallVector<Value, 2> incoming = incomingValues(version);
  if (!incoming.empty())
    return uniformOf(incoming[0]) & uniformOf(incoming[1]);
  if (auto butterfly = viewButterfly(version))
    return uniformOf(butterfly->value);
  if (Value guarded = guardedMaximum(version))
    return uniformOf(guarded);
  Operation *op = version.getDefiningOp();
  // All threads of the warp get the same.
  if (isa_and_nonnull<gpu::AllReduceOp>(op))
    return kAllDistances;
  if (auto reduce = dyn_cast_or_null<gpu::SubgroupReduceOp>(op))
    return reduce.getClusterSize() ? 0 : kAllDistances;
  if (auto reduction = bound::viewMaxReduction(op))
    return 0;
  FloatView view = getFloatView(op);
  unsigned distances =
      uniformOf(view.operands[0]) & uniformOf(view.operands[1]);
  for (unsigned i : {0u, 1u}) {
    auto butterfly = viewButterfly(view.operands[i]);
    if (butterfly && butterfly->value == view.operands[1 - i])
      if (llvm::isPowerOf2_32(butterfly->distance))
        distances |= butterfly->distance;
  }
  return distances;
}
