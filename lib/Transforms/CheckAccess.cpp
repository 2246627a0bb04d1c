//===- CheckAccess.cpp - Alignment of packed memory accesses --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Transforms/DeviceCode.h"
#include "poly/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

namespace mlir::poly {
#define GEN_PASS_DEF_POLYCHECKACCESS
#include "poly/Transforms/Passes.h.inc"
} // namespace mlir::poly

using namespace mlir;

namespace {
struct PolyCheckAccessPass
    : mlir::poly::impl::PolyCheckAccessBase<PolyCheckAccessPass> {
  using PolyCheckAccessBase::PolyCheckAccessBase;
  void runOnOperation() override;
};

struct Access {
  VectorType type;
  uint64_t alignment = 0; ///< In bytes; 0 when not stated.
};
} // namespace

static Access vectorAccess(Operation *op) {
  return llvm::TypeSwitch<Operation *, Access>(op)
      .Case<vector::LoadOp>([](vector::LoadOp load) {
        return Access{load.getVectorType(), load.getAlignment().value_or(0)};
      })
      .Case<vector::StoreOp>([](vector::StoreOp store) {
        return Access{store.getVectorType(), store.getAlignment().value_or(0)};
      })
      .Case<LLVM::LoadOp>([](LLVM::LoadOp load) {
        return Access{dyn_cast<VectorType>(load.getRes().getType()),
                      load.getAlignment().value_or(0)};
      })
      .Case<LLVM::StoreOp>([](LLVM::StoreOp store) {
        return Access{dyn_cast<VectorType>(store.getValue().getType()),
                      store.getAlignment().value_or(0)};
      })
      .Default([](Operation *) { return Access(); });
}

void PolyCheckAccessPass::runOnOperation() {
  for (Operation *root : mlir::poly::collectDeviceRoots(getOperation()))
    root->walk([&](Operation *op) {
      Access access = vectorAccess(op);
      if (!access.type || access.type.isScalable() ||
          !isa<BFloat16Type, Float16Type>(access.type.getElementType()))
        return;
      // An LLVM-dialect access without the attribute has the natural alignment
      // of its vector type.
      if (isa<LLVM::LoadOp, LLVM::StoreOp>(op) && access.alignment == 0)
        return;
      uint64_t bytes = 2 * access.type.getNumElements();
      // The widest access divides the vector: 5 elements move as 8 + 2 bytes.
      uint64_t possible = std::min<uint64_t>(16, bytes & -bytes);
      uint64_t stated = std::max<uint64_t>(access.alignment, 2);
      if (stated >= possible)
        return;
      ++numNarrow;
      op->emitWarning() << access.type << " moves " << stated
                        << " bytes at a time: no larger alignment is stated; "
                           "if the address is a multiple of "
                        << possible << ", add alignment = " << possible;
    });
}
