//===- Throughput.cpp - Functions and instructions out of registers -------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommonOptions.h"
#include "Families.h"

#include "throughput/Pipes.h"
#include "throughput/Rates.h"

using namespace poly::kernels;

namespace {
class RatesFamily : public Family {
public:
  llvm::StringRef name() const override { return "rates"; }
  llvm::StringRef summary() const override {
    return "a function of values in registers, again and again";
  }
  void declare(OptionSet &set) override {
    set.choice("function", options.function,
               {{"sigmoid", ElementwiseFunction::Sigmoid},
                {"tanh", ElementwiseFunction::Tanh},
                {"silu", ElementwiseFunction::Silu},
                {"gelu-erf", ElementwiseFunction::GeluErf},
                {"gelu-tanh", ElementwiseFunction::GeluTanh},
                {"exp2", ElementwiseFunction::Exp2}},
               "what is computed");
    declareElementType(set, options.type);
    set.flag("wide-arguments", options.wideArguments,
             "take f32 arguments and round the result to the type");
    set.integer("elements", options.elements, "values of a thread");
    set.integer("threads", options.threads, "threads of a block");
    declareArithmetic(set, options.approximate);
  }
  std::string validate() const override {
    return poly::kernels::validate(options);
  }
  mlir::OwningOpRef<mlir::ModuleOp>
  build(mlir::MLIRContext &context) const override {
    return buildRate(context, options);
  }

private:
  RateOptions options;
};

class PipesFamily : public Family {
public:
  llvm::StringRef name() const override { return "pipes"; }
  llvm::StringRef summary() const override {
    return "one PTX instruction in eight independent chains a thread";
  }
  void declare(OptionSet &set) override {
    std::vector<std::pair<std::string, std::string>> known;
    for (const std::string &instruction : pipeInstructions())
      known.emplace_back(instruction, instruction);
    set.choice("instruction", options.instruction, std::move(known),
               "what is issued; with + a mix");
    set.integer("threads", options.threads, "threads of a block");
  }
  std::string validate() const override {
    return poly::kernels::validate(options);
  }
  mlir::OwningOpRef<mlir::ModuleOp>
  build(mlir::MLIRContext &context) const override {
    return buildPipe(context, options);
  }

private:
  PipeOptions options;
};
} // namespace

std::unique_ptr<Family> createRatesFamily() {
  return std::make_unique<RatesFamily>();
}

std::unique_ptr<Family> createPipesFamily() {
  return std::make_unique<PipesFamily>();
}
