//===- KernelValues.cpp - What the built kernels compute ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// poly-kernel and poly-compile write PTX, the emulator runs it. Results must
/// be Replay's bits wherever an element is, for lengths that end within a
/// chunk, in place, and with nothing touched outside of the arrays.
///
//===----------------------------------------------------------------------===//

#include "CompileTool.h"
#include "PtxEmulator.h"

#include "poly/Program/Formats.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include "gtest/gtest.h"

using namespace polytest;
using poly::Format;

namespace {

using Bits = std::vector<uint16_t>;

/// A compiled kernel and the program in it.
struct Compiled {
  std::unique_ptr<PtxModule> module;
  const poly::Program *program = nullptr;

  const PtxKernel &kernel() const { return module->kernels().front(); }
  uint16_t evaluate(uint16_t x) const {
    return uint16_t(poly::replayElement(*program, x));
  }
};

Compiled build(const std::string &test, std::vector<std::string> arguments,
               const std::vector<std::string> &options) {
  CompileTool tool("kernel-" + test);
  std::string source = tool.outputPath() + ".in.mlir", output, error;
  arguments.insert(arguments.end(), {"-o", source});
  EXPECT_EQ(runTool(POLY_KERNEL_PATH, arguments, output), 0) << output;
  CompileResult result = tool.compileFile(source, options);
  EXPECT_EQ(result.exitCode, 0) << result.messages;
  std::remove(source.c_str());

  Compiled compiled;
  compiled.module = PtxModule::parse(result.ptx, error);
  EXPECT_TRUE(compiled.module) << error;
  EXPECT_FALSE(result.decisions.empty());
  for (const Decision &decision : result.decisions) {
    EXPECT_EQ(decision.decision, "applied") << decision.reason;
    // Every copy of the body has the same program.
    EXPECT_EQ(decision.program, result.decisions.front().program);
  }
  const poly::RegisteredProgram *registered =
      result.decisions.empty()
          ? nullptr
          : poly::findProgram(result.decisions.front().program);
  if (registered)
    compiled.program = &registered->program;
  EXPECT_TRUE(compiled.program);
  tool.discard();
  return compiled;
}

/// The arrays of a launch, each followed by unmapped memory.
class Launch {
public:
  explicit Launch(const Compiled &compiled) : compiled(compiled) {}

  uint64_t input(const Bits &values) {
    uint64_t address = memory.allocate(values.size() * 2, 16);
    memory.write(address, values.data(), values.size() * 2);
    arguments.addU64(address);
    return address;
  }
  uint64_t output(size_t size) {
    uint64_t address = memory.allocate(size * 2, 16);
    arguments.addU64(address);
    return address;
  }
  Launch &pass(uint64_t value) {
    arguments.addU64(value);
    return *this;
  }
  void run(size_t count, size_t perBlock) {
    std::string error;
    unsigned blocks = unsigned((count + perBlock - 1) / perBlock);
    ASSERT_TRUE(ptxLaunch(compiled.kernel(), {blocks, 1, 1}, {kThreads, 1, 1},
                          arguments, memory, error))
        << error;
  }
  Bits read(uint64_t address, size_t size) {
    EXPECT_TRUE(memory.isWritten(address, size * 2));
    Bits values(size);
    memory.read(address, values.data(), size * 2);
    return values;
  }

  static constexpr unsigned kThreads = 256;

private:
  const Compiled &compiled;
  PtxMemory memory;
  PtxArguments arguments;
};

/// Equal bits, or both NaN.
void expectSame(Format format, const Bits &got, const Bits &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(got[i] == expected[i] || (poly::isNaN(format, got[i]) &&
                                          poly::isNaN(format, expected[i])))
        << "element " << i << ": " << got[i] << ", expected " << expected[i];
}

/// The product in the format, rounded once: it is exact in double.
uint16_t product(Format format, uint16_t a, uint16_t b) {
  return uint16_t(
      poly::encode(format, poly::decode(format, a) * poly::decode(format, b)));
}

/// \p count values that visit all bit patterns in an order of their own.
Bits patterns(size_t count, uint16_t step) {
  Bits values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = uint16_t(i * step);
  return values;
}

/// Values between -8 and 8 of a format.
Bits moderate(Format format, size_t count, unsigned seed) {
  Bits values(count);
  uint32_t state = seed;
  for (uint16_t &value : values) {
    state = state * 1664525u + 1013904223u;
    value = uint16_t(
        poly::encode(format, double(int32_t(state)) * (8.0 / 2147483648.0)));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

struct ActivationCase {
  const char *function, *type;
  unsigned vectors;
  const char *option;
};

class Forward : public testing::TestWithParam<ActivationCase> {};

TEST_P(Forward, IsReplay) {
  const ActivationCase &c = GetParam();
  Compiled compiled =
      build(std::string(c.function) + c.type,
            {"elementwise", std::string("--function=") + c.function,
             std::string("--type=") + c.type,
             "--vectors=" + std::to_string(c.vectors)},
            {"--chip=sm_90", c.option});
  ASSERT_TRUE(compiled.module && compiled.program);
  Format format = std::string(c.type) == "bf16" ? Format::BF16 : Format::F16;
  size_t perBlock = size_t(c.vectors) * 8 * Launch::kThreads;
  // All inputs and a bit; less than a chunk; a block and a part of a chunk.
  for (size_t count : {size_t(65536 + 13), size_t(3), perBlock + 8 * 256 + 7}) {
    SCOPED_TRACE(count);
    Bits x = patterns(count, 12345), expected(count);
    for (size_t i = 0; i < count; ++i)
      expected[i] = compiled.evaluate(x[i]);
    Launch launch(compiled);
    launch.input(x);
    uint64_t out = launch.output(count);
    launch.pass(count).run(count, perBlock);
    if (HasFatalFailure())
      return;
    expectSame(format, launch.read(out, count), expected);

    Launch inPlace(compiled);
    uint64_t both = inPlace.input(x);
    inPlace.pass(both).pass(count).run(count, perBlock);
    if (HasFatalFailure())
      return;
    expectSame(format, inPlace.read(both, count), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Forward,
    testing::Values(ActivationCase{"silu", "bf16", 2, "--budget=atol=2e-2"},
                    ActivationCase{"sigmoid", "f16", 1, "--budget=ulps=1"},
                    ActivationCase{"gelu-tanh", "bf16", 4,
                                   "--budget=atol=2e-2"}));

TEST(Backward, IsTheGradientTimesReplay) {
  Compiled compiled =
      build("dsilu",
            {"elementwise", "--function=silu", "--direction=backward",
             "--round-derivative", "--vectors=2"},
            {"--chip=sm_90", "--budget=atol=2e-2"});
  ASSERT_TRUE(compiled.module && compiled.program);
  size_t count = 65536 + 11, perBlock = 4096;
  Bits x = patterns(count, 12345), dy = moderate(Format::BF16, count, 1);
  Bits expected(count);
  for (size_t i = 0; i < count; ++i)
    expected[i] = product(Format::BF16, dy[i], compiled.evaluate(x[i]));
  Launch launch(compiled);
  launch.input(x);
  uint64_t gradient = launch.input(dy);
  launch.pass(gradient).pass(count).run(count, perBlock);
  if (HasFatalFailure())
    return;
  expectSame(Format::BF16, launch.read(gradient, count), expected);
}

//===----------------------------------------------------------------------===//
// SwiGLU
//===----------------------------------------------------------------------===//

struct Shape {
  size_t rows, columns;
  size_t count() const { return rows * columns; }
};

/// Whole chunks a row; rows that end within one; less than a chunk in all.
constexpr Shape kShapes[] = {{37, 72}, {29, 77}, {1, 5}};

/// Rows of \p a and \p b in turn.
Bits packRows(const Bits &a, const Bits &b, Shape shape) {
  Bits packed;
  for (size_t row = 0; row < shape.rows; ++row)
    for (const Bits *part : {&a, &b})
      packed.insert(packed.end(), part->begin() + row * shape.columns,
                    part->begin() + (row + 1) * shape.columns);
  return packed;
}

class Swiglu : public testing::TestWithParam<const char *> {
protected:
  bool packed() const { return GetParam() == std::string("packed"); }
  std::string layout() const { return std::string("--layout=") + GetParam(); }
  void inputs(Launch &launch, const Bits &g, const Bits &u, Shape shape) {
    if (packed()) {
      launch.input(packRows(g, u, shape));
      return;
    }
    launch.input(g);
    launch.input(u);
  }
};

TEST_P(Swiglu, ForwardIsReplayTimesUp) {
  Compiled compiled = build(std::string("swiglu-forward-") + GetParam(),
                            {"swiglu", layout(), "--round-activation"},
                            {"--chip=sm_90", "--budget=atol=2e-2"});
  ASSERT_TRUE(compiled.module && compiled.program);
  for (Shape shape : kShapes) {
    SCOPED_TRACE(shape.columns);
    size_t count = shape.count();
    Bits g = patterns(count, 12345), u = moderate(Format::BF16, count, 2);
    Bits expected(count);
    for (size_t i = 0; i < count; ++i)
      expected[i] = product(Format::BF16, compiled.evaluate(g[i]), u[i]);
    Launch launch(compiled);
    inputs(launch, g, u, shape);
    uint64_t out = launch.output(count);
    launch.pass(shape.rows).pass(shape.columns).run(count, 2048);
    if (HasFatalFailure())
      return;
    expectSame(Format::BF16, launch.read(out, count), expected);
  }
}

TEST_P(Swiglu, BackwardSharesOneSigmoid) {
  Compiled compiled =
      build(std::string("swiglu-backward-") + GetParam(),
            {"swiglu", "--direction=backward", layout(), "--round-sigmoid"},
            {"--chip=sm_90", "--budget=atol=1e-2"});
  ASSERT_TRUE(compiled.module && compiled.program);
  EXPECT_EQ(compiled.program->info().function, poly::Function::Sigmoid);
  Format format = Format::BF16;
  for (Shape shape : kShapes) {
    SCOPED_TRACE(shape.columns);
    size_t count = shape.count();
    Bits g = moderate(format, count, 3), u = moderate(format, count, 4),
         dy = moderate(format, count, 5), dg(count), du(count);
    for (size_t i = 0; i < count; ++i) {
      auto value = [&](uint16_t bits) {
        return float(poly::decode(format, bits));
      };
      // Each f32 operation rounds once, as in the kernel.
      float s = value(compiled.evaluate(g[i])), x = value(g[i]);
      float silu = x * s, rest = 1.0f - s, inner = x * rest;
      float sum = 1.0f + inner, slope = s * sum;
      float gate = value(dy[i]) * value(u[i]), gradient = gate * slope;
      dg[i] = uint16_t(poly::encode(format, gradient));
      float up = value(dy[i]) * silu;
      du[i] = uint16_t(poly::encode(format, up));
    }
    Launch launch(compiled);
    inputs(launch, g, u, shape);
    launch.input(dy);
    uint64_t first = launch.output(packed() ? 2 * count : count);
    uint64_t second = packed() ? 0 : launch.output(count);
    launch.pass(shape.rows).pass(shape.columns).run(count, 2048);
    if (HasFatalFailure())
      return;
    if (packed()) {
      expectSame(format, launch.read(first, 2 * count),
                 packRows(dg, du, shape));
      continue;
    }
    expectSame(format, launch.read(first, count), dg);
    expectSame(format, launch.read(second, count), du);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Swiglu, testing::Values("separate", "packed"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

} // namespace
