//===- Rows.cpp - Rows of strided arrays, 16 bytes a thread --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

using namespace mlir;
using namespace poly::kernels;
using namespace poly::kernels::hopper;

void StridedArray::addTo(KernelFrame &frame, Emitter &e, llvm::StringRef name) {
  frame.pointer(name, base);
  Value *strides[] = {&batchStride, &headStride, &rowStride};
  const char *suffixes[] = {"BatchStride", "HeadStride", "RowStride"};
  for (unsigned i = 0; i < 3; ++i) {
    strideNames[i] = name.str() + suffixes[i];
    frame.parameter(strideNames[i], e.getI64Type(), *strides[i]);
  }
}

Value StridedArray::address(Emitter &e, Value batch, Value head, Value row,
                            Value column) const {
  Value element = e.widen(column);
  for (auto [index, stride] :
       {std::pair(batch, batchStride), std::pair(head, headStride),
        std::pair(row, rowStride)})
    element = arith::AddIOp::create(
        e, element, arith::MulIOp::create(e, e.widen(index), stride));
  Value bytes = arith::MulIOp::create(e, element, e.constant64(2));
  return advancePointer(e, base, bytes);
}
