//===- HopperRun.h - Runs kernels of sm_90a in the emulator -----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds a kernel with poly-kernel and poly-compile, and runs its PTX as a
/// host would launch it: arguments by the names in the metadata.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_HOPPER_HOPPERRUN_H
#define POLY_TEST_HOPPER_HOPPERRUN_H

#include "Kernel.h"
#include "PtxBlock.h"
#include "TensorMaps.h"

#include "poly/Program/Formats.h"

#include <array>
#include <map>
#include <memory>
#include <optional>

namespace polytest {

/// A kernel and what its metadata says. `module` is null after a failure,
/// which has been reported to GoogleTest.
struct HopperKernel {
  std::string ptx;
  std::unique_ptr<PtxModule> module;
  poly::runtime::KernelMetadata metadata; ///< Of the first kernel.
  std::vector<poly::runtime::KernelMetadata> kernels;
  poly::Format type = poly::Format::BF16;
  poly::Format outputType = poly::Format::BF16;
  poly::Format keyValueType = poly::Format::BF16; ///< Of attention's K and V.
};

/// \p test names the files. The arguments are those of the two tools.
HopperKernel buildHopperKernel(const std::string &test,
                               std::vector<std::string> kernelArguments,
                               std::vector<std::string> compileOptions);

/// The arguments of one launch and the memory they point to.
class HopperRun {
public:
  explicit HopperRun(const HopperKernel &kernel) : kernel(kernel) {}

  /// Numbers that the kernel's type can hold, normally distributed.
  std::vector<double> randomNumbers(size_t count, double spread,
                                    unsigned seed) const {
    return randomNumbers(count, spread, seed, kernel.type);
  }
  std::vector<double> randomNumbers(size_t count, double spread, unsigned seed,
                                    poly::Format format) const;
  /// A buffer of the kernel's type.
  uint64_t upload(const std::vector<double> &numbers) {
    return upload(numbers, kernel.type);
  }
  uint64_t upload(const std::vector<double> &numbers, poly::Format format);
  uint64_t uploadFloats(const std::vector<float> &numbers);
  /// A buffer of \p count NaNs.
  uint64_t poisoned(size_t count, poly::Format format);
  uint64_t uploadWords(const std::vector<int32_t> &words);
  std::vector<double> download(uint64_t address, size_t count,
                               poly::Format format);

  /// Of the kernel's type; the tensor `output` of its output type, `key` and
  /// `value` of theirs.
  HopperRun &tensor(const std::string &name, uint64_t address,
                    std::map<std::string, uint64_t> sizes,
                    std::map<std::string, uint64_t> strides);
  HopperRun &tensor(const std::string &name, uint64_t address,
                    poly::Format format, std::map<std::string, uint64_t> sizes,
                    std::map<std::string, uint64_t> strides);
  /// One of attention's arrays, [batches, length, heads, dim], under the names
  /// that the kernels' metadata has for its dimensions.
  HopperRun &attentionArray(const std::string &name, uint64_t address,
                            uint64_t batches, uint64_t length, uint64_t heads,
                            uint64_t dim);
  HopperRun &pointer(const std::string &name, uint64_t address);
  HopperRun &integer(const std::string &name, int64_t value);
  HopperRun &number(const std::string &name, double value);

  /// From now on all blocks of a launch run at the same time.
  HopperRun &allTogether() {
    together = true;
    return *this;
  }

  /// Runs \p blocks blocks; "" or what went wrong. \p seed orders the warps.
  std::string run(unsigned blocks, uint32_t seed = 0) {
    return runGrid({blocks, 1, 1}, seed);
  }
  std::string runGrid(std::array<unsigned, 3> grid, uint32_t seed = 0) {
    return run(kernel.metadata, grid, seed);
  }
  /// The same for one of the module's kernels.
  std::string run(const poly::runtime::KernelMetadata &metadata,
                  unsigned blocks, uint32_t seed = 0) {
    return run(metadata, {blocks, 1, 1}, seed);
  }
  std::string run(const poly::runtime::KernelMetadata &metadata,
                  std::array<unsigned, 3> grid, uint32_t seed = 0);

private:
  const HopperKernel &kernel;
  PtxMemory memory;
  std::map<std::string, poly::runtime::TensorArray> tensors;
  std::map<std::string, uint64_t> pointers;
  std::map<std::string, int64_t> integers;
  std::map<std::string, double> numbers;
  bool together = false;
};

/// PTX without the instructions that begin with \p opcode, of which there must
/// be one, and their guards; inline assembly has several in a line.
std::string withoutInstructions(std::string text, const std::string &opcode);

/// The Frobenius norm of the difference over that of \p truth; infinite where a
/// result is no number.
double relativeError(const std::vector<double> &results,
                     const std::vector<double> &truth);

} // namespace polytest

#endif // POLY_TEST_HOPPER_HOPPERRUN_H
