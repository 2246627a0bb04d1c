//===- ScoreOps.h - Float arithmetic on rows of scores ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the score arithmetic of both directions is written with.
//
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTION_SCOREOPS_H
#define POLY_KERNELS_ATTENTION_SCOREOPS_H

#include "hopper/Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace poly::kernels::score_ops {

using hopper::Emitter;
using mlir::Value;

inline constexpr double kLog2E = 1.4426950408889634;
inline constexpr double kLn2 = 0.6931471805599453;
/// The score arithmetic may be approximated and contracted.
inline constexpr mlir::arith::FastMathFlags kFlags =
    mlir::arith::FastMathFlags::afn | mlir::arith::FastMathFlags::contract;

inline Value mulF(Emitter &e, Value a, Value b) {
  return mlir::arith::MulFOp::create(e, a, b, kFlags);
}
inline Value addF(Emitter &e, Value a, Value b) {
  return mlir::arith::AddFOp::create(e, a, b, kFlags);
}
inline Value fma(Emitter &e, Value a, Value b, Value c) {
  return mlir::math::FmaOp::create(e, a, b, c, kFlags);
}
inline Value splat(Emitter &e, Value value, Value like) {
  return mlir::vector::BroadcastOp::create(e, like.getType(), value);
}
inline Value splat(Emitter &e, double value, Value like) {
  auto type = mlir::cast<mlir::VectorType>(like.getType());
  return mlir::arith::ConstantOp::create(
      e, mlir::DenseElementsAttr::get(type, float(value)));
}

/// The columns that elements of a row have in the tile, from the lane's first
/// column on: pairs of neighbours, eight columns apart.
inline Value columnNumbers(Emitter &e, int64_t lanes) {
  llvm::SmallVector<int32_t> columns;
  for (int64_t i = 0; i < lanes; ++i)
    columns.push_back(int32_t(i / 2 * 8 + i % 2));
  return mlir::arith::ConstantOp::create(
      e, mlir::DenseElementsAttr::get(
             mlir::VectorType::get({lanes}, e.getI32Type()),
             mlir::ArrayRef<int32_t>(columns)));
}

} // namespace poly::kernels::score_ops

#endif // POLY_KERNELS_ATTENTION_SCOREOPS_H
