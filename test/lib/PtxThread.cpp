//===- PtxThread.cpp - Instructions of one thread of a PTX kernel -------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxThread.h"

#include "poly/Program/Formats.h"
#include "poly/Program/SfuModel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace polytest {

namespace {

__extension__ typedef __int128 Int128;

int64_t signExtend(uint64_t value, unsigned width) {
  unsigned shift = 64 - width;
  return int64_t(value << shift) >> shift;
}

bool holds(const PtxInstruction &inst, Order order) {
  switch (inst.compare) {
  case PtxCompare::Num:
    return order != Order::Unordered;
  case PtxCompare::Nan:
    return order == Order::Unordered;
  default:
    break;
  }
  if (order == Order::Unordered)
    return inst.unordered;
  switch (inst.compare) {
  case PtxCompare::Eq:
    return order == Order::Equal;
  case PtxCompare::Ne:
    return order != Order::Equal;
  case PtxCompare::Lt:
    return order == Order::Less;
  case PtxCompare::Le:
    return order != Order::Greater;
  case PtxCompare::Gt:
    return order == Order::Greater;
  default:
    return order != Order::Less;
  }
}

uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned pick = selector >> (4 * i) & 0xf;
    uint32_t byte = uint32_t(bytes >> (8 * (pick & 7))) & 0xff;
    if (pick & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
  uint32_t result = 0;
  for (unsigned row = 0; row < 8; ++row)
    if (table >> row & 1)
      result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  return result;
}

/// A subnormal f32 as the zero of its sign.
uint32_t flush(uint32_t bits) {
  return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

/// An approximation's nominal value: the rounded one.
uint32_t nominal(double value) {
  return poly::encode(poly::Format::F32, value);
}
double fromF32(uint32_t bits) { return poly::decode(poly::Format::F32, bits); }

/// One lane of an instruction whose lanes do not mix. Only the special function
/// unit's results come from the model that Replay uses: they are documented
/// approximations, not arithmetic.
uint32_t floatLaneOf(const PtxInstruction &inst, uint32_t a, uint32_t b,
                     uint32_t c) {
  SoftFormat format = inst.type.format;
  bool f32 = format == kF32, bf16 = format == kBF16;
  switch (inst.code) {
  case PtxCode::Fma:
    return softFma(format, a, b, c, inst.clamp);
  case PtxCode::MulF:
    return softMul(format, a, b, inst.clamp);
  case PtxCode::AddF:
    return softAdd(format, a, b, inst.clamp);
  case PtxCode::AddRm:
    return softAddDown(format, a, b);
  case PtxCode::SubF:
    return softSub(format, a, b, inst.clamp);
  case PtxCode::DivRn:
    return softDiv(format, a, b);
  case PtxCode::RcpRn:
    return softDiv(format, format.one(), a);
  case PtxCode::MinMaxF:
    return softMinMax(format, a, b, inst.minMax);
  case PtxCode::AbsF:
    return softAbs(format, a);
  case PtxCode::NegF:
    return softNeg(format, a);
  case PtxCode::CopySign:
    // PTX names the operand that gives the sign first.
    return softCopySign(format, b, a);
  case PtxCode::Ex2:
    return f32    ? poly::sfu::ex2F32(a, inst.ftz)
           : bf16 ? poly::sfu::ex2BF16(uint16_t(a))
                  : poly::sfu::ex2F16(uint16_t(a));
  case PtxCode::Rcp:
    return poly::sfu::rcpF32(a, inst.ftz);
  case PtxCode::Sin:
    return poly::sfu::sinF32(a);
  case PtxCode::Cos:
    return poly::sfu::cosF32(a);
  case PtxCode::Lg2:
    return nominal(std::log2(fromF32(inst.ftz ? flush(a) : a)));
  case PtxCode::DivApprox:
    // Documented to give zero where the reciprocal would be subnormal.
    if ((b & 0x7fffffff) > 0x7e800000 && (b & 0x7fffffff) < 0x7f800000 &&
        (a & 0x7f800000) != 0x7f800000)
      return (a ^ b) & 0x80000000;
    return softDiv(format, a, b);
  case PtxCode::Tanh:
    return f32    ? poly::sfu::tanhF32(a)
           : bf16 ? poly::sfu::tanhBF16(uint16_t(a))
                  : poly::sfu::tanhF16(uint16_t(a));
  default:
    return holds(inst, softCompare(format, a, b))
               ? uint32_t(ptxMask(inst.type.laneBits))
               : 0;
  }
}

uint32_t floatLane(const PtxInstruction &inst, uint32_t a, uint32_t b,
                   uint32_t c) {
  // Approximations know .ftz themselves.
  bool flushes = inst.ftz && inst.type.format == kF32 &&
                 inst.code != PtxCode::Ex2 && inst.code != PtxCode::Rcp;
  if (!flushes)
    return floatLaneOf(inst, a, b, c);
  return flush(floatLaneOf(inst, flush(a), flush(b), flush(c)));
}

} // namespace

bool PtxThread::memoryAccess(const PtxInstruction &inst) {
  unsigned bytes = inst.type.bits() / 8;
  auto extended = [&](uint64_t value) {
    return inst.type.kind == PtxType::Signed
               ? uint64_t(signExtend(value, inst.type.bits()))
               : value;
  };
  if (inst.code == PtxCode::LdParam) {
    for (unsigned i = 0; i < inst.numDst; ++i) {
      uint64_t value = 0;
      std::memcpy(&value, params->data() + inst.offset + i * bytes, bytes);
      set(inst.dst[i], extended(value));
    }
    return true;
  }
  uint64_t address;
  if (!use(inst.address, inst.address.width == 32 ? 32 : 64, address))
    return false;
  address += uint64_t(inst.offset);
  bool isLoad = inst.code == PtxCode::Ld;
  unsigned count = isLoad ? inst.numDst : inst.numSrc;
  if (address % (uint64_t(bytes) * count) != 0)
    return fail("accesses " + std::to_string(bytes * count) +
                " bytes at the misaligned address " + hexAddress(address));
  for (unsigned i = 0; i < count; ++i) {
    uint64_t value = 0, where = address + uint64_t(i) * bytes;
    if (isLoad) {
      if (!memory->load(inst.space, where, bytes, value, error))
        return false;
      set(inst.dst[i], extended(value));
    } else if (!use(inst.src[i], inst.type.bits(), value) ||
               !memory->store(inst.space, where, bytes, value, error)) {
      return false;
    }
  }
  return true;
}

void PtxThread::pack(const PtxInstruction &inst) {
  unsigned piece = inst.type.bits() / inst.numSrc, chunks = piece / 16;
  PtxValue result;
  for (unsigned i = 0; i < inst.numSrc; ++i) {
    PtxValue part = peek(inst.src[i]);
    result.bits |= (part.bits & ptxMask(piece)) << (i * piece);
    result.defined |=
        uint8_t((part.defined & ptxDefined(piece)) << (i * chunks));
  }
  registers[inst.dst[0].reg] = result;
}

bool PtxThread::unpack(const PtxInstruction &inst) {
  unsigned piece = inst.type.bits() / inst.numDst, chunks = piece / 16;
  PtxValue whole = peek(inst.src[0]);
  for (unsigned i = 0; i < inst.numDst; ++i)
    if (inst.dst[i].kind == PtxOperand::Register)
      registers[inst.dst[i].reg] = {
          whole.bits >> (i * piece) & ptxMask(piece),
          uint8_t(whole.defined >> (i * chunks) & ptxDefined(piece))};
  return true;
}

void PtxThread::lanes(const PtxInstruction &inst) {
  unsigned width = inst.type.laneBits;
  uint8_t needed = ptxDefined(width);
  PtxValue sources[3];
  for (unsigned i = 0; i < inst.numSrc; ++i)
    sources[i] = peek(inst.src[i]);
  PtxValue result;
  for (unsigned lane = 0; lane < inst.type.lanes; ++lane) {
    unsigned shift = lane * width, chunk = shift / 16;
    uint32_t arguments[3] = {0, 0, 0};
    bool defined = true;
    for (unsigned i = 0; i < inst.numSrc; ++i) {
      arguments[i] = uint32_t(sources[i].bits >> shift & ptxMask(width));
      defined &= (sources[i].defined >> chunk & needed) == needed;
    }
    if (!defined)
      continue;
    uint64_t bits = floatLane(inst, arguments[0], arguments[1], arguments[2]);
    result.bits |= bits << shift;
    result.defined |= uint8_t(needed << chunk);
  }
  registers[inst.dst[0].reg] = result;
}

bool PtxThread::conversion(const PtxInstruction &inst) {
  if (inst.code == PtxCode::CvtInt) {
    uint64_t value;
    unsigned from = inst.fromType.bits(), to = inst.type.bits();
    if (!use(inst.src[0], from, value))
      return false;
    if (inst.fromType.kind == PtxType::Signed)
      value = uint64_t(signExtend(value, from));
    value &= ptxMask(to);
    if (inst.type.kind == PtxType::Signed)
      value = uint64_t(signExtend(value, to));
    set(inst.dst[0], value);
    return true;
  }
  if (inst.code == PtxCode::FloorF) {
    uint64_t value;
    if (!use(inst.src[0], 32, value))
      return false;
    uint32_t bits = uint32_t(value);
    set(inst.dst[0], softFloor(kF32, inst.ftz ? flush(bits) : bits));
    return true;
  }
  if (inst.code == PtxCode::CvtIntF) {
    uint64_t value;
    if (!use(inst.src[0], 32, value))
      return false;
    // A double holds every word; one rounding to f32.
    bool isSigned = inst.fromType.kind == PtxType::Signed;
    double number =
        isSigned ? double(int32_t(uint32_t(value))) : double(uint32_t(value));
    set(inst.dst[0], poly::encode(poly::Format::F32, number));
    return true;
  }
  if (inst.code == PtxCode::CvtF) {
    uint64_t value;
    if (!use(inst.src[0], inst.fromType.bits(), value))
      return false;
    set(inst.dst[0], softConvert(inst.fromType.format, inst.type.format,
                                 uint32_t(value), inst.clamp));
    return true;
  }
  // CvtPack: the first source becomes the upper half.
  PtxValue result;
  for (unsigned i = 0; i < 2; ++i) {
    PtxValue source = peek(inst.src[i]);
    unsigned lane = 1 - i;
    if ((source.defined & 3) != 3)
      continue;
    uint64_t bits =
        softConvert(kF32, inst.type.format, uint32_t(source.bits), inst.clamp);
    result.bits |= bits << (16 * lane);
    result.defined |= uint8_t(1u << lane);
  }
  registers[inst.dst[0].reg] = result;
  return true;
}

/// Instructions whose result bits each come from known bits of the operands, so
/// that undefined halves can be followed through them.
bool PtxThread::movesBits(const PtxInstruction &inst) {
  switch (inst.code) {
  case PtxCode::And:
  case PtxCode::Or:
  case PtxCode::Xor:
  case PtxCode::Not:
  case PtxCode::Lop3:
    return true;
  case PtxCode::Prmt:
    return inst.src[2].kind == PtxOperand::Immediate;
  case PtxCode::Shl:
  case PtxCode::Shr:
    return inst.src[1].kind == PtxOperand::Immediate &&
           inst.src[1].imm % 16 == 0 && inst.src[1].imm < inst.type.bits() &&
           inst.type.kind != PtxType::Signed;
  default:
    return false;
  }
}

/// For those, which 16-bit parts of the result are defined.
uint8_t PtxThread::definedBits(const PtxInstruction &inst,
                               const PtxValue *sources) {
  uint8_t all = ptxDefined(inst.type.bits());
  switch (inst.code) {
  case PtxCode::Shl: { // Zeros come in.
    unsigned parts = unsigned(inst.src[1].imm / 16);
    return uint8_t((sources[0].defined << parts | ((1u << parts) - 1)) & all);
  }
  case PtxCode::Shr: {
    unsigned parts = unsigned(inst.src[1].imm / 16);
    return uint8_t((sources[0].defined & all) >> parts |
                   (all & ~(all >> parts)));
  }
  case PtxCode::Prmt: {
    uint8_t defined = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
      unsigned pick = unsigned(inst.src[2].imm >> (4 * byte)) & 7;
      bool good = sources[pick / 4].defined >> (pick % 4 / 2) & 1;
      // The other byte of the same half must be defined too.
      if (byte % 2 == 0)
        defined |= uint8_t(unsigned(good) << (byte / 2));
      else if (!good)
        defined &= uint8_t(~(1u << (byte / 2)));
    }
    return defined;
  }
  default: {
    uint8_t defined = all;
    unsigned count = inst.code == PtxCode::Lop3 ? 3 : inst.numSrc;
    for (unsigned i = 0; i < count; ++i)
      defined &= sources[i].defined;
    if (inst.code == PtxCode::And && inst.src[1].kind == PtxOperand::Immediate)
      for (unsigned part = 0; part * 16 < inst.type.bits(); ++part)
        if ((inst.src[1].imm >> (part * 16) & 0xffff) == 0)
          defined |= uint8_t(1u << part); // A mask makes zeros of anything.
    return defined;
  }
  }
}

/// The byte of a rounded value, as .satfinite says: what is too large becomes
/// the largest number.
static uint8_t encodeFp8(bool e4m3, float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint8_t sign = uint8_t(bits >> 24 & 0x80);
  if (value != value)
    return sign | 0x7f;
  int fraction = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
  double magnitude = std::fabs(double(value));
  double largest = e4m3 ? 448 : 57344;
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(std::min(magnitude, largest)), 1 - bias);
  // To even, the default of nearbyint.
  double quantum = std::ldexp(1.0, exponent - fraction);
  double rounded = std::nearbyint(magnitude / quantum) * quantum;
  rounded = std::min(rounded, largest);
  if (rounded == 0)
    return sign;
  exponent = std::max(std::ilogb(rounded), 1 - bias);
  int mantissa = int(std::ldexp(rounded, fraction - exponent));
  // A normal number's leading one carries into the exponent.
  return sign | uint8_t(((exponent + bias - 1) << fraction) + mantissa);
}

double ptxDecodeFp8(bool e4m3, uint8_t byte) {
  int fraction = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
  int exponent = (byte & 0x7f) >> fraction;
  int mantissa = byte & ((1 << fraction) - 1);
  double sign = byte & 0x80 ? -1 : 1;
  bool last = exponent == (1 << (7 - fraction)) - 1;
  if (e4m3 ? (byte & 0x7f) == 0x7f : last && mantissa != 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (!e4m3 && last)
    return sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(double(mantissa), 1 - bias - fraction);
  return sign * std::ldexp(double(mantissa + (1 << fraction)),
                           exponent - bias - fraction);
}

bool PtxThread::convertFp8(const PtxInstruction &inst) {
  uint64_t first, second;
  unsigned width = inst.type.bits() == 32 ? 16 : 32;
  if (!use(inst.src[0], width, first))
    return false;
  if (inst.type.bits() == 32) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 2; ++i)
      result |= poly::encode(poly::Format::F16,
                             ptxDecodeFp8(inst.flag, uint8_t(first >> (8 * i))))
                << (16 * i);
    set(inst.dst[0], result);
    return true;
  }
  float high, low;
  if (inst.numSrc == 2) {
    if (!use(inst.src[1], 32, second))
      return false;
    high = float(fromF32(uint32_t(first)));
    low = float(fromF32(uint32_t(second)));
  } else {
    high = float(poly::decode(poly::Format::F16, uint32_t(first >> 16)));
    low = float(poly::decode(poly::Format::F16, uint32_t(first & 0xffff)));
  }
  set(inst.dst[0],
      uint64_t(encodeFp8(inst.flag, high)) << 8 | encodeFp8(inst.flag, low));
  return true;
}

bool PtxThread::reduction(const PtxInstruction &inst) {
  uint64_t address;
  if (!use(inst.address, inst.address.width == 32 ? 32 : 64, address))
    return false;
  address += uint64_t(inst.offset);
  unsigned width = inst.type.bits(), bytes = width / 8;
  if (address % (uint64_t(bytes) * inst.numSrc) != 0)
    return fail("accesses " + std::to_string(bytes * inst.numSrc) +
                " bytes at the misaligned address " + hexAddress(address));
  bool isSigned = inst.type.kind == PtxType::Signed;
  for (unsigned i = 0; i < inst.numSrc; ++i, address += bytes) {
    uint64_t a, b, result = 0;
    if (!use(inst.src[i], width, b) ||
        !memory->load(inst.space, address, bytes, a, error))
      return false;
    bool less = isSigned ? signExtend(a, width) < signExtend(b, width) : a < b;
    switch (inst.reduction) {
    case PtxReduction::Add:
      result = inst.type.kind != PtxType::Float ? a + b
               : width == 32 ? softAdd(kF32, uint32_t(a), uint32_t(b))
                             : 0;
      if (inst.type.kind == PtxType::Float && width != 32)
        return fail("adds a type that is not emulated");
      break;
    case PtxReduction::Min:
      result = less ? a : b;
      break;
    case PtxReduction::Max:
      result = less ? b : a;
      break;
    case PtxReduction::And:
      result = a & b;
      break;
    case PtxReduction::Or:
      result = a | b;
      break;
    default:
      result = a ^ b;
      break;
    }
    if (!memory->store(inst.space, address, bytes, result & ptxMask(width),
                       error))
      return false;
    if (inst.numDst)
      set(inst.dst[0], a);
  }
  return true;
}

bool PtxThread::integer(const PtxInstruction &inst) {
  unsigned width = inst.type.bits();
  bool isSigned = inst.type.kind == PtxType::Signed;
  bool shift = inst.code == PtxCode::Shl || inst.code == PtxCode::Shr;
  bool wide = inst.code == PtxCode::MadWide;
  uint64_t raw[4] = {0, 0, 0, 0};
  PtxValue sources[4];
  bool follows = movesBits(inst);
  for (unsigned i = 0; i < inst.numSrc; ++i) {
    if (follows) {
      sources[i] = peek(inst.src[i]);
      raw[i] = sources[i].bits;
      continue;
    }
    unsigned sourceWidth = shift && i == 1  ? 32
                           : wide && i == 2 ? 2 * width
                                            : width;
    if (!use(inst.src[i], sourceWidth, raw[i]))
      return false;
  }
  auto extend = [&](uint64_t value) {
    return isSigned ? Int128(signExtend(value, width)) : Int128(value);
  };
  Int128 a = extend(raw[0]), b = extend(raw[1]);
  uint64_t result = 0;
  auto upper = [&](Int128 product) { return uint64_t(product >> width); };
  switch (inst.code) {
  case PtxCode::Add:
    result = raw[0] + raw[1];
    break;
  case PtxCode::Sub:
    result = raw[0] - raw[1];
    break;
  case PtxCode::MulLo:
    result = raw[0] * raw[1];
    break;
  case PtxCode::MulHi:
    result = upper(a * b);
    break;
  case PtxCode::MulWide:
    result = uint64_t(a * b);
    break;
  case PtxCode::MadLo:
    result = raw[0] * raw[1] + raw[2];
    break;
  case PtxCode::MadHi:
    result = upper(a * b) + raw[2];
    break;
  case PtxCode::MadWide:
    result = uint64_t(a * b) + raw[2];
    break;
  case PtxCode::Div:
  case PtxCode::Rem:
    if (b == 0)
      return fail("divides an integer by zero");
    result = uint64_t(inst.code == PtxCode::Div ? a / b : a % b);
    break;
  case PtxCode::MinInt:
    result = uint64_t(a < b ? a : b);
    break;
  case PtxCode::MaxInt:
    result = uint64_t(a > b ? a : b);
    break;
  case PtxCode::NegInt:
    result = uint64_t(-a);
    break;
  case PtxCode::AbsInt:
    result = uint64_t(a < 0 ? -a : a);
    break;
  case PtxCode::Shl:
    result = raw[1] >= width ? 0 : raw[0] << raw[1];
    break;
  case PtxCode::Shr: {
    // Amounts above the width act like the width.
    uint64_t amount = raw[1] >= width ? width - 1 : raw[1];
    if (isSigned)
      result = uint64_t(int64_t(a) >> amount);
    else
      result = raw[1] >= width ? 0 : raw[0] >> amount;
    break;
  }
  case PtxCode::And:
    result = raw[0] & raw[1];
    break;
  case PtxCode::Or:
    result = raw[0] | raw[1];
    break;
  case PtxCode::Xor:
    result = raw[0] ^ raw[1];
    break;
  case PtxCode::Not:
    result = ~raw[0];
    break;
  case PtxCode::Prmt:
    result = permute(uint32_t(raw[0]), uint32_t(raw[1]), uint32_t(raw[2]));
    break;
  case PtxCode::Bfe: {
    unsigned position = unsigned(raw[1] & 0xff),
             length = unsigned(raw[2] & 0xff);
    result = position >= 32 ? 0 : raw[0] >> position & ptxMask(length);
    break;
  }
  case PtxCode::Lop3:
    result = logic3(uint32_t(raw[0]), uint32_t(raw[1]), uint32_t(raw[2]),
                    unsigned(raw[3]));
    break;
  default: {
    Order order = a < b ? Order::Less : a == b ? Order::Equal : Order::Greater;
    result = holds(inst, order);
    break;
  }
  }
  set(inst.dst[0], result);
  if (follows)
    registers[inst.dst[0].reg].defined = definedBits(inst, sources);
  return true;
}

bool PtxThread::step(const PtxInstruction &inst) {
  uint64_t value;
  switch (inst.code) {
  case PtxCode::LdParam:
  case PtxCode::Ld:
  case PtxCode::St:
    return memoryAccess(inst);
  case PtxCode::Mov:
    if (!use(inst.src[0], inst.type.bits(), value))
      return false;
    set(inst.dst[0], value);
    return true;
  case PtxCode::Pack:
    pack(inst);
    return true;
  case PtxCode::Unpack:
    return unpack(inst);
  case PtxCode::Special:
    set(inst.dst[0], (*special)[unsigned(inst.special)]);
    return true;
  case PtxCode::Selp:
    if (!use(inst.src[2], 1, value) ||
        !use(inst.src[value ? 0 : 1], inst.type.bits(), value))
      return false;
    set(inst.dst[0], value);
    return true;
  case PtxCode::SetpF: {
    unsigned width = inst.type.laneBits;
    uint64_t a, b;
    if (!use(inst.src[0], inst.type.bits(), a) ||
        !use(inst.src[1], inst.type.bits(), b))
      return false;
    for (unsigned lane = 0; lane < inst.type.lanes; ++lane) {
      uint32_t left = uint32_t(a >> (lane * width) & ptxMask(width));
      uint32_t right = uint32_t(b >> (lane * width) & ptxMask(width));
      if (inst.ftz && width == 32) {
        left = flush(left);
        right = flush(right);
      }
      set(inst.dst[lane],
          holds(inst, softCompare(inst.type.format, left, right)));
    }
    return true;
  }
  case PtxCode::Nop:
    return true;
  case PtxCode::Red:
    return reduction(inst);
  case PtxCode::CvtFp8:
    return convertFp8(inst);
  case PtxCode::CvtInt:
  case PtxCode::CvtF:
  case PtxCode::CvtIntF:
  case PtxCode::FloorF:
  case PtxCode::CvtPack:
    return conversion(inst);
  default:
    if (inst.type.kind != PtxType::Float)
      return integer(inst);
    lanes(inst);
    return true;
  }
}

} // namespace polytest
