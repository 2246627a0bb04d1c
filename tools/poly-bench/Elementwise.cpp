//===- Elementwise.cpp - Functions over dense arrays ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels of family "elementwise": y = f(x), or dx = dy f'(x). Work is what
/// has the same function, direction, type and number of elements; contenders
/// are the device's own copy of as many bytes and the compiled variants.
///
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Values.h"

#include "poly/Program/Certify.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

namespace {

/// Elements of a period of the timed inputs: a prime, so that no chunk, block
/// or wave always meets the same values.
constexpr size_t kPeriod = 4194301;
/// Elements after an array that a kernel must not touch.
constexpr size_t kPadding = 64;
constexpr unsigned char kFill = 0xa5;

enum class Direction { Forward, Backward, BackwardFromOutput };

struct Work {
  std::string function;
  std::string direction;
  Format type = Format::BF16;
  size_t count = 0;
  std::vector<const Entry *> entries;

  std::string name() const {
    return function + " " + direction + " " + std::string(poly::name(type)) +
           ", " + std::to_string(count);
  }
  Direction kind() const {
    if (direction == "forward")
      return Direction::Forward;
    return direction == "backward" ? Direction::Backward
                                   : Direction::BackwardFromOutput;
  }
  /// Arrays read and written.
  unsigned arrays() const { return kind() == Direction::Forward ? 2 : 3; }
  size_t bytes() const { return arrays() * count * bytesOf(type); }
};

/// The real function of a kernel, and its derivative.
class RealFunction {
public:
  explicit RealFunction(const std::string &name) : identity(name == "copy") {
    static const std::pair<const char *, Function> kNames[] = {
        {"sigmoid", Function::Sigmoid},
        {"tanh", Function::Tanh},
        {"silu", Function::Silu},
        {"gelu-erf", Function::GeluErf},
        {"gelu-tanh", Function::GeluTanh}};
    bool known = identity;
    for (const auto &[text, value] : kNames)
      if (name == text) {
        function = value;
        known = true;
      }
    if (!known)
      throw std::runtime_error("function '" + name +
                               "' of a kernel is not known");
  }

  double value(double x) const { return identity ? x : reference(function, x); }
  double derivative(double x) const {
    return identity ? 1 : reference(resultFunction(function, 1), x);
  }

private:
  bool identity;
  Function function = Function::Sigmoid;
};

/// A loaded contender.
struct Candidate {
  const Entry *entry;
  Kernel kernel;
  /// What the program may be off, by its certificate; for unreplaced code what
  /// f32 arithmetic may be off.
  double allowed;
};

void launch(const Candidate &candidate, const Work &work, StreamHandle stream,
            const Buffer &x, const Buffer *dy, const Buffer &out,
            size_t count) {
  Arguments arguments(candidate.kernel.metadata());
  arguments.array(x.address(), int64_t(count));
  if (work.kind() != Direction::Forward)
    arguments.array(dy->address(), int64_t(count));
  arguments.array(out.address(), int64_t(count)).integer(int64_t(count));
  size_t perBlock =
      size_t(candidate.kernel.metadata().integer("elementsPerBlock"));
  candidate.kernel.launch(
      stream, Dim3{unsigned((count + perBlock - 1) / perBlock), 1, 1},
      arguments);
}

/// The true result for each pattern of x, without the factor dy.
std::vector<double> truth(const Work &work) {
  RealFunction function(work.function);
  std::vector<double> values(0x10000);
  for (uint32_t bits = 0; bits < values.size(); ++bits) {
    double x = decode(work.type, bits);
    switch (work.kind()) {
    case Direction::Forward:
      values[bits] = function.value(x);
      break;
    case Direction::Backward:
      values[bits] = function.derivative(x);
      break;
    case Direction::BackwardFromOutput: // x is the function's value here.
      values[bits] = work.function == "tanh" ? 1 - x * x : x * (1 - x);
      break;
    }
  }
  return values;
}

/// Compares results for inputs x (and dy).
void compare(const Work &work, const std::vector<double> &expected,
             double allowed, const Words &x, const Words *dy,
             const Words &actual, ErrorMeter &meter) {
  for (size_t i = 0; i < actual.size(); ++i) {
    double factor = dy ? decode(work.type, (*dy)[i % dy->size()]) : 1;
    double value = expected[x[i % x.size()]];
    // Infinite and undefined slopes and products are the forward's business.
    if (dy && (!std::isfinite(value) || !std::isfinite(factor)))
      continue;
    meter.compare(work.type, actual[i], value * factor,
                  allowed * std::fabs(factor));
  }
}

/// Bits that differ from Replay of the one program in this kernel; nothing when
/// the kernel's results are not a program's alone.
std::optional<size_t> differentBits(const Work &work, const Entry &entry,
                                    const Words &x, const Words &actual) {
  const RegisteredProgram *program = findProgram(entry.programs());
  if (!program || work.kind() != Direction::Forward ||
      program->program.info().from != work.type ||
      program->program.info().to != work.type)
    return std::nullopt;
  Words expected(x.size());
  replayElements(program->program, x.data(), expected.data(), x.size());
  size_t different = 0;
  for (size_t i = 0; i < actual.size(); ++i)
    different += actual[i] != expected[i];
  return different;
}

/// Runs all patterns, with a tail that is no whole chunk, and in place.
struct CheckResult {
  ErrorMeter error;
  std::optional<size_t> differentBits;
  bool wroteOutside = false;
  bool inPlaceDiffers = false;

  bool ok() const { return error.ok() && !wroteOutside && !inPlaceDiffers; }
};

CheckResult check(const Candidate &candidate, const Work &work,
                  const std::vector<double> &expected, const Stream &stream) {
  Words x = allPatterns();
  // One more and some: every kernel gets a partial chunk.
  x.insert(x.end(), {0x3c01, 0x8000, 0xbf83});
  Words dy = normalValues(work.type, x.size(), 1, 7);
  size_t count = x.size(), width = bytesOf(work.type);
  Words padded = x;
  padded.resize(count + kPadding);
  Buffer input = upload(work.type, padded);
  padded = dy;
  padded.resize(count + kPadding);
  Buffer factor = upload(work.type, padded);
  Buffer output((count + kPadding) * width);
  output.fill(kFill);
  launch(candidate, work, stream.handle(), input, &factor, output, count);
  stream.synchronize();
  std::vector<unsigned char> bytes(output.bytes());
  output.download(bytes.data(), bytes.size());
  CheckResult result;
  result.wroteOutside =
      std::any_of(bytes.begin() + std::ptrdiff_t(count * width), bytes.end(),
                  [](unsigned char byte) { return byte != kFill; });
  Words actual = fromBytes(work.type, bytes);
  actual.resize(count);
  bool backward = work.kind() != Direction::Forward;
  compare(work, expected, candidate.allowed, x, backward ? &dy : nullptr,
          actual, result.error);
  result.differentBits = differentBits(work, *candidate.entry, x, actual);
  launch(candidate, work, stream.handle(), input, &factor, input, count);
  stream.synchronize();
  result.inPlaceDiffers = download(work.type, input, count) != actual;
  return result;
}

std::vector<Work> worksOf(const Session &session,
                          const std::vector<size_t> &counts) {
  std::vector<Work> works;
  for (size_t count : counts)
    for (const Entry &entry : session.entries) {
      const KernelMetadata &kernel = entry.kernel;
      Work work;
      work.function = kernel.text("function");
      work.direction = kernel.text("direction");
      work.type = parseElementType(kernel.text("type"));
      work.count = count;
      if (!session.wanted(work.name(), entry.variant))
        continue;
      auto found = std::find_if(works.begin(), works.end(), [&](const Work &w) {
        return w.name() == work.name();
      });
      if (found == works.end())
        found = works.insert(works.end(), work);
      found->entries.push_back(&entry);
    }
  return works;
}

void runWork(Session &session, const Work &work) {
  if (work.type == Format::F32)
    throw std::runtime_error("elementwise suites are for 16-bit types");
  session.progress(work.name() + ": checking");
  std::vector<double> expected = truth(work);
  std::vector<Candidate> candidates;
  std::vector<CheckResult> checks;
  for (const Entry *entry : work.entries) {
    // f32 arithmetic with approximate functions: 2^-20 of a result near one.
    double allowed = std::max(entry->certifiedError(), 0x1p-20);
    candidates.push_back(
        {entry, loadKernel(entry->image, entry->kernel.name), allowed});
    checks.push_back(
        check(candidates.back(), work, expected, session.meter.stream()));
  }

  bool backward = work.kind() != Direction::Forward;
  Words x = normalValues(work.type, std::min(work.count, kPeriod), 2, 1);
  Words dy = normalValues(work.type, std::min(work.count, kPeriod), 1, 2);
  Buffer input = uploadRepeated(work.type, x, work.count);
  Buffer factor = uploadRepeated(work.type, dy, backward ? work.count : 1);
  Buffer output(work.count * bytesOf(work.type));
  size_t half = work.bytes() / 2;
  Buffer copySource(half), copyTarget(half);
  copySource.fill(0x3c);

  std::vector<Contender> contenders;
  contenders.push_back({"device copy", [&](StreamHandle stream) {
                          const Driver &driver = Driver::get();
                          driver.check(driver.cuMemcpyDtoDAsync_v2(
                                           copyTarget.address(),
                                           copySource.address(), half, stream),
                                       "cuMemcpyDtoDAsync_v2");
                        }});
  std::vector<size_t> timed; // Candidates with right results.
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate &candidate = candidates[i];
    if (!checks[i].ok())
      continue;
    // The timed values, too, are checked before they are timed.
    output.fill(0xff);
    launch(candidate, work, session.meter.stream().handle(), input, &factor,
           output, work.count);
    session.meter.stream().synchronize();
    Words actual = download(work.type, output, x.size());
    compare(work, expected, candidate.allowed, x, backward ? &dy : nullptr,
            actual, checks[i].error);
    if (!checks[i].ok())
      continue;
    timed.push_back(i);
    contenders.push_back({candidate.entry->name, [&](StreamHandle stream) {
                            launch(candidate, work, stream, input, &factor,
                                   output, work.count);
                          }});
  }
  std::vector<Measurement> measurements =
      session.meter.measure(contenders, session.measureOptions(work.name()));
  double gigabytes = double(work.bytes()) * 1e-9;
  auto &copyRow = session.results.add(work.name(), measurements[0]);
  copyRow.details.set("gigabytesPerSecond",
                      gigabytes / measurements[0].median() * 1e6);
  for (size_t j = 0; j < timed.size(); ++j) {
    const Candidate &candidate = candidates[timed[j]];
    const CheckResult &checked = checks[timed[j]];
    ResultRow &row = session.results.add(work.name(), measurements[j + 1]);
    row.details.set("gigabytesPerSecond",
                    gigabytes / measurements[j + 1].median() * 1e6);
    row.details.set("kind", candidate.entry->variant);
    row.details.set("program", candidate.entry->programs());
    row.details.set("maxAbsError", checked.error.maxAbs());
    row.details.set("relativeNormError", checked.error.relativeNorm());
    if (checked.differentBits)
      row.details.set("bitsUnlikeReplay", *checked.differentBits);
    row.details.set("registers", candidate.kernel.registers());
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (checks[i].ok())
      continue;
    ResultRow row;
    row.work = work.name();
    row.variant = candidates[i].entry->name;
    row.correct = false;
    row.details.set("wrongResults", checks[i].error.wrongResults());
    row.details.set("wroteOutside", checks[i].wroteOutside);
    row.details.set("inPlaceDiffers", checks[i].inPlaceDiffers);
    row.details.set("maxAbsError", checks[i].error.maxAbs());
    session.results.add(std::move(row));
  }
}

} // namespace

int poly::bench::runElementwise(const Options &options,
                                const std::string &suite) {
  Session session(options, suite);
  std::vector<size_t> counts = {58720256};
  if (suite == "functions")
    counts = {4194304, 268435456};
  if (options.quick)
    counts = {1048576 + 3};
  session.results.describe(
      "what", "back-to-back runs from a replayed graph; ratio is the time of "
              "the driver's device-to-device copy of as many bytes over the "
              "kernel's");
  for (const Work &work : worksOf(session, counts))
    runWork(session, work);
  return session.finish(
      {"gigabytesPerSecond", "program", "maxAbsError", "smClockMHz"});
}
