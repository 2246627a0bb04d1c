//===- Normalize.cpp - Conversions and lanes in typed ops -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaisePatterns/FloatView.h"
#include "RaisePatterns/InlineAsm.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Program/Formats.h"
#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/Passes.h"
#include "poly/Transforms/Sites.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
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

static Value bitcast(OpBuilder &builder, Location loc, Type type, Value value) {
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
    Value position = LLVM::ConstantOp::create(
        builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(index));
    return widen(LLVM::ExtractElementOp::create(builder, loc, pair, position));
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

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

namespace {
/// Takes apart f32 vectors that were put together from scalars, so that an
/// idiom whose halves are scalar and vector code is one in each lane. A GPU
/// computes f32 vectors lane by lane anyway.
class LaneSplitter {
public:
  explicit LaneSplitter(Operation *root) : root(root) {}
  unsigned run();

private:
  /// Whether \p value is built from scalars, or is constant.
  static bool isBuilt(Value value);
  /// A rank-1 vector of f32, computed elementwise from such vectors.
  static bool isElementwise(Operation *op);
  /// The ops whose results end in a conversion to 8 bits, which takes four
  /// neighbours at a time.
  llvm::DenseSet<Operation *> wholeVectors();
  Value lane(Value vector, int64_t index);
  Value makeLane(Value vector, int64_t index);
  void split(Operation *op);
  /// Erases what is left of the vectors, whose uses would keep lanes alive.
  void eraseDead();

  Operation *root;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> lanes;
  /// The scalar that stands for the result of an extraction now.
  llvm::DenseMap<Value, Value> replacements;
  SmallVector<Operation *> replaced;
};
} // namespace

static VectorType getF32Vector(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  constexpr int64_t kMaxLanes = 64;
  return type && type.getRank() == 1 && !type.isScalable() &&
                 type.getElementType().isF32() &&
                 type.getNumElements() <= kMaxLanes
             ? type
             : VectorType();
}

/// The scalar that a chain of insertions puts into lane \p index.
static Value getInserted(Value vector, int64_t index) {
  while (Operation *op = vector.getDefiningOp()) {
    if (auto build = dyn_cast<vector::FromElementsOp>(op))
      return build.getElements()[index];
    auto insert = dyn_cast<LLVM::InsertElementOp>(op);
    std::optional<uint64_t> position =
        insert ? getInteger(insert.getPosition()) : std::nullopt;
    if (!position)
      return {};
    if (*position == static_cast<uint64_t>(index))
      return insert.getValue();
    vector = insert.getVector();
  }
  return {};
}

bool LaneSplitter::isBuilt(Value value) {
  VectorType type = getF32Vector(value);
  if (!type || !value.getDefiningOp())
    return false;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    if (!getInserted(value, i))
      return false;
  return true;
}

bool LaneSplitter::isElementwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !getF32Vector(op->getResult(0)) ||
      isa<LLVM::CallIntrinsicOp, LLVM::CallOp, LLVM::InlineAsmOp>(op))
    return false;
  switch (getFloatView(op).kind) {
  case FloatKind::Opaque:
  case FloatKind::Select:
  case FloatKind::Ext:
    return false;
  default:
    return llvm::all_of(op->getOperandTypes(), [&](Type type) {
      return type == op->getResult(0).getType();
    });
  }
}

Value LaneSplitter::lane(Value vector, int64_t index) {
  if (Value known = lanes.lookup({vector, index}))
    return known;
  Value made = makeLane(vector, index);
  while (Value replacement = replacements.lookup(made))
    made = replacement;
  lanes[{vector, index}] = made;
  return made;
}

Value LaneSplitter::makeLane(Value vector, int64_t index) {
  if (Value inserted = getInserted(vector, index))
    return inserted;
  Operation *op = vector.getDefiningOp();
  OpBuilder builder(root->getContext());
  builder.setInsertionPointAfterValue(vector);
  Location loc = vector.getLoc();
  bool isLLVM = isa<LLVM::LLVMFuncOp>(root);
  DenseElementsAttr elements;
  if (op && matchPattern(vector, m_Constant(&elements))) {
    TypedAttr element = elements.getValues<FloatAttr>()[index];
    return isLLVM
               ? LLVM::ConstantOp::create(builder, loc, element).getResult()
               : arith::ConstantOp::create(builder, loc, element).getResult();
  }
  if (op && isElementwise(op)) {
    OperationState state(loc, op->getName());
    for (Value operand : op->getOperands())
      state.addOperands(lane(operand, index));
    // Before the op, so that whatever replaces the op finds all lanes there.
    builder.setInsertionPoint(op);
    state.addTypes(builder.getF32Type());
    state.addAttributes(op->getAttrs());
    return builder.create(state)->getResult(0);
  }
  if (!isLLVM)
    return vector::ExtractOp::create(builder, loc, vector, index);
  Value position = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                            builder.getI64IntegerAttr(index));
  return LLVM::ExtractElementOp::create(builder, loc, vector, position);
}

void LaneSplitter::split(Operation *op) {
  Value result = op->getResult(0);
  VectorType type = getF32Vector(result);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(lane(result, i));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Value rebuilt =
      vector::FromElementsOp::create(builder, op->getLoc(), type, elements);
  result.replaceAllUsesWith(rebuilt);
  replaced.push_back(op);
  replaced.push_back(rebuilt.getDefiningOp());
}

void LaneSplitter::eraseDead() {
  llvm::SetVector<Operation *> worklist(replaced.begin(), replaced.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        worklist.insert(def);
    op->erase();
  }
}

llvm::DenseSet<Operation *> LaneSplitter::wholeVectors() {
  llvm::SetVector<Operation *> whole;
  root->walk([&](Operation *op) {
    if (isa<arith::TruncFOp>(op) && isa<VectorType>(op->getResult(0).getType()))
      if (std::optional<::poly::Format> format =
              getFormat(op->getResult(0).getType());
          format && ::poly::elementBits(*format) == 8)
        if (Operation *def = op->getOperand(0).getDefiningOp())
          whole.insert(def);
  });
  for (unsigned i = 0; i < whole.size(); ++i)
    if (isElementwise(whole[i]))
      for (Value operand : whole[i]->getOperands())
        if (Operation *def = operand.getDefiningOp())
          whole.insert(def);
  return llvm::DenseSet<Operation *>(whole.begin(), whole.end());
}

unsigned LaneSplitter::run() {
  // First which vectors to split, in program order: one built from scalars
  // makes those that are computed from it so too.
  SmallVector<Operation *> splits, extracts;
  llvm::DenseSet<Value> built;
  llvm::DenseSet<Operation *> whole = wholeVectors();
  root->walk([&](Operation *op) {
    if (isElementwise(op) && !whole.contains(op) &&
        llvm::any_of(op->getOperands(), [&](Value operand) {
          return built.contains(operand) || isBuilt(operand);
        })) {
      built.insert(op->getResult(0));
      splits.push_back(op);
    }
    if (isa<LLVM::ExtractElementOp, vector::ExtractOp>(op) &&
        op->getResult(0).getType().isF32())
      extracts.push_back(op);
  });
  if (splits.empty())
    return 0;
  // A lane has one scalar, wherever it is read.
  for (Operation *op : extracts) {
    std::optional<int64_t> index;
    if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op)) {
      if (auto position = getInteger(extract.getPosition()))
        index = *position;
    } else if (auto extract = cast<vector::ExtractOp>(op);
               extract.getStaticPosition().size() == 1 &&
               !extract.hasDynamicPosition()) {
      index = extract.getStaticPosition()[0];
    }
    Value vector = op->getOperand(0);
    VectorType type = getF32Vector(vector);
    if (!index || !type || *index < 0 || *index >= type.getNumElements())
      continue;
    Value scalar = lane(vector, *index);
    op->getResult(0).replaceAllUsesWith(scalar);
    replacements[op->getResult(0)] = scalar;
    replaced.push_back(op);
  }
  for (Operation *op : splits)
    split(op);
  eraseDead();
  return splits.size();
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
      replacement = rewriteConversion(assembly);
    else if (auto select = dyn_cast<LLVM::SelectOp>(op))
      replacement = rewriteRounding(select);
    else
      replacement = rewriteWidening(cast<LLVM::BitcastOp>(op));
    if (!replacement)
      continue;
    op->getResult(0).replaceAllUsesWith(replacement);
    op->erase();
    ++count;
  }
  return count + LaneSplitter(root).run();
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
