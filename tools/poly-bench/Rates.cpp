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
/// `run(in: memref<?xf32>, out: memref<?xi32>, n: index)`: thread t takes its
/// arguments from `in`, repeats n times what it does `perIteration` of, and
/// stores at out[3 t] the clock before, the clock after, and a word that
/// depends on all results.
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

/// Thread instructions per clock, or elements per clock, by the target model;
/// 0 when it says nothing of this kernel.
double predicted(const Entry &entry, const TargetModel &target) {
  const KernelMetadata &kernel = entry.kernel;
  Cost cost;
  // What one iteration of a warp costs, by what the kernel says it contains.
  if (const Json *mix = kernel.info.find("mix"))
    for (const std::string &name : mix->names()) {
      std::optional<InstrClass> instrClass = parseInstrClass(name);
      if (!instrClass)
        throw JsonError("kernel '" + kernel.name +
                        "' names the instruction "
                        "class '" +
                        name + "', which no target model has");
      cost.add(*instrClass, target, mix->at(name).asNumber(name));
    }
  double elements = double(kernel.integer("perIteration"));
  for (const Json *site : entry.appliedSites()) {
    const RegisteredProgram *program =
        findProgram(site->at("program").asString("program"));
    if (!program)
      return 0;
    double evaluations = site->at("lanes").asNumber("lanes") /
                         std::max(1u, program->program.info().lanes);
    cost += ::poly::cost(program->program, target) * evaluations;
  }
  if (kernel.text("family") == "rates" && entry.appliedSites().empty())
    return 0;
  // A sub-partition runs a warp of 32 threads in slots() clocks; four do.
  return cost.slots() > 0 ? elements * 32 * 4 / cost.slots() : 0;
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
    if (session.wanted(entry.kernel.text("work", entry.name), entry.variant))
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
      unsigned threads = kernel.blockSize ? kernel.blockSize->count() : 512;
      size_t total = size_t(blocks) * threads;
      size_t values = size_t(kernel.integer("valuesPerThread"));
      // Arguments from 0 down to -20, as a softmax row has them: inside the
      // domain of everything measured, and no special values.
      std::vector<float> input(total * values);
      uint32_t state = 1;
      for (float &element : input) {
        state = state * 1664525u + 1013904223u;
        element = -20.0f * float(state >> 8) * 0x1p-24f;
      }
      Buffer in(input.size() * 4), out(total * 3 * 4);
      in.upload(input.data(), input.size() * 4);
      Arguments arguments(kernel);
      arguments.array(in.address(), int64_t(input.size()))
          .array(out.address(), int64_t(total * 3))
          .integer(kIterations);
      candidate.kernel.launch(session.meter.stream().handle(),
                              Dim3{blocks, 1, 1}, Dim3{threads, 1, 1},
                              arguments);
      session.meter.stream().synchronize();
      std::vector<uint32_t> words(total * 3);
      out.download(words.data(), words.size() * 4);
      if (round >= kWarmup)
        candidate.samples.push_back(ratePerClock(
            words, blocks, threads,
            double(kernel.integer("perIteration")) * double(kIterations)));
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
    double model = target ? predicted(*candidate.entry, *target) : 0;
    row.details.set("program", candidate.entry->programs());
    if (model > 0) {
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
