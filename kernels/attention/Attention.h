//===- Attention.h - Fused attention for Hopper ----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds O = weights(Q K^T) V as one persistent, warp-specialised kernel for
/// compute capability 9.0. Everything between the two matrix products is plain
/// arith, math and vector ops on f32 fragments: a softmax with its running
/// maximum, a softmax of capped scores C tanh(s / C), sigmoids, or the scores
/// themselves.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTION_ATTENTION_H
#define POLY_KERNELS_ATTENTION_ATTENTION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace poly::kernels {

/// Identity: the scores are the weights, which is linear attention without a
/// normalisation; and, as no arithmetic but a rounding is between the products,
/// what no other score can be faster than.
enum class AttentionScore { Softmax, Softcap, Sigmoid, Identity };
/// Of Q, K, V; with 8 bits the weights are e4m3, and the output has 16 bits.
enum class AttentionType { BF16, F16, E4M3, E5M2 };

std::optional<AttentionScore> parseAttentionScore(llvm::StringRef name);
std::optional<AttentionType> parseAttentionType(llvm::StringRef name);

struct AttentionOptions {
  AttentionType type = AttentionType::BF16;
  /// Of K and V, if it is the other one of 8 bits.
  std::optional<AttentionType> keyValueType;
  int64_t headDim = 128; ///< 64, 128 or 256.
  /// Key j counts for query i if j <= i + causalShift, a kernel argument.
  bool causal = false;
  AttentionScore score = AttentionScore::Softmax;
  /// Softcap: a constant cap; none makes it a kernel argument.
  std::optional<double> cap;
  /// Write log(sum(exp(score))) of each row; not for sigmoids and
  /// the identity.
  bool logSumExp = false;
  /// Softmax sums the weights as they are after rounding, in a product with
  /// ones, instead of before it in f32. Then nothing but the rounding uses a
  /// weight, and programs that give 16-bit values may serve.
  bool matrixSum = false;
  /// The two consumer warpgroups take turns at the tensor cores.
  bool pingPong = false;
  /// Keys of a tile; none chooses what fits most kernels. 16-bit types only. A
  /// longer tile has fewer maxima, rescalings and barriers for the same keys,
  /// and more keys that a causal mask or the last tile hides.
  std::optional<int64_t> keyRows;
  /// 8 bits: let the tensor cores accumulate the output over all tiles. They
  /// keep some 13 bits; otherwise each tile has accumulators of its own, which
  /// are summed in f32.
  bool runningSum = false;
  /// 8 bits: the output is f16 instead of bf16.
  bool f16Output = false;
  /// Softmax: the caller promises that no product of a row of Q and one of K,
  /// as they are stored, is greater in magnitude. 8 bits: then, as for capped
  /// scores, exponents are computed in f16. A launch must have scale * descales
  /// * log2(e) * bound below 2040 (for capped scores, cap * log2(e)). Other
  /// types: then lattices need no clamp, and a row's offset is a whole number
  /// of octaves, which they add exactly. A launch must have scale * log2(e) *
  /// bound at most kGreatestBoundedScore.
  std::optional<double> scoreBound;
  /// Softcap of 16-bit types with a constant cap up to 40.7, which bounds the
  /// scores: offsets are whole octaves as under a scoreBound.
  bool wholeOffsets = false;

  bool is8Bit() const {
    return type == AttentionType::E4M3 || type == AttentionType::E5M2;
  }
  bool isSoftmax() const {
    return score == AttentionScore::Softmax || score == AttentionScore::Softcap;
  }
  /// Both consumers take all rows of a tile and half of the output's columns
  /// each: beside those of a whole output of 256 columns, accumulators of a
  /// tile would not fit the registers.
  bool splitsColumns() const { return is8Bit() && headDim == 256; }
  /// The scores are known to be numbers of f16.
  bool hasHalfScores() const {
    return is8Bit() && (scoreBound || score == AttentionScore::Softcap);
  }
  /// Exponents of 16-bit types that are known not to be below -126, by a
  /// promise or by a cap.
  bool hasBoundedExponents() const;
  /// Keys of a tile: keyRows, or the default of the type and head dimension.
  int64_t tileKeys() const {
    return keyRows.value_or(headDim == 256 && !splitsColumns() ? 64 : 128);
  }
  /// The first product of a tile of queries runs before the last one of the
  /// tile before, if there is room for two tiles of Q and for the ones of
  /// matrixSum behind V, and its output is stored beside the second. By
  /// measurement: the others have fewer registers left or another order of
  /// instructions, and lose. With heads of 64 that is a softmax without row
  /// sums on the tensor cores, a log-sum-exp or turns: -7 % causal, +2 % full.
  bool overlapsTiles() const {
    if (is8Bit() || headDim > 128)
      return false;
    return headDim == 128 || score != AttentionScore::Softmax || matrixSum ||
           logSumExp || pingPong;
  }
  /// Columns of the output that a consumer computes.
  int64_t ownColumns() const { return splitsColumns() ? headDim / 2 : headDim; }
  /// Of Q, K, V and the weights.
  int64_t elementBytes() const { return is8Bit() ? 1 : 2; }
  std::string name = "attention";
};

/// The scaled scores, in octaves, with which no exponent is below -126: a
/// score and its row's maximum may differ by twice as much, and the maximum is
/// rounded up to a whole octave.
constexpr double kGreatestBoundedScore = 62.5;

/// Empty, or what is wrong with \p options and what to do.
std::string validate(const AttentionOptions &options);

/// A module with one gpu.module with the kernel. Loads the dialects it needs
/// into \p context. \p options must be valid.
mlir::OwningOpRef<mlir::ModuleOp>
buildAttention(mlir::MLIRContext &context, const AttentionOptions &options);

} // namespace poly::kernels

#endif // POLY_KERNELS_ATTENTION_ATTENTION_H
