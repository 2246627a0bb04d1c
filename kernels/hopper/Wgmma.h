//===- Wgmma.h - Warpgroup matrix products ---------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// D (64 x N, f32, in registers) = A B + D by wgmma.mma_async; A from shared
/// memory or from registers, B from shared memory. A batch of instructions over
/// K is one piece of inline PTX with its fence and its commit, and the
/// accumulators are tied operands of it: nothing that LLVM moves can come
/// between an accumulator and its product. The results are undefined until
/// waitProducts() has passed them on; waiting is tied to the values it guards
/// for the same reason.
///
/// ptxas serialises all products of a function (warning C7510 and its kin) when
/// registers of one that is in flight are touched, so what defines the next A
/// fragment's registers must come after the wait.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_WGMMA_H
#define POLY_KERNELS_HOPPER_WGMMA_H

#include "Descriptor.h"

#include <optional>

namespace poly::kernels::hopper {

enum class OperandType { BF16, F16, E4M3, E5M2 };

inline bool is8Bit(OperandType type) {
  return type == OperandType::E4M3 || type == OperandType::E5M2;
}

/// What the instruction calls \p type.
llvm::StringRef ptxName(OperandType type);

/// One batch of products over K.
struct Product {
  static constexpr int64_t kMostColumns = 256;
  OperandType type = OperandType::BF16; ///< Of A, and of B unless bType.
  int64_t n = 0;                        ///< Columns, a multiple of 8.
  int64_t steps = 0; ///< Instructions; each takes 32 bytes of K.
  /// 8-bit types may be mixed.
  std::optional<OperandType> bType = std::nullopt;

  /// Accumulators that a thread holds.
  int64_t accumulators() const { return n / 2; }
};

/// A B, or A B + \p sum unless that is empty, both operands in shared memory.
llvm::SmallVector<Value> multiply(Emitter &e, const Product &product,
                                  const TileDescriptor &a,
                                  const TileDescriptor &b, ValueRange sum);
/// The same with A in registers: four i32 for each step.
llvm::SmallVector<Value> multiply(Emitter &e, const Product &product,
                                  ValueRange a, const TileDescriptor &b,
                                  ValueRange sum);
/// The same with the first steps' part of A in registers, \p first, and the
/// others' in shared memory.
llvm::SmallVector<Value> multiply(Emitter &e, const Product &product,
                                  ValueRange first, const TileDescriptor &a,
                                  const TileDescriptor &b, ValueRange sum);
/// Waits until at most \p pending batches are unfinished and gives \p values,
/// the results of one that is finished then.
llvm::SmallVector<Value> waitProducts(Emitter &e, unsigned pending,
                                      ValueRange values);

/// Waits likewise, without taking the results of a batch whose shared memory
/// was what was waited for.
void waitProducts(Emitter &e, unsigned pending);

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_WGMMA_H
