//===- Rates.cpp - Rates out of registers, beside the target model --------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels of family "rates" evaluate a function, kernels of family "pipes" one
/// PTX instruction, over and over on values they hold in registers, and report
/// the multiprocessor's clock before and after. One block runs on each
/// multiprocessor; what it does per clock is the rate.
///
/// A kernel (in, out, n): thread t reads `valuesPerThread` f32 values of `in`,
/// repeats its body n times, and stores at out[3 t] the clock before, the clock
/// after, and a word that depends on all results. `perIteration` is how many
/// evaluations, or instructions, its body has; `mix` is what the body has
/// besides the sites that the compiler decided on: thread instructions by class
/// of the target models.
///
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "poly/Program/Cost.h"
#include "poly/Program/Registry.h"
#include "poly/Target/Names.h"

#include <algorithm>
#include <cmath>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

namespace {

constexpr int64_t kIterations = 2000;
constexpr unsigned kWarmup = 2;

/// The mean over the blocks of what each did per clock of its multiprocessor.
double ratePerClock(const std::vector<uint32_t> &words, unsigned blocks,
                    unsigned threads, double perThread) {
  double sum = 0;
  for (unsigned block = 0; block < blocks; ++block) {
    size_t first = size_t(block) * threads;
    // The counter may wrap: all times are from the first thread's start.
    uint32_t base = words[3 * first];
    int32_t begin = 0, end = 0;
    for (size_t t = first; t < first + threads; ++t) {
      begin = std::min(begin, int32_t(words[3 * t] - base));
      end = std::max(end, int32_t(words[3 * t + 1] - base));
    }
    sum += threads * perThread / (double(end) - double(begin));
  }
  return sum / blocks;
}

struct Candidate {
  const Entry *entry;
  Kernel kernel;
  std::vector<double> samples;
};

InstrClass classOf(const KernelMetadata &kernel, const std::string &name) {
  std::optional<InstrClass> instrClass = parseInstrClass(name);
  if (!instrClass)
    throw JsonError("kernel '" + kernel.name +
                    "' names the instruction class '" + name +
                    "', which target models do not have");
  return *instrClass;
}

/// Adds \p elements evaluations of a program; false when there is none of that
/// name.
bool addProgram(const std::string &name, double elements,
                const TargetModel &target, Cost &cost) {
  const RegisteredProgram *program = findProgram(name);
  if (program)
    cost += ::poly::cost(program->program, target) *
            (elements / std::max(1u, program->program.info().lanes));
  return program;
}

/// What the target model says an iteration of a warp costs; nothing when it
/// does not know what the kernel does.
std::optional<Cost> costOfIteration(const Entry &entry,
                                    const TargetModel &target) {
  const KernelMetadata &kernel = entry.kernel;
  Cost cost;
  if (const Json *mix = kernel.info.find("mix"))
    for (const std::string &name : mix->names())
      cost.add(classOf(kernel, name), target, mix->at(name).asNumber(name));
  if (kernel.text("family") == "pipes")
    return cost;
  // A program that the kernel applies by name leaves no decision.
  if (kernel.info.find("program")) {
    if (!addProgram(kernel.text("program"),
                    double(kernel.extent("perIteration")), target, cost))
      return std::nullopt;
    return cost;
  }
  std::vector<const Json *> sites = entry.appliedSites();
  for (const Json *site : sites)
    if (!addProgram(site->at("program").asString("program"),
                    site->at("lanes").asNumber("lanes"), target, cost))
      return std::nullopt;
  if (sites.empty())
    return std::nullopt;
  return cost;
}

/// Arguments of a thread: below zero for powers of two, as a softmax row has
/// them; else to both sides of it. No special values.
std::vector<float> argumentsFor(const KernelMetadata &kernel, size_t count) {
  bool exponential = kernel.text("function", "") == "exp2";
  float low = exponential ? -20.0f : -8.0f, high = exponential ? 0.0f : 8.0f;
  std::vector<float> values(count);
  uint32_t state = 1;
  for (float &value : values) {
    state = state * 1664525u + 1013904223u;
    value = low + (high - low) * float(state >> 8) * 0x1p-24f;
  }
  return values;
}

} // namespace

int poly::bench::runRates(const Options &options, const std::string &suite) {
  Session session(options, suite);
  std::string chip =
      "sm_" + std::to_string(session.context.computeCapability());
  const TargetModel *target = findTarget(chip);
  std::string metric =
      suite == "pipes" ? "instructions/clock/SM" : "elements/clock/SM";

  std::vector<Candidate> candidates;
  for (const Entry &entry : session.entries)
    if (session.wanted(entry.kernel.text("work", suite), entry.variant))
      candidates.push_back(
          {&entry, loadKernel(entry.image, entry.kernel.name), {}});
  unsigned blocks = unsigned(session.context.multiprocessors());
  MeasureOptions measure = session.measureOptions(suite);
  unsigned rounds = std::min(measure.maxRounds, options.quick ? 3u : 15u);
  for (unsigned round = 0; round < rounds + kWarmup && !candidates.empty();
       ++round) {
    for (size_t i : roundOrder(candidates.size(), round)) {
      Candidate &candidate = candidates[i];
      const KernelMetadata &kernel = candidate.kernel.metadata();
      unsigned threads = kernel.blockSize ? kernel.blockSize->count() : 1024;
      size_t total = size_t(blocks) * threads;
      std::vector<float> input = argumentsFor(
          kernel, total * size_t(kernel.extent("valuesPerThread")));
      Buffer in(input.size() * 4), out(total * 3 * 4);
      in.upload(input.data(), input.size() * 4);
      Arguments arguments(kernel);
      // Builders' kernels take pointers, those written as MLIR memrefs.
      if (kernel.parameters.size() == 3)
        arguments.array(in.address()).array(out.address());
      else
        arguments.memref(in.address(), int64_t(input.size()))
            .memref(out.address(), int64_t(total * 3));
      arguments.integer(kIterations);
      candidate.kernel.launch(session.meter.stream().handle(),
                              Dim3{blocks, 1, 1}, Dim3{threads, 1, 1},
                              arguments);
      session.meter.stream().synchronize();
      std::vector<uint32_t> words(total * 3);
      out.download(words.data(), words.size() * 4);
      if (round >= kWarmup)
        candidate.samples.push_back(ratePerClock(
            words, blocks, threads,
            double(kernel.extent("perIteration")) * double(kIterations)));
    }
    measure.progress(round + 1, rounds + kWarmup);
  }

  for (Candidate &candidate : candidates) {
    ResultRow row;
    row.work = candidate.entry->kernel.text("work", suite);
    row.variant = candidate.entry->name;
    row.metric = metric;
    row.samples = std::move(candidate.samples);
    double measured = summarize(row.samples).median;
    std::optional<Cost> cost;
    if (target)
      cost = costOfIteration(*candidate.entry, *target);
    row.details.set("program", candidate.entry->kernel.text(
                                   "program", candidate.entry->programs()));
    if (cost) {
      // A sub-partition runs a warp's iteration in that many clocks; four do.
      double model = double(candidate.entry->kernel.extent("perIteration")) *
                     32 * 4 / cost->expectedClocks(*target);
      row.details.set("model", model);
      row.details.set("measuredOverModel", measured / model);
    }
    row.details.set("registers", candidate.kernel.registers());
    session.results.add(std::move(row));
  }
  session.results.describe("iterations", double(kIterations));
  session.results.describe(
      "what", "one block on each multiprocessor, by its own clock counter");
  session.results.describe("modelOf", target ? chip : "no model of " + chip);
  return session.finish({"program", "model", "measuredOverModel"});
}
