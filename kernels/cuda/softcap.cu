//===- softcap.cu - Bounded scores ----------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// in, out: n f32 scores. out = cap * tanh(in / cap), with a cap given at run
// time and with the 50 that some models fix.

extern "C" __global__ void __launch_bounds__(256)
    softcap(const float *in, float *out, float cap, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = cap * tanhf(in[i] / cap);
}

extern "C" __global__ void __launch_bounds__(256)
    softcap50(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 50.0f * tanhf(in[i] * 0.02f);
}
