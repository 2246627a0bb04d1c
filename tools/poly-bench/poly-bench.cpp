//===- poly-bench.cpp - Benchmarks of compiled kernels --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Measures compiled kernels on a GPU, after checking their results. Exit code:
/// 0 all right, 1 wrong results, 2 an error or no GPU.
///
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Files.h"

#include <cstdio>

using namespace poly::bench;
using namespace poly::runtime;

namespace {

struct Command {
  const char *name;
  const char *summary;
  int (*run)(const Options &);
  bool takesFiles = false;
};

const Command kCommands[] = {
    {"verify", "MANIFEST: every shipped program on all its inputs, bit for bit",
     runVerify, true},
    {"pipes", "issue rates of instructions, beside the target model",
     [](const Options &options) { return runRates(options, "pipes"); }},
    {"rates", "evaluators out of registers, beside the target model",
     [](const Options &options) { return runRates(options, "rates"); }},
    {"guard", "accurate SiLU against the guard-free form, out of registers",
     [](const Options &options) { return runRates(options, "guard"); }},
    {"functions", "sigmoid, tanh, SiLU, GELU over arrays, forward and backward",
     [](const Options &options) {
       return runElementwise(options, "functions");
     }},
    {"silu", "SiLU of 58,720,256 bf16 elements",
     [](const Options &options) { return runElementwise(options, "silu"); }},
    {"swiglu", "SwiGLU of 24,576 x 1,280, forward and backward", runSwiglu},
    {"rope", "rotary embedding with the head transpose", runRope},
    {"attention", "fused attention forward, 1K to 32K keys", runAttention},
    {"swiglu-gemm", "gated GEMMs, the activation in the epilogue",
     runSwigluGemm},
    {"grouped", "gated GEMMs of routed experts", runGroupedGemm},
    {"targets", "the target models as a Markdown page; needs no GPU",
     runTargets},
    {"tune", "RESULT.json... [-o TABLE.json]: what poly-compile --tuning reads",
     runTune, true},
    {"compare", "BEFORE.json AFTER.json: what changed between two results",
     runCompare, true},
    {"table", "RESULT.json [DETAIL...]: a result as a Markdown table", runTable,
     true},
    {"plot", "RESULT.json -o CHART.svg: a bar chart of a result", runPlot,
     true},
};

void printUsage(FILE *stream) {
  std::fputs("usage: poly-bench COMMAND [options]\n\ncommands:\n", stream);
  for (const Command &command : kCommands)
    std::fprintf(stream, "  %-11s %s\n", command.name, command.summary);
  std::fprintf(stream, "\n%s", kOptionsHelp);
}

int run(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  if (options.help) {
    printUsage(stdout);
    return 0;
  }
  if (options.command.empty()) {
    printUsage(stderr);
    return 2;
  }
  for (const Command &command : kCommands)
    if (options.command == command.name) {
      if (!command.takesFiles && !options.files.empty())
        throw UsageError(options.command + " takes options only, not '" +
                         options.files.front() + "'");
      return command.run(options);
    }
  throw UsageError("unknown command '" + options.command + "'");
}

Json readResults(const std::string &path) {
  return Json::parse(readFile(path), path);
}

} // namespace

int poly::bench::runCompare(const Options &options) {
  if (options.files.size() != 2)
    throw UsageError("compare takes two result files");
  std::fputs(compareResults(readResults(options.files[0]), options.files[0],
                            readResults(options.files[1]), options.files[1])
                 .c_str(),
             stdout);
  return 0;
}

int poly::bench::runTable(const Options &options) {
  if (options.files.empty())
    throw UsageError("table takes a result file, and names of details");
  std::vector<std::string> details(options.files.begin() + 1,
                                   options.files.end());
  std::fputs(tableOfResults(readResults(options.files[0]), options.files[0],
                            options.only, details)
                 .c_str(),
             stdout);
  return 0;
}

int poly::bench::runPlot(const Options &options) {
  if (options.files.size() != 1 || options.result.empty())
    throw UsageError("plot takes one result file, and -o CHART.svg");
  writeFile(options.result,
            plotResults(readResults(options.files[0]), options.files[0]));
  return 0;
}

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const UsageError &error) {
    std::fprintf(stderr, "poly-bench: error: %s; see poly-bench --help\n",
                 error.what());
  } catch (const std::bad_alloc &) {
    std::fputs("poly-bench: error: this machine's memory does not suffice; use "
               "a smaller --shape\n",
               stderr);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "poly-bench: error: %s\n", error.what());
  }
  return 2;
}
