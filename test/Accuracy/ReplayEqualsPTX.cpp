//===- ReplayEqualsPTX.cpp - The PTX that ships computes what replay does -===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// For every shipped program: a module of kernels, spelled as a user would
/// spell them, goes through the poly-compile executable, and the emulator runs
/// the text it writes on all inputs.
///
//===----------------------------------------------------------------------===//

#include "AccuracyInputs.h"
#include "CompileTool.h"
#include "ElementwiseRun.h"

#include "poly/Target/Target.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace polytest;
using poly::Format;
using poly::Function;
using poly::Program;

namespace {

/// These start from ordinary ops; the others from their poly op.
bool isBasic(Function function) {
  return function == Function::Sigmoid || function == Function::Tanh ||
         function == Function::Silu;
}

/// Which get kernels of every shape; the others one with pairs and a lone lane.
bool hasAllShapes(Function function) {
  return isBasic(function) || poly::isExponential(function);
}

/// Programs of an op: those with a domain are applied by name only.
std::vector<std::string> planned() {
  std::vector<std::string> names;
  for (const Program &program : allPrograms())
    if (poly::isExponential(program.info().function) ||
        (std::isinf(program.info().domainHigh) &&
         program.info().parameter == 0))
      names.push_back(program.name());
  return names;
}

/// f(x) on values of MLIR type \p type, as ordinary ops; an exponential as the
/// op that a proof about its argument has left.
std::string spell(const poly::ProgramInfo &info, const std::string &type,
                  const std::string &x, const std::string &result) {
  Function function = info.function;
  if (poly::isExponential(function)) {
    char bound[80] = "";
    if (std::isfinite(info.domainHigh))
      std::snprintf(bound, sizeof bound, "bound = %.17e : f64, ",
                    info.domainHigh);
    std::string text = "    ", argument = x;
    if (std::isfinite(info.domainLow)) {
      // What a program without a clamp needs.
      char low[40];
      std::snprintf(low, sizeof low, "%.9e", info.domainLow);
      bool isVector = type != "f32";
      text +=
          "%low = arith.constant " +
          (isVector ? "dense<" + std::string(low) + ">" : std::string(low)) +
          " : " + type + "\n    %above = arith.maximumf " + x +
          ", %low : " + type + "\n    ";
      argument = "%above";
    }
    return text + result + " = poly." + std::string(poly::name(function)) +
           " " + argument + " fastmath<afn> consent {" + bound +
           "role = #poly.exp_role<weight>} : " + type + "\n";
  }
  std::string fast = " fastmath<afn> : " + type + "\n";
  if (!isBasic(function))
    return "    " + result + " = poly." + std::string(poly::name(function)) +
           " " + x + fast;
  if (function == Function::Tanh)
    return "    " + result + " = math.tanh " + x + fast;
  std::string one = type == "f32" ? "1.0" : "dense<1.0>";
  std::string numerator = function == Function::Silu ? x : "%one";
  return "    %one = arith.constant " + one + " : " + type +
         "\n    %n = arith.negf " + x + fast + "    %e = math.exp %n" + fast +
         "    %d = arith.addf %e, %one" + fast + "    " + result +
         " = arith.divf " + numerator + ", %d" + fast;
}

/// A kernel in which each thread does \p width elements; 0 is a scalar.
std::string kernelText(const Program &program, const std::string &name,
                       unsigned width, unsigned alignment, bool reversed) {
  std::string from(poly::name(program.info().from));
  std::string to(poly::name(program.info().to));
  if (program.info().to == Format::E4M3)
    to = "f8E4M3FN";
  if (program.info().to == Format::E5M2)
    to = "f8E5M2";
  auto typed = [&](const std::string &element) {
    return width ? "vector<" + std::to_string(width) + "x" + element + ">"
                 : element;
  };
  unsigned count = width ? width : 1;
  std::string inRef = "memref<?x" + from + ">", outRef = "memref<?x" + to + ">";
  std::string aligned =
      alignment ? " {alignment = " + std::to_string(alignment) + "}" : "";
  std::string text = "  gpu.func @" + name + "(%in: " + inRef +
                     ", %out: " + outRef +
                     ") kernel {\n"
                     "    %block = gpu.block_id x\n"
                     "    %dim = gpu.block_dim x\n"
                     "    %lane = gpu.thread_id x\n"
                     "    %first = arith.muli %block, %dim : index\n"
                     "    %thread = arith.addi %first, %lane : index\n"
                     "    %width = arith.constant " +
                     std::to_string(count) +
                     " : index\n"
                     "    %i = arith.muli %thread, %width : index\n";
  text += width ? "    %x = vector.load %in[%i]" + aligned + " : " + inRef +
                      ", " + typed(from) + "\n"
                : "    %x = memref.load %in[%i] : " + inRef + "\n";
  std::string x = "%x", y = "%y";
  if (from != "f32") {
    text += "    %wide = arith.extf %x : " + typed(from) + " to " +
            typed("f32") + "\n";
    x = "%wide";
  }
  text += spell(program.info(), typed("f32"), x, "%f");
  if (to != "f32")
    text += "    %y = arith.truncf %f : " + typed("f32") + " to " + typed(to) +
            "\n";
  else
    y = "%f";
  std::string j = "%i";
  if (reversed) {
    // The last lane of the last thread's chunk goes first.
    std::string order;
    for (unsigned lane = 0; lane < width; ++lane)
      order += (lane ? ", " : "") + std::to_string(width - 1 - lane);
    text += "    %turned = vector.shuffle " + y + ", " + y + " [" + order +
            "] : " + typed(to) + ", " + typed(to) +
            "\n    %grid = gpu.grid_dim x\n"
            "    %threads = arith.muli %grid, %dim : index\n"
            "    %one_thread = arith.constant 1 : index\n"
            "    %last = arith.subi %threads, %one_thread : index\n"
            "    %mirror = arith.subi %last, %thread : index\n"
            "    %j = arith.muli %mirror, %width : index\n";
    y = "%turned";
    j = "%j";
  }
  text +=
      width ? "    vector.store " + y + ", %out[" + j + "]" + aligned + " : " +
                  outRef + ", " + typed(to) + "\n"
            : "    memref.store " + y + ", %out[" + j + "] : " + outRef + "\n";
  return text + "    gpu.return\n  }\n";
}

std::string moduleText(const Program &program) {
  std::string text =
      "gpu.module @m {\n" + kernelText(program, "odd5", 5, 0, false);
  if (hasAllShapes(program.info().function))
    text += kernelText(program, "vec8", 8, 16, false) +
            kernelText(program, "scalar", 0, 0, false) +
            kernelText(program, "reversed", 8, 16, true);
  return text + "}\n";
}

class ReplayEqualsPTX : public testing::TestWithParam<std::string> {
protected:
  /// Compiles the program's module for \p chip and runs all its kernels.
  void check(const Program &program, const std::string &chip) {
    SCOPED_TRACE(chip);
    CompileTool tool(program.name() + "-" + chip);
    CompileResult result =
        tool.compile(moduleText(program),
                     {"--chip=" + chip, "--policy=opt-in",
                      "--programs=" + program.name(), "--round-inputs"});
    ASSERT_EQ(result.exitCode, 0) << result.messages;
    bool all = hasAllShapes(program.info().function);
    ASSERT_EQ(result.decisions.size(), all ? 4u : 1u);
    for (const Decision &decision : result.decisions) {
      ASSERT_EQ(decision.decision, "applied") << decision.reason;
      ASSERT_EQ(decision.program, program.name());
    }
    std::string error;
    auto module = PtxModule::parse(result.ptx, error);
    ASSERT_TRUE(module) << tool.outputPath() << ": " << error;
    EXPECT_EQ(module->target, chip);

    struct Variant {
      const char *kernel;
      unsigned perThread;
      size_t alignment;
      bool reversed;
    };
    size_t inBytes = formatBytes(program.info().from);
    const Variant variants[] = {{"odd5", 5, inBytes, false},
                                {"vec8", 8, 16, false},
                                {"scalar", 1, inBytes, false},
                                {"reversed", 8, 16, true}};
    for (const Variant &variant : variants) {
      if (!all && &variant != variants)
        break;
      SCOPED_TRACE(variant.kernel);
      std::vector<uint32_t> in = accuracyInputs(program.info()), out;
      // Rotated, so that an input's lane differs between the variants, and
      // filled up to whole threads.
      std::rotate(in.begin(), in.begin() + variant.perThread / 2, in.end());
      while (in.size() % variant.perThread)
        in.push_back(in.front());
      ElementwiseLaunch launch;
      launch.perThread = variant.perThread;
      launch.inBytes = unsigned(inBytes);
      launch.outBytes = formatBytes(program.info().to);
      launch.alignment = variant.alignment;
      const PtxKernel *kernel = module->kernel(variant.kernel);
      ASSERT_TRUE(kernel);
      ASSERT_TRUE(runElementwise(*kernel, launch, in, out, error))
          << tool.outputPath() << ": " << error;
      std::vector<uint32_t> expected = replayAll(program, in);
      if (variant.reversed)
        std::reverse(out.begin(), out.end());
      for (size_t i = 0; i < in.size(); ++i)
        ASSERT_EQ(hex(out[i]), hex(expected[i])) << "input " << hex(in[i]);
    }
    tool.discard();
  }
};

TEST_P(ReplayEqualsPTX, OnAllInputs) {
  const Program &program = programNamed(GetParam());
  unsigned minimum = poly::minimumSm(program);
  check(program, minimum > 90 ? "sm_" + std::to_string(minimum) : "sm_90");
  if (HasFatalFailure())
    return;
  // Programs for older chips must hold there too.
  if (program.name().find("-sm80") != std::string::npos)
    check(program, "sm_80");
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReplayEqualsPTX, testing::ValuesIn(planned()),
                         programTestName);

/// One program of each kind of code on each chip: the backend writes other
/// instructions for other chips (wider vectors, packed f32).
class EveryChip : public ReplayEqualsPTX {};

TEST_P(EveryChip, OnAllInputs) {
  const poly::TargetModel *target = poly::findTarget(GetParam());
  for (const char *name :
       {"sigmoid-half3-bf16x2", "silu-half6c-f16x2", "silu-half3-f32-bf16x2",
        "silu-sfu-bf16x2", "tanh-tanh32-f32-f16x2", "sigmoid-ex2poly-f16x2",
        "silu-sfu-f32"}) {
    SCOPED_TRACE(name);
    const Program &program = programNamed(name);
    if (poly::minimumSm(program) <= target->sm)
      check(program, GetParam());
    if (HasFatalFailure())
      return;
  }
}

std::vector<std::string> allChips() {
  std::vector<std::string> chips;
  for (const poly::TargetModel *target : poly::allTargets())
    chips.emplace_back(target->chip);
  return chips;
}
INSTANTIATE_TEST_SUITE_P(Chips, EveryChip, testing::ValuesIn(allChips()),
                         programTestName);

/// The emulator must see a difference, or the tests above prove nothing.
TEST(PtxOracle, SeesOneWrongConstant) {
  const Program &program = programNamed("sigmoid-half3-bf16x2");
  CompileTool tool("one-wrong-constant");
  CompileResult result = tool.compile(
      moduleText(program),
      {"--policy=opt-in", "--programs=" + program.name(), "--round-inputs"});
  ASSERT_EQ(result.exitCode, 0) << result.messages;
  // The last packed constant that is the literal of a mov: one unit more.
  size_t entry = result.ptx.find(".entry vec8(");
  ASSERT_NE(entry, std::string::npos);
  size_t at = result.ptx.find("fma.rn.relu.bf16x2", entry);
  at = result.ptx.rfind("mov.b32", at);
  ASSERT_GT(at, entry);
  ASSERT_NE(at, std::string::npos);
  at = result.ptx.find(", ", at) + 2;
  size_t end = result.ptx.find(';', at);
  long long literal = std::atoll(result.ptx.substr(at, end - at).c_str());
  ASSERT_NE(literal, 0);
  result.ptx.replace(at, end - at, std::to_string(literal + 1));
  std::string error;
  auto module = PtxModule::parse(result.ptx, error);
  ASSERT_TRUE(module) << error;
  std::vector<uint32_t> in = accuracyInputs(Format::BF16), out;
  ASSERT_TRUE(runElementwise(*module->kernel("vec8"), {}, in, out, error))
      << error;
  EXPECT_NE(out, replayAll(program, in));
  tool.discard();
}

//===----------------------------------------------------------------------===//
// The kernels that ship
//===----------------------------------------------------------------------===//

struct Shipped {
  const char *file, *kernel;
  /// What makes the planner replace it: a budget, or a program's name where no
  /// program is faster than the source.
  const char *choice = "--budget=atol=5e-2";
};

class ShippedKernel : public testing::TestWithParam<Shipped> {};

/// Any count, including tails of every length.
TEST_P(ShippedKernel, AllCounts) {
  const Shipped &shipped = GetParam();
  CompileTool tool(shipped.kernel);
  CompileResult result = tool.compileFile(
      std::string(POLY_KERNELS_DIR) + "/activations/" + shipped.file,
      {"--chip=sm_90", shipped.choice, "--policy=opt-in", "--round-inputs"});
  ASSERT_EQ(result.exitCode, 0) << result.messages;
  std::string error;
  auto module = PtxModule::parse(result.ptx, error);
  ASSERT_TRUE(module) << tool.outputPath() << ": " << error;
  const PtxKernel *kernel = module->kernel(shipped.kernel);
  ASSERT_TRUE(kernel);
  // Vector body and scalar tail may use programs of their own.
  std::vector<const Program *> programs;
  for (const Decision &decision : result.decisions)
    if (decision.function == shipped.kernel) {
      ASSERT_EQ(decision.decision, "applied") << decision.reason;
      programs.push_back(&programNamed(decision.program));
    }
  ASSERT_FALSE(programs.empty());
  bool wide = programs.front()->info().to == Format::F32;
  ElementwiseLaunch launch;
  launch.perThread = wide ? 4 : 8;
  launch.inBytes = launch.outBytes = wide ? 4 : 2;
  std::vector<uint32_t> all = accuracyInputs(programs.front()->info().from);
  for (size_t count : {size_t(1), size_t(2), size_t(7), size_t(9), size_t(4093),
                       all.size() - 1, all.size()}) {
    SCOPED_TRACE(count);
    std::vector<uint32_t> in(all.end() - std::ptrdiff_t(count), all.end()), out;
    ASSERT_TRUE(runElementwise(*kernel, launch, in, out, error)) << error;
    std::vector<std::vector<uint32_t>> expected;
    for (const Program *program : programs)
      expected.push_back(replayAll(*program, in));
    size_t whole = count / launch.perThread * launch.perThread;
    for (size_t i = 0; i < count; ++i) {
      // Sites are reported in program order: the body first.
      const auto &one = i < whole ? expected.front() : expected.back();
      ASSERT_EQ(hex(out[i]), hex(one[i])) << "input " << hex(in[i]);
    }
  }
  tool.discard();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, ShippedKernel,
    testing::Values(
        Shipped{"silu.mlir", "silu_bf16"}, Shipped{"silu.mlir", "silu_f16"},
        Shipped{"sigmoid.mlir", "sigmoid_bf16"},
        Shipped{"sigmoid.mlir", "sigmoid_f16"},
        Shipped{"tanh.mlir", "tanh_bf16"}, Shipped{"tanh.mlir", "tanh_f16"},
        Shipped{"silu_f32.mlir", "silu_f32", "--programs=silu-sfu-f32"}),
    [](const auto &info) { return std::string(info.param.kernel); });

} // namespace
