//===- Turns.cpp - Sines and cosines of reduced angles --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Turns.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Transforms/DeviceCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace mlir::poly {

using ::poly::Format;
using ::poly::Function;

namespace {

constexpr double kTwoPi = 6.28318530717958647693;

bool isF32(Value value) {
  return getElementFormat(value.getType()) == Format::F32;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

struct Range {
  double low = 0, high = 0;
};

unsigned getWidth(Value value) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  return type ? type.getWidth() : 64; // An index.
}

/// The integer that every lane of \p value is.
std::optional<uint64_t> getInteger(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(attr))
    attr = splat.getSplatValue<Attribute>();
  auto integer = dyn_cast<IntegerAttr>(attr);
  if (!integer || integer.getValue().getBitWidth() > 64)
    return std::nullopt;
  return integer.getValue().getZExtValue();
}

Range getTypeRange(unsigned width, bool isSigned) {
  if (isSigned)
    return {-std::ldexp(1.0, int(width) - 1),
            std::ldexp(1.0, int(width) - 1) - 1};
  return {0, std::ldexp(1.0, int(width)) - 1};
}

/// A range that holds \p value, read as signed or unsigned.
Range getRange(Value value, bool isSigned) {
  unsigned width = getWidth(value);
  Range range = getTypeRange(width, isSigned);
  Operation *op = value.getDefiningOp();
  if (!op)
    return range;
  if (isa<arith::ExtSIOp, LLVM::SExtOp>(op) && isSigned)
    return getTypeRange(getWidth(op->getOperand(0)), true);
  if (isa<arith::ExtUIOp, LLVM::ZExtOp>(op))
    return getTypeRange(getWidth(op->getOperand(0)), false);
  if (op->getNumOperands() != 2)
    return range;
  std::optional<uint64_t> constant = getInteger(op->getOperand(1));
  if (!constant)
    return range;
  // A mask without the sign bit, and a shift that brings in zeros, leave
  // nothing negative.
  if (isa<arith::AndIOp, LLVM::AndOp>(op) && *constant >> (width - 1) == 0)
    return {0, double(*constant)};
  if (*constant == 0 || *constant >= width)
    return range;
  if (isa<arith::ShRUIOp, LLVM::LShrOp>(op))
    return getTypeRange(width - unsigned(*constant), false);
  if (isa<arith::ShRSIOp, LLVM::AShrOp>(op) && isSigned)
    return getTypeRange(width - unsigned(*constant), true);
  return range;
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

/// What a sine or cosine is taken of: factor * base.
struct Angle {
  Value base;
  double factor = 1;
  /// Values on the way, each with the factor that remains.
  SmallVector<std::pair<Value, double>, 4> parts;
  llvm::SmallSetVector<Operation *, 12> ops;
};

/// Follows multiplications by literals.
Angle followAngle(Value value) {
  constexpr unsigned kMaxSteps = 8;
  Angle angle;
  angle.base = value;
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    angle.parts.push_back({angle.base, angle.factor});
    Operation *op = angle.base.getDefiningOp();
    if (!op)
      break;
    FloatView view = getFloatView(op);
    if (view.kind == FloatKind::Neg) {
      angle.factor = -angle.factor;
      angle.base = view.operands[0];
    } else if (view.kind == FloatKind::Mul || view.kind == FloatKind::Div) {
      bool isMul = view.kind == FloatKind::Mul;
      std::optional<double> number = getLiteralNumber(view.operands[1]);
      unsigned other = 0;
      if (!number && isMul) {
        number = getLiteralNumber(view.operands[0]);
        other = 1;
      }
      if (!number || *number == 0 || !std::isfinite(*number))
        break;
      angle.factor = isMul ? angle.factor * *number : angle.factor / *number;
      angle.base = view.operands[other];
    } else {
      break;
    }
    angle.ops.insert(op);
  }
  return angle;
}

/// The power of two, with the sign, that \p factor is within \p tolerance
/// (relative) of.
std::optional<double> snapToPowerOfTwo(double factor, double tolerance) {
  int exponent = 0;
  double mantissa = std::frexp(std::fabs(factor), &exponent);
  // To the nearest power of two.
  if (mantissa > 0.75)
    ++exponent;
  double power = std::ldexp(0.5, exponent);
  if (!(std::fabs(std::fabs(factor) / power - 1) <= tolerance))
    return std::nullopt;
  return std::copysign(power, factor);
}

/// Whether \p value is a converted integer.
bool isConversion(Value value) {
  Operation *op = value.getDefiningOp();
  return op &&
         isa<arith::SIToFPOp, LLVM::SIToFPOp, arith::UIToFPOp, LLVM::UIToFPOp>(
             op);
}

/// Whether \p value is \p x rounded to the nearest integer.
bool isRounded(Value value, Value x) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 1 || op->getOperand(0) != x)
    return false;
  if (isa<math::RoundEvenOp, math::RoundOp, LLVM::RoundEvenOp, LLVM::RintOp,
          LLVM::NearbyintOp>(op))
    return true;
  auto call = dyn_cast<LLVM::CallOp>(op);
  return call && call.getCallee() &&
         llvm::is_contained({"__nv_rintf", "__nv_nearbyintf", "__nv_roundf"},
                            *call.getCallee());
}

/// Whether \p value is x less its nearest integer, which is exact.
bool isReduced(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  FloatView view = getFloatView(op);
  return view.kind == FloatKind::Sub &&
         isRounded(view.operands[1], view.operands[0]);
}

class TurnFinder {
public:
  TurnSearch find(Operation *root);

private:
  void visit(Operation *op, Value operand, bool isPi, Function function,
             unsigned result);
  bool prove(TurnSite &site, const Angle &angle, double turns,
             std::string &reason);
  void markPairs();

  TurnSearch search;
};

/// Finds the phase: \p turns times the angle's base.
bool TurnFinder::prove(TurnSite &site, const Angle &angle, double turns,
                       std::string &reason) {
  Value base = angle.base;
  Operation *op = base.getDefiningOp();
  bool isSigned = op && isa<arith::SIToFPOp, LLVM::SIToFPOp>(op);
  bool isUnsigned = op && isa<arith::UIToFPOp, LLVM::UIToFPOp>(op);
  site.scale = turns;
  double reach = 0;
  if (isSigned || isUnsigned) {
    site.idiom.ops.insert(op);
    Value integer = op->getOperand(0);
    Range range = getRange(integer, isSigned);
    reach = std::max(-range.low, range.high);
    // Where the least and the greatest magnitude differ, the conversion rounds
    // the latter up: bounds are powers of two.
    if (std::fabs(turns) * llvm::PowerOf2Ceil(uint64_t(reach)) <= 0.5) {
      site.idiom.base = base;
    } else {
      // A whole turn without a sign.
      Operation *ext = integer.getDefiningOp();
      if (ext && isa<arith::ExtUIOp, LLVM::ZExtOp>(ext)) {
        integer = ext->getOperand(0);
        isUnsigned = true;
      }
      unsigned width = getWidth(integer);
      if (!isUnsigned || std::fabs(turns) != std::ldexp(1.0, -int(width))) {
        reason = llvm::formatv(
            "the phase is not reduced: it lies between {0} and {1} turns, and "
            "programs take -0.5 to 0.5",
            std::min(range.low * turns, range.high * turns),
            std::max(range.low * turns, range.high * turns));
        return false;
      }
      site.idiom.base = integer;
      return true;
    }
  } else if (std::fabs(turns) <= 1) {
    site.idiom.base = base;
  } else {
    reason = llvm::formatv("the phase is not reduced: it is {0} times a number "
                           "within half a turn",
                           std::fabs(turns));
    return false;
  }
  // The source may have the phase.
  for (auto [value, factor] : angle.parts)
    if (angle.factor / factor == turns)
      site.phase = value;
  return true;
}

void TurnFinder::visit(Operation *op, Value operand, bool isPi,
                       Function function, unsigned result) {
  Value value = op->getResult(result);
  if (!isF32(value) || value.use_empty() || getLiteralNumber(operand))
    return;
  StringRef kind = function == Function::SinTurn ? "sin" : "cos";
  // A function op stands for it already.
  if (llvm::any_of(value.getUses(), [](OpOperand &use) {
        return getFunction(use.getOwner()) && use.getOperandNumber() == 1;
      }))
    return;
  Angle angle = followAngle(operand);
  angle.ops.insert(op);
  if (llvm::any_of(angle.ops, [](Operation *part) {
        return hasInherited(part, PolyDialect::kKeepAttr);
      }))
    return;
  if (!isConversion(angle.base) && !isReduced(angle.base)) {
    search.refusals.push_back(
        {op, kind,
         "the angle is not proved to be a phase within half a turn; reduce the "
         "phase in turns, by the overflow of a fixed-point integer or as "
         "x - roundeven(x), and multiply by 2 pi last"});
    return;
  }
  // 2 pi has a mantissa of 1.57: four ulps of f32.
  double tolerance = isPi ? 0 : 4 * 0x1p-23 / 1.57;
  double perTurn = isPi ? 2 : kTwoPi;
  std::optional<double> turns =
      snapToPowerOfTwo(angle.factor / perTurn, tolerance);
  if (!turns) {
    search.refusals.push_back(
        {op, kind,
         llvm::formatv("the angle is {0:e8} times a phase, which is not {1} "
                       "times a power of two",
                       angle.factor, isPi ? "2" : "2 pi")});
    return;
  }
  TurnSite site;
  site.idiom.root = op;
  site.idiom.target.function = function;
  site.idiom.kind = function == Function::SinTurn ? "sin_turn" : "cos_turn";
  site.idiom.ops = angle.ops;
  site.result = result;
  std::string reason;
  if (!prove(site, angle, *turns, reason)) {
    search.refusals.push_back({op, kind, reason});
    return;
  }
  search.sites.push_back(std::move(site));
}

/// Sine and cosine of one phase share work and are rotated by together.
void TurnFinder::markPairs() {
  constexpr unsigned kFirst = 1u << 30; // Beyond the pairs of other idioms.
  llvm::MapVector<std::pair<Value, uint64_t>, SmallVector<unsigned, 2>> sites;
  for (auto [i, site] : llvm::enumerate(search.sites))
    sites[{site.idiom.base, llvm::bit_cast<uint64_t>(site.scale)}].push_back(i);
  unsigned pairs = 0;
  for (auto &[phase, members] : sites) {
    auto has = [&](Function function) {
      return llvm::any_of(members, [&](unsigned i) {
        return search.sites[i].idiom.target.function == function;
      });
    };
    if (!has(Function::SinTurn) || !has(Function::CosTurn))
      continue;
    ++pairs;
    for (unsigned i : members)
      search.sites[i].idiom.pair = kFirst + pairs;
  }
}

TurnSearch TurnFinder::find(Operation *root) {
  root->walk([&](Operation *op) {
    if (auto sincos = dyn_cast<math::SincosOp>(op)) {
      visit(op, sincos.getOperand(), false, Function::SinTurn, 0);
      visit(op, sincos.getOperand(), false, Function::CosTurn, 1);
      return;
    }
    FloatView view = getFloatView(op);
    if (!isTrigonometric(view.kind))
      return;
    bool isPi = view.kind == FloatKind::SinPi || view.kind == FloatKind::CosPi;
    bool isSine = view.kind == FloatKind::Sin || view.kind == FloatKind::SinPi;
    visit(op, view.operands[0], isPi,
          isSine ? Function::SinTurn : Function::CosTurn, 0);
  });
  markPairs();
  return std::move(search);
}

} // namespace

TurnSearch findTurns(Operation *root) { return TurnFinder().find(root); }

bool hasTurnConsent(const Idiom &idiom) {
  if (getFloatView(idiom.root).isFast)
    return true;
  return llvm::all_of(idiom.ops, [&](Operation *op) {
    bool isRounded = op == idiom.root || isRounding(getFloatView(op).kind);
    std::optional<arith::FastMathFlags> flags = getFastMathFlags(op);
    return !isRounded ||
           (flags && bitEnumContainsAll(*flags, arith::FastMathFlags::afn));
  });
}

Value PhaseBuilder::get(OpBuilder &builder, const TurnSite &site) {
  if (site.phase)
    return site.phase;
  Value base = site.idiom.base;
  Type type = site.idiom.root->getResult(site.result).getType();
  Value &phase = phases[{base, builder.getF64FloatAttr(site.scale)}];
  if (phase && phase.getType() == type)
    return phase;
  builder.setInsertionPointAfterValue(base);
  Location loc = base.getLoc();
  bool isLLVM = isa<LLVM::LLVMDialect>(site.idiom.root->getDialect());
  Value value = base;
  if (!getElementFormat(base.getType()))
    value = isLLVM
                ? LLVM::SIToFPOp::create(builder, loc, type, base).getResult()
                : arith::SIToFPOp::create(builder, loc, type, base).getResult();
  // A power of two: exact.
  TypedAttr attr =
      FloatAttr::get(cast<FloatType>(getElementTypeOrSelf(type)), site.scale);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  if (isLLVM) {
    Value scale = LLVM::ConstantOp::create(builder, loc, type, attr);
    phase = LLVM::FMulOp::create(builder, loc, value, scale);
  } else {
    Value scale = arith::ConstantOp::create(builder, loc, attr);
    phase = arith::MulFOp::create(builder, loc, value, scale);
  }
  return phase;
}

} // namespace mlir::poly
