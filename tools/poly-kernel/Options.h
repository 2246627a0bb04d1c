//===- Options.h - Options of a kernel family ------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TOOLS_POLYKERNEL_OPTIONS_H
#define POLY_TOOLS_POLYKERNEL_OPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

/// The `--name=value` options of one family, each bound to a variable that
/// holds the default.
class OptionSet {
public:
  /// One of several words.
  template <typename T>
  void choice(std::string name, T &value,
              std::vector<std::pair<std::string, T>> choices,
              std::string help) {
    std::string words, chosen;
    for (const auto &[word, meaning] : choices) {
      words += (words.empty() ? "" : "|") + word;
      if (meaning == value)
        chosen = word;
    }
    add(std::move(name), std::move(words), chosen, std::move(help),
        [&value, choices = std::move(choices)](llvm::StringRef text) {
          for (const auto &[word, meaning] : choices)
            if (text == word) {
              value = meaning;
              return true;
            }
          return false;
        });
  }
  void integer(std::string name, int64_t &value, std::string help);
  void number(std::string name, double &value, std::string help);
  /// Set by `--name` alone.
  void flag(std::string name, bool &value, std::string help);

  /// Sets the variables. Returns what is wrong, or "".
  std::string parse(llvm::ArrayRef<llvm::StringRef> arguments);

  void print(llvm::raw_ostream &os) const;

private:
  struct Option {
    std::string name, values, byDefault, help;
    /// Takes the value, or says that it is not one.
    std::function<bool(llvm::StringRef)> set;
    bool isFlag = false;
  };
  void add(std::string name, std::string values, std::string byDefault,
           std::string help, std::function<bool(llvm::StringRef)> set);
  std::string names() const;

  std::vector<Option> options;
};

#endif // POLY_TOOLS_POLYKERNEL_OPTIONS_H
