//===- Sites.cpp - What surrounds a function op ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Transforms/Sites.h"

#include "poly/Program/Exponentials.h"

#include "RaisePatterns/FloatView.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::poly;

using ::poly::Format;

bool mlir::poly::isPlainTruncation(Operation *op) {
  if (auto trunc = dyn_cast<arith::TruncFOp>(op))
    return !trunc.getRoundingmode();
  return isa<LLVM::FPTruncOp>(op);
}

bool mlir::poly::isRemovable(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  return isMemoryEffectFree(op) || getFloatView(op).kind != FloatKind::Opaque;
}

/// The operand of an exact widening, or null.
static Value extensionSource(Operation *op) {
  if (isa<arith::ExtFOp, LLVM::FPExtOp>(op))
    return op->getOperand(0);
  return {};
}

/// One step from \p value towards the 16-bit value it extends. Negation and the
/// choice of an element commute with an exact extension.
static Value stepTowardsNarrow(Operation *op) {
  if (isa<arith::NegFOp, LLVM::FNegOp>(op))
    return op->getOperand(0);
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    return extract.hasDynamicPosition() ? Value() : extract.getSource();
  if (isa<LLVM::ExtractElementOp>(op))
    return op->getOperand(0);
  return {};
}

Format mlir::poly::valueFormat(Value value) {
  constexpr unsigned kMaxSteps = 8;
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    std::optional<Format> format = getFormat(value.getType());
    if (!format)
      return Format::F32;
    if (*format != Format::F32)
      return *format;
    Operation *def = value.getDefiningOp();
    if (!def)
      return Format::F32;
    if (Value source = extensionSource(def)) {
      std::optional<Format> narrow = getFormat(source.getType());
      return narrow ? *narrow : Format::F32;
    }
    value = stepTowardsNarrow(def);
    if (!value)
      return Format::F32;
  }
  return Format::F32;
}

Value mlir::poly::materializeNarrow(OpBuilder &builder, Value value) {
  if (getFormat(value.getType()) != Format::F32)
    return value;
  Operation *def = value.getDefiningOp();
  if (Value source = extensionSource(def))
    return source;
  Value inner = materializeNarrow(builder, stepTowardsNarrow(def));
  Type element = getElementTypeOrSelf(inner.getType());
  Type type = element;
  if (auto vectorType = dyn_cast<VectorType>(value.getType()))
    type = vectorType.clone(element);
  // The op is rebuilt on the narrow operand; its attributes (positions, flags)
  // mean the same there.
  OperationState state(def->getLoc(), def->getName());
  state.addOperands(inner);
  state.addOperands(def->getOperands().drop_front());
  state.addTypes(type);
  state.addAttributes(def->getAttrs());
  return builder.create(state)->getResult(0);
}

Operation *mlir::poly::availabilityPoint(Block *block, Value value,
                                         bool narrow) {
  Operation *latest = nullptr;
  auto consider = [&](Value candidate) {
    Operation *def = candidate.getDefiningOp();
    // What other blocks define is there when this one begins.
    if (!def || def->getBlock() != block)
      return;
    if (!latest || latest->isBeforeInBlock(def))
      latest = def;
  };
  if (!narrow || getFormat(value.getType()) != Format::F32) {
    consider(value);
    return latest;
  }
  while (true) {
    Operation *def = value.getDefiningOp();
    if (Value source = extensionSource(def)) {
      consider(source);
      return latest;
    }
    for (Value other : def->getOperands().drop_front())
      consider(other);
    value = stepTowardsNarrow(def);
    if (getFormat(value.getType()) != Format::F32) {
      consider(value);
      return latest;
    }
  }
}

llvm::SmallVector<Value, 1> Site::results() const {
  if (truncations.empty())
    return {op->getResult(0)};
  llvm::SmallVector<Value, 1> values;
  for (Operation *truncation : truncations)
    values.push_back(truncation->getResult(0));
  return values;
}

bool mlir::poly::keepsConversion(Format result, Format own, Format rounded) {
  return result == own && rounded != own && ::poly::elementBits(rounded) == 8;
}

Site mlir::poly::analyzeSite(Operation *op) {
  Site site;
  site.op = op;
  site.function = *getFunction(op);
  Value operand = op->getOperand(0);
  Format own = *getFormat(operand.getType());
  site.from = valueFormat(operand);
  site.to = own;
  if (auto vectorType = dyn_cast<VectorType>(operand.getType())) {
    site.isVector = true;
    site.elements = vectorType.getNumElements();
  }
  // Only exponentials have programs with 8-bit results; for other functions
  // the conversion is a use like any other.
  bool exponential = ::poly::isExponential(site.function);
  if (own != Format::F32 && !exponential)
    return site;

  // The result is narrow when every use rounds it to one format.
  std::optional<Format> rounded;
  SmallVector<Operation *> users;
  for (Operation *user : op->getResult(0).getUsers()) {
    // Rounding commutes with building a vector.
    if (isa<vector::FromElementsOp>(user) && !user->use_empty())
      llvm::append_range(users, user->getUsers());
    else
      users.push_back(user);
  }
  for (Operation *user : users) {
    std::optional<Format> format = isPlainTruncation(user)
                                       ? getFormat(user->getResult(0).getType())
                                       : std::nullopt;
    bool narrow =
        format && ((own == Format::F32 && ::poly::elementBits(*format) == 16) ||
                   (exponential && ::poly::elementBits(*format) == 8));
    if (!narrow || (rounded && rounded != format)) {
      site.truncations.clear();
      return site;
    }
    rounded = format;
    if (!llvm::is_contained(site.truncations, user))
      site.truncations.push_back(user);
  }
  if (rounded)
    site.to = *rounded;
  return site;
}

void mlir::poly::sinkTruncations(Operation *op) {
  SmallVector<Operation *> builds;
  for (Operation *user : op->getResult(0).getUsers())
    if (isa<vector::FromElementsOp>(user) && !llvm::is_contained(builds, user))
      builds.push_back(user);
  for (Operation *build : builds) {
    SmallVector<Operation *> truncations(build->getUsers());
    if (!llvm::all_of(truncations, isPlainTruncation))
      continue;
    for (Operation *truncation : truncations) {
      OpBuilder builder(truncation);
      auto type = cast<VectorType>(truncation->getResult(0).getType());
      SmallVector<Value> elements;
      for (Value element : build->getOperands()) {
        OperationState state(truncation->getLoc(), truncation->getName());
        state.addOperands(element);
        state.addTypes(type.getElementType());
        state.addAttributes(truncation->getAttrs());
        elements.push_back(builder.create(state)->getResult(0));
      }
      Value rebuilt = vector::FromElementsOp::create(builder, build->getLoc(),
                                                     type, elements);
      truncation->getResult(0).replaceAllUsesWith(rebuilt);
      truncation->erase();
    }
    build->erase();
  }
}

bool mlir::poly::hasEffectsBetween(Operation *from, Operation *to) {
  if (from->getBlock() != to->getBlock())
    return true;
  for (Operation *op = from->getNextNode(); op && op != to;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op))
      return true;
  return false;
}

/// The first operation of \p block that uses one of \p values, directly or in a
/// nested region; null when all uses are in other blocks.
static Operation *firstUseIn(Block *block, ArrayRef<Value> values) {
  Operation *first = nullptr;
  for (Value value : values)
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (ancestor && (!first || ancestor->isBeforeInBlock(first)))
        first = ancestor;
    }
  return first;
}

llvm::SmallVector<unsigned>
mlir::poly::pairSites(llvm::ArrayRef<const Site *> sites) {
  llvm::SmallVector<unsigned> partner(sites.size());
  struct Window {
    unsigned index;
    Operation *available;
    Operation *firstUse;
    const Site *site;
  };
  // The op that defines one site's argument is what the other site computes.
  auto produces = [](const Site &site, Operation *ready) {
    return ready == site.op || llvm::is_contained(site.truncations, ready);
  };
  // Sites waiting for a partner. A short window keeps pairing linear; sites
  // further apart than this share no vector in practice.
  constexpr size_t kWindow = 16;
  llvm::SmallVector<Window> open;
  for (unsigned i = 0; i < sites.size(); ++i) {
    partner[i] = i;
    const Site &site = *sites[i];
    Block *block = site.op->getBlock();
    Operation *available = availabilityPoint(block, site.op->getOperand(0),
                                             site.from != Format::F32);
    Operation *firstUse = firstUseIn(block, site.results());
    auto compatible = [&](const Window &other) {
      if (available && produces(*other.site, available))
        return false;
      for (Operation *ready : {available, other.available})
        for (Operation *use : {firstUse, other.firstUse})
          if (ready && use && !ready->isBeforeInBlock(use))
            return false;
      return true;
    };
    auto it = llvm::find_if(open, compatible);
    if (it != open.end()) {
      partner[i] = it->index;
      partner[it->index] = i;
      open.erase(it);
      continue;
    }
    open.push_back({i, available, firstUse, &site});
    if (open.size() > kWindow)
      open.erase(open.begin());
  }
  return partner;
}
