//===- Pack.cpp - Form evaluations of two 16-bit lanes --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/Passes.h"
#include "poly/Transforms/Sites.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <atomic>

namespace mlir::poly {
#define GEN_PASS_DEF_POLYPACK
#include "poly/Transforms/Passes.h.inc"
} // namespace mlir::poly

using namespace mlir;
using namespace mlir::poly;

using ::poly::Format;
using ::poly::ProgramInfo;

namespace {
struct PolyPackPass : mlir::poly::impl::PolyPackBase<PolyPackPass> {
  using PolyPackBase::PolyPackBase;
  void runOnOperation() override;
};

/// Packs the sites of one device root.
class Packer {
public:
  Packer(Operation *root, PolyDialect &dialect)
      : root(root), dialect(dialect), builder(root->getContext()) {}

  LogicalResult run();
  unsigned evaluations = 0, pairs = 0;

private:
  const ProgramInfo &info(const Site &site) const {
    auto program = site.op->getAttrOfType<ProgramAttr>("program");
    return dialect.findProgram(program.getName())->program.info();
  }
  /// The site's argument in the format its program takes.
  Value argument(const Site &site) {
    Value operand = site.op->getOperand(0);
    return info(site).from == Format::F32 ? operand
                                          : materializeNarrow(builder, operand);
  }
  Type floatType(Format format) {
    switch (format) {
    case Format::F32:
      return builder.getF32Type();
    case Format::BF16:
      return builder.getBF16Type();
    case Format::F16:
      return builder.getF16Type();
    case Format::E4M3:
      return Float8E4M3FNType::get(builder.getContext());
    case Format::E5M2:
      return Float8E5M2Type::get(builder.getContext());
    }
    llvm_unreachable("unknown format");
  }
  /// Evaluation number \p index of a vector site.
  Value apply(const Site &site, Value argument, Location loc,
              unsigned index = 0);
  void packVector(Site &site);
  void packPair(Site &first, Site &second);
  void packScalar(Site &site);
  /// Puts what \p assemble makes of evaluations, \p last the last of them, in
  /// the place of the site's rounded result. It is made after \p last; but
  /// where an op with effects stands between that and a truncation, such as a
  /// wait for what still reads the register of the result, in front of the
  /// truncation.
  void replace(Site &site, Value last, llvm::function_ref<Value()> assemble);

  /// Erases what died with the packed sites.
  void eraseRemains();

  Operation *root;
  PolyDialect &dialect;
  OpBuilder builder;
  /// Operands of erased sites, each once.
  llvm::SetVector<Value> remains;
};
} // namespace

Value Packer::apply(const Site &site, Value argument, Location loc,
                    unsigned index) {
  ++evaluations;
  Type type = floatType(info(site).to);
  if (auto vectorType = dyn_cast<VectorType>(argument.getType()))
    type = vectorType.clone(type);
  auto program = site.op->getAttrOfType<ProgramAttr>("program");
  auto share = site.op->getAttrOfType<IntegerAttr>("share");
  if (share && !inShare(index, unsigned(share.getInt())))
    program = site.op->getAttrOfType<ProgramAttr>("rest");
  return ApplyOp::create(builder, loc, type, program, argument);
}

void Packer::packVector(Site &site) {
  Location loc = site.op->getLoc();
  builder.setInsertionPoint(site.op);
  Value whole = argument(site);
  auto type = cast<VectorType>(whole.getType());
  int64_t count = type.getNumElements();
  VectorType flat = VectorType::get({count}, type.getElementType());
  if (type != flat)
    whole = vector::ShapeCastOp::create(builder, loc, flat, whole);

  VectorType flatResult = VectorType::get({count}, floatType(info(site).to));
  VectorType shaped = type.clone(flatResult.getElementType());
  int64_t lanes = info(site).lanes;
  SmallVector<Value> evaluations;
  if (lanes > 1 && count == lanes) {
    evaluations.push_back(apply(site, whole, loc));
  } else {
    int64_t i = 0;
    if (lanes > 1)
      for (; i + lanes <= count; i += lanes) {
        Value group = vector::ExtractStridedSliceOp::create(
            builder, loc, whole, ArrayRef<int64_t>{i}, ArrayRef<int64_t>{lanes},
            ArrayRef<int64_t>{1});
        evaluations.push_back(apply(site, group, loc, unsigned(i / lanes)));
      }
    for (; i < count; ++i) {
      Value element = vector::ExtractOp::create(builder, loc, whole, i);
      evaluations.push_back(apply(site, element, loc, unsigned(i / lanes)));
    }
  }
  replace(site, evaluations.back(), [&] {
    Value result = evaluations.front();
    if (result.getType() != flatResult) {
      // Built from its elements at once: a chain of insertions would copy the
      // whole vector for each pair.
      SmallVector<Value> elements;
      for (Value evaluation : evaluations) {
        if (!isa<VectorType>(evaluation.getType())) {
          elements.push_back(evaluation);
          continue;
        }
        for (int64_t lane = 0; lane < lanes; ++lane)
          elements.push_back(
              vector::ExtractOp::create(builder, loc, evaluation, lane));
      }
      result =
          vector::FromElementsOp::create(builder, loc, flatResult, elements);
    }
    if (shaped != flatResult)
      result = vector::ShapeCastOp::create(builder, loc, shaped, result);
    return result;
  });
}

void Packer::packPair(Site &first, Site &second) {
  pairs += 2;
  Operation *latest = nullptr;
  Block *block = first.op->getBlock();
  for (Site *site : {&first, &second}) {
    Operation *ready = availabilityPoint(block, site->op->getOperand(0),
                                         info(*site).from != Format::F32);
    if (ready && (!latest || latest->isBeforeInBlock(ready)))
      latest = ready;
  }
  if (latest)
    builder.setInsertionPointAfter(latest);
  else
    builder.setInsertionPointToStart(block);
  Location loc = builder.getFusedLoc({first.op->getLoc(), second.op->getLoc()});
  Value a = argument(first), b = argument(second);
  Value packed = vector::FromElementsOp::create(
      builder, loc, VectorType::get({2}, a.getType()), ValueRange{a, b});
  Value result = apply(first, packed, loc);
  for (auto [site, lane] : {std::pair(&second, 1), {&first, 0}}) {
    builder.setInsertionPointAfter(result.getDefiningOp());
    replace(*site, result, [&, lane = int64_t(lane)]() -> Value {
      return vector::ExtractOp::create(builder, loc, result, lane);
    });
  }
}

void Packer::packScalar(Site &site) {
  builder.setInsertionPoint(site.op);
  Value a = argument(site);
  Value result = apply(site, a, site.op->getLoc());
  replace(site, result, [&] { return result; });
}

void Packer::eraseRemains() {
  while (!remains.empty()) {
    Operation *def = remains.pop_back_val().getDefiningOp();
    if (!def || !def->use_empty() || !isRemovable(def))
      continue;
    for (Value operand : def->getOperands())
      remains.insert(operand);
    for (Value result : def->getResults())
      remains.remove(result);
    def->erase();
  }
}

void Packer::replace(Site &site, Value last,
                     llvm::function_ref<Value()> assemble) {
  Operation *evaluation = last.getDefiningOp();
  // The first truncation of each block behind an op with effects.
  llvm::MapVector<Block *, Operation *> late;
  for (Operation *truncation : site.truncations) {
    Block *block = truncation->getBlock();
    if (block == evaluation->getBlock() &&
        !evaluation->isBeforeInBlock(truncation))
      continue;
    if (!hasEffectsBetween(evaluation, truncation))
      continue;
    Operation *&first = late[block];
    if (!first || truncation->isBeforeInBlock(first))
      first = truncation;
  }
  Value early;
  auto valueFor = [&](Operation *truncation) {
    auto it = truncation ? late.find(truncation->getBlock()) : late.end();
    bool isLate = it != late.end() &&
                  !truncation->isBeforeInBlock(it->second) &&
                  hasEffectsBetween(evaluation, truncation);
    if (!isLate) {
      if (!early)
        early = assemble();
      return early;
    }
    return Value();
  };
  SmallVector<Value, 1> results = site.results();
  SmallVector<std::pair<Value, Block *>> lateResults;
  for (auto [index, result] : llvm::enumerate(results)) {
    Operation *truncation =
        site.truncations.empty() ? nullptr : site.truncations[index];
    if (Value value = valueFor(truncation))
      result.replaceAllUsesWith(value);
    else
      lateResults.push_back({result, truncation->getBlock()});
  }
  for (auto &[block, truncation] : late) {
    builder.setInsertionPoint(truncation);
    Value value = assemble();
    for (auto [result, owner] : lateResults)
      if (owner == block)
        result.replaceAllUsesWith(value);
  }
  // What is erased here may be the argument of a site that was packed before.
  for (Operation *truncation : site.truncations) {
    remains.remove(truncation->getResult(0));
    truncation->erase();
  }
  remains.remove(site.op->getResult(0));
  // The replaced value and the argument in the source's format may be dead
  // now, but another site may still take them: they are erased at the end.
  for (Value operand : site.op->getOperands())
    remains.insert(operand);
  site.op->erase();
}

/// A program may be named by hand; it must take and give the site's formats.
static LogicalResult checkFits(const Site &site, const ProgramInfo &info) {
  bool takes = info.from == site.from ||
               (info.from == Format::F32 &&
                getFormat(site.op->getOperand(0).getType()) == Format::F32);
  if (takes && info.to == site.to)
    return success();
  return site.op->emitOpError()
         << "program '" << info.name << "' takes " << ::poly::name(info.from)
         << " and gives " << ::poly::name(info.to)
         << ", but here the values are " << ::poly::name(site.from)
         << " and every use takes " << ::poly::name(site.to)
         << "; let poly-plan choose";
}

LogicalResult Packer::run() {
  SmallVector<Operation *> planned;
  root->walk([&](Operation *op) {
    if (getFunction(op) && op->hasAttr("program"))
      planned.push_back(op);
  });
  llvm::for_each(planned, sinkTruncations);
  std::vector<Site> sites(planned.size());
  llvm::transform(planned, sites.begin(), analyzeSite);
  for (Site &site : sites) {
    Format own = *getFormat(site.op->getResult(0).getType());
    if (keepsConversion(info(site).to, own, site.to)) {
      site.to = own;
      site.truncations.clear();
    }
    if (failed(checkFits(site, info(site))))
      return failure();
  }
  llvm::MapVector<std::pair<Block *, Attribute>, SmallVector<Site *>> scalars;
  for (Site &site : sites) {
    site.from = info(site).from;
    if (site.isVector)
      packVector(site);
    else
      scalars[{site.op->getBlock(), site.op->getAttr("program")}].push_back(
          &site);
  }
  for (auto &[key, members] : scalars) {
    bool twoLanes = info(*members.front()).lanes == 2;
    SmallVector<unsigned> partner =
        twoLanes ? pairSites(SmallVector<const Site *>(members.begin(),
                                                       members.end()))
                 : SmallVector<unsigned>();
    for (unsigned i = 0; i < members.size(); ++i) {
      if (!twoLanes || partner[i] == i)
        packScalar(*members[i]);
      else if (partner[i] > i)
        packPair(*members[i], *members[partner[i]]);
    }
  }
  eraseRemains();
  return success();
}

void PolyPackPass::runOnOperation() {
  auto *dialect = getContext().getLoadedDialect<PolyDialect>();
  std::atomic<unsigned> evaluations(0), pairs(0);
  LogicalResult packed = failableParallelForEach(
      &getContext(), collectDeviceGroups(getOperation()),
      [&](const SmallVector<Operation *, 1> &roots) -> LogicalResult {
        for (Operation *root : roots) {
          Packer packer(root, *dialect);
          if (failed(packer.run()))
            return failure();
          evaluations += packer.evaluations;
          pairs += packer.pairs;
        }
        return success();
      });
  if (failed(packed))
    return signalPassFailure();
  numPacked += evaluations;
  numPairs += pairs;
}
