//===- Descriptor.cpp - Matrix descriptors of wgmma ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"

using namespace mlir;
using namespace poly::kernels::hopper;

static constexpr uint64_t kSwizzle128 = uint64_t(1) << 62;
static constexpr uint64_t kStrideOfEightRows = uint64_t(1024 >> 4) << 32;
/// Bytes of K that one instruction takes.
static constexpr int64_t kStepBytes = 32;

static Value makeDescriptor(Emitter &e, const SharedMemory &memory,
                            const SwizzledTile &tile, int64_t leadingBytes) {
  uint64_t fields = kSwizzle128 | kStrideOfEightRows |
                    uint64_t((leadingBytes >> 4) & 0x3fff) << 16;
  // Shared-memory addresses have at most 18 bits.
  Value address =
      e.shiftRight(e.andBits(memory.at(e, tile.offset), 0x3ffff), 4);
  return arith::OrIOp::create(e, e.widen(address), e.constant64(fields));
}

TileDescriptor TileDescriptor::alongK(Emitter &e, const SharedMemory &memory,
                                      const SwizzledTile &tile) {
  // The leading offset is not used here; one is the customary value.
  return {makeDescriptor(e, memory, tile, 16), tile, Layout::AlongK};
}

TileDescriptor TileDescriptor::acrossK(Emitter &e, const SharedMemory &memory,
                                       const SwizzledTile &tile) {
  return {makeDescriptor(e, memory, tile, tile.slabBytes()), tile,
          Layout::AcrossK};
}

TileDescriptor TileDescriptor::repeated(Emitter &e, const SharedMemory &memory,
                                        const SwizzledTile &tile) {
  return {makeDescriptor(e, memory, tile, 16), tile, Layout::Repeated};
}

int64_t TileDescriptor::step(int64_t step) const {
  if (layout == Layout::Repeated)
    return 0;
  if (isTransposed()) // 16 rows further.
    return step *
           (kStepBytes / tile.elementBytes * SwizzledTile::kRowBytes >> 4);
  int64_t perSlab = SwizzledTile::kRowBytes / kStepBytes;
  return (step / perSlab * tile.slabBytes() + step % perSlab * kStepBytes) >> 4;
}

TileDescriptor TileDescriptor::advance(Emitter &e, Value bytes) const {
  Value units = e.widen(e.shiftRight(bytes, 4));
  return {arith::AddIOp::create(e, descriptor, units), tile, layout};
}
