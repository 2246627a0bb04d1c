//===- RowMaximum.cpp - Upper bounds of exponents -------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMaximum.h"

#include "RaisePatterns/FloatView.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mlir::poly {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A proof visits at most this many pairs of values.
constexpr unsigned kMaxSteps = 2000;
constexpr unsigned kMaxDepth = 40;
/// Longer vectors are not taken apart lane by lane.
constexpr int64_t kMaxLanes = 64;

/// One lane of a vector value, or all of a value; negated for sign -1.
struct Operand {
  Value value;
  int64_t lane = -1;
  int sign = 1;

  Operand with(Value other) const { return {other, lane, sign}; }
  Operand negated() const { return {value, lane, -sign}; }
};

/// A positive factor: a literal times a value that is not negative, if any.
struct Factor {
  double number = 1;
  Value runtime;

  bool isOne() const { return number == 1 && !runtime; }
  bool operator==(const Factor &other) const {
    return number == other.number && runtime == other.runtime;
  }
};

/// Value sources that name the same register under another type or shape.
Value lookThrough(Value value) {
  Operation *op = value.getDefiningOp();
  // Through an integer register and back.
  if (!op || !isa<arith::BitcastOp, LLVM::BitcastOp>(op))
    return value;
  Operation *inner = op->getOperand(0).getDefiningOp();
  if (inner && isa<arith::BitcastOp, LLVM::BitcastOp>(inner) &&
      inner->getOperand(0).getType() == value.getType())
    return inner->getOperand(0);
  return value;
}

/// The value that all predecessors pass for a block argument.
Value incomingValue(BlockArgument argument) {
  Block *block = argument.getOwner();
  if (block->isEntryBlock())
    return {};
  Value incoming;
  for (auto it = block->pred_begin(), end = block->pred_end(); it != end;
       ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    if (!branch)
      return {};
    Value passed = branch.getSuccessorOperands(
        it.getSuccessorIndex())[argument.getArgNumber()];
    if (!passed || (incoming && incoming != passed))
      return {};
    incoming = passed;
  }
  return incoming;
}

bool isScalar(Value value) { return !isa<VectorType>(value.getType()); }

int64_t laneCount(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector && !vector.isScalable() && vector.getRank() == 1
             ? vector.getNumElements()
             : 0;
}

std::optional<int64_t> constantIndex(Value value) {
  IntegerAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return attr.getValue().getSExtValue();
}

/// The vector and static lane that \p op extracts.
std::optional<std::pair<Value, int64_t>> viewExtract(Operation *op) {
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    if (extract.getStaticPosition().size() != 1 ||
        !extract.getDynamicPosition().empty() ||
        extract.getSourceVectorType().getRank() != 1)
      return std::nullopt;
    return std::make_pair(extract.getSource(), extract.getStaticPosition()[0]);
  }
  if (isa<LLVM::ExtractElementOp>(op))
    if (std::optional<int64_t> lane = constantIndex(op->getOperand(1)))
      return std::make_pair(op->getOperand(0), *lane);
  return std::nullopt;
}

/// The operands of a maximum over more than two elements: lanes of vectors,
/// plain values, other threads' values.
struct Reduction {
  Value elements; ///< A vector of which all elements take part, or this
                  ///< thread's own value.
  Value other;    ///< An accumulator.
  bool keepsNumbers = false; ///< NaN only when everything is.
};

std::optional<Reduction> viewMaxReduction(Operation *op) {
  auto view = [](auto nanKind, auto numberKind, auto kind, Value elements,
                 Value other) -> std::optional<Reduction> {
    if (kind != nanKind && kind != numberKind)
      return std::nullopt;
    return Reduction{elements, other, kind == numberKind};
  };
  using VectorKind = vector::CombiningKind;
  if (auto reduce = dyn_cast<vector::ReductionOp>(op))
    return view(VectorKind::MAXIMUMF, VectorKind::MAXNUMF, reduce.getKind(),
                reduce.getVector(), reduce.getAcc());
  if (auto reduce = dyn_cast<vector::MultiDimReductionOp>(op)) {
    if (!isScalar(reduce.getResult()))
      return std::nullopt;
    return view(VectorKind::MAXIMUMF, VectorKind::MAXNUMF, reduce.getKind(),
                reduce.getSource(), reduce.getAcc());
  }
  if (isa<LLVM::vector_reduce_fmax, LLVM::vector_reduce_fmaximum>(op))
    return Reduction{op->getOperand(0), {}, isa<LLVM::vector_reduce_fmax>(op)};
  using ThreadKind = gpu::AllReduceOperation;
  if (auto reduce = dyn_cast<gpu::AllReduceOp>(op)) {
    if (!reduce.getOp())
      return std::nullopt;
    return view(ThreadKind::MAXIMUMF, ThreadKind::MAXNUMF, *reduce.getOp(),
                reduce.getValue(), Value());
  }
  if (auto reduce = dyn_cast<gpu::SubgroupReduceOp>(op))
    return view(ThreadKind::MAXIMUMF, ThreadKind::MAXNUMF, reduce.getOp(),
                reduce.getValue(), Value());
  if (auto reduce = dyn_cast<NVVM::ReduxOp>(op))
    if (reduce.getKind() == NVVM::ReduxKind::FMAX && !reduce.getAbs())
      return Reduction{reduce.getVal(), {}, !reduce.getNan()};
  return std::nullopt;
}

/// Whether a maximum is NaN only when all that went into it is.
bool keepsNumbers(Value value, unsigned depth = 0);

/// The scalar that all lanes of \p op's result are.
Value viewSplat(Operation *op) {
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return isScalar(broadcast.getSource()) ? broadcast.getSource() : Value();
  // An insertion into lane 0 that a shuffle spreads.
  auto shuffle = dyn_cast<LLVM::ShuffleVectorOp>(op);
  if (!shuffle ||
      !llvm::all_of(shuffle.getMask(), [](int32_t lane) { return lane == 0; }))
    return {};
  auto insert = shuffle.getV1().getDefiningOp<LLVM::InsertElementOp>();
  if (!insert || constantIndex(insert.getPosition()) != 0)
    return {};
  return insert.getValue();
}

/// A select on a comparison of a value with a literal.
struct Guard {
  Value value;
  double limit;
  /// The operand, 1 or 2, of the select where value <= limit.
  unsigned boundedOperand;
  /// It is chosen for a NaN too.
  bool boundedIfNaN;
};

/// Everything a proof may use.
class Prover {
public:
  /// Proves factor * a <= m + slack.
  bool atMost(Operand a, Factor factor, Operand m, double &slack,
              unsigned depth = 0);
  /// An upper bound of sign * value.
  std::optional<double> upperBound(Operand operand, unsigned depth = 0);

  /// The difference whose sign was proved, minuend first.
  Operand provedMinuend, provedMaximum;
  /// What stood in the way.
  std::string whyNot;

private:
  bool isSame(Operand a, Operand m);
  bool atMostOfMaximum(Operand a, Factor factor, Operand m, double &slack,
                       unsigned depth);
  bool atMostElement(Operand a, Factor factor, Operand elements, double &slack,
                     unsigned depth);
  bool atMostOfSelect(Operand a, Factor factor, Operand m, Operation *select,
                      double &slack, unsigned depth);
  bool atMostOfProduct(Operand a, Factor factor, Operand m,
                       const FloatView &view, double &slack, unsigned depth);
  bool leftAtMost(Operand a, Factor factor, Operand m, double &slack,
                  unsigned depth);
  std::optional<Guard> viewGuard(Operation *select);
  std::optional<double> boundDifference(Operand a, Factor factor, Operand m,
                                        unsigned depth);
  std::optional<double> boundFma(const FloatView &view, Operand operand,
                                 unsigned depth);
  bool isNotNegative(Value value, unsigned depth = 0);
  /// |operand| as a factor when operand is a literal or never negative.
  std::optional<Factor> getFactor(Value value, int &sign);
  void noteUnknownScale(bool isKnown);

  unsigned steps = 0;
};

FloatView viewOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? getFloatView(op) : FloatView();
}

std::optional<double> literal(Operand operand) {
  std::optional<double> number = getLiteralNumber(operand.value);
  if (number)
    *number *= operand.sign;
  return number;
}

Value asSplatSource(Value value) {
  if (Operation *op = value.getDefiningOp())
    if (Value source = viewSplat(op))
      return source;
  return value;
}

bool Prover::isNotNegative(Value value, unsigned depth) {
  if (depth > 8)
    return false;
  if (std::optional<double> number = getLiteralNumber(value))
    return *number >= 0;
  value = asSplatSource(value);
  FloatView view = viewOf(value);
  switch (view.kind) {
  case FloatKind::Abs:
  case FloatKind::Exp:
  case FloatKind::Exp2:
    return true;
  case FloatKind::Max:
    return isNotNegative(view.operands[0], depth + 1) ||
           isNotNegative(view.operands[1], depth + 1);
  case FloatKind::Mul:
  case FloatKind::Add:
  case FloatKind::Div:
    return isNotNegative(view.operands[0], depth + 1) &&
           isNotNegative(view.operands[1], depth + 1);
  case FloatKind::Ext:
    return isNotNegative(view.operands[0], depth + 1);
  default:
    return false;
  }
}

std::optional<Factor> Prover::getFactor(Value value, int &sign) {
  sign = 1;
  if (std::optional<double> number = getLiteralNumber(value)) {
    if (*number == 0 || !std::isfinite(*number))
      return std::nullopt;
    sign = *number < 0 ? -1 : 1;
    return Factor{std::abs(*number), {}};
  }
  value = asSplatSource(value);
  FloatView view = viewOf(value);
  if (view.kind == FloatKind::Neg) {
    std::optional<Factor> factor = getFactor(view.operands[0], sign);
    sign = -sign;
    return factor;
  }
  if (isNotNegative(value))
    return Factor{1, value};
  return std::nullopt;
}

void Prover::noteUnknownScale(bool isKnown) {
  if (!isKnown && whyNot.empty())
    whyNot = "the scale is a run-time value that may be negative";
}

bool Prover::isSame(Operand a, Operand m) {
  if (a.sign != m.sign)
    return false;
  return a.value == m.value && a.lane == m.lane;
}

/// What a lane of an elementwise, splat or assembled vector is.
Operand resolveLane(Operand operand) {
  // Unreachable code may go in circles.
  for (unsigned step = 0; step < 32; ++step) {
    operand.value = lookThrough(operand.value);
    if (auto argument = dyn_cast<BlockArgument>(operand.value)) {
      Value incoming = incomingValue(argument);
      if (!incoming || incoming == operand.value)
        return operand;
      operand.value = incoming;
      continue;
    }
    Operation *op = operand.value.getDefiningOp();
    if (auto extracted = viewExtract(op)) {
      operand.value = extracted->first;
      operand.lane = extracted->second;
      continue;
    }
    if (Value source = viewSplat(op)) {
      operand.value = source;
      operand.lane = -1;
      continue;
    }
    auto build = dyn_cast<vector::FromElementsOp>(op);
    if (build && operand.lane >= 0 &&
        operand.lane < int64_t(build.getElements().size())) {
      operand.value = build.getElements()[operand.lane];
      operand.lane = -1;
      continue;
    }
    FloatView view = getFloatView(op);
    // Exact, so that it is the same number.
    if (view.kind == FloatKind::Ext) {
      operand.value = view.operands[0];
      continue;
    }
    if (view.kind == FloatKind::Neg) {
      operand.value = view.operands[0];
      operand.sign = -operand.sign;
      continue;
    }
    return operand;
  }
  return operand;
}

bool Prover::atMost(Operand a, Factor factor, Operand m, double &slack,
                    unsigned depth) {
  if (depth > kMaxDepth || ++steps > kMaxSteps)
    return false;
  a = resolveLane(a);
  m = resolveLane(m);
  if (factor.isOne() && isSame(a, m))
    return true;
  // Masked scores are minus infinity, which is below everything.
  if (literal(a) == -kInfinity)
    return true;
  double before = slack;
  if (atMostOfMaximum(a, factor, m, slack, depth))
    return true;
  slack = before;
  return leftAtMost(a, factor, m, slack, depth);
}

/// The rules that take the right-hand side apart.
bool Prover::atMostOfMaximum(Operand a, Factor factor, Operand m, double &slack,
                             unsigned depth) {
  Operation *op = m.value.getDefiningOp();
  if (!op)
    return false;
  if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(m.value).getResultNumber();
    if (ifOp.getElseRegion().empty())
      return false;
    double thenSlack = slack, elseSlack = slack;
    bool good = atMost(a, factor, m.with(ifOp.thenYield().getOperand(number)),
                       thenSlack, depth + 1) &&
                atMost(a, factor, m.with(ifOp.elseYield().getOperand(number)),
                       elseSlack, depth + 1);
    slack = std::max(thenSlack, elseSlack);
    return good;
  }
  if (std::optional<Reduction> reduction = viewMaxReduction(op)) {
    if (m.sign < 0)
      return false;
    auto isSafe = [&](Value part) {
      return !reduction->keepsNumbers || keepsNumbers(part);
    };
    double before = slack;
    if (isSafe(reduction->elements) &&
        atMostElement(a, factor, {reduction->elements, -1, 1}, slack,
                      depth + 1))
      return true;
    slack = before;
    return reduction->other && isSafe(reduction->other) &&
           atMost(a, factor, {reduction->other, -1, 1}, slack, depth + 1);
  }
  if (isa<arith::SelectOp, LLVM::SelectOp>(op)) {
    if (atMostOfSelect(a, factor, m, op, slack, depth))
      return true;
  }
  FloatView view = getFloatView(op);
  auto operand = [&](unsigned i) { return m.with(view.operands[i]); };
  switch (view.kind) {
  case FloatKind::Max:
  case FloatKind::Min: {
    // -min(x, y) is max(-x, -y).
    bool isMaximum = (view.kind == FloatKind::Max) == (m.sign > 0);
    double first = slack, second = slack;
    // A NaN on one side gives the other side, which is not above anything.
    auto isSafe = [&](unsigned i) {
      return !view.isNumber || keepsNumbers(view.operands[i]);
    };
    bool left = isSafe(0) && atMost(a, factor, operand(0), first, depth + 1);
    if (left && isMaximum) {
      slack = first;
      return true;
    }
    if (!left && !isMaximum)
      return false;
    if (!isSafe(1) || !atMost(a, factor, operand(1), second, depth + 1))
      return false;
    slack = isMaximum ? second : std::max(first, second);
    return true;
  }
  case FloatKind::Select: {
    // left < right ? right : left, whichever way it was written.
    bool isMaximum = view.operands[0] == view.operands[3] &&
                     view.operands[1] == view.operands[2];
    bool isMinimum = view.operands[0] == view.operands[2] &&
                     view.operands[1] == view.operands[3];
    if (!(m.sign > 0 ? isMaximum : isMinimum))
      return false;
    double before = slack;
    for (unsigned i : {0u, 1u}) {
      bool isChosenForNaN =
          view.operands[view.unorderedOperand] == view.operands[i];
      if ((isChosenForNaN || keepsNumbers(view.operands[i])) &&
          atMost(a, factor, operand(i), slack, depth + 1))
        return true;
      slack = before;
    }
    return false;
  }
  case FloatKind::Abs:
    return m.sign > 0 && atMost(a, factor, operand(0), slack, depth + 1);
  case FloatKind::Mul:
  case FloatKind::Div:
    return atMostOfProduct(a, factor, m, view, slack, depth);
  case FloatKind::Add:
  case FloatKind::Sub: {
    // What a constant of the right sign is added to has grown, and what the
    // same constant is added to on both sides keeps its order.
    std::optional<double> constant = getLiteralNumber(view.operands[1]);
    unsigned variable = 0;
    if (!constant && view.kind == FloatKind::Add) {
      constant = getLiteralNumber(view.operands[0]);
      variable = 1;
    }
    if (!constant)
      return false;
    double shift =
        m.sign * (view.kind == FloatKind::Sub ? -*constant : *constant);
    if (shift >= 0 && atMost(a, factor, operand(variable), slack, depth + 1))
      return true;
    FloatView own = viewOf(a.value);
    if (own.kind != view.kind || !factor.isOne() || a.sign != m.sign)
      return false;
    unsigned ownVariable =
        getLiteralNumber(own.operands[1]) == constant ? 0 : 1;
    if (getLiteralNumber(own.operands[1 - ownVariable]) != constant ||
        (own.kind == FloatKind::Sub && ownVariable != 0))
      return false;
    double inner = 0;
    return atMost(a.with(own.operands[ownVariable]), factor, operand(variable),
                  inner, depth + 1) &&
           inner == 0;
  }
  default:
    break;
  }
  // Rounding keeps order, if both sides are rounded.
  if (isa<arith::TruncFOp, LLVM::FPTruncOp>(op)) {
    Operation *own = a.value.getDefiningOp();
    if (!own || own->getName() != op->getName() ||
        own->getAttrs() != op->getAttrs() || a.sign != m.sign ||
        !factor.isOne() ||
        getElementTypeOrSelf(own->getResult(0)) !=
            getElementTypeOrSelf(op->getResult(0)))
      return false;
    double inner = 0;
    return atMost(a.with(own->getOperand(0)), factor, m.with(op->getOperand(0)),
                  inner, depth + 1) &&
           inner == 0;
  }
  return false;
}

bool keepsNumbers(Value value, unsigned depth) {
  if (depth > 12)
    return false;
  value = resolveLane({value, -1, 1}).value;
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  if (std::optional<Reduction> reduction = viewMaxReduction(op))
    return reduction->keepsNumbers &&
           (!reduction->other || keepsNumbers(reduction->other, depth + 1));
  FloatView view = getFloatView(op);
  switch (view.kind) {
  case FloatKind::Max:
    return view.isNumber && keepsNumbers(view.operands[0], depth + 1) &&
           keepsNumbers(view.operands[1], depth + 1);
  case FloatKind::Select:
    return false;
  default:
    return llvm::all_of(view.getOperands(), [&](Value operand) {
      return keepsNumbers(operand, depth + 1);
    });
  }
}

/// Proves that \p a is at most some element of \p elements.
bool Prover::atMostElement(Operand a, Factor factor, Operand elements,
                           double &slack, unsigned depth) {
  // The same lane of it, or all lanes against the same lanes.
  double before = slack;
  if (isScalar(elements.value))
    return atMost(a, factor, elements, slack, depth);
  if (a.lane < 0 && !isScalar(a.value)) {
    if (a.value.getType() == elements.value.getType() ||
        laneCount(a.value) == laneCount(elements.value))
      return atMost(a, factor, elements, slack, depth);
    return false;
  }
  if (a.lane >= 0 && a.lane < laneCount(elements.value)) {
    if (atMost(a, factor, {elements.value, a.lane, 1}, slack, depth))
      return true;
    slack = before;
  }
  // A scalar that the vector was assembled from.
  for (int64_t lane = 0, e = std::min(laneCount(elements.value), kMaxLanes);
       lane < e; ++lane) {
    Operand element = resolveLane({elements.value, lane, 1});
    if (element.lane >= 0 && element.value == elements.value)
      continue;
    if (atMost(a, factor, element, slack, depth + 1))
      return true;
    slack = before;
  }
  return false;
}

std::optional<Guard> Prover::viewGuard(Operation *select) {
  Operation *compare = asSplatSource(select->getOperand(0)).getDefiningOp();
  if (!compare)
    return std::nullopt;
  StringRef name;
  if (auto cmp = dyn_cast<arith::CmpFOp>(compare))
    name = arith::stringifyCmpFPredicate(cmp.getPredicate());
  else if (auto cmp = dyn_cast<LLVM::FCmpOp>(compare))
    name = LLVM::stringifyFCmpPredicate(cmp.getPredicate());
  else
    return std::nullopt;
  // Spelled o or u, then the relation: `one` is less or greater.
  StringRef kind = name.drop_front(1);
  bool less = kind == "lt" || kind == "le" || kind == "ne";
  bool equal = kind == "eq" || kind == "le" || kind == "ge";
  bool greater = kind == "gt" || kind == "ge" || kind == "ne";
  if (name.size() != 3 || (!less && !equal && !greater))
    return std::nullopt;
  bool isTrueOfNaN = name.front() == 'u';
  unsigned constantSide = 1;
  std::optional<double> limit = getLiteralNumber(compare->getOperand(1));
  if (!limit) {
    constantSide = 0;
    limit = getLiteralNumber(compare->getOperand(0));
    std::swap(less, greater);
  }
  if (!limit)
    return std::nullopt;
  // Where it is false, nothing greater is left if all that is greater makes it
  // true; the rest is less or equal.
  unsigned bounded = greater ? 2 : 1;
  return Guard{compare->getOperand(1 - constantSide), *limit, bounded,
               isTrueOfNaN == (bounded == 1)};
}

/// Both operands of a select, each in its case.
bool Prover::atMostOfSelect(Operand a, Factor factor, Operand m,
                            Operation *select, double &slack, unsigned depth) {
  std::optional<Guard> guard = viewGuard(select);
  double worst = slack;
  for (unsigned i : {1u, 2u}) {
    Operand chosen = m.with(select->getOperand(i));
    double own = slack;
    bool good = false;
    // A NaN that only some elements made would be replaced by a number.
    if (guard && guard->boundedOperand == i &&
        (!guard->boundedIfNaN || keepsNumbers(guard->value))) {
      // In this case the guarded value is at most the limit.
      double inner = 0;
      std::optional<double> constant = literal(resolveLane(chosen));
      if (constant) {
        double limit = guard->limit * factor.number;
        bool below = guard->limit == -kInfinity ||
                     (!factor.runtime && limit <= *constant);
        good =
            below &&
            atMost(a, Factor(), {guard->value, m.lane, 1}, inner, depth + 1) &&
            inner == 0;
        if (!good && factor.number != 1 && below) {
          inner = 0;
          good =
              atMost(a, factor, {guard->value, m.lane, 1}, inner, depth + 1) &&
              (guard->limit == -kInfinity || guard->limit + inner <= *constant);
        }
      }
      // newer - older <= limit, and the older one is kept.
      FloatView difference = viewOf(asSplatSource(guard->value));
      if (!good && difference.kind == FloatKind::Sub && guard->limit >= 0 &&
          m.sign > 0 &&
          isSame(resolveLane({difference.operands[1], -1, 1}),
                 resolveLane(chosen))) {
        inner = 0;
        good = atMost(a, factor, {difference.operands[0], -1, 1}, inner,
                      depth + 1);
        own = slack + inner + guard->limit;
      }
    }
    if (!good) {
      own = slack;
      good = atMost(a, factor, chosen, own, depth + 1);
    }
    if (!good)
      return false;
    worst = std::max(worst, own);
  }
  slack = worst;
  return true;
}

/// m = x * k or x / k with a positive k.
bool Prover::atMostOfProduct(Operand a, Factor factor, Operand m,
                             const FloatView &view, double &slack,
                             unsigned depth) {
  bool isKnown = false;
  for (unsigned i : {1u, 0u}) {
    if (view.kind == FloatKind::Div && i == 0)
      break;
    int sign = 1;
    std::optional<Factor> scale = getFactor(view.operands[i], sign);
    if (!scale)
      continue;
    isKnown = true;
    Operand inner{view.operands[1 - i], m.lane, m.sign * sign};
    // Both sides rounded alike.
    FloatView own = viewOf(a.value);
    if (factor.isOne() && own.kind == view.kind) {
      for (unsigned k : {1u, 0u}) {
        if (view.kind == FloatKind::Div && k == 0)
          break;
        int ownSign = 1;
        std::optional<Factor> ownScale = getFactor(own.operands[k], ownSign);
        if (!ownScale || !(*ownScale == *scale))
          continue;
        double innerSlack = 0;
        Operand left{own.operands[1 - k], a.lane, a.sign * ownSign};
        if (atMost(left, Factor(), inner, innerSlack, depth + 1) &&
            innerSlack == 0)
          return true;
      }
    }
    // The left side is an exact product, the right side is rounded.
    bool isSameScale = view.kind == FloatKind::Mul && factor == *scale;
    if (view.kind == FloatKind::Div && !factor.runtime && !scale->runtime)
      isSameScale = std::abs(factor.number * scale->number - 1) < 1e-9;
    if (isSameScale && !factor.isOne()) {
      double innerSlack = 0;
      if (atMost(a, Factor(), inner, innerSlack, depth + 1) &&
          innerSlack == 0) {
        slack += kFusedSlack;
        return true;
      }
    }
  }
  noteUnknownScale(isKnown);
  return false;
}

/// The rules that take the left-hand side apart.
bool Prover::leftAtMost(Operand a, Factor factor, Operand m, double &slack,
                        unsigned depth) {
  auto both = [&](Value first, Value second) {
    double one = slack, two = slack;
    if (!atMost(a.with(first), factor, m, one, depth + 1) ||
        !atMost(a.with(second), factor, m, two, depth + 1))
      return false;
    slack = std::max(one, two);
    return true;
  };
  auto either = [&](Value first, Value second) {
    double before = slack;
    if (atMost(a.with(first), factor, m, slack, depth + 1))
      return true;
    slack = before;
    return atMost(a.with(second), factor, m, slack, depth + 1);
  };
  Operation *op = a.value.getDefiningOp();
  if (op && isa<arith::SelectOp, LLVM::SelectOp>(op))
    return both(op->getOperand(1), op->getOperand(2));
  FloatView view = viewOf(a.value);
  if (view.kind == FloatKind::Min || view.kind == FloatKind::Max) {
    bool isMinimum = (view.kind == FloatKind::Min) == (a.sign > 0);
    return isMinimum ? either(view.operands[0], view.operands[1])
                     : both(view.operands[0], view.operands[1]);
  }
  // A whole vector against a scalar that was collected from its lanes.
  if (int64_t lanes = a.lane < 0 ? laneCount(a.value) : 0;
      lanes > 1 && lanes <= kMaxLanes && isScalar(m.value) && depth == 1) {
    double worst = slack;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      double own = slack;
      if (!atMost({a.value, lane, a.sign}, factor, m, own, depth + 1))
        return false;
      worst = std::max(worst, own);
    }
    slack = worst;
    return true;
  }
  return false;
}

std::optional<double> Prover::boundDifference(Operand a, Factor factor,
                                              Operand m, unsigned depth) {
  double slack = 0;
  steps = 0;
  if (!atMost(a, factor, m, slack, 1))
    return std::nullopt;
  provedMinuend = a;
  provedMaximum = m;
  return slack;
}

/// fma(x, y, z): either a scaled score minus a scaled maximum, or a scaled
/// difference plus a literal.
std::optional<double> Prover::boundFma(const FloatView &view, Operand operand,
                                       unsigned depth) {
  bool isKnown = false;
  for (unsigned i : {1u, 0u}) {
    int sign = 1;
    std::optional<Factor> factor = getFactor(view.operands[i], sign);
    if (!factor)
      continue;
    isKnown = true;
    Operand score{view.operands[1 - i], operand.lane, operand.sign * sign};
    Operand rest{view.operands[2], operand.lane, operand.sign};
    if (std::optional<double> bound =
            boundDifference(score, *factor, rest.negated(), depth))
      return bound;
    std::optional<double> shift = literal(rest);
    if (!shift || !std::isfinite(*shift))
      continue;
    std::optional<double> bound = upperBound(score, depth + 1);
    if (bound && (*bound == 0 || !factor->runtime))
      return *bound * factor->number + *shift;
  }
  noteUnknownScale(isKnown);
  return std::nullopt;
}

std::optional<double> Prover::upperBound(Operand operand, unsigned depth) {
  if (depth > 12)
    return std::nullopt;
  operand = resolveLane(operand);
  if (std::optional<double> number = literal(operand))
    return number;
  Operation *op = operand.value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto with = [&](Value value) { return operand.with(value); };
  if (isa<arith::TruncFOp, LLVM::FPTruncOp>(op)) {
    // Zero is a number of every format; other bounds may be rounded up.
    std::optional<double> bound =
        upperBound(with(op->getOperand(0)), depth + 1);
    return bound && *bound != 0 ? std::optional(*bound + std::abs(*bound) / 128)
                                : bound;
  }
  auto larger = [&](Value first, Value second) -> std::optional<double> {
    std::optional<double> one = upperBound(with(first), depth + 1);
    std::optional<double> two = one ? upperBound(with(second), depth + 1) : one;
    return two ? std::optional(std::max(*one, *two)) : std::nullopt;
  };
  auto smaller = [&](Value first, Value second) {
    std::optional<double> one = upperBound(with(first), depth + 1);
    std::optional<double> two = upperBound(with(second), depth + 1);
    if (!one || !two)
      return one ? one : two;
    return std::optional(std::min(*one, *two));
  };
  if (isa<arith::SelectOp, LLVM::SelectOp>(op))
    return larger(op->getOperand(1), op->getOperand(2));
  FloatView view = getFloatView(op);
  switch (view.kind) {
  case FloatKind::Sub: {
    bool isForward = operand.sign > 0;
    Operand first{view.operands[isForward ? 0 : 1], operand.lane, 1};
    Operand second{view.operands[isForward ? 1 : 0], operand.lane, 1};
    if (std::optional<double> bound =
            boundDifference(first, Factor(), second, depth))
      return bound;
    // A difference minus a literal.
    std::optional<double> shift = literal({view.operands[1], operand.lane, 1});
    if (!shift || !std::isfinite(*shift))
      return std::nullopt;
    std::optional<double> bound = upperBound(with(view.operands[0]), depth + 1);
    return bound ? std::optional(*bound - operand.sign * *shift) : bound;
  }
  case FloatKind::Add: {
    for (unsigned i : {0u, 1u}) {
      Operand one = with(view.operands[i]), other = with(view.operands[1 - i]);
      if (std::optional<double> bound =
              boundDifference(one, Factor(), other.negated(), depth))
        return bound;
    }
    for (unsigned i : {0u, 1u}) {
      std::optional<double> shift = literal(with(view.operands[i]));
      if (!shift || !std::isfinite(*shift))
        continue;
      if (std::optional<double> bound =
              upperBound(with(view.operands[1 - i]), depth + 1))
        return *bound + *shift;
    }
    return std::nullopt;
  }
  case FloatKind::Fma:
    return boundFma(view, operand, depth);
  case FloatKind::Mul:
  case FloatKind::Div: {
    bool isKnown = false;
    for (unsigned i : {1u, 0u}) {
      if (view.kind == FloatKind::Div && i == 0)
        break;
      int sign = 1;
      std::optional<Factor> factor = getFactor(view.operands[i], sign);
      if (!factor)
        continue;
      isKnown = true;
      std::optional<double> bound = upperBound(
          {view.operands[1 - i], operand.lane, operand.sign * sign}, depth + 1);
      if (!bound || (*bound != 0 && factor->runtime))
        continue;
      return view.kind == FloatKind::Mul ? *bound * factor->number
                                         : *bound / factor->number;
    }
    noteUnknownScale(isKnown);
    return std::nullopt;
  }
  case FloatKind::Abs:
    return operand.sign < 0 ? std::optional(0.0) : std::nullopt;
  case FloatKind::Min:
  case FloatKind::Max:
    return (view.kind == FloatKind::Min) == (operand.sign > 0)
               ? smaller(view.operands[0], view.operands[1])
               : larger(view.operands[0], view.operands[1]);
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// What the exponential is for
//===----------------------------------------------------------------------===//

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
  if (viewMaxReduction(op))
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
  bool isStored = isLoaded(difference->subtrahend) &&
                  (difference->isScaled || !isLoaded(difference->minuend));
  if (hasLogarithm(difference->subtrahend) || isStored) {
    facts.use = ExponentUse::LogSumExp;
    return facts;
  }
  facts.whyNot = prover.whyNot.empty()
                     ? "what is subtracted is not known to be the maximum of "
                       "the row"
                     : prover.whyNot;
  return facts;
}

} // namespace mlir::poly
