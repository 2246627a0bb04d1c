//===- Swiglu.cpp - Gated SiLU and its gradients --------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "swiglu/Swiglu.h"

#include "common/ElementwiseFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace poly::kernels {

std::string validate(const SwigluOptions &options) {
  if (options.type == ElementType::F32)
    return "type must be bf16 or f16";
  if ((options.roundDerivative || options.roundSigmoid) && !options.backward)
    return "round-derivative and round-sigmoid are for direction backward; "
           "drop them";
  return validateThreads(options.threads);
}

namespace {

/// A matrix of the kernel: where element (row, column) is.
struct Matrix {
  Value array;
  bool packed = false; ///< Rows are 2 columns apart.
  bool second = false; ///< The part behind `columns` of such a row.
};

class SwigluBuilder {
public:
  SwigluBuilder(MLIRContext &context, const SwigluOptions &options)
      : options(options), b(context), math(b, options.approximate),
        element(floatType(options.type, context)),
        chunk(elementsPerChunk(options.type)),
        packed(options.layout == SwigluLayout::Packed) {}

  OwningOpRef<ModuleOp> build();

private:
  SmallVector<llvm::StringRef> argumentNames() const;
  void declare();
  SmallVector<Value> compute(ArrayRef<Value> in);
  /// First element of a chunk in \p matrix, for the chunk at \p index of a
  /// dense matrix in row \p row.
  Value begin(const Matrix &matrix, Value index, Value row);
  void wholeChunk(Value index, Value row);
  void partChunk(Value index);

  const SwigluOptions &options;
  KernelBuilder b;
  FloatMath math;
  FloatType element;
  int64_t chunk;
  bool packed;
  SmallVector<Matrix> inputs, outputs;
  Value count, columns;
};

SmallVector<llvm::StringRef> SwigluBuilder::argumentNames() const {
  SmallVector<llvm::StringRef> names;
  if (packed)
    names.push_back("x");
  else
    names.append({"gate", "up"});
  if (!options.backward)
    names.push_back("out");
  else if (packed)
    names.append({"dy", "dx"});
  else
    names.append({"dy", "dgate", "dup"});
  names.append({"rows", "columns"});
  return names;
}

void SwigluBuilder::declare() {
  SmallVector<Type> parameters(argumentNames().size() - 2, b.globalPointer());
  parameters.append(2, b.getI64Type());
  llvm::StringRef direction = options.backward ? "backward" : "forward";
  llvm::StringRef layout = packed ? "packed" : "separate";
  SmallVector<NamedAttribute> notes = {
      b.note("family", "swiglu"),
      b.note("function", "swiglu"),
      b.note("direction", direction),
      b.note("layout", layout),
      b.note("type", name(options.type)),
      b.note("elementsPerBlock", options.threads * chunk),
      b.getNamedAttr("arguments", b.getStrArrayAttr(argumentNames())),
      b.noteFlag("roundActivation", options.roundActivation),
      b.noteFlag("roundSigmoid", options.roundSigmoid),
      b.noteFlag("roundDerivative", options.roundDerivative)};
  std::string kernelName =
      ("swiglu_" + direction + "_" + layout + "_" + name(options.type)).str();
  gpu::GPUFuncOp kernel =
      b.beginKernel(kernelName, parameters, options.threads, notes);

  unsigned next = 0;
  auto addPair = [&](SmallVector<Matrix> &list) {
    Value first = kernel.getArgument(next++);
    Value second = packed ? first : Value(kernel.getArgument(next++));
    list.push_back({first, packed, false});
    list.push_back({second, packed, true});
  };
  addPair(inputs);
  if (options.backward) {
    inputs.push_back({kernel.getArgument(next++)});
    addPair(outputs);
  } else {
    outputs.push_back({kernel.getArgument(next++)});
  }
  Value rows = kernel.getArgument(next++);
  columns = kernel.getArgument(next);
  count = b.mul(rows, columns);
}

SmallVector<Value> SwigluBuilder::compute(ArrayRef<Value> in) {
  Value g = math.widen(in[0]), one = math.constant(1.0, g);
  auto round = [&](bool wanted, Value value) {
    return wanted ? math.widen(math.narrow(value, element)) : value;
  };
  if (!options.backward) {
    Value silu = evaluate(ElementwiseFunction::Silu, math, g);
    if (options.roundActivation)
      return {math.mul(math.narrow(silu, element), in[1])};
    return {math.narrow(math.mul(silu, math.widen(in[1])), element)};
  }
  // One sigmoid serves the function and its derivative.
  Value u = math.widen(in[1]), dy = math.widen(in[2]);
  Value sigmoid = evaluate(ElementwiseFunction::Sigmoid, math, g);
  sigmoid = round(options.roundSigmoid, sigmoid);
  Value silu = math.mul(g, sigmoid);
  Value slope =
      math.mul(sigmoid, math.add(one, math.mul(g, math.sub(one, sigmoid))));
  silu = round(options.roundActivation, silu);
  slope = round(options.roundDerivative, slope);
  Value gateGradient = round(options.roundActivation, math.mul(dy, u));
  return {math.narrow(math.mul(gateGradient, slope), element),
          math.narrow(math.mul(dy, silu), element)};
}

Value SwigluBuilder::begin(const Matrix &matrix, Value index, Value row) {
  if (!matrix.packed)
    return index;
  // 2 columns row + column = index + columns row.
  Value at = b.add(index, b.mul(columns, row));
  return matrix.second ? b.add(at, columns) : at;
}

void SwigluBuilder::wholeChunk(Value index, Value row) {
  SmallVector<Value> in;
  for (const Matrix &matrix : inputs)
    in.push_back(
        b.load(matrix.array, begin(matrix, index, row), element, chunk));
  for (auto [matrix, value] : llvm::zip(outputs, compute(in)))
    b.store(value, matrix.array, begin(matrix, index, row));
}

/// A chunk that ends early, or whose elements are not side by side. It is
/// computed like a whole one: no value depends on where it is.
void SwigluBuilder::partChunk(Value index) {
  SmallVector<Value> positions, rows, inside;
  for (int64_t i = 0; i < chunk; ++i) {
    Value at = b.add(index, b.integer(i));
    positions.push_back(at);
    rows.push_back(packed ? Value(arith::DivUIOp::create(b, at, columns)) : at);
    inside.push_back(b.isLess(at, count));
  }
  SmallVector<Value> in;
  for (const Matrix &matrix : inputs) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < chunk; ++i)
      lanes.push_back(b.choose(
          inside[i], element,
          [&] {
            return b.load(matrix.array, begin(matrix, positions[i], rows[i]),
                          element, 1);
          },
          [&] { return zero; }));
    in.push_back(vector::FromElementsOp::create(
        b, VectorType::get({chunk}, element), lanes));
  }
  for (auto [matrix, value] : llvm::zip(outputs, compute(in)))
    for (int64_t i = 0; i < chunk; ++i)
      b.branch(inside[i], [&, &matrix = matrix, &value = value] {
        b.store(vector::ExtractOp::create(b, value, i), matrix.array,
                begin(matrix, positions[i], rows[i]));
      });
}

OwningOpRef<ModuleOp> SwigluBuilder::build() {
  declare();
  Value number = b.add(b.mul(b.blockNumber(), b.integer(options.threads)),
                       b.threadNumber());
  Value index = b.mul(number, b.integer(chunk));
  Value whole = b.isLessEqual(b.add(index, b.integer(chunk)), count);
  Value row = index;
  if (packed) {
    // Chunks of a row, in 32 bits: their number is below 2^31, and a 64-bit
    // division is a subroutine.
    Value perChunk = b.integer(chunk);
    Value even = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq,
        arith::RemUIOp::create(b, columns, perChunk), b.integer(0));
    whole = arith::AndIOp::create(b, whole, even);
    Type i32 = b.getI32Type();
    Value chunks = arith::DivUIOp::create(b, columns, perChunk);
    // Not zero, even where the quotient is not used.
    chunks = arith::MaxUIOp::create(b, chunks, b.integer(1));
    Value quotient =
        arith::DivUIOp::create(b, arith::TruncIOp::create(b, i32, number),
                               arith::TruncIOp::create(b, i32, chunks));
    row = arith::ExtUIOp::create(b, b.getI64Type(), quotient);
  }
  b.branch(
      whole, [&] { wholeChunk(index, row); },
      [&] { b.branch(b.isLess(index, count), [&] { partChunk(index); }); });
  return b.take();
}

} // namespace

OwningOpRef<ModuleOp> buildSwiglu(MLIRContext &context,
                                  const SwigluOptions &options) {
  return SwigluBuilder(context, options).build();
}

} // namespace poly::kernels
