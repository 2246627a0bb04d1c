//===- Cublas.h - NVIDIA's matrix products, if they are there ---*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The few calls of cuBLAS that its products as a peer need, found with dlopen.
/// Types, numbers and signatures follow the cuBLAS reference.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_CUBLAS_H
#define POLY_BENCH_CUBLAS_H

#include "Device.h"
#include "Values.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace poly::bench {

/// C = A B^T, all rows dense: A is [rows, depth], B [columns, depth], C [rows,
/// columns].
struct CublasProduct {
  int rows = 0, columns = 0, depth = 0;
  runtime::DevicePtr a = 0, b = 0, c = 0;
};

class Cublas {
public:
  /// Loads \p path, or where it is empty what POLY_CUBLAS names, or the
  /// system's libcublas of CUDA 13 or 12. Throws std::runtime_error. Needs a
  /// Context.
  explicit Cublas(const std::string &path);
  ~Cublas();
  Cublas(const Cublas &) = delete;
  Cublas &operator=(const Cublas &) = delete;

  /// "libcublas.so.13, 13.1.0".
  const std::string &description() const { return name; }

  /// Enqueues the product; accumulates in f32. Throws std::runtime_error.
  void multiply(runtime::StreamHandle stream, Format type,
                const CublasProduct &product);

  /// Products of different row counts in one call, where cuBLAS has it (from
  /// 12.5 on).
  bool hasGroups() const { return gemmGroupedBatchedEx != nullptr; }
  class Groups {
  public:
    Groups(Cublas &cublas, Format type,
           const std::vector<CublasProduct> &products);
    /// Enqueues all of them.
    void multiply(runtime::StreamHandle stream);

  private:
    Cublas &cublas;
    Format type;
    std::vector<int> transposed, plain, rows, columns, depths, sizes;
    std::vector<float> ones, zeros;
    /// On the device: one address for each product.
    runtime::Buffer a, b, c;
  };

private:
  using Handle = struct CublasTag *;

  void check(int status, const char *call) const;
  void use(runtime::StreamHandle stream);

  int (*create)(Handle *handle);
  int (*destroy)(Handle handle);
  int (*getVersion)(Handle handle, int *version);
  int (*setStream)(Handle handle, runtime::StreamHandle stream);
  int (*setWorkspace)(Handle handle, void *workspace, size_t bytes);
  int (*gemmEx)(Handle handle, int transposeA, int transposeB, int m, int n,
                int k, const void *alpha, const void *a, int typeA, int lda,
                const void *b, int typeB, int ldb, const void *beta, void *c,
                int typeC, int ldc, int computeType, int algorithm);
  int (*gemmGroupedBatchedEx)(Handle handle, const int *transposeA,
                              const int *transposeB, const int *m, const int *n,
                              const int *k, const void *alpha,
                              const void *const *a, int typeA, const int *lda,
                              const void *const *b, int typeB, const int *ldb,
                              const void *beta, void *const *c, int typeC,
                              const int *ldc, int groups, const int *groupSizes,
                              int computeType);

  std::string name;
  Handle handle = nullptr;
  /// What a captured graph needs: cuBLAS must not allocate in it.
  std::optional<runtime::Buffer> workspace;
};

} // namespace poly::bench

#endif // POLY_BENCH_CUBLAS_H
