//===- Options.cpp - Options of a kernel family ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <set>

void OptionSet::add(std::string name, std::string values, std::string byDefault,
                    std::string help,
                    std::function<bool(llvm::StringRef)> set) {
  options.push_back({std::move(name), std::move(values), std::move(byDefault),
                     std::move(help), std::move(set)});
}

void OptionSet::integer(std::string name, int64_t &value, std::string help) {
  add(std::move(name), "N", std::to_string(value), std::move(help),
      [&value](llvm::StringRef text) { return !text.getAsInteger(10, value); });
}

void OptionSet::number(std::string name, double &value, std::string help) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  add(std::move(name), "X", text, std::move(help),
      [&value](llvm::StringRef text) { return !text.getAsDouble(value); });
}

void OptionSet::flag(std::string name, bool &value, std::string help) {
  add(std::move(name), "", value ? "on" : "off", std::move(help),
      [&value](llvm::StringRef) { return value = true; });
  options.back().isFlag = true;
}

std::string OptionSet::names() const {
  llvm::SmallVector<std::string> all;
  for (const Option &option : options)
    all.push_back("--" + option.name);
  return llvm::join(all, ", ");
}

std::string OptionSet::parse(llvm::ArrayRef<llvm::StringRef> arguments) {
  std::set<llvm::StringRef> given;
  for (llvm::StringRef argument : arguments) {
    auto [name, value] = argument.split('=');
    bool hasValue = argument.contains('=');
    if (!name.consume_front("--"))
      return ("unexpected argument '" + argument + "'; options are " + names())
          .str();
    auto option = llvm::find_if(
        options, [&](const Option &option) { return option.name == name; });
    if (option == options.end())
      return ("unknown option '--" + name + "'; options are " + names()).str();
    if (!given.insert(name).second)
      return ("--" + name + " is given twice").str();
    if (option->isFlag && hasValue)
      return ("--" + name + " takes no value").str();
    if (!option->isFlag && (!hasValue || !option->set(value)))
      return ("--" + name + " takes " + option->values + ", not '" + value +
              "'")
          .str();
    if (option->isFlag)
      option->set("");
  }
  return "";
}

void OptionSet::print(llvm::raw_ostream &os) const {
  for (const Option &option : options) {
    std::string left = "--" + option.name;
    if (!option.isFlag)
      left += "=" + option.values;
    os << "  " << left << "\n      " << option.help << " (default "
       << option.byDefault << ")\n";
  }
}
