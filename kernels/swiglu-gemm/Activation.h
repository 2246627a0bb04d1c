//===- Activation.h - What happens to gate and up --------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The arithmetic after the matrix products, as a user would write it, on
/// vectors of f32.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_SWIGLUGEMM_ACTIVATION_H
#define POLY_KERNELS_SWIGLUGEMM_ACTIVATION_H

#include "SwigluGemm.h"

#include "hopper/Emitter.h"

namespace poly::kernels {

mlir::FloatType elementType(mlir::MLIRContext *context, GemmType type);

class GateArithmetic {
public:
  /// \p beta is the argument of a swish without a constant.
  GateArithmetic(hopper::Emitter &e, const SwigluGemmOptions &options,
                 mlir::Value beta);

  /// act(gate) * up, rounded to the type. Both are vectors of f32.
  mlir::Value apply(mlir::Value gate, mlir::Value up) const;

private:
  mlir::Value activate(mlir::Value gate) const;
  mlir::Value mul(mlir::Value a, mlir::Value b) const;
  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value splat(double value, mlir::Value like) const;
  /// 1 + exp(-slope x); no slope is one of 1.
  mlir::Value onePlusExp(mlir::Value x, mlir::Value slope) const;
  mlir::Value round(mlir::Value value) const;

  hopper::Emitter &e;
  const SwigluGemmOptions &options;
  mlir::Value beta;
  mlir::arith::FastMathFlags flags;
};

} // namespace poly::kernels

#endif // POLY_KERNELS_SWIGLUGEMM_ACTIVATION_H
