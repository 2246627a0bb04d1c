//===- Lanes.cpp - Vectors that are scalars side by side ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Superword vectorisers pair scalar code as far as the pairs go: a library
/// function arrives with its multiply-adds in scalars and its guards in
/// two-lane comparisons, selections and bit operations. A GPU computes vectors
/// of 32-bit lanes lane by lane anyway, so such code is taken apart again.
///
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include "../RaisePatterns/FloatView.h"

#include "poly/Transforms/Sites.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::poly {

namespace {

/// A vector of lanes that scalar code computes too.
VectorType getLanes(Value value) {
  constexpr int64_t kMaxLanes = 64;
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || type.getRank() != 1 || type.isScalable() ||
      type.getNumElements() > kMaxLanes)
    return {};
  Type element = type.getElementType();
  bool isInteger = element.isSignlessInteger() &&
                   cast<IntegerType>(element).getWidth() <= 32;
  return isInteger || getElementFormat(element) ? type : VectorType();
}

/// 16-bit floats stay in their registers.
bool hasWideLanes(Value value) {
  VectorType type = getLanes(value);
  return type && !type.getElementType().isBF16() &&
         !type.getElementType().isF16();
}

/// Whether each lane of the result, or the only one, depends on the same lane
/// of the operands alone, so that the op exists on scalars.
bool isLanewise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return false;
  if (isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::AndOp, LLVM::OrOp,
          LLVM::XOrOp, LLVM::ShlOp, LLVM::LShrOp, LLVM::AShrOp, LLVM::ZExtOp,
          LLVM::SExtOp, LLVM::TruncOp, LLVM::BitcastOp, LLVM::ICmpOp,
          LLVM::FCmpOp, LLVM::SelectOp, LLVM::FPToSIOp, LLVM::SIToFPOp,
          LLVM::UIToFPOp, LLVM::SqrtOp, LLVM::RintOp, LLVM::NearbyintOp,
          LLVM::RoundEvenOp, LLVM::FFloorOp, LLVM::FCeilOp, LLVM::FTruncOp,
          LLVM::LogOp, LLVM::Log2Op>(op))
    return true;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
          arith::OrIOp, arith::XOrIOp, arith::ShLIOp, arith::ShRUIOp,
          arith::ShRSIOp, arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp,
          arith::BitcastOp, arith::CmpIOp, arith::CmpFOp, arith::SelectOp,
          arith::FPToSIOp, arith::SIToFPOp, arith::UIToFPOp, math::SqrtOp,
          math::RoundEvenOp, math::FloorOp, math::CeilOp, math::TruncOp,
          math::LogOp, math::Log2Op, math::Log1pOp>(op))
    return true;
  return !isa<LLVM::CallIntrinsicOp, LLVM::CallOp, LLVM::InlineAsmOp>(op) &&
         getFloatView(op).kind != FloatKind::Opaque;
}

/// Whether \p op computes a vector lane by lane.
bool isElementwise(Operation *op) {
  VectorType type =
      op->getNumResults() == 1 ? getLanes(op->getResult(0)) : VectorType();
  if (!type || !isLanewise(op))
    return false;
  for (Value operand : op->getOperands()) {
    // A selection may have one condition for all.
    if (operand.getType().isInteger(1) &&
        isa<LLVM::SelectOp, arith::SelectOp>(op))
      continue;
    VectorType from = getLanes(operand);
    if (!from || from.getNumElements() != type.getNumElements())
      return false;
  }
  if (hasWideLanes(op->getResult(0)))
    return true;
  FloatKind kind = getFloatView(op).kind;
  return kind == FloatKind::Neg || kind == FloatKind::Abs;
}

/// Arithmetic in f32. Above the LLVM dialect, where vectors are what somebody
/// wrote, comparisons and integers stay in them.
bool isFloatArithmetic(Operation *op) {
  FloatKind kind = getFloatView(op).kind;
  return kind != FloatKind::Opaque && kind != FloatKind::Select &&
         kind != FloatKind::Ext &&
         getElementTypeOrSelf(op->getResult(0)).isF32();
}

std::optional<int64_t> getIndex(Value position, VectorType type) {
  APInt number;
  if (!matchPattern(position, m_ConstantInt(&number)) ||
      number.uge(type.getNumElements()))
    return std::nullopt;
  return static_cast<int64_t>(number.getZExtValue());
}

/// The lane that \p op takes out of a vector, or puts into one.
std::optional<int64_t> getLane(Operation *op) {
  auto only = [](auto position) -> std::optional<int64_t> {
    // Dynamic and poison positions are negative.
    if (position.size() != 1 || position[0] < 0)
      return std::nullopt;
    return position[0];
  };
  if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op)) {
    VectorType type = getLanes(extract.getVector());
    return type ? getIndex(extract.getPosition(), type) : std::nullopt;
  }
  if (auto insert = dyn_cast<LLVM::InsertElementOp>(op)) {
    VectorType type = getLanes(insert.getVector());
    return type ? getIndex(insert.getPosition(), type) : std::nullopt;
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    return getLanes(extract.getSource()) ? only(extract.getStaticPosition())
                                         : std::nullopt;
  if (auto insert = dyn_cast<vector::InsertOp>(op))
    return getLanes(insert.getDest()) ? only(insert.getStaticPosition())
                                      : std::nullopt;
  return std::nullopt;
}

bool isExtraction(Operation *op) {
  return isa<LLVM::ExtractElementOp, vector::ExtractOp>(op) && getLane(op);
}

/// An insertion: the scalar and the vector it is put into.
std::optional<std::pair<Value, Value>> getInsertion(Operation *op) {
  if (!op || !getLane(op))
    return std::nullopt;
  if (auto insert = dyn_cast<LLVM::InsertElementOp>(op))
    return std::pair(insert.getValue(), insert.getVector());
  if (auto insert = dyn_cast<vector::InsertOp>(op))
    return std::pair(insert.getValueToStore(), insert.getDest());
  return std::nullopt;
}

bool isUndefined(Operation *op) {
  return isa_and_nonnull<LLVM::UndefOp, LLVM::PoisonOp>(op);
}

/// Whether scalars were put together to \p value, with no lane left of another
/// vector.
bool isBuilt(Value value) {
  if (!hasWideLanes(value))
    return false;
  if (value.getDefiningOp<vector::FromElementsOp>())
    return true;
  llvm::DenseSet<int64_t> lanes;
  while (auto insertion = getInsertion(value.getDefiningOp())) {
    lanes.insert(*getLane(value.getDefiningOp()));
    value = insertion->second;
  }
  return !lanes.empty() && (static_cast<int64_t>(lanes.size()) ==
                                getLanes(value).getNumElements() ||
                            isUndefined(value.getDefiningOp()));
}

class LaneSplitter {
public:
  explicit LaneSplitter(Operation *root)
      : root(root), isLLVM(isa<LLVM::LLVMFuncOp>(root)) {}
  unsigned run();

private:
  /// The ops whose results end in a conversion to 8 bits, which takes four
  /// neighbours at a time.
  void keepWholeVectors();
  /// Chooses ops that compute with lanes which are scalars before.
  void chooseBuilt();
  /// Chooses ops whose lanes become operands of scalar functions.
  void chooseTakenApart();
  void chooseWithOperands(Value vector);
  /// Whether lanes that chosen ops need of \p op are computed rather than taken
  /// out of its result.
  bool isSplitOnDemand(Operation *op);
  Value lane(Value vector, int64_t index);
  Value makeLane(Value vector, int64_t index);
  Value makeComputed(Operation *op, int64_t index);
  void split(Operation *op);
  /// A lane has one scalar, wherever it is read.
  void replace(Operation *extract);
  /// Says that any lane of a vector is true in scalars, where the vector is
  /// compared with zero as one integer.
  bool rewriteAnyOf(LLVM::ICmpOp compare);
  /// Erases what is left of the vectors, whose uses would keep lanes alive.
  void eraseDead();

  Operation *root;
  bool isLLVM;
  llvm::DenseSet<Operation *> whole;
  llvm::SetVector<Operation *> chosen;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> lanes;
  /// The scalar that stands for the result of an extraction now.
  llvm::DenseMap<Value, Value> replacements;
  SmallVector<Operation *> replaced;
};

} // namespace

void LaneSplitter::keepWholeVectors() {
  SmallVector<Operation *> worklist;
  auto keep = [&](Value value) {
    if (Operation *op = value.getDefiningOp())
      if (whole.insert(op).second)
        worklist.push_back(op);
  };
  root->walk([&](arith::TruncFOp op) {
    if (!isa<VectorType>(op.getType()))
      return;
    std::optional<::poly::Format> format = getFormat(op.getType());
    if (format && ::poly::elementBits(*format) == 8)
      keep(op.getIn());
  });
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (isElementwise(op))
      llvm::for_each(op->getOperands(), keep);
  }
}

void LaneSplitter::chooseBuilt() {
  // In program order: a vector computed from one built from scalars counts as
  // built too. A conversion alone keeps its vector.
  root->walk([&](Operation *op) {
    if (isElementwise(op) && hasWideLanes(op->getResult(0)) &&
        getFloatView(op).kind != FloatKind::Ext && !whole.contains(op) &&
        (isLLVM || isFloatArithmetic(op)) &&
        llvm::any_of(op->getOperands(), [&](Value operand) {
          return chosen.contains(operand.getDefiningOp()) || isBuilt(operand);
        }))
      chosen.insert(op);
  });
}

void LaneSplitter::chooseWithOperands(Value vector) {
  SmallVector<Value> worklist = {vector};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (op && isElementwise(op) && hasWideLanes(next) && isSplitOnDemand(op) &&
        chosen.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
}

void LaneSplitter::chooseTakenApart() {
  llvm::SetVector<Operation *> worklist;
  root->walk([&](Operation *op) {
    if (isTranscendental(getFloatView(op).kind) &&
        !isa<VectorType>(op->getResult(0).getType()))
      worklist.insert(op);
  });
  for (unsigned i = 0; i < worklist.size(); ++i)
    for (Value operand : worklist[i]->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op)
        continue;
      if (isExtraction(op))
        chooseWithOperands(op->getOperand(0));
      else if (!isa<VectorType>(operand.getType()) &&
               (isLanewise(op) || getFloatView(op).kind != FloatKind::Opaque))
        worklist.insert(op);
    }
}

bool LaneSplitter::isSplitOnDemand(Operation *op) {
  FloatKind kind = getFloatView(op).kind;
  if (whole.contains(op))
    return false;
  if (!isLLVM)
    return isFloatArithmetic(op);
  // What is a function on vectors stays one.
  if (isTranscendental(kind))
    return false;
  if (kind != FloatKind::Ext)
    return true;
  // A widened pair is read lane by lane as it is, unless something else reads
  // lanes of the narrow one.
  Value narrow = op->getOperand(0);
  Operation *source = narrow.getDefiningOp();
  return (source && isElementwise(source)) ||
         llvm::any_of(narrow.getUsers(), [](Operation *user) {
           return isExtraction(user) ||
                  (isElementwise(user) &&
                   getFloatView(user).kind != FloatKind::Ext);
         });
}

Value LaneSplitter::lane(Value vector, int64_t index) {
  Value made = lanes.lookup({vector, index});
  if (!made)
    made = makeLane(vector, index);
  while (Value replacement = replacements.lookup(made))
    made = replacement;
  lanes[{vector, index}] = made;
  return made;
}

Value LaneSplitter::makeComputed(Operation *op, int64_t index) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<VectorType>(operand.getType()) ? lane(operand, index)
                                                          : operand);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(cast<VectorType>(op->getResult(0).getType()).getElementType());
  state.addAttributes(op->getAttrs());
  // Before the op, so that whatever replaces the op finds all lanes there.
  OpBuilder builder(op);
  return builder.create(state)->getResult(0);
}

Value LaneSplitter::makeLane(Value vector, int64_t index) {
  Operation *op = vector.getDefiningOp();
  if (auto build = dyn_cast_or_null<vector::FromElementsOp>(op))
    return build.getElements()[index];
  if (auto insertion = getInsertion(op))
    return *getLane(op) == index ? insertion->first
                                 : lane(insertion->second, index);
  if (auto shuffle = dyn_cast_or_null<LLVM::ShuffleVectorOp>(op)) {
    int64_t count =
        cast<VectorType>(shuffle.getV1().getType()).getNumElements();
    int64_t source = shuffle.getMask()[index];
    if (source >= 0)
      return source < count ? lane(shuffle.getV1(), source)
                            : lane(shuffle.getV2(), source - count);
  }
  if (auto broadcast = dyn_cast_or_null<vector::BroadcastOp>(op))
    if (!isa<VectorType>(broadcast.getSourceType()))
      return broadcast.getSource();
  if (op && isElementwise(op) && (chosen.contains(op) || isSplitOnDemand(op)))
    return makeComputed(op, index);

  OpBuilder builder(root->getContext());
  builder.setInsertionPointAfterValue(vector);
  Location loc = vector.getLoc();
  Type element = cast<VectorType>(vector.getType()).getElementType();
  DenseElementsAttr elements;
  if (op && matchPattern(vector, m_Constant(&elements))) {
    auto number = cast<TypedAttr>(elements.getValues<Attribute>()[index]);
    return isLLVM ? LLVM::ConstantOp::create(builder, loc, number).getResult()
                  : arith::ConstantOp::create(builder, loc, number).getResult();
  }
  if (isa_and_nonnull<LLVM::ZeroOp>(op))
    return LLVM::ZeroOp::create(builder, loc, element);
  if (isUndefined(op))
    return LLVM::PoisonOp::create(builder, loc, element);
  if (!isLLVM)
    return vector::ExtractOp::create(builder, loc, vector, index);
  Value position = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                            builder.getI64IntegerAttr(index));
  return LLVM::ExtractElementOp::create(builder, loc, vector, position);
}

void LaneSplitter::split(Operation *op) {
  Value result = op->getResult(0);
  VectorType type = getLanes(result);
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

void LaneSplitter::replace(Operation *extract) {
  Value vector = extract->getOperand(0);
  int64_t index = *getLane(extract);
  bool isKnown = vector.getDefiningOp<vector::FromElementsOp>() ||
                 getInsertion(vector.getDefiningOp()) ||
                 lanes.contains({vector, index});
  // Where a guard reads the lane before it is widened, both are of one scalar.
  if (Operation *op = vector.getDefiningOp())
    isKnown |= isLLVM && getFloatView(op).kind == FloatKind::Ext &&
               isElementwise(op) && isSplitOnDemand(op);
  Value scalar = isKnown ? lane(vector, index) : Value();
  Value result = extract->getResult(0);
  if (!scalar || scalar == result)
    return;
  result.replaceAllUsesWith(scalar);
  replacements[result] = scalar;
  replaced.push_back(extract);
}

bool LaneSplitter::rewriteAnyOf(LLVM::ICmpOp compare) {
  auto cast = compare.getLhs().getDefiningOp<LLVM::BitcastOp>();
  bool isNone = compare.getPredicate() == LLVM::ICmpPredicate::eq;
  VectorType type = cast ? getLanes(cast.getArg()) : VectorType();
  if (!type || !type.getElementType().isInteger(1) ||
      !compare.getType().isInteger(1) ||
      !matchPattern(compare.getRhs(), m_Zero()) ||
      (!isNone && compare.getPredicate() != LLVM::ICmpPredicate::ne))
    return false;
  Value any;
  OpBuilder builder(compare);
  Location loc = compare.getLoc();
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value one = lane(cast.getArg(), i);
    any = any ? LLVM::OrOp::create(builder, loc, any, one).getResult() : one;
  }
  // A selection changes its operands for the negation.
  for (Operation *user : llvm::make_early_inc_range(compare->getUsers()))
    if (auto select = dyn_cast<LLVM::SelectOp>(user);
        isNone && select && select.getCondition() == compare.getResult() &&
        select.getTrueValue() != compare.getResult() &&
        select.getFalseValue() != compare.getResult()) {
      Value ifTrue = select.getTrueValue();
      select->setOperand(0, any);
      select->setOperand(1, select.getFalseValue());
      select->setOperand(2, ifTrue);
    }
  if (isNone && !compare->use_empty()) {
    Value yes = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(),
                                         builder.getBoolAttr(true));
    any = LLVM::XOrOp::create(builder, loc, any, yes);
  }
  compare->replaceAllUsesWith(ValueRange(any));
  replaced.push_back(compare);
  return true;
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

unsigned LaneSplitter::run() {
  keepWholeVectors();
  if (isLLVM)
    chooseTakenApart();
  chooseBuilt();
  SmallVector<Operation *> extracts, inOrder;
  SmallVector<LLVM::ICmpOp> compares;
  root->walk([&](Operation *op) {
    if (chosen.contains(op))
      inOrder.push_back(op);
    if (isExtraction(op))
      extracts.push_back(op);
    if (auto compare = dyn_cast<LLVM::ICmpOp>(op))
      compares.push_back(compare);
  });
  // Operands first, so that long chains are no deep recursion.
  for (Operation *op : inOrder)
    split(op);
  unsigned count = chosen.size();
  for (LLVM::ICmpOp compare : compares)
    count += rewriteAnyOf(compare);
  if (count == 0 && !isLLVM)
    return 0;
  for (Operation *op : extracts)
    replace(op);
  count += replacements.size();
  eraseDead();
  return count;
}

unsigned splitLanes(Operation *root) {
  // In blocks that are never reached a value may be computed from itself.
  IRRewriter rewriter(root->getContext());
  (void)eraseUnreachableBlocks(rewriter, root->getRegions());
  return LaneSplitter(root).run();
}

} // namespace mlir::poly
