//===- Normalize.cpp - Conversions and lanes in typed ops -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Normalize/Lanes.h"
#include "RaisePatterns/FloatView.h"
#include "RaisePatterns/InlineAsm.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Program/Formats.h"
#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/StringSwitch.h"

#include <atomic>

namespace mlir::poly {
#define GEN_PASS_DEF_POLYNORMALIZE
#include "poly/Transforms/Passes.h.inc"
} // namespace mlir::poly

using namespace mlir;
using namespace mlir::poly;

namespace {
struct PolyNormalizePass
    : mlir::poly::impl::PolyNormalizeBase<PolyNormalizePass> {
  using PolyNormalizeBase::PolyNormalizeBase;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static std::optional<uint64_t> getInteger(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getZExtValue();
}

/// The 16-bit float that the instruction \p mnemonic converts to or from f32.
static FloatType getNarrowType(StringRef mnemonic, MLIRContext *context) {
  return llvm::StringSwitch<FloatType>(mnemonic)
      .Cases({"cvt.f32.bf16", "cvt.rn.bf16.f32", "cvt.rn.bf16x2.f32"},
             BFloat16Type::get(context))
      .Cases({"cvt.f32.f16", "cvt.rn.f16.f32", "cvt.rn.f16x2.f32"},
             Float16Type::get(context))
      .Default(FloatType());
}

/// \p value as \p type, by a cast that is there already if there is one.
static Value bitcast(OpBuilder &builder, Location loc, Type type, Value value) {
  auto source = value.getDefiningOp<LLVM::BitcastOp>();
  if (source && source.getArg().getType() == type)
    return source.getArg();
  // Behind the value, where it serves all of its users.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  Block *block = value.getParentBlock();
  for (Operation *user : value.getUsers()) {
    auto cast = dyn_cast<LLVM::BitcastOp>(user);
    if (!cast || cast.getType() != type || cast->getBlock() != block)
      continue;
    cast->moveBefore(block, builder.getInsertionPoint());
    return cast;
  }
  return LLVM::BitcastOp::create(builder, loc, type, value);
}

/// CUDA's headers convert by inline assembly over integers:
///   i16 -> f32: cvt.f32.bf16           becomes fpext (bitcast x)
///   f32 -> i16: cvt.rn.bf16.f32        becomes bitcast (fptrunc x)
///   2 f32 -> i32: cvt.rn.bf16x2.f32    becomes bitcast (fptrunc (a, b))
static Value rewriteConversion(LLVM::InlineAsmOp op) {
  std::optional<PlainInstruction> instruction = getPlainInstruction(op);
  if (!instruction)
    return {};
  FloatType narrow = getNarrowType(instruction->mnemonic, op->getContext());
  if (!narrow)
    return {};
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type f32 = builder.getF32Type(), result = op.getResult(0).getType();
  ArrayRef<Value> operands = instruction->operands;
  if (operands.size() == 1 && operands[0].getType().isInteger(16) &&
      result == f32)
    return LLVM::FPExtOp::create(builder, loc, f32,
                                 bitcast(builder, loc, narrow, operands[0]));
  if (operands.size() == 1 && operands[0].getType() == f32 &&
      result.isInteger(16))
    return bitcast(builder, loc, result,
                   LLVM::FPTruncOp::create(builder, loc, narrow, operands[0]));
  if (operands.size() == 2 && operands[0].getType() == f32 &&
      operands[1].getType() == f32 && result.isInteger(32)) {
    // The first operand becomes the upper half.
    Value pair =
        vector::FromElementsOp::create(builder, loc, VectorType::get({2}, f32),
                                       ValueRange{operands[1], operands[0]});
    Value rounded = LLVM::FPTruncOp::create(builder, loc,
                                            VectorType::get({2}, narrow), pair);
    return bitcast(builder, loc, result, rounded);
  }
  return {};
}

namespace {
/// The typed op of an instruction.
struct Arithmetic {
  StringRef name;
  unsigned arity = 0;
  /// Without a rounding modifier the assembler may fuse a multiplication and an
  /// addition.
  bool mayContract = false;
};
} // namespace

static Arithmetic getArithmetic(StringRef instruction) {
  return llvm::StringSwitch<Arithmetic>(instruction)
      .Case("add", {LLVM::FAddOp::getOperationName(), 2, true})
      .Case("sub", {LLVM::FSubOp::getOperationName(), 2, true})
      .Case("mul", {LLVM::FMulOp::getOperationName(), 2, true})
      .Case("add.rn", {LLVM::FAddOp::getOperationName(), 2})
      .Case("sub.rn", {LLVM::FSubOp::getOperationName(), 2})
      .Case("mul.rn", {LLVM::FMulOp::getOperationName(), 2})
      .Case("fma.rn", {LLVM::FMAOp::getOperationName(), 3})
      .Case("neg", {LLVM::FNegOp::getOperationName(), 1})
      .Case("abs", {LLVM::FAbsOp::getOperationName(), 1})
      .Case("max", {LLVM::MaxNumOp::getOperationName(), 2})
      .Case("min", {LLVM::MinNumOp::getOperationName(), 2})
      .Case("max.NaN", {LLVM::MaximumOp::getOperationName(), 2})
      .Case("min.NaN", {LLVM::MinimumOp::getOperationName(), 2})
      .Default({});
}

/// CUDA's headers compute in 16 bits by inline assembly over integers:
///   i16: neg.f16         becomes bitcast (fneg (bitcast x))
///   i32: mul.bf16x2      the same on vectors of two
static Value rewriteArithmetic(LLVM::InlineAsmOp op) {
  std::optional<PlainInstruction> plain = getPlainInstruction(op);
  if (!plain)
    return {};
  auto [instruction, suffix] = StringRef(plain->mnemonic).rsplit('.');
  Arithmetic arithmetic = getArithmetic(instruction);
  OpBuilder builder(op);
  bool isPair = suffix.consume_back("x2");
  Type type;
  if (suffix == "bf16")
    type = builder.getBF16Type();
  else if (suffix == "f16")
    type = builder.getF16Type();
  Type carrier = builder.getIntegerType(isPair ? 32 : 16);
  auto isCarrier = [&](Value value) { return value.getType() == carrier; };
  if (!type || arithmetic.arity == 0 ||
      plain->operands.size() != arithmetic.arity ||
      !isCarrier(op.getResult(0)) || !llvm::all_of(plain->operands, isCarrier))
    return {};
  if (isPair)
    type = VectorType::get({2}, type);
  Location loc = op.getLoc();
  OperationState state(loc, arithmetic.name);
  for (Value operand : plain->operands)
    state.addOperands(bitcast(builder, loc, type, operand));
  state.addTypes(type);
  if (arithmetic.mayContract)
    state.addAttribute("fastmathFlags", LLVM::FastmathFlagsAttr::get(
                                            builder.getContext(),
                                            LLVM::FastmathFlags::contract));
  return bitcast(builder, loc, carrier, builder.create(state)->getResult(0));
}

static Value takeLane(OpBuilder &builder, Location loc, Value vector,
                      int64_t index) {
  Value position = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                            builder.getI64IntegerAttr(index));
  return LLVM::ExtractElementOp::create(builder, loc, vector, position);
}

/// The text of \p op without white space.
static std::string getCompactText(LLVM::InlineAsmOp op) {
  std::string text = op.getAsmString().str();
  llvm::erase_if(text, [](char c) { return llvm::isSpace(c); });
  return text;
}

/// CUDA's headers take a pair of f16 apart by assembly that names its halves:
///   mov.b16 $0, low        becomes a lane of bitcast w
///   cvt.f32.f16 $0, low    becomes fpext of it
static Value rewriteUnpacking(LLVM::InlineAsmOp op) {
  if (op.getHasSideEffects() || op->getNumResults() != 1 ||
      op->getNumOperands() != 1 || !op.getOperand(0).getType().isInteger(32))
    return {};
  std::string text = getCompactText(op);
  StringRef rest = text;
  bool hasHalves = rest.consume_front("{.reg.f16low,high;") ||
                   rest.consume_front("{.reg.b16low,high;");
  if (!hasHalves || !rest.consume_front("mov.b32{low,high},$1;"))
    return {};
  bool isMove = rest.consume_front("mov.b16$0,");
  if ((!isMove && !rest.consume_front("cvt.f32.f16$0,")) ||
      (rest != "low;}" && rest != "high;}"))
    return {};
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type result = op.getResult(0).getType();
  Type element = isMove ? Type(builder.getI16Type()) : builder.getF16Type();
  if (result != (isMove ? element : Type(builder.getF32Type())))
    return {};
  Value pair =
      bitcast(builder, loc, VectorType::get({2}, element), op.getOperand(0));
  Value half = takeLane(builder, loc, pair, rest == "low;}" ? 0 : 1);
  return isMove ? half
                : LLVM::FPExtOp::create(builder, loc, result, half).getResult();
}

/// Before sm_90, CUDA's headers widen a bf16 to the upper half of a word:
///   mov.b32 $0, {0, $1}    becomes fpext (bitcast x)
static Value rewriteUpperHalf(LLVM::InlineAsmOp op) {
  if (op.getHasSideEffects() || op->getNumResults() != 1 ||
      op->getNumOperands() != 1 || !op.getOperand(0).getType().isInteger(16) ||
      !op.getResult(0).getType().isF32() ||
      getCompactText(op) != "{mov.b32$0,{0,$1};}")
    return {};
  OpBuilder builder(op);
  Value narrow =
      bitcast(builder, op.getLoc(), builder.getBF16Type(), op.getOperand(0));
  return LLVM::FPExtOp::create(builder, op.getLoc(), builder.getF32Type(),
                               narrow);
}

static Value rewriteAssembly(LLVM::InlineAsmOp op) {
  for (auto rewrite : {rewriteConversion, rewriteArithmetic, rewriteUnpacking,
                       rewriteUpperHalf})
    if (Value replacement = rewrite(op))
      return replacement;
  return {};
}

/// A bf16 is the upper half of an f32 of the same value, so code widens it by
/// moving bits:
///   bitcast (zext x << 16)             becomes fpext (bitcast x)
///   bitcast (w << 16), (w & ffff0000)  becomes fpext of a lane of bitcast w
static Value rewriteWidening(LLVM::BitcastOp op) {
  if (!op.getType().isF32() || !op.getArg().getType().isInteger(32))
    return {};
  Operation *bits = op.getArg().getDefiningOp();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type bf16 = builder.getBF16Type();
  auto widen = [&](Value narrow) -> Value {
    return LLVM::FPExtOp::create(builder, loc, builder.getF32Type(), narrow);
  };
  auto lane = [&](Value word, int64_t index) -> Value {
    Value pair = bitcast(builder, loc, VectorType::get({2}, bf16), word);
    return widen(takeLane(builder, loc, pair, index));
  };
  if (auto shift = dyn_cast_or_null<LLVM::ShlOp>(bits)) {
    if (getInteger(shift.getRhs()) != 16)
      return {};
    auto extended = shift.getLhs().getDefiningOp<LLVM::ZExtOp>();
    if (extended && extended.getArg().getType().isInteger(16))
      return widen(bitcast(builder, loc, bf16, extended.getArg()));
    return lane(shift.getLhs(), 0);
  }
  auto mask = dyn_cast_or_null<LLVM::AndOp>(bits);
  if (mask && getInteger(mask.getRhs()) == 0xffff0000u)
    return lane(mask.getLhs(), 1);
  return {};
}

static void collectAddends(Value value, SmallVectorImpl<Value> &addends) {
  auto add = value.getDefiningOp<LLVM::AddOp>();
  if (!add || addends.size() > 3) {
    addends.push_back(value);
    return;
  }
  collectAddends(add.getLhs(), addends);
  collectAddends(add.getRhs(), addends);
}

/// The f32 that \p value rounds to the nearest bf16, ties to even, by adding
/// half a unit to its bits: (b + 0x7fff + (b >> 16 & 1)) >> 16.
static Value getRoundedByBits(Value value) {
  auto trunc = value.getDefiningOp<LLVM::TruncOp>();
  auto shift =
      trunc ? trunc.getArg().getDefiningOp<LLVM::LShrOp>() : LLVM::LShrOp();
  if (!shift || !value.getType().isInteger(16) ||
      !shift.getType().isInteger(32) || getInteger(shift.getRhs()) != 16)
    return {};
  SmallVector<Value> addends;
  collectAddends(shift.getLhs(), addends);
  Value bits, odd;
  bool hasHalf = false;
  for (Value addend : addends) {
    if (getInteger(addend) == 0x7fff)
      hasHalf = true;
    else if (addend.getDefiningOp<LLVM::AndOp>())
      odd = addend;
    else
      bits = addend;
  }
  if (addends.size() != 3 || !bits || !odd || !hasHalf)
    return {};
  auto mask = odd.getDefiningOp<LLVM::AndOp>();
  auto upper = mask.getLhs().getDefiningOp<LLVM::LShrOp>();
  if (getInteger(mask.getRhs()) != 1 || !upper || upper.getLhs() != bits ||
      getInteger(upper.getRhs()) != 16)
    return {};
  auto cast = bits.getDefiningOp<LLVM::BitcastOp>();
  return cast && cast.getArg().getType().isF32() ? cast.getArg() : Value();
}

/// x is NaN ? a bf16 NaN : x rounded by its bits    becomes bitcast (fptrunc x)
static Value rewriteRounding(LLVM::SelectOp op) {
  auto compare = op.getCondition().getDefiningOp<LLVM::FCmpOp>();
  if (!compare || !op.getType().isInteger(16))
    return {};
  bool isOrdered = compare.getPredicate() == LLVM::FCmpPredicate::ord;
  if (!isOrdered && compare.getPredicate() != LLVM::FCmpPredicate::uno)
    return {};
  Value source =
      getRoundedByBits(isOrdered ? op.getTrueValue() : op.getFalseValue());
  std::optional<uint64_t> nan =
      getInteger(isOrdered ? op.getFalseValue() : op.getTrueValue());
  if (!source || !nan || !::poly::isNaN(::poly::Format::BF16, *nan & 0xffff) ||
      compare.getLhs() != source ||
      (compare.getRhs() != source && !getConstantNumber(compare.getRhs())))
    return {};
  OpBuilder builder(op);
  Value rounded = LLVM::FPTruncOp::create(builder, op.getLoc(),
                                          builder.getBF16Type(), source);
  return bitcast(builder, op.getLoc(), op.getType(), rounded);
}

/// c ? bits of x : bits of y    becomes bitcast (c ? x : y)
static Value rewriteBitSelection(LLVM::SelectOp op) {
  if (!op.getType().isInteger(32))
    return {};
  OpBuilder builder(op);
  Type f32 = builder.getF32Type();
  // Bits that something else reads as a number, too.
  auto isFloat = [&](Value bits) {
    auto cast = bits.getDefiningOp<LLVM::BitcastOp>();
    return (cast && cast.getArg().getType() == f32) ||
           llvm::any_of(bits.getUsers(), [&](Operation *user) {
             return isa<LLVM::BitcastOp>(user) &&
                    user->getResult(0).getType() == f32;
           });
  };
  Value ifTrue = op.getTrueValue(), ifFalse = op.getFalseValue();
  if (!isFloat(ifTrue) || !isFloat(ifFalse))
    return {};
  Location loc = op.getLoc();
  Value chosen = LLVM::SelectOp::create(builder, loc, op.getCondition(),
                                        bitcast(builder, loc, f32, ifTrue),
                                        bitcast(builder, loc, f32, ifFalse));
  return LLVM::BitcastOp::create(builder, loc, op.getType(), chosen);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Without an exponential or a tanh there is nothing to find later.
static bool hasSeed(Operation *root) {
  WalkResult walk = root->walk([](Operation *op) {
    return isTranscendental(getFloatView(op).kind) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

static unsigned normalizeRoot(Operation *root) {
  if (hasInherited(root, PolyDialect::kKeepAttr) || !hasSeed(root))
    return 0;
  unsigned count = 0;
  SmallVector<Operation *> candidates;
  root->walk([&](Operation *op) {
    if (isa<LLVM::InlineAsmOp, LLVM::BitcastOp, LLVM::SelectOp>(op))
      candidates.push_back(op);
  });
  for (Operation *op : candidates) {
    Value replacement;
    if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
      replacement = rewriteAssembly(assembly);
    else if (auto select = dyn_cast<LLVM::SelectOp>(op))
      replacement = select.getType().isInteger(32) ? rewriteBitSelection(select)
                                                   : rewriteRounding(select);
    else
      replacement = rewriteWidening(cast<LLVM::BitcastOp>(op));
    if (!replacement)
      continue;
    op->getResult(0).replaceAllUsesWith(replacement);
    op->erase();
    ++count;
  }
  return count + splitLanes(root);
}

void PolyNormalizePass::runOnOperation() {
  std::atomic<unsigned> count = 0;
  parallelForEach(&getContext(), collectDeviceGroups(getOperation()),
                  [&](const SmallVector<Operation *, 1> &roots) {
                    for (Operation *root : roots)
                      count += normalizeRoot(root);
                  });
  if (count == 0)
    markAllAnalysesPreserved();
  numNormalized += count;
}
