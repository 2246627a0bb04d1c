//===- Files.cpp - Reading and writing whole files ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

using namespace poly::runtime;

std::string poly::runtime::readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  if (!stream || !(content << stream.rdbuf()))
    throw std::runtime_error(path + ": cannot be read, or is empty");
  return content.str();
}

void poly::runtime::writeFile(const std::string &path,
                              const std::string &content) {
  std::string temporary = path + ".tmp";
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream << content;
    if (!stream.flush()) {
      std::remove(temporary.c_str());
      throw std::runtime_error(path + ": cannot be written");
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::remove(temporary.c_str());
    throw std::runtime_error(path + ": cannot be written");
  }
}

std::string poly::runtime::folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}
