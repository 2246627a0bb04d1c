//===- Plan.cpp - Choose a Program for each site --------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A site passes three gates: consent (may the number change at all?), grade
/// (may a 16-bit result or a rounded input serve here?) and budget (is a
/// Program accurate enough?). Among what is left the cheapest Program on the
/// target is taken if it beats the source's own spelling.
///
/// Scalar sites of one block and class are decided together, because two of
/// them share an evaluation and all must use one Program: a value must not
/// depend on whether it found a partner.
///
//===----------------------------------------------------------------------===//

#include "ReferenceSpelling.h"

#include "Exponentials.h"
#include "TrainingPairs.h"

#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/Passes.h"
#include "poly/Transforms/ProgramChoice.h"
#include "poly/Transforms/Report.h"
#include "poly/Transforms/SourceCost.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::poly {
#define GEN_PASS_DEF_POLYPLAN
#include "poly/Transforms/Passes.h.inc"
} // namespace mlir::poly

using namespace mlir;
using namespace mlir::poly;

using ::poly::Accuracy;
using ::poly::Format;
using ::poly::RegisteredProgram;

namespace {
/// Sites that are decided together: one vector site, or the scalar sites of a
/// block with one function, signature and budget.
struct SiteGroup {
  SmallVector<Site *> sites;
  /// Elements of all sites together.
  double elements = 0;
  /// How a two-lane program evaluates them.
  double pairs = 0, loneLanes = 0;
  /// How a four-lane one does.
  double quads = 0, quadRest = 0;
  ::poly::Cost before;
};

struct RootResult {
  std::vector<ReportRow> rows;
  std::vector<TrainingSite> training; ///< Of each row.
  bool failed = false;
};

struct PolyPlanPass : mlir::poly::impl::PolyPlanBase<PolyPlanPass> {
  using PolyPlanBase::PolyPlanBase;
  PolyPlanPass(PolyPlanOptions options, DecisionHandler handler)
      : PolyPlanBase(std::move(options)), handler(std::move(handler)) {}

  void runOnOperation() override;

  void planRoot(Operation *root, const ProgramChooser &chooser,
                RootResult &result);
  /// Decides a group; returns false after an error.
  bool decide(SiteGroup &group, const ProgramChooser &chooser,
              MutableArrayRef<ReportRow *> rows);
  void reconcile(MutableArrayRef<RootResult> results);
  LogicalResult writeReports(ArrayRef<ReportRow> rows);

  DecisionHandler handler;
};
} // namespace

/// The symbol of the function around \p op, for reports.
static std::string functionName(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa<FunctionOpInterface>(parent))
      if (auto symbol = parent->getAttrOfType<StringAttr>(
              SymbolTable::getSymbolAttrName()))
        return symbol.getValue().str();
  return "";
}

/// The required budget nearest to \p op, or nullopt.
static std::optional<Accuracy> attributeBudget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto attr = op->getAttrOfType<AccuracyAttr>(PolyDialect::kAccuracyAttr))
      return attr.getAccuracy();
  return std::nullopt;
}

/// Equal for exponentials that are planned alike.
static const void *contextKey(Operation *op) {
  std::optional<ExpContext> context = expContext(op);
  if (!context)
    return nullptr;
  Builder b(op->getContext());
  auto bound = [&](std::optional<double> value) {
    return b.getF64FloatAttr(value.value_or(std::nan("")));
  };
  return b
      .getArrayAttr({b.getI32IntegerAttr(int32_t(context->role)),
                     b.getBoolAttr(context->noNaN), bound(context->low),
                     bound(context->high)})
      .getAsOpaquePointer();
}

/// Drops a function op in favour of the value it replaces.
static void restore(Operation *op) {
  if (op->getNumOperands() < 2)
    return; // Free-standing: poly-expand gives it its reference spelling.
  Value operand = op->getOperand(0);
  replaceByOriginal(op);
  // An extension or negation that poly-raise built for the operand.
  while (Operation *def = operand.getDefiningOp()) {
    if (!isOpTriviallyDead(def) || def->getNumOperands() != 1)
      break;
    operand = def->getOperand(0);
    def->erase();
  }
}

/// A function and its derivative that share work get a program both or neither,
/// so that the derivative belongs to the function that is evaluated.
static void
separatePairs(const llvm::MapVector<Attribute, SmallVector<size_t, 2>> &pairs,
              ArrayRef<Site> sites, MutableArrayRef<ReportRow> rows) {
  for (const auto &[pair, members] : pairs) {
    auto isApplied = [&](size_t i) { return rows[i].applied; };
    if (llvm::all_of(members, isApplied))
      continue;
    for (size_t i : members) {
      if (!isApplied(i))
        continue;
      restore(sites[i].op);
      rows[i].applied = false;
      rows[i].slotsAfter = rows[i].slotsBefore;
      rows[i].reason = "the function and its derivative share work, and the "
                       "other of the two was left";
    }
  }
}

bool PolyPlanPass::decide(SiteGroup &group, const ProgramChooser &chooser,
                          MutableArrayRef<ReportRow *> rows) {
  Site &lead = *group.sites.front();
  SiteRequest request;
  request.function = lead.function;
  request.from = lead.from;
  request.to = lead.to;
  request.ownFormat = *getFormat(lead.op->getResult(0).getType());
  request.roundInputs = chooser.options().roundInputs ||
                        hasInherited(lead.op, PolyDialect::kRoundInputsAttr);
  request.required = attributeBudget(lead.op);
  if (!request.required)
    request.required = chooser.options().budget;
  request.elements = group.elements;
  request.pairs = group.pairs;
  request.loneLanes = group.loneLanes;
  request.quads = group.quads;
  request.quadRest = group.quadRest;
  request.before = group.before;
  request.optedIn = chooser.isOptedIn(lead.op);
  request.measured = chooser.measured(lead.op, lead.function);
  std::optional<ExpContext> exponential = expContext(lead.op);
  if (exponential)
    request.exponential = &*exponential;

  Choice choice = chooser.chooseWithSplit(request);
  for (ReportRow *row : rows) {
    row->reason = choice.reason;
    row->slotsBefore = group.before.slots() / group.elements;
    row->slotsAfter = choice.program ? choice.slotsAfter : row->slotsBefore;
    row->applied = choice.kind == Choice::Apply;
    if (choice.program) {
      row->program = choice.program->program.name();
      row->certificate = choice.program->certificate;
    }
  }
  if (choice.kind == Choice::Error) {
    lead.op->emitError() << choice.reason;
    return false;
  }
  for (auto [index, site] : llvm::enumerate(group.sites)) {
    if (choice.kind == Choice::Apply) {
      // Scalar sites alternate in twos, so that each finds a partner.
      bool isRest = choice.rest && !site->isVector &&
                    !inShare(unsigned(index / 2), choice.share);
      auto named = [&](const RegisteredProgram *program) {
        return ProgramAttr::get(&getContext(), program->program.name(),
                                program->program.info().definition);
      };
      site->op->setAttr("program",
                        named(isRest ? choice.rest : choice.program));
      if (choice.rest && site->isVector) {
        site->op->setAttr("rest", named(choice.rest));
        site->op->setAttr(
            "share", Builder(&getContext()).getI32IntegerAttr(choice.share));
      }
    } else {
      restore(site->op);
    }
  }
  return true;
}

void PolyPlanPass::planRoot(Operation *root, const ProgramChooser &chooser,
                            RootResult &result) {
  mergeExponentials(root);
  std::vector<Site> sites;
  root->walk([&](Operation *op) {
    if (getFunction(op))
      sites.push_back(analyzeSite(op));
  });
  if (sites.empty())
    return;

  std::vector<ReportRow> rows;
  rows.reserve(sites.size());
  for (const Site &site : sites) {
    ReportRow &row = rows.emplace_back(site.op->getLoc());
    row.function = functionName(site.op);
    row.kind = ::poly::name(site.function);
    if (auto kind = site.op->getAttrOfType<StringAttr>(PolyDialect::kKindAttr))
      row.kind = kind.getValue();
    row.from = ::poly::name(site.from);
    row.to = ::poly::name(site.to);
    row.lanes = site.elements;
  }

  for (const Site &site : sites) {
    TrainingSite &training = result.training.emplace_back(trainingSite(site));
    std::optional<Accuracy> budget = attributeBudget(site.op);
    if (!budget)
      budget = chooser.options().budget;
    training.hasBudget = budget || chooser.options().programs.empty();
    training.allowed = budget ? budget->atol : 0;
  }

  llvm::MapVector<Attribute, SmallVector<size_t, 2>> pairs;
  for (auto [i, site] : llvm::enumerate(sites))
    if (Attribute pair = site.op->getAttr(PolyDialect::kPairAttr))
      pairs[pair].push_back(i);

  // A pair is replaced together, so each half stands for half of what they
  // share.
  std::vector<::poly::Cost> shared(sites.size());
  for (const auto &[pair, members] : pairs)
    if (members.size() == 2)
      for (size_t i : members)
        shared[i] = sharedSourceCost(sites[members[0]], sites[members[1]],
                                     chooser.target()) *
                    0.5;

  // Gate 1, consent; the rest forms groups in program order.
  using GroupKey =
      std::tuple<Block *, Operation *, unsigned, unsigned, unsigned, unsigned,
                 unsigned, const void *, const void *>;
  llvm::MapVector<GroupKey, SmallVector<size_t>> groups;
  SmallVector<size_t> left;
  for (size_t i = 0; i < sites.size(); ++i) {
    Site &site = sites[i];
    rows[i].reason = chooser.refusal(site);
    if (!rows[i].reason.empty()) {
      left.push_back(i);
      continue;
    }
    const void *ownBudget = nullptr;
    if (auto attr =
            site.op->getAttrOfType<AccuracyAttr>(PolyDialect::kAccuracyAttr))
      ownBudget = attr.getAsOpaquePointer();
    groups[{site.op->getBlock(), site.isVector ? site.op : nullptr,
            static_cast<unsigned>(site.function),
            static_cast<unsigned>(site.from), static_cast<unsigned>(site.to),
            static_cast<unsigned>(*getFormat(site.op->getResult(0).getType())),
            unsigned(site.op->hasAttr(PolyDialect::kRoundInputsAttr)),
            ownBudget, contextKey(site.op)}]
        .push_back(i);
  }

  SmallVector<SiteGroup> decided;
  SmallVector<SmallVector<ReportRow *>> groupRows;
  for (auto &[key, members] : groups) {
    SiteGroup &group = decided.emplace_back();
    SmallVector<ReportRow *> &memberRows = groupRows.emplace_back();
    SmallVector<const Site *> scalars;
    for (size_t i : members) {
      group.sites.push_back(&sites[i]);
      memberRows.push_back(&rows[i]);
      group.elements += sites[i].elements;
      ::poly::Cost before = sourceCost(sites[i], chooser.target());
      before += shared[i];
      group.before += before * static_cast<double>(sites[i].elements);
      if (sites[i].isVector) {
        group.pairs += sites[i].elements / 2;
        group.loneLanes += sites[i].elements % 2;
        group.quads += sites[i].elements / 4;
        group.quadRest += sites[i].elements % 4;
      } else {
        group.quadRest += 1;
        scalars.push_back(&sites[i]);
      }
    }
    SmallVector<unsigned> partner = pairSites(scalars);
    for (unsigned i = 0; i < partner.size(); ++i) {
      if (partner[i] == i)
        group.loneLanes += 1;
      else
        group.pairs += 0.5;
    }
  }

  // Costs of refused sites are still worth reporting.
  for (size_t i : left) {
    rows[i].slotsBefore = rows[i].slotsAfter =
        sourceCost(sites[i], chooser.target()).slots();
    restore(sites[i].op);
  }
  for (auto [group, memberRows] : llvm::zip(decided, groupRows))
    if (!decide(group, chooser, memberRows)) {
      result.failed = true;
      return;
    }
  separatePairs(pairs, sites, rows);
  llvm::move(rows, std::back_inserter(result.rows));
}

/// What kernels that are trained together do not agree on is left.
void PolyPlanPass::reconcile(MutableArrayRef<RootResult> results) {
  std::vector<TrainingSite> sites;
  std::vector<ReportRow *> rows;
  for (RootResult &result : results) {
    llvm::append_range(sites, result.training);
    for (ReportRow &row : result.rows)
      rows.push_back(&row);
  }
  reconcilePairs(sites, rows, restore);
  for (const ReportRow *row : rows)
    ++(row->applied ? numPlanned : numRejected);
}

LogicalResult PolyPlanPass::writeReports(ArrayRef<ReportRow> rows) {
  if (table)
    writeReportTable(rows, llvm::errs());
  if (report.empty())
    return success();
  if (report == "-") {
    writeReportJson(rows, llvm::errs());
    return success();
  }
  // A temporary file in the same folder, renamed when complete: a reader never
  // sees half a report.
  llvm::Error error = llvm::writeToOutput(report, [&](llvm::raw_ostream &os) {
    writeReportJson(rows, os);
    return llvm::Error::success();
  });
  if (!error)
    return success();
  return emitError(getOperation()->getLoc())
         << "cannot write the report '" << report
         << "': " << llvm::toString(std::move(error))
         << "; choose a writable path with report=";
}

void PolyPlanPass::runOnOperation() {
  ChooserOptions options;
  options.chip = chip;
  options.budgetText = budget;
  options.policy = policy;
  options.programs.assign(programs.begin(), programs.end());
  options.roundInputs = roundInputs;
  options.splitText = split;
  options.splitConsistent = splitConsistent;
  options.tuning = tuning;
  auto *dialect = getContext().getLoadedDialect<PolyDialect>();
  FailureOr<ProgramChooser> chooser = ProgramChooser::create(
      *dialect, options, [&] { return emitError(getOperation()->getLoc()); });
  if (failed(chooser))
    return signalPassFailure();

  if (failed(verifyTrainingPairs(getOperation())))
    return signalPassFailure();
  auto groups = collectDeviceGroups(getOperation());
  std::vector<RootResult> results(groups.size());
  LogicalResult planned = failableParallelForEachN(
      &getContext(), 0, groups.size(), [&](size_t i) -> LogicalResult {
        for (Operation *root : groups[i])
          planRoot(root, *chooser, results[i]);
        return failure(results[i].failed);
      });
  if (failed(planned))
    return signalPassFailure();

  reconcile(results);
  std::vector<ReportRow> rows;
  for (RootResult &result : results)
    for (ReportRow &row : result.rows)
      rows.push_back(std::move(row));

  // The remark engine is not thread safe, so remarks come after the decisions.
  if (getContext().getRemarkEngine())
    for (const ReportRow &row : rows) {
      auto opts = remark::RemarkOpts::name(row.kind)
                      .category("poly-plan")
                      .function(row.function);
      auto emit = [&](auto &&handle) {
        handle << remark::add("{0}", row.reason)
               << remark::metric("from", row.from)
               << remark::metric("to", row.to)
               << remark::metric("slotsBefore", row.slotsBefore)
               << remark::metric("slotsAfter", row.slotsAfter);
      };
      if (row.applied)
        emit(remark::passed(row.loc, opts));
      else
        emit(remark::missed(row.loc, opts));
    }
  if (failed(writeReports(rows)))
    return signalPassFailure();
  if (handler)
    handler(rows);
}

std::unique_ptr<Pass> mlir::poly::createPolyPlan(PolyPlanOptions options,
                                                 DecisionHandler handler) {
  return std::make_unique<PolyPlanPass>(std::move(options), std::move(handler));
}
