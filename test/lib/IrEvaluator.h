//===- IrEvaluator.h - Evaluates expanded programs -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates the straight-line LLVM, arith and vector ops that poly-expand
/// emits, for many inputs at once, on the tests' own float arithmetic. The
/// meaning of an op is that of the one PTX instruction it becomes; an op,
/// intrinsic, flag or type that is not known is an error.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_IREVALUATOR_H
#define POLY_TEST_LIB_IREVALUATOR_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace polytest {

class IrEvaluator {
public:
  /// One register per input: lanes from the low bits up.
  using Registers = std::vector<uint64_t>;

  /// Evaluates \p block with \p arguments, one entry per block argument, all of
  /// the same length, up to its terminator, and returns the registers of the
  /// terminator's operands. False with \p error set ("op name: ...") otherwise.
  bool run(mlir::Block &block, const std::vector<Registers> &arguments,
           std::vector<Registers> &results, std::string &error);

  /// Gives one lane of the result of an op from the lanes of its operands, or
  /// nothing for an op that it leaves to the evaluator. Asked first.
  using Extension = std::function<std::optional<uint64_t>(
      mlir::Operation *, llvm::ArrayRef<uint64_t>)>;
  Extension extension;
  /// Takes fast-math flags for permissions that are not made use of.
  bool ignoreFlags = false;

  /// The registers of \p value in the last run; null when it had none.
  const Registers *registers(mlir::Value value) const;

private:
  struct Column {
    Registers bits;
    uint32_t defined = 0; ///< One bit per lane; clear for poison.
  };

  bool evaluate(mlir::Operation *op);
  bool constant(mlir::Operation *op);
  bool floats(mlir::Operation *op, llvm::StringRef base);
  bool integers(mlir::Operation *op, llvm::StringRef base);
  bool shapes(mlir::Operation *op, llvm::StringRef base);
  bool prmt(mlir::Operation *op);
  bool intrinsic(mlir::Operation *op);
  bool inlineAsm(mlir::Operation *op);
  bool exactFlags(mlir::Operation *op);
  /// False when the extension does not know the op.
  bool extended(mlir::Operation *op);

  bool fail(mlir::Operation *op, const std::string &message);
  bool known(mlir::Operation *op, mlir::Value value, const Column *&column);
  bool defined(mlir::Operation *op, mlir::Value value, const Column *&column);
  /// Applies \p fn to each lane of the operands, which all have the result's
  /// number of lanes.
  template <typename Fn>
  bool lanewise(mlir::Operation *op, unsigned operands, Fn fn);

  llvm::DenseMap<mlir::Value, Column> columns;
  size_t count = 0;
  std::string error;
};

} // namespace polytest

#endif // POLY_TEST_LIB_IREVALUATOR_H
