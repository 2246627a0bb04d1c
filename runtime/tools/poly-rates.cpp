//===- poly-rates.cpp - Register-resident rates of kernels ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Measures how many elements per clock and multiprocessor kernels evaluate out
/// of registers. A kernel `run(in: memref<?xf32>, out: memref<?xi32>, n:
/// index)` loads its arguments once, evaluates a fixed number of elements n
/// times, and thread t stores at 3 t the multiprocessor's clock before and
/// after, and a value that depends on all results. One block runs on each
/// multiprocessor. Rounds go through the kernels in alternating order; medians
/// are reported.
///
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "Verify.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace poly::runtime;

namespace {

constexpr const char *kUsage =
    "usage: poly-rates [--iterations=N] [--rounds=N] [--threads=N] "
    "[--elements=N] [-o RESULT.json] NAME=FILE...\n"
    "  each FILE has a kernel 'run'; the first NAME is the one that others are "
    "compared with\n";

struct Options {
  int64_t iterations = 2000;
  unsigned rounds = 15;
  unsigned threads = 512;
  unsigned elements = 32; ///< Of a thread in an iteration.
  std::string result;
};

struct Candidate {
  std::string name, file;
  std::unique_ptr<Module> module;
  FunctionHandle function = nullptr;
  /// Elements per clock and multiprocessor, one entry a round.
  std::vector<double> rates;
};

double median(std::vector<double> values) {
  size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(middle),
                   values.end());
  return values[middle];
}

/// The mean over the blocks of what each did per clock of its multiprocessor.
double rateOf(const std::vector<uint32_t> &words, unsigned blocks,
              const Options &options) {
  double sum = 0;
  for (unsigned block = 0; block < blocks; ++block) {
    size_t first = size_t(block) * options.threads;
    // The counter may wrap: all times are from the first thread's start.
    uint32_t base = words[3 * first];
    int32_t begin = 0, end = 0;
    for (size_t t = first; t < first + options.threads; ++t) {
      begin = std::min(begin, int32_t(words[3 * t] - base));
      end = std::max(end, int32_t(words[3 * t + 1] - base));
    }
    sum += double(options.threads) * options.elements *
           double(options.iterations) / (double(end) - double(begin));
  }
  return sum / blocks;
}

int run(std::vector<Candidate> &candidates, const Options &options) {
  Context context;
  for (Candidate &candidate : candidates) {
    candidate.module =
        std::make_unique<Module>(readFile(candidate.file), candidate.file);
    candidate.function = candidate.module->function("run");
  }
  unsigned blocks = unsigned(context.multiprocessors());
  size_t threads = size_t(blocks) * options.threads;
  // Exponents of a softmax row: from the maximum down to -20.
  std::vector<float> input(threads * options.elements);
  uint32_t state = 1;
  for (float &element : input) {
    state = state * 1664525u + 1013904223u;
    element = -20.0f * float(state >> 8) * 0x1p-24f;
  }
  Buffer in(input.size() * 4), out(threads * 3 * 4);
  in.upload(input.data(), input.size() * 4);
  std::vector<uint32_t> words(threads * 3);
  constexpr unsigned kWarmup = 2;
  for (unsigned round = 0; round < options.rounds + kWarmup; ++round)
    for (size_t i = 0; i < candidates.size(); ++i) {
      // Forwards and backwards in turn.
      Candidate &candidate =
          candidates[round % 2 ? candidates.size() - 1 - i : i];
      launchElementwise(candidate.function,
                        ArrayArgument(in.address(), int64_t(input.size())),
                        ArrayArgument(out.address(), int64_t(words.size())),
                        options.iterations, blocks, options.threads);
      context.synchronize();
      out.download(words.data(), words.size() * 4);
      if (round >= kWarmup)
        candidate.rates.push_back(rateOf(words, blocks, options));
    }

  double first = median(candidates.front().rates);
  Json rows = Json::array();
  for (const Candidate &candidate : candidates) {
    double rate = median(candidate.rates);
    auto [low, high] =
        std::minmax_element(candidate.rates.begin(), candidate.rates.end());
    std::printf("%-36s %8.2f elements/clock/SM (%.2f to %.2f) %6.3f x\n",
                candidate.name.c_str(), rate, *low, *high, rate / first);
    Json row = Json::object();
    row.set("name", candidate.name);
    row.set("elementsPerClockPerSm", rate);
    row.set("lowest", *low);
    row.set("highest", *high);
    row.set("ratio", rate / first);
    rows.push(std::move(row));
  }
  if (!options.result.empty()) {
    Json report = Json::object();
    report.set("device", context.deviceName());
    report.set("multiprocessors", double(blocks));
    report.set("threads", double(options.threads));
    report.set("elementsPerThread", double(options.elements));
    report.set("iterations", double(options.iterations));
    report.set("rounds", double(options.rounds));
    report.set("ratioTo", candidates.front().name);
    report.set("kernels", std::move(rows));
    writeFile(options.result, report.dump() + "\n");
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  std::vector<Candidate> candidates;
  for (int i = 1; i < argc; ++i) {
    const char *text = argv[i];
    auto number = [&](const char *key, auto &value) {
      size_t length = std::strlen(key);
      if (std::strncmp(text, key, length) != 0)
        return false;
      value = static_cast<std::decay_t<decltype(value)>>(
          std::strtoull(text + length, nullptr, 10));
      return true;
    };
    if (number("--iterations=", options.iterations) ||
        number("--rounds=", options.rounds) ||
        number("--threads=", options.threads) ||
        number("--elements=", options.elements))
      continue;
    if (std::strcmp(text, "-o") == 0 && i + 1 < argc) {
      options.result = argv[++i];
      continue;
    }
    const char *equals = std::strchr(text, '=');
    if (text[0] == '-' || !equals) {
      std::fprintf(stderr, "poly-rates: unexpected argument '%s'\n%s", text,
                   kUsage);
      return 2;
    }
    Candidate candidate;
    candidate.name.assign(text, equals);
    candidate.file = equals + 1;
    candidates.push_back(std::move(candidate));
  }
  if (candidates.empty() || options.iterations < 1 || !options.rounds ||
      !options.threads || !options.elements) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    return run(candidates, options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "poly-rates: error: %s\n", error.what());
    return 2;
  }
}
