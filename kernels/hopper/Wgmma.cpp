//===- Wgmma.cpp - Warpgroup matrix products -----------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"

#include "llvm/Support/FormatVariadic.h"

#include <string>

using namespace mlir;
using namespace poly::kernels::hopper;

llvm::StringRef poly::kernels::hopper::ptxName(OperandType type) {
  switch (type) {
  case OperandType::BF16:
    return "bf16";
  case OperandType::F16:
    return "f16";
  case OperandType::E4M3:
    return "e4m3";
  case OperandType::E5M2:
    return "e5m2";
  }
  llvm_unreachable("unknown operand type");
}

/// "{$first, $first+1, …}".
static std::string registerList(int64_t first, int64_t count) {
  std::string text = "{";
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

/// Outputs, then the same registers as inputs where \p tied.
static std::string accumulatorConstraints(int64_t count, bool tied) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += i ? ",=f" : "=f";
  for (int64_t i = 0; tied && i < count; ++i)
    text += "," + std::to_string(i);
  return text;
}

static Type accumulatorType(Emitter &e, int64_t count) {
  return LLVM::LLVMStructType::getLiteral(
      e.getContext(), llvm::SmallVector<Type>(size_t(count), e.getF32Type()));
}

namespace {
/// Writes the text of one batch.
class Batch {
public:
  Batch(Emitter &e, const Product &product, ValueRange sum)
      : e(e), product(product), sum(sum), operands(sum),
        next(product.accumulators() + int64_t(sum.size())) {
    constraints = accumulatorConstraints(product.accumulators(), !sum.empty());
    body = "{\n.reg .b64 a, b;\nwgmma.fence.sync.aligned;\n";
  }

  int64_t addOperand(Value value, llvm::StringRef constraint) {
    operands.push_back(value);
    constraints += "," + constraint.str();
    return next++;
  }

  /// A as it lies in memory.
  void addStep(int64_t step, const TileDescriptor &a, int64_t aOperand,
               const TileDescriptor &b, int64_t bOperand) {
    body += llvm::formatv("add.s64 a, ${0}, {1};\n", aOperand, a.step(step));
    addStep(step, "a", b, bOperand, a.isTransposed() ? ", 1" : ", 0");
  }

  /// A as the instruction calls it; \p layout is empty for registers.
  void addStep(int64_t step, const std::string &a, const TileDescriptor &b,
               int64_t bOperand, llvm::StringRef layout) {
    body += llvm::formatv("add.s64 b, ${0}, {1};\n", bOperand, b.step(step));
    llvm::StringRef aType = ptxName(product.type);
    llvm::StringRef bType = ptxName(product.bType.value_or(product.type));
    int64_t k = is8Bit(product.type) ? 32 : 16;
    body += llvm::formatv(
        "wgmma.mma_async.sync.aligned.m64n{0}k{1}.f32.{2}.{3} {4}, {5}, b, "
        "{6}, 1, 1",
        product.n, k, aType, bType, registerList(0, product.accumulators()), a,
        step || !sum.empty() ? 1 : 0);
    // Only 2-byte types can be transposed, and say so for operands in memory.
    if (!is8Bit(product.type))
      body += llvm::formatv("{0}, {1}", layout, b.isTransposed() ? 1 : 0);
    body += ";\n";
  }

  llvm::SmallVector<Value> finish() {
    body += "wgmma.commit_group.sync.aligned;\n}";
    return e.unpack(e.ptx(accumulatorType(e, product.accumulators()), operands,
                          body, constraints)
                        .getResult(0));
  }

  std::string body;

private:
  Emitter &e;
  const Product &product;
  ValueRange sum;
  llvm::SmallVector<Value> operands;
  std::string constraints;
  int64_t next;
};
} // namespace

llvm::SmallVector<Value>
poly::kernels::hopper::multiply(Emitter &e, const Product &product,
                                const TileDescriptor &a,
                                const TileDescriptor &b, ValueRange sum) {
  Batch batch(e, product, sum);
  int64_t aOperand = batch.addOperand(a.value(), "l");
  int64_t bOperand = batch.addOperand(b.value(), "l");
  for (int64_t step = 0; step < product.steps; ++step)
    batch.addStep(step, a, aOperand, b, bOperand);
  return batch.finish();
}

llvm::SmallVector<Value>
poly::kernels::hopper::multiply(Emitter &e, const Product &product,
                                ValueRange a, const TileDescriptor &b,
                                ValueRange sum) {
  Batch batch(e, product, sum);
  llvm::SmallVector<int64_t> registers;
  for (Value fragment : a)
    registers.push_back(batch.addOperand(fragment, "r"));
  int64_t bOperand = batch.addOperand(b.value(), "l");
  for (int64_t step = 0; step < product.steps; ++step)
    batch.addStep(step, registerList(registers[size_t(step) * 4], 4), b,
                  bOperand, /*layout=*/"");
  return batch.finish();
}

llvm::SmallVector<Value>
poly::kernels::hopper::multiply(Emitter &e, const Product &product,
                                ValueRange first, const TileDescriptor &a,
                                const TileDescriptor &b, ValueRange sum) {
  Batch batch(e, product, sum);
  llvm::SmallVector<int64_t> registers;
  for (Value fragment : first)
    registers.push_back(batch.addOperand(fragment, "r"));
  int64_t aOperand = batch.addOperand(a.value(), "l");
  int64_t bOperand = batch.addOperand(b.value(), "l");
  for (int64_t step = 0; step < product.steps; ++step) {
    if (size_t(step) * 4 < registers.size())
      batch.addStep(step, registerList(registers[size_t(step) * 4], 4), b,
                    bOperand, /*layout=*/"");
    else
      batch.addStep(step, a, aOperand, b, bOperand);
  }
  return batch.finish();
}

llvm::SmallVector<Value>
poly::kernels::hopper::waitProducts(Emitter &e, unsigned pending,
                                    ValueRange values) {
  int64_t count = int64_t(values.size());
  return e.unpack(
      e.ptx(accumulatorType(e, count), values,
            llvm::formatv("wgmma.wait_group.sync.aligned {0};", pending).str(),
            accumulatorConstraints(count, /*tied=*/true))
          .getResult(0));
}

void poly::kernels::hopper::waitProducts(Emitter &e, unsigned pending) {
  e.ptx(Type(), ValueRange(),
        llvm::formatv("wgmma.wait_group.sync.aligned {0};", pending).str(), "");
}
