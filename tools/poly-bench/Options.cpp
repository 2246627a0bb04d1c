//===- Options.cpp - Command line of poly-bench ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <getopt.h>

using namespace poly::bench;

namespace {

enum Option : int {
  OptKernels = 256,
  OptPlot,
  OptOnly,
  OptQuick,
  OptDevice,
  OptRounds,
  OptNoEnergy,
  OptShape,
  OptDtype,
  OptSeed,
  OptCublas,
  OptBackward
};

const option kLongOptions[] = {
    {"kernels", required_argument, nullptr, OptKernels},
    {"plot", required_argument, nullptr, OptPlot},
    {"only", required_argument, nullptr, OptOnly},
    {"quick", no_argument, nullptr, OptQuick},
    {"device", required_argument, nullptr, OptDevice},
    {"rounds", required_argument, nullptr, OptRounds},
    {"no-energy", no_argument, nullptr, OptNoEnergy},
    {"shape", required_argument, nullptr, OptShape},
    {"dtype", required_argument, nullptr, OptDtype},
    {"seed", required_argument, nullptr, OptSeed},
    {"cublas", required_argument, nullptr, OptCublas},
    {"backward", no_argument, nullptr, OptBackward},
    {"help", no_argument, nullptr, 'h'},
    {nullptr, 0, nullptr, 0}};

unsigned parseNumber(const std::string &option, const char *text,
                     unsigned lowest, unsigned highest) {
  char *end = nullptr;
  errno = 0;
  unsigned long value = std::strtoul(text, &end, 10);
  // strtoul takes a minus sign and wraps.
  if (end == text || *end || *text == '-' || errno || value < lowest ||
      value > highest)
    throw UsageError(option + " takes a number from " + std::to_string(lowest) +
                     " to " + std::to_string(highest) + ", not '" + text + "'");
  return static_cast<unsigned>(value);
}

template <size_t Count>
std::array<unsigned, Count> parseShape(const std::string &text,
                                       const char *names) {
  std::array<unsigned, Count> shape = {};
  size_t begin = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t end = std::min(text.find(',', begin), text.size());
    bool isLast = i + 1 == shape.size();
    if ((end == text.size()) != isLast)
      throw UsageError(std::string("--shape takes ") + names + ", not '" +
                       text + "'");
    shape[i] = parseNumber("--shape", text.substr(begin, end - begin).c_str(),
                           0, 1 << 24);
    begin = end + 1;
  }
  return shape;
}

/// <folder of the executable>/../share/poly/kernels, as built and installed.
std::string defaultKernels(const char *executable) {
  char *resolved = realpath("/proc/self/exe", nullptr);
  std::string path = resolved ? resolved : executable;
  std::free(resolved);
  for (int i = 0; i < 2; ++i) {
    size_t slash = path.rfind('/');
    if (slash == std::string::npos)
      return "share/poly/kernels";
    path.resize(slash);
  }
  return path + "/share/poly/kernels";
}

} // namespace

const char *const poly::bench::kOptionsHelp =
    "options:\n"
    "  --kernels=DIR   compiled suites, DIR/<suite>/suite.json; default:\n"
    "                  ../share/poly/kernels from the program\n"
    "  --only=TEXT     only work and variants whose name contains TEXT\n"
    "  --quick         small sizes and few rounds: a check, no measurement\n"
    "  --rounds=N      at most N timed rounds\n"
    "  --no-energy     leave the joules of a run out\n"
    "  --shape=B,Q,K,H,G\n"
    "                  attention: B batches of Q queries and K keys, H heads\n"
    "                  and G key heads; may be repeated\n"
    "  --dtype=TYPE    attention: 16bit, or fp8 for 8-bit operands\n"
    "  --backward      attention: the gradients, of 16-bit operands\n"
    "  --shape=M,K,N   gated GEMMs: M rows, depth K, N columns of the output;\n"
    "                  may be repeated\n"
    "  --seed=N        gated GEMMs: random inputs start from N; default: the\n"
    "                  clock\n"
    "  --cublas=FILE   gated GEMMs: the library of cuBLAS; default: what\n"
    "                  POLY_CUBLAS names, or the system's\n"
    "  --device=N      GPU number N, default 0\n"
    "  -o FILE         write all samples as JSON\n"
    "  --plot=FILE     write a bar chart as SVG\n"
    "  -h, --help      print this text\n";

Options poly::bench::parseOptions(int argc, char **argv) {
  Options options;
  options.kernels = defaultKernels(argv[0]);
  // Read when the command is known.
  std::vector<std::string> shapes;
  opterr = 0; // Messages are ours.
  for (;;) {
    int found = getopt_long(argc, argv, ":ho:", kLongOptions, nullptr);
    if (found == -1)
      break;
    switch (found) {
    case 'h':
      options.help = true;
      break;
    case 'o':
      options.result = optarg;
      break;
    case OptKernels:
      options.kernels = optarg;
      break;
    case OptPlot:
      options.plot = optarg;
      break;
    case OptOnly:
      options.only = optarg;
      break;
    case OptQuick:
      options.quick = true;
      break;
    case OptDevice:
      options.device = int(parseNumber("--device", optarg, 0, 1023));
      break;
    case OptRounds:
      options.rounds = parseNumber("--rounds", optarg, 1, 100000);
      break;
    case OptNoEnergy:
      options.noEnergy = true;
      break;
    case OptShape:
      shapes.push_back(optarg);
      break;
    case OptSeed:
      options.seed = parseNumber("--seed", optarg, 1, 1u << 31);
      break;
    case OptCublas:
      options.cublas = optarg;
      break;
    case OptBackward:
      options.backward = true;
      break;
    case OptDtype:
      options.dtype = optarg;
      if (options.dtype != "16bit" && options.dtype != "fp8")
        throw UsageError("--dtype takes 16bit or fp8, not '" + options.dtype +
                         "'");
      break;
    case ':':
      throw UsageError(std::string("option '") + argv[optind - 1] +
                       "' needs a value");
    default:
      // A letter is in optopt; getopt_long has gone past a word.
      throw UsageError("unknown option '" +
                       (optopt ? std::string("-") + char(optopt)
                               : std::string(argv[optind - 1])) +
                       "'");
    }
  }
  for (int i = optind; i < argc; ++i)
    if (options.command.empty())
      options.command = argv[i];
    else
      options.files.push_back(argv[i]);
  bool hasGemms =
      options.command == "swiglu-gemm" || options.command == "grouped";
  for (const std::string &text : shapes)
    if (options.command == "attention")
      options.shapes.push_back(
          parseShape<5>(text, "BATCHES,QUERIES,KEYS,HEADS,KEYHEADS"));
    else if (hasGemms)
      options.gemmShapes.push_back(parseShape<3>(text, "ROWS,DEPTH,COLUMNS"));
    else
      throw UsageError(
          "--shape is for the commands attention, swiglu-gemm and grouped");
  if (options.seed && !hasGemms)
    throw UsageError("--seed is for the commands swiglu-gemm and grouped");
  if (!options.cublas.empty() && !hasGemms)
    throw UsageError("--cublas is for the commands swiglu-gemm and grouped");
  if (!options.dtype.empty() && options.command != "attention")
    throw UsageError("--dtype is for the command attention");
  if (options.backward && options.command != "attention")
    throw UsageError("--backward is for the command attention");
  if (options.backward && options.dtype == "fp8")
    throw UsageError("--backward has no kernels for --dtype=fp8: gradients are "
                     "of 16-bit operands");
  if (!options.result.empty() && options.result == options.plot)
    throw UsageError("-o and --plot name the same file");
  return options;
}
