//===- poly-time-kernels.cpp - Time kernels side by side ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times elementwise kernels of 16-bit elements on one array. A round runs each
/// kernel once (several launches between two device events), in an order that
/// rotates from round to round, so that clocks and caches favour nobody; the
/// median over the rounds is reported.
///
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace poly::runtime;

namespace {

constexpr const char *kUsage =
    "usage: poly-time-kernels [--count=N] [--rounds=N] [-o RESULT.json] "
    "NAME=FILE:KERNEL...\n"
    "  16-bit elements, 8 a thread, as in kernels/activations\n";
constexpr unsigned kThreads = 256;
constexpr unsigned kChunk = 8;
constexpr unsigned kLaunches = 20;

struct Candidate {
  std::string name, file, kernel, image;
  std::unique_ptr<Module> module;
  FunctionHandle function = nullptr;
  std::vector<double> microseconds;
};

/// Splits NAME=FILE:KERNEL and reads the file.
Candidate parse(const std::string &spec) {
  size_t equals = spec.find('=');
  size_t colon = spec.rfind(':');
  if (equals == std::string::npos || colon == std::string::npos ||
      colon < equals)
    throw std::runtime_error("'" + spec + "' is not NAME=FILE:KERNEL");
  Candidate candidate;
  candidate.name = spec.substr(0, equals);
  candidate.file = spec.substr(equals + 1, colon - equals - 1);
  candidate.kernel = spec.substr(colon + 1);
  candidate.image = readFile(candidate.file);
  return candidate;
}

double median(std::vector<double> values) {
  size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  return values[middle];
}

int run(const std::vector<std::string> &specs, int64_t count, unsigned rounds,
        const std::string &resultPath) {
  std::vector<Candidate> candidates;
  for (const std::string &spec : specs)
    candidates.push_back(parse(spec));
  Context context;
  for (Candidate &candidate : candidates) {
    candidate.module =
        std::make_unique<Module>(candidate.image, candidate.file);
    candidate.function = candidate.module->function(candidate.kernel);
  }

  // bf16 and f16 patterns of moderate numbers of both signs: 0x3c00 to 0x4100
  // is 0.0078 to 8 in bf16 and 1 to 2.5 in f16.
  std::vector<uint16_t> input(static_cast<size_t>(count));
  uint32_t state = 1;
  for (uint16_t &element : input) {
    state = state * 1664525u + 1013904223u;
    element = static_cast<uint16_t>((0x3c00 + (state >> 16) % 0x500) |
                                    (state & 0x8000));
  }
  Buffer in(input.size() * 2), out(input.size() * 2);
  in.upload(input.data(), input.size() * 2);
  int64_t perBlock = int64_t(kThreads) * kChunk;
  unsigned blocks = static_cast<unsigned>((count + perBlock - 1) / perBlock);
  auto launch = [&](const Candidate &candidate) {
    launchElementwise(candidate.function, ArrayArgument(in.address(), count),
                      ArrayArgument(out.address(), count), count, blocks,
                      kThreads);
  };

  Event start, end;
  // The first rounds warm clocks and caches up.
  constexpr unsigned kWarmup = 3;
  for (unsigned round = 0; round < rounds + kWarmup; ++round) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      Candidate &candidate = candidates[(i + round) % candidates.size()];
      start.record();
      for (unsigned j = 0; j < kLaunches; ++j)
        launch(candidate);
      end.record();
      double time = end.millisecondsSince(start) * 1e3 / kLaunches;
      if (round >= kWarmup)
        candidate.microseconds.push_back(time);
    }
  }
  context.synchronize();

  Json rows = Json::array();
  for (const Candidate &candidate : candidates) {
    double time = median(candidate.microseconds);
    double rate = static_cast<double>(count) / time * 1e-6;
    std::printf("%-24s %10.2f us %8.3f T elements/s\n", candidate.name.c_str(),
                time, rate);
    Json row = Json::object();
    row.set("name", candidate.name);
    row.set("microseconds", time);
    row.set("teraElementsPerSecond", rate);
    rows.push(std::move(row));
  }
  if (!resultPath.empty()) {
    Json report = Json::object();
    report.set("device", context.deviceName());
    report.set("count", static_cast<double>(count));
    report.set("rounds", static_cast<double>(rounds));
    report.set("kernels", std::move(rows));
    writeFile(resultPath, report.dump() + "\n");
  }
  return 0;
}

/// The positive integer after the '=' of \p argument.
int64_t number(const char *argument) {
  const char *text = std::strchr(argument, '=') + 1;
  char *end = nullptr;
  long long value = std::strtoll(text, &end, 10);
  if (end == text || *end || value <= 0)
    throw std::runtime_error(std::string(argument) +
                             ": expected a positive integer");
  return value;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> specs;
  std::string result;
  int64_t count = 1 << 22, rounds = 51;
  try {
    for (int i = 1; i < argc; ++i) {
      if (std::strncmp(argv[i], "--count=", 8) == 0) {
        count = number(argv[i]);
      } else if (std::strncmp(argv[i], "--rounds=", 9) == 0) {
        rounds = number(argv[i]);
      } else if (std::strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
        result = argv[++i];
      } else if (argv[i][0] == '-') {
        std::fprintf(stderr, "poly-time-kernels: unknown option '%s'\n%s",
                     argv[i], kUsage);
        return 2;
      } else {
        specs.push_back(argv[i]);
      }
    }
    if (specs.empty()) {
      std::fputs(kUsage, stderr);
      return 2;
    }
    return run(specs, count, static_cast<unsigned>(rounds), result);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "poly-time-kernels: error: %s\n", error.what());
    return 2;
  }
}
