//===- TensorMaps.h - Arrays for the tensor copy engine ---------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Hopper's tensor copy engine takes arrays as tensor maps, which the host
/// encodes. A kernel says in its info which ones it wants:
///
///   "tensorMaps": [{"argument": 0, "name": "query",
///     "dims": ["headDim", "queryLength", "heads", "batch"],
///     "box": [64, 128, 1, 1], "swizzle": 128, "outOfBounds": "zero"}]
///
/// `dims` names the dimensions from the innermost, dense one outwards; `box` is
/// what one copy moves; `swizzle` is in bytes, 0 for none.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_TENSORMAPS_H
#define POLY_RUNTIME_TENSORMAPS_H

#include "Kernel.h"

#include <map>

namespace poly::runtime {

struct TensorMapSpec {
  unsigned argument = 0;
  std::string name;
  std::vector<std::string> dims;
  std::vector<unsigned> box;
  unsigned swizzleBytes = 0;
};

/// The maps of a kernel in the order of their arguments. Throws JsonError.
std::vector<TensorMapSpec> tensorMapsOf(const KernelMetadata &kernel);

struct TensorArray {
  DevicePtr address = 0;
  /// "bf16", "f16", "f32", or any 8-bit type.
  std::string elementType;
  /// Elements along each named dimension, and from one index to the next in
  /// elements; the innermost dimension of a map needs no stride.
  std::map<std::string, uint64_t> sizes, strides;
};

/// What cuTensorMapEncodeTiled wants, checked. Throws std::invalid_argument
/// that says what the hardware asks for: an array at a multiple of 16 bytes,
/// strides that are multiples of 16 bytes, no empty dimension.
struct TensorMapArguments {
  int elementType = 0;
  unsigned elementBytes = 0;
  std::vector<uint64_t> sizes;
  /// In bytes, one fewer than sizes.
  std::vector<uint64_t> strides;
  std::vector<unsigned> box;
  int swizzle = 0;
};
TensorMapArguments tensorMapArguments(const TensorMapSpec &spec,
                                      const TensorArray &array);

/// Encodes a map; needs a Context.
TensorMap encodeTensorMap(const TensorMapSpec &spec, const TensorArray &array);

} // namespace poly::runtime

#endif // POLY_RUNTIME_TENSORMAPS_H
