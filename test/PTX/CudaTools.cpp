//===- CudaTools.cpp - ptxas and nvdisasm, where installed ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTools.h"

#include "CompileTool.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <cctype>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace polytest {

static std::string inPythonPackages(const std::string &name) {
  auto python = llvm::sys::findProgramByName("python3");
  std::string folders;
  if (!python ||
      runTool(*python,
              {"-c", "import sysconfig, glob; print('\\n'.join(glob.glob("
                     "sysconfig.get_paths()['purelib'] + '/nvidia/*/bin')))"},
              folders) != 0)
    return "";
  std::istringstream lines(folders);
  for (std::string folder; std::getline(lines, folder);)
    if (llvm::sys::fs::can_execute(folder + "/" + name))
      return folder + "/" + name;
  return "";
}

std::string findCudaTool(const std::string &name) {
  std::vector<std::string> candidates;
  // CMake's answer is empty or ends in -NOTFOUND when it has none.
  candidates.push_back(name == "ptxas" ? POLY_PTXAS_PATH : POLY_NVDISASM_PATH);
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = std::getenv(variable))
      candidates.push_back(std::string(home) + "/bin/" + name);
  for (const std::string &candidate : candidates)
    if (!candidate.empty() && llvm::sys::fs::can_execute(candidate))
      return candidate;
  if (auto onPath = llvm::sys::findProgramByName(name))
    return *onPath;
  return inPythonPackages(name);
}

OpcodeCounts countOpcodes(const std::string &disassembly,
                          const std::string &kernel) {
  OpcodeCounts counts;
  std::istringstream lines(disassembly);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    llvm::StringRef text = llvm::StringRef(line).trim();
    if (text.starts_with(".section")) {
      inside = text.contains(".text." + kernel + ",");
      continue;
    }
    // "/*0070*/   @!P0 LDG.E.128 R4, desc[UR4][R2.64] ;"
    if (!inside || !text.consume_front("/*"))
      continue;
    text = text.split("*/").second.trim();
    if (text.consume_front("@"))
      text = text.split(' ').second.trim();
    llvm::StringRef opcode =
        text.take_until([](char c) { return c == ' ' || c == ';'; });
    // ptxas also spreads constants over the pipes by adding them to -0 * 0.
    if (opcode.starts_with("HFMA2") && text.contains("-RZ, RZ, ") &&
        !text.contains('|')) {
      ++counts["MOV.HFMA2"];
      continue;
    }
    if (!opcode.empty() && std::isupper(static_cast<unsigned char>(opcode[0])))
      ++counts[opcode.str()];
  }
  return counts;
}

unsigned total(const OpcodeCounts &counts, const std::string &prefix) {
  unsigned sum = 0;
  for (const auto &[opcode, count] : counts)
    if (opcode == prefix || llvm::StringRef(opcode).starts_with(prefix + "."))
      sum += count;
  return sum;
}

} // namespace polytest
