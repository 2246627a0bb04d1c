//===- Warps.cpp - Roles of warps in a specialised kernel ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assistant.h"

using namespace mlir;
using namespace poly::kernels::hopper;

static constexpr int64_t kAllLanes = -1;

ThreadPosition::ThreadPosition(Emitter &e) {
  thread = NVVM::ThreadIdXOp::create(e, e.getI32Type());
  lane = e.andBits(thread, 31);
  // A shuffle tells ptxas that the warp number is uniform.
  warp = NVVM::ShflOp::create(e, e.getI32Type(), e.constant(kAllLanes),
                              e.shiftRight(thread, 5), e.constant(0),
                              e.constant(31), NVVM::ShflKind::idx, UnitAttr());
  warpgroup = e.shiftRight(warp, 2);
}

Value poly::kernels::hopper::readThread(Emitter &e) {
  return e.ptx(e.getI32Type(), {}, "mov.u32 $0, %tid.x;", "=r").getResult(0);
}

void poly::kernels::hopper::keepRegisters(Emitter &e, int64_t registers) {
  NVVM::SetMaxRegisterOp::create(e, uint32_t(registers),
                                 NVVM::SetMaxRegisterAction::decrease);
}

void poly::kernels::hopper::takeRegisters(Emitter &e, int64_t registers) {
  NVVM::SetMaxRegisterOp::create(e, uint32_t(registers),
                                 NVVM::SetMaxRegisterAction::increase);
}

static void inOneThread(Emitter &e, const ThreadPosition &position,
                        int64_t warp, llvm::function_ref<void()> body) {
  e.ifThen(e.isEqual(position.warp, warp), [&] {
    Value elected = NVVM::ElectSyncOp::create(e, e.getI1Type(), Value());
    e.ifThen(elected, body);
  });
}

void poly::kernels::hopper::specialise(Emitter &e,
                                       const ThreadPosition &position,
                                       int64_t producerRegisters,
                                       int64_t consumerRegisters,
                                       llvm::function_ref<void()> produce,
                                       llvm::function_ref<void()> consume) {
  specialiseWithAssistant(e, position, producerRegisters, consumerRegisters,
                          produce, nullptr, consume);
}

void poly::kernels::hopper::specialiseWithAssistant(
    Emitter &e, const ThreadPosition &position, int64_t producerRegisters,
    int64_t consumerRegisters, llvm::function_ref<void()> produce,
    llvm::function_ref<void()> assist, llvm::function_ref<void()> consume) {
  e.ifThenElse(
      e.isEqual(position.warpgroup, 0),
      [&] {
        keepRegisters(e, producerRegisters);
        inOneThread(e, position, 0, produce);
        if (assist)
          inOneThread(e, position, 1, assist);
      },
      [&] {
        takeRegisters(e, consumerRegisters);
        consume();
      });
}

void poly::kernels::hopper::syncNamed(Emitter &e, Value id, int64_t threads) {
  NVVM::BarrierOp::create(e, TypeRange(), id, e.constant(threads),
                          NVVM::BarrierReductionAttr(), Value());
}

void poly::kernels::hopper::arriveNamed(Emitter &e, Value id, int64_t threads) {
  NVVM::BarrierArriveOp::create(e, id, e.constant(threads));
}

void poly::kernels::hopper::syncBlock(Emitter &e) {
  NVVM::BarrierOp::create(e);
}

void poly::kernels::hopper::syncWarp(Emitter &e) {
  NVVM::SyncWarpOp::create(e, e.constant(kAllLanes));
}

static Value shuffle(Emitter &e, Value value, int64_t lane, int64_t clamp,
                     NVVM::ShflKind kind) {
  return NVVM::ShflOp::create(e, value.getType(), e.constant(kAllLanes), value,
                              e.constant(lane), e.constant(clamp), kind,
                              UnitAttr());
}

Value poly::kernels::hopper::shuffleUp(Emitter &e, Value value,
                                       int64_t distance) {
  return shuffle(e, value, distance, 0, NVVM::ShflKind::up);
}

Value poly::kernels::hopper::shuffleFrom(Emitter &e, Value value,
                                         int64_t lane) {
  return shuffle(e, value, lane, 31, NVVM::ShflKind::idx);
}

Value poly::kernels::hopper::shuffleXor(Emitter &e, Value value, int64_t mask) {
  return shuffle(e, value, mask, 31, NVVM::ShflKind::bfly);
}
