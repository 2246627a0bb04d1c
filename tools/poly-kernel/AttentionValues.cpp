//===- AttentionValues.cpp - Values of FP8 attention as a family ----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "attention/Values.h"

using namespace poly::kernels;

namespace {
class AttentionValuesFamily : public Family {
public:
  llvm::StringRef name() const override { return "attention-values"; }
  llvm::StringRef summary() const override {
    return "V of 8 bits transposed and permuted, as attention reads it";
  }
  void declare(OptionSet &set) override {
    set.integer("head-dim", options.headDim, "64, 128 or 256");
  }
  std::string validate() const override {
    return poly::kernels::validate(options);
  }
  mlir::OwningOpRef<mlir::ModuleOp>
  build(mlir::MLIRContext &context) const override {
    return buildAttentionValues(context, options);
  }

private:
  AttentionValuesOptions options;
};
} // namespace

std::unique_ptr<Family> createAttentionValuesFamily() {
  return std::make_unique<AttentionValuesFamily>();
}
