//===- PtxDecodeMath.cpp - Arithmetic PTX instructions --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxDecode.h"

namespace polytest {

bool PtxDecoder::takeCompare(Modifiers &mods, PtxInstruction &inst,
                             PtxType &type) {
  std::string_view text = mods.peek();
  ++mods.next;
  struct Name {
    const char *text;
    PtxCompare compare;
    char use; ///< a: any, f: float, u: unsigned, n: float, unordered.
  };
  static const Name names[] = {
      {"eq", PtxCompare::Eq, 'a'},   {"ne", PtxCompare::Ne, 'a'},
      {"lt", PtxCompare::Lt, 'a'},   {"le", PtxCompare::Le, 'a'},
      {"gt", PtxCompare::Gt, 'a'},   {"ge", PtxCompare::Ge, 'a'},
      {"lo", PtxCompare::Lt, 'u'},   {"ls", PtxCompare::Le, 'u'},
      {"hi", PtxCompare::Gt, 'u'},   {"hs", PtxCompare::Ge, 'u'},
      {"equ", PtxCompare::Eq, 'n'},  {"neu", PtxCompare::Ne, 'n'},
      {"ltu", PtxCompare::Lt, 'n'},  {"leu", PtxCompare::Le, 'n'},
      {"gtu", PtxCompare::Gt, 'n'},  {"geu", PtxCompare::Ge, 'n'},
      {"num", PtxCompare::Num, 'f'}, {"nan", PtxCompare::Nan, 'f'}};
  for (const Name &name : names) {
    if (text != name.text)
      continue;
    inst.compare = name.compare;
    inst.unordered = name.use == 'n';
    if (!takeType(mods, type))
      return false;
    bool isFloat = type.kind == PtxType::Float;
    bool fits = name.use == 'a'   ? true
                : name.use == 'u' ? type.kind == PtxType::Unsigned
                                  : isFloat;
    if (type.kind == PtxType::Bits)
      fits = inst.compare == PtxCompare::Eq || inst.compare == PtxCompare::Ne;
    if (!fits || type.kind == PtxType::Pred || type.laneBits < 16)
      return fail("comparison and type do not fit in '" + mods.mnemonic + "'");
    return true;
  }
  return fail("unknown modifier '." + std::string(text) + "' in '" +
              mods.mnemonic + "'");
}

bool PtxDecoder::decodeSetp(Modifiers &mods, PtxInstruction &inst) {
  if (whole()) {
    // setp.lt.ftz.f32
    for (size_t i = 1; i < mods.parts.size(); ++i)
      if (mods.parts[i] == "ftz") {
        inst.ftz = true;
        mods.parts.erase(mods.parts.begin() + long(i));
        break;
      }
  }
  if (!takeCompare(mods, inst, inst.type) || !end(mods) || !expectOperands(3))
    return false;
  inst.code =
      inst.type.kind == PtxType::Float ? PtxCode::SetpF : PtxCode::SetpInt;
  std::string_view dst = operands[0];
  size_t bar = dst.find('|');
  if ((bar != std::string_view::npos) != (inst.type.lanes == 2) ||
      inst.type.bits() > (inst.type.isInteger() ? 64u : 32u))
    return fail("unknown destination of '" + mods.mnemonic + "'");
  if (!parseRegister(trimPtx(dst.substr(0, bar)), 1, inst.dst[0]) ||
      (bar != std::string_view::npos &&
       !parseRegister(trimPtx(dst.substr(bar + 1)), 1, inst.dst[1])))
    return false;
  inst.numDst = inst.type.lanes;
  inst.numSrc = 2;
  return parseValue(operands[1], inst.type.bits(), inst.src[0]) &&
         parseValue(operands[2], inst.type.bits(), inst.src[1]);
}

bool PtxDecoder::decodeSet(Modifiers &mods, PtxInstruction &inst) {
  std::string_view compare = mods.peek();
  // set.CMP.dtype.stype: put the result type aside to reuse takeCompare.
  PtxType to;
  if (mods.parts.size() != 4 || !parsePtxType(mods.parts[2], to) ||
      (to.kind != PtxType::Unsigned && to.kind != PtxType::Signed) ||
      to.bits() != 32)
    return fail("unknown form of '" + mods.mnemonic + "' (." +
                std::string(compare) + ")");
  mods.parts.erase(mods.parts.begin() + 2);
  if (!takeCompare(mods, inst, inst.type) || !end(mods))
    return false;
  if (inst.type.kind != PtxType::Float || inst.type.bits() != 32)
    return fail("unknown form of '" + mods.mnemonic + "'");
  inst.code = PtxCode::SetMask;
  return simple(inst, 32, 32, 2);
}

bool PtxDecoder::decodeInteger(Modifiers &mods, PtxInstruction &inst,
                               bool &handled) {
  std::string_view base = mods.base();
  handled = true;
  bool logical =
      base == "and" || base == "or" || base == "xor" || base == "not";
  if (logical) {
    if (!takeType(mods, inst.type) || !end(mods))
      return false;
    if (inst.type.kind != PtxType::Bits && inst.type.kind != PtxType::Pred)
      return fail("unknown type in '" + mods.mnemonic + "'");
    inst.code = base == "and"   ? PtxCode::And
                : base == "or"  ? PtxCode::Or
                : base == "xor" ? PtxCode::Xor
                                : PtxCode::Not;
    unsigned width = inst.type.bits();
    return simple(inst, width, width, base == "not" ? 1 : 2);
  }
  if (base == "shl" || base == "shr") {
    if (!takeType(mods, inst.type) || !end(mods) || !expectOperands(3))
      return false;
    inst.code = base == "shl" ? PtxCode::Shl : PtxCode::Shr;
    if (!inst.type.isInteger() || inst.type.laneBits < 16 ||
        (inst.code == PtxCode::Shl && inst.type.kind != PtxType::Bits))
      return fail("unknown type in '" + mods.mnemonic + "'");
    inst.numDst = 1;
    inst.numSrc = 2;
    unsigned width = inst.type.bits();
    return parseRegister(operands[0], width, inst.dst[0]) &&
           parseValue(operands[1], width, inst.src[0]) &&
           parseValue(operands[2], 32, inst.src[1]);
  }
  if (base == "prmt") {
    inst.code = PtxCode::Prmt;
    if (!mods.take("b32") || !end(mods))
      return fail("unknown form of '" + mods.mnemonic + "'");
    return simple(inst, 32, 32, 3);
  }
  if (base == "bfe" && whole()) {
    inst.code = PtxCode::Bfe;
    if (!mods.take("u32") || !end(mods))
      return fail("unknown form of '" + mods.mnemonic + "'");
    inst.type.kind = PtxType::Unsigned;
    return simple(inst, 32, 32, 3);
  }
  if (base == "lop3") {
    inst.code = PtxCode::Lop3;
    if (!mods.take("b32") || !end(mods) || !simple(inst, 32, 32, 4))
      return fail("unknown form of '" + mods.mnemonic + "'");
    if (inst.src[3].kind != PtxOperand::Immediate || inst.src[3].imm > 255)
      return fail("the truth table of lop3 must be an immediate byte");
    return true;
  }

  struct Form {
    const char *base, *part;
    PtxCode code;
    uint8_t sources;
  };
  static const Form forms[] = {{"add", "", PtxCode::Add, 2},
                               {"sub", "", PtxCode::Sub, 2},
                               {"mul", "lo", PtxCode::MulLo, 2},
                               {"mul", "hi", PtxCode::MulHi, 2},
                               {"mul", "wide", PtxCode::MulWide, 2},
                               {"mad", "lo", PtxCode::MadLo, 3},
                               {"mad", "hi", PtxCode::MadHi, 3},
                               {"mad", "wide", PtxCode::MadWide, 3},
                               {"div", "", PtxCode::Div, 2},
                               {"rem", "", PtxCode::Rem, 2},
                               {"min", "", PtxCode::MinInt, 2},
                               {"max", "", PtxCode::MaxInt, 2},
                               {"neg", "", PtxCode::NegInt, 1},
                               {"abs", "", PtxCode::AbsInt, 1}};
  for (const Form &form : forms) {
    if (base != form.base)
      continue;
    std::string_view part = form.part;
    size_t saved = mods.next;
    if (!part.empty() && !mods.take(part))
      continue;
    // The float forms of add, sub, mul, min, ... are decoded elsewhere.
    if (!parsePtxType(mods.peek(), inst.type) ||
        (inst.type.kind != PtxType::Signed &&
         inst.type.kind != PtxType::Unsigned) ||
        inst.type.laneBits < 16) {
      mods.next = saved;
      break;
    }
    ++mods.next;
    if (!end(mods))
      return false;
    inst.code = form.code;
    unsigned width = inst.type.bits();
    bool wide = part == "wide";
    if (wide && width == 64)
      return fail("unknown type in '" + mods.mnemonic + "'");
    if ((inst.code == PtxCode::NegInt || inst.code == PtxCode::AbsInt) &&
        inst.type.kind != PtxType::Signed)
      return fail("unknown type in '" + mods.mnemonic + "'");
    unsigned wideWidth = wide ? 2 * width : width;
    if (form.sources < 3)
      return simple(inst, wideWidth, width, form.sources);
    if (!expectOperands(4))
      return false;
    inst.numDst = 1;
    inst.numSrc = 3;
    return parseRegister(operands[0], wideWidth, inst.dst[0]) &&
           parseValue(operands[1], width, inst.src[0]) &&
           parseValue(operands[2], width, inst.src[1]) &&
           parseValue(operands[3], wideWidth, inst.src[2]);
  }
  handled = false;
  return true;
}

bool PtxDecoder::decodeFloat(Modifiers &mods, PtxInstruction &inst) {
  std::string_view base = mods.base();
  struct Form {
    const char *base;
    PtxCode code;
    uint8_t sources;
  };
  static const Form forms[] = {
      {"fma", PtxCode::Fma, 3},     {"mul", PtxCode::MulF, 2},
      {"add", PtxCode::AddF, 2},    {"sub", PtxCode::SubF, 2},
      {"div", PtxCode::DivRn, 2},   {"min", PtxCode::MinMaxF, 2},
      {"max", PtxCode::MinMaxF, 2}, {"abs", PtxCode::AbsF, 1},
      {"neg", PtxCode::NegF, 1},    {"copysign", PtxCode::CopySign, 2},
      {"ex2", PtxCode::Ex2, 1},     {"rcp", PtxCode::Rcp, 1},
      {"tanh", PtxCode::Tanh, 1},   {"sin", PtxCode::Sin, 1},
      {"cos", PtxCode::Cos, 1},     {"lg2", PtxCode::Lg2, 1}};
  const Form *form = nullptr;
  for (const Form &candidate : forms)
    if (base == candidate.base)
      form = &candidate;
  if (!form || (form->code == PtxCode::Lg2 && !whole()))
    return fail("unknown instruction '" + mods.mnemonic + "'");
  inst.code = form->code;

  bool arithmetic =
      base == "fma" || base == "mul" || base == "add" || base == "sub";
  bool rn = false, down = false;
  if (arithmetic || base == "div" || base == "rcp")
    rn = mods.take("rn");
  if (base == "add" && !rn && mods.take("rm")) {
    down = true;
    inst.code = PtxCode::AddRm;
  }
  if (base == "div" && !rn && whole() &&
      (mods.take("approx") || mods.take("full")))
    inst.code = PtxCode::DivApprox;
  bool trigonometric = base == "sin" || base == "cos";
  if (base == "ex2" || base == "tanh" || trigonometric || base == "lg2" ||
      (base == "rcp" && !rn)) {
    if (!mods.take("approx"))
      return fail("'" + mods.mnemonic + "' needs .approx");
    if (base != "tanh")
      inst.ftz = mods.take("ftz");
  }
  if (base == "rcp" && rn)
    inst.code = PtxCode::RcpRn;
  if (arithmetic) {
    if (mods.take("sat"))
      inst.clamp = Clamp::Sat;
    else if (base == "fma" && mods.take("relu"))
      inst.clamp = Clamp::Relu;
  }
  if (inst.code == PtxCode::MinMaxF) {
    inst.minMax.isMax = base == "max";
    inst.minMax.propagateNaN = mods.take("NaN");
    if (mods.take("xorsign")) {
      if (!mods.take("abs"))
        return fail(".xorsign needs .abs in '" + mods.mnemonic + "'");
      inst.minMax.xorSignAbs = true;
    }
  }
  // Minima and maxima name it first, the others after the rounding: both are
  // behind us.
  bool plain = arithmetic || base == "div" || base == "abs" || base == "neg" ||
               inst.code == PtxCode::MinMaxF;
  if (whole() && plain && mods.take("ftz"))
    inst.ftz = true;
  if (inst.code == PtxCode::MinMaxF && mods.take("NaN"))
    inst.minMax.propagateNaN = true;
  if (!takeType(mods, inst.type) || !end(mods))
    return false;
  const PtxType &type = inst.type;
  if (type.kind != PtxType::Float)
    return fail("unknown type in '" + mods.mnemonic + "'");

  bool scalarF32 = type.bits() == 32 && type.lanes == 1;
  bool isF32 = type.format == kF32, isBF16 = type.format == kBF16;
  bool fits = true;
  if (down) {
    fits = scalarF32 && inst.clamp == Clamp::None;
  } else if (arithmetic) {
    if (!rn && !(whole() && scalarF32 && base != "fma"))
      return fail("'" + mods.mnemonic +
                  "' without .rn may be contracted, its bits are not fixed");
    fits = !(inst.clamp == Clamp::Relu && isF32) &&
           !(inst.clamp == Clamp::Sat && (isBF16 || type.bits() == 64));
  } else if (base == "div") {
    fits = (rn || inst.code == PtxCode::DivApprox) && scalarF32;
  } else if (base == "lg2") {
    fits = scalarF32 && whole();
  } else if (base == "rcp" || base == "copysign" || trigonometric) {
    // The .ftz forms of sine and cosine are nowhere emitted.
    fits = scalarF32 && !(trigonometric && inst.ftz);
  } else if (base == "ex2") {
    // f16 has no .ftz form, bf16 no other.
    fits = isF32 ? scalarF32 : inst.ftz == isBF16;
  } else {
    fits = type.bits() <= 32;
  }
  if (!fits)
    return fail("no such form: '" + mods.mnemonic + "'");
  return simple(inst, type.bits(), type.bits(), form->sources);
}

} // namespace polytest
