//===- RealEvaluator.h - Evaluates device functions ------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates arith, math, vector, scf, cf, gpu and LLVM ops and poly function
/// ops for many inputs at once: as real numbers (in double, which tells apart
/// functions that differ in a constant), or rounding each result to its type.
/// It goes by op names and shares nothing with the recogniser.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_REALEVALUATOR_H
#define POLY_TEST_LIB_REALEVALUATOR_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <string>
#include <vector>

namespace polytest {

/// One number per evaluation. 32 consecutive ones are the threads of a warp.
using Column = std::vector<double>;
/// One column per lane of a vector or element of a buffer; one for a scalar.
using Lanes = std::vector<Column>;

class RealEvaluator {
public:
  explicit RealEvaluator(bool rounds) : rounds(rounds) {}

  /// Evaluates \p body with \p arguments, all of \p count entries, and returns
  /// what it returns. False with \p error set ("op name: ...") otherwise.
  bool run(mlir::Region &body, const std::vector<Lanes> &arguments,
           size_t count, std::vector<Lanes> &results, std::string &error);

  /// Called with the argument of each poly function op.
  std::function<void(mlir::Operation *, const Lanes &)> observer;

private:
  bool runBlocks(mlir::Block *block, std::vector<Lanes> &results);
  bool runApart(mlir::Operation *branch, std::vector<Lanes> &results);
  mlir::Block *follow(mlir::Operation *branch, unsigned taken);
  bool runOps(mlir::Block &block);
  bool evaluate(mlir::Operation *op);
  bool constant(mlir::Operation *op, mlir::Attribute attr);
  bool elementwise(mlir::Operation *op, llvm::StringRef name, bool &known);
  bool shapes(mlir::Operation *op, llvm::StringRef name, bool &known);
  bool threads(mlir::Operation *op, llvm::StringRef name, bool &known);
  bool compare(mlir::Operation *op);
  bool loop(mlir::Operation *op);
  bool branch(mlir::Operation *op);

  bool fail(mlir::Operation *op, const llvm::Twine &message);
  const Lanes &get(mlir::Value value) { return values[value]; }
  void set(mlir::Value value, Lanes lanes);
  /// The number that all evaluations agree on.
  bool uniform(mlir::Operation *op, mlir::Value value, int64_t &number);

  bool rounds;
  size_t count = 0;
  llvm::DenseMap<mlir::Value, Lanes> values;
  std::string error;
};

} // namespace polytest

#endif // POLY_TEST_LIB_REALEVALUATOR_H
