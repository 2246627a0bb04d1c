//===- AttentionBackward.cpp - Gradients of attention ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "attention-backward/AttentionBackward.h"

using namespace poly::kernels;

namespace {
class AttentionBackwardFamily : public Family {
public:
  llvm::StringRef name() const override { return "attention-backward"; }
  llvm::StringRef summary() const override {
    return "gradients of attention for Hopper (sm_90a), three kernels";
  }
  void declare(OptionSet &set) override {
    set.choice("type", options.type,
               {{"bf16", AttentionType::BF16}, {"f16", AttentionType::F16}},
               "elements of the arrays");
    set.integer("head-dim", options.headDim, "64 or 128");
    set.flag("causal", options.causal,
             "query i sees the keys up to i + the argument causalShift");
    set.choice("score", options.score,
               {{"softmax", AttentionScore::Softmax},
                {"softcap", AttentionScore::Softcap},
                {"sigmoid", AttentionScore::Sigmoid}},
               "how scores become weights");
    set.number("cap", cap,
               "softcap: the cap; 0 makes it an argument of the kernel");
    set.flag("deterministic", options.deterministic,
             "the same bits of dQ in every run: blocks add to it in turn");
    set.flag("with-forward", withForward,
             "also the forward kernel, as a training pair with these");
  }
  std::string validate() const override {
    return poly::kernels::validate(withCap());
  }
  mlir::OwningOpRef<mlir::ModuleOp>
  build(mlir::MLIRContext &context) const override {
    return withForward ? buildAttentionPair(context, withCap())
                       : buildAttentionBackward(context, withCap());
  }

private:
  AttentionBackwardOptions withCap() const {
    AttentionBackwardOptions all = options;
    if (cap != 0)
      all.cap = cap;
    return all;
  }

  AttentionBackwardOptions options;
  double cap = 0;
  bool withForward = false;
};
} // namespace

std::unique_ptr<Family> createAttentionBackwardFamily() {
  return std::make_unique<AttentionBackwardFamily>();
}
