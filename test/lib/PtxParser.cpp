//===- PtxParser.cpp - The text of a PTX module ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxDecode.h"

#include <algorithm>
#include <cctype>

namespace polytest {

/// Reads a module: directives, entries and their statements. The statements
/// themselves are PtxDecoder's.
class PtxParser {
public:
  PtxParser(std::string_view text, PtxModule &module, PtxDialect dialect)
      : text(text), module(module), dialect(dialect) {}

  bool run() {
    if (!blankComments())
      return false;
    while (true) {
      skipSpace();
      if (position == clean.size())
        break;
      std::string_view word = takeWord();
      if (word == ".version" || word == ".target" || word == ".address_size") {
        if (!header(word, trimPtx(takeUntil("\n"))))
          return false;
      } else if (word == ".file") {
        takeUntil("\n"); // Debug information changes no value.
      } else if (dialect == PtxDialect::WholeKernels &&
                 (word == ".extern" || word == ".shared")) {
        if (!sharedVariable(takeUntil(";")))
          return false;
      } else if (word == ".visible" || word == ".entry") {
        if (word == ".visible") {
          skipSpace();
          if (takeWord() != ".entry")
            return fail("only .entry may be .visible");
        }
        if (!entry())
          return false;
      } else {
        return fail("unknown directive '" + std::string(word) + "'");
      }
    }
    if (module.version == 0 || module.target.empty())
      return fail("no .version or no .target");
    return true;
  }

  std::string error;

private:
  bool fail(const std::string &message) {
    return failAt(lineOf(position), message);
  }
  bool failAt(uint32_t line, const std::string &message) {
    if (error.empty())
      error = "line " + std::to_string(line) + ": " + message;
    return false;
  }

  uint32_t lineOf(size_t where) {
    // Statements come in order, so count on from the last answer.
    if (where < countedTo) {
      countedTo = 0;
      countedLines = 1;
    }
    countedLines += uint32_t(
        std::count(clean.begin() + countedTo, clean.begin() + where, '\n'));
    countedTo = where;
    return countedLines;
  }

  /// Comments become spaces, so that offsets and lines stay.
  bool blankComments() {
    clean = std::string(text);
    for (size_t i = 0; i + 1 < clean.size(); ++i) {
      if (clean[i] != '/')
        continue;
      if (clean[i + 1] == '/') {
        while (i < clean.size() && clean[i] != '\n')
          clean[i++] = ' ';
      } else if (clean[i + 1] == '*') {
        size_t close = clean.find("*/", i + 2);
        if (close == std::string::npos) {
          position = i;
          return fail("a comment has no end");
        }
        for (; i < close + 2; ++i)
          if (clean[i] != '\n')
            clean[i] = ' ';
      }
    }
    return true;
  }

  void skipSpace() {
    while (position < clean.size() &&
           std::isspace(static_cast<unsigned char>(clean[position])))
      ++position;
  }
  static bool isWordChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '$' || c == '%' || c == '.';
  }
  std::string_view takeWord() {
    size_t begin = position;
    while (position < clean.size() && isWordChar(clean[position]))
      ++position;
    return std::string_view(clean).substr(begin, position - begin);
  }
  /// Text up to one of \p stops, which is consumed; all the rest without one.
  std::string_view takeUntil(const char *stops) {
    size_t begin = position;
    size_t stop = clean.find_first_of(stops, begin);
    position = stop == std::string::npos ? clean.size() : stop + 1;
    return std::string_view(clean).substr(
        begin, (stop == std::string::npos ? clean.size() : stop) - begin);
  }

  bool header(std::string_view word, std::string_view value) {
    if (word == ".version") {
      if (value.size() != 3 || value[1] != '.')
        return fail("unknown .version");
      module.version = unsigned(value[0] - '0') * 10 + unsigned(value[2] - '0');
    } else if (word == ".target") {
      module.target = std::string(value.substr(0, value.find(',')));
    } else if (value != "64") {
      return fail("only .address_size 64 is known");
    }
    return true;
  }

  static std::vector<std::string_view> words(std::string_view line) {
    std::vector<std::string_view> list;
    size_t i = 0;
    while (i < line.size()) {
      while (i < line.size() &&
             std::isspace(static_cast<unsigned char>(line[i])))
        ++i;
      size_t begin = i;
      while (i < line.size() &&
             !std::isspace(static_cast<unsigned char>(line[i])))
        ++i;
      if (i > begin)
        list.push_back(line.substr(begin, i - begin));
    }
    return list;
  }

  /// ".param .u64 .ptr .global .align 16 name", ".param .align 8 .b8 name[24]"
  bool parameter(PtxKernel &kernel, std::string_view declaration) {
    auto list = words(declaration);
    if (list.size() < 3 || list[0] != ".param")
      return fail("unknown parameter declaration");
    PtxType type;
    bool typed = false;
    size_t alignment = 0;
    for (size_t i = 1; i + 1 < list.size(); ++i) {
      if (list[i] == ".ptr") {
        // Facts about what the pointer points to: .SPACE .align N.
        if (i + 2 < list.size() && list[i + 1] == ".global")
          ++i;
        if (i + 3 < list.size() && list[i + 1] == ".align")
          i += 2;
      } else if (list[i] == ".align" && i + 2 < list.size()) {
        alignment = size_t(std::atoi(std::string(list[++i]).c_str()));
      } else if (!typed && parsePtxType(list[i].substr(1), type)) {
        typed = true;
      } else {
        return fail("unknown parameter declaration '" + std::string(list[i]) +
                    "'");
      }
    }
    if (!typed)
      return fail("a parameter has no type");
    PtxParam param;
    std::string_view name = list.back();
    param.size = type.bits() / 8;
    size_t bracket = name.find('[');
    if (bracket != std::string_view::npos) {
      int count = std::atoi(std::string(name.substr(bracket + 1)).c_str());
      if (count <= 0)
        return fail("unknown parameter array");
      param.size *= size_t(count);
    }
    if (alignment == 0)
      alignment = type.bits() / 8;
    param.name = std::string(name.substr(0, bracket));
    kernel.paramBytes =
        (kernel.paramBytes + alignment - 1) / alignment * alignment;
    param.offset = kernel.paramBytes;
    kernel.paramBytes += param.size;
    kernel.params.push_back(param);
    return true;
  }

  /// What follows ".shared" or ".extern" in
  /// ".extern .shared .align 1024 .b8 name[]".
  bool sharedVariable(std::string_view declaration) {
    auto list = words(declaration);
    size_t at = !list.empty() && list[0] == ".shared" ? 1 : 0;
    uint64_t alignment = 16;
    if (at + 1 < list.size() && list[at] == ".align") {
      alignment = uint64_t(std::atoi(std::string(list[at + 1]).c_str()));
      at += 2;
    }
    PtxType type;
    if (at + 2 != list.size() || !parsePtxType(list[at].substr(1), type) ||
        alignment == 0)
      return fail("unknown shared variable");
    std::string_view name = list[at + 1];
    size_t bracket = name.find('[');
    SharedVariable variable{std::string(name.substr(0, bracket)), alignment,
                            type.bits() / 8};
    if (bracket != std::string_view::npos) {
      // Nothing in the brackets: what the launch provides.
      uint64_t count =
          uint64_t(std::atoll(std::string(name.substr(bracket + 1)).c_str()));
      variable.bytes *= count;
    }
    shared.push_back(variable);
    return true;
  }

  /// Names that statements may use as numbers: shared variables, those of known
  /// size first, and parameters.
  void nameAddresses(PtxKernel &kernel) {
    symbols.clear();
    uint64_t next = kPtxSharedBase;
    for (bool dynamic : {false, true})
      for (const SharedVariable &variable : shared) {
        if ((variable.bytes == 0) != dynamic)
          continue;
        uint64_t base = (next + variable.alignment - 1) / variable.alignment *
                        variable.alignment;
        symbols[variable.name] = base;
        kernel.staticShared = base + variable.bytes - kPtxSharedBase;
        if (!dynamic)
          next = base + variable.bytes;
      }
    for (const PtxParam &param : kernel.params)
      symbols[param.name] = kPtxParamWindow + param.offset;
  }

  bool entry() {
    PtxKernel kernel;
    skipSpace();
    kernel.name = std::string(takeWord());
    skipSpace();
    if (kernel.name.empty())
      return fail("an .entry has no name");
    if (position < clean.size() && clean[position] == '(') {
      ++position;
      std::string_view list = trimPtx(takeUntil(")"));
      while (!list.empty()) {
        size_t comma = list.find(',');
        if (!parameter(kernel, trimPtx(list.substr(0, comma))))
          return false;
        list = comma == std::string_view::npos
                   ? std::string_view()
                   : trimPtx(list.substr(comma + 1));
      }
    }
    std::string_view directives = takeUntil("{");
    if (dialect == PtxDialect::WholeKernels)
      nameAddresses(kernel);
    if (!performance(kernel, directives) || !statements(kernel))
      return false;
    module.kernelList.push_back(std::move(kernel));
    return true;
  }

  /// ".reqntid 256, 1, 1" and its like between the parameters and the body.
  bool performance(PtxKernel &kernel, std::string_view directives) {
    std::string spaced(directives);
    std::replace(spaced.begin(), spaced.end(), ',', ' ');
    auto list = words(spaced);
    for (size_t i = 0; i < list.size();) {
      std::string_view word = list[i++];
      std::vector<unsigned> numbers;
      while (i < list.size() &&
             std::isdigit(static_cast<unsigned char>(list[i][0])))
        numbers.push_back(unsigned(std::atoi(std::string(list[i++]).c_str())));
      if (word == ".reqntid" && !numbers.empty() && numbers.size() <= 3) {
        numbers.resize(3, 1);
        kernel.hasRequiredBlock = true;
        kernel.requiredBlock = {numbers[0], numbers[1], numbers[2]};
      } else if (dialect == PtxDialect::WholeKernels &&
                 word == ".reqnctapercluster" && !numbers.empty() &&
                 numbers.size() <= 3) {
        numbers.resize(3, 1);
        kernel.cluster = {numbers[0], numbers[1], numbers[2]};
        kernel.cooperative = true;
      } else if (dialect == PtxDialect::WholeKernels &&
                 word == ".explicitcluster") {
        continue;
      } else if (word != ".maxntid" && word != ".minnctapersm" &&
                 word != ".maxnreg") {
        return fail("unknown directive '" + std::string(word) + "'");
      }
    }
    return true;
  }

  bool statements(PtxKernel &kernel) {
    PtxDecoder decoder(kernel, symbols, dialect);
    unsigned depth = 0;
    while (true) {
      skipSpace();
      if (position == clean.size())
        return fail("kernel '" + kernel.name + "' has no end");
      uint32_t line = lineOf(position);
      bool good = true;
      if (clean[position] == '{') {
        ++position;
        ++depth;
        decoder.pushScope();
      } else if (clean[position] == '}') {
        ++position;
        if (depth == 0)
          break;
        --depth;
        good = decoder.popScope();
      } else if (clean[position] == ';') {
        ++position; // An empty statement.
      } else {
        size_t begin = position;
        std::string_view word = takeWord();
        if (word == ".loc") {
          takeUntil("\n");
        } else if (word == ".reg") {
          good = decoder.declareRegisters(takeUntil(";"));
        } else if (word == ".pragma") {
          // Advice to ptxas that changes no value.
          std::string_view advice = trimPtx(takeUntil(";"));
          if (advice != "\"nounroll\"")
            return failAt(line, "unknown .pragma " + std::string(advice));
        } else if (clean.compare(position, 1, ":") == 0 &&
                   clean.compare(position, 2, "::") != 0) {
          ++position;
          good = decoder.defineLabel(word);
        } else if (!word.empty() && word[0] == '.') {
          return failAt(line, "unknown directive '" + std::string(word) + "'");
        } else {
          position = begin;
          good = decoder.decode(takeUntil(";"), line);
        }
      }
      if (!good)
        return failAt(line, decoder.error);
    }
    // Running off the end is a return.
    if (!decoder.decode("ret", lineOf(position)) || !decoder.finish())
      return fail(decoder.error);
    return true;
  }

  struct SharedVariable {
    std::string name;
    uint64_t alignment;
    uint64_t bytes; ///< 0: as many as the launch provides.
  };

  std::string_view text;
  PtxModule &module;
  PtxDialect dialect;
  std::vector<SharedVariable> shared;
  std::unordered_map<std::string, uint64_t> symbols;
  std::string clean;
  size_t position = 0;
  size_t countedTo = 0;
  uint32_t countedLines = 1;
};

std::unique_ptr<PtxModule> PtxModule::parse(std::string_view text,
                                            std::string &error,
                                            PtxDialect dialect) {
  auto module = std::make_unique<PtxModule>();
  PtxParser parser(text, *module, dialect);
  if (parser.run())
    return module;
  error = parser.error;
  return nullptr;
}

const PtxKernel *PtxModule::kernel(std::string_view name) const {
  for (const PtxKernel &candidate : kernelList)
    if (candidate.name == name)
      return &candidate;
  return nullptr;
}

PtxKernel::PtxKernel() = default;
PtxKernel::PtxKernel(PtxKernel &&) = default;
PtxKernel &PtxKernel::operator=(PtxKernel &&) = default;
PtxKernel::~PtxKernel() = default;

} // namespace polytest
