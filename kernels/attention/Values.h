//===- Values.h - Values as FP8 attention reads them -----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Products of 8-bit matrices take B with neighbours along K only, so attention
/// of 8-bit numbers reads V transposed: [B, Hk, D, keys]. The keys of each 16
/// are permuted as well: a thread that holds weights of the columns 2q, 2q + 1,
/// 8 + 2q and 9 + 2q of 16 has to give them as neighbours 4q to 4q + 3 of an A
/// fragment, so position 4q + e holds key 8 (e >> 1) + 2q + (e & 1). Sums over
/// keys do not notice.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_ATTENTION_VALUES_H
#define POLY_KERNELS_ATTENTION_VALUES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace poly::kernels {

struct AttentionValuesOptions {
  int64_t headDim = 128; ///< 64, 128 or 256.
  std::string name = "attention_values";
};

/// Empty, or what is wrong with \p options and what to do.
std::string validate(const AttentionValuesOptions &options);

/// A module with one kernel (values, transposed, keyLength, paddedKeys,
/// keyStride, headStride, batchStride): two pointers to bytes, the first on a
/// 4-byte boundary and the second on a 16-byte boundary; i32 lengths, i64
/// strides of V in elements, multiples of 4. paddedKeys is keyLength rounded up
/// to a multiple of 16; keys between them become zeros. The grid is
/// (ceil(paddedKeys / keysPerBlock), key heads, batch), see `poly.kernel`.
mlir::OwningOpRef<mlir::ModuleOp>
buildAttentionValues(mlir::MLIRContext &context,
                     const AttentionValuesOptions &options);

} // namespace poly::kernels

#endif // POLY_KERNELS_ATTENTION_VALUES_H
