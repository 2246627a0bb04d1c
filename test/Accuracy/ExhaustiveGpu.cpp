//===- ExhaustiveGpu.cpp - f32 exponentials on all 2^32 inputs, on a GPU --===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs exponential programs on every f32 bit pattern on the GPU and compares
/// all results with Replay and, inside the program's domain, with a reference
/// written in plain host arithmetic from the definition. For the half-octave
/// lattice the octave error of every f32 in [-126, 127] is measured too.
///
///   poly-exhaustive-gpu [--chunks=N] [-o RESULT.json] PROGRAM=FILE.cubin...
///
/// The kernels are those that poly-expect writes. Without a GPU the exit code
/// is 77. --cpu leaves the GPU out: then only Replay and the reference meet, on
/// one of every --stride patterns.
///
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Files.h"
#include "Json.h"
#include "Verify.h"

#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace poly;
using poly::runtime::Json;

namespace {

constexpr uint64_t kAll = uint64_t(1) << 32;
constexpr size_t kChunk = size_t(1) << 26;

float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
uint32_t asBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// 2^n for a factor in [1, 2]: exact, but for the line to zero below 2^-126,
/// where the pattern loses the implicit bit.
uint32_t scaled(float factor, int n) {
  return asBits(factor) + (uint32_t(n) << 23);
}

/// What the definition says, from the clamped argument on.
using Reference = uint32_t (*)(float x);

uint32_t halfOctave(float x) {
  double twice = std::max(2.0 * double(x), -254.0);
  // Ties to even by hand.
  double low = std::floor(twice), rest = twice - low;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(low, 2) != 0))
    low += 1;
  int n = int(low), half = int(std::floor(low / 2));
  return scaled(n & 1 ? 1.5f : 1.0f, half);
}

/// The polynomial of the table in Horner form, by the host's fma.
template <int Degree>
uint32_t polynomial(float x) {
  static const Program &program =
      findProgram(Degree == 1 ? "exp2-d1weight-f32" : "exp2-d3weight-f32")
          ->program;
  static const std::vector<float> coefficients = [] {
    std::vector<float> found; // Highest first, as the program lists them.
    for (const Node &node : program.nodes())
      if (node.op == Op::Const && node.type == Type::F32 &&
          std::fabs(asFloat(node.imm)) <= 1)
        found.push_back(asFloat(node.imm));
    return found;
  }();
  float y = std::max(x, -127.0f);
  float whole = std::floor(y), f = y - whole;
  if (Degree == 1)
    return scaled(1.0f + f, int(whole));
  float p = coefficients[0];
  for (size_t i = 1; i < coefficients.size(); ++i)
    p = std::fmaf(p, f, coefficients[i]);
  return scaled(p, int(whole));
}

Reference referenceOf(const std::string &name) {
  if (name == "exp2-h15-f32")
    return halfOctave;
  if (name == "exp2-d3weight-f32")
    return polynomial<3>;
  if (name == "exp2-d1weight-f32")
    return polynomial<1>;
  return nullptr;
}

struct Tally {
  uint64_t compared = 0, referenced = 0;
  uint64_t deviceDiffers = 0, referenceDiffers = 0;
  uint32_t firstInput = 0;
  bool haveFirst = false;
  double octaveLow = 0, octaveHigh = 0;

  void add(const Tally &other) {
    compared += other.compared;
    referenced += other.referenced;
    deviceDiffers += other.deviceDiffers;
    referenceDiffers += other.referenceDiffers;
    if (!haveFirst && other.haveFirst) {
      firstInput = other.firstInput;
      haveFirst = true;
    }
    octaveLow = std::min(octaveLow, other.octaveLow);
    octaveHigh = std::max(octaveHigh, other.octaveHigh);
  }
};

/// Patterns first, first + stride, ...; \p device is null or has their results.
Tally compare(const Program &program, Reference reference, uint64_t first,
              size_t count, uint64_t stride, const uint32_t *device) {
  constexpr size_t kBlock = 4096;
  std::vector<uint32_t> in(kBlock), out(kBlock);
  Tally tally;
  double high = program.info().domainHigh;
  for (size_t start = 0; start < count; start += kBlock) {
    size_t n = std::min(kBlock, count - start);
    for (size_t i = 0; i < n; ++i)
      in[i] = uint32_t(first + (start + i) * stride);
    replayElements(program, in.data(), out.data(), n);
    for (size_t i = 0; i < n; ++i) {
      float x = asFloat(in[i]);
      bool differs = device && device[start + i] != out[i];
      tally.deviceDiffers += differs;
      bool wrong = false;
      if (reference && x <= high) {
        ++tally.referenced;
        wrong = reference(x) != out[i];
        tally.referenceDiffers += wrong;
        if (x >= -126 && x <= 127) {
          double octave = std::log2(double(asFloat(out[i]))) - double(x);
          tally.octaveLow = std::min(tally.octaveLow, octave);
          tally.octaveHigh = std::max(tally.octaveHigh, octave);
        }
      }
      if ((differs || wrong) && !tally.haveFirst) {
        tally.firstInput = in[i];
        tally.haveFirst = true;
      }
    }
    tally.compared += n;
  }
  return tally;
}

Tally compareParallel(const Program &program, Reference reference,
                      uint64_t first, size_t count, uint64_t stride,
                      const uint32_t *device) {
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  size_t part = count / 256 + 1;
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Tally total;
  std::vector<std::thread> pool;
  for (unsigned t = 0; t < threads; ++t)
    pool.emplace_back([&] {
      for (size_t start; (start = next.fetch_add(part)) < count;) {
        size_t n = std::min(part, count - start);
        Tally tally = compare(program, reference, first + start * stride, n,
                              stride, device ? device + start : nullptr);
        std::lock_guard<std::mutex> lock(mutex);
        total.add(tally);
      }
    });
  for (std::thread &thread : pool)
    thread.join();
  return total;
}

struct Job {
  std::string name, file;
  const Program *program = nullptr;
  Reference reference = nullptr;
  Tally tally;
};

int run(std::vector<Job> &jobs, uint64_t chunks, uint64_t stride, bool cpu,
        const std::string &output) {
  std::unique_ptr<runtime::Context> context;
  std::string device = "none";
  if (cpu) {
    for (Job &job : jobs)
      job.tally = compareParallel(*job.program, job.reference, 0,
                                  size_t(kAll / stride), stride, nullptr);
  } else {
    context = std::make_unique<runtime::Context>();
    device = context->deviceName();
    std::vector<std::unique_ptr<runtime::Module>> modules;
    for (const Job &job : jobs)
      modules.push_back(std::make_unique<runtime::Module>(
          runtime::readFile(job.file), job.file));
    runtime::Buffer in(kChunk * 4), out(kChunk * 4);
    std::vector<uint32_t> inputs(kChunk), results(kChunk);
    for (uint64_t chunk = 0; chunk < chunks; ++chunk) {
      uint64_t first = chunk * kChunk;
      for (size_t i = 0; i < kChunk; ++i)
        inputs[i] = uint32_t(first + i);
      in.upload(inputs.data(), kChunk * 4);
      for (size_t j = 0; j < jobs.size(); ++j) {
        Job &job = jobs[j];
        out.fill(0xa5);
        runtime::launchElementwise(
            modules[j]->function("run"),
            runtime::ArrayArgument(in.address(), int64_t(kChunk)),
            runtime::ArrayArgument(out.address(), int64_t(kChunk)),
            int64_t(kChunk), unsigned(kChunk / 256), 256);
        context->synchronize();
        out.download(results.data(), kChunk * 4);
        job.tally.add(compareParallel(*job.program, job.reference, first,
                                      kChunk, 1, results.data()));
      }
    }
  }

  bool ok = true;
  Json rows = Json::array();
  for (const Job &job : jobs) {
    const Tally &t = job.tally;
    bool good = t.compared > 0 && !t.deviceDiffers && !t.referenceDiffers;
    ok &= good;
    std::printf("%s %s: %llu inputs, device differs on %llu, reference on %llu "
                "of %llu; octaves %.6f to %.6f in [-126, 127]\n",
                good ? "ok  " : "FAIL", job.name.c_str(),
                (unsigned long long)t.compared,
                (unsigned long long)t.deviceDiffers,
                (unsigned long long)t.referenceDiffers,
                (unsigned long long)t.referenced, t.octaveLow, t.octaveHigh);
    if (t.haveFirst)
      std::printf("     first at 0x%08x\n", t.firstInput);
    Json row = Json::object();
    row.set("program", job.name);
    row.set("inputs", double(t.compared));
    row.set("deviceDiffers", double(t.deviceDiffers));
    row.set("referenced", double(t.referenced));
    row.set("referenceDiffers", double(t.referenceDiffers));
    row.set("octaveLow", t.octaveLow);
    row.set("octaveHigh", t.octaveHigh);
    rows.push(std::move(row));
  }
  if (!output.empty()) {
    Json report = Json::object();
    report.set("device", device);
    report.set("stride", double(stride));
    report.set("programs", std::move(rows));
    runtime::writeFile(output, report.dump() + "\n");
  }
  return ok ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<Job> jobs;
  std::string output;
  uint64_t chunks = kAll / kChunk, stride = 1;
  bool cpu = false;
  for (int i = 1; i < argc; ++i) {
    std::string text = argv[i];
    if (text.rfind("--chunks=", 0) == 0) {
      chunks =
          std::min<uint64_t>(chunks, std::strtoull(argv[i] + 9, nullptr, 10));
    } else if (text.rfind("--stride=", 0) == 0) {
      stride = std::max<uint64_t>(1, std::strtoull(argv[i] + 9, nullptr, 10));
    } else if (text == "--cpu") {
      cpu = true;
    } else if (text == "-o" && i + 1 < argc) {
      output = argv[++i];
    } else if (text[0] != '-') {
      size_t equals = text.find('=');
      Job job;
      job.name = text.substr(0, equals);
      job.file = equals == std::string::npos ? "" : text.substr(equals + 1);
      jobs.push_back(std::move(job));
    } else {
      std::fprintf(stderr, "unexpected argument '%s'\n", argv[i]);
      return 2;
    }
  }
  if (jobs.empty())
    for (const char *name :
         {"exp2-h15-f32", "exp2-d3weight-f32", "exp2-d1weight-f32"})
      jobs.push_back({name, "", nullptr, nullptr, {}});
  for (Job &job : jobs) {
    const RegisteredProgram *registered = findProgram(job.name);
    if (!registered || registered->program.info().from != Format::F32 ||
        registered->program.info().to != Format::F32 ||
        (!cpu && job.file.empty())) {
      std::fprintf(stderr, "'%s' is not an f32 PROGRAM=FILE\n",
                   job.name.c_str());
      return 2;
    }
    job.program = &registered->program;
    job.reference = referenceOf(job.name);
  }
  if (!cpu && access("/dev/nvidiactl", F_OK) != 0) {
    std::puts("no GPU on this machine; skipped");
    return 77;
  }
  try {
    return run(jobs, chunks, stride, cpu, output);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "poly-exhaustive-gpu: error: %s\n", error.what());
    return 2;
  }
}
