//===- Raise.cpp - Recognise functions however they are spelled -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaisePatterns/Idioms.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/MapVector.h"

#include <atomic>

namespace mlir::poly {

#define GEN_PASS_DEF_POLYRAISE
#include "poly/Transforms/Passes.h.inc"

namespace {

/// The argument of an idiom in the type of its result: a value that exists, or
/// what has to be done to one.
struct Argument {
  Value value;
  bool needsExt = false;
  bool needsNeg = false;
};

/// 1 for the base itself or a widening of it, -1 for its negation, 0 for
/// anything else.
int getSignOfBase(Value value, Value base) {
  int sign = 1;
  while (value != base) {
    Operation *op = value.getDefiningOp();
    FloatView view = op ? getFloatView(op) : FloatView();
    if (view.kind != FloatKind::Neg && view.kind != FloatKind::Ext)
      return 0;
    if (view.kind == FloatKind::Neg)
      sign = -sign;
    value = view.operands[0];
  }
  return sign;
}

Argument findArgument(const Idiom &idiom) {
  Type type = idiom.root->getResult(0).getType();
  int wanted = idiom.target.negated ? -1 : 1;
  Argument fallback{idiom.base, idiom.base.getType() != type, wanted < 0};
  if (!fallback.needsExt && !fallback.needsNeg)
    return fallback;
  for (Operation *op : idiom.ops) {
    FloatKind kind = getFloatView(op).kind;
    if (kind != FloatKind::Neg && kind != FloatKind::Ext)
      continue;
    Value value = op->getResult(0);
    if (value.getType() != type)
      continue;
    int sign = getSignOfBase(value, idiom.base);
    if (sign == wanted)
      return {value};
    if (sign == -wanted && fallback.needsExt)
      fallback = {value, false, true};
  }
  return fallback;
}

/// Ops of the dialect that the source is written in, so that code which has
/// been lowered already stays lowered.
Value createArgument(OpBuilder &builder, const Idiom &idiom,
                     const Argument &argument) {
  Location loc = idiom.root->getLoc();
  Type type = idiom.root->getResult(0).getType();
  bool isLLVM = isa<LLVM::LLVMDialect>(idiom.root->getDialect());
  Value value = argument.value;
  if (argument.needsExt)
    value = isLLVM
                ? LLVM::FPExtOp::create(builder, loc, type, value).getResult()
                : arith::ExtFOp::create(builder, loc, type, value).getResult();
  if (argument.needsNeg)
    value = isLLVM ? LLVM::FNegOp::create(builder, loc, value).getResult()
                   : arith::NegFOp::create(builder, loc, value).getResult();
  return value;
}

/// Gives \p op the attributes by which the user steers the planner, wherever
/// in the idiom they stand. Of several budgets the one nearest to the root
/// counts.
void copySteering(const Idiom &idiom, Operation *op) {
  for (Operation *source : llvm::reverse(idiom.ops))
    for (NamedAttribute attribute : source->getDiscardableAttrs())
      if (isa_and_nonnull<PolyDialect>(attribute.getNameDialect()) &&
          !op->hasAttr(attribute.getName()))
        op->setAttr(attribute.getName(), attribute.getValue());
  if (Attribute budget = idiom.root->getAttr(PolyDialect::kAccuracyAttr))
    op->setAttr(PolyDialect::kAccuracyAttr, budget);
}

/// Inserts the function ops of one root. Returns how many.
unsigned raiseRoot(Operation *root) {
  if (hasInherited(root, PolyDialect::kKeepAttr))
    return 0;
  std::vector<Idiom> idioms = findIdioms(root);
  // Everything is looked up before anything is changed.
  std::vector<Argument> arguments;
  for (const Idiom &idiom : idioms)
    arguments.push_back(findArgument(idiom));

  unsigned raised = 0;
  llvm::DenseMap<Value, Value> replacements;
  for (auto [idiom, argument] : llvm::zip_equal(idioms, arguments)) {
    if (idiom.isRaised)
      continue;
    // The argument may be the result of another idiom.
    if (Value replacement = replacements.lookup(argument.value))
      argument.value = replacement;
    OpBuilder builder(idiom.root->getContext());
    builder.setInsertionPointAfter(idiom.root);
    Value original = idiom.root->getResult(0);
    Value operand = createArgument(builder, idiom, argument);
    Operation *op = createFunctionOp(builder, idiom.root->getLoc(),
                                     idiom.target.function, operand, original,
                                     getCommonFlags(idiom), hasConsent(idiom));
    copySteering(idiom, op);
    original.replaceAllUsesExcept(op->getResult(0), op);
    replacements[original] = op->getResult(0);
    ++raised;
  }
  return raised;
}

struct PolyRaisePass : impl::PolyRaiseBase<PolyRaisePass> {
  using Base::Base;

  void runOnOperation() override {
    std::atomic<unsigned> raised = 0;
    parallelForEach(&getContext(), collectDeviceGroups(getOperation()),
                    [&](const SmallVector<Operation *, 1> &roots) {
                      for (Operation *root : roots)
                        raised += raiseRoot(root);
                    });
    if (raised == 0)
      markAllAnalysesPreserved();
    numRaised += raised;
  }
};

} // namespace

} // namespace mlir::poly
