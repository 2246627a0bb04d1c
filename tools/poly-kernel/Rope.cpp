//===- Rope.cpp - Rotary embedding as a family ----------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommonOptions.h"
#include "Families.h"

#include "rope/Rope.h"

using namespace poly::kernels;

namespace {
class RopeFamily : public Family {
public:
  llvm::StringRef name() const override { return "rope"; }
  llvm::StringRef summary() const override {
    return "rotary embedding, [B, S, H, D] to [B, H, S, D]";
  }
  void declare(OptionSet &set) override {
    set.choice("source", options.source,
               {{"turns", RopeSource::Turns}, {"table", RopeSource::Table}},
               "angles of Q0.32 frequencies, or cosines and sines in memory");
    set.choice(
        "layout", options.layout,
        {{"half", RopeLayout::Half}, {"interleaved", RopeLayout::Interleaved}},
        "pairs (j, j + D/2) or (2j, 2j + 1)");
    set.choice("direction", options.backward,
               {{"forward", false}, {"backward", true}},
               "backward rotates a gradient back and undoes the transpose");
    declareElementType(set, options.type);
    set.choice("angles", options.angleType,
               {{"f32", ElementType::F32},
                {"f16", ElementType::F16},
                {"bf16", ElementType::BF16}},
               "what sines and cosines are rounded to, or the tables' type");
    set.integer("head-dim", options.headDim, "D, a multiple of 16");
    set.integer("positions", options.positions, "positions of a block");
    set.integer("head-groups", options.headGroups,
                "groups of heads of a block");
    set.integer("heads-per-thread", options.headsPerThread,
                "heads that share the angles of a thread");
    declareArithmetic(set, options.approximate);
  }
  std::string validate() const override {
    return poly::kernels::validate(options);
  }
  mlir::OwningOpRef<mlir::ModuleOp>
  build(mlir::MLIRContext &context) const override {
    return buildRope(context, options);
  }

private:
  RopeOptions options;
};
} // namespace

std::unique_ptr<Family> createRopeFamily() {
  return std::make_unique<RopeFamily>();
}
