//===- AttentionRun.h - Attention's arrays, launches and checks -*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What attention of 16-bit and of 8-bit numbers shares: arrays of a problem on
/// both sides, launches of kernels of family "attention", comparison with
/// float64 and timing. Arrays are [batch, length, heads, headDim].
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_ATTENTIONRUN_H
#define POLY_BENCH_ATTENTIONRUN_H

#include "AttentionQuantiser.h"
#include "AttentionReference.h"
#include "Cases.h"

namespace poly::bench {

struct AttentionShape {
  int64_t batch, queryLength, keyLength, heads, keyHeads;
};

/// What kernels work at.
struct AttentionWork {
  /// What the metadata of a kernel of attention, forward or backward, says.
  AttentionWork(const runtime::KernelMetadata &kernel, AttentionShape shape);

  std::string score;
  std::string label; ///< Of the types, in the name.
  int64_t headDim = 0;
  bool causal = false;
  AttentionShape shape = {};
  double spread = 1;    ///< Of the queries.
  double valueMean = 0; ///< Of the values.
  /// Of 8-bit operands: which share a factor, and the norm that no row of Q and
  /// K exceeds as stored, or 0.
  FactorsFor factors = FactorsFor::Head;
  double greatestNorm = 0;

  size_t queryCount() const { return queries().elements(); }
  size_t keyCount() const { return keys().elements(); }
  ArrayShape queries() const {
    return {shape.batch, shape.queryLength, shape.heads, headDim};
  }
  ArrayShape keys() const {
    return {shape.batch, shape.keyLength, shape.keyHeads, headDim};
  }
  /// \p cap counts for the score "softcap".
  AttentionProblem problem(double cap) const;
  double flops() const;
  std::string name() const;
};

/// Q, or what has its shape, and K. The innermost of the dimensions' names is
/// headDim.
enum class AttentionRole { Query, Key };
runtime::TensorArray attentionArray(AttentionRole role, const ArrayShape &shape,
                                    const runtime::Buffer &buffer,
                                    Format format);
/// What all kernels of attention are told of a problem: its sizes, and what is
/// done to scores.
void addProblem(NamedArguments &values, const AttentionProblem &problem);

/// Elements of Q, and of K and V.
struct AttentionTypes {
  explicit AttentionTypes(const runtime::KernelMetadata &kernel);
  Format query, keyValue;
  Format output;

  bool areFloat8() const { return bytesOf(query) == 1; }
};

/// The arrays of a problem.
class AttentionData {
public:
  AttentionData(const AttentionWork &work, const AttentionTypes &types);

  const AttentionWork work;
  const AttentionTypes types;
  Words query, key, value;
  runtime::Buffer queryBuffer, keyBuffer, valueBuffer;
  /// Of types with 16 bits.
  runtime::Buffer output, logSumExp;

  /// Writes V as kernels of 8-bit numbers read it; \p values is a kernel of
  /// family "attention-values". Enqueues only.
  void transpose(const Case &values, runtime::StreamHandle stream) const;
  /// The kernel's values: tensor maps are encoded once. Throws where the arrays
  /// do not keep what the caller of the kernel promises.
  runtime::Arguments bind(const Case &item) const;
  AttentionProblem problem(double cap) const;
  AttentionReference reference(double cap) const;

private:
  Words quantised(const std::vector<float> &numbers, const ArrayShape &shape,
                  Format format, double greatestNorm,
                  std::vector<float> &factors, runtime::Buffer &buffer) const;
  void checkPromises(const runtime::KernelMetadata &kernel) const;
  int64_t paddedKeys() const { return (work.shape.keyLength + 15) / 16 * 16; }

  std::vector<float> queryFactors, keyFactors, valueFactors;
  runtime::Buffer queryFactorBuffer, keyFactorBuffer, valueFactorBuffer;
  runtime::Buffer transposed;
};

/// True results of one problem's sampled rows, each computed once.
class AttentionSample {
public:
  explicit AttentionSample(const AttentionData &data);

  const std::vector<AttentionRow> &truth(double cap);
  const std::vector<AttentionRow> &
  replayed(const Program &program, RowMaximum maximum, int64_t tileKeys);

  std::vector<int64_t> indices;

private:
  template <typename Row>
  const std::vector<AttentionRow> &computed(double cap, const std::string &name,
                                            Row row);

  const AttentionData &data;
  /// By the cap, as are the rows.
  std::map<double, AttentionReference> references;
  std::map<std::pair<double, std::string>, std::vector<AttentionRow>> rows;
};

/// Arrays and results of one work, for the types of each of its kernels.
class AttentionInputs {
public:
  struct Typed {
    Typed(const AttentionWork &work, const AttentionTypes &types)
        : data(work, types), sample(data) {}
    AttentionData data;
    AttentionSample sample;
  };

  explicit AttentionInputs(const AttentionWork &work) : work(work) {}
  Typed &of(const Case &item);

  const AttentionWork work;

private:
  std::map<std::pair<Format, Format>, std::unique_ptr<Typed>> known;
};

/// A kernel of 8-bit numbers finds its V prepared by one of these, by head
/// dimension.
using ValuesKernels = std::map<int64_t, Case>;
ValuesKernels valuesKernels(const Session &session);

/// The program that gives the kernel's weights of a softmax; null if there is
/// none.
const Program *exponentialOf(const Case &item);

/// Prepares V where the kernel needs that, and runs it; waits for the end.
void runOnce(const Session &session, const Case &item,
             const AttentionData &data, const ValuesKernels &values);

/// Runs the kernel and compares: no poison left, rows right, rows without keys
/// zero, \p reruns equal. Faults go to \p item.
void checkAttention(const Session &session, Case &item, AttentionInputs &inputs,
                    const ValuesKernels &values, unsigned reruns);

/// The checks of \p work's own shape, then times of the cases that were right
/// and a row for each.
void measureAttention(Session &session, std::vector<Case> &cases,
                      const AttentionWork &work, const ValuesKernels &values);

/// The shapes that --shape gives. Throws UsageError on one that no kernel can
/// take.
std::vector<AttentionShape> givenShapes(const Options &options);

/// The command for the suite of 8-bit numbers.
int runAttention8Bit(const Options &options);

/// The softcap that Gemma 2 uses for attention scores, for kernels that take it
/// as an argument.
constexpr double kAttentionCap = 50;

} // namespace poly::bench

#endif // POLY_BENCH_ATTENTIONRUN_H
