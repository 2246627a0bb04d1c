//===- Swiglu.cpp - Gated SiLU over matrices ------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommonOptions.h"
#include "Families.h"

#include "swiglu/Swiglu.h"

using namespace poly::kernels;

namespace {
class SwigluFamily : public Family {
public:
  llvm::StringRef name() const override { return "swiglu"; }
  llvm::StringRef summary() const override {
    return "silu(g) u, or both of its gradients, over matrices";
  }
  void declare(OptionSet &set) override {
    set.choice("direction", options.backward,
               {{"forward", false}, {"backward", true}},
               "backward recomputes the sigmoid and writes both gradients");
    set.choice("layout", options.layout,
               {{"separate", SwigluLayout::Separate},
                {"packed", SwigluLayout::Packed}},
               "g and u as two arrays, or as one of twice the columns");
    declareElementType(set, options.type);
    set.integer("threads", options.threads, "threads of a block");
    set.flag("round-activation", options.roundActivation,
             "round silu(g), and backward dy u, to the type before the "
             "product");
    set.flag("round-sigmoid", options.roundSigmoid,
             "round the sigmoid that both gradients are made of");
    set.flag("round-derivative", options.roundDerivative,
             "round the derivative to the type before the product");
    declareArithmetic(set, options.approximate);
  }
  std::string validate() const override {
    return poly::kernels::validate(options);
  }
  mlir::OwningOpRef<mlir::ModuleOp>
  build(mlir::MLIRContext &context) const override {
    return buildSwiglu(context, options);
  }

private:
  SwigluOptions options;
};
} // namespace

std::unique_ptr<Family> createSwigluFamily() {
  return std::make_unique<SwigluFamily>();
}
