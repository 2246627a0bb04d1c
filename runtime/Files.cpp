//===- Files.cpp - Reading and writing whole files ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include <cstdio>
#include <filesystem>
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

namespace {
/// What is written beside a file and then takes its place, or goes away.
class Temporary {
public:
  explicit Temporary(const std::string &path) : path(path), own(path + ".tmp") {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
      fail(); // It could not be replaced.
    stream.open(own, std::ios::binary);
    if (!stream)
      fail();
  }
  ~Temporary() {
    if (!own.empty())
      std::remove(own.c_str());
  }

  void write(const std::string &content) {
    stream << content;
    if (!stream.flush())
      fail();
  }
  void rename() {
    stream.close();
    if (std::rename(own.c_str(), path.c_str()) != 0)
      fail();
    own.clear();
  }

private:
  void fail() const { throw std::runtime_error(path + ": cannot be written"); }

  std::string path, own;
  std::ofstream stream;
};
} // namespace

void poly::runtime::writeFile(const std::string &path,
                              const std::string &content) {
  Temporary temporary(path);
  temporary.write(content);
  temporary.rename();
}

void poly::runtime::checkWritable(const std::string &path) {
  Temporary temporary(path);
}

std::string poly::runtime::folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}
