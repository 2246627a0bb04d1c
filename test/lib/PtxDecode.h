//===- PtxDecode.h - PTX statements to instructions ------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_PTXDECODE_H
#define POLY_TEST_LIB_PTXDECODE_H

#include "PtxInstruction.h"

#include <unordered_map>

namespace polytest {

/// Parses "u32", "bf16x2", "pred", ...
bool parsePtxType(std::string_view text, PtxType &type);
/// Without white space at the ends.
std::string_view trimPtx(std::string_view text);

/// Decodes one statement at a time within a kernel.
class PtxDecoder {
public:
  explicit PtxDecoder(PtxKernel &kernel) : kernel(kernel) {}

  /// `.reg .b32 %r<5>, %s` without the leading ".reg".
  bool declareRegisters(std::string_view text);
  void pushScope() { scopes.emplace_back(); }
  bool popScope();
  bool defineLabel(std::string_view label);
  /// "@%p1 bra $L1", without the semicolon.
  bool decode(std::string_view statement, uint32_t line);
  /// Resolves branches.
  bool finish();

  std::string error;

private:
  /// "fma.rn.relu.bf16x2" as a base and the rest, taken from the left.
  struct Modifiers {
    std::string mnemonic;
    std::vector<std::string_view> parts;
    size_t next = 0;

    explicit Modifiers(std::string_view text) : mnemonic(text) {
      std::string_view rest = mnemonic;
      while (true) {
        size_t dot = rest.find('.');
        parts.push_back(rest.substr(0, dot));
        if (dot == std::string_view::npos)
          break;
        rest.remove_prefix(dot + 1);
      }
      next = 1;
    }
    Modifiers(const Modifiers &) = delete;
    std::string_view base() const { return parts[0]; }
    std::string_view peek() const {
      return next < parts.size() ? parts[next] : std::string_view();
    }
    bool take(std::string_view text) {
      if (peek() != text)
        return false;
      ++next;
      return true;
    }
  };

  struct Reg {
    uint32_t index;
    uint8_t width;
  };

  bool fail(const std::string &message);
  bool decodeOperation(Modifiers &mods, PtxInstruction &inst);
  bool decodeMemory(Modifiers &mods, PtxInstruction &inst, bool isLoad);
  bool decodeMov(Modifiers &mods, PtxInstruction &inst);
  bool decodeCvt(Modifiers &mods, PtxInstruction &inst);
  bool decodeInteger(Modifiers &mods, PtxInstruction &inst, bool &handled);
  bool decodeFloat(Modifiers &mods, PtxInstruction &inst);
  bool decodeSetp(Modifiers &mods, PtxInstruction &inst);
  bool decodeSet(Modifiers &mods, PtxInstruction &inst);
  bool takeType(Modifiers &mods, PtxType &type);
  bool takeCompare(Modifiers &mods, PtxInstruction &inst, PtxType &type);
  bool end(Modifiers &mods);

  /// The operands split at top-level commas.
  std::vector<std::string_view> operands;
  bool expectOperands(size_t count);
  bool parseOperand(std::string_view text, PtxOperand &operand);
  /// A register or immediate of exactly \p width bits.
  bool parseValue(std::string_view text, unsigned width, PtxOperand &operand);
  bool parseRegister(std::string_view text, unsigned width,
                     PtxOperand &operand);
  /// Destination of operand 0, sources from the others, all \p width bits.
  bool simple(PtxInstruction &inst, unsigned dstWidth, unsigned srcWidth,
              unsigned sources);
  bool parseAddress(std::string_view text, PtxInstruction &inst);
  const Reg *lookup(std::string_view name) const;

  PtxKernel &kernel;
  std::vector<std::unordered_map<std::string, Reg>> scopes{1};
  std::unordered_map<std::string, uint32_t> labels;
  std::vector<std::pair<uint32_t, std::string>> branches;
};

} // namespace polytest

#endif // POLY_TEST_LIB_PTXDECODE_H
