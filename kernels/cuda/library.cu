//===- library.cu - Idioms by other functions of the library --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// in, out: n bf16, or n floats. One element a thread. The compiler inlines the
// library functions; their names are gone from its output.

#include <cuda_bf16.h>

template <typename T>
static __device__ float read(T value) {
  return float(value);
}

#define KERNEL(name, type, expression)                                         \
  extern "C" __global__ void __launch_bounds__(256)                            \
      name(const type *in, type *out, int n) {                                 \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    if (i >= n)                                                                \
      return;                                                                  \
    float x = read(in[i]);                                                     \
    out[i] = type(expression);                                                 \
  }

// GELU.
KERNEL(gelu_erfc, float, 0.5f * x * erfcf(-x * 0.70710678f))
KERNEL(gelu_erfc_bf16, __nv_bfloat16, 0.5f * x * erfcf(-x * 0.70710678f))
KERNEL(gelu_normcdf, float, x *normcdff(x))
KERNEL(gelu_root, float, 0.5f * x * (1 + erff(x / sqrtf(2.0f))))
KERNEL(gelu_powf, float,
       0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * powf(x, 3.0f)))))

// The hyperbolic tangent.
KERNEL(tanh_expm1, float, expm1f(2 * x) / (expm1f(2 * x) + 2))
KERNEL(tanh_sinh_cosh, float, sinhf(x) / coshf(x))

// The sigmoid, with a branch on the sign, and to base 10.
static __device__ float stable(float x) {
  if (x >= 0)
    return 1 / (1 + expf(-x));
  float e = expf(x);
  return e / (1 + e);
}
KERNEL(sigmoid_stable, float, stable(x))
KERNEL(sigmoid_exp10, float, 1 / (1 + exp10f(-0.43429448f * x)))

// No idiom: the exponential instruction inside is the library's own.
KERNEL(elu, float, x > 0 ? x : expm1f(x))
KERNEL(cube_root, float, cbrtf(x))
KERNEL(inverse_cube_root, float, rcbrtf(x))
KERNEL(power_of_ten, float, exp10f(x))
KERNEL(upper_tail, float, erfcf(x))
KERNEL(hyperbolic_sine, float, sinhf(x))
