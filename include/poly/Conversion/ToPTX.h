//===- ToPTX.h - Lowered gpu.modules to PTX and cubin ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_CONVERSION_TOPTX_H
#define POLY_CONVERSION_TOPTX_H

#include "poly/Conversion/Metadata.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::poly {

struct ToPTXOptions {
  std::string chip = "sm_90";
  std::string features; ///< Empty: defaultFeatures(chip).
  unsigned optLevel = 3;
  /// libdevice.10.bc, linked when the code calls __nv_* functions. Empty: look
  /// in $CUDA_HOME, $CUDA_PATH, and /usr/local/cuda.
  std::string libdevice;
};

/// Translates every gpu.module of \p module (already in the LLVM dialect) to
/// LLVM IR, links them, optimises and returns PTX, and in \p kernels (if not
/// null) a description of each kernel. Diagnostics go to the context; the Error
/// carries what has no location.
llvm::Expected<std::string>
translateToPTX(ModuleOp module, const ToPTXOptions &options,
               std::vector<KernelDescription> *kernels = nullptr);

/// Links libdevice into \p module if it calls it, optimises and returns PTX.
/// The module is changed. \p kernels is as above.
llvm::Expected<std::string>
emitPTX(llvm::Module &module, const ToPTXOptions &options,
        std::vector<KernelDescription> *kernels = nullptr);

/// Assembles PTX with ptxas (\p ptxas, or found on PATH, in $CUDA_HOME/bin or
/// /usr/local/cuda/bin) and returns the cubin.
llvm::Expected<std::string>
assembleCubin(llvm::StringRef ptx, llvm::StringRef chip, llvm::StringRef ptxas);

} // namespace mlir::poly

#endif // POLY_CONVERSION_TOPTX_H
