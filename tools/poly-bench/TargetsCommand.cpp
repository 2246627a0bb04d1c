//===- TargetsCommand.cpp - The target models as a page -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Table.h"

#include "poly/Target/Names.h"

#include <cstdio>

using namespace poly;
using namespace poly::bench;
using poly::runtime::Table;

namespace {

const char *pipeName(Pipe pipe) {
  switch (pipe) {
  case Pipe::Fma:
    return "FMA";
  case Pipe::Alu:
    return "ALU";
  case Pipe::Xu:
    return "XU";
  case Pipe::NumPipes:
    break;
  }
  return "";
}

const char *meaning(InstrClass instrClass) {
  switch (instrClass) {
  case InstrClass::F32Fma:
    return "add, mul, fma, neg, abs in f32";
  case InstrClass::PackedFma:
    return "add, mul, fma on f16x2";
  case InstrClass::PackedFmaB:
    return "add, mul, fma on bf16x2";
  case InstrClass::PackedUnary:
    return "neg, abs on bf16x2; f16 to f32";
  case InstrClass::PackedMinMax:
    return "min, max on packed types";
  case InstrClass::F32MinMax:
    return "min, max, compare, select in f32";
  case InstrClass::Logic:
    return "lop3, shift, prmt";
  case InstrClass::IntMul:
    return "32-bit integer multiply-add";
  case InstrClass::Convert:
    return "two f32 to bf16x2 or f16x2";
  case InstrClass::Sfu:
    return "ex2, rcp, tanh, sin, cos";
  case InstrClass::IntAdd:
    return "32-bit integer add";
  case InstrClass::NumClasses:
    break;
  }
  return "";
}

} // namespace

int poly::bench::runTargets(const Options &options) {
  if (!options.files.empty())
    throw UsageError("targets takes no files");
  std::string text =
      "# Target models\n\n"
      "What poly assumes of each GPU when it counts issue slots: thread "
      "instructions per clock and multiprocessor, the pipe, and where the "
      "figure "
      "comes from. `poly-bench pipes` measures the figures of the GPU at hand. "
      "This page is written by `poly-bench targets`.\n\n"
      "\"guide\" is the CUDA C++ Programming Guide's table of the throughput "
      "of "
      "native arithmetic instructions; \"measured\" was measured with "
      "`poly-bench pipes`; what is assumed says of which other GPU.\n";
  for (const TargetModel *target : allTargets()) {
    text += "\n## " + std::string(target->chip) + ": " +
            std::string(target->description) + "\n\nIssues " +
            std::to_string(target->issuePerClock) + " a clock, " +
            std::to_string(target->sustainedIssuePerClock) +
            " on average where pipes are mixed.\n\n";
    Table table({"class", "pipe", "a clock", "instructions", "source"});
    for (unsigned i = 0; i < unsigned(InstrClass::NumClasses); ++i) {
      const InstrRate &rate = target->rate(InstrClass(i));
      table.add({std::string(poly::name(InstrClass(i))), pipeName(rate.pipe),
                 std::to_string(rate.perClock), meaning(InstrClass(i)),
                 rate.source});
    }
    text += table.markdown();
  }
  std::fputs(text.c_str(), stdout);
  return 0;
}
