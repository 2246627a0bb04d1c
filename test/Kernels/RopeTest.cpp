//===- RopeTest.cpp - Rotary embedding, end to end ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds the kernels, compiles them with the tool and runs the PTX in the
/// emulator against the rotation in double.
///
//===----------------------------------------------------------------------===//

#include "rope/Rope.h"

#include "CompileTool.h"
#include "CudaTools.h"
#include "PtxEmulator.h"

#include "poly/Program/Certify.h"
#include "poly/Program/Formats.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace poly::kernels;
using namespace polytest;
using poly::Format;

namespace {

constexpr double kTwoPi = 6.28318530717958647693;

Format formatOf(ElementType type) {
  return type == ElementType::BF16  ? Format::BF16
         : type == ElementType::F16 ? Format::F16
                                    : Format::F32;
}

struct Shape {
  uint64_t batch = 2, sequence = 5, heads = 3, position = 0;
};

/// Q0.32 frequencies of base 10000.
std::vector<uint32_t> frequencies(int64_t headDim) {
  std::vector<uint32_t> result;
  for (int64_t j = 0; j < headDim / 2; ++j)
    result.push_back(uint32_t(
        std::llround(std::pow(10000.0, -2.0 * double(j) / double(headDim)) /
                     kTwoPi * 0x1p32)));
  return result;
}

std::string textOf(const RopeOptions &options) {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = buildRope(context, options);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

/// A compiled kernel on small arrays.
class KernelRun {
public:
  KernelRun(const RopeOptions &options, const Shape &shape,
            const std::vector<std::string> &flags, const std::string &name)
      : options(options), shape(shape), format(formatOf(options.type)) {
    CompileTool tool("rope-" + name);
    compiled = tool.compile(textOf(options), flags);
    tool.discard();
  }

  /// The largest error beyond half an ulp of the result, as a share of the
  /// pair's size; -1 after a failure.
  double worst();

  CompileResult compiled;

private:
  size_t size() const {
    return shape.batch * shape.sequence * shape.heads * options.headDim;
  }
  size_t index(uint64_t b, uint64_t s, uint64_t h, uint64_t d,
               bool transposed) const {
    uint64_t row = transposed ? (b * shape.heads + h) * shape.sequence + s
                              : (b * shape.sequence + s) * shape.heads + h;
    return row * options.headDim + d;
  }
  /// Phase of pair j at place s, in turns, from -1/2 to 1/2.
  double turns(uint64_t s, uint64_t j) const {
    uint32_t phase =
        uint32_t(shape.position + s) * frequencies(options.headDim)[j];
    return int32_t(phase) * 0x1p-32;
  }
  uint64_t place(PtxMemory &memory, const std::vector<double> &values,
                 Format type);

  RopeOptions options;
  Shape shape;
  Format format;
};

uint64_t KernelRun::place(PtxMemory &memory, const std::vector<double> &values,
                          Format type) {
  size_t bytes = poly::elementBits(type) / 8;
  std::vector<uint8_t> data(values.size() * bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t bits = poly::encode(type, values[i]);
    std::memcpy(data.data() + i * bytes, &bits, bytes);
  }
  uint64_t address = memory.allocate(data.size(), 16);
  memory.write(address, data.data(), data.size());
  return address;
}

double KernelRun::worst() {
  if (compiled.exitCode != 0) {
    ADD_FAILURE() << compiled.messages;
    return -1;
  }
  std::string error;
  std::unique_ptr<PtxModule> module = PtxModule::parse(compiled.ptx, error);
  if (!module || module->kernels().size() != 1) {
    ADD_FAILURE() << error;
    return -1;
  }
  const PtxKernel &kernel = module->kernels().front();
  PtxMemory memory;
  std::vector<double> x(size());
  uint32_t state = 12345;
  for (double &value : x) {
    state = state * 1664525u + 1013904223u;
    value =
        poly::decode(format, poly::encode(format, int32_t(state) * 0x1p-29));
  }
  uint64_t input = place(memory, x, format);
  uint64_t output = memory.allocate(size() * 2, 16);
  PtxArguments arguments;
  arguments.addU64(input).addU64(output);
  uint64_t pairs = uint64_t(options.headDim) / 2;
  if (options.source == RopeSource::Turns) {
    std::vector<uint32_t> words = frequencies(options.headDim);
    uint64_t address = memory.allocate(words.size() * 4, 16);
    memory.write(address, words.data(), words.size() * 4);
    arguments.addU64(address);
  } else {
    std::vector<double> cosines, sines;
    for (uint64_t s = 0; s < shape.position + shape.sequence; ++s)
      for (uint64_t j = 0; j < pairs; ++j) {
        double phase = turns(s - shape.position, j);
        cosines.push_back(std::cos(kTwoPi * phase));
        sines.push_back(std::sin(kTwoPi * phase));
      }
    Format type = formatOf(options.angleType);
    uint64_t first = place(memory, cosines, type);
    arguments.addU64(first).addU64(place(memory, sines, type));
  }
  arguments.addU64(shape.batch).addU64(shape.sequence).addU64(shape.heads);
  arguments.addU64(shape.position);
  auto blocks = [](uint64_t count, int64_t each) {
    return unsigned((count + uint64_t(each) - 1) / uint64_t(each));
  };
  PtxDim3 grid;
  grid.x = blocks(shape.sequence, options.positions);
  grid.y = blocks(shape.heads, options.headGroups * options.headsPerThread);
  grid.z = unsigned(shape.batch);
  if (!ptxLaunch(kernel, grid, {unsigned(threadsPerBlock(options)), 1, 1},
                 arguments, memory, error)) {
    ADD_FAILURE() << error;
    return -1;
  }
  EXPECT_TRUE(memory.isWritten(output, size() * 2));
  std::vector<uint16_t> y(size());
  memory.read(output, y.data(), size() * 2);

  double worst = 0;
  bool half = options.layout == RopeLayout::Half;
  for (uint64_t b = 0; b < shape.batch; ++b)
    for (uint64_t s = 0; s < shape.sequence; ++s)
      for (uint64_t h = 0; h < shape.heads; ++h)
        for (uint64_t j = 0; j < pairs; ++j) {
          uint64_t d0 = half ? j : 2 * j, d1 = half ? j + pairs : 2 * j + 1;
          double angle = kTwoPi * turns(s, j) * (options.backward ? -1 : 1);
          double x0 = x[index(b, s, h, d0, options.backward)];
          double x1 = x[index(b, s, h, d1, options.backward)];
          double expected[] = {x0 * std::cos(angle) - x1 * std::sin(angle),
                               x1 * std::cos(angle) + x0 * std::sin(angle)};
          for (int i = 0; i < 2; ++i) {
            size_t at = index(b, s, h, i ? d1 : d0, !options.backward);
            double got = poly::decode(format, y[at]);
            double error = std::fabs(got - expected[i]) -
                           0.5 * poly::ulp(format, expected[i]);
            worst = std::max(worst, error / std::hypot(x0, x1));
          }
        }
  return worst;
}

RopeOptions smallOptions() {
  RopeOptions options;
  options.headDim = 32;
  options.positions = 4;
  options.headGroups = 4;
  options.headsPerThread = 2;
  return options;
}

const std::vector<std::string> kFlags = {"--chip=sm_90"};

/// Half an ulp of cosine and sine near 1 in the type they are rounded to, and
/// what the program adds, on each of two products.
constexpr double kF16Angles = 2 * 0x1.4p-12, kBF16Angles = 2 * 0x1.8p-9;

} // namespace

// Three heads by twos and five positions by fours: both ends are partial.
TEST(Rope, RotatesAndTransposes) {
  for (RopeLayout layout : {RopeLayout::Half, RopeLayout::Interleaved})
    for (bool backward : {false, true})
      for (ElementType type : {ElementType::BF16, ElementType::F16}) {
        RopeOptions options = smallOptions();
        options.layout = layout;
        options.backward = backward;
        options.type = type;
        KernelRun run(options, {}, kFlags, "rotates");
        double worst = run.worst();
        EXPECT_GE(worst, 0);
        EXPECT_LE(worst, kF16Angles) << name(layout).str() << backward;
        ASSERT_EQ(run.compiled.decisions.size(), 2u);
        EXPECT_EQ(run.compiled.decisions[0].program,
                  "sin_turn-odd9rf32-f32-f16x2");
        EXPECT_EQ(run.compiled.decisions[1].program,
                  "cos_turn-even8rf32-f32-f16x2");
      }
}

// Nothing is lost at positions beyond a million, nor where the position itself
// overflows 32 bits.
TEST(Rope, LargePositionsAreExact) {
  for (uint64_t position : {uint64_t(1000003), (uint64_t(1) << 32) - 2,
                            (uint64_t(1) << 40) + 12345}) {
    Shape shape;
    shape.position = position;
    shape.batch = 1;
    double worst = KernelRun(smallOptions(), shape, kFlags, "large").worst();
    EXPECT_GE(worst, 0);
    EXPECT_LE(worst, kF16Angles) << position;
  }
}

TEST(Rope, BF16AnglesAndTheirProgram) {
  RopeOptions options = smallOptions();
  options.angleType = ElementType::BF16;
  KernelRun run(options, {}, kFlags, "bf16-angles");
  double worst = run.worst();
  EXPECT_GT(worst, kF16Angles);
  EXPECT_LE(worst, kBF16Angles);
  ASSERT_EQ(run.compiled.decisions.size(), 2u);
  EXPECT_EQ(run.compiled.decisions[0].program, "sin_turn-odd7rf32-f32-bf16x2");
}

// The same source on the special function unit, and on rounded phases.
TEST(Rope, VariantsAreOptionsOfTheCompiler) {
  KernelRun sfu(smallOptions(), {},
                {"--chip=sm_90",
                 "--programs=sin_turn-sfu-f32-f16x2,cos_turn-sfu-f32-f16x2"},
                "sfu");
  double worst = sfu.worst();
  EXPECT_GE(worst, 0);
  EXPECT_LE(worst, kF16Angles);
  EXPECT_NE(sfu.compiled.ptx.find("sin.approx"), std::string::npos);

  KernelRun rounded(smallOptions(), {},
                    {"--chip=sm_90", "--round-inputs", "--budget=atol=2e-3"},
                    "rounded");
  worst = rounded.worst();
  // An f16 phase is off by up to 2^-13 turns.
  EXPECT_GT(worst, kF16Angles);
  EXPECT_LE(worst, 2 * (2e-3 + kTwoPi * 0x1p-13));
  EXPECT_NE(rounded.compiled.ptx.find("fma.rn.f16x2"), std::string::npos);
}

TEST(Rope, TablesOfEveryType) {
  for (RopeLayout layout : {RopeLayout::Half, RopeLayout::Interleaved})
    for (ElementType type :
         {ElementType::F32, ElementType::BF16, ElementType::F16}) {
      RopeOptions options = smallOptions();
      options.layout = layout;
      options.source = RopeSource::Table;
      options.angleType = type;
      Shape shape;
      shape.position = 7;
      double worst = KernelRun(options, shape, kFlags, "table").worst();
      EXPECT_GE(worst, 0);
      EXPECT_LE(worst, type == ElementType::F32    ? 0x1p-21
                       : type == ElementType::BF16 ? kBF16Angles
                                                   : kF16Angles)
          << name(layout).str();
    }
}

// A head whose chunks are no power of two.
TEST(Rope, AnyMultipleOfSixteen) {
  for (int64_t headDim : {16, 80, 96}) {
    RopeOptions options = smallOptions();
    options.headDim = headDim;
    options.headGroups = 8;
    Shape shape;
    shape.batch = 1;
    double worst = KernelRun(options, shape, kFlags, "dims").worst();
    EXPECT_GE(worst, 0);
    EXPECT_LE(worst, kF16Angles) << headDim;
  }
}

// Accesses are 16 bytes wide.
TEST(Rope, MovesSixteenBytesAtATime) {
  KernelRun run(RopeOptions(), {}, kFlags, "wide");
  ASSERT_EQ(run.compiled.exitCode, 0) << run.compiled.messages;
  const std::string &ptx = run.compiled.ptx;
  auto count = [&](const std::string &what) {
    unsigned found = 0;
    for (size_t at = ptx.find(what); at != std::string::npos;
         at = ptx.find(what, at + 1))
      ++found;
    return found;
  };
  // Four heads at once and one in a loop, two chunks each.
  EXPECT_EQ(count("st.global.v4"), 10u);
  EXPECT_EQ(count("st.global"), 10u);
}

// The error of the angle at positions from a million on, in radians: f32
// arithmetic loses bits of position times frequency, the fixed-point phase only
// has the rounding of its frequency, 2^-33 turns a position.
TEST(Rope, AnglesOfLargePositions) {
  double floating = 0, fixed = 0;
  std::vector<uint32_t> words = frequencies(128);
  for (uint32_t position = 1u << 20; position < (1u << 20) + 4096;
       position += 7)
    for (int j = 0; j < 64; ++j) {
      double omega = std::pow(10000.0, -2.0 * j / 128);
      double exact = position * omega;
      floating =
          std::max(floating, std::fabs(float(position) * float(omega) - exact));
      uint32_t phase = position * words[j];
      fixed = std::max(fixed, std::fabs(std::remainder(
                                  phase * 0x1p-32 * kTwoPi - exact, kTwoPi)));
    }
  EXPECT_GT(floating, 0.05);
  EXPECT_LT(floating, 0.09);
  EXPECT_GT(fixed, 7e-4);
  EXPECT_LT(fixed, 7.8e-4); // 2^20 * 2^-33 * 2 pi.
}

// One square serves sine and cosine, and nothing goes to the special function
// unit or a slow path.
TEST(Rope, SassOfTheVariants) {
  std::string ptxas = findCudaTool("ptxas"),
              nvdisasm = findCudaTool("nvdisasm");
  if (ptxas.empty() || nvdisasm.empty())
    GTEST_SKIP() << "ptxas or nvdisasm is not installed";
  auto opcodes = [&](const RopeOptions &options, std::vector<std::string> flags,
                     const std::string &name) {
    flags.push_back("--chip=sm_90");
    CompileTool tool("rope-sass-" + name);
    CompileResult result = tool.compile(textOf(options), flags);
    EXPECT_EQ(result.exitCode, 0) << result.messages;
    std::string cubin = tool.outputPath() + ".cubin", log, text;
    EXPECT_EQ(runTool(ptxas,
                      {"-arch=sm_90", "-v", tool.outputPath(), "-o", cubin},
                      log),
              0)
        << log;
    EXPECT_NE(log.find(" 0 bytes spill stores"), std::string::npos) << log;
    EXPECT_EQ(runTool(nvdisasm, {"-c", cubin}, text), 0) << text;
    std::remove(cubin.c_str());
    tool.discard();
    return countOpcodes(text, "rope_turns_half_forward_bf16");
  };
  RopeOptions options;
  OpcodeCounts polynomial = opcodes(options, {}, "polynomial");
  EXPECT_EQ(total(polynomial, "MUFU"), 0u);
  EXPECT_EQ(total(polynomial, "CALL"), 0u);
  EXPECT_EQ(total(polynomial, "LDL"), 0u);
  EXPECT_EQ(total(polynomial, "I2F") + total(polynomial, "I2FP"), 8u);

  OpcodeCounts sfu = opcodes(
      options, {"--programs=sin_turn-sfu-f32-f16x2,cos_turn-sfu-f32-f16x2"},
      "sfu");
  EXPECT_EQ(total(sfu, "MUFU.SIN"), 8u);
  EXPECT_EQ(total(sfu, "MUFU.COS"), 8u);
  EXPECT_EQ(total(sfu, "CALL"), 0u);

  // libdevice reduces angles itself.
  options.approximate = false;
  OpcodeCounts native = opcodes(options, {"--policy=off"}, "native");
  EXPECT_EQ(total(native, "MUFU"), 0u);
  EXPECT_GT(total(native, "FFMA"), total(polynomial, "FFMA"));
}

TEST(Rope, OptionsThatDoNotGoTogether) {
  RopeOptions options;
  EXPECT_EQ(validate(options), "");
  options.type = ElementType::F32;
  EXPECT_NE(validate(options).find("bf16 or f16"), std::string::npos);
  options = RopeOptions();
  options.headDim = 100;
  EXPECT_NE(validate(options).find("multiple of 16"), std::string::npos);
  options = RopeOptions();
  options.positions = 0;
  EXPECT_NE(validate(options).find("positions must be"), std::string::npos);
  options = RopeOptions();
  options.headGroups = 64;
  EXPECT_NE(validate(options).find("threads must be"), std::string::npos);
}
