//===- KernelBuilder.h - Modules of kernels over arrays --------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The frame of kernels that stream arrays: a module with one gpu.module, a
/// gpu.func with what a host must know about it, and dense memory accesses in
/// chunks of 16 bytes whose last one may be partial.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_COMMON_KERNELBUILDER_H
#define POLY_KERNELS_COMMON_KERNELBUILDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace poly::kernels {

/// Element types of the arrays.
enum class ElementType { BF16, F16, F32 };

llvm::StringRef name(ElementType type);
mlir::FloatType floatType(ElementType type, mlir::MLIRContext &context);
/// Elements of a 16-byte access.
int64_t elementsPerChunk(ElementType type);

/// Why \p threads cannot be a block size, or "".
std::string validateThreads(int64_t threads);

class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  explicit KernelBuilder(mlir::MLIRContext &context);

  /// An empty kernel with the builder inside of it, before its gpu.return.
  /// \p info becomes its `poly.kernel`.
  mlir::gpu::GPUFuncOp beginKernel(llvm::StringRef name,
                                   llvm::ArrayRef<Type> parameters,
                                   int64_t threads,
                                   llvm::ArrayRef<mlir::NamedAttribute> info);
  /// The finished module.
  mlir::OwningOpRef<mlir::ModuleOp> take();

  mlir::NamedAttribute note(llvm::StringRef name, llvm::StringRef value);
  mlir::NamedAttribute note(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute noteFlag(llvm::StringRef name, bool value);

  /// A pointer to global memory, as a parameter.
  Type globalPointer();

  // 64-bit integers: element numbers.
  Value integer(int64_t value);
  Value add(Value a, Value b);
  Value mul(Value a, Value b);
  Value isLess(Value a, Value b);      ///< Unsigned.
  Value isLessEqual(Value a, Value b); ///< Unsigned.
  Value blockNumber();
  Value threadNumber();

  /// \p size elements at \p index, as one access of all their bytes, to which
  /// the address is aligned; 1 is a scalar.
  Value load(Value array, Value index, Type element, int64_t size);
  void store(Value value, Value array, Value index);
  /// The elements of [index, index + size) below \p end; zeros above.
  Value loadPart(Value array, Value index, Value end, Type element,
                 int64_t size);
  void storePart(Value value, Value array, Value index, Value end);

  /// scf.if without results; \p otherwise may be null.
  void branch(Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);
  /// scf.if with one result.
  Value choose(Value condition, Type type, llvm::function_ref<Value()> then,
               llvm::function_ref<Value()> otherwise);
  /// scf.for from \p low below \p high.
  void loop(Value low, Value high, Value step,
            llvm::function_ref<void(Value)> body);

private:
  Value address(Value array, Value index, Type element);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::gpu::GPUModuleOp gpuModule;
};

} // namespace poly::kernels

#endif // POLY_KERNELS_COMMON_KERNELBUILDER_H
