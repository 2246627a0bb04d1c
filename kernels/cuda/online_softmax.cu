//===- online_softmax.cu - One pass over a row of scores ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// scores, values: rows x columns f32. out[row] = sum of softmax(scores) * values
// over the row, in one pass with a running maximum. One row a thread.

extern "C" __global__ void __launch_bounds__(128)
    online_softmax(const float *scores, const float *values, float *out,
                   int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float maximum = -INFINITY, sum = 0, total = 0;
  for (int column = 0; column < columns; ++column) {
    int i = row * columns + column;
    float larger = fmaxf(maximum, scores[i]);
    // What was added up so far was relative to the old maximum.
    float correction = exp2f((maximum - larger) * 1.44269504f);
    float weight = exp2f((scores[i] - larger) * 1.44269504f);
    sum = sum * correction + weight;
    total = total * correction + weight * values[i];
    maximum = larger;
  }
  out[row] = total / sum;
}
