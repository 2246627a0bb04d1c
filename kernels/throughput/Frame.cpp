//===- Frame.cpp - Loops over registers with a clock ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "throughput/Frame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace poly::kernels {

/// 32-bit words that a thread stores.
static constexpr int64_t kWordsOut = 3;

ThroughputFrame::ThroughputFrame(KernelBuilder &builder, llvm::StringRef name,
                                 int64_t threads, int64_t valuesPerThread,
                                 SmallVector<NamedAttribute> info)
    : b(builder) {
  info.push_back(b.note("valuesPerThread", valuesPerThread));
  info.push_back(b.note("wordsPerThread", kWordsOut));
  gpu::GPUFuncOp kernel = b.beginKernel(
      name, {b.globalPointer(), b.globalPointer(), b.getI64Type()}, threads,
      info);
  Value in = kernel.getArgument(0);
  out = kernel.getArgument(1);
  count = kernel.getArgument(2);
  thread = b.add(b.mul(b.blockNumber(), b.integer(threads)), b.threadNumber());
  Value first = b.mul(thread, b.integer(valuesPerThread));
  for (int64_t i = 0; i < valuesPerThread; ++i)
    loaded.push_back(b.load(in, b.add(first, b.integer(i)), b.getF32Type(), 1));
}

Value ThroughputFrame::constant(int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(value)));
}

Value ThroughputFrame::asInteger(Value value) {
  return asType(value, b.getI32Type());
}

Value ThroughputFrame::asType(Value bits, Type type) {
  if (bits.getType() == type)
    return bits;
  return LLVM::BitcastOp::create(b, type, bits);
}

Value ThroughputFrame::clock() {
  auto dialect =
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  return LLVM::InlineAsmOp::create(
             b, TypeRange{b.getI32Type()}, ValueRange{}, "mov.u32 $0, %clock;",
             "=r,~{memory}", /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect,
             ArrayAttr())
      .getRes();
}

void ThroughputFrame::repeat(
    ValueRange seeds, function_ref<SmallVector<Value>(ValueRange)> body) {
  Value iterations = arith::TruncIOp::create(b, b.getI32Type(), count);
  Value zero = constant(0), one = constant(1);
  gpu::BarrierOp::create(b); // All warps start together.
  Value start = clock();
  auto loop = scf::ForOp::create(b, zero, iterations, one, seeds);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, body(loop.getRegionIterArgs()));
  }
  Value stop = clock();
  Value sink = zero;
  for (Value result : loop.getResults())
    sink = arith::XOrIOp::create(b, sink, result);
  Value at = b.mul(thread, b.integer(kWordsOut));
  for (Value word : {start, stop, sink}) {
    b.store(word, out, at);
    at = b.add(at, b.integer(1));
  }
}

} // namespace poly::kernels
