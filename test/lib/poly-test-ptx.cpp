//===- poly-test-ptx.cpp - Compares a kernel with replay
//-------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// poly-test-ptx PROGRAM FILE.ptx KERNEL [elements a thread, default 8]
///
/// Runs the kernel in the emulator on every input of the program's argument
/// format (for f32: every bf16 value) and compares the bits with replay. Exit
/// code 1 on the first difference or on anything the emulator refuses.
///
//===----------------------------------------------------------------------===//

#include "ElementwiseRun.h"

#include "poly/Program/ProgramFile.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace polytest;

static int fail(const std::string &message) {
  std::fprintf(stderr, "poly-test-ptx: %s\n", message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 5)
    return fail("usage: poly-test-ptx PROGRAM FILE.ptx KERNEL [PER-THREAD]");
  const poly::Program *program = nullptr;
  std::vector<poly::Program> programs = poly::buildShippedPrograms();
  // A program file stands for its first program.
  if (std::string(argv[1]).find(".json") != std::string::npos) {
    std::ifstream file(argv[1]);
    std::stringstream text;
    text << file.rdbuf();
    auto read = poly::parseProgramFile(text.str(), argv[1]);
    if (!read)
      return fail(llvm::toString(read.takeError()));
    programs.assign(1, read->front());
    program = &programs.front();
  }
  for (const poly::Program &candidate : programs)
    if (candidate.name() == argv[1])
      program = &candidate;
  if (!program)
    return fail("no shipped program '" + std::string(argv[1]) + "'");
  std::ifstream file(argv[2]);
  std::stringstream text;
  text << file.rdbuf();
  if (!file)
    return fail("cannot read '" + std::string(argv[2]) + "'");

  std::string error;
  auto module = PtxModule::parse(text.str(), error);
  if (!module)
    return fail(std::string(argv[2]) + ": " + error);
  const PtxKernel *kernel = module->kernel(argv[3]);
  if (!kernel)
    return fail("no kernel '" + std::string(argv[3]) + "' in " + argv[2]);

  bool wideIn = program->info().from == poly::Format::F32;
  ElementwiseLaunch launch;
  launch.perThread = argc == 5 ? unsigned(std::atoi(argv[4])) : 8;
  if (launch.perThread == 0)
    return fail("the elements a thread must be a positive number");
  launch.inBytes = wideIn ? 4 : 2;
  launch.outBytes = program->info().to == poly::Format::F32 ? 4 : 2;
  std::vector<uint32_t> in, out;
  for (uint32_t bits = 0; bits < 65536; ++bits)
    in.push_back(wideIn ? bits << 16 : bits);
  while (in.size() % launch.perThread)
    in.push_back(in.back());
  if (!runElementwise(*kernel, launch, in, out, error))
    return fail(error);
  std::vector<uint32_t> expected(in.size());
  poly::replayElements(*program, in.data(), expected.data(), in.size());
  for (size_t i = 0; i < in.size(); ++i)
    if (out[i] != expected[i]) {
      std::printf("%s(0x%x): kernel 0x%x, replay 0x%x\n", argv[1], in[i],
                  out[i], expected[i]);
      return 1;
    }
  std::printf("%s: %zu inputs equal\n", argv[1], in.size());
  return 0;
}
