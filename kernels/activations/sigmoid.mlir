// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The logistic function, y = 1 / (1 + exp(-x)), over dense arrays of bf16 or f16.
//
// Arguments: the input, the output (the same array is allowed) and the number
// of elements, which may be any. Both arrays start on a 16-byte boundary, as
// device allocations do. A thread works on 8 elements: launch
// ceil(count / (8 * threads)) blocks of any size. The last, partial chunk is
// done one element at a time.
//
// `afn` on the arithmetic is the author's consent to approximations.

gpu.module @activations {
  gpu.func @sigmoid_bf16(%in: memref<?xbf16>, %out: memref<?xbf16>, %count: index) kernel {
    %c1 = arith.constant 1 : index
    %chunk = arith.constant 8 : index
    %one = arith.constant 1.0 : f32
    %ones = arith.constant dense<1.0> : vector<8xf32>
    %block = gpu.block_id x
    %width = gpu.block_dim x
    %lane = gpu.thread_id x
    %first = arith.muli %block, %width : index
    %thread = arith.addi %first, %lane : index
    %begin = arith.muli %thread, %chunk : index
    %end = arith.addi %begin, %chunk : index
    %whole = arith.cmpi ule, %end, %count : index
    scf.if %whole {
      %x = vector.load %in[%begin] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
      %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
      %n = arith.negf %f fastmath<afn> : vector<8xf32>
      %e = math.exp %n fastmath<afn> : vector<8xf32>
      %d = arith.addf %e, %ones fastmath<afn> : vector<8xf32>
      %q = arith.divf %ones, %d fastmath<afn> : vector<8xf32>
      %y = arith.truncf %q : vector<8xf32> to vector<8xbf16>
      vector.store %y, %out[%begin] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
    } else {
      scf.for %i = %begin to %count step %c1 {
        %x = memref.load %in[%i] : memref<?xbf16>
        %f = arith.extf %x : bf16 to f32
        %n = arith.negf %f fastmath<afn> : f32
        %e = math.exp %n fastmath<afn> : f32
        %d = arith.addf %e, %one fastmath<afn> : f32
        %q = arith.divf %one, %d fastmath<afn> : f32
        %y = arith.truncf %q : f32 to bf16
        memref.store %y, %out[%i] : memref<?xbf16>
      }
    }
    gpu.return
  }

  gpu.func @sigmoid_f16(%in: memref<?xf16>, %out: memref<?xf16>, %count: index) kernel {
    %c1 = arith.constant 1 : index
    %chunk = arith.constant 8 : index
    %one = arith.constant 1.0 : f32
    %ones = arith.constant dense<1.0> : vector<8xf32>
    %block = gpu.block_id x
    %width = gpu.block_dim x
    %lane = gpu.thread_id x
    %first = arith.muli %block, %width : index
    %thread = arith.addi %first, %lane : index
    %begin = arith.muli %thread, %chunk : index
    %end = arith.addi %begin, %chunk : index
    %whole = arith.cmpi ule, %end, %count : index
    scf.if %whole {
      %x = vector.load %in[%begin] {alignment = 16} : memref<?xf16>, vector<8xf16>
      %f = arith.extf %x : vector<8xf16> to vector<8xf32>
      %n = arith.negf %f fastmath<afn> : vector<8xf32>
      %e = math.exp %n fastmath<afn> : vector<8xf32>
      %d = arith.addf %e, %ones fastmath<afn> : vector<8xf32>
      %q = arith.divf %ones, %d fastmath<afn> : vector<8xf32>
      %y = arith.truncf %q : vector<8xf32> to vector<8xf16>
      vector.store %y, %out[%begin] {alignment = 16} : memref<?xf16>, vector<8xf16>
    } else {
      scf.for %i = %begin to %count step %c1 {
        %x = memref.load %in[%i] : memref<?xf16>
        %f = arith.extf %x : f16 to f32
        %n = arith.negf %f fastmath<afn> : f32
        %e = math.exp %n fastmath<afn> : f32
        %d = arith.addf %e, %one fastmath<afn> : f32
        %q = arith.divf %one, %d fastmath<afn> : f32
        %y = arith.truncf %q : f32 to f16
        memref.store %y, %out[%i] : memref<?xf16>
      }
    }
    gpu.return
  }
}
