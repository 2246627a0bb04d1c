//===- Emitter.h - Device arithmetic, tersely ------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What every kernel builder writes again and again: 32-bit integers for tile
/// numbers and shared-memory addresses, shared-memory pointers, inline PTX.
/// Addresses stay i32 until an op needs a pointer, because that is what the
/// instructions take.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_EMITTER_H
#define POLY_KERNELS_HOPPER_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace poly::kernels::hopper {

using mlir::Value;
using mlir::ValueRange;

class Emitter : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value constant(int64_t value);
  Value constant64(uint64_t value);
  Value constantF32(double value);

  Value add(Value a, Value b);
  Value add(Value a, int64_t b) { return b ? add(a, constant(b)) : a; }
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value mul(Value a, int64_t b) { return mul(a, constant(b)); }
  Value divide(Value a, Value b); ///< Unsigned.
  Value divide(Value a, int64_t b) { return divide(a, constant(b)); }
  Value andBits(Value a, int64_t mask);
  Value xorBits(Value a, Value b);
  Value shiftLeft(Value a, int64_t bits);
  Value shiftRight(Value a, int64_t bits); ///< Unsigned.
  Value minSigned(Value a, Value b);
  Value maxSigned(Value a, Value b);
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  Value isEqual(Value a, int64_t b);
  Value select(Value condition, Value a, Value b);
  Value widen(Value a); ///< Zero-extends i32 to i64.

  /// A pointer to the shared-memory address \p address (i32).
  Value sharedPointer(Value address);
  /// The pointer \p bytes after \p pointer, which a load or store folds.
  Value offsetPointer(Value pointer, int64_t bytes);

  /// Volatile inline PTX; \p operands are $0, $1, … after the results.
  mlir::LLVM::InlineAsmOp ptx(mlir::Type result, ValueRange operands,
                              llvm::StringRef text,
                              llvm::StringRef constraints);
  /// \p value (i32), of which LLVM knows nothing: what is computed from it
  /// stays where it is used.
  Value opaque(Value value);
  /// The fields of a struct that inline PTX returned.
  llvm::SmallVector<Value> unpack(Value structure);

  /// scf.if without results.
  void ifThen(Value condition, llvm::function_ref<void()> body);
  void ifThenElse(Value condition, llvm::function_ref<void()> thenBody,
                  llvm::function_ref<void()> elseBody);
  /// A loop from \p low below \p high in steps of one, i32, that carries
  /// \p carried.
  llvm::SmallVector<Value>
  loop(Value low, Value high, ValueRange carried,
       llvm::function_ref<llvm::SmallVector<Value>(Value, ValueRange)> body);
};

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_EMITTER_H
