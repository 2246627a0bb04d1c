// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SiLU, y = x / (1 + exp(-x)), over a dense array of f32.
//
// Arguments: the input, the output (the same array is allowed) and the number
// of elements, which may be any. Both arrays start on a 16-byte boundary, as
// device allocations do. A thread works on 4 elements: launch
// ceil(count / (4 * threads)) blocks of any size. The last, partial chunk is
// done one element at a time.
//
// `afn` on the arithmetic is the author's consent to approximations.

gpu.module @activations {
  gpu.func @silu_f32(%in: memref<?xf32>, %out: memref<?xf32>, %count: index) kernel {
    %c1 = arith.constant 1 : index
    %chunk = arith.constant 4 : index
    %one = arith.constant 1.0 : f32
    %ones = arith.constant dense<1.0> : vector<4xf32>
    %block = gpu.block_id x
    %width = gpu.block_dim x
    %lane = gpu.thread_id x
    %first = arith.muli %block, %width : index
    %thread = arith.addi %first, %lane : index
    %begin = arith.muli %thread, %chunk : index
    %end = arith.addi %begin, %chunk : index
    %whole = arith.cmpi ule, %end, %count : index
    scf.if %whole {
      %x = vector.load %in[%begin] {alignment = 16} : memref<?xf32>, vector<4xf32>
      %n = arith.negf %x fastmath<afn> : vector<4xf32>
      %e = math.exp %n fastmath<afn> : vector<4xf32>
      %d = arith.addf %e, %ones fastmath<afn> : vector<4xf32>
      %y = arith.divf %x, %d fastmath<afn> : vector<4xf32>
      vector.store %y, %out[%begin] {alignment = 16} : memref<?xf32>, vector<4xf32>
    } else {
      scf.for %i = %begin to %count step %c1 {
        %x = memref.load %in[%i] : memref<?xf32>
        %n = arith.negf %x fastmath<afn> : f32
        %e = math.exp %n fastmath<afn> : f32
        %d = arith.addf %e, %one fastmath<afn> : f32
        %y = arith.divf %x, %d fastmath<afn> : f32
        memref.store %y, %out[%i] : memref<?xf32>
      }
    }
    gpu.return
  }
}
