//===- swiglu.cu - The gated linear unit with SiLU ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// gate, up, out: n pairs of bf16. out = silu(gate) * up, rounded once.

#include <cuda_bf16.h>

__device__ static float silu(float x) { return x / (1.0f + expf(-x)); }

extern "C" __global__ void __launch_bounds__(256)
    swiglu(const __nv_bfloat162 *gate, const __nv_bfloat162 *up,
           __nv_bfloat162 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float2 g = __bfloat1622float2(gate[i]);
  float2 u = __bfloat1622float2(up[i]);
  out[i] = __floats2bfloat162_rn(silu(g.x) * u.x, silu(g.y) * u.y);
}
