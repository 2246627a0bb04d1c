//===- Raise.cpp - Recognise functions however they are spelled -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaisePatterns/Idioms.h"
#include "RaisePatterns/Turns.h"
#include "Semantic/ValueGraph.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Dialect/Poly/RescaledAttr.h"
#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
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
  double scale = 1;
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
  Argument fallback{idiom.base, idiom.base.getType() != type, wanted < 0,
                    idiom.target.scale};
  if (!fallback.needsExt && !fallback.needsNeg)
    return fallback;
  for (Operation *op : idiom.ops) {
    FloatKind kind = getFloatView(op).kind;
    if (kind != FloatKind::Neg && kind != FloatKind::Ext)
      continue;
    Value value = op->getResult(0);
    // On one side of a branch only.
    bool isAside = idiom.hasMerges && op->getBlock() != idiom.root->getBlock();
    if (value.getType() != type || isAside)
      continue;
    int sign = getSignOfBase(value, idiom.base);
    if (sign == wanted)
      return {value, false, false, idiom.target.scale};
    if (sign == -wanted && fallback.needsExt)
      fallback = {value, false, true, idiom.target.scale};
  }
  return fallback;
}

/// value * number, in ops of the dialect that the source is written in, so that
/// code which has been lowered already stays lowered.
Value createProduct(OpBuilder &builder, const Idiom &idiom, Value value,
                    double number) {
  Location loc = idiom.root->getLoc();
  Type type = value.getType();
  TypedAttr attr =
      FloatAttr::get(cast<FloatType>(getElementTypeOrSelf(type)), number);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  if (isa<LLVM::LLVMDialect>(idiom.root->getDialect())) {
    Value factor = LLVM::ConstantOp::create(builder, loc, type, attr);
    return LLVM::FMulOp::create(builder, loc, value, factor);
  }
  Value factor = arith::ConstantOp::create(builder, loc, attr);
  return arith::MulFOp::create(builder, loc, value, factor);
}

/// \p a / \p b or \p a * \p b in the dialect of the idiom, marked as what falls
/// away with the function op.
template <typename ArithOp, typename LLVMOp>
Value createRescaling(OpBuilder &builder, const Idiom &idiom, Value a,
                      Value b) {
  Location loc = idiom.root->getLoc();
  Operation *op = nullptr;
  if (isa<LLVM::LLVMDialect>(idiom.root->getDialect()))
    op = LLVMOp::create(builder, loc, a, b);
  else
    op = ArithOp::create(builder, loc, a, b);
  op->setAttr(kRescaledAttr, builder.getUnitAttr());
  return op->getResult(0);
}

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
  // The sign of an argument that is scaled anyway goes into the scale.
  if (argument.scale != 1) {
    return createProduct(builder, idiom, value,
                         argument.needsNeg ? -argument.scale : argument.scale);
  }
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

ExpRole getRole(ExponentUse use) {
  switch (use) {
  case ExponentUse::Plain:
    return ExpRole::Plain;
  case ExponentUse::Weight:
    return ExpRole::Weight;
  case ExponentUse::Correction:
    return ExpRole::Correction;
  case ExponentUse::LogSumExp:
    return ExpRole::LogSumExp;
  case ExponentUse::Scale:
    return ExpRole::Scale;
  }
  return ExpRole::Plain;
}

/// Says on \p op what the function alone does not.
void annotate(const Idiom &idiom, Operation *op, unsigned &nextPair,
              llvm::DenseMap<unsigned, unsigned> &pairs) {
  OpBuilder builder(op->getContext());
  auto setExponent = [&](auto exponential) {
    exponential.setRole(getRole(idiom.exponent.use));
    if (idiom.exponent.bound)
      exponential.setBoundAttr(builder.getF64FloatAttr(*idiom.exponent.bound));
  };
  if (auto exp = dyn_cast<ExpOp>(op))
    setExponent(exp);
  else if (auto exp2 = dyn_cast<Exp2Op>(op))
    setExponent(exp2);
  std::string_view name = ::poly::name(idiom.target.function);
  if (idiom.kind != StringRef(name.data(), name.size()))
    op->setAttr(PolyDialect::kKindAttr, builder.getStringAttr(idiom.kind));
  if (idiom.pair != 0) {
    auto [it, isNew] = pairs.try_emplace(idiom.pair, nextPair);
    nextPair += isNew;
    op->setAttr(PolyDialect::kPairAttr, builder.getI64IntegerAttr(it->second));
  }
}

/// What is worth saying about code that stays, or a site without a proof.
struct Note {
  Location loc;
  std::string kind;
  std::string text;
};

/// Drops what was found inside the body of a library function that is known
/// as a whole: libdevice's tanhf computes tanh(|x|) on the way.
void dropInsideBodies(Operation *root, std::vector<Idiom> &idioms,
                      std::vector<NearMiss> &nearMisses) {
  llvm::DenseSet<Operation *> inside;
  ValueGraph graph;
  root->walk([&](InlinedOp inlined) {
    std::optional<UnaryBody> body =
        findBody(graph, inlined.getOriginal(), inlined.getOperand());
    // Guards may read what the argument is widened from.
    Operation *widening = inlined.getOperand().getDefiningOp();
    if (!body && isa_and_nonnull<arith::ExtFOp, LLVM::FPExtOp>(widening))
      body = findBody(graph, inlined.getOriginal(), widening->getOperand(0));
    if (!body)
      return;
    for (const GraphNode &node : llvm::drop_begin(body->nodes))
      if (Operation *op = node.value ? node.value.getDefiningOp() : nullptr)
        inside.insert(op);
  });
  if (inside.empty())
    return;
  llvm::erase_if(
      idioms, [&](const Idiom &idiom) { return inside.contains(idiom.root); });
  llvm::erase_if(nearMisses, [&](const NearMiss &miss) {
    return inside.contains(miss.op);
  });
}

void markRescaled(Value product) {
  Operation *op = product.getDefiningOp();
  op->setAttr(kRescaledAttr, UnitAttr::get(op->getContext()));
}

/// Inserts the ops of sines and cosines.
unsigned raiseTurns(TurnSearch &turns, unsigned &nextPair,
                    llvm::DenseMap<unsigned, unsigned> &pairs) {
  PhaseBuilder phases;
  for (TurnSite &site : turns.sites) {
    Idiom &idiom = site.idiom;
    OpBuilder builder(idiom.root->getContext());
    Value phase = phases.get(builder, site);
    builder.setInsertionPointAfter(idiom.root);
    Value original = idiom.root->getResult(site.result);
    Operation *op = createFunctionOp(
        builder, idiom.root->getLoc(), idiom.target.function, phase, original,
        getCommonFlags(idiom), hasTurnConsent(idiom));
    copySteering(idiom, op);
    annotate(idiom, op, nextPair, pairs);
    original.replaceAllUsesExcept(op->getResult(0), op);
  }
  return turns.sites.size();
}

/// Inserts the function ops of one root. Returns how many.
unsigned raiseRoot(Operation *root, std::vector<Note> &notes) {
  if (hasInherited(root, PolyDialect::kKeepAttr))
    return 0;
  std::vector<NearMiss> nearMisses;
  std::vector<Idiom> idioms = findIdioms(root, &nearMisses);
  dropInsideBodies(root, idioms, nearMisses);
  for (const NearMiss &miss : nearMisses)
    notes.push_back(
        {miss.op->getLoc(), miss.function.str(), "left alone: " + miss.whyNot});
  // Everything is looked up before anything is changed.
  TurnSearch turns = findTurns(root);
  for (const TurnRefusal &refusal : turns.refusals)
    notes.push_back({refusal.op->getLoc(), refusal.kind.str(), refusal.reason});
  std::vector<Argument> arguments;
  for (const Idiom &idiom : idioms)
    arguments.push_back(findArgument(idiom));

  unsigned raised = 0;
  // Numbers of pairs that an earlier run gave stay taken.
  unsigned nextPair = 0;
  root->walk([&](Operation *op) {
    if (auto pair = op->getAttrOfType<IntegerAttr>(PolyDialect::kPairAttr))
      nextPair = std::max<unsigned>(nextPair, pair.getInt() + 1);
  });
  llvm::DenseMap<unsigned, unsigned> pairs;
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
    // What the function op stands for, where the root is a multiple of it.
    bool isMultiple = idiom.target.factor != 1;
    Value replaced = original;
    if (isMultiple) {
      replaced =
          createProduct(builder, idiom, original, 1 / idiom.target.factor);
      markRescaled(replaced);
    }
    Value numerator = idiom.numerator;
    if (numerator) {
      if (Value replacement = replacements.lookup(numerator))
        numerator = replacement;
      replaced = createRescaling<arith::DivFOp, LLVM::FDivOp>(
          builder, idiom, original, numerator);
    }
    Operation *op = createFunctionOp(builder, idiom.root->getLoc(),
                                     idiom.target.function, operand, replaced,
                                     getCommonFlags(idiom), hasConsent(idiom));
    copySteering(idiom, op);
    annotate(idiom, op, nextPair, pairs);
    if (!idiom.exponent.whyNot.empty())
      notes.push_back({op->getLoc(), idiom.kind.str(),
                       "no row maximum: " + idiom.exponent.whyNot});
    Value result = op->getResult(0);
    if (isMultiple) {
      result = createProduct(builder, idiom, result, idiom.target.factor);
      markRescaled(result);
    }
    if (numerator)
      result = createRescaling<arith::MulFOp, LLVM::FMulOp>(builder, idiom,
                                                            result, numerator);
    llvm::SmallPtrSet<Operation *, 2> own = {op, replaced.getDefiningOp()};
    original.replaceAllUsesExcept(result, own);
    replacements[original] = result;
    ++raised;
  }
  return raised + raiseTurns(turns, nextPair, pairs);
}

struct PolyRaisePass : impl::PolyRaiseBase<PolyRaisePass> {
  using Base::Base;

  void runOnOperation() override {
    std::atomic<unsigned> raised = 0;
    auto groups = collectDeviceGroups(getOperation());
    std::vector<std::vector<Note>> notes(groups.size());
    parallelFor(&getContext(), 0, groups.size(), [&](size_t i) {
      for (Operation *root : groups[i])
        raised += raiseRoot(root, notes[i]);
    });
    // The remark engine is not thread safe.
    if (getContext().getRemarkEngine())
      for (const std::vector<Note> &ofGroup : notes)
        for (const Note &note : ofGroup)
          remark::analysis(
              note.loc,
              remark::RemarkOpts::name(note.kind).category("poly-raise"))
              << remark::add("{0}", note.text);
    if (raised == 0)
      markAllAnalysesPreserved();
    numRaised += raised;
  }
};

} // namespace

} // namespace mlir::poly
