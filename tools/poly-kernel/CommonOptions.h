//===- CommonOptions.h - Options that families share -----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TOOLS_POLYKERNEL_COMMONOPTIONS_H
#define POLY_TOOLS_POLYKERNEL_COMMONOPTIONS_H

#include "Options.h"

#include "common/KernelBuilder.h"

inline void declareElementType(OptionSet &set,
                               poly::kernels::ElementType &type) {
  using poly::kernels::ElementType;
  set.choice("type", type,
             {{"bf16", ElementType::BF16},
              {"f16", ElementType::F16},
              {"f32", ElementType::F32}},
             "elements of the arrays");
}

inline void declareArithmetic(OptionSet &set, bool &approximate) {
  set.choice("arithmetic", approximate,
             {{"approximate", true}, {"exact", false}},
             "approximate: the operations consent to approximations (afn); "
             "exact: they do not");
}

#endif // POLY_TOOLS_POLYKERNEL_COMMONOPTIONS_H
