//===- Scale.cpp - Follows scales through a function ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scale.h"

#include "../RaisePatterns/FloatView.h"
#include "../RowMaximum/BoundProof.h"

#include "poly/Dialect/Poly/OrderOnlyAttr.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::poly;

static bool isLiteralZero(Value value) {
  if (matchPattern(value, m_Zero()))
    return true;
  std::optional<double> number = getLiteralNumber(value);
  return number && *number == 0;
}

void Scale::add(const Scale &other, double factor) {
  for (const Term &term : other.terms) {
    double change = term.factor * factor;
    auto *same = llvm::find_if(
        terms, [&](const Term &t) { return t.maximum == term.maximum; });
    if (same == terms.end()) {
      terms.push_back({term.maximum, change});
      continue;
    }
    double before = same->factor;
    same->factor += change;
    if (std::abs(same->factor) <= kFactorRounding * std::abs(before))
      terms.erase(same);
  }
}

bool Scale::hasTermsOf(const Scale &other) const {
  if (isFree() != other.isFree() || (!isFree() && isProduct != other.isProduct))
    return false;
  Scale difference = *this;
  difference.add(other, -1);
  return difference.isFree();
}

bool ScaleAnalysis::isZero(Value value) const {
  return open.contains(value) || isLiteralZero(value);
}

Scale ScaleAnalysis::get(Value value) const {
  if (maxima.contains(value)) {
    // Where the two differ, there is nothing to be scaled.
    if (Value guarded = guardedMaximum(value))
      return get(guarded);
    Scale own;
    own.terms.push_back({value, 1});
    own.rest = ScoreRange();
    return own;
  }
  return scales.lookup(value);
}

void ScaleAnalysis::set(Value value, Scale scale) {
  if (scale.isFree())
    scales.erase(value);
  else
    scales[value] = std::move(scale);
}

bool ScaleAnalysis::fail(Operation *op, const llvm::Twine &reason,
                         const Scale &scale) {
  obstacle = {op, reason.str(),
              scale.terms.empty() ? Value() : scale.terms.front().maximum};
  return false;
}

/// The scale of a value with its range.
Scale ScaleAnalysis::viewed(Value value) const {
  Scale scale = get(value);
  if (scale.isFree())
    scale.rest = getRange(value);
  return scale;
}

bool ScaleAnalysis::joinScales(Operation *op, const Scale &a, bool aIsZero,
                               const Scale &b, bool bIsZero, Scale &result) {
  const Scale &some = a.isFree() ? b : a;
  bool zeroFits =
      some.isProduct && ((a.isFree() && aIsZero) || (b.isFree() && bIsZero));
  if (!zeroFits && !a.hasTermsOf(b))
    return fail(op, "joins values that different maxima scale", some);
  result = some;
  result.rest = std::nullopt;
  return true;
}

bool ScaleAnalysis::join(Operation *op, Value a, Value b, Scale &result) {
  return joinScales(op, get(a), isZero(a), get(b), isZero(b), result);
}

bool ScaleAnalysis::addSums(Operation *op, const Scale &a, const Scale &b,
                            double sign, Scale &result) {
  if ((a.isProduct && !a.isFree()) || (b.isProduct && !b.isFree()))
    return fail(op, "adds a maximum to what another scales", a);
  result = a;
  result.isProduct = false;
  result.add(b, sign);
  result.rest = addRanges(a.rest, b.rest, sign);
  return true;
}

bool ScaleAnalysis::multiply(Operation *op, Value a, Value b, Scale &result) {
  Scale one = viewed(a), other = viewed(b);
  if (one.isFree())
    std::swap(one, other), std::swap(a, b);
  if (!one.isProduct) {
    std::optional<double> factor = getLiteralNumber(b);
    if (!factor || *factor == 0)
      return fail(op, "multiplies a maximum by what is no constant", one);
    result.terms.clear();
    result.isProduct = false;
    result.add(one, *factor);
    result.rest = scaleRange(one.rest, *factor);
    return true;
  }
  if (!other.isFree() && !other.isProduct)
    return fail(op, "multiplies a weight by a maximum", one);
  multipliesAny |= other.isFree() && !getLiteralNumber(b);
  result = one;
  result.add(other, 1);
  result.rest = std::nullopt;
  return true;
}

bool ScaleAnalysis::divide(Operation *op, Value a, Value b, Scale &result) {
  Scale dividend = get(a), divisor = get(b);
  if (!dividend.isFree() && !dividend.isProduct) {
    std::optional<double> number = getLiteralNumber(b);
    if (!number || *number == 0)
      return fail(op, "divides a maximum by what is no constant", dividend);
    result = Scale();
    result.add(dividend, 1 / *number);
    result.rest = scaleRange(dividend.rest, 1 / *number);
    return true;
  }
  if (!divisor.isFree() && !divisor.isProduct)
    return fail(op, "divides by a maximum", divisor);
  result = dividend;
  result.isProduct = true;
  result.add(divisor, -1);
  result.rest = std::nullopt;
  return true;
}

/// The same scale for the result, which is part of the operand or consists of
/// its operands.
bool ScaleAnalysis::keep(Operation *op) {
  Value first = op->getOperand(0);
  Scale result = get(first);
  bool isWhole = true;
  for (Value operand : op->getOperands().drop_front()) {
    if (!isa<FloatType, VectorType>(operand.getType()))
      continue;
    isWhole = false;
    if (Scale before = result; !joinScales(
            op, before, isZero(first), get(operand), isZero(operand), result))
      return false;
  }
  if (isWhole)
    result.rest = get(first).rest;
  set(op->getResult(0), result);
  return true;
}

bool ScaleAnalysis::visitRounding(Operation *op) {
  Scale scale = get(op->getOperand(0));
  if (!scale.isProduct)
    return fail(op, "rounds a maximum", scale);
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  auto &semantics = cast<FloatType>(type).getFloatSemantics();
  int least = llvm::APFloat::semanticsMinExponent(semantics);
  int largest = llvm::APFloat::semanticsMaxExponent(semantics);
  if (least > -126 || largest < 127) {
    if (!scale.rest)
      return fail(op, "rounds a sum of weights to a narrow format", scale);
    leastExponent = std::max(leastExponent, double(least));
    largestExponent = std::min(largestExponent, double(largest));
  }
  set(op->getResult(0), scale);
  return true;
}

bool ScaleAnalysis::visitAsm(Operation *op) {
  if (op->hasAttr(kOrderOnlyAttr))
    return true;
  std::optional<WarpgroupAssembly> assembly = viewWarpgroupAssembly(op);
  if (!assembly)
    return fail(op, "is assembly that is not understood", [&] {
      for (Value operand : op->getOperands())
        if (!get(operand).isFree())
          return get(operand);
      return Scale();
    }());
  // Rows of the result alternate in pairs, as those of A's registers do.
  constexpr unsigned kRows = 2;
  Scale rows[kRows];
  for (unsigned row = 0; row < kRows; ++row)
    for (const std::array<unsigned, 4> &fragment : assembly->fragments)
      for (unsigned part : {row, row + kRows}) {
        Value operand = op->getOperand(fragment[part]);
        Scale scale = get(operand), before = rows[row];
        bool isFirst = &fragment == assembly->fragments.begin() && part == row;
        if (isFirst)
          rows[row] = scale;
        else if (!joinScales(op, before, false, scale, isZero(operand),
                             rows[row]))
          return false;
      }
  // A row belongs to four neighbouring lanes.
  constexpr unsigned kQuad = 1 | 2;
  for (const Scale &row : rows)
    for (const Scale::Term &term : row.terms)
      if ((maxima.uniformDistances(term.maximum) & kQuad) != kQuad)
        return fail(op,
                    "multiplies by weights whose maximum is not the same in "
                    "the four lanes of a row",
                    row);
  if (!assembly->fragments.empty() && assembly->type != "f16" &&
      assembly->type != "e4m3" && (!rows[0].isFree() || !rows[1].isFree()))
    multipliesAny = true;
  SmallVector<Scale> results(assembly->results);
  for (unsigned i = 0; i < assembly->results; ++i) {
    Scale product = assembly->isWait ? Scale() : rows[i / 2 % kRows];
    int start = assembly->startsFrom[i];
    if (assembly->isWait || start < 0 || assembly->fragments.empty()) {
      results[i] = start < 0 ? product : get(op->getOperand(start));
      if (!assembly->isWait && start >= 0 && !results[i].isFree())
        return fail(op, "adds what no maximum scales to a sum of weights",
                    results[i]);
      continue;
    }
    Value accumulator = op->getOperand(start);
    if (!joinScales(op, get(accumulator), isZero(accumulator), product, false,
                    results[i]))
      return false;
  }
  if (isa<LLVM::LLVMStructType>(op->getResult(0).getType()))
    members[op->getResult(0)] = std::move(results);
  else
    set(op->getResult(0), results[0]);
  return true;
}

bool ScaleAnalysis::visitFloat(Operation *op) {
  FloatView view = getFloatView(op);
  Value result = op->getResult(0);
  auto operand = [&](unsigned i) { return view.operands[i]; };
  Scale scale;
  auto finish = [&](bool succeeded) {
    if (succeeded)
      set(result, scale);
    return succeeded;
  };
  auto addOperands = [&](Value a, Value b, double sign) {
    Scale one = viewed(a), other = viewed(b);
    bool areProducts = (one.isProduct && !one.isFree()) ||
                       (other.isProduct && !other.isFree());
    return areProducts ? join(op, a, b, scale)
                       : addSums(op, one, other, sign, scale);
  };
  switch (view.kind) {
  case FloatKind::Neg:
  case FloatKind::Abs:
    scale = get(operand(0));
    if (scale.isProduct)
      return finish(true);
    if (view.kind == FloatKind::Abs)
      return fail(op, "takes the magnitude of a maximum", scale);
    scale = Scale();
    scale.add(get(operand(0)), -1);
    scale.rest = scaleRange(get(operand(0)).rest, -1);
    return finish(true);
  case FloatKind::Ext:
    scale = get(operand(0));
    return finish(true);
  case FloatKind::Add:
    return finish(addOperands(operand(0), operand(1), 1));
  case FloatKind::Sub:
    return finish(addOperands(operand(0), operand(1), -1));
  case FloatKind::Mul:
    if (isZero(operand(0)) || isZero(operand(1)))
      open.insert(result);
    else if (!multiply(op, operand(0), operand(1), scale))
      return false;
    return finish(true);
  case FloatKind::Div:
    return finish(divide(op, operand(0), operand(1), scale));
  case FloatKind::Rcp: {
    Scale divisor = get(operand(0));
    if (!divisor.isProduct)
      return fail(op, "divides by a maximum", divisor);
    scale.isProduct = true;
    scale.add(divisor, -1);
    return finish(true);
  }
  case FloatKind::Fma: {
    Scale product;
    bool isNothing = isZero(operand(0)) || isZero(operand(1));
    bool anyFactor =
        !isNothing && (!get(operand(0)).isFree() || !get(operand(1)).isFree());
    if (anyFactor && !multiply(op, operand(0), operand(1), product))
      return false;
    Scale added = viewed(operand(2));
    if (!anyFactor) {
      // score * factor + offset
      for (unsigned i : {0u, 1u})
        if (std::optional<double> factor = getLiteralNumber(operand(i)))
          product.rest = scaleRange(getRange(operand(1 - i)), *factor);
    }
    if ((product.isProduct && !product.isFree()) ||
        (added.isProduct && !added.isFree()))
      return finish(
          joinScales(op, product, isNothing, added, isZero(operand(2)), scale));
    return finish(addSums(op, product, added, 1, scale));
  }
  case FloatKind::Exp:
  case FloatKind::Exp2: {
    Scale exponent = get(operand(0));
    if (exponent.isProduct)
      return fail(op, "takes the exponential of a weight", exponent);
    double octaves = view.kind == FloatKind::Exp ? llvm::numbers::log2e : 1;
    scale.isProduct = true;
    scale.add(exponent, octaves);
    scale.rest = scaleRange(exponent.rest, octaves);
    exponentials[op] = scale;
    return finish(true);
  }
  case FloatKind::Max:
  case FloatKind::Min:
    return finish(join(op, operand(0), operand(1), scale));
  default:
    return fail(op, "uses what a maximum scales", [&] {
      for (Value value : op->getOperands())
        if (!get(value).isFree())
          return get(value);
      return Scale();
    }());
  }
}

bool ScaleAnalysis::exchange(Operation *op, unsigned distance,
                             const Scale &scale) {
  for (const Scale::Term &term : scale.terms)
    if ((maxima.uniformDistances(term.maximum) & distance) != distance)
      return fail(op, "exchanges values that different maxima scale", scale);
  set(op->getResult(0), scale);
  return true;
}

bool ScaleAnalysis::visit(Operation *op) {
  if (isa<scf::ForOp>(op))
    return runLoop(op);
  if (isa<scf::IfOp>(op))
    return runBranch(op);
  if (!llvm::all_of(op->getRegions(),
                    [&](Region &region) { return run(region); }))
    return false;
  // The maxima themselves, on their way.
  if (op->getNumResults() > 0 && maxima.contains(op->getResult(0)))
    return true;
  if (auto member = dyn_cast<LLVM::ExtractValueOp>(op)) {
    auto found = members.find(member.getContainer());
    if (found == members.end() || member.getPosition().size() != 1)
      return true;
    set(member.getResult(), found->second[member.getPosition()[0]]);
    return true;
  }
  for (Value result : op->getResults())
    open.erase(result);
  auto *scaledOperand =
      llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
        return !get(operand.get()).isFree();
      });
  if (scaledOperand == op->getOpOperands().end())
    return true;
  Scale scale = get(scaledOperand->get());
  if (isa<scf::YieldOp>(op))
    return true; // The loop or branch looks at it.
  if (isa<LLVM::InlineAsmOp>(op))
    return visitAsm(op);
  if (op->getNumResults() > 0)
    if (auto butterfly = viewButterfly(op->getResult(0)))
      return exchange(op, butterfly->distance, scale);
  if (op->getNumResults() == 1) {
    if (isa<arith::TruncFOp, LLVM::FPTruncOp>(op))
      return visitRounding(op);
    if (isa<math::Log2Op, math::LogOp>(op)) {
      if (!scale.isProduct)
        return fail(op, "takes the logarithm of a maximum", scale);
      Scale logarithm;
      logarithm.add(scale, isa<math::LogOp>(op) ? llvm::numbers::ln2 : 1);
      set(op->getResult(0), logarithm);
      return true;
    }
    if (isa<arith::CmpFOp, LLVM::FCmpOp>(op)) {
      // Weights and their sums are positive, whatever scales them.
      if (scale.isProduct &&
          (isZero(op->getOperand(0)) || isZero(op->getOperand(1))))
        return true;
      bool isGuard = !scale.isProduct &&
                     llvm::all_of(op->getUsers(), [&](Operation *user) {
                       return isa<arith::SelectOp, LLVM::SelectOp>(user) &&
                              maxima.contains(user->getResult(0));
                     });
      return isGuard || fail(op, "compares what a maximum scales", scale);
    }
    if (isa<arith::SelectOp, LLVM::SelectOp>(op)) {
      Value a = op->getOperand(1), b = op->getOperand(2);
      Scale result;
      if (!join(op, a, b, result))
        return false;
      set(op->getResult(0), result);
      return true;
    }
    if (auto reduction = dyn_cast<vector::ReductionOp>(op)) {
      if (reduction.getKind() != vector::CombiningKind::ADD)
        return fail(op, "reduces weights otherwise than by their sum", scale);
      return keep(op);
    }
    if (isa<vector::BroadcastOp, vector::ExtractOp,
            vector::ExtractStridedSliceOp, vector::InsertOp,
            vector::InsertStridedSliceOp, vector::FromElementsOp,
            vector::ShapeCastOp, vector::ShuffleOp>(op))
      return keep(op);
    if (isa<vector::BitCastOp, arith::BitcastOp, LLVM::BitcastOp>(op)) {
      if (!scale.isProduct)
        return fail(op, "takes the bits of a maximum", scale);
      return keep(op);
    }
    if (getFloatView(op).kind != FloatKind::Opaque)
      return visitFloat(op);
  }
  return fail(op, "uses what a maximum scales", scale);
}

bool ScaleAnalysis::runBlock(Block &block) {
  return llvm::all_of(block, [&](Operation &op) { return visit(&op); });
}

Scale ScaleAnalysis::renamed(Scale scale, ValueRange from,
                             ValueRange to) const {
  for (Scale::Term &term : scale.terms)
    for (auto [before, after] : llvm::zip_equal(from, to))
      if (term.maximum == before && maxima.contains(after)) {
        term.maximum = after;
        break;
      }
  scale.rest = std::nullopt;
  return scale;
}

bool ScaleAnalysis::runLoop(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  ValueRange inits = loop.getInitArgs(), results = loop.getResults();
  SmallVector<Value> arguments(loop.getRegionIterArgs()),
      yielded(loop.getYieldedValues());
  SmallVector<Scale> carried;
  for (Value init : inits)
    carried.push_back(renamed(get(init), inits, arguments));
  // What starts as zero takes the scale of what is added to it: one more round
  // for each value that the loop passes on from one to the next.
  for (size_t round = 0; round <= inits.size() + 1; ++round) {
    for (auto [argument, scale, init] :
         llvm::zip_equal(arguments, carried, inits)) {
      if (maxima.contains(argument))
        continue;
      set(argument, scale);
      open.erase(argument);
      if (round == 0 && scale.isFree() && isZero(init))
        open.insert(argument);
    }
    if (!runBlock(*loop.getBody()))
      return false;
    bool changed = false;
    for (auto [i, value] : llvm::enumerate(yielded)) {
      if (maxima.contains(arguments[i]))
        continue;
      Scale after = renamed(get(value), yielded, arguments);
      if (after.hasTermsOf(carried[i]) || (isZero(value) && after.isFree()))
        continue;
      if (!carried[i].isFree() || !isZero(inits[i]))
        return fail(loop, "carries a value whose scale changes",
                    after.isFree() ? carried[i] : after);
      carried[i] = after;
      changed = true;
    }
    // Once more without what was open, if it stays what it is.
    if (!changed && (round > 0 || llvm::none_of(arguments, [&](Value argument) {
                       return open.contains(argument);
                     })))
      break;
  }
  for (auto [result, scale] : llvm::zip_equal(results, carried))
    if (!maxima.contains(result))
      set(result, renamed(scale, arguments, results));
  return true;
}

bool ScaleAnalysis::runBranch(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  if (!runBlock(*branch.thenBlock()) ||
      (branch.elseBlock() && !runBlock(*branch.elseBlock())))
    return false;
  if (branch.getNumResults() == 0)
    return true;
  ValueRange results = branch.getResults();
  ValueRange first = branch.thenYield().getOperands(),
             second = branch.elseYield().getOperands();
  for (unsigned i = 0; i < results.size(); ++i) {
    if (maxima.contains(results[i]))
      continue;
    Scale scale;
    if (!joinScales(op, renamed(get(first[i]), first, results),
                    isZero(first[i]), renamed(get(second[i]), second, results),
                    isZero(second[i]), scale))
      return false;
    set(results[i], scale);
  }
  return true;
}

bool ScaleAnalysis::run(Region &region) {
  if (region.empty())
    return true;
  // Blocks need not be in the order in which they run.
  if (!region.hasOneBlock()) {
    obstacle = {region.getParentOp(), "its control flow is not structured", {}};
    return false;
  }
  return runBlock(region.front());
}
