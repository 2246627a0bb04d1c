//===- ThreadValues.cpp - Integers of every thread of a block -------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::poly::bound {

namespace {

constexpr unsigned kMaxDepth = 32;
/// The most that a GPU runs.
constexpr int64_t kMaxThreads = 1024;

/// "128" or "16, 8, 1", as the attribute of an LLVM function has it.
std::optional<std::array<int64_t, 3>> parseSize(StringRef text) {
  std::array<int64_t, 3> size = {1, 1, 1};
  SmallVector<StringRef, 3> parts;
  text.split(parts, ',');
  if (parts.size() > 3)
    return std::nullopt;
  for (auto [i, part] : llvm::enumerate(parts))
    if (part.trim().getAsInteger(10, size[i]))
      return std::nullopt;
  return size;
}

std::optional<std::array<int64_t, 3>> readSize(Operation *kernel) {
  auto fromArray =
      [](ArrayRef<int32_t> sizes) -> std::optional<std::array<int64_t, 3>> {
    std::array<int64_t, 3> size = {1, 1, 1};
    if (sizes.empty() || sizes.size() > 3)
      return std::nullopt;
    std::copy(sizes.begin(), sizes.end(), size.begin());
    return size;
  };
  if (auto launch = dyn_cast<gpu::LaunchOp>(kernel)) {
    std::array<int64_t, 3> size;
    gpu::KernelDim3 operands = launch.getBlockSizeOperandValues();
    for (auto [i, operand] : llvm::enumerate(
             std::array<Value, 3>{operands.x, operands.y, operands.z})) {
      IntegerAttr attr;
      if (!matchPattern(operand, m_Constant(&attr)))
        return std::nullopt;
      size[i] = attr.getInt();
    }
    return size;
  }
  for (StringRef name : {"known_block_size", "nvvm.reqntid"})
    if (auto sizes = kernel->getAttrOfType<DenseI32ArrayAttr>(name))
      return fromArray(sizes);
  auto function = dyn_cast<LLVM::LLVMFuncOp>(kernel);
  std::optional<ArrayAttr> entries =
      function ? function.getPassthrough() : std::nullopt;
  if (!entries)
    return std::nullopt;
  for (Attribute entry : *entries) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    if (!pair || pair.size() != 2)
      continue;
    auto name = dyn_cast<StringAttr>(pair[0]);
    auto text = dyn_cast<StringAttr>(pair[1]);
    if (name && text && name.getValue() == "nvvm.reqntid")
      return parseSize(text);
  }
  return std::nullopt;
}

/// 0, 1 or 2 for what reads a coordinate of the thread or the size of the
/// block in x, y or z.
std::optional<unsigned> threadDimension(Operation *op) {
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return unsigned(id.getDimension());
  if (isa<NVVM::ThreadIdXOp>(op))
    return 0;
  if (isa<NVVM::ThreadIdYOp>(op))
    return 1;
  if (isa<NVVM::ThreadIdZOp>(op))
    return 2;
  return std::nullopt;
}
std::optional<unsigned> blockDimension(Operation *op) {
  if (auto id = dyn_cast<gpu::BlockDimOp>(op))
    return unsigned(id.getDimension());
  if (isa<NVVM::BlockDimXOp>(op))
    return 0;
  if (isa<NVVM::BlockDimYOp>(op))
    return 1;
  if (isa<NVVM::BlockDimZOp>(op))
    return 2;
  return std::nullopt;
}

unsigned widthOf(Type type) {
  return type.isIndex()     ? 64
         : type.isInteger() ? type.getIntOrFloatBitWidth()
                            : 0;
}

std::optional<bool> compare(StringRef predicate, int64_t a, int64_t b) {
  bool isSigned = predicate.front() == 's';
  auto order = [&](auto x, auto y) -> std::optional<bool> {
    StringRef relation = predicate == "eq" || predicate == "ne"
                             ? predicate
                             : predicate.drop_front(1);
    if (relation == "eq")
      return x == y;
    if (relation == "ne")
      return x != y;
    if (relation == "lt")
      return x < y;
    if (relation == "le")
      return x <= y;
    if (relation == "gt")
      return x > y;
    if (relation == "ge")
      return x >= y;
    return std::nullopt;
  };
  return isSigned ? order(a, b) : order(uint64_t(a), uint64_t(b));
}

/// \p a and \p b are sign-extended from \p width bits; so is the result, after
/// the caller has wrapped it.
std::optional<int64_t> apply(Operation *op, unsigned width, int64_t a,
                             int64_t b) {
  auto zeroExtended = [&](int64_t value) {
    return width == 64
               ? uint64_t(value)
               : uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(width);
  };
  uint64_t ua = zeroExtended(a), ub = zeroExtended(b);
  if (isa<arith::AddIOp, LLVM::AddOp>(op))
    return int64_t(uint64_t(a) + uint64_t(b));
  if (isa<arith::SubIOp, LLVM::SubOp>(op))
    return int64_t(uint64_t(a) - uint64_t(b));
  if (isa<arith::MulIOp, LLVM::MulOp>(op))
    return int64_t(uint64_t(a) * uint64_t(b));
  if (isa<arith::AndIOp, LLVM::AndOp>(op))
    return a & b;
  if (isa<arith::OrIOp, LLVM::OrOp>(op))
    return a | b;
  if (isa<arith::XOrIOp, LLVM::XOrOp>(op))
    return a ^ b;
  if (isa<arith::MaxSIOp>(op))
    return std::max(a, b);
  if (isa<arith::MinSIOp>(op))
    return std::min(a, b);
  if (isa<arith::MaxUIOp>(op))
    return int64_t(std::max(ua, ub));
  if (isa<arith::MinUIOp>(op))
    return int64_t(std::min(ua, ub));
  bool isShift = isa<arith::ShLIOp, LLVM::ShlOp, arith::ShRUIOp, LLVM::LShrOp,
                     arith::ShRSIOp, LLVM::AShrOp>(op);
  if (isShift && ub >= width)
    return std::nullopt;
  if (isa<arith::ShLIOp, LLVM::ShlOp>(op))
    return int64_t(ua << ub);
  if (isa<arith::ShRUIOp, LLVM::LShrOp>(op))
    return int64_t(ua >> ub);
  if (isa<arith::ShRSIOp, LLVM::AShrOp>(op))
    return a >> ub;
  // The quotient of the least number by -1 has no representation.
  if (b == 0 || b == -1)
    return std::nullopt;
  if (isa<arith::DivUIOp, LLVM::UDivOp>(op))
    return int64_t(ua / ub);
  if (isa<arith::RemUIOp, LLVM::URemOp>(op))
    return int64_t(ua % ub);
  if (isa<arith::DivSIOp, LLVM::SDivOp>(op))
    return a / b;
  if (isa<arith::RemSIOp, LLVM::SRemOp>(op))
    return a % b;
  return std::nullopt;
}

} // namespace

std::optional<std::array<int64_t, 3>> getBlockSize(Operation *kernel) {
  std::optional<std::array<int64_t, 3>> size = readSize(kernel);
  if (!size)
    return std::nullopt;
  int64_t threads = 1;
  for (int64_t extent : *size) {
    if (extent < 1 || extent > kMaxThreads)
      return std::nullopt;
    threads *= extent;
  }
  return threads <= kMaxThreads ? size : std::nullopt;
}

bool isUniform(Value value, Operation *kernel, unsigned depth) {
  if (depth > kMaxDepth)
    return false;
  if (matchPattern(value, m_Constant()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto launch = dyn_cast<gpu::LaunchOp>(kernel); launch == parent)
      return llvm::is_contained({launch.getBlockIds().x, launch.getBlockIds().y,
                                 launch.getBlockIds().z},
                                value);
    if (parent == kernel)
      return argument.getOwner()->isEntryBlock();
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && value == loop.getInductionVar() &&
           isUniform(loop.getLowerBound(), kernel, depth + 1) &&
           isUniform(loop.getUpperBound(), kernel, depth + 1) &&
           isUniform(loop.getStep(), kernel, depth + 1);
  }
  Operation *op = value.getDefiningOp();
  // Computed before a launch.
  if (isa<gpu::LaunchOp>(kernel) && !kernel->isAncestor(op))
    return true;
  if (isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp, NVVM::BlockIdXOp,
          NVVM::BlockIdYOp, NVVM::BlockIdZOp, NVVM::GridDimXOp,
          NVVM::GridDimYOp, NVVM::GridDimZOp, NVVM::BlockDimXOp,
          NVVM::BlockDimYOp, NVVM::BlockDimZOp>(op))
    return true;
  bool isArithmetic =
      isa<arith::ArithDialect>(op->getDialect()) ||
      isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::AndOp, LLVM::OrOp,
          LLVM::XOrOp, LLVM::ShlOp, LLVM::LShrOp, LLVM::AShrOp, LLVM::UDivOp,
          LLVM::URemOp, LLVM::SDivOp, LLVM::SRemOp, LLVM::ZExtOp, LLVM::SExtOp,
          LLVM::TruncOp, LLVM::ICmpOp, LLVM::SelectOp>(op);
  return isArithmetic && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isUniform(operand, kernel, depth + 1);
         });
}

ThreadValues::ThreadValues(Operation *kernel, std::array<int64_t, 3> size)
    : kernel(kernel), size(size), threads(size[0] * size[1] * size[2]) {}

const ThreadIntegers &ThreadValues::get(Value value, unsigned depth) {
  auto it = cache.find(value);
  if (it != cache.end())
    return it->second;
  ThreadIntegers result;
  result.values.assign(threads, 0);
  result.known.resize(threads);
  if (depth <= kMaxDepth)
    evaluate(value, result, depth);
  return cache[value] = std::move(result);
}

std::optional<int64_t> ThreadValues::getUniform(Value value) {
  const ThreadIntegers &integers = get(value);
  if (!integers.known.all() || llvm::any_of(integers.values, [&](int64_t one) {
        return one != integers.values[0];
      }))
    return std::nullopt;
  return integers.values[0];
}

std::optional<llvm::BitVector> ThreadValues::getTrue(Value value) {
  const ThreadIntegers &integers = get(value);
  if (!integers.known.all())
    return std::nullopt;
  llvm::BitVector isTrue(threads);
  for (unsigned i = 0; i < threads; ++i)
    isTrue[i] = integers.values[i] & 1;
  return isTrue;
}

bool ThreadValues::evaluateThreadNumber(Value value, ThreadIntegers &result) {
  auto fill = [&](auto number) {
    for (unsigned i = 0; i < threads; ++i)
      result.values[i] = number(int64_t(i));
    result.known.set();
    return true;
  };
  auto coordinate = [&](unsigned dimension) {
    return [this, dimension](int64_t thread) {
      int64_t below = dimension == 0   ? 1
                      : dimension == 1 ? size[0]
                                       : size[0] * size[1];
      return thread / below % size[dimension];
    };
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto launch = dyn_cast<gpu::LaunchOp>(kernel);
    if (!launch || argument.getOwner()->getParentOp() != kernel)
      return false;
    gpu::KernelDim3 ids = launch.getThreadIds(), sizes = launch.getBlockSize();
    for (auto [i, id] :
         llvm::enumerate(std::array<Value, 3>{ids.x, ids.y, ids.z}))
      if (value == id)
        return fill(coordinate(i));
    for (auto [i, extent] :
         llvm::enumerate(std::array<Value, 3>{sizes.x, sizes.y, sizes.z}))
      if (value == extent)
        return fill([&, extent = size[i]](int64_t) { return extent; });
    return false;
  }
  Operation *op = value.getDefiningOp();
  if (std::optional<unsigned> dimension = threadDimension(op))
    return fill(coordinate(*dimension));
  if (std::optional<unsigned> dimension = blockDimension(op))
    return fill([&](int64_t) { return size[*dimension]; });
  if (isa<gpu::LaneIdOp, NVVM::LaneIdOp>(op))
    return fill([](int64_t thread) { return thread % kWarpSize; });
  if (isa<gpu::SubgroupIdOp>(op))
    return fill([](int64_t thread) { return thread / kWarpSize; });
  IntegerAttr attr;
  if (matchPattern(value, m_Constant(&attr)))
    return fill([&](int64_t) { return attr.getValue().getSExtValue(); });
  return false;
}

void ThreadValues::evaluate(Value value, ThreadIntegers &result,
                            unsigned depth) {
  unsigned width = widthOf(value.getType());
  if (width == 0 || width > 64 || evaluateThreadNumber(value, result))
    return;
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  auto set = [&](unsigned thread, int64_t number) {
    result.values[thread] =
        width == 64 ? number : llvm::SignExtend64(uint64_t(number), width);
    result.known.set(thread);
  };
  if (isa<arith::SelectOp, LLVM::SelectOp>(op)) {
    // Copies, because the cache moves.
    ThreadIntegers condition = get(op->getOperand(0), depth + 1);
    ThreadIntegers ifTrue = get(op->getOperand(1), depth + 1);
    const ThreadIntegers &ifFalse = get(op->getOperand(2), depth + 1);
    for (unsigned i = 0; i < threads; ++i) {
      const ThreadIntegers &chosen = condition.values[i] & 1 ? ifTrue : ifFalse;
      if (condition.known[i] && chosen.known[i])
        set(i, chosen.values[i]);
    }
    return;
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp, LLVM::ZExtOp, LLVM::SExtOp,
          LLVM::TruncOp>(op)) {
    unsigned from = widthOf(op->getOperand(0).getType());
    if (from == 0 || from > 64)
      return;
    bool isUnsigned =
        isa<arith::IndexCastUIOp, arith::ExtUIOp, LLVM::ZExtOp>(op);
    const ThreadIntegers &source = get(op->getOperand(0), depth + 1);
    for (unsigned i = 0; i < threads; ++i)
      if (source.known[i])
        set(i, isUnsigned && from < 64
                   ? int64_t(uint64_t(source.values[i]) &
                             llvm::maskTrailingOnes<uint64_t>(from))
                   : source.values[i]);
    return;
  }
  if (op->getNumOperands() != 2 || widthOf(op->getOperand(0).getType()) == 0)
    return;
  StringRef predicate;
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    predicate = arith::stringifyCmpIPredicate(cmp.getPredicate());
  else if (auto cmp = dyn_cast<LLVM::ICmpOp>(op))
    predicate = LLVM::stringifyICmpPredicate(cmp.getPredicate());
  ThreadIntegers left = get(op->getOperand(0), depth + 1);
  const ThreadIntegers &right = get(op->getOperand(1), depth + 1);
  for (unsigned i = 0; i < threads; ++i) {
    if (!left.known[i] || !right.known[i])
      continue;
    std::optional<int64_t> number;
    if (!predicate.empty()) {
      if (std::optional<bool> holds =
              compare(predicate, left.values[i], right.values[i]))
        number = *holds;
    } else {
      number = apply(op, width, left.values[i], right.values[i]);
    }
    if (number)
      set(i, *number);
  }
}

} // namespace mlir::poly::bound
