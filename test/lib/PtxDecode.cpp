//===- PtxDecode.cpp - PTX statements to instructions ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every modifier of a mnemonic must be consumed by the family that it belongs
/// to; what is left over is an error, so nothing is ignored by accident.
///
//===----------------------------------------------------------------------===//

#include "PtxDecode.h"

#include <cctype>
#include <cstdlib>

namespace polytest {

std::string_view trimPtx(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

namespace {

std::vector<std::string_view> splitOperands(std::string_view text) {
  std::vector<std::string_view> parts;
  text = trimPtx(text);
  if (text.empty())
    return parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '[')
      ++depth;
    else if (text[i] == '}' || text[i] == ']')
      --depth;
    else if (text[i] == ',' && depth == 0) {
      parts.push_back(trimPtx(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  parts.push_back(trimPtx(text.substr(begin)));
  return parts;
}

bool parseInteger(std::string_view text, uint64_t &value) {
  bool negative = !text.empty() && text[0] == '-';
  std::string digits(negative ? text.substr(1) : text);
  if (digits.empty() || !std::isdigit(static_cast<unsigned char>(digits[0])))
    return false;
  bool hex = digits.size() > 2 && digits[0] == '0' &&
             (digits[1] == 'x' || digits[1] == 'X');
  // Octal and binary literals are PTX too, but nobody writes them.
  if (!hex && digits.size() > 1 && digits[0] == '0')
    return false;
  char *stop = nullptr;
  value = std::strtoull(digits.c_str(), &stop, hex ? 16 : 10);
  if (*stop == 'U') // An unsigned literal has the same bits.
    ++stop;
  if (*stop != '\0')
    return false;
  if (negative)
    value = 0 - value;
  return true;
}

/// 0f3F800000.
bool parseF32Literal(std::string_view text, uint64_t &value) {
  if (text.size() != 10 || text[0] != '0' || (text[1] != 'f' && text[1] != 'F'))
    return false;
  std::string digits(text.substr(2));
  char *stop = nullptr;
  value = std::strtoull(digits.c_str(), &stop, 16);
  return *stop == '\0';
}

uint64_t maskOf(unsigned width) {
  return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

bool parseSpecial(std::string_view text, bool whole, PtxSpecial &special) {
  static const char *const names[kNumPtxSpecials] = {"%tid.x",
                                                     "%tid.y",
                                                     "%tid.z",
                                                     "%ntid.x",
                                                     "%ntid.y",
                                                     "%ntid.z",
                                                     "%ctaid.x",
                                                     "%ctaid.y",
                                                     "%ctaid.z",
                                                     "%nctaid.x",
                                                     "%nctaid.y",
                                                     "%nctaid.z",
                                                     "%cluster_ctaid.x",
                                                     "%cluster_ctaid.y",
                                                     "%cluster_ctaid.z",
                                                     "%cluster_ctarank",
                                                     "%cluster_nctaid.x",
                                                     "%cluster_nctarank",
                                                     "%laneid",
                                                     "%warpid"};
  // The others mean something in whole kernels only.
  unsigned count = whole ? kNumPtxSpecials : 12;
  for (unsigned i = 0; i < count; ++i)
    if (text == names[i]) {
      special = PtxSpecial(i);
      return true;
    }
  return false;
}

} // namespace

bool parsePtxType(std::string_view text, PtxType &type) {
  type = PtxType();
  if (text == "pred") {
    type.kind = PtxType::Pred;
    type.laneBits = 1;
    return true;
  }
  struct FloatName {
    const char *name;
    SoftFormat format;
    uint8_t bits, lanes;
  };
  static const FloatName floats[] = {
      {"f32", kF32, 32, 1},   {"f16", kF16, 16, 1},     {"bf16", kBF16, 16, 1},
      {"f16x2", kF16, 16, 2}, {"bf16x2", kBF16, 16, 2}, {"f32x2", kF32, 32, 2}};
  for (const FloatName &entry : floats)
    if (text == entry.name) {
      type.kind = PtxType::Float;
      type.format = entry.format;
      type.laneBits = entry.bits;
      type.lanes = entry.lanes;
      return true;
    }
  if (text.empty())
    return false;
  switch (text[0]) {
  case 'b':
    type.kind = PtxType::Bits;
    break;
  case 'u':
    type.kind = PtxType::Unsigned;
    break;
  case 's':
    type.kind = PtxType::Signed;
    break;
  default:
    return false;
  }
  std::string_view bits = text.substr(1);
  if (bits == "8")
    type.laneBits = 8;
  else if (bits == "16")
    type.laneBits = 16;
  else if (bits == "32")
    type.laneBits = 32;
  else if (bits == "64")
    type.laneBits = 64;
  else
    return false;
  return true;
}

bool PtxDecoder::fail(const std::string &message) {
  if (error.empty())
    error = message;
  return false;
}

bool PtxDecoder::popScope() {
  if (scopes.size() <= 1)
    return fail("'}' without '{'");
  scopes.pop_back();
  scopeIds.pop_back();
  return true;
}

bool PtxDecoder::declareRegisters(std::string_view text) {
  text = trimPtx(text);
  size_t space = text.find_first_of(" \t");
  PtxType type;
  if (text.empty() || text[0] != '.' || space == std::string_view::npos ||
      !parsePtxType(text.substr(1, space - 1), type) || type.lanes != 1)
    return fail("unknown register declaration '.reg " + std::string(text) +
                "'");
  auto declare = [&](const std::string &name) {
    Reg reg{uint32_t(kernel.registerNames.size()), uint8_t(type.bits())};
    kernel.registerNames.push_back(name);
    if (!scopes.back().emplace(name, reg).second)
      return fail("register '" + name + "' is declared twice");
    return true;
  };
  for (std::string_view part : splitOperands(text.substr(space))) {
    size_t angle = part.find('<');
    if (angle == std::string_view::npos) {
      if (!declare(std::string(part)))
        return false;
      continue;
    }
    uint64_t count = 0;
    if (part.back() != '>' ||
        !parseInteger(part.substr(angle + 1, part.size() - angle - 2), count) ||
        count > 1000000)
      return fail("unknown register range '" + std::string(part) + "'");
    for (uint64_t i = 0; i < count; ++i)
      if (!declare(std::string(part.substr(0, angle)) + std::to_string(i)))
        return false;
  }
  return true;
}

const PtxDecoder::Reg *PtxDecoder::lookup(std::string_view name) const {
  std::string key(name);
  for (size_t i = scopes.size(); i-- > 0;) {
    auto found = scopes[i].find(key);
    if (found != scopes[i].end())
      return &found->second;
  }
  return nullptr;
}

bool PtxDecoder::defineLabel(std::string_view label) {
  if (!labels
           .emplace(scopedLabel(scopeIds.back(), label),
                    uint32_t(kernel.body.size()))
           .second)
    return fail("label '" + std::string(label) + "' is defined twice");
  return true;
}

bool PtxDecoder::finish() {
  if (scopes.size() != 1)
    return fail("'{' without '}'");
  for (const Branch &branch : branches) {
    auto found = labels.end();
    for (size_t i = branch.scopes.size(); i-- > 0 && found == labels.end();)
      found = labels.find(scopedLabel(branch.scopes[i], branch.label));
    if (found == labels.end())
      return fail("branch to an unknown label '" + branch.label + "'");
    kernel.body[branch.index].target = found->second;
  }
  return true;
}

bool PtxDecoder::parseOperand(std::string_view text, PtxOperand &operand) {
  operand = PtxOperand();
  if (text == "_") {
    operand.kind = PtxOperand::Sink;
    return true;
  }
  if (const Reg *reg = lookup(text)) {
    operand.kind = PtxOperand::Register;
    operand.reg = reg->index;
    operand.width = reg->width;
    return true;
  }
  if (parseInteger(text, operand.imm) || parseF32Literal(text, operand.imm)) {
    operand.kind = PtxOperand::Immediate;
    return true;
  }
  auto symbol = symbols.find(std::string(text));
  if (symbol != symbols.end()) {
    operand.kind = PtxOperand::Immediate;
    operand.imm = symbol->second;
    return true;
  }
  return fail("unknown operand '" + std::string(text) + "'");
}

bool PtxDecoder::parseValue(std::string_view text, unsigned width,
                            PtxOperand &operand) {
  if (!parseOperand(text, operand))
    return false;
  uint64_t literal;
  if (operand.kind == PtxOperand::Sink)
    return fail("'_' is not a value");
  if (parseF32Literal(text, literal) && width != 32)
    return fail("an f32 literal where " + std::to_string(width) +
                " bits are needed");
  if (operand.kind == PtxOperand::Register && operand.width != width)
    return fail("operand '" + std::string(text) + "' has " +
                std::to_string(operand.width) + " bits, the instruction has " +
                std::to_string(width));
  operand.imm &= maskOf(width);
  return true;
}

bool PtxDecoder::parseRegister(std::string_view text, unsigned width,
                               PtxOperand &operand) {
  if (!parseValue(text, width, operand))
    return false;
  if (operand.kind != PtxOperand::Register)
    return fail("operand '" + std::string(text) + "' must be a register");
  return true;
}

bool PtxDecoder::expectOperands(size_t count) {
  if (operands.size() == count)
    return true;
  return fail("expected " + std::to_string(count) + " operands, found " +
              std::to_string(operands.size()));
}

bool PtxDecoder::simple(PtxInstruction &inst, unsigned dstWidth,
                        unsigned srcWidth, unsigned sources) {
  if (!expectOperands(sources + 1) ||
      !parseRegister(operands[0], dstWidth, inst.dst[0]))
    return false;
  inst.numDst = 1;
  inst.numSrc = uint8_t(sources);
  for (unsigned i = 0; i < sources; ++i)
    if (!parseValue(operands[i + 1], srcWidth, inst.src[i]))
      return false;
  return true;
}

bool PtxDecoder::end(Modifiers &mods) {
  if (mods.next == mods.parts.size())
    return true;
  return fail("unknown modifier '." + std::string(mods.peek()) + "' in '" +
              mods.mnemonic + "'");
}

bool PtxDecoder::takeType(Modifiers &mods, PtxType &type) {
  if (!parsePtxType(mods.peek(), type))
    return fail("unknown modifier or type '." + std::string(mods.peek()) +
                "' in '" + mods.mnemonic + "'");
  ++mods.next;
  return true;
}

bool PtxDecoder::parseAddress(std::string_view text, PtxInstruction &inst) {
  if (text.size() < 3 || text[0] != '[' || text.back() != ']')
    return fail("unknown address '" + std::string(text) + "'");
  text = trimPtx(text.substr(1, text.size() - 2));
  size_t plus = text.find_first_of("+-", 1);
  if (plus != std::string_view::npos) {
    size_t start = text[plus] == '+' ? plus + 1 : plus;
    uint64_t offset;
    if (!parseInteger(trimPtx(text.substr(start)), offset))
      return fail("unknown address offset in '" + std::string(text) + "'");
    inst.offset = int64_t(offset);
    text = trimPtx(text.substr(0, plus));
  }
  if (inst.code == PtxCode::LdParam) {
    for (const PtxParam &param : kernel.params)
      if (param.name == text) {
        if (inst.offset < 0 ||
            size_t(inst.offset) + inst.type.bits() / 8 * inst.numDst >
                param.size)
          return fail("reads past parameter '" + param.name + "'");
        inst.offset += int64_t(param.offset);
        return true;
      }
    return fail("unknown parameter '" + std::string(text) + "'");
  }
  if (inst.space == PtxSpace::Shared) {
    // Shared addresses fit in 32 bits.
    const Reg *reg = lookup(text);
    return parseValue(text, reg && reg->width == 32 ? 32 : 64, inst.address);
  }
  return parseRegister(text, 64, inst.address);
}

bool PtxDecoder::decodeMemory(Modifiers &mods, PtxInstruction &inst,
                              bool isLoad) {
  inst.code = isLoad ? PtxCode::Ld : PtxCode::St;
  if (isLoad && mods.take("param")) {
    inst.code = PtxCode::LdParam;
  } else {
    // Orderings: every access here is seen by all at once.
    if (whole()) {
      // What orders stands first.
      inst.flag = isLoad && mods.take("acquire");
      while (mods.take("volatile") || mods.take("relaxed") ||
             mods.take("release") || mods.take("gpu") || mods.take("cta") ||
             mods.take("cluster"))
        continue;
    }
    if (mods.take("global")) {
      inst.space = PtxSpace::Global;
      // The read-only path changes no value.
      if (isLoad)
        mods.take("nc");
    } else if (whole() && (mods.take("shared") || mods.take("shared::cta") ||
                           mods.take("shared::cluster"))) {
      inst.space = PtxSpace::Shared;
      kernel.cooperative = true;
    }
    if (whole())
      while (mods.take("L1::no_allocate") || mods.take("L2::cache_hint") ||
             mods.take("L2::128B") || mods.take("L2::256B"))
        continue;
  }
  unsigned count = mods.take("v2")   ? 2
                   : mods.take("v4") ? 4
                   : mods.take("v8") ? 8
                                     : 1;
  if (!takeType(mods, inst.type) || !end(mods) || !expectOperands(2))
    return false;
  if (inst.type.lanes != 1 || inst.type.kind == PtxType::Pred)
    return fail("'" + mods.mnemonic + "' cannot access this type");
  std::string_view value = operands[isLoad ? 0 : 1];
  std::vector<std::string_view> elements{value};
  if (count > 1) {
    if (value.size() < 2 || value[0] != '{' || value.back() != '}')
      return fail("expected a vector operand, found '" + std::string(value) +
                  "'");
    elements = splitOperands(value.substr(1, value.size() - 2));
  }
  if (elements.size() != count)
    return fail("a vector operand of the wrong length");
  auto &list = isLoad ? inst.dst : inst.src;
  (isLoad ? inst.numDst : inst.numSrc) = uint8_t(count);
  for (unsigned i = 0; i < count; ++i) {
    // Registers may be wider than what a load or store moves.
    if (!parseOperand(elements[i], list[i]))
      return false;
    PtxOperand::Kind kind = list[i].kind;
    if (kind == PtxOperand::Register &&
        (list[i].width < inst.type.bits() || list[i].width == 1))
      return fail("register '" + std::string(elements[i]) +
                  "' is too narrow for '" + mods.mnemonic + "'");
    if (isLoad ? kind == PtxOperand::Immediate : kind == PtxOperand::Sink)
      return fail("operand '" + std::string(elements[i]) +
                  "' is not possible here");
  }
  return parseAddress(operands[isLoad ? 1 : 0], inst);
}

bool PtxDecoder::decodeMov(Modifiers &mods, PtxInstruction &inst) {
  if (!takeType(mods, inst.type) || !end(mods) || !expectOperands(2))
    return false;
  if (inst.type.lanes != 1)
    return fail("'" + mods.mnemonic + "' is not a mov");
  unsigned width = inst.type.bits();
  bool packs = operands[1][0] == '{', unpacks = operands[0][0] == '{';
  if (packs || unpacks) {
    if (packs && unpacks)
      return fail("mov from a vector to a vector");
    std::string_view text = operands[packs ? 1 : 0];
    auto elements = splitOperands(text.substr(1, text.size() - 2));
    inst.code = packs ? PtxCode::Pack : PtxCode::Unpack;
    size_t count = elements.size();
    // Pieces of 16 bits at least: definedness is tracked no finer.
    if ((count != 2 && count != 4) || width / count < 16 ||
        inst.type.kind != PtxType::Bits)
      return fail("unknown vector form of '" + mods.mnemonic + "'");
    unsigned piece = unsigned(width / count);
    if (packs) {
      if (!parseRegister(operands[0], width, inst.dst[0]))
        return false;
    } else if (!parseRegister(operands[1], width, inst.src[0])) {
      return false;
    }
    inst.numDst = packs ? 1 : uint8_t(count);
    inst.numSrc = packs ? uint8_t(count) : 1;
    for (size_t i = 0; i < count; ++i) {
      if (unpacks && elements[i] == "_") {
        inst.dst[i].kind = PtxOperand::Sink;
        continue;
      }
      if (packs ? !parseValue(elements[i], piece, inst.src[i])
                : !parseRegister(elements[i], piece, inst.dst[i]))
        return false;
    }
    return true;
  }
  if (parseSpecial(operands[1], whole(), inst.special)) {
    inst.code = PtxCode::Special;
    if (width != 32)
      return fail("a special register has 32 bits");
    inst.numDst = 1;
    return parseRegister(operands[0], 32, inst.dst[0]);
  }
  inst.code = PtxCode::Mov;
  if (!simple(inst, width, width, 1))
    return false;
  // Shared memory needs a launch that has it.
  if (symbols.count(std::string(operands[1])))
    kernel.cooperative = true;
  return true;
}

bool PtxDecoder::decodeCvt(Modifiers &mods, PtxInstruction &inst) {
  bool handled = false;
  if (whole() && (!decodeFp8(mods, inst, handled) || handled))
    return handled && error.empty();
  bool rn = mods.take("rn");
  bool floor = !rn && mods.take("rmi");
  inst.ftz = floor && mods.take("ftz");
  if (mods.take("relu"))
    inst.clamp = Clamp::Relu;
  if (!takeType(mods, inst.type) || !takeType(mods, inst.fromType) ||
      !end(mods))
    return false;
  const PtxType &to = inst.type, &from = inst.fromType;
  if (floor) {
    if (to.kind != PtxType::Float || from.kind != PtxType::Float ||
        to.bits() != 32 || from.bits() != 32 || to.lanes != 1 ||
        from.lanes != 1 || inst.clamp != Clamp::None)
      return fail("unknown conversion '" + mods.mnemonic + "'");
    inst.code = PtxCode::FloorF;
    return simple(inst, 32, 32, 1);
  }
  auto unknown = [&] {
    return fail("unknown conversion '" + mods.mnemonic + "'");
  };
  if (to.isInteger() && from.isInteger()) {
    if (rn || inst.clamp != Clamp::None || to.kind == PtxType::Bits ||
        from.kind == PtxType::Bits)
      return unknown();
    inst.code = PtxCode::CvtInt;
    // Registers may be wider than the types, never narrower.
    if (!expectOperands(2) || !parseOperand(operands[0], inst.dst[0]) ||
        !parseOperand(operands[1], inst.src[0]))
      return false;
    inst.numDst = inst.numSrc = 1;
    if (inst.dst[0].kind != PtxOperand::Register ||
        inst.dst[0].width < to.bits() ||
        inst.src[0].kind != PtxOperand::Register ||
        inst.src[0].width < from.bits())
      return fail("unknown operands of '" + mods.mnemonic + "'");
    return true;
  }
  bool fromWord =
      (from.kind == PtxType::Signed || from.kind == PtxType::Unsigned) &&
      from.bits() == 32;
  if (to.kind == PtxType::Float && to.bits() == 32 && to.lanes == 1 &&
      fromWord && rn && inst.clamp == Clamp::None) {
    inst.code = PtxCode::CvtIntF;
    return simple(inst, 32, 32, 1);
  }
  if (to.kind != PtxType::Float || from.kind != PtxType::Float ||
      from.lanes != 1)
    return unknown();
  bool narrows = to.laneBits == 16 && from.laneBits == 32;
  bool widens = to.laneBits == 32 && from.laneBits == 16 && to.lanes == 1;
  if (narrows ? !rn : !(widens && !rn && inst.clamp == Clamp::None))
    return unknown();
  inst.code = to.lanes == 2 ? PtxCode::CvtPack : PtxCode::CvtF;
  return simple(inst, to.bits(), from.bits(), to.lanes);
}

bool PtxDecoder::decodeOperation(Modifiers &mods, PtxInstruction &inst) {
  std::string_view base = mods.base();
  if (base == "ret" || base == "exit") {
    inst.code = PtxCode::Ret;
    return end(mods) && expectOperands(0);
  }
  if (base == "bra") {
    mods.take("uni");
    inst.code = PtxCode::Bra;
    if (!end(mods) || !expectOperands(1))
      return false;
    branches.push_back(
        {uint32_t(kernel.body.size()), std::string(operands[0]), scopeIds});
    return true;
  }
  if (base == "ld" || base == "st")
    return decodeMemory(mods, inst, base == "ld");
  if (base == "mov")
    return decodeMov(mods, inst);
  if (base == "cvt")
    return decodeCvt(mods, inst);
  if (base == "cvta") {
    // Generic and global addresses are the same numbers here, as on the GPU.
    mods.take("to");
    if (whole() && (mods.take("shared") || mods.take("param"))) {
      // "to" a space from a generic address, or the other way round: shared
      // addresses gain or lose their window, parameters' are generic already.
      bool shared = mods.parts[mods.next - 1] == "shared";
      bool to = mods.parts[1] == "to";
      if (!mods.take("u64") || !end(mods) || !simple(inst, 64, 64, 1))
        return fail("unknown form of '" + mods.mnemonic + "'");
      inst.type.kind = PtxType::Unsigned;
      inst.type.laneBits = 64;
      inst.code = to ? PtxCode::Sub : PtxCode::Add;
      inst.numSrc = 2;
      inst.src[1].kind = PtxOperand::Immediate;
      inst.src[1].imm = shared ? kPtxSharedWindow : 0;
      return true;
    }
    if (!mods.take("global") || !mods.take("u64") || !end(mods))
      return fail("unknown form of '" + mods.mnemonic + "'");
    inst.code = PtxCode::Mov;
    inst.type.laneBits = 64;
    return simple(inst, 64, 64, 1);
  }
  if (base == "setp")
    return decodeSetp(mods, inst);
  if (base == "set")
    return decodeSet(mods, inst);
  if (base == "selp") {
    inst.code = PtxCode::Selp;
    if (!takeType(mods, inst.type) || !end(mods) || !expectOperands(4))
      return false;
    unsigned width = inst.type.bits();
    if (width < 16 || inst.type.lanes != 1)
      return fail("unknown type in '" + mods.mnemonic + "'");
    inst.numDst = 1;
    inst.numSrc = 3;
    return parseRegister(operands[0], width, inst.dst[0]) &&
           parseValue(operands[1], width, inst.src[0]) &&
           parseValue(operands[2], width, inst.src[1]) &&
           parseRegister(operands[3], 1, inst.src[2]);
  }
  bool handled = false;
  if (whole()) {
    if (!decodeCooperative(mods, inst, handled))
      return false;
    if (handled)
      return true;
  }
  if (!decodeInteger(mods, inst, handled))
    return false;
  return handled || decodeFloat(mods, inst);
}

bool PtxDecoder::decode(std::string_view statement, uint32_t line) {
  statement = trimPtx(statement);
  PtxInstruction inst;
  inst.line = line;
  if (!statement.empty() && statement[0] == '@') {
    statement.remove_prefix(1);
    inst.guarded = true;
    if (!statement.empty() && statement[0] == '!') {
      inst.guardNegated = true;
      statement.remove_prefix(1);
    }
    size_t space = statement.find_first_of(" \t");
    PtxOperand guard;
    if (space == std::string_view::npos ||
        !parseRegister(statement.substr(0, space), 1, guard))
      return fail("unknown guard");
    inst.guard = guard.reg;
    statement = trimPtx(statement.substr(space));
  }
  size_t space = statement.find_first_of(" \t");
  operands =
      splitOperands(space == std::string_view::npos ? std::string_view()
                                                    : statement.substr(space));
  for (std::string_view operand : operands)
    if (operand.empty())
      return fail("empty operand");
  Modifiers mods(statement.substr(0, space));
  if (!decodeOperation(mods, inst))
    return false;
  kernel.body.push_back(inst);
  return true;
}

} // namespace polytest
