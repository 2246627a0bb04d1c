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

#include "Cases.h"

#include "poly/Program/Certify.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include <algorithm>
#include <cmath>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

namespace {

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
  explicit RealFunction(const std::string &name) {
    static const std::pair<const char *, Function> kNames[] = {
        {"sigmoid", Function::Sigmoid},
        {"tanh", Function::Tanh},
        {"silu", Function::Silu},
        {"gelu-erf", Function::GeluErf},
        {"gelu-tanh", Function::GeluTanh}};
    bool known = false;
    for (const auto &[text, value] : kNames)
      if (name == text) {
        function = value;
        known = true;
      }
    if (!known)
      throw std::runtime_error("function '" + name +
                               "' of a kernel is not known");
  }

  double value(double x) const { return reference(function, x); }
  double derivative(double x) const {
    return reference(resultFunction(function, 1), x);
  }

private:
  Function function = Function::Sigmoid;
};

void launch(const Case &item, const Work &work, StreamHandle stream,
            const Buffer &x, const Buffer *dy, const Buffer &out,
            size_t count) {
  Arguments arguments(item.kernel->metadata());
  arguments.array(x.address());
  if (work.kind() != Direction::Forward)
    arguments.array(dy->address());
  arguments.array(out.address()).integer(int64_t(count));
  item.kernel->launch(stream, item.grid(count), arguments);
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

/// Larger numbers overflow where a source squares or cubes them in f32.
constexpr double kHuge = 0x1p40;

/// Compares every \p stride-th result for inputs x (and dy).
void compare(Case &item, const Work &work, const std::vector<double> &expected,
             const Words &x, const Words *dy, const Words &actual,
             size_t stride) {
  const std::vector<double> &numbers = numbersOf(work.type);
  // A derivative that the kernel rounds before it multiplies was rounded once
  // more than the product.
  bool rounds = item.kernel->metadata().flag("roundDerivative");
  size_t hugeNaNs = 0;
  for (size_t i = 0; i < actual.size(); i += stride) {
    uint32_t bits = x[i % x.size()];
    double factor = dy ? numbers[(*dy)[i % dy->size()]] : 1;
    double value = expected[bits];
    double result = numbers[actual[i]];
    // No value of sigmoid or tanh is beyond one.
    if (work.kind() == Direction::BackwardFromOutput &&
        !(std::fabs(numbers[bits]) <= 1))
      continue;
    // Infinite and undefined slopes and products are the forward's business.
    if (dy && (!std::isfinite(value) || !std::isfinite(factor)))
      continue;
    // The source's own arithmetic may say NaN there: -Inf / (1 + Inf).
    if (std::isnan(result) && std::fabs(numbers[bits]) > kHuge) {
      ++hugeNaNs;
      continue;
    }
    double allowed = item.allowedError;
    if (rounds)
      allowed += ulp(work.type, value) / 2;
    item.error.compare(work.type, result, value * factor,
                       allowed * std::fabs(factor));
  }
  if (hugeNaNs)
    item.details.set("nanBeyond2^40", hugeNaNs);
}

/// Results that differ from Replay of the one program in this kernel; nothing
/// when the kernel's results are not a program's alone.
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

/// Runs all patterns, with a tail that is no whole chunk, then in place.
void check(Case &item, const Work &work, const std::vector<double> &expected,
           const Stream &stream) {
  Words x = allPatterns();
  // Three more: every kernel gets a partial chunk.
  x.insert(x.end(), {0x3c01, 0x8000, 0xbf83});
  size_t count = x.size();
  Words dy = normalValues(work.type, count, 1, 7);
  Buffer input = uploadPadded(work.type, x);
  Buffer factor = uploadPadded(work.type, dy);
  Buffer output = poisoned(work.type, count);
  launch(item, work, stream.handle(), input, &factor, output, count);
  stream.synchronize();
  Words actual = resultsOf(work.type, output, count, item.fault);
  bool backward = work.kind() != Direction::Forward;
  compare(item, work, expected, x, backward ? &dy : nullptr, actual, 1);
  if (auto different = differentBits(work, *item.entry, x, actual)) {
    item.details.set("bitsUnlikeReplay", *different);
    bool model = findProgram(item.entry->programs())->certificate.sfuModel;
    if (*different && !model)
      item.fault = "differs from Replay";
  }
  launch(item, work, stream.handle(), input, &factor, input, count);
  stream.synchronize();
  if (download(work.type, input, count) != actual)
    item.fault = "differs in place";
}

std::optional<Work> workOf(const Entry &entry, size_t count) {
  const KernelMetadata &kernel = entry.kernel;
  if (kernel.text("function") == "copy")
    return std::nullopt; // The floor of all works.
  Work work;
  work.function = kernel.text("function");
  work.direction = kernel.text("direction");
  work.type = parseElementType(kernel.text("type"));
  work.count = count;
  return work;
}

void runWork(Session &session, const Work &work) {
  if (work.type == Format::F32)
    throw std::runtime_error("elementwise suites are for 16-bit types");
  session.progress(work.name() + ": checking");
  bool backward = work.kind() != Direction::Forward;
  size_t period = std::min(work.count, kPeriod);
  const Words &x = normalValues(work.type, period, 2, 1);
  const Words &dy = normalValues(work.type, period, 1, 2);
  Buffer input = uploadRepeated(work.type, x, work.count);
  Buffer factor = uploadRepeated(work.type, dy, backward ? work.count : 1);
  Buffer output(work.count * bytesOf(work.type));
  std::vector<double> expected = truth(work);
  const Stream &stream = session.meter.stream();
  std::vector<Case> cases(work.entries.begin(), work.entries.end());
  for (Case &item : cases) {
    item.enqueue = [&](StreamHandle handle) {
      launch(item, work, handle, input, &factor, output, work.count);
    };
    check(item, work, expected, stream);
    // The timed values, too, are checked before they are timed. All values were
    // seen; of places, one in each chunk of eight will do.
    output.fill(kPoison);
    item.enqueue(stream.handle());
    stream.synchronize();
    compare(item, work, expected, x, backward ? &dy : nullptr,
            download(work.type, output, x.size()), 7);
  }
  measureCases(session, work.name(), work.bytes(), cases);
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
      "what", "back-to-back runs from a replayed graph; ratio is the time of a "
              "copy of as many bytes over the kernel's");
  for (size_t count : counts)
    for (const Work &work : groupEntries<Work>(
             session, [&](const Entry &entry) { return workOf(entry, count); }))
      runWork(session, work);
  return session.finish(
      {"gigabytesPerSecond", "program", "maxAbsError", "smClockMHz"});
}
