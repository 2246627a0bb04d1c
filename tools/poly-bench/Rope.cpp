//===- Rope.cpp - Rotary embedding with the head transpose ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels of family "rope": each pair of a head is rotated by position times
/// the pair's frequency while [B, S, H, D] becomes [B, H, S, D]; backward
/// rotates back and transposes back. Frequencies are those of base 10,000, as
/// Q0.32 fractions of a turn, so that the true angle of every position is known
/// exactly.
///
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <cmath>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr double kTurn = 0x1p32;
/// The base of the frequencies (J. Su et al., RoFormer, 2021).
constexpr double kBase = 10000;

struct Shape {
  int64_t batch, sequence, heads, position;
};

struct Work {
  bool forward, interleaved;
  Format type;
  int64_t headDim;
  Shape shape;
  std::vector<const Entry *> entries;

  size_t count() const {
    return size_t(shape.batch * shape.sequence * shape.heads * headDim);
  }
  size_t bytes() const { return 2 * count() * bytesOf(type); }
  std::string name() const {
    return std::string("rope ") + (forward ? "forward " : "backward ") +
           (interleaved ? "interleaved " : "half ") +
           std::string(poly::name(type)) + " D" + std::to_string(headDim) +
           ", B" + std::to_string(shape.batch) + " S" +
           std::to_string(shape.sequence) + " H" + std::to_string(shape.heads);
  }
  /// Where the two members of pair \p j lie in a head.
  std::pair<int64_t, int64_t> pair(int64_t j) const {
    return interleaved ? std::pair(2 * j, 2 * j + 1)
                       : std::pair(j, j + headDim / 2);
  }
  /// Where a head begins in [B, S, H, D] and in [B, H, S, D].
  int64_t bshd(int64_t b, int64_t s, int64_t h) const {
    return ((b * shape.sequence + s) * shape.heads + h) * headDim;
  }
  int64_t bhsd(int64_t b, int64_t s, int64_t h) const {
    return ((b * shape.heads + h) * shape.sequence + s) * headDim;
  }
};

/// The 32-bit fraction of a turn that one position adds to pair \p j.
uint32_t frequency(const Work &work, int64_t j) {
  double radians = std::pow(kBase, -2.0 * double(j) / double(work.headDim));
  return uint32_t(std::llround(radians / kTwoPi * kTurn));
}

/// The angle of a position, in radians, from the exact phase.
double angle(const Work &work, int64_t s, int64_t j) {
  uint32_t phase =
      uint32_t(work.shape.position + s) * frequency(work, j); // mod 2^32
  return double(phase) / kTurn * kTwoPi;
}

struct Data {
  Data(const Work &work, size_t period, Format tableType)
      : x(normalValues(work.type, std::min(work.count(), period), 1, 1)),
        input(uploadRepeated(work.type, x, work.count())),
        output(poisoned(work.type, work.count())), tableType(tableType) {
    Words words;
    int64_t pairs = work.headDim / 2;
    for (int64_t j = 0; j < pairs; ++j)
      words.push_back(frequency(work, j));
    frequencies = upload(Format::F32, words); // Any 32-bit words.
    Words cosineWords, sineWords;
    for (int64_t s = 0; s < work.shape.sequence; ++s)
      for (int64_t j = 0; j < pairs; ++j) {
        double radians = angle(work, s, j);
        cosineWords.push_back(encode(tableType, std::cos(radians)));
        sineWords.push_back(encode(tableType, std::sin(radians)));
      }
    cosines = upload(tableType, cosineWords);
    sines = upload(tableType, sineWords);
  }

  const Words &x;
  Buffer input, output;
  Format tableType;
  std::optional<Buffer> frequencies, cosines, sines;
};

void launch(const Case &item, const Work &work, const Data &data,
            StreamHandle stream) {
  const KernelMetadata &kernel = item.kernel->metadata();
  const Shape &shape = work.shape;
  Arguments arguments(kernel);
  arguments.array(data.input.address()).array(data.output.address());
  // Tables begin with the row of the first position.
  bool table = kernel.text("source") == "table";
  if (table)
    arguments.array(data.cosines->address()).array(data.sines->address());
  else
    arguments.array(data.frequencies->address());
  arguments.integer(shape.batch)
      .integer(shape.sequence)
      .integer(shape.heads)
      .integer(table ? 0 : shape.position);
  auto blocks = [](int64_t extent, int64_t perBlock) {
    return unsigned((extent + perBlock - 1) / perBlock);
  };
  item.kernel->launch(
      stream,
      Dim3{blocks(shape.sequence, kernel.extent("positionsPerBlock")),
           blocks(shape.heads, kernel.extent("headsPerBlock")),
           unsigned(shape.batch)},
      arguments);
}

/// Runs the kernel and compares the heads of every \p stride-th position.
void check(Case &item, const Work &work, Data &data, const Stream &stream,
           int64_t stride) {
  data.output.fill(kPoison);
  launch(item, work, data, stream.handle());
  stream.synchronize();
  Words actual = resultsOf(work.type, data.output, work.count(), item.fault);
  const std::vector<double> &numbers = numbersOf(work.type);
  Format angleType =
      parseElementType(item.kernel->metadata().text("angleType"));
  // A sine and a cosine, each rounded to the type of angles.
  double allowed = item.allowedError + ulp(angleType, 0.5) / 2 * 2;
  auto number = [&](int64_t place) {
    return numbers[data.x[size_t(place) % data.x.size()]];
  };
  for (int64_t s = 0; s < work.shape.sequence; s += stride)
    for (int64_t j = 0; j < work.headDim / 2; ++j) {
      double radians = angle(work, s, j);
      double c = std::cos(radians);
      double sn = work.forward ? std::sin(radians) : -std::sin(radians);
      auto [first, second] = work.pair(j);
      for (int64_t b = 0; b < work.shape.batch; ++b)
        for (int64_t h = 0; h < work.shape.heads; ++h) {
          int64_t from = work.forward ? work.bshd(b, s, h) : work.bhsd(b, s, h);
          int64_t to = work.forward ? work.bhsd(b, s, h) : work.bshd(b, s, h);
          double x = number(from + first), y = number(from + second);
          double off = allowed * (std::fabs(x) + std::fabs(y));
          item.error.compare(work.type, numbers[actual[size_t(to + first)]],
                             x * c - y * sn, off);
          item.error.compare(work.type, numbers[actual[size_t(to + second)]],
                             x * sn + y * c, off);
        }
    }
}

std::optional<Work> workOf(const Entry &entry, Shape shape) {
  const KernelMetadata &kernel = entry.kernel;
  if (kernel.text("family") != "rope")
    return std::nullopt; // The copy kernel.
  return Work{kernel.text("direction") == "forward",
              kernel.text("layout") == "interleaved",
              parseElementType(kernel.text("type")),
              kernel.extent("headDim"),
              shape,
              {}};
}

/// Lengths that fill no block, and positions where an angle in f32 radians has
/// lost all of its fraction.
constexpr Shape kChecks[] = {
    {2, 77, 5, 0}, {1, 9, 33, 1000003}, {1, 5, 1, 2000000011}};

void runWork(Session &session, const Work &work) {
  session.progress(work.name() + ": checking");
  const Stream &stream = session.meter.stream();
  std::vector<Case> cases(work.entries.begin(), work.entries.end());
  std::vector<std::unique_ptr<Data>> data;
  for (Case &item : cases) {
    Format angleType =
        parseElementType(item.kernel->metadata().text("angleType"));
    for (Shape shape : kChecks) {
      Work small = work;
      small.shape = shape;
      Data smallData(small, kPeriod, angleType);
      check(item, small, smallData, stream, 1);
    }
    data.push_back(std::make_unique<Data>(work, kPeriod, angleType));
    Data &own = *data.back();
    check(item, work, own, stream, 61);
    item.enqueue = [&item, &work, &own](StreamHandle handle) {
      launch(item, work, own, handle);
    };
  }
  measureCases(session, work.name(), work.bytes(), cases);
}

} // namespace

int poly::bench::runRope(const Options &options) {
  Session session(options, "rope");
  std::vector<Shape> shapes = {{1, 4096, 32, 0}, {4, 4096, 32, 0}};
  if (options.quick)
    shapes = {{1, 777, 32, 0}};
  for (Shape shape : shapes)
    for (const Work &work : groupEntries<Work>(
             session, [&](const Entry &entry) { return workOf(entry, shape); }))
      runWork(session, work);
  return session.finish(
      {"gigabytesPerSecond", "program", "relativeNormError", "smClockMHz"});
}
