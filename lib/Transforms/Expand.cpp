//===- Expand.cpp - Write Programs out ------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceSpelling.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Program/Exponentials.h"
#include "poly/Target/Target.h"
#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/EmitProgram.h"
#include "poly/Transforms/Passes.h"
#include "poly/Transforms/Sites.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <atomic>

namespace mlir::poly {
#define GEN_PASS_DEF_POLYEXPAND
#include "poly/Transforms/Passes.h.inc"
} // namespace mlir::poly

using namespace mlir;
using namespace mlir::poly;

using ::poly::elementBits;
using ::poly::isPacked;

namespace {
struct PolyExpandPass : mlir::poly::impl::PolyExpandBase<PolyExpandPass> {
  using PolyExpandBase::PolyExpandBase;
  void runOnOperation() override;
};
} // namespace

/// The innermost op around \p op, \p root at most, that values cannot enter:
/// constants go to its entry block.
static Operation *constantScope(Operation *op, Operation *root) {
  Operation *scope = op->getParentOp();
  while (scope != root && !isIsolated(scope))
    scope = scope->getParentOp();
  return scope;
}

/// The block of \p scope that dominates all of its code around \p op.
static Block *entryBlock(Operation *scope, Operation *op) {
  Region *region = op->getParentRegion();
  while (region->getParentOp() != scope)
    region = region->getParentRegion();
  return &region->front();
}

/// Where the last instruction of \p apply goes: in front of its first use in
/// each block, if an op with effects stands before any of these; otherwise
/// nowhere else. What waits for a matrix product may not let the registers of
/// its next operand be written before, and only the source knows: it truncates
/// behind the wait.
static SmallVector<Operation *> latePoints(ApplyOp apply) {
  llvm::MapVector<Block *, Operation *> first;
  for (Operation *user : apply.getResult().getUsers()) {
    Operation *&op = first[user->getBlock()];
    if (!op || user->isBeforeInBlock(op))
      op = user;
  }
  bool isLate = llvm::any_of(first, [&](const auto &entry) {
    return hasEffectsBetween(apply, entry.second);
  });
  SmallVector<Operation *> points;
  if (isLate)
    for (auto &[block, op] : first)
      points.push_back(op);
  return points;
}

static void expandApply(ApplyOp apply, PolyDialect &dialect,
                        ConstantCache &cache, OpBuilder &constants) {
  const ::poly::Program &full =
      dialect.findProgram(apply.getProgram().getName())->program;
  OpBuilder builder(apply);
  Location loc = apply.getLoc();
  Value operand = apply.getOperand();
  bool lone = full.info().lanes > 1 && !isa<VectorType>(operand.getType());
  SmallVector<Value, 4> inputs;
  if (lone && isPacked(full.inputs()[0])) {
    // A lone lane shares its register with a zero, never with garbage.
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(operand.getType()));
    Value pair = vector::FromElementsOp::create(
        builder, loc, VectorType::get({2}, operand.getType()),
        ValueRange{operand, zero});
    inputs.assign(full.inputs().size(), pair);
  } else if (lone) {
    inputs.assign(full.inputs().size(), operand);
  } else if (full.inputs().size() == 1) {
    inputs.push_back(operand);
  } else {
    for (int64_t i = 0; i < int64_t(full.inputs().size()); ++i)
      inputs.push_back(
          isPacked(full.inputs()[i])
              ? Value(vector::ExtractStridedSliceOp::create(
                    builder, loc, operand, ArrayRef<int64_t>{2 * i},
                    ArrayRef<int64_t>{2}, ArrayRef<int64_t>{1}))
              : Value(vector::ExtractOp::create(builder, loc, operand, i)));
  }
  // A softmax scales its scores right before the exponential.
  FoldArguments fold = FoldArguments::PowersOfTwo;
  if (::poly::isExponential(full.info().function))
    fold = hasInherited(apply, PolyDialect::kRoundOffsetsAttr)
               ? FoldArguments::RoundOffsets
               : FoldArguments::Exact;
  const ::poly::Program &program = lone ? full.scalarForm() : full;
  // A register or a vector of the program as the value it stands for.
  auto finish = [&](OpBuilder &b, Value result) -> Value {
    if (elementBits(full.info().to) == 8) {
      // Four bytes in a register; the stock lowering holds an f8 as an i8.
      Type byte = b.getI8Type();
      if (lone)
        result = LLVM::TruncOp::create(b, loc, byte, result);
      else
        result =
            LLVM::BitcastOp::create(b, loc, VectorType::get({4}, byte), result);
      return arith::BitcastOp::create(b, loc, apply.getResult().getType(),
                                      result);
    }
    return lone ? Value(vector::ExtractOp::create(b, loc, result, int64_t(0)))
                : result;
  };
  SmallVector<Operation *> points = latePoints(apply);
  if (points.empty()) {
    Value result =
        emitProgram(builder, loc, program, inputs, &cache, &constants, fold);
    apply.getResult().replaceAllUsesWith(finish(builder, result));
  } else {
    SmallVector<Value> results = emitProgramInTwoPlaces(
        builder, loc, program, inputs, points, &cache, &constants, fold);
    for (auto [point, result] : llvm::zip(points, results)) {
      OpBuilder late(point);
      apply.getResult().replaceUsesWithIf(
          finish(late, result), [&, block = point->getBlock()](OpOperand &use) {
            return use.getOwner()->getBlock() == block;
          });
    }
  }
  apply.erase();
}

/// The code that stands for a library function is what remains of it.
static void dropInlined(InlinedOp inlined) {
  inlined.getResult().replaceAllUsesWith(inlined.getOriginal());
  inlined.erase();
}

/// Expands everything in \p root; returns the number of evaluations.
static unsigned expandRoot(Operation *root, PolyDialect &dialect) {
  SmallVector<Operation *> functions;
  SmallVector<ApplyOp> applies;
  SmallVector<InlinedOp> inlined;
  root->walk([&](Operation *op) {
    if (auto apply = dyn_cast<ApplyOp>(op))
      applies.push_back(apply);
    else if (auto body = dyn_cast<InlinedOp>(op))
      inlined.push_back(body);
    else if (getFunction(op))
      functions.push_back(op);
  });
  for (Operation *op : functions)
    expandReference(op);
  llvm::for_each(inlined, dropInlined);
  if (applies.empty())
    return 0;
  // One copy of each constant, where every evaluation can see it.
  llvm::MapVector<Block *, ConstantCache> caches;
  OpBuilder constants(root->getContext());
  for (ApplyOp apply : applies) {
    // Anew each time: the first op of the block may have been an erased apply.
    Block *entry = entryBlock(constantScope(apply, root), apply);
    constants.setInsertionPointToStart(entry);
    expandApply(apply, dialect, caches[entry], constants);
  }
  return applies.size();
}

/// A program that was named by hand may need a newer chip.
static LogicalResult checkChip(ApplyOp apply, PolyDialect &dialect,
                               const ::poly::TargetModel *target) {
  StringRef name = apply.getProgram().getName();
  unsigned needed = ::poly::minimumSm(dialect.findProgram(name)->program);
  if (!target || needed <= target->sm)
    return success();
  return apply.emitOpError() << "program '" << name << "' needs sm_" << needed
                             << " or later, but the chip is " << target->chip;
}

void PolyExpandPass::runOnOperation() {
  auto *dialect = getContext().getLoadedDialect<PolyDialect>();
  const ::poly::TargetModel *target = nullptr;
  if (!chip.empty()) {
    target = ::poly::findTarget(chip);
    if (!target) {
      emitError(getOperation()->getLoc())
          << "unknown chip '" << chip << "'; known chips are "
          << ::poly::knownChips();
      return signalPassFailure();
    }
  }
  auto groups = collectDeviceGroups(getOperation());
  llvm::DenseSet<Operation *> inDevice;
  bool failedCheck = false;
  for (auto &roots : groups)
    for (Operation *root : roots)
      root->walk([&](ApplyOp apply) {
        inDevice.insert(apply);
        failedCheck |= failed(checkChip(apply, *dialect, target));
      });
  getOperation()->walk([&](ApplyOp apply) {
    if (inDevice.contains(apply))
      return;
    apply.emitOpError("runs on a GPU, but this is host code; move it into a "
                      "gpu.module or gpu.launch");
    failedCheck = true;
  });
  if (failedCheck)
    return signalPassFailure();

  std::atomic<unsigned> count(0);
  parallelForEach(&getContext(), groups,
                  [&](const SmallVector<Operation *, 1> &roots) {
                    for (Operation *root : roots)
                      count += expandRoot(root, *dialect);
                  });
  // Hand-written function ops in host code get their plain spelling too.
  SmallVector<Operation *> hostOps;
  getOperation()->walk([&](Operation *op) {
    if (getFunction(op))
      hostOps.push_back(op);
  });
  for (Operation *op : hostOps)
    expandReference(op);
  SmallVector<InlinedOp> hostInlined;
  getOperation()->walk([&](InlinedOp op) { hostInlined.push_back(op); });
  llvm::for_each(hostInlined, dropInlined);
  numExpanded += count;
}
