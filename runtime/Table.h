//===- Table.h - Text tables ------------------------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_TABLE_H
#define POLY_RUNTIME_TABLE_H

#include <string>
#include <vector>

namespace poly::runtime {

/// A table of text whose columns are as wide as they need be: the first column
/// to the left, the others to the right.
class Table {
public:
  explicit Table(std::vector<std::string> header) { add(std::move(header)); }

  /// Rows have as many cells as the header.
  void add(std::vector<std::string> row);
  /// Lines with a rule below the header.
  std::string text() const;
  /// The same as a Markdown table.
  std::string markdown() const;

private:
  std::vector<std::vector<std::string>> rows;
};

/// printf's formatting of one number: print("%.3f", 1.5).
std::string print(const char *format, double value);
/// A whole number with its thousands set apart: 268,435,456.
std::string grouped(long long value);

} // namespace poly::runtime

#endif // POLY_RUNTIME_TABLE_H
