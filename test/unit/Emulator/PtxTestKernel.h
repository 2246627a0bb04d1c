//===- PtxTestKernel.h - One-statement kernels for tests -------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_UNIT_EMULATOR_PTXTESTKERNEL_H
#define POLY_TEST_UNIT_EMULATOR_PTXTESTKERNEL_H

#include "PtxEmulator.h"

#include <cstring>
#include <string>
#include <vector>

namespace polytest {

/// The module around a body that has two pointer parameters, `in` in %rd1 and
/// `out` in %rd2, and registers of every kind.
inline std::string wrapKernel(const std::string &body) {
  return ".version 8.1\n.target sm_90\n.address_size 64\n"
         ".visible .entry k(\n\t.param .u64 in,\n\t.param .u64 out\n)\n{\n"
         "\t.reg .pred %p<8>;\n\t.reg .b16 %rs<20>;\n\t.reg .b32 %r<20>;\n"
         "\t.reg .b64 %rd<20>;\n"
         "\tld.param.b64 %rd1, [in];\n\tld.param.b64 %rd2, [out];\n" +
         body + "\n\tret;\n}\n";
}
/// The line of a one-line body in wrapKernel's module.
inline constexpr unsigned kBodyLine = 15;

struct KernelRun {
  bool ok = false;
  std::string error;
  std::vector<uint32_t> out;
};

/// Runs \p body in one thread on \p in; `out` has room for 16 words, which are
/// 0xA5A5A5A5 where the kernel stores nothing.
inline KernelRun runKernel(const std::string &body,
                           std::vector<uint32_t> in = {},
                           PtxDim3 grid = PtxDim3(),
                           PtxDim3 block = PtxDim3()) {
  KernelRun run;
  auto module = PtxModule::parse(wrapKernel(body), run.error);
  if (!module)
    return run;
  PtxMemory memory;
  uint64_t input = memory.allocate(in.size() * 4);
  uint64_t output = memory.allocate(64);
  if (!in.empty())
    memory.write(input, in.data(), in.size() * 4);
  PtxArguments arguments;
  arguments.addU64(input).addU64(output);
  run.ok = ptxLaunch(*module->kernel("k"), grid, block, arguments, memory,
                     run.error);
  run.out.resize(16);
  memory.read(output, run.out.data(), 64);
  return run;
}

/// Applies \p statement, which reads %r1, %r2, %r3 and writes %r4.
inline KernelRun runStatement(const std::string &statement, uint32_t a,
                              uint32_t b = 0, uint32_t c = 0) {
  return runKernel("ld.global.b32 %r1, [%rd1]; ld.global.b32 %r2, [%rd1+4]; "
                   "ld.global.b32 %r3, [%rd1+8]; " +
                       statement + " st.global.b32 [%rd2], %r4;",
                   {a, b, c});
}

} // namespace polytest

#endif // POLY_TEST_UNIT_EMULATOR_PTXTESTKERNEL_H
