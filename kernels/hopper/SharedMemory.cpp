//===- SharedMemory.cpp - Layout of dynamic shared memory ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace poly::kernels::hopper;

int64_t SharedMemory::reserve(int64_t bytes, int64_t alignment) {
  int64_t offset = int64_t(llvm::alignTo(uint64_t(used), uint64_t(alignment)));
  used = offset + bytes;
  return offset;
}

SwizzledTile SharedMemory::reserveTile(int64_t rows, int64_t columns,
                                       int64_t elementBytes) {
  SwizzledTile tile{0, rows, columns, elementBytes};
  tile.offset = reserve(tile.bytes(), kTileAlignment);
  return tile;
}

void SharedMemory::materialize(Emitter &e, gpu::GPUModuleOp module) {
  constexpr llvm::StringLiteral kName = "dynamic_shared_memory";
  auto block = module.lookupSymbol<LLVM::GlobalOp>(kName);
  if (!block) {
    OpBuilder::InsertionGuard guard(e);
    e.setInsertionPointToStart(module.getBody());
    block = LLVM::GlobalOp::create(
        e, LLVM::LLVMArrayType::get(e.getI8Type(), 0), /*isConstant=*/false,
        LLVM::Linkage::External, kName, Attribute(), kTileAlignment,
        /*addrSpace=*/3);
  }
  Value address = LLVM::AddressOfOp::create(e, block);
  base = LLVM::PtrToIntOp::create(e, e.getI32Type(), address);
}
