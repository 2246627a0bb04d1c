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
///     It does not if other arithmetic uses what is inside: then that is the
///     site, and all its users see one value.
///  5. Exponentials that are part of no match are sites of their own, unless
///     they are part of something that is almost a known function.
/// Each exponential looks at a bounded number of ops, so time is linear.
///
//===----------------------------------------------------------------------===//

#include "Idioms.h"

#include "Forms.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Dialect/Poly/RescaledAttr.h"
#include "poly/Transforms/DeviceCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <map>

#define DEBUG_TYPE "poly-raise"

namespace mlir::poly {

using ::poly::Function;

namespace {

/// Bounds of the search around one exponential. The longest spelling known,
/// a derivative of GELU, needs about half of each.
constexpr unsigned kMaxEvaluatedUsers = 28;
constexpr unsigned kMaxExaminedUsers = 56;
constexpr unsigned kMaxIdiomOps = 48;
constexpr unsigned kMaxLivenessDepth = 6;

//===----------------------------------------------------------------------===//
// Matches
//===----------------------------------------------------------------------===//

bool isReplaced(Operation *root) {
  return llvm::any_of(root->getUses(), [](OpOperand &use) {
    return use.getOwner()->hasAttr(kRescaledAttr) ||
           (getFunction(use.getOwner()) && use.getOperandNumber() == 1);
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

/// The same of an op that may have no result.
bool isObservable(Operation *op) {
  return op->getNumRegions() != 0 || isTerminator(op) ||
         !isMemoryEffectFree(op) || isLive(op);
}

/// Collects the ops between the base and the root of \p idiom.
bool collectOps(Idiom &idiom, ViewCache &views) {
  idiom.ops.insert(idiom.root);
  llvm::SmallSetVector<Value, 12> values;
  values.insert(idiom.root->getResult(0));
  for (unsigned i = 0; i < values.size(); ++i) {
    const FloatView &view = views.getView(values[i]);
    idiom.hasMerges |= isMerge(values[i]);
    if (view.compare)
      idiom.ops.insert(view.compare);
    // The numerator may be anything.
    bool isQuotient = i == 0 && idiom.numerator;
    for (Value operand : view.getOperands().drop_front(isQuotient))
      if (operand != idiom.base && !views.getConstant(operand)) {
        values.insert(operand);
        if (Operation *op = operand.getDefiningOp())
          idiom.ops.insert(op);
      }
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

/// Any constant, of equal lanes or not.
bool isLiteral(Value value) {
  return value.getDefiningOp<arith::ConstantOp>() ||
         value.getDefiningOp<LLVM::ConstantOp>();
}

bool isDerivative(Function function) {
  return function >= Function::DSigmoid && function <= Function::DGeluTanh;
}

StringRef toStringRef(std::string_view text) {
  return StringRef(text.data(), text.size());
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

class IdiomFinder {
public:
  explicit IdiomFinder(Operation *root) : root(root), views(root) {}

  std::vector<Idiom> find();
  /// After find().
  std::vector<NearMiss> takeNearMisses();

private:
  enum class State { Unseen, Open, Kept, Dropped };

  void searchBase(Value base, ArrayRef<Operation *> seeds);
  void searchUsers(Operation *seed, Value base, ArrayRef<double> scales,
                   FormBuilder &forms, llvm::DenseSet<Value> &seen);
  void match(Operation *op, const ValueForm *value, Value base,
             ArrayRef<double> scales, FormBuilder &forms);
  void addMatch(Operation *op, Value base, Target target);
  bool addQuotient(Operation *op, Value base, ArrayRef<double> scales,
                   FormBuilder &forms);
  bool isClosed(const Idiom &quotient);
  void add(Idiom idiom);
  void noteNearMiss(Operation *op, Value base, Function function);
  void noteUnsupported(Operation *op);
  void note(Operation *op, StringRef function, const Twine &whyNot) {
    notes.push_back({op, function, whyNot.str()});
  }

  void resolveAll();
  void resolve(unsigned index);
  static bool isUsedOutside(const Idiom &inner, const Idiom &outer);
  static bool isValueBeside(const Idiom &inner, const Idiom &outer);
  bool resolveMultiple(Idiom &outer, ArrayRef<unsigned> inside);
  bool dropSharers();
  void ban(unsigned outer, const Idiom &inner, bool isComputedFromIt);
  void noteShared();
  void markPairs();
  void addExponential(Operation *op);

  Operation *root;
  ViewCache views;
  std::vector<Idiom> matches;
  std::vector<State> states;
  /// Matches that other uses of what is inside forbid.
  std::vector<bool> banned;
  /// Why, and why others were dropped.
  std::map<unsigned, std::string> whyDropped;
  llvm::DenseMap<Operation *, unsigned> matchOfRoot;
  /// All exponentials, in order.
  std::vector<Operation *> seeds;
  /// Exponentials that are not to become sites of their own.
  llvm::DenseSet<Operation *> untouchable;
  /// Ops that are almost a known function.
  llvm::DenseSet<Operation *> nearMisses;
  std::vector<NearMiss> notes;
  /// Parts of sites that other code needs as they are.
  std::vector<NearMiss> partNotes;
  /// What an exponential is part of that is no single function op.
  llvm::DenseMap<Operation *, StringRef> labels;
};

void IdiomFinder::addMatch(Operation *op, Value base, Target target) {
  Idiom idiom;
  idiom.root = op;
  idiom.base = base;
  idiom.target = target;
  add(std::move(idiom));
}

/// y / (1 + exp(-x)) is y times the sigmoid of x: a gated unit, or a Swish
/// whose slope is so steep that the product with x may overflow. In types
/// narrower than f32 the sigmoid would be rounded once more.
bool IdiomFinder::addQuotient(Operation *op, Value base,
                              ArrayRef<double> scales, FormBuilder &forms) {
  const FloatView &view = views.getView(op);
  if (view.kind != FloatKind::Div || views.getConstant(view.operands[0]) ||
      getElementFormat(op->getResult(0).getType()) != ::poly::Format::F32)
    return false;
  const ValueForm *denominator = forms.get(view.operands[1]);
  if (!denominator || !denominator->isNaNOfNaN)
    return false;
  std::optional<NormalForm> inverse =
      NormalForm::div(NormalForm::constant(1), denominator->form);
  std::optional<Target> target =
      inverse ? matchTarget(*inverse, scales) : std::nullopt;
  if (!target || target->function != Function::Sigmoid || target->factor != 1)
    return false;
  Idiom idiom;
  idiom.root = op;
  idiom.base = base;
  idiom.target = *target;
  idiom.numerator = view.operands[0];
  const ValueForm *numerator = forms.get(idiom.numerator);
  if (numerator && numerator->form.isSame(NormalForm::linear(1)))
    idiom.kind = isQuickGeluScale(target->scale) ? "quick_gelu" : "swish";
  if (!collectOps(idiom, views) || !isClosed(idiom))
    return false;
  idiom.ops.clear();
  add(std::move(idiom));
  return true;
}

/// Whether what \p quotient computes from its exponential serves nothing but
/// divisions by its denominator: otherwise the exponential would remain.
bool IdiomFinder::isClosed(const Idiom &quotient) {
  Value denominator = views.getView(quotient.root).operands[1];
  // From the denominator down to the exponentials; beyond them is the argument.
  llvm::SmallSetVector<Operation *, 8> chain;
  chain.insert(denominator.getDefiningOp());
  for (unsigned i = 0; i < chain.size(); ++i) {
    // Another side of a branch has uses of its own.
    if (!chain[i] || isMerge(chain[i]->getResult(0)))
      return false;
    if (isTranscendental(views.getView(chain[i]).kind))
      continue;
    for (Value operand : views.getView(chain[i]).getOperands())
      if (operand != quotient.base && !views.getConstant(operand))
        chain.insert(operand.getDefiningOp());
  }
  return llvm::all_of(chain, [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      const FloatView &view = views.getView(user);
      bool divides = view.kind == FloatKind::Div || view.kind == FloatKind::Rcp;
      return chain.contains(user) || !isObservable(user) ||
             (divides && view.operands[view.numOperands - 1] == denominator &&
              (view.numOperands == 1 || view.operands[0] != denominator));
    });
  });
}

void IdiomFinder::add(Idiom idiom) {
  Operation *op = idiom.root;
  const Target &target = idiom.target;
  idiom.isRaised = isReplaced(op);
  if (!collectOps(idiom, views)) {
    note(op, toStringRef(::poly::name(target.function)),
         "it takes more operations than are looked at");
    return;
  }
  // One side of a branch may be constant where the argument is not defined.
  if (idiom.hasMerges &&
      !DominanceInfo(op->getParentOp()).properlyDominates(idiom.base, op))
    return;
  if (isKept(idiom)) {
    note(op, toStringRef(::poly::name(target.function)),
         "it is marked poly.keep");
    untouchable.insert(idiom.ops.begin(), idiom.ops.end());
    return;
  }
  if (!idiom.isRaised && !isLive(op)) {
    LLVM_DEBUG(llvm::dbgs() << "dead: " << *op << "\n");
    return;
  }
  auto [it, isNew] = matchOfRoot.try_emplace(op, matches.size());
  if (isNew) {
    matches.push_back(std::move(idiom));
    return;
  }
  // The same function of two variables. A whole function is better than a
  // product with one; an argument that the source has is better than one to be
  // made; then the one further away is the source's: one is the other, or its
  // negation, by a detour such as 0 - x.
  Idiom &known = matches[it->second];
  auto rank = [](const Idiom &match) {
    return std::make_tuple(!match.numerator, match.target.factor == 1,
                           match.target.scale == 1, match.ops.size());
  };
  // How the numerator depends on the argument shows with one of them only.
  StringRef kind = known.kind.empty() ? idiom.kind : known.kind;
  if (rank(idiom) > rank(known))
    known = std::move(idiom);
  known.kind = known.numerator ? kind : StringRef();
}

/// Exponentials of a near miss stay: whoever wrote 1.001 may have meant it.
void IdiomFinder::noteNearMiss(Operation *op, Value base, Function function) {
  Idiom idiom;
  idiom.root = op;
  idiom.base = base;
  if (nearMisses.insert(op).second)
    note(op, toStringRef(::poly::name(function)),
         "a constant differs from that of the function");
  if (collectOps(idiom, views))
    untouchable.insert(idiom.ops.begin(), idiom.ops.end());
}

void IdiomFinder::searchUsers(Operation *seed, Value base,
                              ArrayRef<double> scales, FormBuilder &forms,
                              llvm::DenseSet<Value> &seen) {
  SmallVector<Value, 16> queue = {seed->getResult(0)};
  unsigned evaluated = 0;
  for (unsigned i = 0; i < queue.size(); ++i) {
    const ValueForm *value = forms.get(queue[i]);
    // What a branch merges is no root, nor one of several results.
    Operation *op = queue[i].getDefiningOp();
    if (op && op->getNumResults() == 1)
      match(op, value, base, scales, forms);
    if (!value)
      continue;
    if (++evaluated == kMaxEvaluatedUsers)
      break;
    forEachDependent(queue[i], [&](Value dependent) {
      // What another exponential of this base has reached is done.
      if (queue.size() < kMaxExaminedUsers &&
          views.getView(dependent).kind != FloatKind::Opaque &&
          seen.insert(dependent).second)
        queue.push_back(dependent);
    });
  }
}

/// Adds what \p op, whose form is \p value, is of a known function.
void IdiomFinder::match(Operation *op, const ValueForm *value, Value base,
                        ArrayRef<double> scales, FormBuilder &forms) {
  if (!value) {
    addQuotient(op, base, scales, forms);
    return;
  }
  std::optional<Target> target = matchTarget(value->form, scales);
  // A steep slope would take numbers past the largest one.
  bool isSteep = target && target->isProduct && std::abs(target->scale) > 1;
  bool isWhole = target && !isSteep;
  if (!isWhole && addQuotient(op, base, scales, forms))
    return;
  if (target && value->isNaNOfNaN)
    addMatch(op, base, *target);
  else if (target)
    note(op, toStringRef(::poly::name(target->function)),
         "it gives a number where the function gives NaN");
  else if (std::optional<Function> near = getNearTarget(value->form))
    noteNearMiss(op, base, *near);
}

void IdiomFinder::searchBase(Value base, ArrayRef<Operation *> seeds) {
  FormBuilder forms(base, views);
  llvm::DenseSet<Value> seen;
  for (Operation *seed : seeds)
    if (auto scales = getScales(views.getView(seed), forms))
      if (seen.insert(seed->getResult(0)).second)
        searchUsers(seed, base, *scales, forms, seen);
}

/// Whether a multiple of a function is a site: not if the function itself is
/// there as well. Of Swish, the sigmoid or the tanh of half of the argument.
bool IdiomFinder::resolveMultiple(Idiom &outer, ArrayRef<unsigned> inside) {
  StringRef label = !outer.target.isProduct                ? StringRef()
                    : isQuickGeluScale(outer.target.scale) ? "quick_gelu"
                                                           : "swish";
  outer.kind = label;
  if (outer.target.isProduct)
    for (Function function : {Function::Sigmoid, Function::Tanh}) {
      bool isInside = false;
      for (unsigned inner : inside)
        if (matches[inner].target.function == function) {
          matches[inner].kind = label;
          isInside = true;
        }
      if (isInside)
        return false;
    }
  if (!inside.empty())
    return false;
  // A steep slope would take numbers past the largest one, and the literals of
  // a narrow type would round the factor.
  int exponent = 0;
  bool isSteep = outer.target.isProduct && std::abs(outer.target.scale) > 1;
  bool isExact = std::abs(std::frexp(outer.target.factor, &exponent)) == 0.5;
  bool isWide = getElementFormat(outer.root->getResult(0).getType()) ==
                ::poly::Format::F32;
  if (!isSteep && (isExact || isWide))
    return true;
  for (Operation *op : outer.ops)
    if (isTranscendental(views.getView(op).kind))
      labels[op] = label;
  return false;
}

/// Whether anything outside of \p outer needs the value of \p inner.
bool IdiomFinder::isUsedOutside(const Idiom &inner, const Idiom &outer) {
  return llvm::any_of(inner.root->getUsers(), [&](Operation *user) {
    // A branch passes the value on to the rest of the function.
    bool isPassed = outer.hasMerges && isTerminator(user);
    return !isPassed && !outer.ops.contains(user) && isObservable(user);
  });
}

/// Whether \p inner is the function whose derivative \p outer is, and is an
/// output as well. A derivative of SiLU or GELU needs more than its value.
bool IdiomFinder::isValueBeside(const Idiom &inner, const Idiom &outer) {
  return inner.base == outer.base && inner.target.factor == 1 &&
         !inner.numerator &&
         ::poly::resultFunction(inner.target.function, 1) ==
             outer.target.function &&
         isUsedOutside(inner, outer);
}

/// Decides between a match and those inside it, which are decided first.
void IdiomFinder::resolve(unsigned index) {
  if (states[index] != State::Unseen)
    return;
  states[index] = State::Open;
  Idiom &outer = matches[index];
  SmallVector<unsigned, 4> keptInside;
  unsigned sameInside = 0, sameKept = 0;
  const Idiom *consentInside = nullptr;
  for (Operation *op : outer.ops) {
    auto it = matchOfRoot.find(op);
    if (it == matchOfRoot.end() || it->second == index)
      continue;
    unsigned inner = it->second;
    resolve(inner);
    bool isSame = matches[inner].base == outer.base &&
                  matches[inner].target.function == outer.target.function &&
                  matches[inner].target.factor == outer.target.factor &&
                  matches[inner].numerator == outer.numerator;
    sameInside += isSame;
    if (states[inner] == State::Kept) {
      keptInside.push_back(inner);
      sameKept += isSame;
      if (hasConsent(matches[inner]))
        consentInside = &matches[inner];
    }
  }
  if (outer.target.factor != 1 && !resolveMultiple(outer, keptInside)) {
    states[index] = State::Dropped;
    return;
  }
  // Two spellings for the halves of the line, joined by a select, are one
  // function; the same function over a single one, such as 1 - s, is not.
  bool joins = sameKept >= 2 && sameKept == keptInside.size();
  // Arithmetic without permission around a function with it is the source's.
  bool loses = isDerivative(outer.target.function) && consentInside &&
               !hasConsent(outer);
  if (loses)
    whyDropped[index] =
        llvm::formatv("the arithmetic around the {0} inside it has no "
                      "permission (afn): the {0} is the site",
                      toStringRef(::poly::name(consentInside->target.function)))
            .str();
  if (banned[index] || loses || (sameInside != 0 && !joins)) {
    states[index] = State::Dropped;
    return;
  }
  for (unsigned inner : keptInside)
    if (!isValueBeside(matches[inner], outer))
      states[inner] = State::Dropped;
  states[index] = State::Kept;
}

void IdiomFinder::ban(unsigned outer, const Idiom &inner,
                      bool isComputedFromIt) {
  banned[outer] = true;
  whyDropped[outer] =
      llvm::formatv(isComputedFromIt ? "it is computed from the {0}, which is "
                                       "a result as well: the {0} "
                                       "is the site"
                                     : "the {0} inside it has other uses, "
                                       "which must see the same value: "
                                       "the {0} is the site",
                    toStringRef(::poly::name(inner.target.function)))
          .str();
}

/// Says of larger functions why they are no sites, and of parts of sites that
/// they stay for other code.
void IdiomFinder::noteShared() {
  for (const auto &[index, why] : whyDropped)
    if (states[index] == State::Dropped)
      note(matches[index].root,
           toStringRef(::poly::name(matches[index].target.function)), why);
  for (auto [i, outer] : llvm::enumerate(matches)) {
    if (states[i] != State::Kept)
      continue;
    for (Operation *op : outer.ops) {
      auto it = matchOfRoot.find(op);
      if (it == matchOfRoot.end() || states[it->second] != State::Dropped ||
          !isUsedOutside(matches[it->second], outer))
        continue;
      partNotes.push_back(
          {op, toStringRef(::poly::name(matches[it->second].target.function)),
           llvm::formatv("its other uses keep the exact value; the {0} around "
                         "it is the site",
                         toStringRef(::poly::name(outer.target.function)))
               .str()});
    }
  }
}

/// Bans the matches that would replace part of the uses of a function: what
/// else is computed from it would see another value. Stored values are not
/// computed with here. Returns whether there was one.
bool IdiomFinder::dropSharers() {
  llvm::DenseMap<Operation *, SmallVector<unsigned, 2>> outerOf;
  for (auto [i, match] : llvm::enumerate(matches))
    if (states[i] == State::Kept)
      for (Operation *op : match.ops)
        if (op != match.root && matchOfRoot.contains(op))
          outerOf[op].push_back(i);
  bool changed = false;
  for (auto &entry : outerOf) {
    Operation *inner = entry.first;
    ArrayRef<unsigned> outers = entry.second;
    const Idiom &match = matches[matchOfRoot[inner]];
    if (match.target.factor != 1 || match.numerator)
      continue;
    // s (1 - s) beside s is computed from s.
    bool isSimple = match.target.function == Function::Sigmoid ||
                    match.target.function == Function::Tanh;
    for (unsigned outer : outers)
      if (isSimple && isValueBeside(match, matches[outer])) {
        ban(outer, match, /*isComputedFromIt=*/true);
        changed = true;
      }
    if (states[matchOfRoot[inner]] == State::Kept)
      continue;
    bool isShared = llvm::any_of(inner->getUsers(), [&](Operation *user) {
      return views.getView(user).kind != FloatKind::Opaque && isLive(user) &&
             llvm::none_of(outers, [&](unsigned outer) {
               return matches[outer].ops.contains(user);
             });
    });
    if (!isShared)
      continue;
    for (unsigned outer : outers) {
      ban(outer, match, /*isComputedFromIt=*/false);
      changed = true;
    }
  }
  return changed;
}

void IdiomFinder::resolveAll() {
  banned.clear();
  // What is almost a function of x is not that function of 1.0001 x.
  for (const Idiom &match : matches)
    banned.push_back((match.target.scale != 1 || match.target.factor != 1 ||
                      match.numerator) &&
                     nearMisses.contains(match.root));
  do {
    states.assign(matches.size(), State::Unseen);
    for (unsigned i = 0; i < matches.size(); ++i)
      resolve(i);
  } while (dropSharers());
}

/// A function and its derivative that share a transcendental op are planned
/// together.
void IdiomFinder::markPairs() {
  unsigned pairs = 0;
  llvm::MapVector<Operation *, SmallVector<unsigned, 2>> users;
  for (auto [i, match] : llvm::enumerate(matches))
    if (states[i] == State::Kept)
      for (Operation *op : match.ops)
        if (isTranscendental(views.getView(op).kind))
          users[op].push_back(i);
  for (auto &[op, sharers] : users)
    for (unsigned value : sharers)
      for (unsigned derivative : sharers) {
        Idiom &one = matches[value], &other = matches[derivative];
        if (::poly::resultFunction(one.target.function, 1) !=
                other.target.function ||
            one.base != other.base)
          continue;
        if (one.pair == 0)
          one.pair = other.pair != 0 ? other.pair : ++pairs;
        other.pair = one.pair;
      }
}

/// A lone exponential.
void IdiomFinder::addExponential(Operation *op) {
  const FloatView &view = views.getView(op);
  if (view.kind != FloatKind::Exp && view.kind != FloatKind::Exp2)
    return;
  Idiom idiom;
  idiom.root = op;
  idiom.base = view.operands[0];
  idiom.target.function =
      view.kind == FloatKind::Exp ? Function::Exp : Function::Exp2;
  idiom.ops.insert(op);
  idiom.isRaised = isReplaced(op);
  if (isKept(idiom) || (!idiom.isRaised && !isLive(op)))
    return;
  // 1 in most lanes: as near a miss as 1.001.
  for (Operation *user : op->getUsers())
    for (Value operand : views.getView(user).getOperands())
      if (!views.getConstant(operand) && isLiteral(operand))
        return note(op, toStringRef(::poly::name(idiom.target.function)),
                    "the lanes of a literal around it differ");
  idiom.exponent = analyzeExponent(idiom.base);
  bool isSoftmax = idiom.exponent.use == ExponentUse::Weight ||
                   idiom.exponent.use == ExponentUse::Correction;
  idiom.kind =
      isSoftmax && idiom.exponent.bound ? "softmax_exp" : labels.lookup(op);
  matches.push_back(std::move(idiom));
  states.push_back(State::Kept);
}

/// An exponential of a kind that no program serves.
void IdiomFinder::noteUnsupported(Operation *op) {
  if (auto inlineAsm = dyn_cast<LLVM::InlineAsmOp>(op)) {
    StringRef text = inlineAsm.getAsmString();
    if (inlineAsm.getHasSideEffects() &&
        (text.contains("ex2.approx") || text.contains("tanh.approx")))
      note(op, text.contains("ex2.approx") ? "exp2" : "tanh",
           "volatile assembly stays as it is");
    return;
  }
  if (!isa<math::ExpOp, math::Exp2Op, math::TanhOp, math::ErfOp, LLVM::ExpOp,
           LLVM::Exp2Op>(op))
    return;
  Type type = op->getResult(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  note(op, op->getName().stripDialect(),
       getElementTypeOrSelf(type).isF64() ? "no program computes f64"
       : isa<TensorType>(type)            ? "tensors stay"
       : vector && vector.isScalable()    ? "scalable vectors stay"
                                          : "no program serves its type");
}

/// Of what stays, the outermost ops that are part of no site.
std::vector<NearMiss> IdiomFinder::takeNearMisses() {
  llvm::DenseSet<Operation *> inSites;
  for (auto [i, match] : llvm::enumerate(matches))
    if (states[i] == State::Kept)
      inSites.insert(match.ops.begin(), match.ops.end());
  auto isInnerMiss = [&](const NearMiss &miss) {
    return llvm::any_of(miss.op->getUsers(), [&](Operation *user) {
      return nearMisses.contains(user);
    });
  };
  llvm::DenseSet<Operation *> seen;
  llvm::erase_if(notes, [&](const NearMiss &miss) {
    return inSites.contains(miss.op) || isInnerMiss(miss) || !isLive(miss.op) ||
           !seen.insert(miss.op).second;
  });
  llvm::append_range(notes, partNotes);
  return std::move(notes);
}

std::vector<Idiom> IdiomFinder::find() {
  llvm::MapVector<Value, SmallVector<Operation *, 2>> seedsOfBase;
  BaseCollector collector(views);
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumRegions() != 0 && op->hasAttr(PolyDialect::kKeepAttr))
      return WalkResult::skip();
    FloatView view = getFloatView(op);
    if (view.kind == FloatKind::Opaque)
      noteUnsupported(op);
    if (isTranscendental(view.kind) && !views.getConstant(view.operands[0])) {
      seeds.push_back(op);
      for (Value base : collector.collect(view.operands[0]))
        seedsOfBase[base].push_back(op);
    }
    return WalkResult::advance();
  });
  for (auto &[base, seeds] : seedsOfBase)
    searchBase(base, seeds);

  resolveAll();
  noteShared();
  markPairs();
  for (auto [i, match] : llvm::enumerate(matches))
    if (states[i] == State::Kept)
      untouchable.insert(match.ops.begin(), match.ops.end());
  for (Operation *seed : seeds)
    if (!untouchable.contains(seed))
      addExponential(seed);

  std::vector<Idiom> result;
  for (auto [i, idiom] : llvm::enumerate(matches)) {
    if (states[i] != State::Kept)
      continue;
    if (idiom.target.function == Function::Tanh && isSoftcap(idiom))
      idiom.kind = "softcap";
    if (idiom.kind.empty())
      idiom.kind = toStringRef(::poly::name(idiom.target.function));
    result.push_back(std::move(idiom));
  }
  return result;
}

} // namespace

std::vector<Idiom> findIdioms(Operation *root,
                              std::vector<NearMiss> *nearMisses) {
  IdiomFinder finder(root);
  std::vector<Idiom> idioms = finder.find();
  if (nearMisses)
    *nearMisses = finder.takeNearMisses();
  return idioms;
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
