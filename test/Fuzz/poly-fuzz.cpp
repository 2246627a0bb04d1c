//===- poly-fuzz.cpp - Random code before and after each pass -------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Generates functions, runs the passes one by one and evaluates each function
/// after each pass on the same inputs.
///  * Up to poly-raise no result may change by a bit; each function op must be
///    the function of its argument that the source computed, and a bound that
///    it states must hold.
///  * A function in which nothing was planned keeps its bits.
///  * What poly-expand writes gives the bits of the programs it writes.
/// A graph that fails is printed with the seed that makes it again.
///
//===----------------------------------------------------------------------===//

#include "GraphGenerator.h"
#include "IrEvaluator.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Dialect/Poly/RescaledAttr.h"
#include "poly/Program/Certify.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Replay.h"
#include "poly/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"

#include <cmath>
#include <cstring>
#include <unordered_map>

using namespace mlir;
using namespace polytest;
namespace cl = llvm::cl;

using ::poly::Format;

static cl::OptionCategory category("poly-fuzz options");
static cl::opt<uint64_t> first("first", cl::desc("Seed of the first graph"),
                               cl::init(0), cl::cat(category));
static cl::opt<uint64_t> count("count", cl::desc("Number of graphs"),
                               cl::init(1000), cl::cat(category));
static cl::opt<std::string> json("json", cl::desc("Write the counts here"),
                                 cl::cat(category));
static cl::opt<bool> print("print", cl::desc("Print the graphs"),
                           cl::cat(category));

namespace {

/// A batch shares a module and the planner's options.
constexpr uint64_t kBatch = 50;
constexpr size_t kInputs = 40;

using Columns = std::vector<IrEvaluator::Registers>;

struct Shape {
  Format format;
  unsigned lanes;
  unsigned width() const { return format == Format::F32 ? 32 : 16; }
};

Shape shapeOf(Type type) {
  unsigned lanes = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    lanes = vector.getNumElements();
  Type element = getElementTypeOrSelf(type);
  return {element.isF32()    ? Format::F32
          : element.isBF16() ? Format::BF16
                             : Format::F16,
          lanes};
}

uint32_t laneBits(uint64_t bits, unsigned lane, const Shape &shape) {
  bits >>= lane * shape.width();
  return shape.format == Format::F32 ? uint32_t(bits) : uint32_t(bits & 0xffff);
}

bool isSame(const Shape &shape, uint64_t a, uint64_t b) {
  for (unsigned lane = 0; lane < shape.lanes; ++lane) {
    uint32_t x = laneBits(a, lane, shape), y = laneBits(b, lane, shape);
    // Payloads of NaN are free.
    if (x != y &&
        !(::poly::isNaN(shape.format, x) && ::poly::isNaN(shape.format, y)))
      return false;
  }
  return true;
}

/// Special values first, then numbers of all sizes that matter.
Columns makeInputs(func::FuncOp function, uint64_t seed) {
  std::mt19937_64 random(seed * 77 + 5);
  std::normal_distribution<double> near(0, 2);
  std::uniform_real_distribution<double> exponent(-30, 7);
  constexpr double kSpecial[] = {0.0, -0.0, 1.0,   -1.0,  INFINITY, -INFINITY,
                                 NAN, 88.5, -88.5, 1e-40, 60000.0};
  Columns columns;
  for (Type type : function.getArgumentTypes()) {
    Shape shape = shapeOf(type);
    IrEvaluator::Registers column(kInputs);
    for (size_t n = 0; n < kInputs; ++n)
      for (unsigned lane = 0; lane < shape.lanes; ++lane) {
        size_t index = n + lane * 7;
        double x = index < std::size(kSpecial) ? kSpecial[index]
                   : index % 3 == 0 ? std::copysign(std::exp2(exponent(random)),
                                                    near(random))
                                    : near(random);
        column[n] |= uint64_t(::poly::encode(shape.format, x))
                     << (lane * shape.width());
      }
    columns.push_back(std::move(column));
  }
  return columns;
}

//===----------------------------------------------------------------------===//
// Values of ops
//===----------------------------------------------------------------------===//

bool compare(StringRef predicate, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return predicate.starts_with("u");
  return llvm::StringSwitch<bool>(predicate.drop_front())
      .Case("lt", a < b)
      .Case("le", a <= b)
      .Case("gt", a > b)
      .Case("ge", a >= b)
      .Case("eq", a == b)
      .Default(a != b);
}

double maximum(double a, double b, bool isNumber) {
  if (std::isnan(a) || std::isnan(b))
    return isNumber ? (std::isnan(a) ? b : a) : NAN;
  return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}

/// Gives the ops that the evaluator has no arithmetic for.
class Semantics {
public:
  explicit Semantics(mlir::poly::PolyDialect &dialect) : dialect(dialect) {}

  std::optional<uint64_t> operator()(Operation *op, ArrayRef<uint64_t> lanes);

private:
  uint64_t apply(mlir::poly::ApplyOp op, uint32_t bits);

  mlir::poly::PolyDialect &dialect;
  std::unordered_map<const void *, std::unordered_map<uint32_t, uint32_t>>
      results;
};

uint64_t Semantics::apply(mlir::poly::ApplyOp op, uint32_t bits) {
  const ::poly::Program &program =
      dialect.findProgram(op.getProgram().getName())->program;
  auto [it, isNew] = results[&program].try_emplace(bits, 0);
  if (isNew)
    it->second = ::poly::replayElement(program, bits);
  return it->second;
}

std::optional<uint64_t> Semantics::operator()(Operation *op,
                                              ArrayRef<uint64_t> lanes) {
  if (auto applied = dyn_cast<mlir::poly::ApplyOp>(op))
    return apply(applied, uint32_t(lanes[0]));
  if (mlir::poly::getFunction(op) || isa<mlir::poly::InlinedOp>(op))
    return lanes.size() > 1 ? std::optional(lanes[1]) : std::nullopt;
  StringRef name = op->getName().stripDialect();
  name.consume_front("intr.");
  Type type = getElementTypeOrSelf(op->getOperand(0).getType());
  if (!type.isF32() && !type.isBF16() && !type.isF16())
    return std::nullopt;
  Format format = shapeOf(type).format;
  auto operand = [&](unsigned i) {
    return ::poly::decode(format, uint32_t(lanes[i]));
  };
  StringRef predicate;
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    predicate = arith::stringifyCmpFPredicate(cmp.getPredicate());
  else if (auto cmp = dyn_cast<LLVM::FCmpOp>(op))
    predicate = LLVM::stringifyFCmpPredicate(cmp.getPredicate());
  if (!predicate.empty())
    return compare(predicate, operand(0), operand(1));
  double x = operand(0);
  uint64_t sign = uint64_t(1) << (format == Format::F32 ? 31 : 15);
  if (name == "absf" || name == "fabs")
    return lanes[0] & ~sign;
  if (name == "copysign")
    return (lanes[0] & ~sign) | (lanes[1] & sign);
  if (name == "exp")
    return ::poly::encode(format, std::exp(x));
  if (name == "exp2")
    return ::poly::encode(format, std::exp2(x));
  if (name == "tanh")
    return ::poly::encode(format, std::tanh(x));
  if (name == "maximum" || name == "maximumf")
    return ::poly::encode(format, maximum(x, operand(1), false));
  if (name == "maxnum" || name == "maxnumf")
    return ::poly::encode(format, maximum(x, operand(1), true));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// One function on its way through the passes.
struct Graph {
  uint64_t seed;
  func::FuncOp function;
  Columns inputs;
  Columns original; ///< Results of the source.
  Columns planned;  ///< Results once programs are in place.
  std::string source;
};

class Fuzzer {
public:
  Fuzzer();
  /// Runs one batch; false after a failure, which has been printed.
  bool run(uint64_t seed, uint64_t size);

  uint64_t raised = 0, bounded = 0, applied = 0;

private:
  bool fail(const Graph &graph, const Twine &message);
  bool evaluate(Graph &graph, Columns &results);
  bool unchanged(Graph &graph, const Columns &expected, StringRef stage);
  bool unchangedByRaise(Graph &graph);
  bool checkFunctions(Graph &graph);
  bool isBeyondSlack(Value argument, size_t n, unsigned lane);
  bool isInexactQuotient(Value value, size_t n, unsigned lane);
  bool checkFunction(Graph &graph, Operation *op);
  bool runPass(std::unique_ptr<Pass> pass);

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  IrEvaluator evaluator;
};

Fuzzer::Fuzzer() : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                      LLVM::LLVMDialect, math::MathDialect,
                      vector::VectorDialect, mlir::poly::PolyDialect>();
  evaluator.extension =
      Semantics(*context.getLoadedDialect<mlir::poly::PolyDialect>());
  evaluator.ignoreFlags = true;
}

bool Fuzzer::fail(const Graph &graph, const Twine &message) {
  llvm::errs() << "poly-fuzz: graph " << graph.seed << ": " << message
               << "\nsource:\n"
               << graph.source << "\nnow:\n"
               << *graph.function << "\nagain: poly-fuzz --first=" << graph.seed
               << " --count=1\n";
  return false;
}

bool Fuzzer::evaluate(Graph &graph, Columns &results) {
  std::string error;
  if (evaluator.run(graph.function.getBody().front(), graph.inputs, results,
                    error))
    return true;
  return fail(graph, "cannot be evaluated: " + error);
}

bool Fuzzer::unchanged(Graph &graph, const Columns &expected, StringRef stage) {
  Columns results;
  if (!evaluate(graph, results))
    return false;
  ArrayRef<Type> types = graph.function.getResultTypes();
  for (size_t i = 0; i < types.size(); ++i) {
    Shape shape = shapeOf(types[i]);
    for (size_t n = 0; n < kInputs; ++n)
      if (!isSame(shape, results[i][n], expected[i][n]))
        return fail(graph, stage + " changed result " + Twine(i) +
                               " for input " + Twine(n) + ": " +
                               Twine::utohexstr(expected[i][n]) + " -> " +
                               Twine::utohexstr(results[i][n]));
  }
  return true;
}

/// A function op that stands for a fraction of what the source computes, and
/// the product behind it, come and go together: the source's value is meant.
bool Fuzzer::unchangedByRaise(Graph &graph) {
  Graph meant = graph;
  meant.function = graph.function.clone();
  meant.function.walk([&](Operation *op) {
    Operation *function =
        op->getOperands().empty() ? nullptr : op->getOperand(0).getDefiningOp();
    if (op->hasAttr(mlir::poly::kRescaledAttr) && function &&
        mlir::poly::getFunction(function))
      op->getResult(0).replaceAllUsesWith(
          function->getOperand(1).getDefiningOp()->getOperand(0));
  });
  bool same = unchanged(meant, graph.original, "poly-raise");
  meant.function.erase();
  return same;
}

/// The slack of a fused difference is half an ulp of products below 2^24.
bool Fuzzer::isBeyondSlack(Value argument, size_t n, unsigned lane) {
  Operation *fma = argument.getDefiningOp();
  if (!fma || !isa<math::FmaOp, LLVM::FMAOp>(fma))
    return false;
  const auto *products = evaluator.registers(fma->getOperand(2));
  Shape shape = shapeOf(argument.getType());
  return products &&
         std::abs(::poly::decode(
             shape.format, laneBits((*products)[n], lane, shape))) >= 0x1p24;
}

/// What a function op replaces may be a quotient that poly-raise made to hold
/// the function alone; of numbers next to the subnormal ones it is inexact.
bool Fuzzer::isInexactQuotient(Value value, size_t n, unsigned lane) {
  Operation *quotient = value.getDefiningOp();
  if (!quotient || !quotient->hasAttr(mlir::poly::kRescaledAttr))
    return false;
  const auto *dividends = evaluator.registers(quotient->getOperand(0));
  Shape shape = shapeOf(value.getType());
  return dividends &&
         std::abs(::poly::decode(shape.format,
                                 laneBits((*dividends)[n], lane, shape))) <
             std::ldexp(1.0, ::poly::traits(shape.format).minExponent + 16);
}

bool Fuzzer::checkFunction(Graph &graph, Operation *op) {
  ::poly::Function function = *mlir::poly::getFunction(op);
  const auto *arguments = evaluator.registers(op->getOperand(0));
  const auto *values = evaluator.registers(op->getOperand(1));
  if (!arguments || !values)
    return fail(graph, "an operand of a function op has no value");
  auto bound = op->getAttrOfType<FloatAttr>("bound");
  bounded += bound != nullptr;
  Shape shape = shapeOf(op->getResult(0).getType());
  // What the source's own roundings amount to.
  double tolerance = shape.format == Format::F32   ? 3e-5
                     : shape.format == Format::F16 ? 2e-2
                                                   : 0.15;
  for (size_t n = 0; n < kInputs; ++n)
    for (unsigned lane = 0; lane < shape.lanes; ++lane) {
      double x =
          ::poly::decode(shape.format, laneBits((*arguments)[n], lane, shape));
      double y =
          ::poly::decode(shape.format, laneBits((*values)[n], lane, shape));
      if (bound && x > bound.getValueAsDouble() &&
          !isBeyondSlack(op->getOperand(0), n, lane))
        return fail(graph, "an argument is above the stated bound of " +
                               op->getName().getStringRef());
      double exact = ::poly::reference(function, x);
      if (std::isnan(x) && !std::isnan(y))
        return fail(graph, op->getName().getStringRef() +
                               " hides that the source gives a number for NaN");
      // Spellings that overflow on the way are replaced by better ones.
      if (!std::isfinite(y) || !std::isfinite(exact) ||
          isInexactQuotient(op->getOperand(1), n, lane))
        continue;
      if (std::abs(y - exact) > tolerance * (1 + std::abs(exact))) {
        std::string text;
        llvm::raw_string_ostream(text)
            << op->getName().getStringRef()
            << llvm::format(" of %.9g is %.9g, but the source gives %.9g", x,
                            exact, y);
        return fail(graph, text);
      }
    }
  return true;
}

bool Fuzzer::checkFunctions(Graph &graph) {
  WalkResult walk = graph.function.walk([&](Operation *op) {
    if (!mlir::poly::getFunction(op) || op->getNumOperands() < 2)
      return WalkResult::advance();
    ++raised;
    return checkFunction(graph, op) ? WalkResult::advance()
                                    : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

bool Fuzzer::runPass(std::unique_ptr<Pass> pass) {
  StringRef name = pass->getArgument();
  PassManager pm(&context);
  pm.addPass(std::move(pass));
  if (succeeded(pm.run(*module)))
    return true;
  llvm::errs() << "poly-fuzz: " << name << " failed\n";
  return false;
}

bool Fuzzer::run(uint64_t seed, uint64_t size) {
  OpBuilder builder(&context);
  module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto gpuModule =
      gpu::GPUModuleOp::create(builder, builder.getUnknownLoc(), "m");
  builder.setInsertionPointToEnd(gpuModule.getBody());
  std::vector<Graph> graphs;
  for (uint64_t i = 0; i < size; ++i) {
    Graph &graph = graphs.emplace_back();
    graph.seed = seed + i;
    GraphGenerator generator(builder, graph.seed);
    graph.function = generator.makeFunction("f" + std::to_string(graph.seed));
    llvm::raw_string_ostream(graph.source) << *graph.function;
    if (print)
      llvm::outs() << graph.source << "\n";
    graph.inputs = makeInputs(graph.function, graph.seed);
    if (failed(verify(graph.function)))
      return fail(graph, "the generator wrote invalid code");
    if (!evaluate(graph, graph.original))
      return false;
  }
  auto all = [&](llvm::function_ref<bool(Graph &)> check) {
    return llvm::all_of(graphs, check);
  };

  for (auto create :
       {mlir::poly::createPolyNormalize, mlir::poly::createPolyIdentify}) {
    if (!runPass(create()) || !all([&](Graph &graph) {
          return unchanged(graph, graph.original,
                           "poly-normalize or -identify");
        }))
      return false;
  }
  if (!runPass(mlir::poly::createPolyRaise()) || !all([&](Graph &graph) {
        Columns results;
        return unchangedByRaise(graph) && evaluate(graph, results) &&
               checkFunctions(graph);
      }))
    return false;

  mlir::poly::PolyPlanOptions plan;
  std::mt19937_64 random(seed);
  plan.policy = random() % 4 ? "opt-in" : "strict";
  plan.roundInputs = random() % 2;
  if (!runPass(mlir::poly::createPolyPlan(plan)) ||
      !runPass(mlir::poly::createPolyPack()) || !all([&](Graph &graph) {
        if (!evaluate(graph, graph.planned))
          return false;
        bool hasProgram = false;
        graph.function.walk([&](mlir::poly::ApplyOp) {
          ++applied;
          hasProgram = true;
        });
        return hasProgram || unchanged(graph, graph.original, "poly-plan");
      }))
    return false;
  return runPass(mlir::poly::createPolyExpand()) && all([&](Graph &graph) {
           return unchanged(graph, graph.planned, "poly-expand");
         });
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "poly-fuzz: random code through the passes\n");
  Fuzzer fuzzer;
  for (uint64_t done = 0; done < count; done += kBatch)
    if (!fuzzer.run(first + done, std::min<uint64_t>(kBatch, count - done)))
      return 1;
  llvm::outs() << "poly-fuzz: " << count << " graphs, " << fuzzer.raised
               << " functions raised, " << fuzzer.bounded << " with a bound, "
               << fuzzer.applied << " evaluations of programs, no mismatch\n";
  if (!json.empty()) {
    if (llvm::Error error =
            llvm::writeToOutput(json, [&](llvm::raw_ostream &os) {
              llvm::json::OStream out(os, 2);
              out.object([&] {
                out.attribute("command",
                              "poly-fuzz --first=" + std::to_string(first) +
                                  " --count=" + std::to_string(count));
                out.attribute("graphs", int64_t(count));
                out.attribute("functionsRaised", int64_t(fuzzer.raised));
                out.attribute("withBound", int64_t(fuzzer.bounded));
                out.attribute("programEvaluations", int64_t(fuzzer.applied));
                out.attribute("mismatches", 0);
              });
              os << "\n";
              return llvm::Error::success();
            })) {
      llvm::errs() << "poly-fuzz: " << llvm::toString(std::move(error)) << "\n";
      return 1;
    }
  }
  // A run that exercises nothing proves nothing.
  return count >= 1000 && (fuzzer.raised == 0 || fuzzer.applied == 0);
}
