//===- SwigluGemm.h - Gated activations in a GEMM --------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds Y = act(X Wg^T) * (X Wu^T) (element by element) as one persistent,
/// warp-specialised kernel for compute capability 9.0. The activation is plain
/// arith and math ops on f32 vectors.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_SWIGLUGEMM_SWIGLUGEMM_H
#define POLY_KERNELS_SWIGLUGEMM_SWIGLUGEMM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace poly::kernels {

/// What is applied to the gate g before the product with u.
enum class GateActivation {
  Identity,
  Sigmoid,
  Silu,
  Swish, ///< g sigmoid(beta g).
  GeluErf,
  GeluTanh,
  /// As gpt-oss has it: with g at most 7 and u within 7 of zero,
  /// g sigmoid(1.702 g) (u + 1).
  Clamped
};
enum class GemmType { BF16, F16 };
enum class GemmEpilogue {
  Plain,   ///< After a tile's products.
  Deferred ///< During the next tile's products, on rounded g and u.
};

struct SwigluGemmOptions {
  GemmType type = GemmType::BF16;
  GateActivation activation = GateActivation::Silu;
  /// Swish: a constant beta; none makes it a kernel argument.
  std::optional<double> beta;
  GemmEpilogue epilogue = GemmEpilogue::Deferred;
  /// g and u are rounded to the type before the activation, as by a GEMM that
  /// stores them. A deferred epilogue does it anyway.
  bool roundInputs = false;
  /// act(g) is rounded to the type before the product, as by an activation that
  /// stores it. Needs rounded inputs; the clamped form has no such value.
  bool roundActivation = false;
  /// Columns of the output in a tile: 64, 128 or an odd multiple of 8 below.
  int64_t tileColumns = 128;
  /// Blocks that share a tile of the weights: 1 or 2.
  int64_t clusterSize = 1;
  /// Tiles of 256 rows; what is left after all blocks had as many of them is
  /// done in tiles of 128. Less traffic in shared memory for tiles of few
  /// columns. For up to 88 columns and a plain epilogue.
  bool tallTiles = false;
  /// When fewer tiles are left than half of the blocks, several blocks share a
  /// tile: each multiplies a part of the depth, and when all have, sums some
  /// columns of all parts, in the order of the depth. For clusters of one
  /// block, without tall tiles and experts. All blocks of the grid must run at
  /// once.
  bool splitTiles = false;
  /// Routed experts: how many share the rows, each with weights of its own; 0
  /// for one matrix of weights.
  int64_t experts = 0;
  bool approximate = true; ///< The activation consents to approximations (afn).
  std::string name = "swiglu_gemm";

  bool isRounded() const {
    return roundInputs || epilogue == GemmEpilogue::Deferred;
  }
};

/// Empty, or what is wrong with \p options and what to do.
std::string validate(const SwigluGemmOptions &options);

/// A module with one gpu.module with the kernel. Arguments, in order: tensor
/// maps of X [rows, depth], W [2, columns, depth] (Wg, then Wu) and Y [rows,
/// columns], then rows, columns, depth as i32, then beta as f32 if it is one.
/// depth and columns must be multiples of 8 and arrays aligned to 16 bytes,
/// which is what tensor maps need; poly.kernel says so in "multiples". The grid
/// is at most one block a multiprocessor, in whole clusters. With experts, W is
/// [experts, 2, columns, depth], a second map of Y with single rows and, as a
/// pointer, experts + 1 offsets (i32) follow the maps, and `rows` is none:
/// expert i has the rows of X and Y from offset i on, below offset i + 1, which
/// may be none; rows outside of all are left alone. With split tiles, a map of
/// Y with boxes of 16 rows and 8 columns follows the maps, then pointers to
/// "partialBytesPerBlock" bytes for each block, aligned to 16, and to as many
/// i32 as there are blocks, which must be zero before the first launch and are
/// when one has ended. Loads the dialects it needs
/// into \p context. \p options must be valid.
mlir::OwningOpRef<mlir::ModuleOp>
buildSwigluGemm(mlir::MLIRContext &context, const SwigluGemmOptions &options);

} // namespace poly::kernels

#endif // POLY_KERNELS_SWIGLUGEMM_SWIGLUGEMM_H
