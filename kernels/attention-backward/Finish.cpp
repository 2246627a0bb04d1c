//===- Finish.cpp - From sums of dQ to dQ --------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "hopper/SharedMemory.h"
#include "hopper/Warps.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::hopper;

using mlir::arith::CmpIPredicate;

void poly::kernels::buildFinish(Emitter &e, gpu::GPUModuleOp module,
                                const AttentionBackwardOptions &options) {
  int64_t dim = options.headDim;
  QuerySums layout(dim);
  SharedMemory memory;
  // An odd number of 16-byte units a row spreads rows over the banks.
  int64_t rowBytes = (dim + kChunkElements) * 2;
  int64_t tile = memory.reserve(kQueryBlock * rowBytes, 16);

  KernelFrame frame(e, options, "finish");
  StridedArray gradient;
  Value querySums, queryLength, heads, scale;
  frame.pointer("querySums", querySums);
  gradient.addTo(frame, e, "queryGradient");
  frame.parameter("queryLength", e.getI32Type(), queryLength);
  frame.parameter("heads", e.getI32Type(), heads);
  frame.parameter("scale", e.getF32Type(), scale);
  frame.note("grid", "queryBlocks");
  frame.note("blocksPerQueryBlock", 1);
  frame.declare(options.name + "_finish", kRowThreads, memory.size());
  memory.materialize(e, module);

  ThreadPosition position(e);
  Value block = NVVM::BlockIdXOp::create(e, e.getI32Type());
  Value blocks = queryBlocks(e, queryLength);
  Value headRow = e.divide(block, blocks);
  Value firstRow = e.mul(e.sub(block, e.mul(headRow, blocks)), kQueryBlock);

  // Each thread holds what the main kernel's one did, and puts it, rounded, to
  // its row and column of the tile.
  Value source =
      advancePointer(e, querySums, byteDistance(e, block, layout.bytes()));
  source = advancePointer(e, source,
                          byteDistance(e, position.warp, layout.warpBytes()));
  source = advancePointer(e, source, byteDistance(e, position.lane, 16));
  Value query = e.add(layout.firstQuery(e, position.warp),
                      e.mul(e.andBits(position.lane, 3), 2));
  Value dimension = e.add(layout.firstDimension(e, position.warp),
                          e.shiftRight(position.lane, 2));
  Value target = e.add(e.add(memory.at(e, tile), e.mul(query, rowBytes)),
                       e.mul(dimension, 2));
  auto four = VectorType::get({4}, e.getF32Type());
  for (int64_t group = 0; group < layout.groups(); ++group) {
    Value sums = LLVM::LoadOp::create(
        e, four,
        advancePointer(e, source,
                       e.constant64(uint64_t(group * QuerySums::kGroupBytes))),
        /*alignment=*/16);
    Value scaled = arith::MulFOp::create(
        e, sums, vector::BroadcastOp::create(e, four, scale));
    Value rounded =
        arith::TruncFOp::create(e, four.clone(elementType(e, options)), scaled);
    for (int64_t i = 0; i < 4; ++i) {
      int64_t offset = (8 * group + i % 2) * rowBytes + i / 2 * 8 * 2;
      LLVM::StoreOp::create(e, vector::ExtractOp::create(e, rounded, i),
                            e.sharedPointer(e.add(target, offset)), 2);
    }
  }
  syncBlock(e);

  int64_t lanes = dim / kChunkElements, rows = kRowThreads / lanes;
  Value batch = e.divide(headRow, heads);
  Value head = e.sub(headRow, e.mul(batch, heads));
  Value column = e.mul(e.andBits(position.thread, lanes - 1), kChunkElements);
  for (int64_t first = 0; first < kQueryBlock; first += rows) {
    Value rowInTile = e.add(e.divide(position.thread, lanes), first);
    Value row = e.add(firstRow, rowInTile);
    Value address = e.add(e.add(memory.at(e, tile), e.mul(rowInTile, rowBytes)),
                          e.mul(column, 2));
    auto chunk = VectorType::get({4}, e.getI32Type());
    Value loaded = LLVM::LoadOp::create(e, chunk, e.sharedPointer(address), 16);
    e.ifThen(e.compare(CmpIPredicate::slt, row, queryLength), [&] {
      LLVM::StoreOp::create(e, loaded,
                            gradient.address(e, batch, head, row, column), 16);
    });
  }
}
