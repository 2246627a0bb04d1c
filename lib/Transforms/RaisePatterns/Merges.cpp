//===- Merges.cpp - Values that control flow selects ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Merges.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace mlir::poly {

bool isMerge(Value value) {
  return isa<BlockArgument>(value) || value.getDefiningOp<scf::IfOp>();
}

namespace {

/// One way into a block: the conditional branch that it begins with, the side
/// of it, and the value that is passed in the end.
struct Arrival {
  Operation *branch = nullptr;
  unsigned side = 0;
  Value passed;
};

/// Follows the edge from \p from into the block of \p argument upwards, through
/// blocks that have no other way in.
Arrival findArrival(Block *from, BlockArgument argument) {
  constexpr unsigned kMaxBlocks = 4;
  Block *to = argument.getOwner();
  Arrival arrival;
  for (unsigned step = 0; step < kMaxBlocks; ++step) {
    auto branch = dyn_cast<BranchOpInterface>(from->getTerminator());
    if (!branch)
      return {};
    unsigned side = 0, edges = 0;
    for (auto [i, successor] : llvm::enumerate(branch->getSuccessors()))
      if (successor == to) {
        side = i;
        ++edges;
      }
    if (edges != 1)
      return {};
    if (step == 0)
      arrival.passed =
          branch.getSuccessorOperands(side)[argument.getArgNumber()];
    if (branch->getNumSuccessors() == 2) {
      arrival.branch = branch;
      arrival.side = side;
      return arrival;
    }
    if (branch->getNumSuccessors() != 1 || !from->getSinglePredecessor())
      return {};
    to = from;
    from = from->getSinglePredecessor();
  }
  return {};
}

FloatView viewArgument(BlockArgument argument) {
  Block *block = argument.getOwner();
  SmallVector<Block *, 2> sources(block->getPredecessors());
  if (sources.size() != 2)
    return {};
  Arrival one = findArrival(sources[0], argument);
  Arrival other = findArrival(sources[1], argument);
  if (!one.passed || !other.passed || !one.branch ||
      one.branch != other.branch || one.side == other.side ||
      one.branch->getBlock() == block ||
      !isa<LLVM::CondBrOp, cf::CondBranchOp>(one.branch))
    return {};
  if (one.side != 0)
    std::swap(one, other);
  return viewSelection(one.branch->getOperand(0), one.passed, other.passed);
}

FloatView viewIf(scf::IfOp op, unsigned result) {
  if (op.getElseRegion().empty())
    return {};
  return viewSelection(op.getCondition(), op.thenYield().getOperand(result),
                       op.elseYield().getOperand(result));
}

} // namespace

FloatView viewMerge(Value value) {
  if (!getElementFormat(value.getType()))
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return viewArgument(argument);
  return viewIf(value.getDefiningOp<scf::IfOp>(),
                cast<OpResult>(value).getResultNumber());
}

void forEachDependent(Value value, llvm::function_ref<void(Value)> fn) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto branch = dyn_cast<BranchOpInterface>(user)) {
      if (auto argument =
              branch.getSuccessorBlockArgument(use.getOperandNumber()))
        fn(*argument);
    } else if (isa<scf::YieldOp>(user)) {
      if (auto op = dyn_cast<scf::IfOp>(user->getParentOp()))
        fn(op.getResult(use.getOperandNumber()));
    } else if (user->getNumResults() == 1) {
      fn(user->getResult(0));
    }
  }
}

} // namespace mlir::poly
