//===- Range.cpp - What numbers values can be
//------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scale.h"

#include "../RaisePatterns/FloatView.h"
#include "../RowMaximum/BoundProof.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::poly;

/// A program that takes the place of a tanh may exceed one by its error, which
/// is below this for all that are of use.
static constexpr double kOvershoot = 1.0 / 16;

static ScoreRange hull(const ScoreRange &a, const ScoreRange &b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high),
          a.mayBeNone || b.mayBeNone};
}

/// The range of a constant; of -inf, nothing but itself.
static std::optional<ScoreRange> numberRange(double number) {
  if (std::isfinite(number))
    return ScoreRange{number, number, false};
  if (number == -INFINITY)
    return ScoreRange{INFINITY, -INFINITY, true};
  return std::nullopt;
}

std::optional<ScoreRange>
mlir::poly::scaleRange(const std::optional<ScoreRange> &range, double factor) {
  if (!range || (range->mayBeNone && factor <= 0))
    return std::nullopt;
  double low = range->low * factor, high = range->high * factor;
  return ScoreRange{std::min(low, high), std::max(low, high), range->mayBeNone};
}

std::optional<ScoreRange>
mlir::poly::addRanges(const std::optional<ScoreRange> &a,
                      const std::optional<ScoreRange> &b, double sign) {
  std::optional<ScoreRange> signedB = scaleRange(b, sign);
  if (!a || !signedB)
    return std::nullopt;
  return ScoreRange{a->low + signedB->low, a->high + signedB->high,
                    a->mayBeNone || signedB->mayBeNone};
}

static std::optional<ScoreRange> ofChoice(Value a, Value b, unsigned depth) {
  std::optional<ScoreRange> one = getRange(a, depth + 1);
  std::optional<ScoreRange> other = one ? getRange(b, depth + 1) : std::nullopt;
  if (!other)
    return std::nullopt;
  return hull(*one, *other);
}

/// Of a minimum or maximum, which bounds what is not known on one side.
static std::optional<ScoreRange> ofClamp(const FloatView &view,
                                         unsigned depth) {
  ScoreRange ranges[2];
  for (unsigned i : {0u, 1u}) {
    ranges[i] = getRange(view.operands[i], depth + 1)
                    .value_or(ScoreRange{-INFINITY, INFINITY, false});
    if (ranges[i].mayBeNone)
      return std::nullopt;
  }
  const auto &[a, b] = ranges;
  if (view.kind == FloatKind::Min)
    return ScoreRange{std::min(a.low, b.low), std::min(a.high, b.high), false};
  return ScoreRange{std::max(a.low, b.low), std::max(a.high, b.high), false};
}

static std::optional<ScoreRange> ofView(const FloatView &view, unsigned depth) {
  auto operand = [&](unsigned i) { return view.operands[i]; };
  switch (view.kind) {
  case FloatKind::Tanh:
  case FloatKind::Erf:
    return ScoreRange{-1 - kOvershoot, 1 + kOvershoot, false};
  case FloatKind::Ext:
    return getRange(operand(0), depth + 1);
  case FloatKind::Neg:
    return scaleRange(getRange(operand(0), depth + 1), -1);
  case FloatKind::Min:
  case FloatKind::Max:
    return ofClamp(view, depth);
  case FloatKind::Mul:
    for (unsigned i : {0u, 1u})
      if (std::optional<double> factor = getLiteralNumber(operand(i)))
        return scaleRange(getRange(operand(1 - i), depth + 1), *factor);
    return std::nullopt;
  case FloatKind::Div:
    if (std::optional<double> divisor = getLiteralNumber(operand(1));
        divisor && *divisor != 0)
      return scaleRange(getRange(operand(0), depth + 1), 1 / *divisor);
    return std::nullopt;
  case FloatKind::Add:
  case FloatKind::Sub:
    return addRanges(getRange(operand(0), depth + 1),
                     getRange(operand(1), depth + 1),
                     view.kind == FloatKind::Sub ? -1 : 1);
  default:
    return std::nullopt;
  }
}

std::optional<ScoreRange> mlir::poly::getRange(Value value, unsigned depth) {
  constexpr unsigned kMaxDepth = 12;
  if (depth > kMaxDepth)
    return std::nullopt;
  value = bound::asSplatSource(value);
  if (std::optional<double> number = getLiteralNumber(value))
    return numberRange(*number);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (op->getName().getStringRef() == "arith.select" ||
      op->getName().getStringRef() == "llvm.select")
    return ofChoice(op->getOperand(1), op->getOperand(2), depth);
  return ofView(getFloatView(op), depth);
}
