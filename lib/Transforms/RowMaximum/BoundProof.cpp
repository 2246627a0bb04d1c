//===- BoundProof.cpp - Proofs that values are ordered --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundProof.h"

#include "../RowMaximum.h"
#include "SharedMaximum.h"

#include "poly/Program/Formats.h"
#include "poly/Transforms/Sites.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mlir::poly::bound {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A proof visits at most this many pairs of values.
constexpr unsigned kMaxSteps = 1000;
constexpr unsigned kMaxDepth = 40;
constexpr unsigned kMaxSharedProofs = 128;
/// Longer vectors are not taken apart lane by lane.
constexpr int64_t kMaxLanes = 64;
} // namespace

/// Half an ulp of a product is small in f32 alone; in the narrow formats, it is
/// 1 at 256 or 2048 already.
static bool hasFusedSlack(Value product) {
  return getElementFormat(product.getType()) == ::poly::Format::F32;
}

bool Prover::isNotNegative(Value value, unsigned depth) {
  if (depth > 8)
    return false;
  if (std::optional<double> number = getLiteralNumber(value))
    return *number >= 0;
  value = asSplatSource(value);
  if (Operation *op = value.getDefiningOp();
      op && isa<arith::TruncFOp, LLVM::FPTruncOp>(op))
    return isNotNegative(op->getOperand(0), depth + 1);
  FloatView view = viewOf(value);
  switch (view.kind) {
  case FloatKind::Abs:
  case FloatKind::Exp:
  case FloatKind::Exp2:
    return true;
  case FloatKind::Max: {
    bool first = isNotNegative(view.operands[0], depth + 1);
    bool second = isNotNegative(view.operands[1], depth + 1);
    if (!view.isNumber || (first && second))
      return first || second;
    // Of a NaN and a number maxnum gives the number; a literal is no NaN.
    return (first && getLiteralNumber(view.operands[0])) ||
           (second && getLiteralNumber(view.operands[1]));
  }
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

std::optional<Factor> Prover::getFactor(Value value, int &sign,
                                        unsigned depth) {
  sign = 1;
  if (depth > kMaxDepth) // Code that is never reached may negate itself.
    return std::nullopt;
  if (std::optional<double> number = getLiteralNumber(value)) {
    if (*number == 0 || !std::isfinite(*number))
      return std::nullopt;
    sign = *number < 0 ? -1 : 1;
    return Factor{std::abs(*number), {}};
  }
  value = asSplatSource(value);
  FloatView view = viewOf(value);
  if (view.kind == FloatKind::Neg) {
    std::optional<Factor> factor = getFactor(view.operands[0], sign, depth + 1);
    sign = -sign;
    return factor;
  }
  // What an exact extension made is the same number.
  for (unsigned i = 0; view.kind == FloatKind::Ext && i < kMaxDepth; ++i) {
    value = asSplatSource(view.operands[0]);
    view = viewOf(value);
  }
  // Lanes may have factors of their own.
  if (!isa<VectorType>(value.getType()) && isNotNegative(value))
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
  if (leftAtMost(a, factor, m, slack, depth))
    return true;
  slack = before;
  return atMostOfShared(a, factor, m, slack);
}

/// A maximum that other threads took part in.
bool Prover::atMostOfShared(Operand a, Factor factor, Operand m,
                            double &slack) {
  if (!followsSharedMemory || m.sign < 0 || !isScalar(m.value) ||
      getSharedLoads(m.value).empty() || ++sharedProofs > kMaxSharedProofs)
    return false;
  double worst = slack;
  auto isAtLeast = [&](Value value) {
    Prover inner;
    inner.followsSharedMemory = false;
    double own = slack;
    bool holds = inner.atMost(a, factor, {value, -1, 1}, own, 1);
    worst = holds ? std::max(worst, own) : worst;
    return holds;
  };
  if (!isMaximumOfAll(m.value, isAtLeast, whyNotShared))
    return false;
  slack = worst;
  return true;
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
  if (m.sign > 0 && m.lane < 0 && a.lane < 0)
    if (std::optional<Reduction> reduction = viewRowReduction(m.value))
      return (!reduction->keepsNumbers || keepsNumbers(reduction->elements)) &&
             atMost(a, factor, {reduction->elements, -1, 1}, slack, depth + 1);
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
/// What \p a is a product or quotient of by finite positive literals.
Operand Prover::stripFactors(Operand a) {
  for (unsigned step = 0; step < 4; ++step) {
    a = resolveLane(a);
    FloatView view = viewOf(a.value);
    if (view.kind != FloatKind::Mul && view.kind != FloatKind::Div)
      return a;
    Operand next = a;
    for (unsigned i : {1u, 0u}) {
      if (next.value != a.value || (view.kind == FloatKind::Div && i == 0))
        break;
      std::optional<double> number = getLiteralNumber(view.operands[i]);
      if (number && *number > 0 && std::isfinite(*number))
        next = a.with(view.operands[1 - i]);
    }
    if (next.value == a.value)
      return a;
    a = next;
  }
  return a;
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
        // What is a positive multiple of minus infinity is minus infinity.
        if (Operand root = stripFactors(a); !good && below &&
                                            guard->limit == -kInfinity &&
                                            root.value != a.value) {
          inner = 0;
          good = atMost(root, Factor(), {guard->value, m.lane, 1}, inner,
                        depth + 1) &&
                 inner == 0;
        }
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
    if (isSameScale && !factor.isOne() && hasFusedSlack(m.value)) {
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
    // Of a NaN and a number minnum gives the number, which may be the greater.
    return isMinimum && !view.isNumber
               ? either(view.operands[0], view.operands[1])
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

/// Takes from \p offset what is not below what remains, or is literal: a floor,
/// the rounding of a floor to f16, and literal addends in f32, which go to
/// \p shift. A whole number below 2^11 is an f16. (A scaled maximum beyond that
/// is beyond what f16 exponents are good for; docs/Numerics.md states the
/// condition.)
static Operand stripOffset(Operand offset, std::optional<double> &shift) {
  for (unsigned step = 0; step < 4; ++step) {
    offset = resolveLane(offset);
    Operation *op = offset.value.getDefiningOp();
    if (!op)
      return offset;
    if (isa<arith::TruncFOp, LLVM::FPTruncOp>(op) && isPlainTruncation(op) &&
        getElementFormat(offset.value.getType()) == ::poly::Format::F16) {
      Operand inner = resolveLane(offset.with(op->getOperand(0)));
      Operation *whole = inner.value.getDefiningOp();
      if (inner.sign != offset.sign || !whole ||
          !isa<math::FloorOp, LLVM::FFloorOp>(whole))
        return offset;
      offset = inner;
      op = whole;
    }
    if (offset.sign > 0 && isa<math::FloorOp, LLVM::FFloorOp>(op)) {
      offset = offset.with(op->getOperand(0));
      continue;
    }
    FloatView view = getFloatView(op);
    // In the narrow formats the rounding of the sum may be as great as it.
    if (view.kind != FloatKind::Add || !hasFusedSlack(offset.value))
      return offset;
    unsigned literalIndex = getLiteralNumber(view.operands[0]) ? 0 : 1;
    std::optional<double> number =
        getLiteralNumber(view.operands[literalIndex]);
    if (!number || !std::isfinite(*number))
      return offset;
    shift = shift.value_or(0) + offset.sign * *number;
    offset = offset.with(view.operands[1 - literalIndex]);
  }
  return offset;
}

/// factor * a + offset.
std::optional<double> Prover::boundSum(Operand a, Factor factor, Operand offset,
                                       unsigned depth) {
  if (std::optional<double> bound =
          boundDifference(a, factor, offset.negated(), depth))
    return bound;
  std::optional<double> shift;
  Operand rest = stripOffset(offset, shift);
  if (rest.value == offset.value)
    return std::nullopt;
  std::optional<double> bound =
      boundDifference(a, factor, rest.negated(), depth);
  // The sum with the literal is rounded, as a product is; the slack is for
  // both.
  return bound && shift ? std::max(*bound, kFusedSlack) + *shift : bound;
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
    if (std::optional<double> bound = boundSum(score, *factor, rest, depth))
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

namespace {

/// What numbers of at most \p bound round to at most in the type of \p value.
double roundUp(double bound, Value value) {
  std::optional<::poly::Format> format = getElementFormat(value.getType());
  if (!format)
    return bound;
  return std::max(bound,
                  ::poly::decode(*format, ::poly::encode(*format, bound)));
}

/// Whether the backend may turn a difference of products into one fma, which
/// leaves only one of them rounded.
bool mayFuse(Operation *difference) {
  auto mayContract = [](Operation *op) {
    std::optional<arith::FastMathFlags> flags = getFastMathFlags(op);
    return flags &&
           arith::bitEnumContainsAny(*flags, arith::FastMathFlags::contract);
  };
  return mayContract(difference) &&
         llvm::any_of(difference->getOperands(), [&](Value operand) {
           Value source = resolveLane({operand, -1, 1}).value;
           return viewOf(source).kind == FloatKind::Mul &&
                  mayContract(source.getDefiningOp());
         });
}

/// The bound of a difference that may become an fma.
std::optional<double> addFusedSlack(Operation *difference, double bound) {
  if (!mayFuse(difference))
    return bound;
  if (!hasFusedSlack(difference->getResult(0)))
    return std::nullopt;
  return bound + kFusedSlack;
}

} // namespace

std::optional<double> Prover::upperBound(Operand operand, unsigned depth) {
  std::optional<double> bound = unroundedBound(operand, depth);
  return bound ? std::optional(roundUp(*bound, operand.value)) : bound;
}

std::optional<double> Prover::unroundedBound(Operand operand, unsigned depth) {
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
    std::optional<double> bound =
        upperBound(with(op->getOperand(0)), depth + 1);
    // A rounding that somebody chose may be any.
    if (!bound || !isPlainTruncation(op))
      return std::nullopt;
    return roundUp(*bound, op->getResult(0));
  }
  auto larger = [&](Value first, Value second) -> std::optional<double> {
    std::optional<double> one = upperBound(with(first), depth + 1);
    std::optional<double> two = one ? upperBound(with(second), depth + 1) : one;
    return two ? std::optional(std::max(*one, *two)) : std::nullopt;
  };
  auto smaller = [&](Value first, Value second) {
    std::optional<double> one = upperBound(with(first), depth + 1);
    std::optional<double> two = upperBound(with(second), depth + 1);
    // Of a NaN and a number minnum gives the number, so that one side's bound
    // holds for both only if that side is a number.
    if (getFloatView(op).isNumber) {
      std::optional<double> numbers[] = {literal(with(first)),
                                         literal(with(second))};
      for (std::optional<double> number : numbers)
        if (number && !std::isnan(*number))
          return number;
      return one && two ? std::optional(std::max(*one, *two)) : std::nullopt;
    }
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
      return addFusedSlack(op, *bound);
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
      if (std::optional<double> bound = boundSum(one, Factor(), other, depth))
        return addFusedSlack(op, *bound);
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
} // namespace mlir::poly::bound
