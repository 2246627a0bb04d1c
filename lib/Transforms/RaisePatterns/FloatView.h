//===- FloatView.h - What a float op computes ------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One vocabulary for the elementwise float arithmetic of arith, math, vector,
/// the LLVM dialect, NVVM intrinsics and libdevice calls. Everything the
/// vocabulary has no word for is opaque: a rounding cast, memory, control flow,
/// f64, tensors, scalable vectors, inline assembly.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_RAISEPATTERNS_FLOATVIEW_H
#define POLY_TRANSFORMS_RAISEPATTERNS_FLOATVIEW_H

#include "poly/Program/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Operation.h"

#include <array>
#include <optional>

namespace mlir::poly {

enum class FloatKind : uint8_t {
  Opaque,
  Add,
  Sub,
  Mul,
  Div,
  Rcp,
  Neg,
  Fma, ///< a * b + c
  Exp,
  Exp2,
  ExpM1, ///< exp(a) - 1
  Tanh,
  Erf,
  Erfc, ///< 1 - erf(a)
  Sin,
  Cos,
  SinPi, ///< sin(pi a)
  CosPi, ///< cos(pi a)
  Pow,   ///< a to the power of a small integer, `exponent`.
  Abs,
  CopySign, ///< |a| with the sign of b
  Max,
  Min,
  Ext,    ///< Exact conversion to a wider type.
  Select, ///< a < b ? c : d; a == b may give either.
  // Rarer functions of the library.
  Exp10,
  Sinh,
  Cosh,
  NormCdf, ///< (1 + erf(a / sqrt(2))) / 2
};

/// True for the functions a site is built around.
inline bool isTranscendental(FloatKind kind) {
  return kind == FloatKind::Exp || kind == FloatKind::Exp2 ||
         kind == FloatKind::Exp10 || kind == FloatKind::ExpM1 ||
         kind == FloatKind::Sinh || kind == FloatKind::Cosh ||
         kind == FloatKind::Tanh || kind == FloatKind::Erf ||
         kind == FloatKind::Erfc || kind == FloatKind::NormCdf;
}

/// True for sines and cosines. They are sites only of angles that have been
/// reduced (Turns.h).
inline bool isTrigonometric(FloatKind kind) {
  return kind == FloatKind::Sin || kind == FloatKind::Cos ||
         kind == FloatKind::SinPi || kind == FloatKind::CosPi;
}

/// True for the ops that `afn` licenses to approximate.
inline bool isApproximable(FloatKind kind) {
  return isTranscendental(kind) || isTrigonometric(kind) ||
         kind == FloatKind::Div || kind == FloatKind::Rcp ||
         kind == FloatKind::Pow;
}

/// True for the ops whose result is rounded.
inline bool isRounding(FloatKind kind) {
  return isApproximable(kind) || kind == FloatKind::Add ||
         kind == FloatKind::Sub || kind == FloatKind::Mul ||
         kind == FloatKind::Fma;
}

/// What one op computes from which values.
struct FloatView {
  FloatKind kind = FloatKind::Opaque;
  /// A library function or instruction that is fast rather than accurate, so
  /// that whoever chose it has consented to approximation.
  bool isFast = false;
  unsigned numOperands = 0;
  int exponent = 0; ///< Of a Pow.
  std::array<Value, 4> operands;
  /// For Max and Min: a NaN operand gives the other operand.
  bool isNumber = false;
  /// The comparison of a Select, and the operand (2 or 3) that a comparison
  /// with NaN chooses.
  Operation *compare = nullptr;
  unsigned unorderedOperand = 0;

  ArrayRef<Value> getOperands() const {
    return ArrayRef<Value>(operands.data(), numOperands);
  }
};

/// The view of \p op; its kind is Opaque when it has none.
FloatView getFloatView(Operation *op);

/// The view of what is \p ifTrue or \p ifFalse as \p condition says, if that is
/// a comparison of floats by order.
FloatView viewSelection(Value condition, Value ifTrue, Value ifFalse);

/// The format of f32, bf16 or f16, or of a fixed-length vector of one.
std::optional<::poly::Format> getElementFormat(Type type);

/// The number that every lane of \p value is.
std::optional<double> getLiteralNumber(Value value);

/// The same, snapped (see snapConstant).
std::optional<double> getConstantNumber(Value value);

/// The fast-math flags of \p op, or nullopt when it cannot carry any.
std::optional<arith::FastMathFlags> getFastMathFlags(Operation *op);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_RAISEPATTERNS_FLOATVIEW_H
