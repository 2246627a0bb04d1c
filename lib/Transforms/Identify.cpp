//===- Identify.cpp - Recognise inlined library functions -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantic/Libdevice.h"
#include "Semantic/ValueGraph.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/Passes.h"
#include "poly/Transforms/Sites.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::poly {
#define GEN_PASS_DEF_POLYIDENTIFY
#include "poly/Transforms/Passes.h.inc"
} // namespace mlir::poly

using namespace mlir;
using namespace mlir::poly;

using ::poly::Format;

namespace {
struct PolyIdentifyPass : mlir::poly::impl::PolyIdentifyBase<PolyIdentifyPass> {
  using PolyIdentifyBase::PolyIdentifyBase;
  void runOnOperation() override;
};

/// A value found to be a library function of another.
struct Finding {
  Value value, argument;
  Recognised what;
};
} // namespace

/// The values that depend on \p seed, nearest first, as far as a library
/// function reaches.
static llvm::SetVector<Value> dependents(Operation *seed) {
  // The longest body, an erff with its branches, has about a third of these.
  constexpr unsigned kMaxValues = 160;
  llvm::SetVector<Value> values;
  auto follow = [&](Operation *user, Value used) {
    if (auto branch = dyn_cast<BranchOpInterface>(user)) {
      for (OpOperand &operand : user->getOpOperands())
        if (operand.get() == used)
          if (auto argument =
                  branch.getSuccessorBlockArgument(operand.getOperandNumber()))
            values.insert(*argument);
      return;
    }
    if (user->getNumResults() == 1 && user->getNumRegions() == 0)
      values.insert(user->getResult(0));
  };
  if (auto branch = dyn_cast<BranchOpInterface>(seed)) {
    for (OpOperand &operand : seed->getOpOperands())
      if (auto argument =
              branch.getSuccessorBlockArgument(operand.getOperandNumber()))
        values.insert(*argument);
  } else if (seed->getNumResults() == 1) {
    values.insert(seed->getResult(0));
  }
  for (unsigned i = 0; i < values.size() && values.size() < kMaxValues; ++i) {
    Value value = values[i];
    for (Operation *user : value.getUsers())
      follow(user, value);
  }
  return values;
}

/// Key constants may be shared by all copies of a body.
static SmallVector<Operation *> usersOfKeyConstants(Operation *root) {
  SmallVector<Operation *> users;
  root->walk([&](Operation *op) {
    Attribute attr;
    if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
      attr = constant.getValue();
    else if (auto constant = dyn_cast<arith::ConstantOp>(op))
      attr = constant.getValue();
    auto number = dyn_cast_or_null<FloatAttr>(attr);
    if (!number || !number.getType().isF32() ||
        !isKeyConstant(number.getValue().bitcastToAPInt().getZExtValue()))
      return;
    for (Operation *user : op->getUsers())
      users.push_back(user);
  });
  return users;
}

/// Selections and merged values, which a body ends in, of 16-bit arguments:
/// there, the proof needs no constants to start from.
static SmallVector<Value> mergedValues(Operation *root) {
  SmallVector<Value> values;
  root->walk([&](Block *block) {
    if (!block->isEntryBlock())
      for (BlockArgument argument : block->getArguments())
        if (argument.getType().isF32())
          values.push_back(argument);
    for (Operation &op : *block)
      if (isa<LLVM::SelectOp, arith::SelectOp>(op) &&
          op.getResult(0).getType().isF32())
        values.push_back(op.getResult(0));
  });
  return values;
}

static std::vector<Finding> findLibraryFunctions(Operation *root) {
  ValueGraph graph;
  BodyComparer comparer;
  std::vector<Finding> findings;
  llvm::DenseSet<Value> found;
  auto examineAnew = [&](Value value) -> std::optional<Finding> {
    // The nearest value that everything depends on is the argument, or a step
    // such as the reduced exponential, the magnitude or a clamped argument.
    constexpr unsigned kArguments = 4;
    for (Operation *user : value.getUsers())
      if (isa<InlinedOp>(user))
        return std::nullopt;
    for (const UnaryBody &body : findBodies(graph, value, kArguments)) {
      // A guard may have been narrowed to the type that the rest is widened
      // from.
      if (!isa<FloatType>(body.argument.getType()))
        continue;
      Recognised what = comparer.compare(body, valueFormat(body.argument));
      if (what.evidence != Evidence::None)
        return Finding{value, body.argument, what};
    }
    return std::nullopt;
  };
  // Code behind many bodies is reached from all of them.
  llvm::DenseMap<Value, std::optional<Finding>> examined;
  auto examine = [&](Value value) -> std::optional<Finding> {
    if (!value.getType().isF32() || found.contains(value))
      return std::nullopt;
    auto [it, isNew] = examined.try_emplace(value, std::nullopt);
    if (isNew)
      it->second = examineAnew(value);
    return it->second;
  };

  for (Operation *seed : usersOfKeyConstants(root)) {
    // Of several values that are one function, such as one before and one
    // after a guard that changes nothing, the last counts. Two functions may
    // share a part, as sinh and cosh of one argument do.
    SmallVector<Finding, 2> lasts;
    for (Value value : dependents(seed)) {
      std::optional<Finding> finding = examine(value);
      if (!finding)
        continue;
      auto it = llvm::find_if(lasts, [&](const Finding &last) {
        return last.argument == finding->argument &&
               last.what.function == finding->what.function;
      });
      if (it == lasts.end())
        lasts.push_back(*finding);
      else
        *it = *finding;
    }
    for (const Finding &last : lasts)
      if (found.insert(last.value).second)
        findings.push_back(last);
  }
  for (Value value : mergedValues(root))
    if (std::optional<Finding> finding = examine(value))
      if (finding->what.evidence == Evidence::Exhaustive &&
          found.insert(value).second)
        findings.push_back(*finding);
  return findings;
}

/// \p argument in f32: its widening, which then serves all of its users.
static Value widen(OpBuilder &builder, Value argument) {
  if (argument.getType().isF32())
    return argument;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(argument);
  Block *block = argument.getParentBlock();
  for (Operation *user : argument.getUsers())
    if (isa<LLVM::FPExtOp, arith::ExtFOp>(user) && user->getBlock() == block &&
        user->getResult(0).getType().isF32()) {
      user->moveBefore(block, builder.getInsertionPoint());
      return user->getResult(0);
    }
  if (isa<LLVM::LLVMFuncOp>(block->getParentOp()))
    return LLVM::FPExtOp::create(builder, argument.getLoc(),
                                 builder.getF32Type(), argument);
  return arith::ExtFOp::create(builder, argument.getLoc(), builder.getF32Type(),
                               argument);
}

static void mark(const Finding &finding) {
  Value value = finding.value;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  auto inlined =
      InlinedOp::create(builder, value.getLoc(), value.getType(),
                        finding.what.function, widen(builder, finding.argument),
                        value, finding.what.evidence == Evidence::Exhaustive);
  value.replaceAllUsesExcept(inlined.getResult(), inlined);
}

void PolyIdentifyPass::runOnOperation() {
  auto groups = collectDeviceGroups(getOperation());
  std::vector<std::vector<Finding>> findings(groups.size());
  parallelFor(&getContext(), 0, groups.size(), [&](size_t i) {
    for (Operation *root : groups[i]) {
      if (hasInherited(root, PolyDialect::kKeepAttr))
        continue;
      std::vector<Finding> some = findLibraryFunctions(root);
      llvm::for_each(some, mark);
      llvm::append_range(findings[i], some);
    }
  });
  size_t count = 0;
  for (const std::vector<Finding> &group : findings)
    for (const Finding &finding : group) {
      ++count;
      auto options =
          remark::RemarkOpts::name("inlined").category("poly-identify");
      bool isProof = finding.what.evidence == Evidence::Exhaustive;
      remark::analysis(finding.value.getLoc(), options) << remark::add(
          "{0}: {1}", finding.what.function,
          isProof ? "proved on every value that the argument can have"
                  : "agrees on a dense set of arguments and has the "
                    "library's constants");
    }
  if (count == 0)
    markAllAnalysesPreserved();
  numIdentified += count;
}
