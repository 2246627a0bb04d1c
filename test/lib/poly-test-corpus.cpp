//===- poly-test-corpus.cpp - Checks what poly-raise recognises -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs poly-raise on files whose functions say what is to be found in them:
///   corpus.expect = "silu:1, tanh:2" or "none"   (kinds as in the report)
///   corpus.what = "x / (1 + exp(-x))"            (for the documentation)
///   corpus.tolerance = 1.0e-1                    (of 16-bit literals)
/// and evaluates each function before and after, as real numbers and with all
/// roundings, on every value of a 16-bit argument or on a dense set of f32. An
/// argument of an exponential that exceeds its proved bound is an error. With
/// --markdown it writes the page about what is recognised instead.
///
//===----------------------------------------------------------------------===//

#include "RealEvaluator.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Program.h"
#include "poly/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <map>
#include <random>

using namespace mlir;
using namespace polytest;

static llvm::cl::list<std::string>
    files(llvm::cl::Positional, llvm::cl::desc("FILES"), llvm::cl::OneOrMore);
static llvm::cl::opt<bool> markdown("markdown",
                                    llvm::cl::desc("Write the page"));

namespace {

using Counts = std::map<std::string, unsigned>;

struct Inputs {
  std::vector<Lanes> arguments;
  size_t count = 0;
  /// The largest finite magnitude among the float arguments.
  Column magnitude;
  std::vector<bool> hasNaN;
};

unsigned failures = 0;

void report(StringRef where, const llvm::Twine &message) {
  // One line for each of the first few.
  if (++failures <= 40)
    llvm::errs() << where << ": " << message << "\n";
}

std::string number(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", value);
  return text;
}

std::string toText(const Counts &counts) {
  std::string text;
  for (const auto &[kind, count] : counts)
    text += (text.empty() ? "" : ", ") + kind + ":" + std::to_string(count);
  return text.empty() ? "none" : text;
}

Counts parseCounts(StringRef text) {
  Counts counts;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [kind, number] = part.trim().split(':');
    unsigned value = 0;
    if (kind != "none" && !number.getAsInteger(10, value))
      counts[kind.str()] += value;
  }
  return counts;
}

Counts countSites(Operation *function) {
  Counts counts;
  function->walk([&](Operation *op) {
    std::optional<::poly::Function> known = mlir::poly::getFunction(op);
    if (!known)
      return;
    auto kind =
        op->getAttrOfType<StringAttr>(mlir::poly::PolyDialect::kKindAttr);
    ++counts[kind ? kind.getValue().str() : std::string(::poly::name(*known))];
  });
  return counts;
}

std::optional<::poly::Format> formatOf(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    type = memref.getElementType();
  type = getElementTypeOrSelf(type);
  if (type.isF32())
    return ::poly::Format::F32;
  if (type.isBF16())
    return ::poly::Format::BF16;
  if (type.isF16())
    return ::poly::Format::F16;
  return std::nullopt;
}

/// Every value of a 16-bit format; for f32 those of bf16 and a walk through all
/// exponents that also visits low bits.
std::vector<double> sweep(::poly::Format format) {
  std::vector<double> values;
  bool isNarrow = format != ::poly::Format::F32;
  ::poly::Format narrow = isNarrow ? format : ::poly::Format::BF16;
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    values.push_back(::poly::decode(narrow, bits));
  if (!isNarrow)
    for (uint32_t i = 0; i < 0x4000; ++i)
      values.push_back(::poly::decode(format, i * 262111u));
  return values;
}

constexpr size_t kBufferSize = 32;

size_t lanesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements();
  return isa<MemRefType>(type) ? kBufferSize : 1;
}

/// The first float argument takes all values if it is a scalar or a vector
/// whose lanes are alike; rows of scores take random rows with all that masks
/// and accidents put into them.
bool makeInputs(FunctionOpInterface function, bool isRows, Inputs &inputs) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  size_t width = 0;
  for (Type type : function.getArgumentTypes())
    if (auto format = formatOf(type)) {
      values = sweep(*format);
      width = lanesOf(type);
      break;
    }
  inputs.count = isRows ? 2048 : values.size() / std::max<size_t>(width, 1);
  inputs.count = (inputs.count + 31) / 32 * 32;
  inputs.magnitude.assign(inputs.count, 1);
  inputs.hasNaN.assign(inputs.count, false);
  bool isFirst = true;
  for (Type type : function.getArgumentTypes()) {
    std::optional<::poly::Format> format = formatOf(type);
    Lanes lanes(lanesOf(type), Column(inputs.count));
    for (size_t n = 0; n < inputs.count; ++n) {
      // Rows differ in their spread, and in how many of them are masked.
      double spread = std::array<double, 4>{1, 8, 60, 1000}[n / 32 % 4];
      unsigned accident = n % 16;
      for (size_t l = 0; l < lanes.size(); ++l) {
        double value = 0;
        if (!format)
          value = isa<IndexType>(type) ? kBufferSize : random() % 2;
        else if (isRows) {
          value = spread * normal(random);
          if (accident == 1 || (accident == 2 && random() % 2))
            value = -INFINITY;
          else if (accident == 3)
            value = spread;
          else if (accident == 4 && random() % 4 == 0)
            value = NAN;
          else if (accident == 5 && random() % 8 == 0)
            value = INFINITY;
        } else if (isFirst) {
          value = values[(n * lanes.size() + l) % values.size()];
        } else {
          value = 4 * normal(random);
        }
        if (format) {
          value = ::poly::decode(*format, ::poly::encode(*format, value));
          if (std::isnan(value))
            inputs.hasNaN[n] = true;
          else if (std::isfinite(value))
            inputs.magnitude[n] =
                std::max(inputs.magnitude[n], std::abs(value));
        }
        lanes[l][n] = value;
      }
    }
    if (format)
      isFirst = false;
    inputs.arguments.push_back(std::move(lanes));
  }
  return !isFirst;
}

double epsilonOf(Type type) {
  switch (formatOf(type).value_or(::poly::Format::F32)) {
  case ::poly::Format::BF16:
    return 0x1p-8;
  case ::poly::Format::F16:
    return 0x1p-11;
  default:
    return 0x1p-24;
  }
}

/// Compares the results of one evaluation mode.
void compare(StringRef where, FunctionOpInterface function,
             const Inputs &inputs, const std::vector<Lanes> &before,
             const std::vector<Lanes> &after, bool rounds, double tolerance) {
  for (size_t r = 0; r < before.size(); ++r)
    for (size_t l = 0; l < before[r].size(); ++l)
      for (size_t n = 0; n < inputs.count; ++n) {
        double was = before[r][l][n], is = after[r][l][n];
        double x = inputs.magnitude[n];
        // Spellings that overflow, or cancel at an infinity, are NaN or
        // infinite where the function is not.
        if (!std::isfinite(was)) {
          if (std::isnan(was) && inputs.hasNaN[n] && !std::isnan(is) &&
              before[r].size() == 1)
            report(where, "a NaN became " + number(is));
          continue;
        }
        double epsilon = 8 * epsilonOf(function.getResultTypes()[r]);
        double allowed =
            rounds ? std::max(epsilon, tolerance) * x *
                         std::max(1.0, std::abs(was))
                   : tolerance * x * std::abs(was) + 1e-15 * x * x + 1e-12;
        if (!(std::abs(is - was) <= allowed)) {
          report(where, llvm::Twine(rounds ? "rounded" : "real") + ": was " +
                            number(was) + ", is " + number(is) +
                            " for arguments up to " + number(x));
          return;
        }
      }
}

/// Evaluates a function before and after poly-raise; returns the number of
/// evaluations.
size_t evaluate(StringRef where, FunctionOpInterface before,
                FunctionOpInterface after) {
  double tolerance = 2e-5;
  if (auto attr = before->getAttrOfType<FloatAttr>("corpus.tolerance"))
    tolerance = attr.getValueAsDouble();
  Inputs inputs;
  if (!makeInputs(before, before->hasAttr("corpus.rows"), inputs)) {
    report(where, "no float argument");
    return 0;
  }
  for (bool rounds : {false, true}) {
    std::vector<Lanes> old, now;
    std::string error;
    RealEvaluator evaluator(rounds);
    evaluator.observer = [&](Operation *op, const Lanes &argument) {
      auto bound = op->getAttrOfType<FloatAttr>("bound");
      if (!bound)
        return;
      for (const Column &column : argument)
        for (double value : column)
          if (value > bound.getValueAsDouble()) {
            report(where,
                   "an argument of " + number(value) + " exceeds the bound");
            return;
          }
    };
    if (!evaluator.run(before.getFunctionBody(), inputs.arguments, inputs.count,
                       old, error) ||
        !evaluator.run(after.getFunctionBody(), inputs.arguments, inputs.count,
                       now, error)) {
      report(where, error);
      return 0;
    }
    compare(where, before, inputs, old, now, rounds, tolerance);
  }
  return inputs.count;
}

/// One row of the page.
void writeRow(FunctionOpInterface function, StringRef expect) {
  auto what = function->getAttrOfType<StringAttr>("corpus.what");
  std::string text = what ? what.getValue().str() : "";
  std::string escaped;
  for (char c : text) {
    if (c == '|')
      escaped += '\\';
    escaped += c;
  }
  llvm::outs() << "| `" << function.getName() << "` | " << escaped << " | "
               << (expect == "none" ? "nothing" : expect) << " |\n";
}

using FunctionMap = llvm::MapVector<StringAttr, FunctionOpInterface>;

FunctionMap collectFunctions(ModuleOp module) {
  FunctionMap functions;
  module.walk([&](FunctionOpInterface function) {
    if (!function.isExternal())
      functions[StringAttr::get(module.getContext(), function.getName())] =
          function;
  });
  return functions;
}

bool checkFile(const std::string &path, MLIRContext &context) {
  OwningOpRef<ModuleOp> source = parseSourceFile<ModuleOp>(path, &context);
  if (!source)
    return false;
  OwningOpRef<ModuleOp> raised = source->clone();
  PassManager passes(&context);
  passes.addPass(mlir::poly::createPolyRaise());
  if (failed(passes.run(*raised)))
    return false;
  if (markdown) {
    auto title = (*source)->getAttrOfType<StringAttr>("corpus.title");
    llvm::outs() << "\n## " << (title ? title.getValue() : "")
                 << "\n\n| function | spelling | recognised |\n|---|---|---|\n";
  }
  FunctionMap before = collectFunctions(*source);
  FunctionMap after = collectFunctions(*raised);
  unsigned functions = 0, evaluated = 0;
  size_t evaluations = 0;
  for (auto &[name, function] : before) {
    std::string where =
        (llvm::sys::path::filename(path) + " @" + name.getValue()).str();
    auto expect = function->getAttrOfType<StringAttr>("corpus.expect");
    if (!expect) {
      report(where, "corpus.expect is missing");
      continue;
    }
    ++functions;
    if (markdown) {
      writeRow(function, expect.getValue());
      continue;
    }
    Counts expected = parseCounts(expect.getValue());
    Counts found = countSites(after[name]);
    if (found != expected)
      report(where,
             "expected " + toText(expected) + ", found " + toText(found));
    if (found.empty())
      continue;
    size_t count = evaluate(where, function, after[name]);
    evaluated += count != 0;
    evaluations += count;
  }
  if (!markdown)
    llvm::outs() << llvm::sys::path::filename(path) << ": " << functions
                 << " functions, " << evaluated << " evaluated on "
                 << evaluations << " inputs\n";
  return true;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "checks what poly-raise recognises\n");
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<mlir::poly::PolyDialect>();
  MLIRContext context(registry);
  context.allowUnregisteredDialects();
  if (markdown)
    llvm::outs()
        << "<!-- Written by poly-test-corpus --markdown; do not edit -->\n\n"
           "# What is recognised\n\n"
           "Each row is a function of the corpus in "
           "`test/Transforms/Raise/Corpus`, and a test: it checks\nwhat "
           "`poly-raise` finds (kinds as in the report of `poly-plan`), and "
           "evaluates the function before\nand after on every value of a "
           "16-bit argument, or on a dense set of f32 values.\n";
  bool good = true;
  for (const std::string &path : files)
    good &= checkFile(path, context);
  return good && failures == 0 ? 0 : 1;
}
