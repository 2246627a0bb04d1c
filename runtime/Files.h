//===- Files.h - Reading and writing whole files ----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_FILES_H
#define POLY_RUNTIME_FILES_H

#include <string>

namespace poly::runtime {

/// A whole file. Throws std::runtime_error when it cannot be read.
std::string readFile(const std::string &path);
/// Writes through a temporary file, so that no half-written file remains.
void writeFile(const std::string &path, const std::string &content);
/// Throws what writeFile would, before there is anything to write: for those
/// who work for long.
void checkWritable(const std::string &path);
/// "a/b/" of "a/b/c", "" of "c".
std::string folderOf(const std::string &path);

} // namespace poly::runtime

#endif // POLY_RUNTIME_FILES_H
