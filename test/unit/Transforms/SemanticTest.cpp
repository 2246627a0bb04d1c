//===- SemanticTest.cpp - The interpreter of poly-identify ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Semantic/Libdevice.h"
#include "../Semantic/ValueGraph.h"

#include "poly/Program/Formats.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace mlir::poly;
using ::poly::Format;

namespace {

class SemanticTest : public testing::Test {
protected:
  SemanticTest() {
    context
        .loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                     func::FuncDialect, LLVM::LLVMDialect, math::MathDialect>();
  }

  /// Parses a function and gives what it returns.
  Value parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {};
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    graph.emplace();
    for (Block &block : function.getBody())
      if (auto op = dyn_cast<func::ReturnOp>(block.getTerminator()))
        return op.getOperand(0);
    return {};
  }

  /// The returned value for each argument of a one-argument function.
  std::vector<float> run(StringRef text, ArrayRef<float> arguments) {
    Value result = parse(text);
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    std::optional<UnaryBody> body =
        findBody(*graph, result, function.getArgument(0));
    if (!body)
      return {};
    std::vector<uint32_t> bits;
    for (float argument : arguments)
      bits.push_back(llvm::bit_cast<uint32_t>(argument));
    std::vector<float> results;
    for (uint32_t word : evaluate(*body, bits))
      results.push_back(llvm::bit_cast<float>(word));
    return results;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::optional<ValueGraph> graph;
};

TEST_F(SemanticTest, BranchesBecomeSelections) {
  // x < 0 ? (x < -2 ? -5 : -x) : 2x, with a merge inside a merge.
  EXPECT_EQ(run(R"(
    func.func @f(%x: f32) -> f32 {
      %zero = arith.constant 0.0 : f32
      %m2 = arith.constant -2.0 : f32
      %m5 = arith.constant -5.0 : f32
      %neg = arith.cmpf olt, %x, %zero : f32
      cf.cond_br %neg, ^left, ^right
    ^left:
      %far = arith.cmpf olt, %x, %m2 : f32
      %n = arith.negf %x : f32
      cf.cond_br %far, ^inner(%m5 : f32), ^inner(%n : f32)
    ^inner(%i: f32):
      cf.br ^done(%i : f32)
    ^right:
      %d = arith.addf %x, %x : f32
      cf.br ^done(%d : f32)
    ^done(%r: f32):
      return %r : f32
    })",
                {-3.0f, -1.5f, 0.0f, 4.0f}),
            (std::vector<float>{-5.0f, 1.5f, 0.0f, 8.0f}));
}

TEST_F(SemanticTest, LoopsAreOpaque) {
  EXPECT_TRUE(run(R"(
    func.func @f(%x: f32) -> f32 {
      cf.br ^loop(%x : f32)
    ^loop(%v: f32):
      %next = arith.addf %v, %v : f32
      %more = arith.cmpf olt, %next, %x : f32
      cf.cond_br %more, ^loop(%next : f32), ^done(%next : f32)
    ^done(%r: f32):
      return %r : f32
    })",
                  {1.0f})
                  .empty());
}

TEST_F(SemanticTest, RoundsTowardsMinusInfinity) {
  StringRef text = R"(
    func.func @f(%x: f32) -> f32 {
      %a = arith.constant 252.0 : f32
      %c = arith.constant 12582913.0 : f32
      %r = llvm.call_intrinsic "llvm.nvvm.fma.rm.f"(%x, %a, %c) : (f32, f32, f32) -> f32
      return %r : f32
    })";
  // 252 * 0.999 = 251.7: down to 251, where rounding to nearest gives 252.
  EXPECT_EQ(run(text, {0.0f, 0.5f, 0.999f, 1.0f, -0.001f}),
            (std::vector<float>{12582913.0f, 12583039.0f, 12583164.0f,
                                12583165.0f, 12582912.0f}));
}

TEST_F(SemanticTest, FlushesWhereTheInstructionDoes) {
  EXPECT_EQ(run(R"(
    func.func @f(%x: f32) -> f32 {
      %a = llvm.call_intrinsic "llvm.nvvm.fabs.ftz.f32"(%x) : (f32) -> f32
      return %a : f32
    })",
                {-1e-40f, -1.0f}),
            (std::vector<float>{0.0f, 1.0f}));
}

TEST_F(SemanticTest, NarrowArithmeticRoundsOnce) {
  // 1 + 2^-8 lies between two bf16 numbers and goes to the even one.
  EXPECT_EQ(run(R"(
    func.func @f(%x: f32) -> f32 {
      %b = arith.truncf %x : f32 to bf16
      %one = arith.constant 1.0 : bf16
      %s = arith.addf %b, %one : bf16
      %r = arith.extf %s : bf16 to f32
      return %r : f32
    })",
                {0x1p-8f, 0x1.8p-8f, 0x1p-7f}),
            (std::vector<float>{1.0f, 1 + 0x1p-7f, 1 + 0x1p-7f}));
}

TEST_F(SemanticTest, FindsTheNearestArgumentFirst) {
  Value result = parse(R"(
    func.func @f(%x: bf16) -> f32 {
      %w = arith.extf %x : bf16 to f32
      %two = arith.constant 2.0 : f32
      %y = arith.mulf %w, %two : f32
      %a = math.absf %y : f32
      %c = arith.cmpf olt, %y, %two : f32
      %r = arith.select %c, %a, %y : f32
      return %r : f32
    })");
  std::vector<UnaryBody> bodies = findBodies(*graph, result, 3);
  ASSERT_EQ(bodies.size(), 3u);
  EXPECT_TRUE(isa<arith::MulFOp>(bodies[0].argument.getDefiningOp()));
  EXPECT_TRUE(isa<arith::ExtFOp>(bodies[1].argument.getDefiningOp()));
  EXPECT_TRUE(isa<BlockArgument>(bodies[2].argument));
  EXPECT_EQ(bodies[2].type.format, Format::BF16);
}

/// The largest difference that counts as none, and the next.
TEST(IsAccurateTest, HoldsItsBound) {
  constexpr double kUlp = 0x1p-23;
  EXPECT_TRUE(
      isAccurate(llvm::bit_cast<uint32_t>(float(1 + 16 * kUlp)), 1, 16));
  EXPECT_FALSE(
      isAccurate(llvm::bit_cast<uint32_t>(float(1 + 17 * kUlp)), 1, 16));
  EXPECT_TRUE(isAccurate(llvm::bit_cast<uint32_t>(0x1p-125f), 0, 16));
  EXPECT_FALSE(isAccurate(llvm::bit_cast<uint32_t>(0x1p-124f), 0, 16));
  EXPECT_TRUE(
      isAccurate(llvm::bit_cast<uint32_t>(INFINITY), 0x1.fffffep127, 16));
  EXPECT_FALSE(isAccurate(llvm::bit_cast<uint32_t>(INFINITY), 0x1p127, 16));
  EXPECT_FALSE(isAccurate(llvm::bit_cast<uint32_t>(INFINITY), -INFINITY, 16));
  EXPECT_FALSE(isAccurate(llvm::bit_cast<uint32_t>(1.0f), NAN, 16));
  EXPECT_FALSE(isAccurate(llvm::bit_cast<uint32_t>(NAN), 1, 16));
  EXPECT_TRUE(isAccurate(llvm::bit_cast<uint32_t>(NAN), NAN, 16));
}

/// A function that is off by \p ulps everywhere.
std::string offByUlps(int ulps) {
  std::string factor = std::to_string(0x3f800000 + ulps);
  return R"(
    func.func @f(%b: f16) -> f32 {
      %x = arith.extf %b : f16 to f32
      %bits = arith.constant )" +
         factor + R"( : i32
      %k = arith.bitcast %bits : i32 to f32
      %t = math.tanh %x : f32
      %r = arith.mulf %t, %k : f32
      return %r : f32
    })";
}

TEST_F(SemanticTest, ComparesWithinSixteenUlps) {
  for (auto [ulps, expected] :
       {std::pair(12, Evidence::Exhaustive), std::pair(40, Evidence::None)}) {
    Value result = parse(offByUlps(ulps));
    std::vector<UnaryBody> bodies = findBodies(*graph, result, 2);
    ASSERT_EQ(bodies.size(), 2u);
    // %t is the nearest; %x is the next.
    Recognised what = BodyComparer().compare(bodies[1], Format::F16);
    EXPECT_EQ(what.evidence, expected) << ulps << " ulps";
  }
}

TEST_F(SemanticTest, DenseArgumentsHoldTheSpecialValues) {
  std::vector<uint32_t> arguments = denseArguments({0x3f19999a});
  for (uint32_t bits :
       {0x00000000u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u,
        0x00000001u, 0x7f7fffffu, 0x3f199999u, 0x3f19999au, 0x3f19999bu})
    EXPECT_TRUE(llvm::is_contained(arguments, bits)) << std::hex << bits;
  EXPECT_GT(arguments.size(), 20000u);
}

} // namespace
