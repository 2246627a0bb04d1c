//===- Table.cpp - Text tables --------------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

using namespace poly::runtime;

namespace {

/// Characters of UTF-8 text: bytes that do not continue one.
size_t width(const std::string &text) {
  return size_t(std::count_if(text.begin(), text.end(),
                              [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string &cell, size_t to, bool left) {
  std::string space(to - width(cell), ' ');
  return left ? cell + space : space + cell;
}

} // namespace

void Table::add(std::vector<std::string> row) {
  if (!rows.empty() && row.size() != rows.front().size())
    throw std::invalid_argument("a row of a table has another length");
  rows.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  std::string result;
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += (i ? "  " : "") + padded(row[i], widths[i], i == 0);
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
    if (&row == &rows.front()) {
      size_t total = 2 * (widths.size() - 1);
      for (size_t column : widths)
        total += column;
      result += std::string(total, '-') + "\n";
    }
  }
  return result;
}

std::string Table::markdown() const {
  std::string result;
  for (const std::vector<std::string> &row : rows) {
    result += "|";
    for (const std::string &cell : row)
      result += " " + cell + " |";
    result += "\n";
    if (&row != &rows.front())
      continue;
    result += "|";
    for (size_t i = 0; i < row.size(); ++i)
      result += i == 0 ? " --- |" : " ---: |";
    result += "\n";
  }
  return result;
}

std::string poly::runtime::print(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string poly::runtime::grouped(long long value) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  for (size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, ",");
  return (value < 0 ? "-" : "") + digits;
}
