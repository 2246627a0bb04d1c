//===- CudaTools.h - ptxas and nvdisasm, where installed --------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_PTX_CUDATOOLS_H
#define POLY_TEST_PTX_CUDATOOLS_H

#include <map>
#include <string>

namespace polytest {

/// The path of an executable of the CUDA toolkit: where CMake found it, on
/// PATH, below $CUDA_HOME or $CUDA_PATH, or in the pip packages nvidia-cuda-*
/// of the python on PATH. Empty when it is in none of them.
std::string findCudaTool(const std::string &name);

/// How often each opcode, modifiers included ("LDG.E.128"), stands in the code
/// of one kernel of a cubin. A constant that is loaded by an HFMA2 counts as
/// "MOV.HFMA2".
using OpcodeCounts = std::map<std::string, unsigned>;
OpcodeCounts countOpcodes(const std::string &disassembly,
                          const std::string &kernel);

/// The sum over opcodes that are \p prefix or start with it and a dot.
unsigned total(const OpcodeCounts &counts, const std::string &prefix);

} // namespace polytest

#endif // POLY_TEST_PTX_CUDATOOLS_H
