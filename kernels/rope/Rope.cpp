//===- Rope.cpp - Rotary position embedding -------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rope/Rope.h"

#include "common/ElementwiseFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace poly::kernels {

namespace {
/// Elements of a 16-byte access, and the pairs of two.
constexpr int64_t kChunk = 8, kPairs = 8;
constexpr double kTwoPi = 6.28318530717958647693;
/// A unit of the last place of a Q0.32 number.
constexpr double kFraction = 0x1p-32;
} // namespace

llvm::StringRef name(RopeLayout layout) {
  return layout == RopeLayout::Half ? "half" : "interleaved";
}
llvm::StringRef name(RopeSource source) {
  return source == RopeSource::Turns ? "turns" : "table";
}

int64_t threadsPerBlock(const RopeOptions &options) {
  return options.positions * options.headGroups * options.headDim /
         (2 * kChunk);
}

std::string validate(const RopeOptions &options) {
  if (options.type == ElementType::F32)
    return "rope kernels take bf16 or f16; choose one of them as type";
  if (options.headDim < 16 || options.headDim > 1024 ||
      options.headDim % 16 != 0)
    return "head-dim must be a multiple of 16 from 16 to 1024, but is " +
           std::to_string(options.headDim);
  for (auto [option, value] :
       {std::pair("positions", options.positions),
        std::pair("head-groups", options.headGroups),
        std::pair("heads-per-thread", options.headsPerThread)})
    if (value < 1 || value > 64)
      return std::string(option) + " must be from 1 to 64, but is " +
             std::to_string(value);
  if (std::string error = validateThreads(threadsPerBlock(options));
      !error.empty())
    return "positions * head-groups * head-dim / 16 are the threads of a "
           "block: " +
           error;
  return "";
}

namespace {

class RopeBuilder {
public:
  RopeBuilder(MLIRContext &context, const RopeOptions &options)
      : options(options), b(context), math(b, options.approximate),
        plain(b, /*approximate=*/false),
        element(floatType(options.type, context)),
        angle(floatType(options.angleType, context)),
        units(options.headDim / (2 * kChunk)) {}

  OwningOpRef<ModuleOp> build();

private:
  std::string kernelName() const;
  SmallVector<NamedAttribute> notes();
  Value block(gpu::Dimension dimension) {
    return arith::IndexCastOp::create(b, b.getI64Type(),
                                      gpu::BlockIdOp::create(b, dimension));
  }
  Value divide(Value a, int64_t by) {
    return arith::DivUIOp::create(b, a, b.integer(by));
  }
  Value remainder(Value a, int64_t by) {
    return arith::RemUIOp::create(b, a, b.integer(by));
  }
  Value shuffle(Value a, Value c, ArrayRef<int64_t> lanes) {
    return vector::ShuffleOp::create(b, a, c, lanes);
  }
  /// The values of the thread's pairs in a row of D/2, from element \p row on.
  Value loadPairs(Value array, Value row, FloatType type);
  /// Sine and cosine of the thread's pairs, in f32.
  void loadAngles(Value place);
  void turnsToAngles(Value place);
  /// Where a chunk of \p head begins in [B, S, H, D] and in [B, H, S, D].
  Value begin(Value head, bool transposed);
  void rotate(Value low, Value high, Value &lowOut, Value &highOut);
  void doHeads(ArrayRef<Value> heads);

  const RopeOptions &options;
  KernelBuilder b;
  FloatMath math, plain;
  FloatType element, angle;
  int64_t units; ///< Threads of a row.

  Value from, to, sequence, heads, position;
  SmallVector<Value, 2> sources;
  Value batch, place, unit; ///< Of the thread.
  Value sine, cosine;
};

std::string RopeBuilder::kernelName() const {
  return ("rope_" + name(options.source) + "_" + name(options.layout) + "_" +
          (options.backward ? "backward_" : "forward_") + name(options.type))
      .str();
}

SmallVector<NamedAttribute> RopeBuilder::notes() {
  return {b.note("family", "rope"),
          b.note("source", name(options.source)),
          b.note("layout", name(options.layout)),
          b.note("direction", options.backward ? "backward" : "forward"),
          b.note("type", name(options.type)),
          b.note("angleType", name(options.angleType)),
          b.note("headDim", options.headDim),
          b.note("positionsPerBlock", options.positions),
          b.note("headsPerBlock", options.headGroups * options.headsPerThread)};
}

Value RopeBuilder::loadPairs(Value array, Value row, FloatType type) {
  bool isHalf = options.layout == RopeLayout::Half;
  // Half: the eight pairs that start in the lower chunk. Interleaved: four of
  // the lower and four of the upper chunk.
  Value lower =
      b.add(row, b.mul(unit, b.integer(isHalf ? kPairs : kPairs / 2)));
  bool isOneAccess = isHalf && type.getWidth() == 16;
  if (isOneAccess)
    return b.load(array, lower, type, kPairs);
  Value upper =
      b.add(lower, b.integer(isHalf ? kPairs / 2 : options.headDim / 4));
  Value first = b.load(array, lower, type, kPairs / 2);
  Value second = b.load(array, upper, type, kPairs / 2);
  return shuffle(first, second, {0, 1, 2, 3, 4, 5, 6, 7});
}

void RopeBuilder::loadAngles(Value place) {
  Value row = b.mul(place, b.integer(options.headDim / 2));
  cosine = math.widen(loadPairs(sources[0], row, angle));
  sine = math.widen(loadPairs(sources[1], row, angle));
}

void RopeBuilder::turnsToAngles(Value place) {
  Type word = b.getI32Type();
  auto words = VectorType::get({kPairs}, word);
  Value bits = loadPairs(sources[0], b.integer(0), b.getF32Type());
  Value frequency = arith::BitcastOp::create(b, words, bits);
  // Positions that differ by a multiple of 2^32 have the same phase.
  Value position = arith::TruncIOp::create(b, word, place);
  Value phase = arith::MulIOp::create(
      b, frequency, vector::BroadcastOp::create(b, words, position));
  Value number = arith::SIToFPOp::create(
      b, VectorType::get({kPairs}, b.getF32Type()), phase);
  Value turns = math.mul(number, math.constant(kFraction, number));
  Value radians = math.mul(turns, math.constant(kTwoPi, turns));
  auto flags = options.approximate ? arith::FastMathFlags::afn
                                   : arith::FastMathFlags::none;
  sine = math::SinOp::create(b, radians, flags);
  cosine = math::CosOp::create(b, radians, flags);
  sine = math.widen(math.narrow(sine, angle));
  cosine = math.widen(math.narrow(cosine, angle));
}

Value RopeBuilder::begin(Value head, bool transposed) {
  Value row =
      transposed
          ? b.add(b.mul(b.add(b.mul(batch, heads), head), sequence), place)
          : b.add(b.mul(b.add(b.mul(batch, sequence), place), heads), head);
  return b.add(b.mul(row, b.integer(options.headDim)),
               b.mul(unit, b.integer(kChunk)));
}

void RopeBuilder::rotate(Value low, Value high, Value &lowOut, Value &highOut) {
  Value x = low, y = high;
  bool isHalf = options.layout == RopeLayout::Half;
  if (!isHalf) {
    x = shuffle(low, high, {0, 2, 4, 6, 8, 10, 12, 14});
    y = shuffle(low, high, {1, 3, 5, 7, 9, 11, 13, 15});
  }
  x = plain.widen(x);
  y = plain.widen(y);
  // x cos - y sin, y cos + x sin; back by the negative angle.
  Value negative = plain.neg(sine);
  Value forX = options.backward ? sine : negative;
  Value forY = options.backward ? negative : sine;
  Value a = vector::FMAOp::create(b, x, cosine, plain.mul(y, forX));
  Value c = vector::FMAOp::create(b, y, cosine, plain.mul(x, forY));
  a = plain.narrow(a, element);
  c = plain.narrow(c, element);
  lowOut = isHalf ? a : shuffle(a, c, {0, 8, 1, 9, 2, 10, 3, 11});
  highOut = isHalf ? c : shuffle(a, c, {4, 12, 5, 13, 6, 14, 7, 15});
}

/// All loads come before the first use.
void RopeBuilder::doHeads(ArrayRef<Value> heads) {
  Value half = b.integer(options.headDim / 2);
  SmallVector<std::pair<Value, Value>> chunks;
  for (Value head : heads) {
    Value at = begin(head, /*transposed=*/options.backward);
    Value low = b.load(from, at, element, kChunk);
    chunks.push_back({low, b.load(from, b.add(at, half), element, kChunk)});
  }
  for (auto [head, chunk] : llvm::zip_equal(heads, chunks)) {
    Value low, high;
    rotate(chunk.first, chunk.second, low, high);
    Value at = begin(head, /*transposed=*/!options.backward);
    b.store(low, to, at);
    b.store(high, to, b.add(at, half));
  }
}

OwningOpRef<ModuleOp> RopeBuilder::build() {
  bool isTable = options.source == RopeSource::Table;
  SmallVector<Type> parameters(isTable ? 4 : 3, b.globalPointer());
  parameters.append(4, b.getI64Type());
  gpu::GPUFuncOp kernel = b.beginKernel(kernelName(), parameters,
                                        threadsPerBlock(options), notes());
  SmallVector<Value> arguments(kernel.args_begin(), kernel.args_end());
  from = arguments[0];
  to = arguments[1];
  for (unsigned i = 2; i + 4 < arguments.size(); ++i)
    sources.push_back(arguments[i]);
  sequence = arguments[arguments.size() - 3];
  heads = arguments[arguments.size() - 2];
  position = arguments[arguments.size() - 1];

  Value thread = b.threadNumber();
  int64_t perPosition = options.headGroups * units;
  batch = block(gpu::Dimension::z);
  place = b.add(b.mul(b.blockNumber(), b.integer(options.positions)),
                divide(thread, perPosition));
  unit = remainder(thread, units);
  Value group =
      b.add(b.mul(block(gpu::Dimension::y), b.integer(options.headGroups)),
            remainder(divide(thread, units), options.headGroups));
  Value first = b.mul(group, b.integer(options.headsPerThread));
  Value inside = arith::AndIOp::create(b, b.isLess(place, sequence),
                                       b.isLess(first, heads));
  b.branch(inside, [&] {
    Value absolute = b.add(position, place);
    if (isTable)
      loadAngles(absolute);
    else
      turnsToAngles(absolute);
    Value end = b.add(first, b.integer(options.headsPerThread));
    b.branch(
        b.isLessEqual(end, heads),
        [&] {
          SmallVector<Value> all;
          for (int64_t i = 0; i < options.headsPerThread; ++i)
            all.push_back(b.add(first, b.integer(i)));
          doHeads(all);
        },
        [&] {
          b.loop(first, heads, b.integer(1),
                 [&](Value head) { doHeads(head); });
        });
  });
  return b.take();
}

} // namespace

OwningOpRef<ModuleOp> buildRope(MLIRContext &context,
                                const RopeOptions &options) {
  return RopeBuilder(context, options).build();
}

} // namespace poly::kernels
