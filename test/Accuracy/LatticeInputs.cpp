//===- LatticeInputs.cpp - All readers of the lattices, one reference -----===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For k = 0 to 13, Replay, the emitted ops and the PTX of poly-compile against
/// S(2^-k round(2^k x)) from its definition, on the inputs of arXiv:2609.33586,
/// B.2: one in 61 of them, or all 2,295,040 and more with POLY_ALL_INPUTS set
/// in the environment.
///
//===----------------------------------------------------------------------===//

#include "../unit/Exponential/Helpers.h"
#include "CompileTool.h"
#include "ElementwiseRun.h"
#include "IrEvaluator.h"

#include "poly/Transforms/EmitProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdlib>

using namespace polytest;
using poly::Format;
using poly::test::entry;
using poly::test::latticeForm;

namespace {

const std::vector<uint32_t> &inputs() {
  static const std::vector<uint32_t> chosen = [] {
    std::vector<uint32_t> all = poly::test::paperInputs(2000000), some;
    if (std::getenv("POLY_ALL_INPUTS"))
      some = all;
    else
      for (size_t i = 0; i < all.size(); i += 61)
        some.push_back(all[i]);
    // Whole blocks of the emulator.
    while (some.size() % 256)
      some.push_back(some.front());
    return some;
  }();
  return chosen;
}

const std::vector<uint32_t> &expected(unsigned k) {
  static std::map<unsigned, std::vector<uint32_t>> known;
  std::vector<uint32_t> &results = known[k];
  if (results.empty())
    for (uint32_t bits : inputs()) {
      double q = poly::test::quantized(poly::decode(Format::F32, bits), k);
      results.push_back(poly::test::bitsOf(float(poly::test::interpolated(q))));
    }
  return results;
}

std::string programName(unsigned k) {
  return "exp2-" + latticeForm(k) + "-f32";
}

void expectAll(const std::vector<uint32_t> &results, unsigned k) {
  ASSERT_EQ(results.size(), inputs().size());
  for (size_t i = 0; i < results.size(); ++i)
    ASSERT_EQ(results[i], expected(k)[i])
        << "k = " << k << ", x = " << poly::decode(Format::F32, inputs()[i]);
}

class LatticeInputs : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Steps, LatticeInputs, testing::Range(0u, 14u));

TEST_P(LatticeInputs, Replay) {
  expectAll(
      poly::test::replayAll(entry(programName(GetParam())).program, inputs()),
      GetParam());
}

TEST_P(LatticeInputs, EmittedOps) {
  using namespace mlir;
  const ::poly::Program &program = entry(programName(GetParam())).program;
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                      vector::VectorDialect>();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  mlir::Type f32 = builder.getF32Type();
  auto function = func::FuncOp::create(builder, loc, "f",
                                       builder.getFunctionType({f32}, {f32}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  Value result =
      mlir::poly::emitProgram(builder, loc, program, block->getArguments());
  func::ReturnOp::create(builder, loc, result);
  std::vector<IrEvaluator::Registers> results;
  IrEvaluator::Registers arguments(inputs().begin(), inputs().end());
  std::string error;
  ASSERT_TRUE(IrEvaluator().run(*block, {arguments}, results, error)) << error;
  expectAll({results[0].begin(), results[0].end()}, GetParam());
}

TEST(LatticeInputsPtx, AllSteps) {
  std::string text = "gpu.module @m {\n";
  for (unsigned k = 0; k < 14; ++k)
    text += "  gpu.func @k" + std::to_string(k) +
            "(%in: memref<?xf32>, %out: memref<?xf32>) kernel {\n"
            "    %block = gpu.block_id x\n    %dim = gpu.block_dim x\n"
            "    %lane = gpu.thread_id x\n"
            "    %first = arith.muli %block, %dim : index\n"
            "    %i = arith.addi %first, %lane : index\n"
            "    %x = memref.load %in[%i] : memref<?xf32>\n"
            "    %y = poly.apply <\"" +
            programName(k) +
            "\"> %x : f32 to f32\n"
            "    memref.store %y, %out[%i] : memref<?xf32>\n"
            "    gpu.return\n  }\n";
  CompileTool tool("lattice-inputs");
  CompileResult compiled = tool.compile(text + "}\n", {"--chip=sm_90"});
  ASSERT_EQ(compiled.exitCode, 0) << compiled.messages;
  std::string error;
  auto module = PtxModule::parse(compiled.ptx, error);
  ASSERT_TRUE(module) << error;
  for (unsigned k = 0; k < 14; ++k) {
    const PtxKernel *kernel = module->kernel("k" + std::to_string(k));
    ASSERT_TRUE(kernel);
    ElementwiseLaunch launch;
    launch.perThread = 1;
    launch.inBytes = launch.outBytes = 4;
    launch.alignment = 4;
    std::vector<uint32_t> results;
    ASSERT_TRUE(runElementwise(*kernel, launch, inputs(), results, error))
        << error;
    expectAll(results, k);
    if (HasFatalFailure())
      return;
  }
  tool.discard();
}

} // namespace
