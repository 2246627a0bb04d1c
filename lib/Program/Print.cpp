//===- Print.cpp - Readable listings of Programs --------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Print.h"

#include "poly/Program/Formats.h"

#include <cstdarg>
#include <cstdio>

using namespace poly;

static std::string format(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));

static std::string format(const char *pattern, ...) {
  char text[256];
  va_list args;
  va_start(args, pattern);
  std::vsnprintf(text, sizeof(text), pattern, args);
  va_end(args);
  return text;
}

/// The element pattern with its value: "0x3f80 = 1".
static std::string element(Format type, uint32_t bits) {
  return format(type == Format::F32 ? "0x%08x = %.9g" : "0x%04x = %.9g", bits,
                decode(type, bits));
}

static std::string constant(const Node &node) {
  if (node.type == Type::F32)
    return element(Format::F32, node.imm);
  if (!isPacked(node.type))
    return format("0x%08x", node.imm);
  Format type = elementFormat(node.type);
  uint32_t lo = node.imm & 0xffffu, hi = node.imm >> 16;
  std::string text = format("0x%08x = %.9g", node.imm, decode(type, lo));
  return lo == hi ? text : text + format(", %.9g", decode(type, hi));
}

/// Operands in the order of the PTX instruction.
static std::string operands(const Node &node) {
  auto id = [&](unsigned i) { return format("%%%u", node.operands[i]); };
  switch (node.op) {
  case Op::CvtPack: // PTX names the high half first.
    return id(1) + ", " + id(0);
  case Op::Selp:
    return id(1) + ", " + id(2) + ", " + id(0);
  case Op::UnpackLo:
    return static_cast<Type>(node.imm) == Type::BF16x2 ? id(0) + ", 16"
                                                       : id(0) + ".lo";
  case Op::UnpackHi:
    return static_cast<Type>(node.imm) == Type::BF16x2 ? id(0) + ", 0xffff0000"
                                                       : id(0) + ".hi";
  default:
    break;
  }
  std::string text;
  for (unsigned i = 0; i < node.numOperands; ++i)
    text += (i ? ", " : "") + id(i);
  if (node.op == Op::Lop3)
    text += format(", 0x%02x", node.imm);
  if (node.op == Op::Shl || node.op == Op::Shr)
    text += format(", %u", node.imm);
  return text;
}

std::string poly::toString(const Program &program) {
  const ProgramInfo &info = program.info();
  std::string text = info.name + ": " + std::string(name(info.function)) +
                     ", " + std::string(name(info.from)) + " -> " +
                     std::string(name(info.to));
  if (program.nodes().empty())
    return text + ", not a valid program\n";
  text += format(", %u lane%s, %u instructions, sm_%u\n", info.lanes,
                 info.lanes == 1 ? "" : "s", instructionCount(program),
                 minimumSm(program));
  if (!info.provenance.empty())
    text += "  from: " + info.provenance + "\n";
  for (NodeId id = 0; id < program.nodes().size(); ++id) {
    const Node &node = program.node(id);
    text += format("  %%%u = ", id);
    if (node.op == Op::Input)
      text += format("input %u", node.imm);
    else if (node.op == Op::Const)
      text += "const " + constant(node);
    else if (node.op == Op::Bitcast)
      text += "bitcast " + operands(node);
    else
      text += ptxName(node) + " " + operands(node);
    text += " : " + std::string(name(node.type)) + "\n";
  }
  text += "  result";
  for (NodeId result : program.results())
    text += format(" %%%u", result);
  return text + "\n";
}

std::string poly::toString(const Certificate &certificate,
                           const Program &program) {
  const ProgramInfo &info = program.info();
  Format to = info.to;
  auto yesNo = [](bool value) { return value ? "yes" : "no"; };
  std::string text = format(
      "%s: %llu inputs (%s)%s\n", info.name.c_str(),
      static_cast<unsigned long long>(certificate.inputs),
      certificate.exhaustive ? "all finite ones" : "a sample",
      certificate.sfuModel ? ", by the model of the special function unit"
                           : "");
  text += format("  max abs error %.4g at %.9g\n", certificate.maxAbs,
                 certificate.worstAbsInput);
  text += format("  max rel error %.4g at %.9g\n", certificate.maxRel,
                 certificate.worstRelInput);
  text += format("  max ulp error %.4g at %.9g\n", certificate.maxUlp,
                 certificate.worstUlpInput);
  text += format("  monotone %s, symmetric %s, propagates NaN %s\n",
                 yesNo(certificate.monotone), yesNo(certificate.symmetric),
                 yesNo(certificate.propagatesNaN));
  const SpecialValues &special = certificate.special;
  const std::pair<const char *, uint32_t> values[] = {
      {"NaN", special.atNaN},
      {"+Inf", special.atPosInf},
      {"-Inf", special.atNegInf},
      {"+0", special.atPosZero},
      {"-0", special.atNegZero}};
  for (const auto &[input, result] : values)
    text += format("  at %-4s %s\n", input, element(to, result).c_str());
  return text;
}
