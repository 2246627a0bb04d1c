//===- Kernel.h - Compiled kernels and how to launch them -------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A compiled kernel is a .ptx or .cubin file and the JSON that poly-compile
/// writes beside it with --metadata:
///
///   {"version": 1, "chip": "sm_90", "image": "silu.cubin", "kernels": [
///     {"name": "silu_bf16", "blockSize": [256, 1, 1], "clusterSize": [2, 1,
///     1],
///      "dynamicSharedBytes": 0,
///      "parameters": [{"type": "ptr", "bytes": 8, "align": 8}, ...],
///      "info": {...}}], "sites": [...]}
///
/// `info` is what the kernel's author says of it (family, element type, ...),
/// `sites` the compiler's decisions.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_KERNEL_H
#define POLY_RUNTIME_KERNEL_H

#include "Device.h"
#include "Json.h"

#include <array>
#include <memory>
#include <optional>

namespace poly::runtime {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
  unsigned count() const { return x * y * z; }
};

struct KernelParameter {
  /// "ptr", "i64", "i32", "f32", "bytes", ...
  std::string type;
  unsigned bytes = 0;
  unsigned align = 1;
};

struct KernelMetadata {
  std::string name;
  std::vector<KernelParameter> parameters;
  /// Absent where the kernel takes any block.
  std::optional<Dim3> blockSize;
  std::optional<Dim3> clusterSize;
  unsigned dynamicSharedBytes = 0;
  /// The author's dictionary; an empty object when there is none.
  Json info = Json::object();

  /// A string or number of `info`; throws JsonError naming the kernel when it
  /// is missing or of another kind.
  const std::string &text(std::string_view key) const;
  int64_t integer(std::string_view key) const;
  /// A number of elements, rows or blocks: at least 1.
  int64_t extent(std::string_view key) const;
  /// A boolean; false when it is missing.
  bool flag(std::string_view key) const;
  /// The same with a value for when it is missing.
  std::string text(std::string_view key, const std::string &missing) const;
  int64_t integer(std::string_view key, int64_t missing) const;
  double number(std::string_view key, double missing) const;
};

struct ImageMetadata {
  std::string chip;
  /// File of the code, with the folder of the JSON.
  std::string image;
  std::vector<KernelMetadata> kernels;
  Json sites = Json::array();

  /// The kernel called \p name; throws JsonError listing those there are.
  const KernelMetadata &kernel(const std::string &name) const;
};

/// Reads and checks a metadata file; needs no GPU. Throws JsonError with the
/// path.
ImageMetadata readMetadata(const std::string &path);

/// The values of a kernel's parameters, in order, checked against its metadata.
class Arguments {
public:
  explicit Arguments(const KernelMetadata &kernel) : kernel(&kernel) {}

  /// A pointer to global memory.
  Arguments &array(DevicePtr address);
  /// A dense array of \p size elements as the five parameters of a rank-1
  /// memref: allocated and aligned pointer, offset, size, stride.
  Arguments &memref(DevicePtr address, int64_t size);
  Arguments &integer(int64_t value);
  Arguments &number(double value);
  Arguments &tensorMap(const TensorMap &map);

  /// One pointer a parameter. Throws std::invalid_argument when some are
  /// missing.
  std::vector<void *> pointers();

private:
  /// The next parameter, which must be one of \p types.
  const KernelParameter &next(std::initializer_list<const char *> types);
  void store(const KernelParameter &parameter, const void *value);

  const KernelMetadata *kernel;
  struct alignas(64) Slot {
    unsigned char bytes[128];
  };
  std::vector<Slot> values;
};

/// A kernel in the current context.
class Kernel {
public:
  Kernel(std::shared_ptr<Module> module, KernelMetadata metadata);

  const KernelMetadata &metadata() const { return description; }
  /// Registers a thread, bytes of local memory a thread (spills and arrays).
  int registers() const;
  int localBytes() const;

  /// Throws std::invalid_argument when \p block contradicts the metadata.
  void launch(StreamHandle stream, Dim3 grid, Dim3 block,
              Arguments &arguments) const;
  /// With the block size of the metadata.
  void launch(StreamHandle stream, Dim3 grid, Arguments &arguments) const;

private:
  std::shared_ptr<Module> module;
  KernelMetadata description;
  FunctionHandle function;
};

/// Loads kernel \p name of the image that \p metadata describes.
Kernel loadKernel(const ImageMetadata &metadata, const std::string &name);

} // namespace poly::runtime

#endif // POLY_RUNTIME_KERNEL_H
