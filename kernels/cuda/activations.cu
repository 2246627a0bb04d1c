//===- activations.cu - Elementwise activations ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// in, out: n elements of one 16-bit type. One element a thread.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ static int index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// x / (1 + exp(-x)).
extern "C" __global__ void __launch_bounds__(256)
    silu_bf16(const __nv_bfloat16 *in, __nv_bfloat16 *out, int n) {
  int i = index();
  if (i >= n)
    return;
  float x = __bfloat162float(in[i]);
  out[i] = __float2bfloat16(x / (1.0f + expf(-x)));
}

/// The same in two lanes, with the fast exponential and division.
extern "C" __global__ void __launch_bounds__(256)
    silu_bf16x2(const __nv_bfloat162 *in, __nv_bfloat162 *out, int n) {
  int i = index();
  if (i >= n)
    return;
  float2 x = __bfloat1622float2(in[i]);
  x.x = __fdividef(x.x, 1.0f + __expf(-x.x));
  x.y = __fdividef(x.y, 1.0f + __expf(-x.y));
  out[i] = __float22bfloat162_rn(x);
}

/// The hyperbolic tangent.
extern "C" __global__ void __launch_bounds__(256)
    tanh_f16(const __half *in, __half *out, int n) {
  int i = index();
  if (i >= n)
    return;
  out[i] = __float2half(tanhf(__half2float(in[i])));
}
