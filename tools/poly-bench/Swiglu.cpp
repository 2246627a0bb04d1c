//===- Swiglu.cpp - SwiGLU, forward and backward --------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels of family "swiglu": out = silu(gate) up, and its gradients
/// dgate = dy up silu'(gate), dup = dy silu(gate), over rows x columns. In the
/// layout "packed", gate and up are the halves of the rows of one array, and so
/// are their gradients.
///
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "poly/Program/Certify.h"

#include <algorithm>
#include <cmath>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

namespace {

struct Shape {
  size_t rows, columns;
  size_t count() const { return rows * columns; }
};

struct Work {
  bool forward, packed;
  Format type;
  Shape shape;
  std::vector<const Entry *> entries;

  std::string name() const {
    return std::string("swiglu ") + (forward ? "forward " : "backward ") +
           std::string(poly::name(type)) +
           (packed ? " packed, " : " separate, ") + std::to_string(shape.rows) +
           " x " + std::to_string(shape.columns);
  }
  /// Forward reads two arrays and writes one; backward three and two.
  size_t bytes() const {
    return (forward ? 3 : 5) * shape.count() * bytesOf(type);
  }
  /// Elements from gate to up, where they are apart: both begin at a multiple
  /// of 16 bytes.
  size_t half() const { return (shape.count() + 7) / 8 * 8; }
  /// Elements of the array of both.
  size_t bothCount() const { return packed ? 2 * shape.count() : 2 * half(); }
  /// Where element \p i of gate or up (\p which 0 or 1) lies in the array of
  /// both.
  size_t place(size_t i, size_t which) const {
    if (!packed)
      return which * half() + i;
    size_t row = i / shape.columns, column = i % shape.columns;
    return (2 * row + which) * shape.columns + column;
  }
};

/// The arrays of one problem. `both` has gate and up, `gradients` theirs. The
/// words repeat until the arrays are full.
struct Data {
  Data(const Work &work, Words bothWords, Words dyWords)
      : bothWords(std::move(bothWords)), dyWords(std::move(dyWords)),
        both(uploadRepeated(work.type, this->bothWords,
                            work.bothCount() + kPadding)),
        dy(uploadRepeated(work.type, this->dyWords,
                          work.shape.count() + kPadding)),
        out(poisoned(work.type, work.shape.count())),
        gradients(poisoned(work.type, work.bothCount())) {}

  Words bothWords, dyWords;
  Buffer both, dy, out, gradients;
};

void launch(const Case &item, const Work &work, const Data &data,
            const Buffer &gradients, const Buffer &out, StreamHandle stream) {
  int64_t count = int64_t(work.shape.count());
  DevicePtr half = work.half() * bytesOf(work.type);
  Arguments arguments(item.kernel->metadata());
  // Gate and up, or both in one; dy; then the results in the same way.
  auto addBoth = [&](const Buffer &buffer) {
    if (work.packed)
      arguments.array(buffer.address());
    else
      arguments.array(buffer.address()).array(buffer.address() + half);
  };
  addBoth(data.both);
  if (work.forward) {
    arguments.array(out.address());
  } else {
    arguments.array(data.dy.address());
    addBoth(gradients);
  }
  arguments.integer(int64_t(work.shape.rows))
      .integer(int64_t(work.shape.columns));
  item.kernel->launch(stream, item.grid(size_t(count)), arguments);
}

/// Values of all patterns of a 16-bit type.
struct Tables {
  explicit Tables(Format type) : number(numbersOf(type)) {
    for (double x : number) {
      silu.push_back(reference(Function::Silu, x));
      slope.push_back(reference(Function::DSilu, x));
    }
  }
  const std::vector<double> &number;
  std::vector<double> silu, slope;
};

/// What the kernel wrote, against the real functions, at every \p stride-th
/// element.
void compare(Case &item, const Work &work, const Tables &tables,
             const Data &data, const Words &actual, size_t stride) {
  bool rounds = item.kernel->metadata().flag("roundActivation");
  bool roundsSigmoid = item.kernel->metadata().flag("roundSigmoid");
  bool roundsSlope = item.kernel->metadata().flag("roundDerivative");
  auto wordOf = [&](size_t place) {
    return data.bothWords[place % data.bothWords.size()];
  };
  for (size_t i = 0; i < work.shape.count(); i += stride) {
    uint32_t bits = wordOf(work.place(i, 0));
    double gate = tables.number[bits];
    double up = tables.number[wordOf(work.place(i, 1))];
    if (!std::isfinite(gate) || !std::isfinite(up))
      continue;
    double silu = tables.silu[bits];
    // An error e of the sigmoid is |x| e of SiLU, and up to (1 + |x|) e of its
    // derivative s (1 + x (1 - s)).
    double allowed = item.allowedError * (1 + std::fabs(gate));
    if (roundsSigmoid)
      allowed += ulp(work.type, 0.5) / 2 * (1 + std::fabs(gate));
    // What is rounded on the way has half an ulp more.
    double siluAllowed = allowed + (rounds ? ulp(work.type, silu) / 2 : 0);
    auto number = [&](size_t place) { return tables.number[actual[place]]; };
    if (work.forward) {
      item.error.compare(work.type, number(i), silu * up,
                         siluAllowed * std::fabs(up));
      continue;
    }
    double dy = tables.number[data.dyWords[i % data.dyWords.size()]];
    double slope = tables.slope[bits];
    double slopeAllowed = allowed * std::fabs(dy * up);
    if (roundsSlope)
      slopeAllowed += ulp(work.type, slope) / 2 * std::fabs(dy * up);
    if (rounds) // dy up is rounded, too.
      slopeAllowed += ulp(work.type, dy * up) / 2 * std::fabs(slope);
    item.error.compare(work.type, number(work.place(i, 0)), dy * up * slope,
                       slopeAllowed);
    item.error.compare(work.type, number(work.place(i, 1)), dy * silu,
                       siluAllowed * std::fabs(dy));
  }
}

/// Runs the kernel into poisoned arrays and compares.
void check(Case &item, const Work &work, const Tables &tables, Data &data,
           const Stream &stream, size_t stride) {
  data.out.fill(kPoison);
  data.gradients.fill(kPoison);
  launch(item, work, data, data.gradients, data.out, stream.handle());
  stream.synchronize();
  size_t count = work.shape.count();
  compare(item, work, tables, data,
          work.forward ? resultsOf(work.type, data.out, count, item.fault)
                       : resultsOf(work.type, data.gradients, work.bothCount(),
                                   item.fault),
          stride);
}

/// All 65,536 gates, with a column count that is no whole number of chunks when
/// the rows are apart, and the results over the inputs.
void checkAllGates(Case &item, Work work, const Tables &tables,
                   const Stream &stream) {
  work.shape = work.packed ? Shape{16, 4096} : Shape{1, 65536 + 3};
  size_t count = work.shape.count();
  Words both(work.bothCount(), 0);
  Words ups = normalValues(work.type, count, 1, 5);
  for (size_t i = 0; i < count; ++i) {
    both[work.place(i, 0)] = uint32_t(i & 0xffff);
    both[work.place(i, 1)] = ups[i];
  }
  Data data(work, std::move(both), normalValues(work.type, count, 1, 6));
  check(item, work, tables, data, stream, 1);
  // In place: forward over gate where it is an array of its own, backward over
  // gate and up.
  if (work.forward && work.packed)
    return;
  const Buffer &source = work.forward ? data.out : data.gradients;
  Words expected =
      download(work.type, source, work.forward ? count : work.bothCount());
  launch(item, work, data, data.both, data.both, stream.handle());
  stream.synchronize();
  Words actual = download(work.type, data.both, expected.size());
  for (size_t i = 0; i < count; ++i)
    for (size_t which : {0, 1}) {
      size_t place = work.forward ? i : work.place(i, which);
      if (actual[place] != expected[place])
        item.fault = "differs in place";
    }
}

std::optional<Work> workOf(const Entry &entry, Shape shape) {
  const KernelMetadata &kernel = entry.kernel;
  if (kernel.text("family") != "swiglu")
    return std::nullopt; // The copy kernel.
  return Work{kernel.text("direction") == "forward",
              kernel.text("layout") == "packed",
              parseElementType(kernel.text("type")),
              shape,
              {}};
}

} // namespace

int poly::bench::runSwiglu(const Options &options) {
  Session session(options, "swiglu");
  Shape shape = options.quick ? Shape{1023, 1280} : Shape{24576, 1280};
  for (const Work &work : groupEntries<Work>(
           session, [&](const Entry &entry) { return workOf(entry, shape); })) {
    session.progress(work.name() + ": checking");
    Tables tables(work.type);
    size_t count = work.shape.count();
    Data data(
        work,
        normalValues(work.type, std::min(work.bothCount(), kPeriod), 2, 1),
        normalValues(work.type, std::min(count, kPeriod), 1, 2));
    std::vector<Case> cases(work.entries.begin(), work.entries.end());
    for (Case &item : cases) {
      checkAllGates(item, work, tables, session.meter.stream());
      // Values were all seen; of places, one in each chunk of eight will do.
      check(item, work, tables, data, session.meter.stream(), 7);
      item.enqueue = [&](StreamHandle stream) {
        launch(item, work, data, data.gradients, data.out, stream);
      };
    }
    measureCases(session, work.name(), work.bytes(), cases);
  }
  return session.finish(
      {"gigabytesPerSecond", "program", "relativeNormError", "smClockMHz"});
}
