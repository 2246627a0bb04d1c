//===- AttentionBackwardData.h - Arrays and kernels, backward ---*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The kernels of family "attention-backward" of one file run one after the
/// other, behind a forward kernel that writes the output and the log-sum-exp.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_ATTENTIONBACKWARDDATA_H
#define POLY_BENCH_ATTENTIONBACKWARDDATA_H

#include "AttentionGradients.h"
#include "AttentionRun.h"

namespace poly::bench {

/// The kernels of one variant. Its forward kernel is the suite's of the same
/// score, type, head dimension and mask, of the same variant if there is one.
class BackwardCase {
public:
  BackwardCase(const Session &session, const Entry &entry);

  Case main;
  std::vector<std::shared_ptr<runtime::Kernel>> stages; ///< In order.
  std::shared_ptr<runtime::Kernel> forward;
  std::string forwardName;

  bool isDeterministic() const {
    return main.kernel->metadata().flag("deterministic");
  }
  Format type() const;
  /// The cap of a softcap: the kernel's constant, or what it is given.
  double cap() const;
};

/// The arrays of one piece of work, [batch, length, heads, headDim].
class BackwardData {
public:
  BackwardData(const AttentionWork &work, Format type, double cap,
               unsigned multiprocessors);

  /// Enqueues nothing; arguments are bound once.
  using Launch = std::function<void(runtime::StreamHandle)>;
  Launch forward(const BackwardCase &item) const;
  Launch backward(const BackwardCase &item) const;

  /// NaN in all results and workspaces, of the backward pass.
  void poison();
  /// The gradients' bytes: of Q, K and V.
  std::array<std::vector<unsigned char>, 3> download() const;
  AttentionGradients reference() const;

  const AttentionWork work;
  const Format type;
  const double cap;

private:
  runtime::Arguments bind(const runtime::Kernel &kernel) const;
  int64_t queryBlocks() const;

  unsigned multiprocessors;
  Words query, key, value, outputGradient;
  runtime::Buffer queryBuffer, keyBuffer, valueBuffer, outputGradientBuffer;
  runtime::Buffer output, logSumExp;
  runtime::Buffer queryGradient, keyGradient, valueGradient;
  runtime::Buffer offsets, deltas, sums, turns;
};

} // namespace poly::bench

#endif // POLY_BENCH_ATTENTIONBACKWARDDATA_H
