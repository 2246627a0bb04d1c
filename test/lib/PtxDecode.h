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
  /// \p symbols: values of names that are neither registers nor labels.
  PtxDecoder(PtxKernel &kernel,
             const std::unordered_map<std::string, uint64_t> &symbols,
             PtxDialect dialect)
      : kernel(kernel), symbols(symbols), dialect(dialect) {}

  /// `.reg .b32 %r<5>, %s` without the leading ".reg".
  bool declareRegisters(std::string_view text);
  void pushScope() {
    scopes.emplace_back();
    scopeIds.push_back(++lastScope);
  }
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
  bool decodeFp8(Modifiers &mods, PtxInstruction &inst, bool &handled);
  /// What only whole kernels use; PtxDecodeBlock.cpp, PtxDecodeAsync.cpp.
  bool decodeCooperative(Modifiers &mods, PtxInstruction &inst, bool &handled);
  bool decodeBarrier(Modifiers &mods, PtxInstruction &inst, bool &handled);
  bool decodeMbarrier(Modifiers &mods, PtxInstruction &inst);
  bool decodeWarp(Modifiers &mods, PtxInstruction &inst, bool &handled);
  bool decodeMatrixMove(Modifiers &mods, PtxInstruction &inst);
  bool decodeWgmma(Modifiers &mods, PtxInstruction &inst);
  bool decodeCopy(Modifiers &mods, PtxInstruction &inst);
  bool decodeTensorCopy(Modifiers &mods, PtxInstruction &inst, bool reduces);
  bool decodeReduction(Modifiers &mods, PtxInstruction &inst);
  /// Splits "{a, b}"; one element without braces.
  std::vector<std::string_view> elementsOf(std::string_view text) const;
  bool parseOperands(std::string_view text, unsigned width,
                     std::vector<PtxOperand> &list);
  bool parseBracket(std::string_view text, PtxAddress &address);
  bool whole() const { return dialect == PtxDialect::WholeKernels; }
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
  static std::string scopedLabel(uint32_t scope, std::string_view label) {
    return std::to_string(scope) + ":" + std::string(label);
  }

  PtxKernel &kernel;
  std::vector<std::unordered_map<std::string, Reg>> scopes{1};
  std::vector<uint32_t> scopeIds{0};
  uint32_t lastScope = 0;
  std::unordered_map<std::string, uint32_t> labels; ///< By scopedLabel.
  struct Branch {
    uint32_t index;
    std::string label;
    std::vector<uint32_t> scopes;
  };
  std::vector<Branch> branches;
  const std::unordered_map<std::string, uint64_t> &symbols;
  PtxDialect dialect;
};

} // namespace polytest

#endif // POLY_TEST_LIB_PTXDECODE_H
