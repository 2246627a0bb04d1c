//===- ElementwiseFunction.h - Activations and derivatives -----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions of one variable, spelled in arith and math ops as deep-learning
/// frameworks spell them. There is no approximation here: `afn` on the ops says
/// that the author consents to one.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_COMMON_ELEMENTWISEFUNCTION_H
#define POLY_KERNELS_COMMON_ELEMENTWISEFUNCTION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace poly::kernels {

enum class ElementwiseFunction {
  Copy,
  Sigmoid,
  Tanh,
  Silu,
  GeluErf,
  GeluTanh,
  Exp2
};

llvm::StringRef name(ElementwiseFunction function);

/// Float arithmetic on scalars or vectors, all with the same fast-math flags.
class FloatMath {
public:
  using Value = mlir::Value;

  /// \p approximate puts `afn` on every op.
  FloatMath(mlir::ImplicitLocOpBuilder &builder, bool approximate);

  /// \p value in the type of \p like.
  Value constant(double value, Value like);
  Value neg(Value a);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value exp(Value a);
  Value exp2(Value a);
  Value tanh(Value a);
  Value erf(Value a);

  /// To and from f32, lane by lane.
  Value widen(Value a);
  Value narrow(Value a, mlir::FloatType element);

private:
  mlir::ImplicitLocOpBuilder &b;
  mlir::arith::FastMathFlags flags;
};

/// f(x).
mlir::Value evaluate(ElementwiseFunction function, FloatMath &math,
                     mlir::Value x);

/// Whether derivative() knows it.
bool hasDerivative(ElementwiseFunction function);
/// f'(x), recomputed from x.
mlir::Value derivative(ElementwiseFunction function, FloatMath &math,
                       mlir::Value x);

/// Whether f' is a polynomial of f.
bool hasDerivativeFromOutput(ElementwiseFunction function);
/// f'(x) from y = f(x).
mlir::Value derivativeFromOutput(ElementwiseFunction function, FloatMath &math,
                                 mlir::Value y);

} // namespace poly::kernels

#endif // POLY_KERNELS_COMMON_ELEMENTWISEFUNCTION_H
