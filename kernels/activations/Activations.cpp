//===- Activations.cpp - Elementwise kernels ------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "activations/Activations.h"

#include <algorithm>

using namespace mlir;

namespace poly::kernels {

llvm::StringRef name(Direction direction) {
  switch (direction) {
  case Direction::Forward:
    return "forward";
  case Direction::Backward:
    return "backward";
  case Direction::BackwardFromOutput:
    return "backward-from-output";
  }
  llvm_unreachable("unknown direction");
}

std::string validate(const ActivationOptions &options) {
  std::string function = name(options.function).str();
  if (options.function == ElementwiseFunction::Exp2)
    return "exp2 is no activation; take another function";
  if (options.direction == Direction::Backward &&
      !hasDerivative(options.function))
    return function + " has no backward kernel; use direction forward";
  if (options.direction == Direction::BackwardFromOutput &&
      !hasDerivativeFromOutput(options.function))
    return "the derivative of " + function +
           " is not a function of its output; use direction backward, or "
           "sigmoid or tanh";
  if (options.vectors != 1 && options.vectors != 2 && options.vectors != 4)
    return "vectors must be 1, 2 or 4, but is " +
           std::to_string(options.vectors);
  if (options.roundDerivative && (options.direction == Direction::Forward ||
                                  options.type == ElementType::F32))
    return "round-derivative is for backward kernels of bf16 and f16; drop it";
  return validateThreads(options.threads);
}

namespace {

class ActivationBuilder {
public:
  ActivationBuilder(MLIRContext &context, const ActivationOptions &options)
      : options(options), b(context), math(b, options.approximate),
        element(floatType(options.type, context)),
        chunk(elementsPerChunk(options.type)),
        inputs(options.direction == Direction::Forward ? 1 : 2) {}

  OwningOpRef<ModuleOp> build();

private:
  std::string kernelName() const;
  SmallVector<NamedAttribute> notes();
  /// The result of one chunk from those of the inputs.
  Value compute(ArrayRef<Value> chunks);
  void wholeBlock(Value first);
  void lastBlock(Value first, Value count);

  const ActivationOptions &options;
  KernelBuilder b;
  FloatMath math;
  FloatType element;
  int64_t chunk;
  unsigned inputs;
  SmallVector<Value> arrays; ///< Inputs, then the output.
};

std::string ActivationBuilder::kernelName() const {
  std::string text = (name(options.function) + "_" + name(options.direction) +
                      "_" + name(options.type))
                         .str();
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

SmallVector<NamedAttribute> ActivationBuilder::notes() {
  return {b.note("family", "elementwise"),
          b.note("function", name(options.function)),
          b.note("direction", name(options.direction)),
          b.note("type", name(options.type)),
          b.note("vectors", options.vectors),
          b.note("elementsPerBlock", options.vectors * options.threads * chunk),
          b.note("inputs", int64_t(inputs)),
          b.noteFlag("roundDerivative", options.roundDerivative)};
}

Value ActivationBuilder::compute(ArrayRef<Value> chunks) {
  if (options.function == ElementwiseFunction::Copy)
    return chunks[0];
  Value x = math.widen(chunks[0]);
  if (options.direction == Direction::Forward)
    return math.narrow(evaluate(options.function, math, x), element);
  Value slope = options.direction == Direction::Backward
                    ? derivative(options.function, math, x)
                    : derivativeFromOutput(options.function, math, x);
  if (options.roundDerivative)
    return math.mul(chunks[1], math.narrow(slope, element));
  return math.narrow(math.mul(math.widen(chunks[1]), slope), element);
}

/// Vector v of the block's threads follows vector v - 1 of all of them, so that
/// a warp reads 512 consecutive bytes at a time.
void ActivationBuilder::wholeBlock(Value first) {
  SmallVector<Value> begins;
  SmallVector<SmallVector<Value>> loaded(options.vectors);
  for (int64_t v = 0; v < options.vectors; ++v)
    begins.push_back(b.add(first, b.integer(v * options.threads * chunk)));
  for (int64_t v = 0; v < options.vectors; ++v)
    for (unsigned input = 0; input < inputs; ++input)
      loaded[v].push_back(b.load(arrays[input], begins[v], element, chunk));
  for (int64_t v = 0; v < options.vectors; ++v)
    b.store(compute(loaded[v]), arrays.back(), begins[v]);
}

/// As above, but chunks may end early or be missing. What is computed is a
/// chunk in any case: no value depends on where it is.
void ActivationBuilder::lastBlock(Value first, Value count) {
  auto stride = b.integer(options.threads * chunk);
  Value beyond =
      b.add(first, b.integer(options.vectors * options.threads * chunk));
  b.loop(first, beyond, stride, [&](Value begin) {
    Value whole = b.isLessEqual(b.add(begin, b.integer(chunk)), count);
    SmallVector<Value> chunks;
    for (unsigned input = 0; input < inputs; ++input)
      chunks.push_back(b.choose(
          whole, VectorType::get({chunk}, element),
          [&] { return b.load(arrays[input], begin, element, chunk); },
          [&] {
            return b.loadPart(arrays[input], begin, count, element, chunk);
          }));
    Value result = compute(chunks);
    b.branch(
        whole, [&] { b.store(result, arrays.back(), begin); },
        [&] { b.storePart(result, arrays.back(), begin, count); });
  });
}

OwningOpRef<ModuleOp> ActivationBuilder::build() {
  SmallVector<Type> parameters(inputs + 1, b.globalPointer());
  parameters.push_back(b.getI64Type());
  gpu::GPUFuncOp kernel =
      b.beginKernel(kernelName(), parameters, options.threads, notes());
  arrays.assign(kernel.args_begin(), kernel.args_end());
  Value count = arrays.pop_back_val();

  int64_t perBlock = options.vectors * options.threads * chunk;
  Value blockBegin = b.mul(b.blockNumber(), b.integer(perBlock));
  Value first = b.add(blockBegin, b.mul(b.threadNumber(), b.integer(chunk)));
  Value whole = b.isLessEqual(b.add(blockBegin, b.integer(perBlock)), count);
  b.branch(whole, [&] { wholeBlock(first); }, [&] { lastBlock(first, count); });
  return b.take();
}

} // namespace

OwningOpRef<ModuleOp> buildActivation(MLIRContext &context,
                                      const ActivationOptions &options) {
  return ActivationBuilder(context, options).build();
}

} // namespace poly::kernels
