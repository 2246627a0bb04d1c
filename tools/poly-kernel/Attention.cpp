//===- Attention.cpp - Fused attention ------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "attention/Attention.h"

using namespace poly::kernels;

namespace {
class AttentionFamily : public Family {
public:
  llvm::StringRef name() const override { return "attention"; }
  llvm::StringRef summary() const override {
    return "fused attention for Hopper (sm_90a), forward";
  }
  void declare(OptionSet &set) override {
    set.choice("type", options.type,
               {{"bf16", AttentionType::BF16},
                {"f16", AttentionType::F16},
                {"e4m3", AttentionType::E4M3},
                {"e5m2", AttentionType::E5M2}},
               "elements of the arrays");
    set.choice("key-value-type", keyValueType,
               {{"same", KeyValueType::Same},
                {"e4m3", KeyValueType::E4M3},
                {"e5m2", KeyValueType::E5M2}},
               "8 bits: elements of K and V, where they differ from Q's");
    set.integer("head-dim", options.headDim, "64, 128 or 256");
    set.flag("causal", options.causal,
             "query i sees the keys up to i + the argument causalShift");
    set.choice("score", options.score,
               {{"softmax", AttentionScore::Softmax},
                {"softcap", AttentionScore::Softcap},
                {"sigmoid", AttentionScore::Sigmoid},
                {"identity", AttentionScore::Identity}},
               "how scores become weights");
    set.number("cap", cap,
               "softcap: the cap; 0 makes it an argument of the kernel");
    set.flag("log-sum-exp", options.logSumExp,
             "also write the logarithm of each row's sum of exponentials");
    set.flag("matrix-sum", options.matrixSum,
             "softmax sums the rounded weights, on the tensor cores");
    set.flag("ping-pong", options.pingPong,
             "the two halves of a tile take turns at the tensor cores");
    set.integer("key-rows", keyRows, "16-bit types: keys of a tile; 0 chooses");
    set.flag("running-sum", options.runningSum,
             "8 bits: accumulate over all tiles on the tensor cores");
    set.flag("f16-output", options.f16Output,
             "8 bits: the output is f16, not bf16");
    set.flag("whole-offsets", options.wholeOffsets,
             "softcap up to 40.7: offsets are whole octaves, so that lattices "
             "need no clamp");
    set.number("score-bound", scoreBound,
               "softmax: no product of a query and a key is greater in "
               "magnitude; 0 promises nothing");
  }
  std::string validate() const override {
    return poly::kernels::validate(withNumbers());
  }
  mlir::OwningOpRef<mlir::ModuleOp>
  build(mlir::MLIRContext &context) const override {
    return buildAttention(context, withNumbers());
  }

private:
  AttentionOptions withNumbers() const {
    AttentionOptions all = options;
    if (cap != 0)
      all.cap = cap;
    if (keyValueType != KeyValueType::Same)
      all.keyValueType = keyValueType == KeyValueType::E4M3
                             ? AttentionType::E4M3
                             : AttentionType::E5M2;
    if (keyRows != 0)
      all.keyRows = keyRows;
    if (scoreBound != 0)
      all.scoreBound = scoreBound;
    return all;
  }

  enum class KeyValueType { Same, E4M3, E5M2 };

  AttentionOptions options;
  KeyValueType keyValueType = KeyValueType::Same;
  double cap = 0, scoreBound = 0;
  int64_t keyRows = 0;
};
} // namespace

std::unique_ptr<Family> createAttentionFamily() {
  return std::make_unique<AttentionFamily>();
}
