//===- TrainingPairs.cpp - Forward and backward kernels together ----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrainingPairs.h"

#include "Exponentials.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <set>

using namespace mlir;
using namespace mlir::poly;

using ::poly::Function;

/// The function that \p function is the derivative of, or itself.
static Function valueFunction(Function function) {
  if (function == Function::Custom || function == Function::CosTurn)
    return function;
  for (unsigned i = 0; i < ::poly::kNumFunctions; ++i)
    if (::poly::resultFunction(Function(i), 1) == function)
      return Function(i);
  return function;
}

/// The pair and the direction that \p function names; false where it is in no
/// pair.
static bool namedPair(Operation *function, StringAttr &pair,
                      StringAttr &direction) {
  auto kernel =
      function->getAttrOfType<DictionaryAttr>(PolyDialect::kKernelAttr);
  if (!kernel || !kernel.get("pair"))
    return false;
  pair = dyn_cast<StringAttr>(kernel.get("pair"));
  direction = dyn_cast_if_present<StringAttr>(kernel.get("direction"));
  return true;
}

LogicalResult mlir::poly::verifyTrainingPairs(Operation *root) {
  struct Directions {
    Operation *forward = nullptr, *backward = nullptr;
  };
  llvm::MapVector<StringAttr, Directions> pairs;
  WalkResult walked =
      root->walk([&](FunctionOpInterface function) {
        StringAttr pair, direction;
        if (!namedPair(function, pair, direction))
          return WalkResult::advance();
        bool isForward = direction && direction.getValue() == "forward";
        bool isBackward = direction && direction.getValue() == "backward";
        if (!pair || pair.empty() || !(isForward || isBackward)) {
          function.emitError()
              << "a training pair needs a name and a direction in poly.kernel: "
                 "pair = \"NAME\", direction = \"forward\" or \"backward\"";
          return WalkResult::interrupt();
        }
        (isForward ? pairs[pair].forward : pairs[pair].backward) = function;
        return WalkResult::advance();
      });
  if (walked.wasInterrupted())
    return failure();
  for (auto &[pair, both] : pairs) {
    if (both.forward && both.backward)
      continue;
    Operation *one = both.forward ? both.forward : both.backward;
    return one->emitError()
           << "training pair '" << pair.getValue() << "' has no "
           << (both.forward ? "backward" : "forward")
           << " function here; compile both in one module, or drop the pair's "
              "name";
  }
  return success();
}

TrainingSite mlir::poly::trainingSite(const Site &site) {
  TrainingSite result;
  result.function = site.function;
  result.op = site.op;
  if (std::optional<ExpContext> context = expContext(site.op))
    result.staysExact = !roleRefusal(context->role).empty();
  for (Operation *op = site.op; op; op = op->getParentOp()) {
    StringAttr pair, direction;
    if (!isa<FunctionOpInterface>(op) || !namedPair(op, pair, direction))
      continue;
    result.pair = pair.getValue().str();
    result.isBackward = direction.getValue() == "backward";
    break;
  }
  return result;
}

/// What the derivative is off by, absolutely, that is made of the value of a
/// site; nothing where that is not known.
static std::optional<double> algebraicError(const TrainingSite &site,
                                            const ReportRow &row) {
  double error = row.applied && row.certificate ? row.certificate->maxAbs : 0;
  switch (site.function) {
  case Function::Tanh: // 1 - t^2, |t| <= 1.
    return error * (2 + error);
  case Function::Sigmoid: // p (1 - p), 0 <= p <= 1.
  case Function::SigmoidShift:
    return error * (1 + error);
  default:
    return row.applied ? std::nullopt : std::optional<double>(0);
  }
}

namespace {
/// The sites of a function and its derivative in one pair.
struct Family {
  Function function;
  SmallVector<size_t> members;
};
} // namespace

/// "the program NAME", or how a site without one is evaluated.
static std::string spell(const std::string &program) {
  return program.empty() ? "natively" : "by " + program;
}

/// The programs of the value's sites of either direction, "" for none.
struct Programs {
  Programs(const Family &family, ArrayRef<TrainingSite> sites,
           ArrayRef<ReportRow *> rows) {
    for (size_t i : family.members)
      if (sites[i].function == family.function)
        (sites[i].isBackward ? backward : forward)
            .insert(rows[i]->applied ? rows[i]->program : "");
  }
  bool areSame() const {
    return backward.empty() || (forward == backward && forward.size() == 1);
  }

  std::set<std::string> forward, backward;
};

/// Whether the derivatives made of the value's sites meet the budget.
static bool meetsBudget(const Family &family, ArrayRef<TrainingSite> sites,
                        ArrayRef<ReportRow *> rows) {
  // An exponential's derivative is its value, and belongs to the sums of the
  // forward pass.
  if (family.function == Function::Exp || family.function == Function::Exp2)
    return false;
  return llvm::all_of(family.members, [&](size_t i) {
    if (!sites[i].isBackward || sites[i].function != family.function)
      return true;
    std::optional<double> error = algebraicError(sites[i], *rows[i]);
    return error && sites[i].allowed > 0 && *error <= sites[i].allowed;
  });
}

/// Why the members do not agree, or "".
static std::string quarrel(const Family &family, ArrayRef<TrainingSite> sites,
                           ArrayRef<ReportRow *> rows) {
  for (size_t i : family.members)
    if (sites[i].function != family.function && sites[i].isBackward &&
        rows[i]->applied && !sites[i].hasBudget)
      return "the error of " + rows[i]->program +
             " against the true derivative meets no budget, as none is given; "
             "state one, or name no program";
  Programs programs(family, sites, rows);
  if (programs.areSame() || meetsBudget(family, sites, rows))
    return "";
  std::string name = std::string(::poly::name(family.function));
  const std::string &backward = *programs.backward.rbegin();
  if (programs.forward.empty())
    return backward.empty()
               ? ""
               : "the backward pass evaluates " + name + " " + spell(backward) +
                     ", the forward pass does not";
  // Of several the first that differs.
  const std::string &forward = *programs.forward.rbegin();
  return "the forward pass evaluates " + name + " " + spell(forward) +
         ", the backward pass " +
         spell(backward == forward ? *programs.backward.begin() : backward);
}

static void describe(const Family &family, ArrayRef<TrainingSite> sites,
                     ArrayRef<ReportRow *> rows) {
  bool areSame = Programs(family, sites, rows).areSame();
  for (size_t i : family.members) {
    ReportRow &row = *rows[i];
    bool isValue = sites[i].function == family.function;
    row.agreement = !row.applied && areSame ? "native"
                    : isValue && areSame    ? "same program"
                                            : "within the budget";
    if (!sites[i].isBackward)
      continue;
    if (isValue)
      row.gradientError = algebraicError(sites[i], row);
    else
      row.gradientError =
          row.applied && row.certificate ? row.certificate->maxAbs : 0;
  }
}

void mlir::poly::reconcilePairs(ArrayRef<TrainingSite> sites,
                                ArrayRef<ReportRow *> rows,
                                llvm::function_ref<void(Operation *)> restore) {
  std::map<std::pair<std::string, Function>, Family> families;
  for (size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].pair.empty() || sites[i].staysExact)
      continue;
    rows[i]->pair = sites[i].pair;
    Function function = valueFunction(sites[i].function);
    Family &family = families[{sites[i].pair, function}];
    family.function = function;
    family.members.push_back(i);
  }
  for (const auto &[key, family] : families) {
    std::string reason = quarrel(family, sites, rows);
    for (size_t i : family.members) {
      if (reason.empty() || !rows[i]->applied)
        continue;
      restore(sites[i].op);
      rows[i]->applied = false;
      rows[i]->slotsAfter = rows[i]->slotsBefore;
      rows[i]->reason = "training pair '" + key.first + "': " + reason;
    }
    describe(family, sites, rows);
  }
}
