//===- PtxEmulator.cpp - Runs PTX kernels on the CPU ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxInstruction.h"

#include "poly/Program/Formats.h"
#include "poly/Program/SfuModel.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace polytest {

//===----------------------------------------------------------------------===//
// Memory and arguments
//===----------------------------------------------------------------------===//

uint64_t PtxMemory::allocate(size_t size, size_t alignment) {
  // An odd multiple of the alignment, a page or more after the last buffer.
  uint64_t base = (nextBase + alignment - 1) / alignment * alignment;
  if ((base / alignment) % 2 == 0)
    base += alignment;
  Buffer &buffer = buffers[base];
  buffer.base = base;
  buffer.bytes.resize(size);
  buffer.written.resize(size);
  nextBase = base + size + 4096;
  return base;
}

PtxMemory::Buffer *PtxMemory::find(uint64_t address, size_t size) {
  auto holds = [&](const Buffer &buffer) {
    return address >= buffer.base && size <= buffer.bytes.size() &&
           address - buffer.base <= buffer.bytes.size() - size;
  };
  if (recent && holds(*recent))
    return recent;
  auto next = buffers.upper_bound(address);
  if (next == buffers.begin())
    return nullptr;
  Buffer &buffer = std::prev(next)->second;
  if (!holds(buffer))
    return nullptr;
  return recent = &buffer;
}

static void requireMapped(const void *buffer) {
  if (buffer)
    return;
  std::fputs("PtxMemory: the host accessed an unmapped range\n", stderr);
  std::abort();
}

void PtxMemory::write(uint64_t address, const void *data, size_t size) {
  Buffer *buffer = find(address, size);
  requireMapped(buffer);
  size_t at = size_t(address - buffer->base);
  std::memcpy(buffer->bytes.data() + at, data, size);
  for (size_t i = 0; i < size; ++i)
    buffer->written[at + i] = true;
}

void PtxMemory::read(uint64_t address, void *data, size_t size,
                     uint8_t filler) {
  Buffer *buffer = find(address, size);
  requireMapped(buffer);
  size_t at = size_t(address - buffer->base);
  uint8_t *to = static_cast<uint8_t *>(data);
  for (size_t i = 0; i < size; ++i)
    to[i] = buffer->written[at + i] ? buffer->bytes[at + i] : filler;
}

bool PtxMemory::isWritten(uint64_t address, size_t size) {
  Buffer *buffer = find(address, size);
  requireMapped(buffer);
  for (size_t i = 0; i < size; ++i)
    if (!buffer->written[size_t(address - buffer->base) + i])
      return false;
  return true;
}

static std::string hexAddress(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(address));
  return text;
}

bool PtxMemory::load(uint64_t address, unsigned bytes, uint64_t &value,
                     std::string &error) {
  Buffer *buffer = find(address, bytes);
  if (!buffer) {
    error = "loads outside of every buffer at " + hexAddress(address);
    return false;
  }
  size_t at = size_t(address - buffer->base);
  for (unsigned i = 0; i < bytes; ++i)
    if (!buffer->written[at + i]) {
      error = "loads memory that was never written at " + hexAddress(address);
      return false;
    }
  value = 0;
  std::memcpy(&value, buffer->bytes.data() + at, bytes);
  return true;
}

bool PtxMemory::store(uint64_t address, unsigned bytes, uint64_t value,
                      std::string &error) {
  Buffer *buffer = find(address, bytes);
  if (!buffer) {
    error = "stores outside of every buffer at " + hexAddress(address);
    return false;
  }
  size_t at = size_t(address - buffer->base);
  std::memcpy(buffer->bytes.data() + at, &value, bytes);
  for (unsigned i = 0; i < bytes; ++i)
    buffer->written[at + i] = true;
  return true;
}

PtxArguments &PtxArguments::add(const void *data, size_t size) {
  const uint8_t *from = static_cast<const uint8_t *>(data);
  bytes.emplace_back(from, from + size);
  return *this;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {

__extension__ typedef __int128 Int128;

uint64_t maskOf(unsigned width) {
  return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

int64_t signExtend(uint64_t value, unsigned width) {
  unsigned shift = 64 - width;
  return int64_t(value << shift) >> shift;
}

/// A register's bits, and for each 16 bits of it whether they are defined.
struct Value {
  uint64_t bits = 0;
  uint8_t defined = 0;
};

uint8_t fullyDefined(unsigned width) {
  return uint8_t((1u << ((width + 15) / 16)) - 1);
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

/// One lane of an instruction whose lanes do not mix. Only the special function
/// unit's results come from the model that Replay uses: they are documented
/// approximations, not arithmetic.
uint32_t floatLane(const PtxInstruction &inst, uint32_t a, uint32_t b,
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
  case PtxCode::Tanh:
    return f32    ? poly::sfu::tanhF32(a)
           : bf16 ? poly::sfu::tanhBF16(uint16_t(a))
                  : poly::sfu::tanhF16(uint16_t(a));
  default:
    return holds(inst, softCompare(format, a, b))
               ? uint32_t(maskOf(inst.type.laneBits))
               : 0;
  }
}

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

class Thread {
public:
  Thread(const PtxKernel &kernel, const std::vector<uint8_t> &params,
         PtxMemory &memory, const std::array<uint32_t, 12> &special)
      : kernel(kernel), params(params), memory(memory), special(special),
        registers(kernel.registerNames.size()) {}

  void reset() {
    for (Value &value : registers)
      value.defined = 0;
  }

  /// Runs to the end; false with \p error and \p line set.
  bool run();

  std::string error;
  uint32_t line = 0;

private:
  bool fail(const std::string &message) {
    error = message;
    return false;
  }

  /// The operand if every bit of its low \p width bits is defined.
  bool use(const PtxOperand &operand, unsigned width, uint64_t &bits) {
    if (operand.kind == PtxOperand::Immediate) {
      bits = operand.imm & maskOf(width);
      return true;
    }
    const Value &value = registers[operand.reg];
    uint8_t needed = fullyDefined(width);
    if ((value.defined & needed) != needed)
      return fail("uses register '" + kernel.registerNames[operand.reg] +
                  "', which is undefined");
    bits = value.bits & maskOf(width);
    return true;
  }
  /// The operand with its undefined parts.
  Value peek(const PtxOperand &operand) const {
    if (operand.kind == PtxOperand::Immediate)
      return {operand.imm, 0xf};
    return registers[operand.reg];
  }
  void set(const PtxOperand &operand, uint64_t bits) {
    if (operand.kind != PtxOperand::Register)
      return;
    registers[operand.reg] = {bits & maskOf(operand.width),
                              fullyDefined(operand.width)};
  }

  bool step(const PtxInstruction &inst);
  bool memoryAccess(const PtxInstruction &inst);
  bool integer(const PtxInstruction &inst);
  static bool movesBits(const PtxInstruction &inst);
  static uint8_t definedBits(const PtxInstruction &inst, const Value *sources);
  void pack(const PtxInstruction &inst);
  bool unpack(const PtxInstruction &inst);
  void lanes(const PtxInstruction &inst);
  bool conversion(const PtxInstruction &inst);

  const PtxKernel &kernel;
  const std::vector<uint8_t> &params;
  PtxMemory &memory;
  const std::array<uint32_t, 12> &special;
  std::vector<Value> registers;
};

bool Thread::run() {
  // Far more than any elementwise kernel needs: a loop that does not end.
  constexpr uint64_t limit = 1u << 24;
  uint32_t at = 0;
  for (uint64_t steps = 0; steps < limit; ++steps) {
    const PtxInstruction &inst = kernel.body[at];
    line = inst.line;
    ++at;
    if (inst.guarded) {
      const Value &guard = registers[inst.guard];
      if (!guard.defined)
        return fail("uses register '" + kernel.registerNames[inst.guard] +
                    "', which is undefined");
      if ((guard.bits != 0) == inst.guardNegated)
        continue;
    }
    if (inst.code == PtxCode::Ret)
      return true;
    if (inst.code == PtxCode::Bra)
      at = inst.target;
    else if (!step(inst))
      return false;
  }
  return fail("does not end");
}

bool Thread::memoryAccess(const PtxInstruction &inst) {
  unsigned bytes = inst.type.bits() / 8;
  auto extended = [&](uint64_t value) {
    return inst.type.kind == PtxType::Signed
               ? uint64_t(signExtend(value, inst.type.bits()))
               : value;
  };
  if (inst.code == PtxCode::LdParam) {
    for (unsigned i = 0; i < inst.numDst; ++i) {
      uint64_t value = 0;
      std::memcpy(&value, params.data() + inst.offset + i * bytes, bytes);
      set(inst.dst[i], extended(value));
    }
    return true;
  }
  uint64_t address;
  if (!use(inst.address, 64, address))
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
      if (!memory.load(where, bytes, value, error))
        return false;
      set(inst.dst[i], extended(value));
    } else if (!use(inst.src[i], inst.type.bits(), value) ||
               !memory.store(where, bytes, value, error)) {
      return false;
    }
  }
  return true;
}

void Thread::pack(const PtxInstruction &inst) {
  unsigned piece = inst.type.bits() / inst.numSrc, chunks = piece / 16;
  Value result;
  for (unsigned i = 0; i < inst.numSrc; ++i) {
    Value part = peek(inst.src[i]);
    result.bits |= (part.bits & maskOf(piece)) << (i * piece);
    result.defined |=
        uint8_t((part.defined & fullyDefined(piece)) << (i * chunks));
  }
  registers[inst.dst[0].reg] = result;
}

bool Thread::unpack(const PtxInstruction &inst) {
  unsigned piece = inst.type.bits() / inst.numDst, chunks = piece / 16;
  Value whole = peek(inst.src[0]);
  for (unsigned i = 0; i < inst.numDst; ++i)
    if (inst.dst[i].kind == PtxOperand::Register)
      registers[inst.dst[i].reg] = {
          whole.bits >> (i * piece) & maskOf(piece),
          uint8_t(whole.defined >> (i * chunks) & fullyDefined(piece))};
  return true;
}

void Thread::lanes(const PtxInstruction &inst) {
  unsigned width = inst.type.laneBits;
  uint8_t needed = fullyDefined(width);
  Value sources[3];
  for (unsigned i = 0; i < inst.numSrc; ++i)
    sources[i] = peek(inst.src[i]);
  Value result;
  for (unsigned lane = 0; lane < inst.type.lanes; ++lane) {
    unsigned shift = lane * width, chunk = shift / 16;
    uint32_t arguments[3] = {0, 0, 0};
    bool defined = true;
    for (unsigned i = 0; i < inst.numSrc; ++i) {
      arguments[i] = uint32_t(sources[i].bits >> shift & maskOf(width));
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

bool Thread::conversion(const PtxInstruction &inst) {
  if (inst.code == PtxCode::CvtInt) {
    uint64_t value;
    unsigned from = inst.fromType.bits(), to = inst.type.bits();
    if (!use(inst.src[0], from, value))
      return false;
    if (inst.fromType.kind == PtxType::Signed)
      value = uint64_t(signExtend(value, from));
    value &= maskOf(to);
    if (inst.type.kind == PtxType::Signed)
      value = uint64_t(signExtend(value, to));
    set(inst.dst[0], value);
    return true;
  }
  if (inst.code == PtxCode::FloorF) {
    uint64_t value;
    if (!use(inst.src[0], 32, value))
      return false;
    set(inst.dst[0], softFloor(kF32, uint32_t(value)));
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
  Value result;
  for (unsigned i = 0; i < 2; ++i) {
    Value source = peek(inst.src[i]);
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
bool Thread::movesBits(const PtxInstruction &inst) {
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
uint8_t Thread::definedBits(const PtxInstruction &inst, const Value *sources) {
  uint8_t all = fullyDefined(inst.type.bits());
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

bool Thread::integer(const PtxInstruction &inst) {
  unsigned width = inst.type.bits();
  bool isSigned = inst.type.kind == PtxType::Signed;
  bool shift = inst.code == PtxCode::Shl || inst.code == PtxCode::Shr;
  bool wide = inst.code == PtxCode::MadWide;
  uint64_t raw[4] = {0, 0, 0, 0};
  Value sources[4];
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

bool Thread::step(const PtxInstruction &inst) {
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
    set(inst.dst[0], special[unsigned(inst.special)]);
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
    for (unsigned lane = 0; lane < inst.type.lanes; ++lane)
      set(inst.dst[lane],
          holds(inst,
                softCompare(inst.type.format,
                            uint32_t(a >> (lane * width) & maskOf(width)),
                            uint32_t(b >> (lane * width) & maskOf(width)))));
    return true;
  }
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

} // namespace

bool ptxLaunch(const PtxKernel &kernel, PtxDim3 grid, PtxDim3 block,
               const PtxArguments &arguments, PtxMemory &memory,
               std::string &error) {
  if (kernel.hasRequiredBlock &&
      (kernel.requiredBlock.x != block.x || kernel.requiredBlock.y != block.y ||
       kernel.requiredBlock.z != block.z)) {
    error = "the block differs from the kernel's .reqntid";
    return false;
  }
  if (arguments.values().size() != kernel.params.size()) {
    error = "kernel '" + kernel.name + "' has " +
            std::to_string(kernel.params.size()) + " parameters, not " +
            std::to_string(arguments.values().size());
    return false;
  }
  std::vector<uint8_t> params(kernel.paramBytes);
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const std::vector<uint8_t> &bytes = arguments.values()[i];
    if (bytes.size() != kernel.params[i].size) {
      error = "parameter '" + kernel.params[i].name + "' has " +
              std::to_string(kernel.params[i].size) + " bytes, not " +
              std::to_string(bytes.size());
      return false;
    }
    std::memcpy(params.data() + kernel.params[i].offset, bytes.data(),
                bytes.size());
  }

  std::array<uint32_t, 12> special = {0, 0, 0, block.x, block.y, block.z,
                                      0, 0, 0, grid.x,  grid.y,  grid.z};
  Thread thread(kernel, params, memory, special);
  auto triple = [&](unsigned at) {
    return "(" + std::to_string(special[at]) + "," +
           std::to_string(special[at + 1]) + "," +
           std::to_string(special[at + 2]) + ")";
  };
  uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z;
  uint64_t threads = uint64_t(block.x) * block.y * block.z;
  for (uint64_t b = 0; b < blocks; ++b) {
    special[6] = uint32_t(b % grid.x);
    special[7] = uint32_t(b / grid.x % grid.y);
    special[8] = uint32_t(b / grid.x / grid.y);
    for (uint64_t t = 0; t < threads; ++t) {
      special[0] = uint32_t(t % block.x);
      special[1] = uint32_t(t / block.x % block.y);
      special[2] = uint32_t(t / block.x / block.y);
      thread.reset();
      if (thread.run())
        continue;
      error = "line " + std::to_string(thread.line) + ": thread " + triple(0) +
              " of block " + triple(6) + " " + thread.error;
      return false;
    }
  }
  return true;
}

} // namespace polytest
