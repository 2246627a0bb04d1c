//===- Rates.cpp - Functions evaluated out of registers -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "throughput/Rates.h"

#include "throughput/Frame.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;

namespace poly::kernels {

std::string validate(const RateOptions &options) {
  if (options.function == ElementwiseFunction::Copy)
    return "copy computes nothing; take another function";
  if (options.wideArguments && options.type == ElementType::F32)
    return "f32 results have f32 arguments anyway; drop wide-arguments";
  if (options.elements < 2 || options.elements > 64 || options.elements % 2)
    return "elements must be even and from 2 to 64, but is " +
           std::to_string(options.elements);
  return validateThreads(options.threads);
}

namespace {

/// Which bit of a result changes the next argument: the last of a 16-bit lane,
/// or of an f32. It moves the argument by one unit in the last place.
constexpr int64_t kLowLane = 1, kHighLane = 1 << 16;

class RateBuilder {
public:
  RateBuilder(MLIRContext &context, const RateOptions &options)
      : options(options), b(context), math(b, options.approximate),
        element(floatType(options.type, context)),
        pair(VectorType::get({2}, element)) {}

  OwningOpRef<ModuleOp> build();

private:
  Value perturb(ThroughputFrame &frame, Value bits, Value result,
                int64_t mask) {
    Value bit = arith::AndIOp::create(b, result, frame.constant(mask));
    return arith::XOrIOp::create(b, bits, bit);
  }
  Value apply(Value x) {
    return math.narrow(evaluate(options.function, math, math.widen(x)),
                       element);
  }
  /// The values of the next iteration: one f32 or one pair in a register.
  SmallVector<Value> iterate(ThroughputFrame &frame, ValueRange registers);

  const RateOptions &options;
  KernelBuilder b;
  FloatMath math;
  FloatType element;
  VectorType pair;
};

SmallVector<Value> RateBuilder::iterate(ThroughputFrame &frame,
                                        ValueRange registers) {
  SmallVector<Value> next;
  if (options.type != ElementType::F32 && !options.wideArguments) {
    for (Value bits : registers) {
      Value y = frame.asInteger(apply(frame.asType(bits, pair)));
      next.push_back(perturb(frame, bits, y, kLowLane | kHighLane));
    }
    return next;
  }
  Type f32 = b.getF32Type();
  for (size_t i = 0; i < registers.size(); i += 2) {
    Value x = vector::FromElementsOp::create(
        b, VectorType::get({2}, f32),
        ValueRange{frame.asType(registers[i], f32),
                   frame.asType(registers[i + 1], f32)});
    Value y = apply(x);
    if (options.type != ElementType::F32) {
      Value bits = frame.asInteger(y);
      next.push_back(perturb(frame, registers[i], bits, kLowLane));
      next.push_back(perturb(frame, registers[i + 1], bits, kHighLane));
      continue;
    }
    for (int64_t lane : {0, 1}) {
      Value bits = frame.asInteger(vector::ExtractOp::create(b, y, lane));
      next.push_back(perturb(frame, registers[i + lane], bits, kLowLane));
    }
  }
  return next;
}

OwningOpRef<ModuleOp> RateBuilder::build() {
  std::string kernel =
      ("rate_" + name(options.function) + "_" + name(options.type)).str();
  std::replace(kernel.begin(), kernel.end(), '-', '_');
  bool wide = options.type == ElementType::F32 || options.wideArguments;
  int64_t registers = wide ? options.elements : options.elements / 2;
  SmallVector<NamedAttribute> notes = {
      b.note("family", "rates"), b.note("function", name(options.function)),
      b.note("type", name(options.type)),
      b.note("argumentType",
             options.wideArguments ? "f32" : name(options.type)),
      b.note("work", (name(options.function) + " " + name(options.type)).str()),
      b.note("perIteration", options.elements),
      // What perturbs the values.
      b.getNamedAttr("mix", b.getDictionaryAttr(b.note("Logic", registers)))};
  ThroughputFrame frame(b, kernel, options.threads, options.elements, notes);

  SmallVector<Value> seeds;
  if (wide) {
    for (Value word : frame.words())
      seeds.push_back(frame.asInteger(word));
  } else {
    for (size_t i = 0; i < frame.words().size(); i += 2) {
      Value wide = vector::FromElementsOp::create(
          b, VectorType::get({2}, b.getF32Type()), frame.words().slice(i, 2));
      seeds.push_back(frame.asInteger(math.narrow(wide, element)));
    }
  }
  frame.repeat(seeds,
               [&](ValueRange registers) { return iterate(frame, registers); });
  return b.take();
}

} // namespace

OwningOpRef<ModuleOp> buildRate(MLIRContext &context,
                                const RateOptions &options) {
  return RateBuilder(context, options).build();
}

} // namespace poly::kernels
