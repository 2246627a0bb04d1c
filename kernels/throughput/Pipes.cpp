//===- Pipes.cpp - Issue rates of single instructions ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "throughput/Pipes.h"

#include "throughput/Frame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;

namespace poly::kernels {

namespace {

constexpr unsigned kChains = 8;
/// Steps of every chain in an iteration, so that the loop's own instructions
/// are few among those that are counted.
constexpr unsigned kSteps = 16;
/// The last of them are operands that no step changes.
constexpr unsigned kWords = kChains + 2;

/// What the register operands of an instruction hold.
enum class Seed { F32, BF16x2, F16x2 };

/// One instruction. Operands: $0 the chain (also the result), $1 the next
/// chain, $2 and $3 values that never change.
struct Instruction {
  const char *ptx;
  const char *operands;
  /// Name in `poly::InstrClass` of the class whose rate it has.
  const char *instrClass;
};

/// What is repeated. A chain does all of its instructions in turn; in a mix
/// with `split`, half of the chains do the first one and half the second.
struct Pipe {
  const char *name;
  Seed seed;
  std::vector<Instruction> instructions;
  bool split = false;
};

/// ptxas folds what it can see through: two negations, sums of constants,
/// shifts by constants. So operands are values it does not know, and `neg` and
/// `abs` go into an integer addition, which has no sign modifiers.
const std::vector<Pipe> &pipes() {
  static const std::vector<Pipe> all = {
      {"fma.rn.f32", Seed::F32, {{"fma.rn.f32", "023", "F32Fma"}}},
      {"fma.rn.f16x2", Seed::F16x2, {{"fma.rn.f16x2", "023", "PackedFma"}}},
      {"fma.rn.bf16x2", Seed::BF16x2, {{"fma.rn.bf16x2", "023", "PackedFmaB"}}},
      {"neg.bf16x2+abs.bf16x2+add.s32",
       Seed::BF16x2,
       {{"neg.bf16x2", "0", "PackedUnary"},
        {"abs.bf16x2", "1", "PackedUnary"},
        {"add.s32", "01", "IntAdd"}}},
      {"min.bf16x2+max.bf16x2",
       Seed::BF16x2,
       {{"min.bf16x2", "02", "PackedMinMax"},
        {"max.bf16x2", "03", "PackedMinMax"}}},
      {"min.f16x2+max.f16x2",
       Seed::F16x2,
       {{"min.f16x2", "02", "PackedMinMax"},
        {"max.f16x2", "03", "PackedMinMax"}}},
      {"min.f32+max.f32",
       Seed::F32,
       {{"min.f32", "02", "F32MinMax"}, {"max.f32", "03", "F32MinMax"}}},
      {"lop3.b32", Seed::F32, {{"lop3.b32", "012", "Logic"}}},
      {"shl.b32", Seed::F32, {{"shl.b32", "02", "Logic"}}},
      {"add.s32", Seed::F32, {{"add.s32", "01", "IntAdd"}}},
      {"mad.lo.s32", Seed::F32, {{"mad.lo.s32", "023", "IntMul"}}},
      {"cvt.rn.bf16x2.f32",
       Seed::F32,
       {{"cvt.rn.bf16x2.f32", "01", "Convert"}}},
      {"cvt.rn.f16x2.f32", Seed::F32, {{"cvt.rn.f16x2.f32", "01", "Convert"}}},
      {"ex2.approx.ftz.f32", Seed::F32, {{"ex2.approx.ftz.f32", "0", "Sfu"}}},
      // The fma hides from ptxas that no result is subnormal, and that two
      // reciprocals cancel.
      {"ex2.approx.f32+fma.rn.f32",
       Seed::F32,
       {{"ex2.approx.f32", "0", "Sfu"}, {"fma.rn.f32", "023", "F32Fma"}}},
      {"rcp.approx.ftz.f32+fma.rn.f32",
       Seed::F32,
       {{"rcp.approx.ftz.f32", "0", "Sfu"}, {"fma.rn.f32", "023", "F32Fma"}}},
      {"tanh.approx.f32", Seed::F32, {{"tanh.approx.f32", "0", "Sfu"}}},
      {"tanh.approx.bf16x2",
       Seed::BF16x2,
       {{"tanh.approx.bf16x2", "0", "Sfu"}}},
      {"ex2.approx.ftz.bf16x2",
       Seed::BF16x2,
       {{"ex2.approx.ftz.bf16x2", "0", "Sfu"}}},
      {"fma.rn.f32+lop3.b32",
       Seed::F32,
       {{"fma.rn.f32", "023", "F32Fma"}, {"lop3.b32", "012", "Logic"}},
       /*split=*/true},
      // As many as a special function unit leaves issue slots for.
      {"fma.rn.f32+ex2.approx.ftz.f32",
       Seed::F32,
       {{"ex2.approx.ftz.f32", "0", "Sfu"},
        {"fma.rn.f32", "023", "F32Fma"},
        {"fma.rn.f32", "023", "F32Fma"},
        {"fma.rn.f32", "023", "F32Fma"},
        {"fma.rn.f32", "023", "F32Fma"}}},
  };
  return all;
}

const Pipe *findPipe(llvm::StringRef name) {
  for (const Pipe &pipe : pipes())
    if (name == pipe.name)
      return &pipe;
  return nullptr;
}

bool takesFloats(llvm::StringRef ptx) { return ptx.ends_with(".f32"); }

class PipeBuilder {
public:
  PipeBuilder(MLIRContext &context, const PipeOptions &options)
      : options(options), pipe(*findPipe(options.instruction)), b(context) {}

  OwningOpRef<ModuleOp> build();

private:
  Value issue(ThroughputFrame &frame, const Instruction &instruction,
              ArrayRef<Value> operands);
  SmallVector<Value> iterate(ThroughputFrame &frame, ValueRange chains,
                             ArrayRef<Value> fixed);
  Value seed(ThroughputFrame &frame, Value word);
  /// Of each instruction of the pipe.
  int64_t timesPerIteration() const {
    return kSteps * kChains / (pipe.split ? 2 : 1);
  }
  DictionaryAttr mix();

  const PipeOptions &options;
  const Pipe &pipe;
  KernelBuilder b;
};

/// All values are i32 between instructions; a bit cast to f32 is free.
Value PipeBuilder::issue(ThroughputFrame &frame, const Instruction &instruction,
                         ArrayRef<Value> operands) {
  llvm::StringRef ptx = instruction.ptx;
  bool floats = takesFloats(ptx);
  bool floatResult = floats && !ptx.starts_with("cvt.");
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  SmallVector<Value> arguments;
  std::string text = ptx.str() + " $0", constraints = floatResult ? "=f" : "=r";
  for (char operand : llvm::StringRef(instruction.operands)) {
    arguments.push_back(
        frame.asType(operands[operand - '0'], floats ? f32 : i32));
    text += ", $" + std::to_string(arguments.size());
    constraints += floats ? ",f" : ",r";
  }
  if (ptx == "lop3.b32")
    text += ", 0x96"; // Exclusive or of three.
  auto dialect =
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  Value result =
      LLVM::InlineAsmOp::create(b, TypeRange{floatResult ? f32 : i32},
                                arguments, text + ";", constraints,
                                /*has_side_effects=*/false,
                                /*is_align_stack=*/false,
                                LLVM::TailCallKind::None, dialect, ArrayAttr())
          .getRes();
  return frame.asInteger(result);
}

SmallVector<Value> PipeBuilder::iterate(ThroughputFrame &frame,
                                        ValueRange chains,
                                        ArrayRef<Value> fixed) {
  SmallVector<Value> current(chains);
  for (unsigned step = 0; step < kSteps; ++step) {
    SmallVector<Value> before = current;
    for (unsigned chain = 0; chain < kChains; ++chain) {
      SmallVector<Value> operands = {
          before[chain], before[(chain + 1) % kChains], fixed[0], fixed[1]};
      if (pipe.split) {
        // The neighbour is one of the same instruction.
        operands[1] = before[(chain + 2) % kChains];
        current[chain] = issue(frame, pipe.instructions[chain % 2], operands);
        continue;
      }
      for (const Instruction &instruction : pipe.instructions) {
        bool ofNeighbour = instruction.operands == llvm::StringRef("1");
        Value result = issue(frame, instruction, operands);
        operands[ofNeighbour ? 1 : 0] = result;
      }
      current[chain] = operands[0];
    }
  }
  return current;
}

Value PipeBuilder::seed(ThroughputFrame &frame, Value word) {
  if (pipe.seed == Seed::F32)
    return frame.asInteger(word);
  Type element =
      pipe.seed == Seed::BF16x2 ? Type(b.getBF16Type()) : Type(b.getF16Type());
  // The lanes differ: of operands with equal lanes, ptxas makes half-register
  // selections that only one of the two packed pipes can do.
  Value negated = arith::NegFOp::create(b, word);
  Value wide = vector::FromElementsOp::create(
      b, VectorType::get({2}, b.getF32Type()), ValueRange{word, negated});
  return frame.asInteger(
      arith::TruncFOp::create(b, VectorType::get({2}, element), wide));
}

/// How many instructions of each class a thread issues in an iteration; a
/// special function of a pair counts twice.
DictionaryAttr PipeBuilder::mix() {
  NamedAttrList list;
  for (const Instruction &instruction : pipe.instructions) {
    llvm::StringRef ptx = instruction.ptx;
    llvm::StringRef instrClass = instruction.instrClass;
    int64_t times = timesPerIteration();
    if (instrClass == "Sfu" && ptx.ends_with("x2"))
      times *= 2;
    if (auto known = dyn_cast_if_present<IntegerAttr>(list.get(instrClass)))
      times += known.getInt();
    list.set(instrClass, b.getI64IntegerAttr(times));
  }
  return list.getDictionary(b.getContext());
}

OwningOpRef<ModuleOp> PipeBuilder::build() {
  std::string kernel = "pipe_" + options.instruction;
  std::replace_if(
      kernel.begin(), kernel.end(), [](char c) { return c == '.' || c == '+'; },
      '_');
  int64_t perIteration =
      timesPerIteration() * int64_t(pipe.instructions.size());
  SmallVector<NamedAttribute> notes = {
      b.note("family", "pipes"), b.note("instruction", options.instruction),
      b.note("perIteration", perIteration), b.getNamedAttr("mix", mix())};
  ThroughputFrame frame(b, kernel, options.threads, kWords, notes);
  SmallVector<Value> seeds;
  for (Value word : frame.words())
    seeds.push_back(seed(frame, word));
  SmallVector<Value> fixed(seeds.begin() + kChains, seeds.end());
  frame.repeat(ValueRange(seeds).take_front(kChains), [&](ValueRange chains) {
    return iterate(frame, chains, fixed);
  });
  return b.take();
}

} // namespace

std::vector<std::string> pipeInstructions() {
  std::vector<std::string> names;
  for (const Pipe &pipe : pipes())
    names.emplace_back(pipe.name);
  return names;
}

std::string validate(const PipeOptions &options) {
  if (!findPipe(options.instruction)) {
    std::string known;
    for (const std::string &name : pipeInstructions())
      known += (known.empty() ? "" : ", ") + name;
    return "unknown instruction '" + options.instruction + "'; known are " +
           known;
  }
  return validateThreads(options.threads);
}

OwningOpRef<ModuleOp> buildPipe(MLIRContext &context,
                                const PipeOptions &options) {
  return PipeBuilder(context, options).build();
}

} // namespace poly::kernels
