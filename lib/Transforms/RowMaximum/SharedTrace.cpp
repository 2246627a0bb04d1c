//===- SharedTrace.cpp - Code that all threads of a block run -------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::poly::bound {

Operation *getKernelAround(Operation *op) {
  for (; op; op = op->getParentOp()) {
    if (isa<gpu::LaunchOp>(op))
      return op;
    if (auto function = dyn_cast<gpu::GPUFuncOp>(op))
      return function.isKernel() ? op : nullptr;
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
      bool isKernel = function.getCConv() == LLVM::CConv::PTX_Kernel ||
                      op->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) ||
                      op->hasAttr(gpu::GPUDialect::getKernelFuncAttrName());
      return isKernel ? op : nullptr;
    }
  }
  return nullptr;
}

namespace {

/// Whether control can come back to \p block from its end.
bool isInCycle(Block *block) {
  llvm::SmallSetVector<Block *, 16> reached(block->succ_begin(),
                                            block->succ_end());
  for (unsigned i = 0; i < reached.size(); ++i) {
    if (reached[i] == block)
      return true;
    Block *next = reached[i];
    reached.insert(next->succ_begin(), next->succ_end());
  }
  return false;
}

/// Whether all threads run \p block, equally often and in the same order as
/// other such blocks, so that they meet at its barriers.
bool isRunByAll(Block *block, Operation *kernel,
                const PostDominanceInfo &dominance) {
  Operation *parent = block->getParentOp();
  if (parent == kernel)
    return block->isEntryBlock() ||
           (dominance.postDominates(block, &block->getParent()->front()) &&
            !isInCycle(block));
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return isUniform(loop.getInductionVar(), kernel) &&
           isRunByAll(loop->getBlock(), kernel, dominance);
  if (auto ifOp = dyn_cast<scf::IfOp>(parent))
    return isUniform(ifOp.getCondition(), kernel) &&
           isRunByAll(ifOp->getBlock(), kernel, dominance);
  return false;
}

/// The condition of a branch in two directions.
Value getCondition(Operation *branch) {
  if (auto condition = dyn_cast<LLVM::CondBrOp>(branch))
    return condition.getCondition();
  if (auto condition = dyn_cast<cf::CondBranchOp>(branch))
    return condition.getCondition();
  return {};
}

class Tracer {
public:
  Tracer(ThreadValues &values, SharedTrace &trace)
      : values(values), trace(trace) {}

  void run(Block *start);
  bool contains(Operation *op) const { return seen.contains(op); }

private:
  void addOps(Block *block, const llvm::BitVector &active);
  void addOpaque(Operation *op, const llvm::BitVector &active);
  Block *addBranch(Block *block, const llvm::BitVector &active);

  ThreadValues &values;
  SharedTrace &trace;
  llvm::DenseSet<Operation *> seen;
};

/// All that is nested in \p op, in an order that is not known.
void Tracer::addOpaque(Operation *op, const llvm::BitVector &active) {
  op->walk([&](Operation *inner) {
    SharedAccess access = getSharedAccess(inner);
    if (access.kind == SharedKind::None || access.kind == SharedKind::Load)
      return;
    seen.insert(inner);
    access.isWord = false;
    if (access.kind == SharedKind::Barrier)
      access.kind = SharedKind::Unknown;
    trace.events.push_back({inner, access, active});
  });
}

void Tracer::addOps(Block *block, const llvm::BitVector &active) {
  trace.active[block] = active;
  for (Operation &op : *block) {
    if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
      std::optional<llvm::BitVector> isTrue =
          values.getTrue(ifOp.getCondition());
      if (!isTrue) {
        addOpaque(&op, active);
        continue;
      }
      llvm::BitVector isFalse = *isTrue;
      isFalse.flip();
      *isTrue &= active;
      isFalse &= active;
      addOps(ifOp.thenBlock(), *isTrue);
      if (ifOp.elseBlock())
        addOps(ifOp.elseBlock(), isFalse);
      continue;
    }
    if (op.getNumRegions() != 0) {
      addOpaque(&op, active);
      continue;
    }
    SharedAccess access = getSharedAccess(&op);
    if (access.kind == SharedKind::None)
      continue;
    seen.insert(&op);
    trace.events.push_back({&op, std::move(access), active});
  }
}

/// The code of one or two blocks that only some threads run, and where all
/// meet again; null if the branch at the end of \p block is none of that kind.
Block *Tracer::addBranch(Block *block, const llvm::BitVector &active) {
  Operation *branch = block->getTerminator();
  Value condition = getCondition(branch);
  if (!condition)
    return nullptr;
  std::array<Block *, 2> arms = {branch->getSuccessor(0),
                                 branch->getSuccessor(1)};
  auto next = [&](Block *arm) -> Block * {
    return arm->hasOneUse() && arm->getNumSuccessors() == 1
               ? arm->getSuccessor(0)
               : nullptr;
  };
  Block *join = next(arms[0]) == arms[1]         ? arms[1]
                : next(arms[1]) == arms[0]       ? arms[0]
                : next(arms[0]) == next(arms[1]) ? next(arms[0])
                                                 : nullptr;
  if (!join || join == block ||
      std::distance(join->pred_begin(), join->pred_end()) != 2)
    return nullptr;
  std::optional<llvm::BitVector> isTrue = values.getTrue(condition);
  for (auto [i, arm] : llvm::enumerate(arms)) {
    if (arm == join)
      continue;
    if (!isTrue) {
      for (Operation &op : *arm)
        addOpaque(&op, active);
      continue;
    }
    llvm::BitVector own = *isTrue;
    if (i == 1)
      own.flip();
    own &= active;
    addOps(arm, own);
  }
  return join;
}

void Tracer::run(Block *start) {
  llvm::BitVector active(values.numThreads(), true);
  for (Block *block = start; block;) {
    addOps(block, active);
    if (block->getNumSuccessors() == 1) {
      Block *next = block->getSuccessor(0);
      block = next->getSinglePredecessor() && next != start ? next : nullptr;
    } else {
      block =
          block->getNumSuccessors() == 2 ? addBranch(block, active) : nullptr;
    }
  }
}

} // namespace

std::optional<SharedTrace> traceAround(Operation *load, Operation *kernel,
                                       ThreadValues &values,
                                       std::string &whyNot) {
  PostDominanceInfo dominance(kernel);
  bool isKnown = true;
  kernel->walk([&](Operation *op) {
    SharedAccess access = getSharedAccess(op);
    if (access.kind == SharedKind::Unknown) {
      whyNot = ("what '" + op->getName().getStringRef() +
                "' does to shared memory is not known")
                   .str();
      isKnown = false;
    } else if (access.kind == SharedKind::Barrier &&
               !isRunByAll(op->getBlock(), kernel, dominance)) {
      whyNot = "the threads may not meet at the same barriers";
      isKnown = false;
    }
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (!isKnown)
    return std::nullopt;

  // The outermost code comes first: it sees the most.
  SmallVector<Block *> starts;
  Block *top = load->getBlock();
  for (; top->getParentOp() != kernel; top = top->getParentOp()->getBlock())
    if (isRunByAll(top, kernel, dominance))
      starts.push_back(top);
  for (Block &block : llvm::reverse(*top->getParent()))
    if (isRunByAll(&block, kernel, dominance))
      starts.push_back(&block);
  for (Block *start : llvm::reverse(starts)) {
    SharedTrace trace;
    Tracer tracer(values, trace);
    tracer.run(start);
    if (!tracer.contains(load))
      continue;
    kernel->walk([&](Operation *op) {
      if (!tracer.contains(op) && getSharedAccess(op).kind == SharedKind::Store)
        trace.hasStoresOutside = true;
    });
    trace.isFirst = start->getParentOp() == kernel && start->isEntryBlock();
    for (Operation *op = start->getParentOp(); op != kernel;
         op = op->getParentOp())
      trace.isInLoop |= !isa<scf::IfOp>(op);
    return trace;
  }
  whyNot = "not all threads are known to run the code around it together";
  return std::nullopt;
}

} // namespace mlir::poly::bound
