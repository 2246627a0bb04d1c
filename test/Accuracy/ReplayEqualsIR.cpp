//===- ReplayEqualsIR.cpp - Emitted ops compute what replay does ----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccuracyInputs.h"
#include "IrEvaluator.h"

#include "poly/Transforms/EmitProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace polytest;

namespace {

/// Ops in a function of its own, from a program's emitter.
class EmittedFunction {
public:
  explicit EmittedFunction(const ::poly::Program &program) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        LLVM::LLVMDialect, vector::VectorDialect>();
    OpBuilder builder(&context);
    Location loc = builder.getUnknownLoc();
    module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    auto registerType = [&](::poly::Type type) -> mlir::Type {
      if (type == ::poly::Type::F32)
        return builder.getF32Type();
      if (type == ::poly::Type::B32)
        return builder.getI32Type();
      mlir::Type element = type == ::poly::Type::BF16x2
                               ? mlir::Type(builder.getBF16Type())
                               : mlir::Type(builder.getF16Type());
      return VectorType::get({2}, element);
    };
    SmallVector<mlir::Type> inputs;
    for (::poly::Type type : program.inputs())
      inputs.push_back(registerType(type));
    auto function = func::FuncOp::create(
        builder, loc, "f",
        builder.getFunctionType(inputs, registerType(program.resultType())));
    block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    Value result =
        mlir::poly::emitProgram(builder, loc, program, block->getArguments());
    func::ReturnOp::create(builder, loc, result);
  }

  bool verifies() { return succeeded(verify(*module)); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Block *block = nullptr;
};

class ReplayEqualsIR : public testing::TestWithParam<std::string> {};

TEST_P(ReplayEqualsIR, OnAllInputs) {
  const ::poly::Program &program = programNamed(GetParam());
  std::vector<uint32_t> inputs = accuracyInputs(program.info());
  std::vector<uint32_t> expected = replayAll(program, inputs);

  // Each input goes once through each lane; lane 1 sees them in another order,
  // so lanes that leak into each other show.
  size_t count = inputs.size(), lanes = program.info().lanes;
  auto element = [&](size_t n, size_t lane) {
    return lane == 0 ? n : (n * 40503 + 12345 * lane) % count;
  };
  size_t perRegister = lanes / program.inputs().size();
  std::vector<IrEvaluator::Registers> arguments(program.inputs().size(),
                                                IrEvaluator::Registers(count));
  for (size_t n = 0; n < count; ++n)
    for (size_t lane = 0; lane < lanes; ++lane) {
      uint64_t bits = inputs[element(n, lane)];
      arguments[lane / perRegister][n] |= bits << (16 * (lane % perRegister));
    }

  EmittedFunction emitted(program);
  ASSERT_TRUE(emitted.verifies());
  std::vector<IrEvaluator::Registers> results;
  std::string error;
  ASSERT_TRUE(IrEvaluator().run(*emitted.block, arguments, results, error))
      << error;
  ASSERT_EQ(results.size(), 1u);
  unsigned width = elementBits(program.info().to);
  uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
  for (size_t n = 0; n < count; ++n)
    for (size_t lane = 0; lane < lanes; ++lane) {
      uint32_t got = uint32_t(results[0][n] >> (width * lane)) & mask;
      size_t index = element(n, lane);
      ASSERT_EQ(hex(got), hex(expected[index]))
          << "lane " << lane << ", input " << hex(inputs[index]);
    }
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReplayEqualsIR,
                         testing::ValuesIn(allProgramNames()), programTestName);

/// The evaluator must see a difference, or the test above proves nothing.
TEST(IrEvaluatorTest, SeesOneWrongBit) {
  const ::poly::Program &program = allPrograms().front();
  EmittedFunction emitted(program);
  LLVM::ConstantOp constant;
  emitted.block->walk([&](LLVM::ConstantOp op) {
    if (isa<VectorType>(op.getType()))
      constant = op;
  });
  ASSERT_TRUE(constant);
  std::vector<IrEvaluator::Registers> arguments(1), before, after;
  for (uint32_t bits : accuracyInputs(program.info().from))
    arguments[0].push_back(bits * 0x10001u);
  std::string error;
  ASSERT_TRUE(IrEvaluator().run(*emitted.block, arguments, before, error));
  auto type = cast<VectorType>(constant.getType());
  auto old = cast<DenseElementsAttr>(constant.getValue());
  APFloat next = old.getSplatValue<APFloat>();
  next.next(/*nextDown=*/false);
  constant.setValueAttr(DenseElementsAttr::get(type, next));
  ASSERT_TRUE(IrEvaluator().run(*emitted.block, arguments, after, error));
  EXPECT_NE(before[0], after[0]);
}

class IrRejects : public testing::Test {
protected:
  IrRejects() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        LLVM::LLVMDialect, vector::VectorDialect>();
  }
  /// The error of evaluating a function that takes f32 %x and %y.
  template <typename Build>
  std::string error(Build build) {
    OpBuilder builder(&context);
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    mlir::Type f32 = builder.getF32Type();
    auto function = func::FuncOp::create(
        builder, loc, "f", builder.getFunctionType({f32, f32}, {}));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    Value result =
        build(builder, loc, block->getArgument(0), block->getArgument(1));
    func::ReturnOp::create(builder, loc, result);
    std::vector<IrEvaluator::Registers> results;
    std::string message;
    bool good = IrEvaluator().run(*block, {{0x3f800000}, {0x40000000}}, results,
                                  message);
    EXPECT_FALSE(good);
    return message;
  }
  MLIRContext context;
};

TEST_F(IrRejects, UnknownOp) {
  std::string message = error([](OpBuilder &b, Location loc, Value x, Value y) {
    return Value(arith::RemFOp::create(b, loc, x, y));
  });
  EXPECT_EQ(message, "arith.remf: unknown op");
}

TEST_F(IrRejects, FlagsThatLeaveTheBitsOpen) {
  std::string message = error([](OpBuilder &b, Location loc, Value x, Value y) {
    return Value(
        arith::MulFOp::create(b, loc, x, y, arith::FastMathFlags::contract));
  });
  EXPECT_NE(message.find("fast-math"), std::string::npos) << message;
}

TEST_F(IrRejects, UnknownIntrinsicAndUnknownPtx) {
  std::string message = error([](OpBuilder &b, Location loc, Value x, Value y) {
    return LLVM::CallIntrinsicOp::create(b, loc, x.getType(),
                                         b.getStringAttr("llvm.nvvm.lg2.f"),
                                         ValueRange{x})
        .getResult(0);
  });
  EXPECT_NE(message.find("unknown intrinsic"), std::string::npos) << message;
  message = error([](OpBuilder &b, Location loc, Value x, Value y) {
    return LLVM::InlineAsmOp::create(
               b, loc, x.getType(), ValueRange{x}, "lg2.approx.f32 $0, $1;",
               "=f,f", false, false, LLVM::tailcallkind::TailCallKind::None,
               LLVM::AsmDialectAttr::get(b.getContext(),
                                         LLVM::AsmDialect::AD_ATT),
               ArrayAttr())
        .getRes();
  });
  EXPECT_NE(message.find("unknown instruction"), std::string::npos) << message;
}

TEST_F(IrRejects, PoisonThatReachesTheResult) {
  std::string message = error([](OpBuilder &b, Location loc, Value x, Value y) {
    return Value(LLVM::PoisonOp::create(b, loc, x.getType()));
  });
  EXPECT_NE(message.find("poison"), std::string::npos) << message;
}

} // namespace
