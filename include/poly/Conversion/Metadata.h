//===- Metadata.h - What a host needs to launch compiled code --*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// PTX and cubin say little of how a kernel is launched. These structs describe
/// the kernels of a module, read off the LLVM IR that the code is made of:
/// there every parameter has the size and alignment that the driver copies.
/// What the kernel's author adds (`poly.kernel`) is passed on as it is.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_CONVERSION_METADATA_H
#define POLY_CONVERSION_METADATA_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace mlir::poly {

/// One parameter of a kernel.
struct KernelParameter {
  /// "ptr"; "i64", "i32", "f32", ... for numbers; "bytes" for what is passed by
  /// value as a block of memory: arrays, structs, vectors.
  std::string type;
  uint64_t bytes = 0;
  uint64_t align = 1;
};

struct KernelDescription {
  std::string name;
  std::vector<KernelParameter> parameters;
  /// Threads of a block that the kernel was written for, or empty.
  std::vector<int64_t> blockSize;
  /// Upper bounds of them that the code was compiled with, or empty.
  std::vector<int64_t> maxBlockSize;
  /// Blocks of a cluster, or empty.
  std::vector<int64_t> clusterSize;
  /// The `poly.kernel` dictionary, or null.
  DictionaryAttr info;
};

/// The kernels of \p module, whose data layout is the GPU's, in its order.
std::vector<KernelDescription> describeKernels(const llvm::Module &module);

/// Writes \p kernel as a JSON object.
void writeKernelJson(const KernelDescription &kernel, llvm::json::OStream &os);

} // namespace mlir::poly

#endif // POLY_CONVERSION_METADATA_H
