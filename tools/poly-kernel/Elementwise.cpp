//===- Elementwise.cpp - Activations over dense arrays --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommonOptions.h"
#include "Families.h"

#include "activations/Activations.h"

using namespace poly::kernels;

namespace {
class ElementwiseFamily : public Family {
public:
  llvm::StringRef name() const override { return "elementwise"; }
  llvm::StringRef summary() const override {
    return "an activation, or its backward pass, over dense arrays";
  }
  void declare(OptionSet &set) override {
    set.choice("function", options.function,
               {{"copy", ElementwiseFunction::Copy},
                {"sigmoid", ElementwiseFunction::Sigmoid},
                {"tanh", ElementwiseFunction::Tanh},
                {"silu", ElementwiseFunction::Silu},
                {"gelu-erf", ElementwiseFunction::GeluErf},
                {"gelu-tanh", ElementwiseFunction::GeluTanh}},
               "what is computed");
    set.choice("direction", options.direction,
               {{"forward", Direction::Forward},
                {"backward", Direction::Backward},
                {"backward-from-output", Direction::BackwardFromOutput}},
               "backward multiplies a gradient by the derivative, from the "
               "input or from the output");
    declareElementType(set, options.type);
    set.integer("vectors", options.vectors,
                "16-byte accesses of a thread to each array: 1, 2 or 4");
    set.integer("threads", options.threads, "threads of a block");
    set.flag("round-derivative", options.roundDerivative,
             "round the derivative to the type before the product");
    declareArithmetic(set, options.approximate);
  }
  std::string validate() const override {
    return poly::kernels::validate(options);
  }
  mlir::OwningOpRef<mlir::ModuleOp>
  build(mlir::MLIRContext &context) const override {
    return buildActivation(context, options);
  }

private:
  ActivationOptions options;
};
} // namespace

std::unique_ptr<Family> createElementwiseFamily() {
  return std::make_unique<ElementwiseFamily>();
}
