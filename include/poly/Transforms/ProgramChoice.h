//===- ProgramChoice.h - Permission, budget and cost of a site -*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_PROGRAMCHOICE_H
#define POLY_TRANSFORMS_PROGRAMCHOICE_H

#include "poly/Program/Cost.h"
#include "poly/Transforms/Sites.h"

#include "mlir/IR/Diagnostics.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::poly {

struct ExpContext;
class TuningTable;

/// Options of the planner, as given by the user.
struct ChooserOptions {
  std::string chip = "sm_90";
  std::string budgetText;
  std::string policy = "strict";
  std::vector<std::string> programs;
  bool roundInputs = false;
  /// "", "auto" or a share.
  std::string splitText;
  bool splitConsistent = false;
  /// Path of a TuningTable; "" for none.
  std::string tuning;
  /// Parsed splitText in sixteenths; nullopt when it was "" or "auto".
  std::optional<unsigned> splitShare;
  /// Parsed budgetText; nullopt when none was given.
  std::optional<::poly::Accuracy> budget;
};

/// What a group of sites asks for.
struct SiteRequest {
  ::poly::Function function = ::poly::Function::Sigmoid;
  ::poly::Format from = ::poly::Format::F32;
  ::poly::Format to = ::poly::Format::F32;
  /// Element format of the function op itself.
  ::poly::Format ownFormat = ::poly::Format::F32;
  bool roundInputs = false;
  /// A budget the user stated; failing it is an error.
  std::optional<::poly::Accuracy> required;
  /// Elements in the group, and how a two-lane program evaluates them.
  double elements = 1;
  double pairs = 0, loneLanes = 1;
  /// The same for a four-lane program; scalar sites are not joined for it.
  double quads = 0, quadRest = 1;
  /// What is known about an exponential; null for other functions.
  const ExpContext *exponential = nullptr;
  /// The user marked the code poly.optin or chose policy=opt-in.
  bool optedIn = false;
  /// Which programs compete, for a split between pipes.
  enum Unit { AnyUnit, WithoutSfu, SfuOnly } unit = AnyUnit;
  /// The choice must have this one's formats and lanes.
  const ::poly::RegisteredProgram *sameShape = nullptr;
  /// Cost of the source's spelling of the whole group.
  ::poly::Cost before;
  /// Measured times of programs, which count before costs; "" is the source's
  /// own form. Null where nothing was measured.
  const std::map<std::string, double> *measured = nullptr;
};

struct Choice {
  enum Kind { Apply, Leave, Error } kind = Leave;
  const ::poly::RegisteredProgram *program = nullptr;
  std::string reason;
  double slotsAfter = 0; ///< Per element.
  /// A split: `share` sixteenths use `program`, the others `rest`.
  const ::poly::RegisteredProgram *rest = nullptr;
  unsigned share = 16;
};

/// Holds the validated options and answers for each site.
class ProgramChooser {
public:
  /// Validates the options; reports the first mistake through \p emitError.
  static FailureOr<ProgramChooser>
  create(PolyDialect &dialect, const ChooserOptions &options,
         llvm::function_ref<InFlightDiagnostic()> emitError);

  /// Why \p site must stay as it is whatever programs exist, or "".
  std::string refusal(const Site &site) const;

  /// The user asked for approximations at \p op.
  bool isOptedIn(Operation *op) const;

  /// choose(), and then, where the options ask for it, the split of an
  /// exponential's sites between the special function unit and other pipes.
  Choice chooseWithSplit(SiteRequest request) const;

  /// What was measured of \p function in the kernel around \p op, or null.
  const std::map<std::string, double> *
  measured(Operation *op, ::poly::Function function) const;

  /// The program that meets the request and is the fastest, where that was
  /// measured; otherwise the cheapest, if it pays.
  Choice choose(const SiteRequest &request) const;

  const ::poly::TargetModel &target() const { return *targetModel; }
  const ChooserOptions &options() const { return chooserOptions; }

private:
  enum class Policy { Strict, OptIn, Off };

  /// A program that runs on the target, with its cost there.
  struct Candidate {
    const ::poly::RegisteredProgram *registered;
    ::poly::Cost cost;
    /// Cost of a lone element.
    ::poly::Cost scalarCost;
    /// The user asked for it by name or file.
    bool named;
  };

  /// Answers of full replays, shared by all threads.
  struct ReplayCache;

  bool meetsBudget(const ::poly::RegisteredProgram &program,
                   const ::poly::Accuracy &budget,
                   const SiteRequest &request) const;
  /// What choose() learns of the programs that it cannot take.
  struct Misses {
    const ::poly::RegisteredProgram *mostAccurate = nullptr;
    bool anyRounds = false;
    std::string context;
    /// Those that what is known of an exponential's argument keeps out, and
    /// why; the cheapest first.
    llvm::SmallVector<std::pair<const Candidate *, std::string>> refused;
  };
  bool isEligible(const Candidate &candidate, const SiteRequest &request,
                  bool anyNamed, Misses &misses) const;
  /// Of all the request's elements.
  ::poly::Cost costOf(const Candidate &candidate,
                      const SiteRequest &request) const;
  /// What would be cheaper than the source and accurate enough, and why it is
  /// not taken; or "".
  std::string cheaperRefused(const Misses &misses,
                             const SiteRequest &request) const;
  /// Where no named program fits: the one most like them that does; or "".
  std::string nearestFitting(const SiteRequest &request) const;
  std::optional<Choice>
  chooseMeasured(llvm::ArrayRef<const Candidate *> eligible,
                 const SiteRequest &request) const;
  LogicalResult loadTuning(PolyDialect &dialect,
                           llvm::function_ref<InFlightDiagnostic()> emitError);
  LogicalResult
  addNamedPrograms(PolyDialect &dialect,
                   llvm::function_ref<InFlightDiagnostic()> emitError,
                   std::vector<const ::poly::RegisteredProgram *> &named) const;

  ChooserOptions chooserOptions;
  Policy policy = Policy::Strict;
  const ::poly::TargetModel *targetModel = nullptr;
  /// Cheapest first.
  std::vector<Candidate> candidates;
  std::shared_ptr<ReplayCache> cache;
  std::shared_ptr<const TuningTable> tuning;
};

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_PROGRAMCHOICE_H
