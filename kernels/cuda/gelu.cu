//===- gelu.cu - Gaussian error linear units ------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// in, out: n bf16. One element a thread.

#include <cuda_bf16.h>

/// x / 2 * (1 + erf(x / sqrt(2))).
extern "C" __global__ void __launch_bounds__(256)
    gelu_erf(const __nv_bfloat16 *in, __nv_bfloat16 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = __bfloat162float(in[i]);
  out[i] = __float2bfloat16(0.5f * x * (1.0f + erff(x * 0.70710678f)));
}

/// The tanh form: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
extern "C" __global__ void __launch_bounds__(256)
    gelu_tanh(const __nv_bfloat16 *in, __nv_bfloat16 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = __bfloat162float(in[i]);
  float u = 0.7978845608f * (x + 0.044715f * x * x * x);
  out[i] = __float2bfloat16(0.5f * x * (1.0f + tanhf(u)));
}
