//===- softmax_row.cu - Softmax of rows, a warp each ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// in, out: rows x 256 bf16. Each lane holds eight elements of its row. The
// weights are rounded to bf16 before they are summed, so that numerator and
// denominator agree.

#include <cuda_bf16.h>

extern "C" __global__ void __launch_bounds__(128)
    softmax_row(const __nv_bfloat16 *in, __nv_bfloat16 *out, int rows) {
  constexpr int kElements = 8, kWarp = 32, kColumns = kElements * kWarp;
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  if (row >= rows)
    return;
  int start = row * kColumns + threadIdx.x % kWarp;
  float x[kElements];
  float maximum = -INFINITY;
  for (int i = 0; i < kElements; ++i) {
    x[i] = __bfloat162float(in[start + i * kWarp]);
    maximum = fmaxf(maximum, x[i]);
  }
  for (int step = kWarp / 2; step > 0; step /= 2)
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffff, maximum, step));
  float sum = 0;
  for (int i = 0; i < kElements; ++i) {
    x[i] = __bfloat162float(
        __float2bfloat16(exp2f((x[i] - maximum) * 1.44269504f)));
    sum += x[i];
  }
  for (int step = kWarp / 2; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, step);
  for (int i = 0; i < kElements; ++i)
    out[start + i * kWarp] = __float2bfloat16(x[i] / sum);
}
