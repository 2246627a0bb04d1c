//===- Prepare.cpp - What the main kernel needs of each query ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "attention/ScoreGradient.h"
#include "attention/ScoreOps.h"
#include "hopper/Warps.h"

#include <limits>

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::hopper;
using namespace poly::kernels::score_ops;

using mlir::arith::CmpIPredicate;

namespace {
struct Inputs {
  StridedArray output, outputGradient;
  Value logSumExp, offsets, deltas, querySums, turns;
  Value queryLength, heads;
};
} // namespace

static Value loadChunk(Emitter &e, Value address, Type element) {
  auto type = VectorType::get({kChunkElements}, element);
  Value loaded = LLVM::LoadOp::create(e, type, address, /*alignment=*/16);
  return arith::ExtFOp::create(e, type.clone(e.getF32Type()), loaded);
}

/// The sum of O * dO over a row, in all of its \p lanes lanes.
static Value deltaOf(Emitter &e, const AttentionBackwardOptions &options,
                     const Inputs &a, Value batch, Value head, Value row,
                     Value column, int64_t lanes) {
  Type element = elementType(e, options);
  Value output =
      loadChunk(e, a.output.address(e, batch, head, row, column), element);
  Value gradient = loadChunk(
      e, a.outputGradient.address(e, batch, head, row, column), element);
  Value delta = vector::ReductionOp::create(
      e, vector::CombiningKind::ADD, arith::MulFOp::create(e, output, gradient),
      arith::FastMathFlags::contract);
  for (int64_t distance = 1; distance < lanes; distance *= 2)
    delta = addF(e, delta, shuffleXor(e, delta, distance));
  return delta;
}

void poly::kernels::buildPrepare(Emitter &e, gpu::GPUModuleOp,
                                 const AttentionBackwardOptions &options) {
  bool isSoftmax = options.score != AttentionScore::Sigmoid;
  int64_t lanes = options.headDim / kChunkElements; // Of a row.
  int64_t rows = kRowThreads / lanes;               // Of a block.

  KernelFrame frame(e, options, "prepare");
  Inputs a;
  if (isSoftmax) {
    a.output.addTo(frame, e, "output");
    a.outputGradient.addTo(frame, e, "outputGradient");
    frame.pointer("logSumExp", a.logSumExp);
    frame.pointer("queryOffsets", a.offsets);
    frame.pointer("queryDeltas", a.deltas);
  }
  frame.pointer("querySums", a.querySums);
  if (options.deterministic)
    frame.pointer("queryTurns", a.turns);
  if (isSoftmax) {
    frame.parameter("queryLength", e.getI32Type(), a.queryLength);
    frame.parameter("heads", e.getI32Type(), a.heads);
  }
  frame.note("grid", "queryBlocks");
  frame.note("blocksPerQueryBlock", kQueryBlock / rows);
  frame.declare(options.name + "_prepare", kRowThreads, /*sharedBytes=*/0);

  Value thread = NVVM::ThreadIdXOp::create(e, e.getI32Type());
  Value block = NVVM::BlockIdXOp::create(e, e.getI32Type());

  // Zeros for the sums of the block's rows.
  auto four = VectorType::get({4}, e.getF32Type());
  Value zeros = arith::ConstantOp::create(e, e.getZeroAttr(four));
  int64_t sumBytes = rows * options.headDim * 4;
  Value sums = advancePointer(e, a.querySums, byteDistance(e, block, sumBytes));
  sums = advancePointer(e, sums, byteDistance(e, thread, 16));
  for (int64_t done = 0; done < sumBytes; done += kRowThreads * 16)
    LLVM::StoreOp::create(
        e, zeros, advancePointer(e, sums, e.constant64(uint64_t(done))), 16);
  if (options.deterministic)
    // All blocks of a block of queries write the same zero.
    e.ifThen(e.isEqual(thread, 0), [&] {
      Value queryBlock = e.divide(block, kQueryBlock / rows);
      LLVM::StoreOp::create(
          e, e.constant(0),
          advancePointer(e, a.turns, byteDistance(e, queryBlock, 4)), 4);
    });
  if (!isSoftmax)
    return;

  Value rowInBlock = e.divide(thread, lanes);
  Value column = e.mul(e.andBits(thread, lanes - 1), kChunkElements);
  Value perHead = e.mul(queryBlocks(e, a.queryLength), kQueryBlock / rows);
  Value headRow = e.divide(block, perHead);
  Value row =
      e.add(e.mul(e.sub(block, e.mul(headRow, perHead)), rows), rowInBlock);
  Value batch = e.divide(headRow, a.heads);
  Value head = e.sub(headRow, e.mul(batch, a.heads));

  // Rows after the last one read that one, and have no weights.
  Value isRow = e.compare(CmpIPredicate::slt, row, a.queryLength);
  Value safeRow = e.minSigned(row, e.add(a.queryLength, -1));
  Value delta = deltaOf(e, options, a, batch, head, safeRow, column, lanes);
  Value index = arith::AddIOp::create(
      e, arith::MulIOp::create(e, e.widen(headRow), e.widen(a.queryLength)),
      e.widen(safeRow));
  Value logSumExp = LLVM::LoadOp::create(
      e, e.getF32Type(),
      advancePointer(e, a.logSumExp,
                     arith::MulIOp::create(e, index, e.constant64(4))),
      /*alignment=*/4);
  Value offset = ScoreGradient::queryOffset(e, logSumExp);
  delta = e.select(isRow, delta, e.constantF32(0));
  offset = e.select(isRow, offset,
                    e.constantF32(-std::numeric_limits<double>::infinity()));
  e.ifThen(e.isEqual(column, 0), [&] {
    Value slot = byteDistance(e, e.add(e.mul(block, rows), rowInBlock), 4);
    LLVM::StoreOp::create(e, offset, advancePointer(e, a.offsets, slot), 4);
    LLVM::StoreOp::create(e, delta, advancePointer(e, a.deltas, slot), 4);
  });
}
