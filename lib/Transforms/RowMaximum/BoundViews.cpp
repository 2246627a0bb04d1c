//===- BoundViews.cpp - What values are made of ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundProof.h"
#include "SharedAccess.h"
#include "SharedMaximum.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::poly::bound {

namespace {

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
std::optional<int64_t> constantIndex(Value value) {
  IntegerAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return attr.getValue().getSExtValue();
}
} // namespace

bool isScalar(Value value) { return !isa<VectorType>(value.getType()); }

int64_t laneCount(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector && !vector.isScalable() && vector.getRank() == 1
             ? vector.getNumElements()
             : 0;
}
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

std::optional<Reduction> viewRowReduction(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || type.isScalable() || type.getRank() < 2)
    return std::nullopt;
  // For each dimension, the one of `value` that it runs along; none for what
  // was added with one element.
  constexpr int64_t kNone = -1;
  SmallVector<int64_t> along = llvm::to_vector(llvm::seq(type.getRank()));
  for (unsigned step = 0; step < 8; ++step) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
      auto source = dyn_cast<VectorType>(broadcast.getSourceType());
      if (!source)
        return std::nullopt;
      along.erase(along.begin(), along.end() - source.getRank());
      ArrayRef<int64_t> result = broadcast.getResultVectorType().getShape();
      for (auto [dimension, from, to] : llvm::zip_equal(
               along, source.getShape(), result.take_back(source.getRank())))
        if (from != to)
          dimension = kNone;
      value = broadcast.getSource();
    } else if (auto transpose = dyn_cast<vector::TransposeOp>(op)) {
      SmallVector<int64_t> before(along.size());
      for (auto [i, from] : llvm::enumerate(transpose.getPermutation()))
        before[from] = along[i];
      along = before;
      value = transpose.getVector();
    } else if (auto shapeCast = dyn_cast<vector::ShapeCastOp>(op)) {
      // Dimensions of one element come and go.
      ArrayRef<int64_t> from = shapeCast.getSourceVectorType().getShape();
      ArrayRef<int64_t> to = shapeCast.getResultVectorType().getShape();
      SmallVector<int64_t> longer, before;
      for (auto [extent, dimension] : llvm::zip_equal(to, along))
        if (extent != 1)
          longer.push_back(dimension);
      auto next = longer.begin();
      for (int64_t extent : from)
        before.push_back(extent == 1 || next == longer.end() ? kNone : *next++);
      auto isLonger = [](int64_t extent) { return extent != 1; };
      if (llvm::to_vector(llvm::make_filter_range(from, isLonger)) !=
          llvm::to_vector(llvm::make_filter_range(to, isLonger)))
        return std::nullopt;
      along = before;
      value = shapeCast.getSource();
    } else {
      break;
    }
  }
  auto reduce = value.getDefiningOp<vector::MultiDimReductionOp>();
  bool isMaximum =
      reduce && (reduce.getKind() == vector::CombiningKind::MAXIMUMF ||
                 reduce.getKind() == vector::CombiningKind::MAXNUMF);
  if (!isMaximum || isScalar(reduce.getResult()) ||
      reduce.getSourceVectorType().getShape() != type.getShape())
    return std::nullopt;
  // What is left of the source has to run along what it ran along there.
  auto next = along.begin();
  for (auto [i, isReduced] : llvm::enumerate(reduce.getReductionMask())) {
    if (isReduced)
      continue;
    bool isUnit = type.getShape()[i] == 1;
    if (*next != int64_t(i) && !isUnit)
      return std::nullopt;
    ++next;
  }
  return Reduction{reduce.getSource(),
                   {},
                   reduce.getKind() == vector::CombiningKind::MAXNUMF};
}

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
  Operation *op = value.getDefiningOp();
  if (!op)
    return value;
  if (Value source = viewSplat(op))
    return source;
  // A lane of a splat.
  if (auto extracted = viewExtract(op))
    if (Operation *vector = extracted->first.getDefiningOp())
      if (Value source = viewSplat(vector))
        return source;
  return value;
}
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
bool keepsNumbers(Value value) {
  constexpr unsigned kMaxValues = 256;
  llvm::SmallSetVector<Value, 16> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    if (i == kMaxValues)
      return false;
    Value next = resolveLane({values[i], -1, 1}).value;
    Operation *op = next.getDefiningOp();
    if (!op)
      continue;
    if (isSharedLoad(next)) {
      std::optional<SmallVector<Value>> stored =
          getSharedStores(skipBitcasts(next).getDefiningOp());
      if (!stored)
        return false;
      values.insert(stored->begin(), stored->end());
      continue;
    }
    if (std::optional<Reduction> reduction = viewMaxReduction(op)) {
      if (!reduction->keepsNumbers)
        return false;
      values.insert(reduction->elements);
      if (reduction->other)
        values.insert(reduction->other);
      continue;
    }
    if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(next).getResultNumber();
      for (Region *region : ifOp.getRegions())
        if (!region->empty())
          values.insert(region->front().getTerminator()->getOperand(number));
      continue;
    }
    FloatView view = getFloatView(op);
    bool isNumberOnly = view.kind == FloatKind::Max && view.isNumber;
    if (view.kind == FloatKind::Select ||
        (view.kind == FloatKind::Max && !isNumberOnly))
      return false;
    values.insert(view.getOperands().begin(), view.getOperands().end());
    if (isa<arith::SelectOp, LLVM::SelectOp>(op)) {
      values.insert(op->getOperand(1));
      values.insert(op->getOperand(2));
    } else if (isa<arith::TruncFOp, LLVM::FPTruncOp>(op)) {
      values.insert(op->getOperand(0));
    }
  }
  return true;
}

std::optional<Guard> viewGuard(Operation *select) {
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
} // namespace mlir::poly::bound
