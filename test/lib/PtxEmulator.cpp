//===- PtxEmulator.cpp - Runs PTX kernels on the CPU --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxThread.h"

#include <cstring>

namespace polytest {

bool ptxParameters(const PtxKernel &kernel, const PtxArguments &arguments,
                   std::vector<uint8_t> &params, std::string &error) {
  if (arguments.values().size() != kernel.params.size()) {
    error = "kernel '" + kernel.name + "' has " +
            std::to_string(kernel.params.size()) + " parameters, not " +
            std::to_string(arguments.values().size());
    return false;
  }
  params.assign(kernel.paramBytes, 0);
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const std::vector<uint8_t> &bytes = arguments.values()[i];
    if (bytes.size() != kernel.params[i].size) {
      error = "parameter '" + kernel.params[i].name + "' has " +
              std::to_string(kernel.params[i].size) + " bytes, not " +
              std::to_string(bytes.size());
      return false;
    }
    std::memcpy(params.data() + kernel.params[i].offset, bytes.data(),
                bytes.size());
  }
  return true;
}

namespace {

class GlobalOnly : public PtxAddressSpaces {
public:
  explicit GlobalOnly(PtxMemory &memory) : memory(memory) {}
  bool load(PtxSpace, uint64_t address, unsigned bytes, uint64_t &value,
            std::string &error) override {
    return memory.load(address, bytes, value, error);
  }
  bool store(PtxSpace, uint64_t address, unsigned bytes, uint64_t value,
             std::string &error) override {
    return memory.store(address, bytes, value, error);
  }

private:
  PtxMemory &memory;
};

/// Runs a thread to its end; false with the thread's error and \p line set.
bool run(const PtxKernel &kernel, PtxThread &thread, uint32_t &line) {
  // Far more than any elementwise kernel needs: a loop that does not end.
  constexpr uint64_t limit = 1u << 24;
  uint32_t at = 0;
  for (uint64_t steps = 0; steps < limit; ++steps) {
    const PtxInstruction &inst = kernel.body[at];
    line = inst.line;
    ++at;
    bool executes;
    if (!thread.guard(inst, executes))
      return false;
    if (!executes)
      continue;
    if (inst.code == PtxCode::Ret)
      return true;
    if (inst.code == PtxCode::Bra)
      at = inst.target;
    else if (!thread.step(inst))
      return false;
  }
  return thread.fail("does not end");
}

} // namespace

bool ptxLaunch(const PtxKernel &kernel, PtxDim3 grid, PtxDim3 block,
               const PtxArguments &arguments, PtxMemory &memory,
               std::string &error) {
  if (kernel.hasRequiredBlock &&
      (kernel.requiredBlock.x != block.x || kernel.requiredBlock.y != block.y ||
       kernel.requiredBlock.z != block.z)) {
    error = "the block differs from the kernel's .reqntid";
    return false;
  }
  if (kernel.cooperative) {
    error = "kernel '" + kernel.name +
            "' has threads that work together: launch it with ptxLaunchBlocks";
    return false;
  }
  std::vector<uint8_t> params;
  if (!ptxParameters(kernel, arguments, params, error))
    return false;

  PtxThread::Special special = {0, 0, 0, block.x, block.y, block.z,
                                0, 0, 0, grid.x,  grid.y,  grid.z};
  GlobalOnly spaces(memory);
  PtxThread thread(kernel, params, spaces, special);
  uint32_t line = 0;
  auto triple = [&](unsigned at) {
    return "(" + std::to_string(special[at]) + "," +
           std::to_string(special[at + 1]) + "," +
           std::to_string(special[at + 2]) + ")";
  };
  uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z;
  uint64_t threads = uint64_t(block.x) * block.y * block.z;
  for (uint64_t b = 0; b < blocks; ++b) {
    special[6] = uint32_t(b % grid.x);
    special[7] = uint32_t(b / grid.x % grid.y);
    special[8] = uint32_t(b / grid.x / grid.y);
    for (uint64_t t = 0; t < threads; ++t) {
      special[0] = uint32_t(t % block.x);
      special[1] = uint32_t(t / block.x % block.y);
      special[2] = uint32_t(t / block.x / block.y);
      thread.reset();
      if (run(kernel, thread, line))
        continue;
      error = "line " + std::to_string(line) + ": thread " + triple(0) +
              " of block " + triple(6) + " " + thread.error;
      return false;
    }
  }
  return true;
}

} // namespace polytest
