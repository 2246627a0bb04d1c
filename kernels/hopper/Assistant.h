//===- Assistant.h - A second thread beside the one that copies -*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_KERNELS_HOPPER_ASSISTANT_H
#define POLY_KERNELS_HOPPER_ASSISTANT_H

#include "Warps.h"

namespace poly::kernels::hopper {

/// As specialise() does, and \p assist runs in one thread of another warp of
/// warpgroup 0.
void specialiseWithAssistant(Emitter &e, const ThreadPosition &position,
                             int64_t producerRegisters,
                             int64_t consumerRegisters,
                             llvm::function_ref<void()> produce,
                             llvm::function_ref<void()> assist,
                             llvm::function_ref<void()> consume);

} // namespace poly::kernels::hopper

#endif // POLY_KERNELS_HOPPER_ASSISTANT_H
