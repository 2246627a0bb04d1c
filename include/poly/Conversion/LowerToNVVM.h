//===- LowerToNVVM.h - gpu.module to the LLVM dialect ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_CONVERSION_LOWERTONVVM_H
#define POLY_CONVERSION_LOWERTONVVM_H

#include "mlir/Pass/PassManager.h"

#include <string>

namespace mlir::poly {

/// The NVPTX features that \p chip needs: the lowest PTX version whose ISA has
/// the chip and the packed instructions poly emits, e.g. "+ptx78" for sm_90.
std::string defaultFeatures(llvm::StringRef chip);

/// Why \p features cannot be used for \p chip, or "".
std::string checkFeatures(llvm::StringRef chip, llvm::StringRef features);

/// Adds the upstream passes that lower every gpu.module below the pass
/// manager's op to the LLVM and NVVM dialects and attach its NVVM target.
/// gpu.launch is outlined first. Host code is left alone.
void addLowerToNVVMPasses(OpPassManager &pm, llvm::StringRef chip,
                          llvm::StringRef features, unsigned optLevel);

} // namespace mlir::poly

#endif // POLY_CONVERSION_LOWERTONVVM_H
