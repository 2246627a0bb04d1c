//===- Cublas.cpp - NVIDIA's matrix products, if they are there -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cuBLAS has columns where arrays here have rows: it computes C^T = B A^T, of
/// which it sees B as [depth, columns], to be transposed, and A^T as it is.
///
//===----------------------------------------------------------------------===//

#include "Cublas.h"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

namespace {
// cublasOperation_t, cudaDataType_t, cublasComputeType_t, cublasGemmAlgo_t.
constexpr int kPlain = 0, kTransposed = 1;
constexpr int kHalf = 2, kBFloat = 14;
constexpr int kComputeFloat = 68;
constexpr int kDefaultAlgorithm = -1;
/// What cuBLAS recommends for Hopper.
constexpr size_t kWorkspaceBytes = size_t(32) << 20;

int dataType(Format type) { return type == Format::F16 ? kHalf : kBFloat; }

void *pointer(DevicePtr address) { return reinterpret_cast<void *>(address); }

void *open(const std::string &path, std::string &found) {
  std::vector<std::string> names = {"libcublas.so.13", "libcublas.so.12"};
  const char *variable = std::getenv("POLY_CUBLAS");
  if (!path.empty())
    names = {path};
  else if (variable && *variable)
    names = {variable};
  for (const std::string &name : names)
    if (void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      found = name;
      return library;
    }
  const char *message = dlerror();
  throw std::runtime_error(message ? message : "cannot load " + names.back());
}

template <typename FunctionPtr>
void find(void *library, FunctionPtr &member, const char *symbol,
          bool isNeeded = true) {
  void *address = dlsym(library, symbol);
  if (!address && isNeeded)
    throw std::runtime_error(std::string("cuBLAS has no ") + symbol);
  member = reinterpret_cast<FunctionPtr>(address);
}
} // namespace

Cublas::Cublas(const std::string &path) {
  void *library = open(path, name);
  find(library, create, "cublasCreate_v2");
  find(library, destroy, "cublasDestroy_v2");
  find(library, getVersion, "cublasGetVersion_v2");
  find(library, setStream, "cublasSetStream_v2");
  find(library, setWorkspace, "cublasSetWorkspace_v2");
  find(library, gemmEx, "cublasGemmEx");
  find(library, gemmGroupedBatchedEx, "cublasGemmGroupedBatchedEx",
       /*isNeeded=*/false);
  check(create(&handle), "cublasCreate");
  int version = 0;
  getVersion(handle, &version);
  name += ", " + std::to_string(version / 10000) + "." +
          std::to_string(version / 100 % 100) + "." +
          std::to_string(version % 100);
  workspace.emplace(kWorkspaceBytes);
}

Cublas::~Cublas() { destroy(handle); }

void Cublas::check(int status, const char *call) const {
  if (status != 0)
    throw std::runtime_error(std::string(call) + " of cuBLAS failed with " +
                             "status " + std::to_string(status));
}

void Cublas::use(StreamHandle stream) {
  check(setStream(handle, stream), "cublasSetStream");
  // The stream brings a workspace of its own, which would be allocated.
  check(setWorkspace(handle, pointer(workspace->address()), kWorkspaceBytes),
        "cublasSetWorkspace");
}

void Cublas::multiply(StreamHandle stream, Format type,
                      const CublasProduct &product) {
  use(stream);
  float one = 1, zero = 0;
  check(gemmEx(handle, kTransposed, kPlain, product.columns, product.rows,
               product.depth, &one, pointer(product.b), dataType(type),
               product.depth, pointer(product.a), dataType(type), product.depth,
               &zero, pointer(product.c), dataType(type), product.columns,
               kComputeFloat, kDefaultAlgorithm),
        "cublasGemmEx");
}

namespace {
Buffer addresses(const std::vector<CublasProduct> &products,
                 DevicePtr CublasProduct::*member) {
  std::vector<DevicePtr> list;
  for (const CublasProduct &product : products)
    list.push_back(product.*member);
  Buffer buffer(list.size() * sizeof(DevicePtr));
  buffer.upload(list.data(), buffer.bytes());
  return buffer;
}
} // namespace

Cublas::Groups::Groups(Cublas &cublas, Format type,
                       const std::vector<CublasProduct> &products)
    : cublas(cublas), type(type), transposed(products.size(), kTransposed),
      plain(products.size(), kPlain), sizes(products.size(), 1),
      ones(products.size(), 1), zeros(products.size(), 0),
      a(addresses(products, &CublasProduct::a)),
      b(addresses(products, &CublasProduct::b)),
      c(addresses(products, &CublasProduct::c)) {
  for (const CublasProduct &product : products) {
    rows.push_back(product.rows);
    columns.push_back(product.columns);
    depths.push_back(product.depth);
  }
}

void Cublas::Groups::multiply(StreamHandle stream) {
  cublas.use(stream);
  auto list = [](const Buffer &buffer) {
    return static_cast<void **>(pointer(buffer.address()));
  };
  cublas.check(cublas.gemmGroupedBatchedEx(
                   cublas.handle, transposed.data(), plain.data(),
                   columns.data(), rows.data(), depths.data(), ones.data(),
                   list(b), dataType(type), depths.data(), list(a),
                   dataType(type), depths.data(), zeros.data(), list(c),
                   dataType(type), columns.data(), int(sizes.size()),
                   sizes.data(), kComputeFloat),
               "cublasGemmGroupedBatchedEx");
}
