//===- GatedPeers.h - A library's product, then the activation --*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a gated GEMM replaces: cuBLAS's product with both matrices of weights,
/// alone and followed by the suite's elementwise kernel of family "swiglu".
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_GATEDPEERS_H
#define POLY_BENCH_GATEDPEERS_H

#include "Cublas.h"
#include "GatedGemm.h"

namespace poly::bench {

struct GatedPeer {
  std::string name;
  std::function<void(runtime::StreamHandle)> enqueue;
  /// Of what it computes; of a product alone, of gate and up.
  GatedError error;
  std::string fault;
};

class GatedPeers {
public:
  /// Without \p cublas there are no peers. \p activation may be null.
  GatedPeers(Cublas *cublas, const Entry *activation, GatedData &data,
             const Session &session);

  const std::vector<GatedPeer> &list() const { return peers; }

private:
  void add(const std::string &name,
           std::function<void(runtime::StreamHandle)> product);
  void check(GatedPeer &peer, bool isWhole);
  void activate(runtime::StreamHandle stream);

  GatedData &data;
  const Session &session;
  std::optional<Case> activation;
  /// Gate and up of each row, one after the other.
  std::optional<runtime::Buffer> both;
  std::optional<Cublas::Groups> groups;
  std::vector<GatedPeer> peers;
};

} // namespace poly::bench

#endif // POLY_BENCH_GATEDPEERS_H
