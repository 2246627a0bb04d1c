//===- SwigluGemm.cpp - Gated activations in a GEMM -----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommonOptions.h"
#include "Families.h"

#include "swiglu-gemm/SwigluGemm.h"

using namespace poly::kernels;

namespace {
class SwigluGemmFamily : public Family {
public:
  llvm::StringRef name() const override { return "swiglu-gemm"; }
  llvm::StringRef summary() const override {
    return "act(x wg) (x wu) in one kernel for sm_90a";
  }
  void declare(OptionSet &set) override {
    set.choice("type", options.type,
               {{"bf16", GemmType::BF16}, {"f16", GemmType::F16}},
               "elements of the matrices");
    set.choice("activation", options.activation,
               {{"silu", GateActivation::Silu},
                {"swish", GateActivation::Swish},
                {"gelu-erf", GateActivation::GeluErf},
                {"gelu-tanh", GateActivation::GeluTanh},
                {"sigmoid", GateActivation::Sigmoid},
                {"clamped", GateActivation::Clamped},
                {"identity", GateActivation::Identity}},
               "applied to the gate; clamped is that of gpt-oss");
    set.number("beta", beta,
               "swish: the slope; 0 makes it an argument of the kernel");
    set.choice(
        "epilogue", options.epilogue,
        {{"deferred", GemmEpilogue::Deferred}, {"plain", GemmEpilogue::Plain}},
        "deferred: during the next tile's products, on rounded values");
    set.flag("round-inputs", options.roundInputs,
             "round gate and up to the type before the activation");
    set.flag("round-activation", options.roundActivation,
             "round the activation to the type before the product");
    set.integer("tile-columns", options.tileColumns,
                "columns of a tile of the output");
    set.integer("cluster", options.clusterSize,
                "blocks that share the weights' tiles");
    set.flag("tall-tiles", options.tallTiles,
             "tiles of 256 rows, and of 128 for what is left");
    set.flag("split-tiles", options.splitTiles,
             "blocks share the last tiles along the depth (stream-K)");
    set.integer("experts", options.experts,
                "routed experts that share the rows; 0: none");
    declareArithmetic(set, options.approximate);
  }
  std::string validate() const override {
    return poly::kernels::validate(complete());
  }
  mlir::OwningOpRef<mlir::ModuleOp>
  build(mlir::MLIRContext &context) const override {
    return buildSwigluGemm(context, complete());
  }

private:
  SwigluGemmOptions complete() const {
    SwigluGemmOptions result = options;
    if (beta)
      result.beta = beta;
    return result;
  }

  SwigluGemmOptions options;
  double beta = 0;
};
} // namespace

std::unique_ptr<Family> createSwigluGemmFamily() {
  return std::make_unique<SwigluGemmFamily>();
}
