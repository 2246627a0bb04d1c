//===- ExhaustiveF32.cpp - The f32 programs on all 2^32 inputs ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks the guard-free f32 programs on every f32 input, at every corner of
/// the special function unit's bounds: where the true result is a normal bf16
/// number, the program's result rounds to within one bf16 ulp of it. All of
/// them take some minutes on 16 cores.
///
///   poly-exhaustive-f32 [--stride=N] [-o RESULT.json] [PROGRAM...]
///
/// ctest runs it with a stride.
///
//===----------------------------------------------------------------------===//

#include "poly/Program/Certify.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

using namespace poly;

namespace {
struct Worst {
  double ulps = 0;
  double input = 0;
  uint64_t checked = 0;
};
} // namespace

/// The model, and every corner of the bounds of ex2 and rcp.
static const sfu::Deviation kCorners[] = {
    {0, 0, 0}, {-1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, {1, 1, 0}};

/// The largest error in bf16 ulps over the patterns [first, last).
static Worst checkRange(const Program &program, uint64_t first, uint64_t last,
                        uint64_t stride) {
  constexpr size_t kBlock = 4096;
  const double smallestNormal = 0x1p-126;
  std::vector<uint32_t> in, out(kBlock);
  Worst worst;
  for (uint64_t start = first; start < last; start += kBlock * stride) {
    in.clear();
    for (uint64_t bits = start; in.size() < kBlock && bits < last;
         bits += stride)
      in.push_back(uint32_t(bits));
    std::vector<double> truth(in.size());
    for (size_t i = 0; i < in.size(); ++i)
      truth[i] =
          isNaN(Format::F32, in[i]) || isInf(Format::F32, in[i])
              ? 0
              : reference(program.info().function, decode(Format::F32, in[i]));
    for (const sfu::Deviation &corner : kCorners) {
      replayElements(program, in.data(), out.data(), in.size(), corner);
      for (size_t i = 0; i < in.size(); ++i) {
        if (std::fabs(truth[i]) < smallestNormal ||
            std::isinf(decode(Format::BF16, encode(Format::BF16, truth[i]))))
          continue;
        double rounded = decode(
            Format::BF16, encode(Format::BF16, decode(Format::F32, out[i])));
        double ulps =
            std::isnan(rounded)
                ? std::numeric_limits<double>::infinity()
                : std::fabs(rounded - truth[i]) / ulp(Format::BF16, truth[i]);
        worst.checked += corner.isNone();
        if (ulps > worst.ulps) {
          worst.ulps = ulps;
          worst.input = decode(Format::F32, in[i]);
        }
      }
    }
  }
  return worst;
}

static Worst check(const Program &program, uint64_t stride) {
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  constexpr uint64_t kAll = uint64_t(1) << 32;
  const uint64_t chunk = kAll / 1024;
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  Worst worst;
  std::vector<std::thread> pool;
  for (unsigned t = 0; t < threads; ++t)
    pool.emplace_back([&] {
      for (uint64_t start; (start = next.fetch_add(chunk)) < kAll;) {
        Worst part = checkRange(program, start, start + chunk, stride);
        std::lock_guard<std::mutex> lock(mutex);
        worst.checked += part.checked;
        if (part.ulps > worst.ulps) {
          worst.ulps = part.ulps;
          worst.input = part.input;
        }
      }
    });
  for (std::thread &thread : pool)
    thread.join();
  return worst;
}

int main(int argc, char **argv) {
  uint64_t stride = 1;
  std::string output;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--stride=", 9) == 0)
      stride = std::strtoull(argv[i] + 9, nullptr, 10);
    else if (std::strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      output = argv[++i];
    else if (argv[i][0] != '-')
      names.push_back(argv[i]);
    else
      stride = 0;
  }
  if (names.empty())
    names = {"sigmoid-sfu-f32", "silu-sfu-f32", "tanh-sfu-f32"};
  if (stride == 0) {
    std::fprintf(
        stderr,
        "usage: poly-exhaustive-f32 [--stride=N] [-o FILE] [PROGRAM...]\n");
    return 2;
  }
  std::string json = "[\n";
  bool ok = true;
  for (const std::string &name : names) {
    const RegisteredProgram *registered = findProgram(name);
    if (!registered || registered->program.info().to != Format::F32) {
      std::fprintf(stderr, "no f32 program '%s'\n", name.c_str());
      return 1;
    }
    Worst worst = check(registered->program, stride);
    bool within = worst.ulps <= 1 && worst.checked > 0;
    ok &= within;
    char line[256];
    std::snprintf(line, sizeof(line),
                  "  {\"program\": \"%s\", \"stride\": %llu, \"inputs\": %llu, "
                  "\"maxBF16Ulps\": %.4f, \"worstInput\": %.9g, \"ok\": %s}",
                  name.c_str(), (unsigned long long)stride,
                  (unsigned long long)worst.checked, worst.ulps, worst.input,
                  within ? "true" : "false");
    std::puts(line);
    json += std::string(json.size() > 2 ? ",\n" : "") + line;
  }
  json += "\n]\n";
  if (!output.empty()) {
    std::FILE *file = std::fopen(output.c_str(), "w");
    if (!file || std::fputs(json.c_str(), file) < 0 || std::fclose(file)) {
      std::fprintf(stderr, "cannot write '%s'\n", output.c_str());
      return 1;
    }
  }
  return ok ? 0 : 1;
}
