//===- ElementwiseRun.cpp - Runs array kernels in the emulator ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseRun.h"

#include <algorithm>
#include <cstring>

namespace polytest {

bool runElementwise(const PtxKernel &kernel, const ElementwiseLaunch &launch,
                    const std::vector<uint32_t> &in, std::vector<uint32_t> &out,
                    std::string &error) {
  size_t count = in.size();
  size_t params = kernel.params.size();
  bool descriptors = params >= 10;
  size_t pointerParams = descriptors ? 10 : 2;
  bool counted = params == pointerParams + 1;
  if (params != pointerParams && !counted) {
    error = "kernel '" + kernel.name + "' has " + std::to_string(params) +
            " parameters; 2 or 3 (pointers) or 10 or 11 (memrefs) are known";
    return false;
  }
  if (!counted && count % launch.perThread != 0) {
    error = "the number of elements is no multiple of what a thread takes";
    return false;
  }

  PtxMemory memory;
  constexpr size_t canaryBytes = 64;
  constexpr uint8_t canary = 0xC7;
  std::vector<uint8_t> bytes(count * launch.inBytes);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(bytes.data() + i * launch.inBytes, &in[i], launch.inBytes);
  uint64_t input = memory.allocate(bytes.size(), launch.alignment);
  memory.write(input, bytes.data(), bytes.size());
  size_t outSize = count * launch.outBytes;
  uint64_t output = memory.allocate(outSize + canaryBytes, launch.alignment);
  std::vector<uint8_t> guard(canaryBytes, canary);
  memory.write(output + outSize, guard.data(), canaryBytes);

  PtxArguments arguments;
  for (uint64_t pointer : {input, output}) {
    arguments.addU64(pointer);
    if (descriptors) // Aligned pointer, offset, size, stride.
      arguments.addU64(pointer).addU64(0).addU64(count).addU64(1);
  }
  if (counted)
    arguments.addU64(count);

  size_t threads = (count + launch.perThread - 1) / launch.perThread;
  unsigned block = 256;
  if (kernel.hasRequiredBlock)
    block = kernel.requiredBlock.x;
  else
    while (!counted && threads % block != 0)
      block /= 2;
  unsigned grid = unsigned((threads + block - 1) / block);
  if (!ptxLaunch(kernel, {grid, 1, 1}, {block, 1, 1}, arguments, memory, error))
    return false;

  memory.read(output + outSize, guard.data(), canaryBytes);
  if (!std::all_of(guard.begin(), guard.end(),
                   [&](uint8_t byte) { return byte == canary; })) {
    error = "kernel '" + kernel.name + "' wrote past the end of its output";
    return false;
  }
  bytes.resize(outSize);
  memory.read(output, bytes.data(), outSize);
  out.assign(count, 0);
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(&out[i], bytes.data() + i * launch.outBytes, launch.outBytes);
    if (!memory.isWritten(output + i * launch.outBytes, launch.outBytes)) {
      error = "kernel '" + kernel.name + "' never stored element " +
              std::to_string(i);
      return false;
    }
  }
  return true;
}

} // namespace polytest
