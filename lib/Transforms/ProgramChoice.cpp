//===- ProgramChoice.cpp - Permission, budget and cost of a site ----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Transforms/ProgramChoice.h"

#include "Exponentials.h"

#include "poly/Program/Exponentials.h"
#include "poly/Program/Formats.h"
#include "poly/Program/ProgramFile.h"
#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/TuningTable.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::poly;

using ::poly::Accuracy;
using ::poly::Certificate;
using ::poly::Format;
using ::poly::ProgramInfo;
using ::poly::RegisteredProgram;

struct ProgramChooser::ReplayCache {
  std::mutex mutex;
  /// Program, atol, rtol, ulps and the bounds of the argument.
  std::map<std::tuple<const RegisteredProgram *, double, double, double, double,
                      double>,
           bool>
      answers;
};

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// The known program names closest to \p name, for a message.
static std::string suggestion(PolyDialect &dialect, StringRef name) {
  std::string best;
  unsigned bestDistance = 8; // Further than this is no misspelling.
  for (const RegisteredProgram *registered : dialect.programs()) {
    unsigned distance = StringRef(registered->program.name())
                            .edit_distance(name, true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = registered->program.name();
    }
  }
  if (best.empty())
    return "; poly-fit --list prints the shipped programs";
  return "; did you mean '" + best + "'?";
}

LogicalResult ProgramChooser::addNamedPrograms(
    PolyDialect &dialect, llvm::function_ref<InFlightDiagnostic()> emitError,
    std::vector<const RegisteredProgram *> &named) const {
  for (const std::string &entry : chooserOptions.programs) {
    if (!StringRef(entry).ends_with(".json")) {
      const RegisteredProgram *registered = dialect.findProgram(entry);
      if (!registered)
        return emitError() << "unknown program '" << entry << "'"
                           << suggestion(dialect, entry);
      named.push_back(registered);
      continue;
    }
    auto buffer = llvm::MemoryBuffer::getFile(entry, /*IsText=*/true);
    if (std::error_code error = buffer.getError())
      return emitError() << "cannot read the program file '" << entry
                         << "': " << error.message();
    llvm::Expected<std::vector<::poly::Program>> programs =
        ::poly::parseProgramFile((*buffer)->getBuffer(), entry);
    if (!programs)
      return emitError() << llvm::toString(programs.takeError());
    for (::poly::Program &program : *programs) {
      std::string name = program.name();
      Certificate certificate = ::poly::certify(program);
      if (!std::isfinite(certificate.maxAbs))
        return emitError() << entry << ": program '" << name
                           << "' overflows: its error at x = "
                           << certificate.worstAbsInput
                           << " is infinite; use a smaller clamp";
      if (failed(dialect.addProgram({std::move(program), certificate})))
        return emitError() << entry << ": the name '" << name
                           << "' belongs to another program; rename it";
      // A file gives each program for old and new chips; the newer form is
      // just not used where it does not exist.
      const RegisteredProgram *registered = dialect.findProgram(name);
      if (::poly::minimumSm(registered->program) <= targetModel->sm)
        named.push_back(registered);
    }
  }
  return success();
}

LogicalResult
ProgramChooser::loadTuning(PolyDialect &dialect,
                           llvm::function_ref<InFlightDiagnostic()> emitError) {
  const std::string &path = chooserOptions.tuning;
  if (path.empty())
    return success();
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (std::error_code error = buffer.getError())
    return emitError() << "cannot read the tuning table '" << path
                       << "': " << error.message();
  llvm::Expected<TuningTable> table =
      TuningTable::parse((*buffer)->getBuffer(), path, dialect);
  if (!table)
    return emitError() << llvm::toString(table.takeError());
  const ::poly::TargetModel *measuredOn = ::poly::findTarget(table->chip());
  if (!measuredOn || measuredOn->sm != targetModel->sm)
    return emitError() << path << ": measured on " << table->chip()
                       << ", not on " << chooserOptions.chip
                       << "; measure there with poly-bench, or drop tuning";
  tuning = std::make_shared<const TuningTable>(std::move(*table));
  return success();
}

const std::map<std::string, double> *
ProgramChooser::measured(Operation *op, ::poly::Function function) const {
  return tuning ? tuning->find(op, function) : nullptr;
}

FailureOr<ProgramChooser>
ProgramChooser::create(PolyDialect &dialect, const ChooserOptions &options,
                       llvm::function_ref<InFlightDiagnostic()> emitError) {
  ProgramChooser chooser;
  chooser.chooserOptions = options;
  chooser.cache = std::make_shared<ReplayCache>();
  chooser.targetModel = ::poly::findTarget(options.chip);
  if (!chooser.targetModel)
    return emitError() << "unknown chip '" << options.chip
                       << "'; known chips are " << ::poly::knownChips();
  if (options.policy == "strict")
    chooser.policy = Policy::Strict;
  else if (options.policy == "opt-in")
    chooser.policy = Policy::OptIn;
  else if (options.policy == "off")
    chooser.policy = Policy::Off;
  else
    return emitError() << "unknown policy '" << options.policy
                       << "'; use strict, opt-in or off";
  if (!options.budgetText.empty()) {
    Accuracy accuracy;
    std::string error;
    if (!::poly::parseAccuracy(options.budgetText, accuracy, error))
      return emitError() << "bad budget '" << options.budgetText
                         << "': " << error;
    chooser.chooserOptions.budget = accuracy;
  }
  if (!options.splitText.empty() && options.splitText != "auto") {
    double share = -1;
    if (StringRef(options.splitText).getAsDouble(share) ||
        !(share >= 0 && share <= 1))
      return emitError() << "bad split '" << options.splitText
                         << "'; use auto or a number from 0 to 1";
    chooser.chooserOptions.splitShare =
        static_cast<unsigned>(std::lround(share * 16));
  }
  if (options.splitConsistent && options.splitText.empty())
    return emitError() << "split-consistent needs split";
  std::vector<const RegisteredProgram *> named;
  if (failed(chooser.addNamedPrograms(dialect, emitError, named)))
    return failure();
  if (failed(chooser.loadTuning(dialect, emitError)))
    return failure();
  for (const RegisteredProgram *registered : named)
    if (::poly::minimumSm(registered->program) > chooser.targetModel->sm)
      return emitError() << "program '" << registered->program.name()
                         << "' needs sm_"
                         << ::poly::minimumSm(registered->program)
                         << " or later, but the chip is " << options.chip;

  for (const RegisteredProgram *registered : dialect.programs()) {
    const ProgramInfo &info = registered->program.info();
    // Only exponentials prove something of their arguments (contextRefusal);
    // a phase is at most half a turn; no other site shows that it stays inside
    // a domain.
    bool reachable =
        ::poly::isExponential(info.function) ||
        (::poly::isTurn(info.function) && info.domainLow <= -0.5 &&
         info.domainHigh >= 0.5) ||
        (std::isinf(info.domainLow) && std::isinf(info.domainHigh));
    if (reachable &&
        ::poly::minimumSm(registered->program) <= chooser.targetModel->sm)
      chooser.candidates.push_back(
          {registered, ::poly::cost(registered->program, *chooser.targetModel),
           ::poly::cost(registered->program.scalarForm(), *chooser.targetModel),
           llvm::is_contained(named, registered)});
  }
  llvm::sort(chooser.candidates, [](const Candidate &a, const Candidate &b) {
    auto key = [](const Candidate &c) {
      double lanes = c.registered->program.info().lanes;
      // The name makes the order total.
      return std::tuple(c.cost.slots() / lanes, c.cost.issue / lanes,
                        c.registered->certificate.maxAbs,
                        std::string_view(c.registered->program.name()));
    };
    return key(a) < key(b);
  });
  return chooser;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

bool ProgramChooser::isOptedIn(Operation *op) const {
  return policy == Policy::OptIn || hasInherited(op, PolyDialect::kOptInAttr);
}

std::string ProgramChooser::refusal(const Site &site) const {
  if (policy == Policy::Off)
    return "policy=off";
  if (hasInherited(site.op, PolyDialect::kKeepAttr))
    return "marked poly.keep";
  bool weight = false;
  if (std::optional<ExpContext> context = expContext(site.op)) {
    std::string reason = roleRefusal(context->role);
    if (!reason.empty())
      return reason;
    weight = context->role == ExpRole::Weight;
  }
  bool optedIn = isOptedIn(site.op);
  if (!optedIn && !site.op->hasAttr("consent"))
    return "no consent: not every op of the idiom carries afn; add the flag, "
           "or opt in with poly.optin or policy=opt-in";
  bool rounding = chooserOptions.roundInputs ||
                  hasInherited(site.op, PolyDialect::kRoundInputsAttr);
  // Weights' programs read f32 scores, and those of a phase the f32 phase;
  // choose() refuses what rounds it.
  bool named = llvm::any_of(candidates, [&](const Candidate &candidate) {
    return candidate.named &&
           candidate.registered->program.info().function == site.function;
  });
  if (site.from == Format::F32 && site.to != Format::F32 && !optedIn &&
      !rounding && !named && !weight && !::poly::isTurn(site.function))
    return llvm::formatv("the f32 input is not {0}-valued and the result is "
                         "rounded to {0}; opt in with poly.optin (the input "
                         "stays f32), poly.round_inputs or round-inputs",
                         ::poly::name(site.to));
  return "";
}

bool ProgramChooser::meetsBudget(const RegisteredProgram &registered,
                                 const Accuracy &required,
                                 const SiteRequest &request) const {
  const Certificate &certificate = registered.certificate;
  const ExpContext *exponential = request.exponential;
  Accuracy budget = required;
  // The certificate counts in ulps of the program's result.
  if (keepsConversion(registered.program.info().to, request.ownFormat,
                      request.to))
    budget.ulps = std::ldexp(
        budget.ulps, ::poly::traits(registered.program.info().to).mantissaBits -
                         ::poly::traits(request.to).mantissaBits);
  double low = -HUGE_VAL, high = HUGE_VAL;
  if (exponential) {
    low = exponential->low.value_or(low);
    high = exponential->high.value_or(high);
    // Softmax flushes weights that f32 cannot hold as normal numbers.
    if (exponential->role == ExpRole::Weight)
      budget.atol = std::max(budget.atol, 0x1p-126);
  }
  // One satisfied part is enough: the tolerance is the largest of the parts.
  if ((budget.atol > 0 && certificate.maxAbs <= budget.atol) ||
      (budget.ulps > 0 && certificate.maxUlp <= budget.ulps))
    return true;
  int parts = (budget.atol > 0) + (budget.rtol > 0) + (budget.ulps > 0);
  if (parts == 1 && budget.rtol == 0 && !exponential)
    return false;
  // Mixed and relative budgets depend on every single input.
  auto key =
      std::tuple(&registered, budget.atol, budget.rtol, budget.ulps, low, high);
  {
    std::lock_guard<std::mutex> lock(cache->mutex);
    auto it = cache->answers.find(key);
    if (it != cache->answers.end())
      return it->second;
  }
  bool answer =
      exponential ? ::poly::meets(registered.program.within(low, high), budget)
                  : ::poly::meets(registered.program, budget);
  std::lock_guard<std::mutex> lock(cache->mutex);
  cache->answers[key] = answer;
  return answer;
}

/// "silu bf16 -> bf16".
static std::string signature(const SiteRequest &request) {
  return llvm::formatv("{0} {1} -> {2}", ::poly::name(request.function),
                       ::poly::name(request.from), ::poly::name(request.to));
}

/// Whether \p candidate may stand for the request's sites, whatever its
/// accuracy.
bool ProgramChooser::isEligible(const Candidate &candidate,
                                const SiteRequest &request, bool anyNamed,
                                Misses &misses) const {
  const RegisteredProgram &registered = *candidate.registered;
  const ProgramInfo &info = registered.program.info();
  if (info.function != request.function ||
      (info.to != request.to &&
       !keepsConversion(info.to, request.ownFormat, request.to)) ||
      (anyNamed && !candidate.named))
    return false;
  bool sfu = registered.certificate.sfuModel;
  if ((request.unit == SiteRequest::WithoutSfu && sfu) ||
      (request.unit == SiteRequest::SfuOnly && !sfu))
    return false;
  if (request.sameShape) {
    const ProgramInfo &shape = request.sameShape->program.info();
    if (info.from != shape.from || info.lanes != shape.lanes)
      return false;
  }
  // A 16-bit-valued input may always be widened exactly; it loses nothing in
  // a program that rounds f32 inputs to the same format.
  bool fits = info.from == request.from ||
              (info.from == Format::F32 && request.ownFormat == Format::F32);
  if (!fits)
    return false;
  if (info.roundsInput && !request.roundInputs && request.from != info.to) {
    misses.anyRounds = true;
    return false;
  }
  if (request.exponential) {
    std::string why = contextRefusal(registered, *request.exponential,
                                     candidate.named, request.optedIn);
    if (!why.empty()) {
      // The cheapest one is what the user would want to know about.
      if (misses.context.empty())
        misses.context = why;
      misses.refused.emplace_back(&candidate, why);
      return false;
    }
  }
  if (!misses.mostAccurate ||
      registered.certificate.maxUlp < misses.mostAccurate->certificate.maxUlp)
    misses.mostAccurate = &registered;
  return true;
}

/// The fastest of those that were measured; nothing when none was.
std::optional<Choice>
ProgramChooser::chooseMeasured(llvm::ArrayRef<const Candidate *> eligible,
                               const SiteRequest &request) const {
  const Candidate *fastest = nullptr;
  double best = HUGE_VAL;
  for (const Candidate *candidate : eligible) {
    auto time = request.measured->find(
        std::string(candidate->registered->program.name()));
    if (time == request.measured->end() || time->second >= best)
      continue;
    fastest = candidate;
    best = time->second;
  }
  if (!fastest)
    return std::nullopt;
  Choice choice;
  double before = request.before.slots() / request.elements;
  auto source = request.measured->find("");
  StringRef name = fastest->registered->program.name();
  if (source != request.measured->end() && source->second <= best) {
    choice.reason = llvm::formatv(
        "measured: the kernel takes {0:f3} times as long with {1}, the fastest "
        "program that is accurate enough",
        best / source->second, name);
    return choice;
  }
  const Certificate &certificate = fastest->registered->certificate;
  choice.kind = Choice::Apply;
  choice.program = fastest->registered;
  choice.slotsAfter =
      fastest->cost.slots() / fastest->registered->program.info().lanes;
  choice.reason = llvm::formatv(
      "{0}: measured as the fastest{1}; max error {2:e2} absolute, {3:f2} "
      "ulp{4}; {5:f1} -> {6:f1} issue slots an element",
      name,
      source == request.measured->end()
          ? std::string()
          : llvm::formatv(", the kernel takes {0:f3} of the time",
                          best / source->second)
                .str(),
      certificate.maxAbs, certificate.maxUlp,
      certificate.sfuModel ? " (SFU model)" : "", before, choice.slotsAfter);
  return choice;
}

::poly::Cost ProgramChooser::costOf(const Candidate &candidate,
                                    const SiteRequest &request) const {
  const ProgramInfo &info = candidate.registered->program.info();
  ::poly::Cost cost;
  if (info.lanes == 2) {
    cost += candidate.cost * request.pairs;
    cost += candidate.scalarCost * request.loneLanes;
  } else if (info.lanes == 4) {
    cost += candidate.cost * request.quads;
    cost += candidate.scalarCost * request.quadRest;
  } else {
    cost += candidate.cost * request.elements;
  }
  // A program that takes f32 leaves the widening of 16-bit values in place.
  if (info.from == Format::F32 && request.from != Format::F32)
    cost.add(::poly::InstrClass::Logic, *targetModel, request.elements);
  if (keepsConversion(info.to, request.ownFormat, request.to))
    cost.add(::poly::InstrClass::Convert, *targetModel, request.elements / 2);
  return cost;
}

std::string ProgramChooser::cheaperRefused(const Misses &misses,
                                           const SiteRequest &request) const {
  // Under the default budget nobody asked for less accuracy.
  if (!request.required)
    return "";
  // One of each kind: what is behind the program's name.
  std::string text;
  llvm::StringSet<> kinds;
  for (const auto &[candidate, why] : misses.refused)
    if (costOf(*candidate, request).slots() < request.before.slots() &&
        !kinds.contains(StringRef(why).split(' ').second) &&
        meetsBudget(*candidate->registered, *request.required, request)) {
      kinds.insert(StringRef(why).split(' ').second);
      text += "; " + why;
    }
  return text;
}

std::string ProgramChooser::nearestFitting(const SiteRequest &request) const {
  const Candidate *nearest = nullptr;
  unsigned best = ~0u;
  for (const Candidate &named : candidates) {
    if (!named.named ||
        named.registered->program.info().function != request.function)
      continue;
    for (const Candidate &candidate : candidates) {
      Misses misses;
      if (candidate.named || !isEligible(candidate, request, false, misses))
        continue;
      unsigned distance = StringRef(candidate.registered->program.name())
                              .edit_distance(named.registered->program.name());
      if (distance >= best)
        continue;
      nearest = &candidate;
      best = distance;
    }
  }
  if (!nearest)
    return "";
  return "; name one that does, such as " + nearest->registered->program.name();
}

Choice ProgramChooser::choose(const SiteRequest &request) const {
  // With the function's programs named, only those compete, and naming waives
  // the default budget.
  bool anyNamed = llvm::any_of(candidates, [&](const Candidate &candidate) {
    return candidate.named &&
           candidate.registered->program.info().function == request.function;
  });
  Accuracy budget;
  budget.ulps = 1;
  if (request.required)
    budget = *request.required;
  bool unlimited = anyNamed && !request.required;

  Choice choice;
  Misses misses;
  llvm::SmallVector<const Candidate *> eligible;
  for (const Candidate &candidate : candidates)
    if (isEligible(candidate, request, anyNamed, misses) &&
        (unlimited || meetsBudget(*candidate.registered, budget, request)))
      eligible.push_back(&candidate);
  // Naming programs is a choice already.
  if (request.measured && !anyNamed && request.unit == SiteRequest::AnyUnit)
    if (std::optional<Choice> measured = chooseMeasured(eligible, request))
      return *measured;
  for (const Candidate *eligibleCandidate : eligible) {
    const Candidate &candidate = *eligibleCandidate;
    const RegisteredProgram &registered = *candidate.registered;
    const ProgramInfo &info = registered.program.info();
    ::poly::Cost after = costOf(candidate, request);
    double slotsAfter = after.slots(), slotsBefore = request.before.slots();
    bool pays =
        slotsAfter < slotsBefore ||
        (slotsAfter <= slotsBefore && after.issue < request.before.issue);
    // The other side of a split takes the place of the source's own unit.
    if (!pays && !candidate.named && request.unit != SiteRequest::SfuOnly) {
      // Candidates are sorted by cost at full lanes; a lone element may still
      // find a cheaper single-lane program.
      if (choice.reason.empty())
        choice.reason = llvm::formatv(
            "no accurate program pays: {0} takes {1:f1} issue slots an "
            "element, the source {2:f1}",
            info.name, slotsAfter / request.elements,
            slotsBefore / request.elements);
      continue;
    }
    // Of two equally cheap programs the one that takes the argument as it is
    // leaves less to the rest of the compiler.
    double perElement = slotsAfter / request.elements;
    if (choice.program) {
      bool asIs = info.from == request.from;
      bool chosenAsIs = choice.program->program.info().from == request.from;
      if (choice.slotsAfter < perElement ||
          (choice.slotsAfter == perElement && (chosenAsIs || !asIs)))
        continue;
    }
    choice.kind = Choice::Apply;
    choice.program = &registered;
    choice.slotsAfter = perElement;
  }
  if (choice.kind == Choice::Apply) {
    const Certificate &certificate = choice.program->certificate;
    if (request.exponential) {
      choice.reason = llvm::formatv(
          "{0}: max error {1:e2} relative, {2:f3} to {3:f3} octaves{4}; {5:f1} "
          "-> {6:f1} issue slots an element",
          choice.program->program.name(), certificate.maxRel,
          certificate.octaveLow, certificate.octaveHigh,
          certificate.sfuModel ? " (SFU model)" : "",
          request.before.slots() / request.elements, choice.slotsAfter);
      return choice;
    }
    choice.reason = llvm::formatv(
        "{0}: max error {1:e2} absolute, {2:f2} ulp{3}; {4:f1} -> {5:f1} issue "
        "slots an element",
        choice.program->program.name(), certificate.maxAbs, certificate.maxUlp,
        certificate.sfuModel ? " (SFU model)" : "",
        request.before.slots() / request.elements, choice.slotsAfter);
    return choice;
  }
  if (!choice.reason.empty()) {
    choice.reason += cheaperRefused(misses, request);
    return choice;
  }
  if (!misses.mostAccurate) {
    if (!misses.context.empty()) {
      choice.reason = misses.context;
      if (request.required)
        choice.kind = Choice::Error;
    } else if (anyNamed)
      choice.reason = "none of the named programs fits " + signature(request) +
                      nearestFitting(request);
    else if (misses.anyRounds)
      choice.reason = "every program for " + signature(request) +
                      " rounds its f32 input; opt in with poly.round_inputs or "
                      "round-inputs";
    else
      choice.reason = "no program for " + signature(request) + " runs on " +
                      chooserOptions.chip;
    return choice;
  }
  const Certificate &best = misses.mostAccurate->certificate;
  choice.reason = llvm::formatv(
      "no program for {0} on {1} meets {2} {3}; the most accurate, {4}, has a "
      "max error of {5:e2} absolute, {6:f2} ulp",
      signature(request), chooserOptions.chip,
      request.required ? "the required accuracy" : "the default accuracy",
      ::poly::toString(budget), misses.mostAccurate->program.name(),
      best.maxAbs, best.maxUlp);
  if (request.required) {
    choice.kind = Choice::Error;
    choice.reason +=
        "; relax the budget, or mark the code poly.keep to leave it";
  }
  return choice;
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

Choice ProgramChooser::chooseWithSplit(SiteRequest request) const {
  Choice whole = choose(request);
  if (chooserOptions.splitText.empty() || !request.exponential ||
      whole.kind == Choice::Error)
    return whole;
  request.unit = SiteRequest::WithoutSfu;
  Choice first = choose(request);
  if (first.kind != Choice::Apply)
    return whole;
  request.unit = SiteRequest::SfuOnly;
  request.sameShape = first.program;
  Choice second = choose(request);
  if (second.kind != Choice::Apply) {
    first.reason += "; no split: no program of the special function unit has "
                    "these formats";
    return whole.kind == Choice::Apply ? whole : first;
  }
  if (chooserOptions.splitConsistent) {
    Choice &cheaper = first.slotsAfter <= second.slotsAfter ? first : second;
    cheaper.reason += "; the cheaper side of a split, for all";
    return cheaper;
  }
  ::poly::Cost a = ::poly::cost(first.program->program, *targetModel);
  ::poly::Cost b = ::poly::cost(second.program->program, *targetModel);
  auto slots = [&](unsigned share) {
    ::poly::Cost mixed = a * (share / 16.0);
    mixed += b * (1 - share / 16.0);
    return mixed.slots() / first.program->program.info().lanes;
  };
  unsigned share = chooserOptions.splitShare.value_or(0);
  if (!chooserOptions.splitShare)
    for (unsigned candidate = 1; candidate <= 16; ++candidate)
      if (slots(candidate) < slots(share))
        share = candidate;
  if (share == 16 || share == 0) {
    Choice &only = share ? first : second;
    only.reason += "; the split gives it all sites";
    return only;
  }
  first.rest = second.program;
  first.share = share;
  first.slotsAfter = slots(share);
  first.reason = llvm::formatv(
      "{0} for {1} of 16 evaluations and {2} for the others: {3:f1} -> {4:f1} "
      "issue slots an element ({5}; {6})",
      first.program->program.name(), share, second.program->program.name(),
      request.before.slots() / request.elements, first.slotsAfter, first.reason,
      second.reason);
  return first;
}
