//===- GraphGenerator.h - Random code around idioms ------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_FUZZ_GRAPHGENERATOR_H
#define POLY_TEST_FUZZ_GRAPHGENERATOR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <random>

namespace polytest {

/// Writes functions of one to three numbers that compute spellings of known
/// functions, near misses of them and arithmetic around both. A seed decides
/// everything: dialect, formats, lanes, flags, spelling.
class GraphGenerator {
public:
  GraphGenerator(mlir::OpBuilder &builder, uint64_t seed)
      : builder(builder), random(seed) {}

  mlir::func::FuncOp makeFunction(llvm::StringRef name);

private:
  unsigned pick(unsigned count) {
    return std::uniform_int_distribution<unsigned>(0, count - 1)(random);
  }
  bool chance(unsigned percent) { return pick(100) < percent; }

  mlir::Type lanes(mlir::Type element);
  mlir::Value constant(double number);
  /// Sometimes off by a little: what must not be taken for the function.
  mlir::Value literal(double number);
  mlir::arith::FastMathFlags flags();
  mlir::Value unary(llvm::StringRef arith, llvm::StringRef llvmName,
                    mlir::Value a);
  mlir::Value create(llvm::StringRef name, mlir::ValueRange operands);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value scale(mlir::Value a, double factor);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value neg(mlir::Value a);
  mlir::Value abs(mlir::Value a);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  mlir::Value exp(mlir::Value a);
  mlir::Value tanh(mlir::Value a);
  /// a < 0 ? b : c.
  mlir::Value ifNegative(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value convert(mlir::Value a, mlir::Type element);

  mlir::Value sigmoid(mlir::Value x);
  mlir::Value tanhIdiom(mlir::Value x);
  mlir::Value idiom(mlir::Value x);
  mlir::Value expression(unsigned depth);

  mlir::OpBuilder &builder;
  std::mt19937_64 random;
  bool isLLVM = false, isVector = false;
  unsigned flagMode = 0;
  mlir::Type element; ///< In which the function computes.
  std::vector<mlir::Value> variables;
};

} // namespace polytest

#endif // POLY_TEST_FUZZ_GRAPHGENERATOR_H
