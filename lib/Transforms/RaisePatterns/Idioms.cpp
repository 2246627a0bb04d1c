//===- Idioms.cpp - Find spelled-out functions ----------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The search has four steps.
///  1. For each exponential or tanh, the values its argument is a multiple of,
///     up to sign, are the possible variables ("bases").
///  2. From there on, values that depend on the exponential get a normal form
///     in that variable, user by user, for as long as they have one.
///  3. A form equal to a known function is a match.
///  4. A match that contains others replaces them if it is another function
///     (silu over sigmoid); otherwise the nearest one stays (1 - s beside s).
/// Each exponential looks at a bounded number of ops, so time is linear.
///
//===----------------------------------------------------------------------===//

#include "Idioms.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Transforms/DeviceCode.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"

#include <cmath>
#include <deque>

#define DEBUG_TYPE "poly-raise"

namespace mlir::poly {

namespace {

constexpr double kLn2 = 0.69314718055994530942; // ln(2)

/// Bounds of the search around one exponential. The longest spelling known,
/// a guarded one with a select on the sign, needs about half of each.
constexpr unsigned kMaxBases = 6;
constexpr unsigned kMaxBaseDepth = 8;
constexpr unsigned kMaxEvaluatedUsers = 24;
constexpr unsigned kMaxExaminedUsers = 48;
constexpr unsigned kMaxBackwardOps = 40;
constexpr unsigned kMaxBackwardDepth = 16;
constexpr unsigned kMaxIdiomOps = 48;
constexpr unsigned kMaxLivenessDepth = 6;

//===----------------------------------------------------------------------===//
// Forms of values
//===----------------------------------------------------------------------===//

/// Views and literals of one root, looked up once.
class ViewCache {
public:
  explicit ViewCache(Operation *root)
      : root(root), isRootIsolated(isIsolated(root)) {}

  const FloatView &getView(Operation *op) {
    auto [it, isNew] = views.try_emplace(op, nullptr);
    if (isNew) {
      // Host ops that a launch captures from are not part of any idiom.
      bool isInside = isRootIsolated || root->isProperAncestor(op);
      storage.push_back(isInside ? getFloatView(op) : FloatView());
      it->second = &storage.back();
    }
    return *it->second;
  }

  std::optional<double> getConstant(Value value) {
    auto [it, isNew] = constants.try_emplace(value, std::nullopt);
    if (isNew)
      it->second = getConstantNumber(value);
    return it->second;
  }

private:
  Operation *root;
  bool isRootIsolated;
  std::deque<FloatView> storage;
  llvm::DenseMap<Operation *, const FloatView *> views;
  llvm::DenseMap<Value, std::optional<double>> constants;
};

/// What is known about a value.
struct ValueForm {
  NormalForm form;
  /// A NaN base gives NaN, as it does in all known functions. Forms themselves
  /// know nothing of NaN.
  bool isNaNOfNaN;
};

/// Computes the normal forms of values in terms of one base.
class FormBuilder {
public:
  FormBuilder(Value base, ViewCache &views)
      : base(base), baseOp(base.getDefiningOp()), views(views) {}

  /// The form of \p value, or null when it has none.
  const ValueForm *get(Value value) {
    budget = kMaxBackwardOps;
    const ValueForm *form = nullptr;
    return visit(value, 0, form) == Outcome::Known ? form : nullptr;
  }

private:
  enum class Outcome { Known, None, OutOfBudget };

  Outcome visit(Value value, unsigned depth, const ValueForm *&form);
  Outcome compute(Value value, unsigned depth, const ValueForm *&form);
  static std::optional<NormalForm> apply(const FloatView &view,
                                         ArrayRef<const ValueForm *> operands);
  static bool isNaNOfNaN(const FloatView &view,
                         ArrayRef<const ValueForm *> operands);
  const ValueForm *keep(NormalForm form, bool isNaNOfNaN) {
    forms.push_back({std::move(form), isNaNOfNaN});
    return &forms.back();
  }

  Value base;
  Operation *baseOp;
  ViewCache &views;
  unsigned budget = 0;
  /// Null for a value that has no form or whose form is being computed; the
  /// latter is met again only in a cycle of unreachable code.
  llvm::DenseMap<Value, const ValueForm *> known;
  std::deque<ValueForm> forms;
};

FormBuilder::Outcome FormBuilder::visit(Value value, unsigned depth,
                                        const ValueForm *&form) {
  auto [it, isNew] = known.try_emplace(value, nullptr);
  if (!isNew) {
    form = it->second;
    return form ? Outcome::Known : Outcome::None;
  }
  Outcome outcome = compute(value, depth, form);
  // A value that was too far away for this query may be near for another.
  if (outcome == Outcome::OutOfBudget)
    known.erase(value);
  else if (outcome == Outcome::Known)
    known[value] = form;
  return outcome;
}

FormBuilder::Outcome FormBuilder::compute(Value value, unsigned depth,
                                          const ValueForm *&form) {
  if (value == base) {
    form = keep(NormalForm::linear(1), true);
    return Outcome::Known;
  }
  if (std::optional<double> number = views.getConstant(value)) {
    if (!std::isfinite(*number))
      return Outcome::None;
    form = keep(NormalForm::constant(*number), false);
    return Outcome::Known;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return Outcome::None;
  // Nothing above the base depends on it.
  if (baseOp && op->getBlock() == baseOp->getBlock() &&
      op->isBeforeInBlock(baseOp))
    return Outcome::None;
  const FloatView &view = views.getView(op);
  if (view.kind == FloatKind::Opaque)
    return Outcome::None;
  if (depth == kMaxBackwardDepth || budget == 0)
    return Outcome::OutOfBudget;
  --budget;

  std::array<const ValueForm *, 4> operands;
  bool outOfBudget = false;
  for (auto [i, operand] : llvm::enumerate(view.getOperands())) {
    Outcome outcome = visit(operand, depth + 1, operands[i]);
    if (outcome == Outcome::None)
      return Outcome::None;
    outOfBudget |= outcome == Outcome::OutOfBudget;
  }
  if (outOfBudget)
    return Outcome::OutOfBudget;
  auto forms = ArrayRef(operands.data(), view.numOperands);
  std::optional<NormalForm> result = apply(view, forms);
  if (!result)
    return Outcome::None;
  form = keep(std::move(*result), isNaNOfNaN(view, forms));
  return Outcome::Known;
}

std::optional<NormalForm>
FormBuilder::apply(const FloatView &view,
                   ArrayRef<const ValueForm *> operands) {
  const NormalForm &a = operands[0]->form;
  switch (view.kind) {
  case FloatKind::Opaque:
    return std::nullopt;
  case FloatKind::Add:
    return NormalForm::add(a, operands[1]->form);
  case FloatKind::Sub:
    return NormalForm::sub(a, operands[1]->form);
  case FloatKind::Mul:
    return NormalForm::mul(a, operands[1]->form);
  case FloatKind::Div:
    return NormalForm::div(a, operands[1]->form);
  case FloatKind::Rcp:
    return NormalForm::div(NormalForm::constant(1), a);
  case FloatKind::Neg:
    return a.negated();
  case FloatKind::Fma: {
    std::optional<NormalForm> product = NormalForm::mul(a, operands[1]->form);
    return product ? NormalForm::add(*product, operands[2]->form)
                   : std::nullopt;
  }
  case FloatKind::Exp:
    return a.exponential(1);
  case FloatKind::Exp2:
    return a.exponential(kLn2);
  case FloatKind::ExpM1: {
    std::optional<NormalForm> e = a.exponential(1);
    return e ? NormalForm::sub(*e, NormalForm::constant(1)) : std::nullopt;
  }
  case FloatKind::Tanh:
    return a.tanh();
  case FloatKind::Abs:
    return a.abs();
  case FloatKind::CopySign:
    return NormalForm::copySign(a, operands[1]->form);
  case FloatKind::Max:
    return NormalForm::select(a, operands[1]->form, operands[1]->form, a);
  case FloatKind::Min:
    return NormalForm::select(a, operands[1]->form, a, operands[1]->form);
  case FloatKind::Ext:
    return a;
  case FloatKind::Select:
    return NormalForm::select(a, operands[1]->form, operands[2]->form,
                              operands[3]->form);
  }
  return std::nullopt;
}

bool FormBuilder::isNaNOfNaN(const FloatView &view,
                             ArrayRef<const ValueForm *> operands) {
  auto isNaN = [](const ValueForm *operand) { return operand->isNaNOfNaN; };
  switch (view.kind) {
  case FloatKind::Max:
  case FloatKind::Min:
    return view.isNumber ? llvm::all_of(operands, isNaN)
                         : llvm::any_of(operands, isNaN);
  case FloatKind::CopySign:
    return isNaN(operands[0]);
  case FloatKind::Select:
    if (isNaN(operands[0]) || isNaN(operands[1]))
      return isNaN(operands[view.unorderedOperand]);
    return isNaN(operands[2]) && isNaN(operands[3]);
  default:
    return llvm::any_of(operands, isNaN);
  }
}

//===----------------------------------------------------------------------===//
// Candidate bases
//===----------------------------------------------------------------------===//

/// Collects the values that an exponential's argument may be a multiple of.
/// Negation and widening are always looked through, so that f(x) and f(-x) are
/// functions of the same base.
class BaseCollector {
public:
  explicit BaseCollector(ViewCache &views) : views(views) {}

  ArrayRef<Value> collect(Value argument) {
    bases.clear();
    visit(argument, 0);
    return bases.getArrayRef();
  }

private:
  void visit(Value value, unsigned depth);
  void visitNonConstant(ArrayRef<Value> values, unsigned depth) {
    for (Value value : values)
      if (!views.getConstant(value))
        visit(value, depth + 1);
  }

  ViewCache &views;
  llvm::SmallSetVector<Value, kMaxBases> bases;
};

void BaseCollector::visit(Value value, unsigned depth) {
  if (depth > kMaxBaseDepth || bases.size() == kMaxBases)
    return;
  Operation *op = value.getDefiningOp();
  FloatView view = op ? views.getView(op) : FloatView();
  ArrayRef<Value> operands = view.getOperands();
  if (view.kind == FloatKind::Neg || view.kind == FloatKind::Ext) {
    visit(operands[0], depth + 1);
    return;
  }
  bases.insert(value);
  switch (view.kind) {
  case FloatKind::Add:
  case FloatKind::Sub: {
    // x + x, 0 - x and x + 0; a sum of different values is no multiple.
    bool isDouble = operands[0] == operands[1];
    if (isDouble || views.getConstant(operands[0]) ||
        views.getConstant(operands[1]))
      visitNonConstant(operands.take_front(isDouble ? 1 : 2), depth);
    return;
  }
  case FloatKind::Fma:
    if (views.getConstant(operands[2]))
      visitNonConstant(operands.take_front(2), depth);
    return;
  case FloatKind::Mul:
  case FloatKind::Abs:
  case FloatKind::CopySign:
  case FloatKind::Max:
  case FloatKind::Min:
  case FloatKind::Select:
    visitNonConstant(operands, depth);
    return;
  case FloatKind::Div:
    visitNonConstant(operands.take_front(1), depth);
    return;
  default:
    return;
  }
}

/// Whether the exponential \p view can be part of a known function of the base
/// of \p forms: these are built from exp(r x) with r = 1/2, 1 or 2.
bool isUsableBase(const FloatView &view, FormBuilder &forms) {
  const ValueForm *argument = forms.get(view.operands[0]);
  std::optional<std::array<double, 2>> slopes =
      argument ? argument->form.slopes() : std::nullopt;
  if (!slopes)
    return false;
  double scale = view.kind == FloatKind::Exp2 ? kLn2 : 1;
  return llvm::all_of(*slopes, [&](double slope) {
    double rate = std::abs(slope * scale);
    return llvm::any_of(std::array{0.5, 1.0, 2.0}, [&](double known) {
      return std::abs(rate - known) < 1e-6;
    });
  });
}

//===----------------------------------------------------------------------===//
// Matches
//===----------------------------------------------------------------------===//

bool isReplaced(Operation *root) {
  return llvm::any_of(root->getUses(), [](OpOperand &use) {
    return getFunction(use.getOwner()) && use.getOperandNumber() == 1;
  });
}

/// Whether anything observable can depend on \p op. Gives up, with yes, on
/// long chains of pure ops.
bool isLive(Operation *op, unsigned depth = 0) {
  if (depth == kMaxLivenessDepth)
    return true;
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return user->getNumRegions() != 0 || isTerminator(user) ||
           !isMemoryEffectFree(user) || isLive(user, depth + 1);
  });
}

/// Collects the ops between the base and the root of \p idiom.
bool collectOps(Idiom &idiom, ViewCache &views) {
  idiom.ops.insert(idiom.root);
  for (unsigned i = 0; i < idiom.ops.size(); ++i) {
    const FloatView &view = views.getView(idiom.ops[i]);
    if (view.compare)
      idiom.ops.insert(view.compare);
    for (Value operand : view.getOperands())
      if (operand != idiom.base && !views.getConstant(operand))
        idiom.ops.insert(operand.getDefiningOp());
    if (idiom.ops.size() > kMaxIdiomOps)
      return false;
  }
  return true;
}

/// A keep attribute on or around any op keeps the whole idiom.
bool isKept(const Idiom &idiom) {
  return hasInherited(idiom.root, PolyDialect::kKeepAttr) ||
         llvm::any_of(idiom.ops, [](Operation *op) {
           return op->hasAttr(PolyDialect::kKeepAttr);
         });
}

class IdiomFinder {
public:
  explicit IdiomFinder(Operation *root) : root(root), views(root) {}

  std::vector<Idiom> find();

private:
  enum class State { Unseen, Open, Kept, Dropped };

  void searchBase(Value base, ArrayRef<Operation *> seeds);
  void searchUsers(Operation *seed, Value base, FormBuilder &forms,
                   llvm::SmallPtrSetImpl<Operation *> &seen);
  void addMatch(Operation *op, Value base, Target target);
  void resolve(unsigned index);

  Operation *root;
  ViewCache views;
  std::vector<Idiom> matches;
  std::vector<State> states;
  llvm::DenseMap<Operation *, unsigned> matchOfRoot;
};

void IdiomFinder::addMatch(Operation *op, Value base, Target target) {
  Idiom idiom;
  idiom.root = op;
  idiom.base = base;
  idiom.target = target;
  idiom.isRaised = isReplaced(op);
  if (!collectOps(idiom, views)) {
    LLVM_DEBUG(llvm::dbgs() << "too many ops for one idiom: " << *op << "\n");
    return;
  }
  if (isKept(idiom)) {
    LLVM_DEBUG(llvm::dbgs() << "marked to be kept: " << *op << "\n");
    return;
  }
  if (!idiom.isRaised && !isLive(op)) {
    LLVM_DEBUG(llvm::dbgs() << "dead: " << *op << "\n");
    return;
  }
  auto [it, isNew] = matchOfRoot.try_emplace(op, matches.size());
  if (isNew)
    matches.push_back(std::move(idiom));
  // The same function of two bases: one is the other, or its negation, by a
  // detour such as 0 - x. The one further away is the source's argument.
  else if (idiom.ops.size() > matches[it->second].ops.size())
    matches[it->second] = std::move(idiom);
}

void IdiomFinder::searchUsers(Operation *seed, Value base, FormBuilder &forms,
                              llvm::SmallPtrSetImpl<Operation *> &seen) {
  SmallVector<Operation *, 16> queue = {seed};
  unsigned evaluated = 0;
  for (unsigned i = 0; i < queue.size(); ++i) {
    Operation *op = queue[i];
    const ValueForm *value = forms.get(op->getResult(0));
    if (!value)
      continue;
    std::optional<Target> target = matchTarget(value->form);
    if (target && value->isNaNOfNaN)
      addMatch(op, base, *target);
    else
      LLVM_DEBUG(llvm::dbgs()
                 << "no known function of " << base << ": " << *op << "\n");
    if (++evaluated == kMaxEvaluatedUsers)
      break;
    for (Operation *user : op->getUsers()) {
      if (queue.size() == kMaxExaminedUsers)
        break;
      // What another exponential of this base has reached is done.
      if (views.getView(user).kind != FloatKind::Opaque &&
          seen.insert(user).second)
        queue.push_back(user);
    }
  }
}

void IdiomFinder::searchBase(Value base, ArrayRef<Operation *> seeds) {
  FormBuilder forms(base, views);
  llvm::SmallPtrSet<Operation *, 16> seen;
  for (Operation *seed : seeds)
    if (isUsableBase(views.getView(seed), forms) && seen.insert(seed).second)
      searchUsers(seed, base, forms, seen);
}

/// Decides between a match and those inside it, which are decided first.
void IdiomFinder::resolve(unsigned index) {
  if (states[index] != State::Unseen)
    return;
  states[index] = State::Open;
  Idiom &outer = matches[index];
  SmallVector<unsigned, 4> keptInside;
  unsigned sameInside = 0, sameKept = 0;
  for (Operation *op : outer.ops) {
    auto it = matchOfRoot.find(op);
    if (it == matchOfRoot.end() || it->second == index)
      continue;
    unsigned inner = it->second;
    resolve(inner);
    bool isSame = matches[inner].base == outer.base &&
                  matches[inner].target.function == outer.target.function;
    sameInside += isSame;
    if (states[inner] == State::Kept) {
      keptInside.push_back(inner);
      sameKept += isSame;
    }
  }
  // Two spellings for the halves of the line, joined by a select, are one
  // function; the same function over a single one, such as 1 - s, is not.
  bool joins = sameKept >= 2 && sameKept == keptInside.size();
  if (sameInside != 0 && !joins) {
    states[index] = State::Dropped;
    return;
  }
  for (unsigned inner : keptInside)
    states[inner] = State::Dropped;
  states[index] = State::Kept;
}

std::vector<Idiom> IdiomFinder::find() {
  llvm::MapVector<Value, SmallVector<Operation *, 2>> seedsOfBase;
  BaseCollector collector(views);
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumRegions() != 0 && op->hasAttr(PolyDialect::kKeepAttr))
      return WalkResult::skip();
    FloatView view = getFloatView(op);
    if (isTranscendental(view.kind) && !views.getConstant(view.operands[0]))
      for (Value base : collector.collect(view.operands[0]))
        seedsOfBase[base].push_back(op);
    return WalkResult::advance();
  });
  for (auto &[base, seeds] : seedsOfBase)
    searchBase(base, seeds);

  states.assign(matches.size(), State::Unseen);
  for (unsigned i = 0; i < matches.size(); ++i)
    resolve(i);
  std::vector<Idiom> result;
  for (auto [i, idiom] : llvm::enumerate(matches))
    if (states[i] == State::Kept)
      result.push_back(std::move(idiom));
  return result;
}

} // namespace

std::vector<Idiom> findIdioms(Operation *root) {
  return IdiomFinder(root).find();
}

arith::FastMathFlags getCommonFlags(const Idiom &idiom) {
  arith::FastMathFlags common = arith::FastMathFlags::fast;
  for (Operation *op : idiom.ops) {
    FloatKind kind = getFloatView(op).kind;
    if (kind == FloatKind::Ext)
      continue;
    // A rounding op that cannot carry flags has none; an exact one says
    // nothing.
    if (std::optional<arith::FastMathFlags> flags = getFastMathFlags(op))
      common = common & *flags;
    else if (isRounding(kind))
      common = arith::FastMathFlags::none;
  }
  return common;
}

bool hasConsent(const Idiom &idiom) {
  bool allAfn = true, allFast = true;
  for (Operation *op : idiom.ops) {
    FloatView view = getFloatView(op);
    arith::FastMathFlags flags =
        getFastMathFlags(op).value_or(arith::FastMathFlags::none);
    if (isRounding(view.kind) &&
        !arith::bitEnumContainsAll(flags, arith::FastMathFlags::afn))
      allAfn = false;
    if (isApproximable(view.kind) && !view.isFast)
      allFast = false;
  }
  return allAfn || allFast;
}

} // namespace mlir::poly
