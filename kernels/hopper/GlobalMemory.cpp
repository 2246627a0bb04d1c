//===- GlobalMemory.cpp - Dense arrays in global memory ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

#include <string>

using namespace mlir;
using namespace poly::kernels::hopper;

Type poly::kernels::hopper::globalPointerType(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context,
                                    unsigned(NVVM::NVVMMemorySpace::Global));
}

Value poly::kernels::hopper::advancePointer(Emitter &e, Value pointer,
                                            Value bytes) {
  return LLVM::GEPOp::create(e, pointer.getType(), e.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value poly::kernels::hopper::byteDistance(Emitter &e, Value number,
                                          int64_t bytes) {
  return arith::MulIOp::create(e, e.widen(number),
                               e.constant64(uint64_t(bytes)));
}

void poly::kernels::hopper::addFour(Emitter &e, Value target,
                                    int64_t byteOffset, ValueRange values) {
  llvm::SmallVector<Value> operands = {target};
  operands.append(values.begin(), values.end());
  e.ptx(Type(), operands,
        "red.relaxed.gpu.global.add.v4.f32 [$0+" + std::to_string(byteOffset) +
            "], {$1, $2, $3, $4};",
        "l,f,f,f,f");
}

void poly::kernels::hopper::awaitValue(Emitter &e, Value address, Value value) {
  auto loop = scf::WhileOp::create(e, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(e);
  e.createBlock(&loop.getBefore());
  Value seen = e.ptx(e.getI32Type(), address,
                     "ld.acquire.gpu.global.b32 $0, [$1];", "=r,l")
                   .getResult(0);
  scf::ConditionOp::create(e, e.compare(arith::CmpIPredicate::slt, seen, value),
                           ValueRange());
  e.createBlock(&loop.getAfter());
  scf::YieldOp::create(e);
}

void poly::kernels::hopper::publish(Emitter &e, Value address, Value value) {
  e.ptx(Type(), {address, value}, "st.release.gpu.global.b32 [$0], $1;", "l,r");
}

Value poly::kernels::hopper::countUp(Emitter &e, Value address) {
  return e
      .ptx(e.getI32Type(), address,
           "atom.acq_rel.gpu.global.add.s32 $0, [$1], 1;", "=r,l")
      .getResult(0);
}
