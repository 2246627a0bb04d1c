//===- Descriptor.h - Matrix descriptors of wgmma --------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The 64-bit descriptor of a tile in the 128-byte swizzle (PTX ISA, "Matrix
/// descriptor"): bits 0-13 the address, 16-29 the leading and 32-45 the stride
/// byte offset, all in units of 16 bytes, bits 62-63 the swizzle. Eight rows of
/// 128 bytes repeat every 1024 bytes, so the stride offset is 64. The leading
/// offset counts only where N exceeds one slab of an operand that is stored
/// transposed.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_DESCRIPTOR_H
#define POLY_KERNELS_HOPPER_DESCRIPTOR_H

#include "SharedMemory.h"

namespace poly::kernels::hopper {

/// A descriptor with the address of a tile, and how it advances: all in units
/// of 16 bytes, to be added to the descriptor.
class TileDescriptor {
public:
  /// The tile's rows are M or N, its columns K.
  static TileDescriptor alongK(Emitter &e, const SharedMemory &memory,
                               const SwizzledTile &tile);
  /// The tile's rows are K, its columns M or N (wgmma transposes it; 2-byte
  /// elements only).
  static TileDescriptor acrossK(Emitter &e, const SharedMemory &memory,
                                const SwizzledTile &tile);

  /// The tile's rows are N; every instruction takes the same 32 bytes of K.
  static TileDescriptor repeated(Emitter &e, const SharedMemory &memory,
                                 const SwizzledTile &tile);

  /// The offset of instruction number \p step, which takes 32 bytes of K.
  int64_t step(int64_t step) const;
  bool isTransposed() const { return layout == Layout::AcrossK; }
  /// The descriptor of the tile that is \p bytes (i32) after this one.
  TileDescriptor advance(Emitter &e, Value bytes) const;
  Value value() const { return descriptor; }

private:
  enum class Layout { AlongK, AcrossK, Repeated };
  TileDescriptor(Value descriptor, SwizzledTile tile, Layout layout)
      : descriptor(descriptor), tile(tile), layout(layout) {}

  Value descriptor;
  SwizzledTile tile;
  Layout layout;
};

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_DESCRIPTOR_H
