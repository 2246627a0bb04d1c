//===- TensorMap.h - The tensor copy engine --------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tensor map is a kernel argument of 128 bytes that the host encodes; the
/// copy engine takes its generic address, so it must be a `__grid_constant__`:
/// by value, aligned to 64, never copied to local memory. A gpu.func says so
/// with byval and readonly. A load completes on an mbarrier, in bytes; a store
/// is waited for as a bulk group of the thread that issued it.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_TENSORMAP_H
#define POLY_KERNELS_HOPPER_TENSORMAP_H

#include "SharedMemory.h"

namespace poly::kernels::hopper {

constexpr int64_t kTensorMapBytes = 128;
constexpr int64_t kTensorMapAlignment = 64;

mlir::Type tensorMapType(mlir::MLIRContext *context);
/// Marks argument \p index of \p function as a tensor map.
void markTensorMap(mlir::gpu::GPUFuncOp function, unsigned index);
/// What a host has to encode, an entry of `tensorMaps` in `poly.kernel`:
/// \p argument is the map's place among the arguments, \p dims names the
/// dimensions from the innermost, dense one outwards, \p box is what one copy
/// moves, in the 128-byte swizzle if \p swizzled. Outside are zeros.
mlir::DictionaryAttr describeTensorMap(Emitter &e, int64_t argument,
                                       llvm::StringRef name,
                                       llvm::ArrayRef<llvm::StringRef> dims,
                                       llvm::ArrayRef<int64_t> box,
                                       bool swizzled = true);

/// Fetches the map into the cache of descriptors.
void prefetchTensorMap(Emitter &e, Value map);
/// Starts the copy of one box to \p destination (i32 address), which completes
/// on \p barrier (i32 address).
void loadBox(Emitter &e, Value map, Value destination, Value barrier,
             ValueRange coordinates);
/// The same to this offset of all blocks of the cluster that \p mask names, and
/// completes on this barrier's twin in each.
void loadBoxMulticast(Emitter &e, Value map, Value destination, Value barrier,
                      ValueRange coordinates, int64_t mask);
/// Starts the copy of one box from \p source. Elements outside of the tensor
/// are not written.
void storeBox(Emitter &e, Value map, Value source, ValueRange coordinates);
/// Ends a group of stores.
void commitStores(Emitter &e);
/// Waits until at most \p pending groups of this thread are unfinished: their
/// source may be overwritten (\p readOnly), or the results are visible.
void waitStores(Emitter &e, unsigned pending, bool readOnly);

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_TENSORMAP_H
