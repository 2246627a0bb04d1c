//===- FixMaximum.cpp - Softmax without a running maximum -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixMaximum/RunningMaxima.h"
#include "FixMaximum/Scale.h"
#include "RaisePatterns/FloatView.h"

#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace mlir::poly {
#define GEN_PASS_DEF_POLYFIXMAXIMUM
#include "poly/Transforms/Passes.h.inc"
} // namespace mlir::poly

using namespace mlir;
using namespace mlir::poly;

/// The sum of weights is finite however many there are: a row is no longer than
/// what 32-bit integers count.
static constexpr double kRowOctaves = 31;
/// Roundings of exponents and of the constant itself.
static constexpr double kMarginOctaves = 0.5;

namespace {
/// One running maximum and what becomes of it.
struct Fixed {
  SmallVector<Value> versions;
  /// Exponentials of what is left of a difference of two versions: one.
  SmallVector<Operation *> corrections;
  /// Of the exponents, before the maximum is subtracted, and how many octaves
  /// one of the maximum is, least and most.
  double low = INFINITY, high = -INFINITY;
  double leastFactor = INFINITY, mostFactor = 0;
  double constant = 0;
  /// An exponential, and the version that it subtracts.
  Operation *weight = nullptr;
  Value subtracted;

  double leastExponent() const { return low - mostFactor * constant; }
  double mostExponent() const { return high - leastFactor * constant; }
};

class FixMaximum {
public:
  FixMaximum(Operation *root, double valueLimit)
      : root(root), maxima(root), valueOctaves(std::log2(valueLimit)) {}

  /// How many maxima became constants.
  unsigned run() {
    while (!findFixed())
      if (!remove())
        return 0;
    if (found.empty() && !hasRemark)
      explainNothing();
    for (auto &[leader, fixed] : found)
      rewrite(fixed);
    eraseUnused();
    return unsigned(found.size());
  }

private:
  bool findFixed();
  bool addExponential(Operation *op, const Scale &scale);
  bool choose(Fixed &fixed, const ScaleAnalysis &analysis);
  bool fail(Operation *op, const llvm::Twine &reason, Value maximum) {
    obstacle = {op, reason.str(), maximum};
    return false;
  }
  bool remove();
  void explainNothing();
  void rewrite(Fixed &fixed);
  void eraseUnused();

  Operation *root;
  RunningMaxima maxima;
  double valueOctaves;
  llvm::MapVector<const void *, Fixed> found;
  Obstacle obstacle;
  bool hasRemark = false; ///< Says why a maximum stays.
  SmallVector<Operation *> unused;
};
} // namespace

bool FixMaximum::addExponential(Operation *op, const Scale &scale) {
  const void *leader = maxima.leader(scale.terms.front().maximum);
  double total = 0, most = 0;
  for (const Scale::Term &term : scale.terms) {
    if (maxima.leader(term.maximum) != leader)
      return fail(op, "subtracts maxima that are not joined",
                  scale.terms.front().maximum);
    total += term.factor;
    most = std::max(most, std::abs(term.factor));
  }
  Fixed &fixed = found[leader];
  Value maximum = scale.terms.front().maximum;
  if (std::abs(total) <= kFactorRounding * most) {
    if (!scale.rest || !scale.rest->isZero())
      return fail(op, "corrects by more than the growth of the maximum",
                  maximum);
    fixed.corrections.push_back(op);
    return true;
  }
  if (total > 0)
    return fail(op, "adds the maximum to its exponent", maximum);
  if (!scale.rest || !std::isfinite(scale.rest->low) ||
      !std::isfinite(scale.rest->high))
    return fail(op,
                "its scores have no bound that is known: cap them, by a "
                "constant",
                maximum);
  if (!fixed.weight) {
    fixed.weight = op;
    fixed.subtracted = maximum;
  }
  fixed.low = std::min(fixed.low, scale.rest->low);
  fixed.high = std::max(fixed.high, scale.rest->high);
  fixed.leastFactor = std::min(fixed.leastFactor, -total);
  fixed.mostFactor = std::max(fixed.mostFactor, -total);
  return true;
}

/// The largest constant for which no weight becomes subnormal, but none that
/// makes all of them smaller than one.
bool FixMaximum::choose(Fixed &fixed, const ScaleAnalysis &analysis) {
  double least = analysis.leastExponent + kMarginOctaves;
  fixed.constant = float(std::min((fixed.low - least) / fixed.mostFactor,
                                  fixed.high / fixed.leastFactor));
  double most = fixed.mostExponent();
  double room = 127 - kRowOctaves - kMarginOctaves -
                (analysis.multipliesAny ? valueOctaves : 16);
  bool isBelowOne = most <= kMarginOctaves;
  if (fixed.leastExponent() >= analysis.leastExponent &&
      (isBelowOne || (most <= room && most <= analysis.largestExponent)))
    return true;
  return fail(fixed.weight,
              "its weights span " +
                  llvm::Twine(int64_t(std::ceil(fixed.high - fixed.low))) +
                  " octaves, more than what multiplies them or their format "
                  "leaves",
              fixed.subtracted);
}

bool FixMaximum::findFixed() {
  found.clear();
  ScaleAnalysis analysis(maxima);
  for (Region &region : root->getRegions())
    if (!analysis.run(region)) {
      obstacle = analysis.obstacle;
      return false;
    }
  for (auto &[op, scale] : analysis.exponentials)
    if (!scale.isFree() && !addExponential(op, scale))
      return false;
  // A maximum that no exponential subtracts is none of a softmax.
  found.remove_if([](const auto &entry) { return !entry.second.weight; });
  for (Value version : maxima.versions())
    if (auto *it = found.find(maxima.leader(version)); it != found.end())
      it->second.versions.push_back(version);
  return llvm::all_of(
      found, [&](auto &entry) { return choose(entry.second, analysis); });
}

/// Whether an exponential subtracts \p maximum, as a softmax does: its argument
/// is a few ops behind.
static bool isSubtracted(Value maximum) {
  constexpr unsigned kMaxValues = 64;
  llvm::SmallSetVector<Value, 16> values;
  values.insert(maximum);
  for (unsigned i = 0; i < values.size() && i < kMaxValues; ++i)
    for (Operation *user : values[i].getUsers()) {
      FloatKind kind = getFloatView(user).kind;
      if (kind == FloatKind::Exp || kind == FloatKind::Exp2)
        return true;
      if (user->getNumRegions() == 0)
        values.insert(user->result_begin(), user->result_end());
    }
  return false;
}

/// Leaves the maximum that stood in the way alone; false if it is not known.
bool FixMaximum::remove() {
  if (!obstacle.maximum) {
    if (maxima.empty())
      return false;
    obstacle.op->emitRemark() << "maxima of rows stay: " << obstacle.reason;
    return false;
  }
  if (isSubtracted(obstacle.maximum)) {
    obstacle.op->emitRemark()
        << "the maximum of the rows stays: " << obstacle.reason;
    hasRemark = true;
  }
  maxima.remove(obstacle.maximum);
  return true;
}

/// Where there is an exponential, somebody may have expected a maximum.
void FixMaximum::explainNothing() {
  root->walk([](Operation *op) {
    FloatKind kind = getFloatView(op).kind;
    if (kind != FloatKind::Exp && kind != FloatKind::Exp2)
      return WalkResult::advance();
    op->emitRemark() << "no maximum of rows to fix: this exponential subtracts "
                        "none that is computed on f32 scalars";
    return WalkResult::interrupt();
  });
}

void FixMaximum::rewrite(Fixed &fixed) {
  fixed.weight->emitRemark()
      << "the maximum of the rows is replaced by "
      << llvm::formatv("{0:f4}", fixed.constant).str()
      << ": weights are between 2^"
      << int64_t(std::floor(fixed.leastExponent())) << " and 2^"
      << int64_t(std::ceil(fixed.mostExponent()));
  OpBuilder builder(root->getContext());
  builder.setInsertionPointToStart(&root->getRegion(0).front());
  Value constant =
      arith::ConstantOp::create(builder, fixed.weight->getLoc(),
                                builder.getF32FloatAttr(float(fixed.constant)));
  for (Operation *correction : fixed.corrections) {
    builder.setInsertionPoint(correction);
    Type type = correction->getResult(0).getType();
    auto one = arith::ConstantOp::create(
        builder, correction->getLoc(), type,
        isa<VectorType>(type)
            ? TypedAttr(DenseElementsAttr::get(cast<VectorType>(type), 1.0f))
            : TypedAttr(builder.getFloatAttr(type, 1.0)));
    correction->getResult(0).replaceAllUsesWith(one);
    unused.push_back(correction);
    for (Operation *user : llvm::make_early_inc_range(one->getUsers())) {
      auto fma = dyn_cast<math::FmaOp>(user);
      if (!fma || (fma.getA() != one && fma.getB() != one))
        continue;
      builder.setInsertionPoint(fma);
      Value sum = arith::AddFOp::create(
          builder, fma.getLoc(), fma.getA() == one ? fma.getB() : fma.getA(),
          fma.getC(), fma.getFastmath());
      fma.getResult().replaceAllUsesWith(sum);
      unused.push_back(fma);
    }
  }
  for (Value version : fixed.versions) {
    // What a loop starts from, so that it carries one value only.
    if (auto loop = version.getDefiningOp<scf::ForOp>())
      loop.getInitArgsMutable()[cast<OpResult>(version).getResultNumber()].set(
          constant);
    version.replaceAllUsesWith(constant);
    if (Operation *op = version.getDefiningOp(); op && op->getNumRegions() == 0)
      unused.push_back(op);
  }
}

void FixMaximum::eraseUnused() {
  SmallVector<Operation *> pending = unused;
  llvm::SmallPtrSet<Operation *, 16> erased;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    bool mayErase = llvm::is_contained(unused, op) || isMemoryEffectFree(op);
    if (erased.contains(op) || !op->use_empty() || !mayErase ||
        isTerminator(op) || op->getNumRegions() != 0)
      continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        pending.push_back(producer);
    erased.insert(op);
    op->erase();
  }
}

namespace {
struct PolyFixMaximumPass
    : mlir::poly::impl::PolyFixMaximumBase<PolyFixMaximumPass> {
  using PolyFixMaximumBase::PolyFixMaximumBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (valueLimit >= 1 && std::isfinite(valueLimit))
      return success();
    return emitError(UnknownLoc::get(context),
                     "poly-fix-maximum: value-limit has to be a finite number "
                     "of at least 1, such as 1e19");
  }

  void runOnOperation() override {
    for (Operation *op : mlir::poly::collectDeviceRoots(getOperation()))
      if (!mlir::poly::hasInherited(op, "poly.keep") &&
          !op->getRegion(0).empty())
        numFixed += FixMaximum(op, valueLimit).run();
  }
};
} // namespace
