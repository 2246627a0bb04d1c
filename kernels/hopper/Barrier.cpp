//===- Barrier.cpp - mbarriers and the pipeline of stages ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Barrier.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace poly::kernels::hopper;

static void initBarrier(Emitter &e, Value address, int64_t count) {
  NVVM::MBarrierInitOp::create(e, e.sharedPointer(address), e.constant(count),
                               Value());
}

void Barrier::init(Emitter &e, const SharedMemory &memory) const {
  initBarrier(e, address(e, memory), arrivals);
}

void poly::kernels::hopper::waitBarrier(Emitter &e, Value address,
                                        Value phase) {
  // The time limit of one attempt; the op tries until it succeeds.
  constexpr int64_t kTicks = 10000000;
  NVVM::MBarrierTryWaitParityOp::create(e, e.sharedPointer(address), phase,
                                        e.constant(kTicks));
}

void poly::kernels::hopper::arriveBarrier(Emitter &e, Value address,
                                          Value predicate) {
  e.ptx(Type(), {predicate, address}, "@$0 mbarrier.arrive.shared.b64 _, [$1];",
        "b,r");
}

void poly::kernels::hopper::expectBytes(Emitter &e, Value address,
                                        int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(
      e, Type(), e.sharedPointer(address), e.constant(bytes),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

void poly::kernels::hopper::fenceBarrierInit(Emitter &e) {
  NVVM::FenceMbarrierInitOp::create(e);
}

Pipeline::Pipeline(SharedMemory &memory, int64_t offset, int64_t stageBytes,
                   int64_t stages, int64_t consumers,
                   std::optional<int64_t> copiedBytes)
    : start(offset), stageBytes(stageBytes),
      copiedBytes(copiedBytes.value_or(stageBytes)), stages(stages),
      consumers(consumers),
      fullOffset(memory.reserve(stages * Barrier::kBytes, Barrier::kBytes)),
      emptyOffset(memory.reserve(stages * Barrier::kBytes, Barrier::kBytes)) {}

void Pipeline::init(Emitter &e, const SharedMemory &memory) const {
  for (int64_t stage = 0; stage < stages; ++stage) {
    initBarrier(e, memory.at(e, fullOffset + stage * Barrier::kBytes), 1);
    initBarrier(e, memory.at(e, emptyOffset + stage * Barrier::kBytes),
                consumers);
  }
}

Pipeline::Use Pipeline::use(Emitter &e, const SharedMemory &memory,
                            Value number) const {
  Use use;
  if (llvm::isPowerOf2_64(uint64_t(stages))) {
    use.stage = e.andBits(number, stages - 1);
    use.phase =
        e.andBits(e.shiftRight(number, llvm::Log2_64(uint64_t(stages))), 1);
  } else {
    Value round = e.divide(number, stages);
    use.stage = e.sub(number, e.mul(round, stages));
    use.phase = e.andBits(round, 1);
  }
  Value barrier = e.shiftLeft(use.stage, llvm::Log2_64(Barrier::kBytes));
  use.full = e.add(memory.at(e, fullOffset), barrier);
  use.empty = e.add(memory.at(e, emptyOffset), barrier);
  use.byteOffset = e.mul(use.stage, stageBytes);
  return use;
}

void Pipeline::acquire(Emitter &e, const Use &use, int64_t besides) const {
  // A fresh barrier counts as if the phase before its first had ended.
  waitBarrier(e, use.empty, e.xorBits(use.phase, e.constant(1)));
  expectBytes(e, use.full, copiedBytes + besides);
}
